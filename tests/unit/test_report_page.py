"""Pages of experiments: all verdicts and figures are on them, nothing on them is executed or fetched."""

from __future__ import annotations

import csv
import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supple.run.cli import run_command
from supple.run.recording import open_recording
from supple_report.html import Html, join, tag
from supple_report.intervals import find_mean, gather_figures, metrics_of
from supple_report.page import claims_command
from supple_report.result import read_experiment

SCENE = """\
format = 1
about = "A <b>ball</b> falls & rests"
[run]
step = 0.01
duration = 0.3
[[entity]]
name = "floor"
plane = {}
[[entity]]
name = "ball"
pose = { position = [0, 0.3, 0] }
sphere = { radius = 0.1 }
body = {}
[variants]
low = {}
high = { "ball.pose.position" = [0, 5.0, 0] }
[sweep]
"ball.body.velocity" = [[0, 0, 0], [0.1, 0, 0], [0.3, 0, 0]]
[[claim]]
id = "lower"
says = "<script>alert(1)</script> ends lower"
paper = "A & B"
holds = "difference_high(low.ball.height, high.ball.height) < 0 and mean(low.ball.height) < 1"
[[claim]]
id = "wrong"
says = "it flies"
holds = "min(low.ball.height) > 10"
[[claim]]
id = "open"
says = "nobody can tell"
holds = "mean(low.ball.drift) >= 0 or mean(1 / (low.ball.travel - low.ball.travel)) > 0"
"""


class Page(HTMLParser):
    """What a page says, and what it would fetch."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.tags, self.links, self.ids = path, [], [], []
        self.text, self.policy, self.images = "", "", []
        self._open: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))
        assert self._open == [], "all elements are closed"

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        self.tags.append(name)
        if name not in ("img", "meta"):
            self._open.append(name)
        self.links += [values[key] for key in ("src", "href") if key in values]
        self.ids += [values["id"]] if "id" in values else []
        assert not any(key.startswith("on") for key in values)
        if name == "img":
            self.images.append((values["src"], values["alt"]))
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = str(values["content"])

    def handle_endtag(self, name: str) -> None:
        assert self._open.pop() == name

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.text += f"{data} "


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results and recordings of the scene above."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "fall.toml").write_text(SCENE)
    words = [folder / "fall.toml", "-o", folder / "result.json", "--record", folder / "runs", "--jobs", 1]
    assert run_command(["claims", *map(str, words)]) == 1
    return folder


def report(*words: object) -> int:
    return run_command(["report", *(str(word) for word in words)])


@pytest.fixture(scope="module")
def output(folder: Path) -> Path:
    """Their page."""
    assert report(folder / "result.json", "-o", folder / "page", "--title", "Falling & <resting>") == 0
    return folder / "page"


def test_claims_keep_recordings_of_the_first_cell_of_each_variant(folder: Path) -> None:
    kept = sorted(file.name for file in (folder / "runs").iterdir())
    assert [re.sub("-[0-9a-f]{12}", "", name) for name in kept] == ["fall-high.h5", "fall-low.h5"]
    result = json.loads((folder / "result.json").read_text())
    (scene,) = result["scenes"]
    assert [variant["name"] for variant in scene["variants"]] == ["low", "high"]
    assert all(len(variant["runs"]) == 3 for variant in scene["variants"])
    for variant in scene["variants"]:
        first = variant["runs"][0]
        with open_recording(folder / variant["recording"]) as recording:
            assert recording.header.variant == variant["name"]
            column = recording.labels("metrics.now").index("ball.height")
            last = recording.array("metrics.now")[-1, column]
        assert last == result["runs"][first["key"]]["metrics"]["ball.height"]


def test_claims_record_what_was_known_but_not_recorded(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text((folder / "result.json").read_text())
    words = ["claims", str(folder / "fall.toml"), "-o", str(tmp_path / "result.json"), "--jobs", "1"]
    assert run_command(words) == 1
    said = json.loads((tmp_path / "result.json").read_text())
    assert {variant["recording"] for variant in said["scenes"][0]["variants"]} == {None}
    assert run_command([*words, "--record", str(tmp_path / "again")]) == 1
    assert len(list((tmp_path / "again").iterdir())) == 2
    for file in (tmp_path / "again").iterdir():
        assert file.read_bytes() == (folder / "runs" / file.name).read_bytes()


def test_page_says_all_and_fetches_nothing(output: Path) -> None:
    said = json.loads((output / "report.json").read_text())
    assert said["claims"] == [
        {"id": "lower", "holds": True}, {"id": "wrong", "holds": False}, {"id": "open", "holds": None},
    ]  # fmt: skip
    assert said["scenes"][0]["pictures"] == {"low": 6, "high": 6}
    page = Page(output / "index.html")
    for text in (
        "Falling & <resting>", "<script>alert(1)</script> ends lower", "A <b>ball</b> falls & rests", "A & B",
        "1 holds", "1 does not hold", "1 not judged", "min(low.ball.height) > 10", "ball.height", "How to repeat it",
        "supple claims", "--record runs", "numpy", "Means over all cells", "low at 0.30 s",
    ):  # fmt: skip
        assert text in page.text + " ".join(alt for _, alt in page.images), text
    assert "script" not in page.tags
    assert page.policy.startswith("default-src 'none'")
    for link in page.links:
        assert "//" not in link
        target = (
            page.ids
            if link.startswith("#")
            else [str(file.relative_to(output).as_posix()) for file in output.rglob("*")]
        )
        assert link.removeprefix("#") in target, link
    assert "url(" not in (output / "index.html").read_text()


def test_figures_on_the_page_are_those_of_the_results(folder: Path, output: Path) -> None:
    result = json.loads((folder / "result.json").read_text())
    text = Page(output / "index.html").text
    claim = result["claims"][0]
    for value in claim["figures"].values():
        assert f"{value:.6g}" in text
    runs = {run["key"]: result["runs"][run["key"]] for run in result["scenes"][0]["variants"][1]["runs"]}
    mean = np.mean([run["metrics"]["ball.height"] for run in runs.values()])
    assert f"{mean:.6g}" in text
    with (output / "metrics.csv").open(newline="") as file:
        rows = {
            (row["variant"], row["cell"], row["metric"]): float(row["value"]) for row in csv.DictReader(file)
        }
    for variant in result["scenes"][0]["variants"]:
        for run in variant["runs"]:
            for metric, value in result["runs"][run["key"]]["metrics"].items():
                got = rows[variant["name"], run["cell"], metric]
                assert got == value or (value is None and math.isnan(got))


def test_pictures_show_the_run(output: Path) -> None:
    from PIL import Image

    pictures = [
        np.asarray(Image.open(output / f"media/scene0-{k}-{i}.png")).astype(int)
        for k in (0, 1)
        for i in (0, 5)
    ]
    # The ball of the second variant starts far above the first one's: the pictures differ, and change over time.
    assert {picture.shape for picture in pictures} == {(360, 480, 3)}
    assert np.abs(pictures[0] - pictures[2]).max() > 60
    assert np.abs(pictures[2] - pictures[3]).max() > 60


def test_page_without_recordings_says_so_or_runs_again(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = json.loads((folder / "result.json").read_text())
    for variant in result["scenes"][0]["variants"]:
        variant["recording"] = "lost/none.h5"
    bare = tmp_path / "result.json"
    bare.write_text(json.dumps(result))
    assert report(bare, "-o", tmp_path / "page") == 0
    page = Page(tmp_path / "page" / "index.html")
    assert "There is no recording of low." in page.text
    assert "--run makes them anew" in page.text
    assert page.images == []

    capsys.readouterr()
    assert report(bare, "-o", tmp_path / "fresh", "--run", "--json") == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["scenes"][0]["pictures"] == {"low": 6, "high": 6}
    assert "running fall high" in err

    # Another scene than that of the results is not passed off as theirs.
    other = tmp_path / "fall.toml"
    other.write_text(SCENE.replace("radius = 0.1", "radius = 0.2"))
    result["scenes"][0]["scene"] = str(other)
    bare.write_text(json.dumps(result))
    assert report(bare, "-o", tmp_path / "changed", "--run") == 0
    page = Page(tmp_path / "changed" / "index.html")
    assert "the scene or the code has changed since" in page.text
    assert page.images == []


def test_damaged_recordings_are_told(folder: Path, tmp_path: Path) -> None:
    result = json.loads((folder / "result.json").read_text())
    (tmp_path / "bad.h5").write_text("no recording")
    result["scenes"][0]["variants"][0]["recording"] = "bad.h5"
    result["scenes"][0]["variants"][1]["recording"] = str(
        folder / result["scenes"][0]["variants"][1]["recording"]
    )
    (tmp_path / "result.json").write_text(json.dumps(result))
    assert report(tmp_path / "result.json", "-o", tmp_path / "page") == 0
    page = Page(tmp_path / "page" / "index.html")
    assert "The recording of low cannot be shown" in page.text
    assert len(page.images) >= 6


def test_pages_are_replaced_only_on_request(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = make_small(folder, tmp_path)
    output = tmp_path / "page"
    assert report(bare, "-o", output) == 0
    first = (output / "index.html").read_bytes()
    capsys.readouterr()
    assert report(bare, "-o", output) == 2
    assert "give --overwrite to replace it" in capsys.readouterr().err
    assert report(bare, "-o", output, "--overwrite") == 0
    assert (output / "index.html").read_bytes() == first
    (output / "report.json").unlink()
    assert report(bare, "-o", output, "--overwrite") == 2
    assert {file.name for file in tmp_path.iterdir()} == {"result.json", "page"}


def make_small(folder: Path, place: Path, **changes: Any) -> Path:
    """Results without scenes, changed as told."""
    result = {**json.loads((folder / "result.json").read_text()), "scenes": [], **changes}
    (place / "result.json").write_text(json.dumps({k: v for k, v in result.items() if v is not Ellipsis}))
    return place / "result.json"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"made_by": "me"}, "holds no results of claims"),
        ({"format": 99}, "has the format 99"),
        ({"claims": ...}, "the claims were not judged yet"),
        ({"scenes": ...}, "does not say what was run"),
        ({"claims": [{}]}, "holds no results of claims"),
        ({"claims": 7}, "holds no results of claims"),
        ({"versions": ...}, "holds no results of claims"),
        ({"expectations": [{"value": 1, "holds": "yes"}]}, "holds no results of claims"),
    ],
)
def test_wrong_results_are_one_line(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, Any], said: str
) -> None:
    assert report(make_small(folder, tmp_path, **changes), "-o", tmp_path / "page") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert not (tmp_path / "page").exists()


@pytest.mark.parametrize("content", [None, "", "[]", "{", '"made_by"', b"\xff\xfe"])
def test_other_files_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | bytes | None
) -> None:
    file = tmp_path / "x.json"
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert report(file, "-o", tmp_path / "page") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("give what 'supple claims SCENES -o FILE' wrote")


def test_command_to_repeat_names_all_options(folder: Path, tmp_path: Path) -> None:
    setting = {"plugins": ["my plugin.py"], "disabled": ["push"], "allow_outside": True}
    result = json.loads((folder / "result.json").read_text())
    file = make_small(folder, tmp_path, setting=setting, only=["lower"], scenes=result["scenes"])
    line = claims_command(read_experiment(file))
    assert line == (
        f"supple claims {folder / 'fall.toml'} --only lower --plugin 'my plugin.py' --disable push --allow-outside"
        " -o result.json --record runs"
    )


def test_intervals_hold_the_mean_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(60):
        figure = find_mean("x", rng.normal(3.0, 2.0, 30).tolist())
        hits += figure.low <= 3.0 <= figure.high
    # 95 % of 60 is 57; fewer than 50 would come about once in a hundred thousand times.
    assert hits >= 50
    assert find_mean("x", [2.0]).low is None
    assert math.isnan(find_mean("x", []).value)
    same = find_mean("x", [0.1, 0.1, 0.1])
    assert (same.value, same.count) == (0.1, 3)
    assert (same.low, same.high) == pytest.approx((0.1, 0.1))


def test_differences_and_their_bounds_become_one_figure() -> None:
    figures = gather_figures(
        {"mean(a.b.c)": 1.0, "difference_low(x, y)": -2.0, "difference(x, y)": 0.5, "difference_high(x, y)": 3.0,
         "difference_low(u, v)": 7.0}
    )  # fmt: skip
    assert [(one.name, one.low, one.high) for one in figures] == [
        ("mean(a.b.c)", None, None), ("difference(x, y)", -2.0, 3.0), ("difference(u, v)", 7.0, None),
    ]  # fmt: skip
    assert figures[1].value == 0.5


def test_metrics_are_those_that_claims_ask_for() -> None:
    wanted = metrics_of(["mean(soft.a/b.speed) > 1 and rigid.c.drift < soft.a/b.speed", "no (expression"])
    assert wanted == ["a/b.speed", "c.drift"]


def test_html_escapes_all_but_html() -> None:
    made = tag("p", "<a>", Html("<b>x</b>"), ["&", None, 3], title='"quoted"', hidden=None)
    assert made == '<p title="&quot;quoted&quot;">&lt;a&gt;<b>x</b>&amp;3</p>'
    assert join(["<", tag("br")]) == "&lt;<br>"


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert report("--help") == 0
    assert "Example: supple report" in capsys.readouterr().out


def test_page_is_no_single_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["report", str(tmp_path / "claims.json"), "-o", str(tmp_path / "page.html")]) == 2
    assert capsys.readouterr().err.endswith("page; the page is index.html in it\n")
    assert not list(tmp_path.iterdir())
