"""The command line: exit codes, one object on standard output, one line per problem, help that is quick."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from run_toys import SCENE, Place
from supple.run.cli import COMMANDS, run_command
from supple.run.recording import open_recording

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_json_is_one_object_with_the_documented_keys(place: Place) -> None:
    summary = place.json("run", place.scene, "--seed", 3)
    wanted = {
        "scene", "variant", "seed", "steps", "time", "wall", "realtime_factor", "solver", "residual_worst",
        "residual_settled", "penetration_worst", "halved_steps", "energy", "metrics", "timings", "versions",
        "expectations",
    }  # fmt: skip
    assert wanted <= set(summary)
    assert set(summary["energy"]) == {
        "initial", "kinetic", "potential", "stored", "contact_work", "applied_work", "numerical_loss",
        "unaccounted",
    }  # fmt: skip
    assert (summary["seed"], summary["steps"], summary["time"]) == (3, 200, 2.0)
    assert set(summary["timings"][0]) == {"name", "seconds", "us_per_step"}
    assert {"supple", "python", "numpy", "numba", "platform", "plugins"} <= set(summary["versions"])


def test_json_has_no_nan(place: Place) -> None:
    # A run of one step that is the last fifth as well measures everything; an interrupted one would not.
    done = place.supple("run", place.scene, "--set", "swing.oscillator.fail_at=1", "--json")
    summary = json.loads(done.stdout, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert summary["metrics"]["swing.late"] is None


@pytest.mark.parametrize(
    # Metrics are taken after every step; the farthest is that of the first, cos(0.02).
    ("expect", "code"),
    [("above = 0.5", 0), ("below = 0.5", 1), ("equals = 0.9998000066665778\ntolerance = 1e-9", 0)],
)
def test_exit_code_tells_whether_expectations_hold(tmp_path: Path, expect: str, code: int) -> None:
    text = SCENE + f'[[expect]]\nmetric = "swing.farthest"\n{expect}\nbecause = "it starts there"\n'
    place = Place(tmp_path, text)
    done = place.supple("run", place.scene, "--json")
    assert done.returncode == code, done.stderr
    assert json.loads(done.stdout)["expectations"][0]["holds"] is (code == 0)
    assert ("does not hold: swing.farthest" in done.stderr) is (code == 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.toml"], "nothing.toml"),
        (["scene.toml", "--until", "nan"], "not a number above zero"),
        (["scene.toml", "--until", "-1"], "not a number above zero"),
        (["scene.toml", "--seed", "-1"], "--seed"),
        (["scene.toml", "--every", "1"], "--every needs --checkpoint"),
        (["scene.toml", "--fps", "1"], "--fps needs --record"),
        (["scene.toml", "--variant", "soft"], "no variant"),
        (["scene.toml", "--set", "swing.oscillator.raet=1"], "Did you mean"),
        (["scene.toml", "--resume", "no.npz"], "no such checkpoint"),
        (["scene.toml", "--resume", "scene.toml"], "not a checkpoint"),
        (["scene.toml", "--disable", "nobody"], "no plugin of this name"),
        (["scene.toml", "--recrod", "x.h5"], "Did you mean '--record'"),
        (["scene.toml", "--record", "."], "is a folder"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    place: Place,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(place.folder)
    assert run_command(["run", "--plugin", "toy.py", "--quiet", *arguments]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert len(output.err.splitlines()) == 1
    assert message in output.err


def test_failed_step_is_named_kept_and_replayed(place: Place) -> None:
    arguments = ["--set", "swing.oscillator.fail_at=123", "--checkpoint", "run.npz", "--record", "run.h5"]
    done = place.supple("run", "scene.toml", *arguments)
    assert done.returncode == 3
    assert (
        "t = 1.23 s (step 123): the spring broke [system toy.swing, entity swing, element spring[0]]"
        in done.stderr
    )
    assert "last good checkpoint: run.npz" in done.stderr
    replay = next(line for line in done.stderr.splitlines() if "replay" in line).partition(": ")[2]
    assert "--resume scene.failed.npz" in replay
    with open_recording(place.folder / "run.h5") as recording:
        assert recording.steps[-1] == 123
    again = subprocess.run(
        [sys.executable, "-m", *replay.split()], cwd=place.folder, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert again.returncode == 3
    assert "t = 1.23 s (step 123): the spring broke" in again.stderr


def test_number_that_is_not_finite_stops_the_run(place: Place) -> None:
    done = place.supple("run", "scene.toml", "--set", "swing.oscillator.burst_at=7", "--json")
    assert done.returncode == 3
    failed = json.loads(done.stdout)["failed"]
    assert (failed["step"], failed["system"]) == (7, "toy.swing")
    assert (failed["entity"], failed["element"]) == ("swing", "toy.x[0]")


def test_fault_of_a_plugin_shows_its_traceback_and_the_last_checkpoint(place: Place) -> None:
    done = place.supple(
        "run", "scene.toml", "--set", "swing.oscillator.bug_at=150", "--checkpoint", "run.npz"
    )
    assert done.returncode == 2
    assert "ZeroDivisionError: a slip of the pen" in done.stderr
    assert "plugin toy: system toy.swing raised ZeroDivisionError: a slip of the pen" in done.stderr
    assert "last checkpoint: run.npz" in done.stderr
    assert "this is a defect of supple" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM to send")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_signal_ends_the_run_in_order(place: Place, name: str) -> None:
    slow = ["--set", "swing.oscillator.dawdle=0.005", "--set", "run.duration=1000.0"]
    command = place.command(
        "run", "scene.toml", *slow, "--record", "run.h5", "--checkpoint", "run.npz", "--json"
    )
    # Tests may run under nohup, which has children ignore SIGHUP.
    inherit = signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        process = subprocess.Popen(
            command, cwd=place.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )  # fmt: skip
    finally:
        signal.signal(getattr(signal, name), inherit)
    wait_for(place.folder / "run.npz")
    process.send_signal(getattr(signal, name))
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    summary = json.loads(output)
    with open_recording(place.folder / "run.h5") as recording:
        assert recording.steps[-1] == summary["steps"]
    assert "interrupted at t =" in errors


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGHUP")
def test_run_under_nohup_outlives_its_terminal(place: Place) -> None:
    slow = ["--set", "swing.oscillator.dawdle=0.005", "--checkpoint", "run.npz", "--every", "0.05", "--quiet"]
    # What nohup does: the signal is ignored, and children inherit that.
    inherit = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = subprocess.Popen(place.command("run", "scene.toml", *slow), cwd=place.folder)
    finally:
        signal.signal(signal.SIGHUP, inherit)
    wait_for(place.folder / "run.npz")
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=60) == 0


def wait_for(path: Path, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"{path} did not appear"
        time.sleep(0.05)


def test_quiet_run_says_nothing(place: Place) -> None:
    place.supple("run", "scene.toml", "--quiet")
    done = place.supple("run", "scene.toml", "--quiet")
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_closing_table_names_metrics_with_their_units(place: Place) -> None:
    done = place.supple("run", "scene.toml")
    row = next(line for line in done.stdout.splitlines() if "swing.place" in line)
    assert row.split() == ["swing.place", f"{-0.6536436208636119:.6g}", "m"]
    assert any("toy.swing" in line for line in done.stdout.splitlines())


def test_output_into_a_closed_pipe_is_quiet(place: Place) -> None:
    command = " ".join(place.command("components", "--json"))
    done = subprocess.run(["sh", "-c", f"{command} | true"], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_unknown_command_is_told_the_nearest_in_one_sentence_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["pictures"]) == 2
    assert capsys.readouterr().err.endswith(". Did you mean 'picture'? See 'supple --help'\n")


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command([name, "--help"]) == 0
    assert f"Example: supple {name}" in " ".join(capsys.readouterr().out.split())


def test_unknown_command_lists_what_exists(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["rnu"]) == 2
    errors = capsys.readouterr().err
    assert len(errors.splitlines()) == 1
    assert "Did you mean 'run'?" in errors


def test_check_counts_or_complains(place: Place) -> None:
    done = place.supple("check", "scene.toml")
    assert done.stdout == "scene.toml: fine: 1 entity, 0 variants, 0 claims, 0 expectations\n"
    place.scene.write_text(SCENE.replace("start = 1.0", "sart = 1.0").replace("0.01", "0.0"))
    done = place.supple("check", "scene.toml")
    assert done.returncode == 2
    assert [line.split(":")[1] for line in done.stderr.splitlines()] == ["3", "7"]


CLASH = """
import supple

class Other(supple.System):
    phase = supple.Phase.ADVANCE
    reads = ("toy.x",)
    writes = ("toy.x.next",)
    def bind(self, arrays):
        return lambda: None

@supple.hookimpl
def supple_register(registry):
    registry.add_system("clash.swing", Other, when=("oscillator",))
"""


def test_schedule_shows_the_order_and_names_a_conflict(place: Place) -> None:
    entries = place.json("schedule", "scene.toml")["systems"]
    swing = next(entry for entry in entries if entry["name"] == "toy.swing")
    assert swing["phase"] == "ADVANCE"
    assert "toy.x" in swing["reads"]
    assert "toy.x.next" in swing["writes"]
    (place.folder / "clash.py").write_text(CLASH)
    done = place.supple("schedule", "scene.toml", "--plugin", "clash.py")
    assert done.returncode == 2
    assert done.stderr.startswith("toy.x.next: written by both clash.swing and toy.swing")
    assert len(done.stderr.splitlines()) == 1


def test_arrays_are_listed_with_what_they_are(place: Place) -> None:
    listed = {one["name"]: one for one in place.json("arrays", "scene.toml")["arrays"]}
    assert list(listed) == sorted(listed)
    assert {one["kind"] for one in listed.values()} == {"model", "state", "step", "record"}
    assert listed["run.time"] == {
        "name": "run.time", "kind": "state", "shape": [1], "dtype": "float64", "unit": "s",
        "doc": "Simulated time.", "labels": 0,
    }  # fmt: skip
    assert listed["toy.x"]["labels"] == 1
    assert all(one["doc"].endswith(".") for one in listed.values())
    assert [one["name"] for one in place.json("arrays", "scene.toml", "run.ti*")["arrays"]] == ["run.time"]
    assert {"run.time", "run.step"} <= {
        one["name"] for one in place.json("arrays", "scene.toml", "run")["arrays"]
    }
    done = place.supple("arrays", "scene.toml", "toy")
    shown = [line.split()[0] for line in done.stdout.splitlines() if "float64" in line or "int64" in line]
    assert shown == sorted(name for name in listed if "toy" in name)
    done = place.supple("arrays", "scene.toml", "run.tim_")
    assert done.returncode == 2
    assert done.stderr.startswith("run.tim_: no array of this scene has such a name")
    assert "Did you mean 'run.time'?" in done.stderr


def test_arrays_of_a_bad_scene_are_one_error(place: Place) -> None:
    place.scene.write_text(SCENE.replace("start = 1.0", "sart = 1.0"))
    done = place.supple("arrays", "scene.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("scene.toml:7: ")
    assert len(done.stderr.splitlines()) == 1
    assert place.supple("arrays", "none.toml").returncode == 2


def test_listings_know_a_one_file_plugin(place: Place) -> None:
    plugins = {one["name"]: one for one in place.json("plugins")["plugins"]}
    assert plugins["toy"]["adds"] == {"components": ["oscillator"], "systems": ["toy.swing"]}
    components = place.json("components", "oscillator")["components"]
    assert [one["kind"] for one in components] == ["oscillator"]
    systems = {one["name"]: one for one in place.json("systems")["systems"]}
    assert systems["toy.swing"] == {
        "name": "toy.swing",
        "plugin": "toy",
        "phase": "ADVANCE",
        "when": ["oscillator"],
    }
    schema = json.loads(place.supple("schema").stdout)
    assert "oscillator" in json.dumps(schema)


def test_warmup_says_what_it_did(place: Place) -> None:
    place.supple("warmup", "scene.toml")
    done = place.supple("warmup", "scene.toml")
    assert "all kernels were compiled already" in done.stderr
