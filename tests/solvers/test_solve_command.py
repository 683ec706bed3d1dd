"""`supple solve`: answers, files, rescue, and errors of one line."""

import json

import numpy as np
import pytest

from solvers.contact_problems import hanging_chain, random_pile, stack_of_boxes
from supple.mechanics.residual import natural_map_residual
from supple.mechanics.stored_problems import relative_residual
from supple.run.cli import run_command

PLAIN = ("newton", "gauss_seidel", "lemke", "projected_gauss_seidel", "penalty")


@pytest.fixture
def pile(tmp_path):
    """The pile on which sweeps stall."""
    problem = random_pile(73, count=5, contacts=9, mass_ratio=100.0, friction=0.5).problem()
    W = problem.W.to_dense(problem.size)
    np.savez(tmp_path / "pile.npz", W=W, q=problem.free.ravel(), mu=problem.friction)
    return problem, tmp_path / "pile.npz"


def ask(capsys, *arguments):
    code = run_command(["solve", *map(str, arguments), "--json"])
    out, err = capsys.readouterr()
    assert code == 0, err
    return json.loads(out)


def test_a_contact_problem_is_solved_and_written(pile, tmp_path, capsys):
    problem, file = pile
    answer = ask(capsys, file, "--tolerance", "1e-10", "--out", tmp_path / "r.npy")
    impulse = np.load(tmp_path / "r.npy").reshape(-1, 3)
    assert (answer["status"], answer["solver"], answer["contacts"]) == ("converged", "newton", 14)
    assert answer["residual"] == pytest.approx(relative_residual(problem, impulse), rel=1e-6, abs=1e-16)
    assert answer["residual"] <= 1e-10
    assert answer["residual_speed"] == pytest.approx(
        natural_map_residual(problem, impulse)[0], rel=1e-6, abs=1e-16
    )
    assert 0.0 < answer["seconds"] < 0.2
    assert answer["iterations"] > 0


def test_the_tolerance_is_obeyed_and_not_overdone(tmp_path, capsys):
    stack_of_boxes(6).problem().save(tmp_path / "stack.npz")
    loose = ask(capsys, tmp_path / "stack.npz", "--tolerance", "1e-2", "--solver", "gauss_seidel")
    tight = ask(capsys, tmp_path / "stack.npz", "--tolerance", "1e-9", "--solver", "gauss_seidel")
    assert tight["residual"] <= 1e-9 < loose["residual"] <= 1e-2
    assert loose["iterations"] < tight["iterations"]


def test_a_solver_that_stalls_is_rescued_and_the_answer_says_by_whom(pile, capsys):
    answer = ask(capsys, pile[1], "--solver", "gauss_seidel")
    assert (answer["status"], answer["solver"]) == ("converged", "newton")
    assert answer["iterations"] > 5000


@pytest.mark.parametrize("solver", PLAIN)
def test_every_solver_takes_whole_problems(solver, tmp_path, capsys):
    hanging_chain(3).problem().save(tmp_path / "chain.npz")
    answer = ask(capsys, tmp_path / "chain.npz", "--solver", solver, "--out", tmp_path / "r.npy")
    assert answer["status"] == "converged"
    assert np.load(tmp_path / "r.npy").shape == (9 + 3,)


def test_a_complementarity_problem_is_solved(tmp_path, capsys):
    M, q = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0])
    np.savez(tmp_path / "lcp.npz", M=M, q=q)
    answer = ask(capsys, tmp_path / "lcp.npz", "--out", tmp_path / "z.npy")
    assert (answer["status"], answer["solver"], answer["rows"], answer["kind"]) == (
        "converged",
        "lemke",
        2,
        "lcp",
    )
    np.testing.assert_allclose(np.load(tmp_path / "z.npy"), [4.0 / 3.0, 7.0 / 3.0], rtol=1e-12)


def test_people_get_a_table(pile, capsys):
    assert run_command(["solve", str(pile[1])]) == 0
    out = capsys.readouterr().out
    assert "converged" in out
    assert "newton" in out


def test_a_problem_without_solution_exits_with_three(tmp_path, capsys):
    np.savez(tmp_path / "none.npz", M=-np.ones((1, 1)), q=-np.ones(1))
    code = run_command(["solve", str(tmp_path / "none.npz"), "--json"])
    out, err = capsys.readouterr()
    assert json.loads(out)["status"] in ("failed", "stalled")
    assert code == 3
    assert "try another --solver" in err


def test_a_solver_that_stalls_exits_with_three(pile, capsys):
    code = run_command(["solve", str(pile[1]), "--tolerance", "1e-300", "--json"])
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert (code, answer["status"]) == (3, "stalled")
    assert answer["residual"] < 1e-6
    assert err.startswith(f"stalled at a residual of {answer['residual']:.3g}, above --tolerance 1e-300")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{folder}/none.npz"], "none.npz: no such file"),
        (["{folder}/pile.npz", "--solver", "newtom"], "Did you mean 'newton'?"),
        (["{folder}/pile.npz", "--tolerance", "nan"], "'nan' is not a number above zero"),
        (["{folder}/pile.npz", "--out", "{folder}/no/r.npy"], "no folder"),
        (["{folder}/lcp.npz", "--solver", "newton"], "does not solve complementarity problems; choose lemke"),
        (["{folder}/lcp.npz", "--solver", "lemmke"], "Did you mean 'lemke'?"),
        (["{folder}/bad.npz"], "q: is not finite at (0,)"),
        ([], "Missing argument 'PROBLEM'"),
    ],
)
def test_bad_input_is_one_line_and_exits_with_two(pile, tmp_path, capsys, arguments, said):
    np.savez(tmp_path / "lcp.npz", M=np.eye(1), q=np.ones(1))
    np.savez(tmp_path / "bad.npz", M=np.eye(1), q=np.array([np.nan]))
    code = run_command(["solve", *(text.format(folder=tmp_path) for text in arguments)])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
