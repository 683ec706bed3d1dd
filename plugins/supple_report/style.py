"""The look of the page: for screens, light and dark, and for paper."""

CSS = """
:root {
  --ink: #1d2329; --soft: #5a646e; --paper: #ffffff; --card: #f6f7f9; --line: #dde2e7; --link: #0b62a4;
  --good: #11734b; --good-back: #e2f4ea; --bad: #a82a1f; --bad-back: #fbe6e3; --open: #75560b; --open-back: #f8efd5;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e4e8ec; --soft: #9ca7b2; --paper: #15191d; --card: #1e242a; --line: #333c45; --link: #77b8ee;
    --good: #7fd6a8; --good-back: #163626; --bad: #ff9d91; --bad-back: #43201c; --open: #eacb74; --open-back: #3a3015;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 68rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.35rem; margin: 3rem 0 1rem; padding-bottom: .35rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.8rem 0 .6rem; }
p { margin: .5rem 0; max-width: 46rem; }
a { color: var(--link); }
code, pre { font-family: ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; font-size: .86em; }
code { overflow-wrap: anywhere; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; margin: .6rem 0;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.lead { color: var(--soft); font-size: 1.05rem; }
.note { color: var(--soft); font-size: .92rem; }
.tally { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1.2rem 0 0; }
.badge { display: inline-block; padding: .1rem .6rem; border-radius: 1rem; font-size: .85rem; font-weight: 600;
  white-space: nowrap; }
.holds { color: var(--good); background: var(--good-back); }
.fails { color: var(--bad); background: var(--bad-back); }
.open { color: var(--open); background: var(--open-back); }
.claim { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.2rem;
  margin: 1rem 0; break-inside: avoid; }
.claim header { display: flex; flex-wrap: wrap; gap: .3rem .8rem; align-items: baseline; }
.claim header strong { font-size: 1rem; }
.claim p.says { font-size: 1.08rem; margin: .4rem 0 .6rem; }
.wide { overflow-x: auto; margin: .6rem 0; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .3rem 1.1rem .3rem 0; border-bottom: 1px solid var(--line); }
tbody th { font-weight: 400; }
table code { overflow-wrap: normal; white-space: nowrap; }
thead th { color: var(--soft); font-weight: 600; }
.numbers td, .numbers thead th + th { text-align: right; padding: .3rem 0 .3rem 1.4rem; white-space: nowrap; }
.interval { color: var(--soft); font-size: .9em; }
figure { margin: 1rem 0; break-inside: avoid; }
figcaption { font-size: .92rem; color: var(--soft); margin-bottom: .35rem; }
figcaption b { color: var(--ink); }
.strip { display: grid; grid-auto-flow: column; grid-auto-columns: 1fr; gap: 4px; }
.strip div { position: relative; min-width: 0; }
.strip img { display: block; width: 100%; height: auto; border-radius: 4px; }
.strip span { position: absolute; left: .4rem; bottom: .25rem; font-size: .75rem; color: #1d2329;
  background: rgba(255, 255, 255, .75); padding: 0 .35rem; border-radius: 3px; }
.plot { display: block; width: 100%; height: auto; background: #fff; border: 1px solid var(--line);
  border-radius: 6px; }
footer { margin-top: 3rem; color: var(--soft); font-size: .88rem; }
@media print {
  :root { --ink: #000; --soft: #444; --paper: #fff; --card: #fff; --line: #bbb; --link: #000; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  .holds, .fails, .open { background: none; border: 1px solid currentcolor; }
  h2, h3 { break-after: avoid; }
  .wide { overflow: visible; }
  table { font-size: 8pt; }
  .numbers td, .numbers thead th + th { padding-left: .7rem; }
}
"""
