"""Scenes as environments of Gymnasium."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supple.errors import UserError

pytest.importorskip("gymnasium", reason="gymnasium is not installed (supple[gym])")

from gymnasium.utils.env_checker import check_env

from supple.gym import Action, Ending, SceneEnv, Term, read_task, vectorise

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
        ({"observe": ()}, "nothing to observe"),
        ({"actions": (Action("cart/base.torque", -1, 1),)}, "force"),
        ({"actions": (Action("cart/base.force", 1, -1),)}, "low below the high"),
        ({"reward": (Term("cart/base.rate", 1.0, "sqare"),)}, "square"),
        ({"end": (Ending("cart/base.rat"),)}, "rate"),
        ({"rate": 60.0}, "rate = "),
    ],
)
def test_wrong_task_is_refused_with_a_remedy(change: dict[str, Any], word: str) -> None:
    with pytest.raises(UserError, match=word):
        SceneEnv(replace(read_task(BALANCE), **change))


def test_wrong_file_is_refused_with_its_name(tmp_path: Path) -> None:
    for text, word in (("sene = 1", "scene"), ('scene = "x.toml"', "needs observe"),
                       ("[[actions]]\nsett = 1", "set"), ("[[actions]]\nlow = 1", "give set")):  # fmt: skip
        file = tmp_path / "task.toml"
        file.write_text(text)
        with pytest.raises(UserError, match=word) as caught:
            read_task(file)
        assert "task.toml" in str(caught.value)
