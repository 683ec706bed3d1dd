"""Scenes as environments of Gymnasium."""

from __future__ import annotations

import importlib.util
import re
import shutil
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supple.errors import UserError

pytest.importorskip("gymnasium", reason="gymnasium is not installed (supple[gym])")

from gymnasium.utils.env_checker import check_env

from supple.gym import SHAPES, Action, Ending, SceneEnv, Term, read_task, vectorise
from supple.gym_task import TermTable
from supple.scene.fields import choices_of, fields_of

SCENES = Path(__file__).resolve().parents[2] / "scenes"
BALANCE = SCENES / "control" / "balance_task.toml"


def run(env: SceneEnv, seed: int, actions: Any) -> np.ndarray:
    first, _ = env.reset(seed=seed)
    return np.array([first, *(env.step(action)[0] for action in actions)])


def test_environment_passes_the_check_of_gymnasium() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that observations have no bounds
        check_env(SceneEnv(BALANCE), skip_render_check=True)


def test_episode_is_decided_by_its_seed_and_actions() -> None:
    env, other = SceneEnv(BALANCE), SceneEnv(BALANCE)
    actions = np.random.default_rng(1).uniform(-1, 1, (30, 1))
    first = run(env, 3, actions)
    run(env, 4, actions)  # another episode in between leaves no trace
    assert run(env, 3, actions).tobytes() == first.tobytes()
    assert run(other, 3, actions).tobytes() == first.tobytes()
    assert run(env, 4, actions[:1])[0, 2] != first[0, 2]


def test_scattered_start_is_one_that_the_bones_follow() -> None:
    env = SceneEnv(BALANCE)
    env.reset(seed=7)
    angle, rod = env.world["cart/base/pole"].angle, env.world.arrays["skeleton.rotation"]
    assert 2 * np.arctan2(rod[1, 3], rod[1, 0]) == pytest.approx(angle)


def test_episode_ends_as_the_task_says() -> None:
    env = SceneEnv(BALANCE)
    env.reset(seed=0)
    ends = [env.step(np.array([1.0]))[2:4] for _ in range(40)]
    first = next(number for number, (over, _) in enumerate(ends) if over)
    assert abs(env.world["cart/base/pole"].angle) > 0.6
    assert 0 < first < 39
    short = SceneEnv(replace(read_task(BALANCE), duration=0.1))
    short.reset(seed=0)
    assert [short.step(np.zeros(1))[3] for _ in range(5)] == [False] * 4 + [True]


def test_reward_is_the_sum_of_its_terms() -> None:
    env = SceneEnv(BALANCE)
    env.reset(seed=0)
    (x, _, angle, _), paid, *_ = env.step(np.array([0.2]))
    assert paid == pytest.approx(1.0 - 5.0 * angle**2 - 0.2 * x**2)
    own = SceneEnv(BALANCE, reward=lambda world: 7.0, end=lambda world: True)
    own.reset(seed=0)
    assert own.step(np.zeros(1))[1:3] == (7.0, True)


def test_several_at_once_are_those_that_are_alone() -> None:
    many = vectorise(BALANCE, 2)
    seen, _ = many.reset(seed=[3, 5])
    env = SceneEnv(BALANCE)
    assert env.reset(seed=5)[0].tobytes() == seen[1].tobytes()
    assert many.step(np.full((2, 1), 0.3))[0][1].tobytes() == env.step(np.array([0.3]))[0].tobytes()


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"observe": ("cart/base.displacment",)}, "displacement"),
        ({"observe": ("cart/bse.rate",)}, "cart/base"),
        ({"observe": ()}, "observe: must have at least 1"),
        ({"actions": (Action("cart/base.torque", -1, 1),)}, "force"),
        ({"actions": (Action("cart/base.force", 1, -1),)}, "low below the high"),
        ({"reward": (Term("cart/base.rate", 1.0, "sqare"),)}, "square"),
        ({"end": (Ending("cart/base.rat", below=0.0),)}, "rate"),
        ({"end": (Ending("cart/base.rate"),)}, "neither below nor above"),
        ({"rate": "fast"}, "rate: must be a number"),
        ({"variant": "heavy"}, "has no variants"),
        ({"rate": 60.0}, "rate = "),
    ],
)
def test_wrong_task_is_refused_with_a_remedy(change: dict[str, Any], word: str) -> None:
    with pytest.raises(UserError, match=word):
        SceneEnv(replace(read_task(BALANCE), **change))


def write_task(folder: Path, old: str = "", new: str = "") -> Path:
    """The task of the cart with one stretch of it changed, beside its scene."""
    shutil.copy(BALANCE.with_name("cart_pole.toml"), folder)
    text = BALANCE.read_text(encoding="utf-8")
    assert text.count(old) == 1 or not old
    file = folder / "task.toml"
    file.write_text(text.replace(old, new) if old else text + new, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("alive = 1.0 ", "alife = 1.0 ", 5, "alife: unknown key; .* Did you mean 'alive'?"),
        ("alive = 1.0 ", 'alive = "much" ', 5, "alive: must be a number, not the string 'much'; "),
        ("alive = 1.0 ", "alive = nan ", 5, "alive: must be a finite number"),
        ("alive = 1.0 ", "alive = 2026-01-01 ", 5, "alive: the date"),
        ('scene = "cart_pole.toml"', "", 1, "scene: is missing; give scene: "),
        ('scene = "cart_pole.toml"', "scene = 3", 2, "scene: must be a string"),
        ("cart_pole.toml", "cart_pol.toml", 2, "scene: there is no file .* Did you mean 'cart_pole.toml'?"),
        ("cart_pole.toml", "\U0001f600" * 100, 2, "scene: there is no file"),
        ("cart_pole.toml", "../cart_pole.toml", 2, "scene: .* outside the task's folder; move it beside the task"),
        ("cart_pole.toml", "/dev/zero", 2, "scene: '/dev/zero' is outside"),
        ("rate = 50 ", "rate = 60 ", 3, "rate: 60 calls a second .*; choose rate = "),
        ("rate = 50 ", "rate = 1e-12 ", 3, "rate: must be at least 0.001"),
        ("duration = 4.0", "duration = 1e-3", 3, "rate: a decision takes 0.02 s, longer than the episode"),
        ('"cart/base.displacement", ', '"cart/base.shift", ', 6, "observe[0]: 'cart/base.shift' is not known; cart"),
        ('"cart/base.displacement", ', '"crt/base.rate", ', 6, "observe[0]: there is no entity 'crt/base'; .* Did you"),
        ('"cart/base.displacement", ', '"shift", ', 6, "observe[0]: 'shift' names no number; write entity."),
        ("low = -10.0 ", "low = true ", 10, "actions[0].low: must be a number, not true"),
        ("low = -10.0 ", "low = 11 ", 8, "actions[0]: from 11 to 10; give a low below the high"),
        ("[[actions]]", "[actions]", 8, "actions: must be a list of tables, not a table"),
        ("weight = -5.0", "", 13, "reward[0].weight: is missing"),
        ("below = -0.6\nabove = 0.6", "", 23, "end[0]: neither below nor above"),
        ("by = 0.05", "by = -1", 30, "scatter[0].by: must be at least 0"),
        ("", 'of = "cart/base/box.size"', 31, "'of' is given twice, first on line 29; keep one of them"),
    ],
)  # fmt: skip
def test_wrong_file_is_refused_with_line_and_remedy(
    tmp_path: Path, old: str, new: str, line: int, words: str
) -> None:
    file = write_task(tmp_path, old, new)
    with pytest.raises(UserError) as caught:
        SceneEnv(file)
    assert len(caught.value.problems) == 1
    said = str(caught.value)
    assert "\n" not in said
    pattern = re.escape(f"{file}:{line}: ") + ".*" + words.replace("[", r"\[").replace("?", r"\?")
    assert re.match(pattern, said), said


def test_overrides_and_variants_are_refused_with_their_lines(tmp_path: Path) -> None:
    for more, words in (
        ('[overrides]\n"cart/base.bone.mas" = 1', r"cart/base\.bone\.mas: unknown key; .*'mass'"),
        ('[overrides]\n"cart/base.bone.mass" = "x"', r"cart/base\.bone\.mass: must be a number"),
        ('[overrides]\n"cart" = 3', "cart: is not the path of a value"),
        ('[overrides]\n"run.step" = 1e-9', None),
    ):
        file = write_task(tmp_path, "", more)
        lines = file.read_text(encoding="utf-8").count("\n") + 1
        with pytest.raises(UserError) as caught:
            SceneEnv(file)
        place = f"{lines}: {words}" if words else r"3: rate: a decision takes 2e\+07 steps"
        assert re.match(f"{re.escape(str(file))}:{place}", str(caught.value)), str(caught.value)
    file = write_task(tmp_path, "alive = 1.0 ", 'variant = "heavy" ')
    with pytest.raises(
        UserError, match=r"task\.toml:5: variant: there is no variant 'heavy'; the scene has no"
    ):
        SceneEnv(file)


def test_everything_wrong_with_a_task_is_told_in_the_order_of_its_lines(tmp_path: Path) -> None:
    file = write_task(tmp_path, "duration = 4.0           # s\nalive = 1.0 ", "duration = -1\nalive = [] ")
    with pytest.raises(UserError) as caught:
        read_task(file)
    assert [each.where.line for each in caught.value.problems if each.where] == [4, 5]


def test_scene_outside_the_folder_is_opened_only_if_allowed(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    file = write_task(inner, "cart_pole.toml", "link.toml")
    (inner / "cart_pole.toml").rename(tmp_path / "cart_pole.toml")
    (inner / "link.toml").symlink_to(tmp_path / "cart_pole.toml")
    with pytest.raises(UserError, match=r"task\.toml:2: scene: .*or pass allow_outside=True"):
        vectorise(file, 1)
    assert read_task(file, allow_outside=True).scene == inner / "link.toml"


def test_shapes_of_rewards_are_those_that_files_may_name() -> None:
    assert set(SHAPES) == set(choices_of(fields_of(TermTable)["shape"].annotation))


def test_example_of_cma_es_improves_the_controller() -> None:
    spec = importlib.util.spec_from_file_location(
        "cma_es", SCENES.parent / "tools" / "examples" / "cma_es.py"
    )
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    _, costs = example.improve(4)
    # Without control the pole falls within a second, and the rest of the episode is lost.
    assert costs[0] > 100
    assert min(costs) < 0.5 * costs[0]


def test_strategy_finds_the_least_of_a_narrow_valley() -> None:
    spec = importlib.util.spec_from_file_location(
        "cma_es", SCENES.parent / "tools" / "examples" / "cma_es.py"
    )
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    strategy = example.Strategy(np.full(4, 3.0), 1.0, 1)
    scale = np.array([1.0, 10.0, 100.0, 1000.0])
    for _ in range(400):
        points = strategy.ask()
        strategy.tell(points, ((points * scale) ** 2).sum(axis=1))
    assert np.abs(strategy.mean * scale).max() < 1e-6
