"""Pictures of recordings: what is in front is seen, shadows fall, labels and layers obey, all of it repeatable."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from made_recordings import write_recording
from supple.core.drawing import Carried, Channel, Drawing, Lines, Mesh, Placed, Solid
from supple.errors import UserError
from supple.run.recording import open_recording
from supple.run.stage import Stage
from supple_picture.camera import MARGIN, Camera, frame_stage, framed_things
from supple_picture.labels import label
from supple_picture.look import plan_look
from supple_picture.render import Renderer, render_frame
from supple_picture.shot import Viewpoint, pick_evenly, pick_film, plan_shot
from supple_picture.strip import GAP, render_strip

SIZE = (160, 120)
RED, BLUE = (0.9, 0.05, 0.05), (0.05, 0.05, 0.9)
FLOOR = Drawing("floor.plane", "floor", "ground", Solid("plane", (0.0, 0.0, 0.0)))
FRONT = Camera(np.array([0.0, 1.0, 6.0]), np.array([0.0, 1.0, 0.0]), 40.0)


def box(
    name: str, half: float, at: tuple[float, float, float], colour=None, layer: str = "bodies"
) -> Drawing:
    return Drawing(f"{name}.box", name, layer, Solid("box", (half, half, half)), Placed(at), colour)


@contextmanager
def staged(tmp_path: Path, drawings: list[Drawing], **more) -> Iterator[Stage]:
    with open_recording(write_recording(tmp_path / "made.h5", drawings, **more)) as recording:
        yield Stage(recording)


def reddish(image: np.ndarray) -> np.ndarray:
    red, green, blue = (image[..., k].astype(int) for k in range(3))
    return (red > 2 * green) & (red > 2 * blue)


def bluish(image: np.ndarray) -> np.ndarray:
    return reddish(image[..., ::-1])


def test_a_box_hides_what_is_behind_it_and_nothing_else(tmp_path: Path) -> None:
    small, wall = box("small", 0.3, (0, 1, -2), RED), box("wall", 1.0, (0, 1, 0), BLUE)
    with staged(tmp_path, [small, wall]) as stage:
        image = render_frame(stage, 0, FRONT, SIZE)
        assert not reddish(image).any()
        behind = render_frame(stage, 0, Camera(np.array([0.0, 1.0, -8.0]), FRONT.target, 40.0), SIZE)
        assert reddish(behind)[60, 80]
        assert bluish(behind).any()


def test_a_square_fills_the_pixels_that_geometry_says(tmp_path: Path) -> None:
    square = Drawing("a", "a", "bodies", Mesh("m.x", "m.t", flat=True), colour=RED)
    corners = np.array([[-1, 0.0, 0], [1, 0.0, 0], [1, 2.0, 0], [-1, 2.0, 0]])
    model = {"m.x": corners, "m.t": [[0, 1, 2], [0, 2, 3]]}
    with staged(tmp_path, [square], model=model) as stage:
        red = reddish(render_frame(stage, 0, FRONT, SIZE))
    rows, columns = np.nonzero(red)
    expected = FRONT.project(corners, SIZE)
    assert columns.min() == pytest.approx(expected[:, 0].min(), abs=1)
    assert columns.max() + 1 == pytest.approx(expected[:, 0].max(), abs=1)
    assert rows.min() == pytest.approx(expected[:, 1].min(), abs=1)
    assert rows.max() + 1 == pytest.approx(expected[:, 1].max(), abs=1)


def test_ground_is_darker_where_the_sun_is_hidden(tmp_path: Path) -> None:
    camera = Camera(np.array([0.0, 3.0, 6.0]), np.array([0.0, 0.0, 0.0]), 40.0)
    with staged(tmp_path, [FLOOR, box("crate", 0.5, (0, 1.5, 0))]) as stage:
        lit = render_frame(stage, 0, camera, SIZE, plan_look(stage, [0], hidden=["shadow"])).mean(axis=2)
        shaded = render_frame(stage, 0, camera, SIZE).mean(axis=2)
    # The sun stands 48 degrees to the left of the eye and 52 degrees up: the middle of the shadow is known.
    sun = np.array([-np.cos(np.radians(52)) * np.sin(np.radians(48)), np.sin(np.radians(52)),
                    np.cos(np.radians(52)) * np.cos(np.radians(48))])  # fmt: skip
    place = np.array([0, 1.5, 0]) - 1.5 / sun[1] * sun
    column, row, _ = camera.project(place[None], SIZE)[0]
    assert shaded[int(row), int(column)] < 0.85 * lit[int(row), int(column)]
    mirrored = place * np.array([-2.0, 1.0, 1.0])
    column, row, _ = camera.project(mirrored[None], SIZE)[0]
    assert shaded[int(row), int(column)] == pytest.approx(lit[int(row), int(column)], abs=1)


def test_ground_hides_what_lies_below_it_and_fades_into_the_background(tmp_path: Path) -> None:
    camera = Camera(np.array([0.0, 2.0, 6.0]), np.zeros(3), 40.0)
    drawings = [FLOOR, box("buried", 0.2, (0, -0.5, 0), RED), box("crate", 0.2, (1, 0.2, 0), BLUE)]
    with staged(tmp_path, drawings) as stage:
        image = render_frame(stage, 0, camera, SIZE)
        bare = render_frame(stage, 0, camera, SIZE, plan_look(stage, [0], hidden=["ground"]))
    assert not reddish(image).any()
    assert reddish(bare).any()
    np.testing.assert_array_equal(image[0], bare[0])


def test_layers_can_be_hidden_and_unknown_ones_are_refused(tmp_path: Path) -> None:
    with staged(
        tmp_path, [box("a", 0.5, (0, 1, 0), RED, "skin"), box("b", 0.3, (0, 1, 0), BLUE, "bones")]
    ) as stage:
        assert not bluish(render_frame(stage, 0, FRONT, SIZE)).any()
        bones = render_frame(stage, 0, FRONT, SIZE, plan_look(stage, [0], hidden=["skin"]))
        assert bluish(bones).any()
        assert not reddish(bones).any()
        with pytest.raises(UserError, match=r"--hide skni: nothing of this name.*Did you mean 'skin'"):
            plan_look(stage, [0], hidden=["skni"])


def test_a_layer_shines_through_what_hides_it_and_only_there(tmp_path: Path) -> None:
    """A tube within a box: seen where geometry puts it, in its own hue; all other pixels stay as they were."""
    tube = Drawing("tube", "tube", "muscles", Lines("l.x", "l.s", 0.3), colour=RED)
    model = {"l.x": [[-0.5, 1, 0], [0.5, 1, 0]], "l.s": [[0, 1]]}
    with staged(tmp_path, [FLOOR, tube, box("crate", 0.9, (0, 1, 0), BLUE)], model=model) as stage:
        plain = render_frame(stage, 0, FRONT, SIZE)
        through = render_frame(stage, 0, FRONT, SIZE, plan_look(stage, [0], through=["muscles"]))
        bare = render_frame(stage, 0, FRONT, SIZE, plan_look(stage, [0], hidden=["bodies"]))
        hidden = plan_look(stage, [0], hidden=["muscles"], through=["muscles"])
        assert not (render_frame(stage, 0, FRONT, SIZE, hidden) != plain).any()
    changed = (through != plain).any(axis=2)
    assert not reddish(plain).any()
    red, blue = through[changed][:, 0].astype(int), through[changed][:, 2].astype(int)
    assert changed.any()
    # Light is mixed, three parts of red with one of blue; at the rim, with more of it.
    assert (red > blue).mean() > 0.8
    rows, columns = np.nonzero(changed)
    there = np.nonzero(reddish(bare))
    for found, wanted in zip((rows, columns), there, strict=True):
        assert abs(found.min() - wanted.min()) <= 1
        assert abs(found.max() - wanted.max()) <= 1


def test_channel_colours_follow_the_values(tmp_path: Path) -> None:
    square = Drawing(
        "a", "a", "skin", Mesh("m.x", "m.t"), channel=Channel("m.c", 0.0, 10.0, "Pa", "Pressure")
    )
    corners = [[-1, 0.0, 0], [1, 0.0, 0], [1, 2.0, 0], [-1, 2.0, 0]]
    values = [[0.0] * 4, [10.0] * 4, [0.0, 10.0, 10.0, 0.0]]
    model = {"m.x": corners, "m.t": [[0, 1, 2], [0, 2, 3]]}
    with staged(tmp_path, [square], times=[0, 1, 2], arrays={"m.c": values}, model=model) as stage:
        low, high, mixed = (render_frame(stage, frame, FRONT, SIZE)[60].mean(axis=1) for frame in range(3))
        look = plan_look(stage, [0])
        plain = render_frame(stage, 0, FRONT, SIZE, look)
        # The scale stands in the lower right corner.
        changed = (label(plain, stage, 0, FRONT, look) != plain).any(axis=2)
    assert low[80] > high[80] + 60
    assert mixed[60] > mixed[80] > mixed[100]
    assert changed[80:, 80:].any()


def test_contact_forces_are_arrows_that_can_be_hidden(tmp_path: Path) -> None:
    drawings = [FLOOR, box("crate", 0.5, (0, 0.5, 0), BLUE)]
    contacts = [[], [((0.5, 0, 0.5), (0.5, 0, 0.5), (0, 80.0, 0))]]
    with staged(tmp_path, drawings, times=[0, 1], contacts=contacts) as stage:
        pictures = [render_frame(stage, frame, FRONT, SIZE, plan_look(stage, [0, 1])) for frame in (0, 1)]
        assert [reddish(image).any() for image in pictures] == [False, True]
        hidden = render_frame(stage, 1, FRONT, SIZE, plan_look(stage, [1], hidden=["contacts"]))
        assert not reddish(hidden).any()
        rows, columns = np.nonzero(reddish(pictures[1]))
        foot = FRONT.project(np.array([[0.5, 0.0, 0.5]]), SIZE)[0]
    assert columns.mean() == pytest.approx(foot[0], abs=2)
    assert rows.max() == pytest.approx(foot[1], abs=2)


def test_equal_frames_give_equal_pictures(tmp_path: Path) -> None:
    drawings = [FLOOR, box("crate", 0.5, (0, 0.5, 0)), box("other", 0.3, (1, 0.3, 0.4))]
    with staged(tmp_path, drawings, times=[0, 1]) as stage:
        look, camera = plan_look(stage, [0]), frame_stage(stage, [0], SIZE)
        renderer = Renderer(stage, SIZE, look)
        first = renderer.render(0, camera)
        renderer.render(1, FRONT)
        np.testing.assert_array_equal(renderer.render(0, camera), first)
        np.testing.assert_array_equal(render_frame(stage, 0, camera, SIZE, look), first)
    assert first.dtype == np.uint8
    assert first.shape == (120, 160, 3)


def test_nothing_to_see_is_a_background(tmp_path: Path) -> None:
    with staged(tmp_path, []) as stage:
        image = render_frame(stage, 0, frame_stage(stage, [0], SIZE), SIZE)
    assert (image == image[:, :1]).all()


# Camera and frames


def test_camera_has_everything_but_the_ground_in_view_in_all_frames(tmp_path: Path) -> None:
    frames = 6
    position = np.linspace([[-3, 0.5, 0]], [[4, 2.5, 1.0]], frames)
    rotation = np.tile([[[1.0, 0, 0, 0]]], (frames, 1, 1))
    ball = Drawing("ball", "ball", "bodies", Solid("sphere", (0.5, 0, 0)), Carried("b.x", "b.q", 0))
    lawn = box("lawn", 30.0, (0, -30, 0), layer="ground")
    more = {"times": range(frames), "arrays": {"b.x": position, "b.q": rotation}}
    with staged(tmp_path, [FLOOR, ball, lawn], **more) as stage:
        assert [thing.drawing.name for thing in framed_things(stage)] == ["ball"]
        camera = frame_stage(stage, range(frames), SIZE)
        seen = np.vstack([camera.project(stage.find("ball")[0].vertices(k), SIZE) for k in range(frames)])
    edge = np.array(SIZE) * MARGIN - 1e-6
    assert (seen[:, :2] >= edge).all()
    assert (seen[:, :2] <= np.array(SIZE) - edge).all()
    assert (seen[:, :2] - edge).min() < 1e-3


def test_followed_entity_stays_in_its_place(tmp_path: Path) -> None:
    position = np.array([[[0, 1, 0]], [[7, 2, -3]]], dtype=float)
    ball = Drawing("ball", "ball", "bodies", Solid("sphere", (0.5, 0, 0)), Carried("b.x", "b.q", 0))
    more = {"times": [0, 1], "arrays": {"b.x": position, "b.q": np.tile([[[1.0, 0, 0, 0]]], (2, 1, 1))}}
    with staged(tmp_path, [FLOOR, ball, box("post", 0.2, (2, 0.2, 0))], **more) as stage:
        for wanted in (
            Viewpoint(follow="ball"),
            Viewpoint(follow="ball", eye=(1, 2, 5)),
            Viewpoint((10, 5), 4, follow="ball"),
        ):
            shot = plan_shot(stage, [0, 1], SIZE, wanted)
            seen = [shot.at(frame).project(position[frame], SIZE)[0] for frame in (0, 1)]
            np.testing.assert_allclose(seen[0], seen[1], atol=1e-9)
            assert 0 < seen[0][0] < SIZE[0]
        with pytest.raises(UserError, match="shows no entity 'bal'"):
            plan_shot(stage, [0], SIZE, Viewpoint(follow="bal"))


def test_viewpoints_are_taken_as_given(tmp_path: Path) -> None:
    with staged(tmp_path, [box("a", 0.5, (1, 1, 0))]) as stage:
        camera = plan_shot(stage, [0], SIZE, Viewpoint(angles=(90.0, 0.0), distance=5.0)).camera
        np.testing.assert_allclose(camera.eye, [6, 1, 0], atol=1e-12)
        camera = plan_shot(
            stage, [0], SIZE, Viewpoint(eye=(0, 0, 9), target=(0, 0, 1), field_of_view=50)
        ).camera
        np.testing.assert_allclose([camera.eye, camera.target], [[0, 0, 9], [0, 0, 1]])
        assert camera.field_of_view == 50
        with pytest.raises(UserError, match="is where the camera looks at"):
            plan_shot(stage, [0], SIZE, Viewpoint(eye=(1, 1, 0)))


def test_frames_of_strips_and_films(tmp_path: Path) -> None:
    times = np.arange(0, 201) / 100
    with staged(tmp_path, [box("a", 0.5, (0, 1, 0))], times=times) as stage:
        assert pick_evenly(stage, 5) == [0, 50, 100, 150, 200]
        assert pick_film(stage, 25.0, 1.0) == list(range(0, 201, 4))
        assert pick_film(stage, 25.0, 0.25) == list(range(201))
        assert pick_film(stage, 10.0, 2.0) == list(range(0, 201, 20))


def test_strip_has_its_frames_side_by_side(tmp_path: Path) -> None:
    position = np.linspace([[-1, 0.5, 0]], [[1, 0.5, 0]], 3)
    ball = Drawing("b", "b", "bodies", Solid("sphere", (0.5, 0, 0)), Carried("b.x", "b.q", 0), RED)
    more = {"times": [0, 1, 2], "arrays": {"b.x": position, "b.q": np.tile([[[1.0, 0, 0, 0]]], (3, 1, 1))}}
    with staged(tmp_path, [FLOOR, ball], **more) as stage:
        look = plan_look(stage, range(3), hidden=["labels"])
        viewpoint = Viewpoint(angles=(0.0, 10.0))
        strip = render_strip(stage, range(3), SIZE, viewpoint, look)
        camera = plan_shot(stage, range(3), SIZE, viewpoint).camera
        alone = [render_frame(stage, frame, camera, SIZE, look) for frame in range(3)]
        labelled = render_strip(stage, range(3), SIZE, viewpoint)
    assert strip.shape == labelled.shape == (120, 3 * 160 + 2 * GAP, 3)
    for number, image in enumerate(alone):
        first = number * (160 + GAP)
        np.testing.assert_array_equal(strip[:, first : first + 160], image)
        # The time stands on every frame.
        assert (labelled[:40, first : first + 80] != image[:40, :80]).any()
    assert (strip[:, 160 : 160 + GAP] == 255).all()
    middles = [np.nonzero(reddish(image))[1].mean() for image in alone]
    assert middles[0] < middles[1] - 10 < middles[2] - 20


def test_tubes_are_seen(tmp_path: Path) -> None:
    lines = Drawing("l", "l", "muscles", Lines("l.x", "l.s", 0.1), colour=RED)
    model = {"l.x": [[-1.0, 1, 0], [1.0, 1, 0]], "l.s": [[0, 1]]}
    with staged(tmp_path, [lines], model=model) as stage:
        rows, columns = np.nonzero(reddish(render_frame(stage, 0, FRONT, SIZE)))
    assert np.ptp(columns) > 6 * np.ptp(rows) > 6
