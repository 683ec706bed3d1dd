"""Claims: every run once, verdicts with reasons, and a results file that a killed invocation goes on from."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from run_toys import SCENE, Place
from supple.errors import UserError
from supple.run.claim_pool import run_tasks
from supple.run.claim_runs import Outcome, Setting
from supple.run.claim_store import ResultStore
from supple.run.claims import judge_plans, list_tasks, list_timed, make_plan
from supple.run.wanted_claims import find_wanted

CLAIMS = (
    SCENE
    + """
[variants]
slow = { "swing.oscillator.rate" = 1.0 }
fast = { "swing.oscillator.rate" = 3.0 }
alike = { "swing.oscillator.rate" = 3.0 }
broken = { "swing.oscillator.fail_at" = 5 }

[sweep]
"swing.oscillator.start" = [1.0, 2.0]

[[claim]]
id = "closed_form"
says = "the slow one ends at start cos(t)"
paper = "textbook"
holds = "within(mean(slow.swing.place), -0.6242202548207134, 1e-9)"

[[claim]]
id = "wrong"
says = "fast is never farther than slow"
holds = "all(fast.swing.place < slow.swing.place)"

[[claim]]
id = "unknowable"
says = "nobody can tell"
holds = "mean(broken.swing.place) > 0 or mean(alike.swing.place) > 0"
"""
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, CLAIMS)


def judge(place: Place, *only: str) -> tuple[dict[str, object], int]:
    setting = Setting((place.plugin,))
    plans = make_plan([place.scene], setting, only, print)
    tasks = list_tasks(plans)
    outcomes = {task.key: outcome for task, outcome in run_tasks(setting, tasks, 1)}
    return judge_plans(plans, outcomes), len(tasks)


def test_claims_are_judged_on_the_end_of_every_cell(place: Place) -> None:
    verdicts, runs = judge(place)
    by_id = {claim["id"]: claim for claim in verdicts["claims"]}
    # cos(2 rad) for rate 1 over 2 s, averaged over starts 1 and 2.
    assert by_id["closed_form"]["holds"] is True
    assert math.isclose(by_id["closed_form"]["figures"]["mean(slow.swing.place)"], 1.5 * math.cos(2.0))
    assert by_id["wrong"]["holds"] is False
    assert by_id["unknowable"]["holds"] is None
    assert "the spring broke" in by_id["unknowable"]["why"]
    assert (verdicts["held"], verdicts["total"]) == (1, 3)
    assert by_id["closed_form"]["seeds"] == [0]
    assert by_id["closed_form"]["scene"] == str(place.scene)
    # Four variants of two cells each, of which two variants are the same run.
    assert runs == 6


def test_only_runs_what_the_chosen_claims_need(place: Place) -> None:
    verdicts, runs = judge(place, "closed_form")
    assert [claim["id"] for claim in verdicts["claims"]] == ["closed_form"]
    assert runs == 2


def test_unknown_claim_is_refused_before_anything_runs(place: Place) -> None:
    with pytest.raises(UserError, match="Did you mean 'wrong'"):
        judge(place, "wrnog")


def test_all_bad_scenes_are_reported_at_once(place: Place) -> None:
    for name in ("one.toml", "two.toml"):
        (place.folder / name).write_text(SCENE.replace("0.01", "-1"))
    done = place.supple("claims", place.folder)
    assert done.returncode == 2
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 2
    assert "one.toml:3" in lines[0]
    assert "two.toml:3" in lines[1]


def test_expectations_are_judged_in_scenes_without_claims(tmp_path: Path) -> None:
    expect = '[[expect]]\nmetric = "swing.farthest"\n{}\nbecause = "it starts there"\n'
    place = Place(tmp_path, SCENE + expect.format("below = 1.1") + expect.format("above = 1.1"))
    done = place.supple("claims", place.scene, "--json")
    verdicts = json.loads(done.stdout)
    assert [one["holds"] for one in verdicts["expectations"]] == [True, False]
    assert (verdicts["held"], verdicts["total"], done.returncode) == (0, 0, 1)


def test_command_prints_one_object_and_resumes_from_its_results(place: Place) -> None:
    out = place.folder / "out.json"
    first = place.supple("claims", place.scene, "--json", "--jobs", 2, "--out", out)
    assert first.returncode == 1, first.stderr
    kept = json.loads(out.read_text())
    assert len(kept["runs"]) == 6
    assert kept["claims"] == json.loads(first.stdout)["claims"]

    # Half of the runs get lost, and one of the others is marked to show that it is not computed again.
    keys = sorted(key for key, run in kept["runs"].items() if not run["error"])
    kept["runs"] = {key: kept["runs"][key] for key in keys[:3]}
    kept["runs"][keys[0]]["seconds"] = 12345.0
    out.write_text(json.dumps(kept))
    second = place.supple("claims", place.scene, "--json", "--out", out)
    assert "3 of 6 runs are known already" in second.stderr
    again = json.loads(out.read_text())
    assert len(again["runs"]) == 6
    assert again["runs"][keys[0]]["seconds"] == 12345.0
    figures = [[claim["figures"] for claim in json.loads(one.stdout)["claims"]] for one in (first, second)]
    assert figures[0] == figures[1]


def test_another_scene_is_computed_anew(place: Place) -> None:
    setting = Setting((place.plugin,))
    before = {task.key for task in list_tasks(make_plan([place.scene], setting, (), print))}
    other = place.folder / "longer.toml"
    other.write_text(CLAIMS.replace("duration = 2.0", "duration = 2.5"))
    after = {task.key for task in list_tasks(make_plan([other], setting, (), print))}
    assert before & after == set()


def test_results_survive_a_round_trip(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "out.json")
    store.add("a", Outcome({"x.y": 0.1, "x.z": math.nan}, 1.5))
    store.add("b", Outcome({}, 0.5, "it broke"))
    store.save()
    with pytest.raises(UserError, match="another run"):
        ResultStore(tmp_path / "out.json")
    store.close()
    again = ResultStore(tmp_path / "out.json").outcomes
    assert again["b"] == Outcome({}, 0.5, "it broke")
    assert again["a"].metrics["x.y"] == 0.1
    assert math.isnan(again["a"].metrics["x.z"])


@pytest.mark.parametrize(
    "content", ["", "{}", "[1]", '{"made_by": "me"}', '{"made_by": "supple claims", "format": 9}']
)
def test_foreign_results_are_not_overwritten(tmp_path: Path, content: str) -> None:
    path = tmp_path / "mine.json"
    path.write_text(content)
    with pytest.raises(UserError, match=r"mine\.json"):
        ResultStore(path)
    assert path.read_text() == content


def test_parts_of_scenes_in_a_folder_are_skipped(place: Place) -> None:
    (place.folder / "part.toml").write_text('format = 1\n[[entity]]\nname = "a"\n')
    said: list[str] = []
    plans = make_plan([place.folder], Setting((place.plugin,)), (), said.append)
    assert [plan.path.name for plan in plans] == ["scene.toml"]
    assert "part.toml" in said[0]


WANTED = """
format = 1
[[wanted]]
id = "moves"
says = "something moves"
[[wanted]]
id = "flies"
paper = "P9"
says = "something flies"
"""


def test_wanted_claims_that_no_scene_covers_are_open(place: Place) -> None:
    (place.folder / "wanted.toml").write_text(WANTED)
    plans = make_plan([place.scene], Setting((place.plugin,)), (), print)
    covered = plans[0].claims[0].id
    (place.folder / "wanted.toml").write_text(WANTED.replace("moves", covered))
    wanted = find_wanted([place.folder])
    assert [one.id for one in wanted] == [covered, "flies"]
    outcomes = {task.key: Outcome({}, 0.0) for task in list_tasks(plans)}
    claims = {one["id"]: one for one in judge_plans(plans, outcomes, wanted)["claims"]}
    assert len(claims) == len(plans[0].claims) + 1
    assert claims["flies"]["holds"] is None
    assert claims["flies"]["why"] == "no scene covers it"
    assert claims["flies"]["paper"] == "P9"
    assert find_wanted([place.folder], ["flies"])[0].id == "flies"


def test_bad_wanted_table_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "wanted.toml").write_text(WANTED.replace('says = "something flies"', "say = 3"))
    with pytest.raises(UserError, match=r"wanted\.toml:\d+"):
        find_wanted([tmp_path])


def test_claims_may_speak_of_the_time_of_a_step(place: Place) -> None:
    text = (
        CLAIMS
        + """
[[claim]]
id = "fast"
says = "it is fast"
holds = "max(run.step_time) < 10 and min(run.step_time) > 0"
"""
    )
    place.scene.write_text(text)
    setting = Setting((place.plugin,))
    plans = make_plan([place.scene], setting, ["fast"], print)
    tasks = list_tasks(plans)
    assert list_timed(plans) == {task.key for task in tasks}
    outcomes = {task.key: outcome for task, outcome in run_tasks(setting, tasks, 2, list_timed(plans))}
    assert judge_plans(plans, outcomes)["claims"][0]["holds"] is True


def test_expectations_may_not_speak_of_the_time_of_a_step(place: Place) -> None:
    place.scene.write_text(CLAIMS + '\n[[expect]]\nmetric = "run.step_time"\nbelow = 1\nbecause = "fast"\n')
    with pytest.raises(UserError, match="step_time"):
        make_plan([place.scene], Setting((place.plugin,)), (), print)
