"""Checkpoints: atomic, complete, refused when they belong elsewhere, harmless when damaged."""

from __future__ import annotations

import io
import json
import math
import os
import pickle
import re
import signal
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from run_toys import SCENE, Place
from supple.errors import ExitCode, UserError
from supple.run.atomic import replacing
from supple.run.checkpoint import read_checkpoint
from supple.run.difference import describe_difference
from supple.run.recording import open_recording
from supple.run.simulate import RunOptions, simulate


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize("cut", [0.01, 0.37, 1.0, 1.99, 2.0])
def test_resumed_run_is_bit_identical(place: Place, cut: float) -> None:
    whole, part = place.folder / "whole.npz", place.folder / "part.npz"
    done = simulate(place.options(checkpoint=whole, record=place.folder / "whole.h5"))
    # Interrupted, not ended earlier: the length of the run decides which part of it counts as settled.
    interrupt_at(place, round(cut / 0.01), checkpoint=part, record=place.folder / "part.h5")
    assert read_checkpoint(part).about.step == round(cut / 0.01)
    rest = simulate(place.options(resume=part, checkpoint=part, record=place.folder / "part.h5"))
    assert rest.summary["metrics"] == done.summary["metrics"]
    assert part.read_bytes() == whole.read_bytes()
    with open_recording(place.folder / "whole.h5") as one, open_recording(place.folder / "part.h5") as other:
        assert one.names == other.names
        np.testing.assert_array_equal(one.steps, other.steps)
        for name in one.names:
            np.testing.assert_array_equal(one.array(name), other.array(name))


def interrupt_at(place: Place, step: int, **options: object) -> None:
    """Run until a signal arrives at this step."""

    class Interrupter:
        def note(self, text: str) -> None: ...
        def compiling(self, owner: str) -> None: ...
        def begin(self, world: object, last: int) -> None: ...
        def end(self) -> None: ...

        def observe(self, world: object) -> int:
            if world.steps == step:  # type: ignore[attr-defined]
                os.kill(os.getpid(), signal.SIGTERM)
            return world.steps + 1  # type: ignore[attr-defined,no-any-return]

    result = simulate(place.options(**options), Interrupter())
    assert result.exit_code is ExitCode.INTERRUPTED


def test_longer_run_starts_the_settled_figures_anew(place: Place) -> None:
    checkpoint = place.folder / "short.npz"
    simulate(place.options(checkpoint=checkpoint, until=1.0))
    resumed = simulate(place.options(resume=checkpoint))
    whole = simulate(place.options())
    assert resumed.summary["metrics"] == whole.summary["metrics"]


DRIFTING = """\
format = 1
[run]
step = 0.01
duration = 1.0
gravity = [0, 0, 0]
[[entity]]
name = "ball"
sphere = { radius = 0.1 }
body = { velocity = [1, 0, 0] }
"""


def test_figures_of_the_last_half_are_those_of_the_longer_run_or_unknown(tmp_path: Path) -> None:
    scene, path = tmp_path / "ball.toml", tmp_path / "ball.npz"
    scene.write_text(DRIFTING)
    simulate(RunOptions(scene, checkpoint=path, until=0.4))
    longer = simulate(RunOptions(scene, resume=path))
    assert longer.summary["metrics"] == simulate(RunOptions(scene)).summary["metrics"]
    assert longer.summary["metrics"]["ball.drift"] == pytest.approx(0.5)
    # The half began at 0.3 s, and 0.1 s of it had passed before anybody knew.
    late = simulate(RunOptions(scene, resume=path, until=0.6))
    assert math.isnan(late.summary["metrics"]["ball.drift"])


def test_checkpoints_come_at_multiples_of_every(place: Place) -> None:
    seen = []

    class Watcher:
        def note(self, text: str) -> None: ...
        def compiling(self, owner: str) -> None: ...
        def begin(self, world: object, last: int) -> None: ...
        def end(self) -> None: ...

        def observe(self, world: object) -> int:
            if file.exists():
                seen.append(read_checkpoint(file).about.step)
            return world.steps + 1  # type: ignore[attr-defined,no-any-return]

    file = place.folder / "run.npz"
    simulate(place.options(checkpoint=file, every=0.3, until=1.0), Watcher())
    assert sorted(set(seen)) == [30, 60, 90]
    assert read_checkpoint(file).about.step == 100


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"overrides": ("swing.oscillator.rate=3.0",)}, r"swing.oscillator.rate is 2\.0 there and 3\.0 here"),
        ({"seed": 4}, "seed is 0 there and 4 here"),
        ({"overrides": ("run.step=0.02",)}, r"run\.step is 0\.01 there and 0\.02 here"),
        ({"until": 0.5}, "after the end of the run"),
    ],
)
def test_checkpoint_of_another_scene_is_refused(
    place: Place, changes: dict[str, object], message: str
) -> None:
    checkpoint = place.folder / "run.npz"
    simulate(place.options(checkpoint=checkpoint, until=1.0))
    with pytest.raises(UserError, match=message) as caught:
        simulate(place.options(resume=checkpoint, **changes))
    assert len(str(caught.value).splitlines()) == 1


def test_differences_are_named_by_their_path() -> None:
    here = {"entities": {"a": {"box": {"size": 1}}}, "run": {"duration": 1.0, "step": 0.1}}
    there = {"entities": {"a": {"box": {"size": 1}}, "b": {}}, "run": {"duration": 9.0, "step": 0.1}}
    assert describe_difference(here, there) == "b is only in it"
    assert describe_difference(there, here) == "b is not in it"
    assert describe_difference(here, {**here, "run": {"duration": 2.0, "step": 0.1}}) == ""


def test_broken_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def break_off() -> None:
        with replacing(path) as file:
            file.write(b"new, but only half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_scene_is_not_overwritten_by_a_checkpoint(place: Place) -> None:
    with pytest.raises(UserError, match="exists and is not a checkpoint"):
        simulate(place.options(checkpoint=place.scene))
    assert place.scene.read_text() == SCENE


class Trap:
    """Unpickling it leaves a trace."""

    def __reduce__(self) -> tuple[object, ...]:
        return (os.mkdir, (os.environ["TRAP"],))


def test_checkpoint_cannot_run_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAP", str(tmp_path / "sprung"))
    pickled = np.empty(1, dtype=object)
    pickled[0] = Trap()
    np.savez(tmp_path / "a.npz", about=pickled)
    (tmp_path / "b.npz").write_bytes(pickle.dumps(Trap()))
    for name in ("a.npz", "b.npz"):
        with pytest.raises(UserError, match="not a checkpoint"):
            read_checkpoint(tmp_path / name)
    assert not (tmp_path / "sprung").exists()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    place = Place(tmp_path_factory.mktemp("whole"))
    simulate(place.options(checkpoint=place.folder / "run.npz", until=0.2))
    return (place.folder / "run.npz").read_bytes()


@given(data=st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_checkpoint_gives_one_line(whole: bytes, tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(whole)
    if data.draw(st.booleans(), "cut"):
        del content[data.draw(st.integers(0, len(content) - 1), "length") :]
    else:
        for _ in range(data.draw(st.integers(1, 4), "flips")):
            content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    path = tmp_path / "damaged.npz"
    path.write_bytes(content)
    try:
        damaged = read_checkpoint(path)
    except UserError as error:
        assert len(str(error).splitlines()) == 1
        return
    # Bytes that carry no meaning may change; the numbers must not.
    path.write_bytes(whole)
    sound = read_checkpoint(path)
    for name, values in damaged.state.items():
        np.testing.assert_array_equal(values, sound.state[name])


def test_newer_format_is_refused(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "new.npz"
    about = b'{"made_by": "supple checkpoint", "format": 99}'
    np.savez(path, about=np.frombuffer(about, np.uint8))
    with pytest.raises(UserError, match="has the checkpoint format 99"):
        read_checkpoint(path)
    assert zipfile.is_zipfile(path)


def change(path: Path, **changes: object) -> None:
    """Write a checkpoint anew with other contents: arrays by name, `about` by its entries."""
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    about = json.loads(arrays.pop("about").tobytes())
    for name, value in changes.items():
        key = "state/" + name.replace("__", ".")
        if key in arrays:
            arrays[key] = np.asarray(value, arrays[key].dtype)
        else:
            about[name] = value
    np.savez(path, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **arrays)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"step": "ten"}, "step is str, not int"),
        ({"planned_steps": None}, "planned_steps is NoneType"),
        ({"step": True}, "step is bool"),
        ({"plain": []}, "plain is list"),
        ({"run__step": [7]}, "says step 20, its state says 7"),
        ({"toy__x": [math.nan]}, "toy.x: is not finite"),
        ({"toy__x": [1.0, 2.0]}, "toy.x: shape"),
    ],
)
def test_crafted_checkpoint_gives_one_line(place: Place, changes: dict[str, object], message: str) -> None:
    path = place.folder / "run.npz"
    simulate(place.options(checkpoint=path, until=0.2))
    change(path, **changes)
    with pytest.raises(UserError, match=re.escape(message)) as caught:
        simulate(place.options(resume=path, until=0.2))
    assert len(str(caught.value).splitlines()) == 1


CONTACTS = """\
format = 1
[run]
step = 0.01
duration = 0.1
[[entity]]
name = "floor"
plane = {}
[[entity]]
name = "box"
pose = { position = [0, 0.1, 0] }
box = { size = [0.2, 0.2, 0.2] }
body = {}
phases = { start = "a", phase = { a = { duration = 1, next = "b" }, b = { duration = 1, next = "a" } } }
"""


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("rows__last_count", [10**9], "rows in use"),
        ("rows__last_count", [-1], "rows in use"),
        ("contact__last_count", [2**40], "rows in use"),
        ("run__room", [2**40], "room for"),
        ("run__room", [-5], "room for"),
        ("phases__current", [10**6], "phases.current"),
    ],
)
def test_counts_and_rows_from_outside_are_checked(
    tmp_path: Path, name: str, value: list[int], message: str
) -> None:
    scene, path = tmp_path / "box.toml", tmp_path / "box.npz"
    scene.write_text(CONTACTS)
    simulate(RunOptions(scene, checkpoint=path, until=0.05))
    change(path, **{name: value})
    with pytest.raises(UserError, match=message):
        simulate(RunOptions(scene, resume=path, until=0.05))


def test_a_small_file_does_not_become_a_large_state(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    about = np.frombuffer(b'{"made_by": "supple checkpoint", "format": 1}', np.uint8)
    np.savez_compressed(path, about=about, **{"state/x": np.zeros(1 << 20)})
    with pytest.raises(UserError, match="it is packed"):
        read_checkpoint(path)


def test_a_header_that_announces_more_than_there_is_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "header.npz"
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"shape": (10**12,), "fortran_order": False, "descr": "<f8"})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("about.npy", file.getvalue() + bytes(80))
    with pytest.raises(UserError, match="does not hold the numbers"):
        read_checkpoint(path)


def test_a_reader_that_quotes_a_damaged_file_at_length_is_cut(place: Place) -> None:
    """zipfile shows the whole of a name that is not the one of the directory."""
    file = place.folder / "state.npz"
    name = "a" * 60_000
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("about.npy", b"")
        archive.writestr(name, b"")
    file.write_bytes(file.read_bytes().replace(b"about.npy", b"about.np\xff", 1))
    with pytest.raises(UserError) as caught:
        read_checkpoint(file)
    assert len(str(caught.value)) < 600
