"""Recordings: what is written is read back, equal runs give equal files, damaged files give one line."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from run_toys import SCENE, Place
from supple.errors import UserError
from supple.run.atomic import temporary_beside
from supple.run.file_lock import FileLock
from supple.run.recording import open_recording
from supple.run.recording_layout import make_header, steps_per_frame
from supple.run.recording_writer import RecordingWriter
from supple.run.runner import NEVER
from supple.run.simulate import simulate
from toy_worlds import make_world


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_recording_holds_every_frame_of_the_run(place: Place) -> None:
    file = place.folder / "run.h5"
    simulate(place.options(record=file, fps=50.0, until=1.5))
    with open_recording(file) as recording:
        assert recording.steps.tolist() == list(range(0, 151, 2))
        np.testing.assert_array_equal(recording.times, recording.steps * 0.01)
        # The oscillator is integrated exactly, so that the closed form is the oracle.
        expected = np.cos(2.0 * recording.times)
        np.testing.assert_allclose(recording.array("toy.x")[:, 0], expected, atol=1e-12)
        assert recording.labels("toy.x") == ("swing",)
        assert (recording.unit("toy.x"), recording.doc("toy.x")) == ("m", "Positions.")
        assert "toy.v" not in recording.names


def test_recording_keeps_only_the_rows_in_use(place: Place) -> None:
    file = place.folder / "run.h5"
    simulate(place.options(record=file))
    with open_recording(file) as recording:
        assert recording.is_ragged("toy.spark")
        assert len(recording.offsets("toy.spark")) == recording.frames + 1
        for frame, step in enumerate(recording.steps):
            made_in = step - 1
            wanted = [(made_in, k) for k in range(made_in % 4)] if step else []
            assert recording.rows("toy.spark", frame).tolist() == [list(row) for row in wanted]
        total = sum((step - 1) % 4 for step in recording.steps[1:])
        assert recording.array("toy.spark").shape == (total, 2)
        assert set(recording.frame(-1)) == set(recording.names)


def test_recording_names_its_origin_but_not_the_folder(place: Place) -> None:
    file = place.folder / "run.h5"
    simulate(place.options(record=file, seed=7, overrides=("swing.oscillator.rate=3.0",)))
    with open_recording(file) as recording:
        header = recording.header
    assert (header.scene, header.seed, header.h, header.every) == ("scene.toml", 7, 0.01, 1)
    assert header.text == SCENE
    assert header.overrides == ["swing.oscillator.rate=3.0"]
    assert {"supple", "numpy", "numba", "plugins"} <= set(header.versions)
    assert str(place.folder).encode() not in file.read_bytes()


def test_equal_runs_give_equal_files(place: Place) -> None:
    for name in ("a.h5", "b.h5"):
        simulate(place.options(record=place.folder / name))
    assert (place.folder / "a.h5").read_bytes() == (place.folder / "b.h5").read_bytes()


def test_order_of_entities_does_not_matter(place: Place) -> None:
    second = '[[entity]]\nname = "other"\noscillator = { start = 0.3 }\n'
    head, tail = SCENE.split("[[entity]]")
    arrays = []
    for number, text in enumerate((SCENE + second, head + second + "[[entity]]" + tail)):
        place.scene.write_text(text)
        file = place.folder / f"{number}.h5"
        simulate(place.options(record=file))
        with open_recording(file) as recording:
            arrays.append({name: recording.array(name) for name in recording.names})
    assert arrays[0].keys() == arrays[1].keys()
    for name, values in arrays[0].items():
        np.testing.assert_array_equal(values, arrays[1][name])


def test_finished_recording_opens_as_plain_hdf5(place: Place) -> None:
    file = place.folder / "run.h5"
    simulate(place.options(record=file))
    with h5py.File(file, "r") as plain:
        assert plain["time"].shape == (201,)
        assert plain["arrays/toy.x"].shape == (201, 1)
        assert plain["frames"][0] == 201


def test_recording_can_be_read_by_another_process_while_it_is_written(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("supple.run.recorder.FLUSH_SECONDS", 0.0)

    class Reader:
        """Looks at the recording from outside, at steps 0 and 100."""

        seen: list[object]

        def __init__(self) -> None:
            self.seen = []

        def note(self, text: str) -> None: ...
        def compiling(self, owner: str) -> None: ...
        def begin(self, world: object, last: int) -> None: ...
        def end(self) -> None: ...

        def observe(self, world: object) -> int:
            found = place.json_of(sys.executable, "-m", "supple", "info", file, "--json")
            self.seen.append((found["frames"], found["span"]))
            return 100 if world.steps < 100 else NEVER  # type: ignore[attr-defined]

    file, reader = place.folder / "run.h5", Reader()
    simulate(place.options(record=file, until=1.2), reader)
    # Every frame is flushed at once; the one of the present step comes behind the look at it, or before.
    frames, (first, last) = reader.seen[1]
    assert 100 <= frames <= 101
    assert (first, last) == pytest.approx((0.0, (frames - 1) * 0.01))


def test_resumed_recording_starts_at_the_checkpoint_when_there_is_no_earlier_one(place: Place) -> None:
    checkpoint, file = place.folder / "half.npz", place.folder / "rest.h5"
    simulate(place.options(checkpoint=checkpoint, until=1.0))
    simulate(place.options(resume=checkpoint, record=file))
    with open_recording(file) as recording:
        assert recording.steps.tolist() == list(range(100, 201))


def test_resuming_into_a_recording_with_a_gap_is_refused(place: Place) -> None:
    checkpoint, file = place.folder / "half.npz", place.folder / "run.h5"
    simulate(place.options(record=file, until=0.5))
    simulate(place.options(checkpoint=checkpoint, until=1.0))
    before = file.read_bytes()
    with pytest.raises(UserError, match="ends at step 50, before the checkpoint at step 100"):
        simulate(place.options(resume=checkpoint, record=file))
    assert file.read_bytes() == before


def test_resuming_into_the_recording_of_another_scene_is_refused(place: Place) -> None:
    checkpoint, file = place.folder / "half.npz", place.folder / "run.h5"
    simulate(place.options(record=file, overrides=("swing.oscillator.rate=5.0",)))
    simulate(place.options(checkpoint=checkpoint, until=1.0))
    with pytest.raises(UserError, match="recording of another scene"):
        simulate(place.options(resume=checkpoint, record=file))


def test_a_file_that_is_no_recording_is_never_overwritten(place: Place) -> None:
    with pytest.raises(UserError, match="exists and is not a recording"):
        simulate(place.options(record=place.scene))
    assert place.scene.read_text() == SCENE
    assert sorted(path.name for path in place.folder.iterdir() if "part" in path.name) == []


def test_folder_that_does_not_exist_is_named(place: Place) -> None:
    with pytest.raises(UserError, match=r"no folder .*nowhere"):
        simulate(place.options(record=place.folder / "nowhere" / "run.h5"))


def make_foreign(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file["x"] = 1.0


def make_newer(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file.attrs["made_by"], file.attrs["format"] = "supple recording", 99


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path.write_bytes(b""), "not an HDF5 file"),
        (lambda path: path.write_text("hello" * 1000), "not an HDF5 file"),
        (make_foreign, "no recording of supple"),
        (make_newer, "has the recording format 99"),
        (lambda path: None, "no such recording"),
    ],
)
def test_foreign_files_give_one_line(tmp_path: Path, make: object, message: str) -> None:
    path = tmp_path / "strange.h5"
    make(path)  # type: ignore[operator]
    with pytest.raises(UserError, match=message) as caught:
        open_recording(path)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("part", [0.05, 0.2, 0.5, 0.9, 0.999])
def test_truncated_recording_gives_one_line_or_whole_frames(place: Place, part: float) -> None:
    file = place.folder / "run.h5"
    simulate(place.options(record=file))
    content = file.read_bytes()
    file.write_bytes(content[: int(len(content) * part)])
    try:
        with open_recording(file) as recording:
            x = recording.array("toy.x")[:, 0]
            np.testing.assert_allclose(x, np.cos(2.0 * recording.times), atol=1e-12)
    except UserError as error:
        assert len(str(error).splitlines()) == 1


def test_unknown_array_is_named_with_its_neighbours(place: Place) -> None:
    file = place.folder / "run.h5"
    simulate(place.options(record=file, until=0.1))
    with open_recording(file) as recording, pytest.raises(UserError, match=r"Did you mean 'toy\.x'"):
        recording.array("toy.xx")


def test_frames_per_second_become_whole_steps() -> None:
    assert steps_per_frame(100, 0.01) == 1
    assert steps_per_frame(25, 0.01) == 4
    assert steps_per_frame(1e6, 0.01) == 1


def test_world_with_empty_arrays_is_recorded(tmp_path: Path) -> None:
    def declare(build: object) -> None:
        build.add_state("toy.none", np.zeros((0, 3)), unit="m", doc="Nothing.", record=True)  # type: ignore[attr-defined]

    world = make_world({}, declare)
    header = make_header(world.blueprint, every=1, versions={}, overrides=[])
    writer = RecordingWriter(tmp_path / "run.h5", header, world)
    block = {spec.name: np.zeros((2, *spec.shape)) for spec in writer.specs}
    writer.append(np.array([0, 1]), np.array([0.0, 0.1]), block, {})
    writer.close()
    with open_recording(tmp_path / "run.h5") as recording:
        assert recording.array("toy.none").shape == (2, 0, 3)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda file, other: file.__setitem__("arrays/there", h5py.ExternalLink(str(other), "/x")),
            "leads elsewhere",
        ),
        (lambda file, other: file.__setitem__("arrays/there", h5py.SoftLink("/time")), "leads elsewhere"),
        (
            lambda file, other: file.create_dataset(
                "arrays/there", (8,), np.uint8, external=[(str(other), 0, h5py.h5f.UNLIMITED)]
            ),
            "elsewhere, or packed",
        ),
        (
            lambda file, other: file.create_dataset("arrays/there", (10**12,), np.float64, chunks=(1024,)),
            "more than the file has",
        ),
        (
            lambda file, other: file.create_dataset("arrays/there", data=np.zeros(10**6), compression="gzip"),
            "elsewhere, or packed",
        ),
        (lambda file, other: file.create_group("arrays/a/b"), "lies too deep"),
        (lambda file, other: file.__setitem__("arrays/there", np.dtype("f8")), "holds no numbers"),
        (
            lambda file, other: file.create_dataset(
                "arrays/there", data=["a" * 1000] * 9, dtype=h5py.string_dtype()
            ),
            "holds no numbers",
        ),
        (
            lambda file, other: file.create_dataset(
                "arrays/there", data=np.zeros(10**6, np.int64), scaleoffset=0
            ),
            "elsewhere, or packed",
        ),
    ],
)
def test_a_recording_leads_nowhere_and_does_not_grow_when_read(
    place: Place, spoil: Any, message: str
) -> None:
    file, other = place.folder / "run.h5", place.folder / "secret"
    other.write_bytes(b"12345678")
    simulate(place.options(record=file, until=0.2))
    with h5py.File(file, "r+") as spoilt:
        spoil(spoilt, other)
    with pytest.raises(UserError, match=message) as caught:
        open_recording(file)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="files are not limited in size there")
def test_a_full_disk_ends_a_run_with_one_line_and_keeps_what_was_written(place: Place) -> None:
    limit = (
        "import resource, runpy, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (900_000, 900_000)); sys.argv[0] = 'supple';"
        "runpy.run_module('supple', run_name='__main__')"
    )
    words = [
        "run",
        "--plugin",
        place.plugin,
        place.scene,
        "--record",
        "run.h5",
        "--quiet",
        "--set",
        "run.duration=400",
    ]
    done = subprocess.run(
        [sys.executable, "-c", limit, *map(str, words)],
        cwd=place.folder, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (
        2,
        "run.h5: cannot be written: File too large; choose another place\n",
    )
    with open_recording(place.folder / "run.h5") as recording:
        assert recording.frames > 1000
        np.testing.assert_allclose(recording.array("toy.x")[:, 0], np.cos(2.0 * recording.times), atol=1e-9)


def test_a_folder_without_locks_is_no_reason_not_to_run(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")

    def refuse(file: Any, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    simulate(place.options(record=place.folder / "run.h5", until=0.1))
    assert (place.folder / "run.h5").is_file()


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_that_lies_in_wait_for_a_recording_is_not_followed(place: Place) -> None:
    victim, file = place.folder / "victim", place.folder / "run.h5"
    victim.write_text("mine")
    world = make_world({}, lambda build: None)
    header = make_header(world.blueprint, every=1, versions={}, overrides=[])
    # Not by `simulate`, whose lock clears away what looks like a killed run's: the link may come after it.
    temporary_beside(file).symlink_to(victim)
    RecordingWriter(file, header, world).close()
    assert victim.read_text() == "mine"
    assert not file.is_symlink()


def test_two_runs_do_not_write_one_file(place: Place) -> None:
    file = place.folder / "run.h5"
    left = place.folder / ".run.h5.123.part"
    left.touch()
    lock = FileLock(file)
    assert not left.exists()
    with pytest.raises(UserError, match="is being written by another run"):
        simulate(place.options(record=file, until=0.1))
    with pytest.raises(UserError, match="both the recording and the checkpoint"):
        simulate(place.options(record=file, checkpoint=file, until=0.1))
    lock.release()
    simulate(place.options(record=file, until=0.1))
    simulate(place.options(record=file, until=0.1))
