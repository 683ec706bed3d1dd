"""The report at the end of a run: short, and all of it on request."""

from __future__ import annotations

from pathlib import Path

import pytest

from supple.run.cli import run_command
from supple.run.closing import SHORT, choose_metrics

DROP = str(Path(__file__).resolve().parents[2] / "scenes" / "first" / "drop.toml")
METRICS = {f"thing{k}.height": 0.1 * k for k in range(30)} | {
    "a.penetration": 1e-13, "b.penetration": 0.0, "c.penetration": 1e-3, "run.contacts": 2.0,
}  # fmt: skip


def names(rows: list[tuple[str, str, str]]) -> list[str]:
    return [row[0] for row in rows]


def test_a_run_fits_a_screen(capsys: pytest.CaptureFixture[str]) -> None:
    run_command(["run", DROP, "--until", "0.1"])
    short = capsys.readouterr().out.splitlines()
    assert len(short) <= 50
    assert next(k for k, line in enumerate(short) if "expectation" in line) < 5
    assert not any("us/step" in line for line in short)
    run_command(["run", DROP, "--until", "0.1", "--verbose"])
    long = capsys.readouterr().out
    assert "us/step" in long
    assert "pill.travel" in long


def test_round_off_is_folded_and_depth_is_not() -> None:
    rows = names(choose_metrics(METRICS, {}, (), False))
    assert "c.penetration" in rows
    assert "2 x penetration, each below" in rows
    assert len(rows) == SHORT + 2
    assert "run.contacts" not in rows


def test_patterns_choose_and_say_when_nothing_fits() -> None:
    assert names(choose_metrics(METRICS, {}, ("*.penetration", "run.*"), False)) == [
        "a.penetration", "b.penetration", "c.penetration", "run.contacts",
    ]  # fmt: skip
    ((told, _, _),) = choose_metrics(METRICS, {}, ("rum.*",), False)
    assert told.startswith("no metric matches rum.*; there are: a.*, ")
    assert told.endswith("Did you mean 'run.*'?")
    assert names(choose_metrics(METRICS, {}, ("run.*", "rum.*"), False)) == ["run.contacts", told]


def test_all_are_shown_on_request() -> None:
    assert len(choose_metrics(METRICS, {}, (), True)) == 33
