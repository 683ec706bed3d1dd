"""`supple solve` on a QPCC: answers, proofs, the static program, and errors of one line."""

import json

import numpy as np
import pytest

from qpcc.qpcc_oracles import enumerate_optimum, make_body, make_general
from supple.run.cli import run_command

NAMES = ("P", "c", "c0", "G", "h", "A", "b", "lb", "ub", "C", "d", "E", "f")


def store(path, problem, **changes):
    arrays = {name: np.array(getattr(problem, name)) for name in NAMES} | changes
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


def ask(capsys, *arguments, code=0):
    got = run_command(["solve", *map(str, arguments), "--json"])
    out, err = capsys.readouterr()
    assert got == code, err
    return json.loads(out), err


def refuse(capsys, *arguments):
    assert run_command(["solve", *map(str, arguments)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.strip().splitlines()) == 1, err
    return err


def test_a_proof_is_the_optimum_of_all_combinations(tmp_path, capsys):
    problem = make_body(4, 4, 1, 8)
    best = enumerate_optimum(problem)
    file = store(tmp_path / "one.npz", problem)
    answer, _ = ask(capsys, file, "--prove", "-o", tmp_path / "x.npy")
    x = np.load(tmp_path / "x.npy")
    assert (answer["kind"], answer["status"], answer["proven"], answer["contacts"]) == (
        "qpcc",
        "proven",
        True,
        1,
    )
    assert answer["objective"] == pytest.approx(best, abs=1e-6 * max(1.0, abs(best)))
    assert answer["objective"] == pytest.approx(problem.evaluate(x))
    assert answer["bound"] == pytest.approx(best, abs=1e-6 * max(1.0, abs(best)))
    assert answer["residual"] < 1e-9
    assert answer["nodes"] > 0
    assert answer["seconds"] > 0.0


def test_static_is_the_other_side(tmp_path, capsys):
    for seed in range(10):
        file = store(tmp_path / "three.npz", make_body(seed, 8, 3))
        code = run_command(["solve", str(file), "--solver", "static", "--json"])
        static = json.loads(capsys.readouterr().out)
        found, _ = ask(capsys, file)
        assert found["static_objective"] == static["objective"]
        if code == 0:
            assert found["objective"] <= static["objective"] * (1 + 1e-9)
        else:
            assert (code, static["fallback"], static["objective"]) == (3, "soft", None)


def test_general_pairs_and_what_may_be_left_out(tmp_path, capsys):
    problem = next(
        one for one in (make_general(k, 4, 4, 0, 0) for k in range(9)) if enumerate_optimum(one) < np.inf
    )
    whole, _ = ask(capsys, store(tmp_path / "whole.npz", problem))
    short, _ = ask(capsys, store(tmp_path / "short.npz", problem, G=None, h=None, A=None, b=None))
    assert whole["objective"] == short["objective"] == pytest.approx(enumerate_optimum(problem), abs=1e-6)
    assert whole["contacts"] == 0


def test_too_few_nodes_for_a_proof(tmp_path, capsys):
    answer, err = ask(capsys, store(tmp_path / "a.npz", make_body(0, 8, 4)), "--prove", "--nodes", 5, code=3)
    assert (answer["status"], answer["nodes"]) == ("found", 5)
    assert answer["bound"] < answer["objective"]
    assert "raise --nodes" in err


def test_an_infeasible_problem_is_told(tmp_path, capsys):
    problem = make_body(1, 2, 1)
    rows = np.eye(problem.size)[:1]
    file = store(tmp_path / "no.npz", problem, G=rows, h=np.array([-2.0]))
    answer, err = ask(capsys, file, code=3)
    assert (answer["status"], answer["objective"], answer["fallback"]) == ("infeasible", None, "hold")
    assert "there is no feasible point" in err
    assert answer["infeasible_nodes"] == answer["nodes"]


def test_a_product_of_a_pair_curves_down_and_counts_for_nothing(tmp_path, capsys):
    """x^2 + y^2 - 4 x y with 0 <= x perp y >= 0 is x^2 + y^2 there; and with x + y = 1, x y is a square."""
    one = np.eye(2)
    arrays = {
        "P": np.array([[2.0, -4.0], [-4.0, 2.0]]),
        "c": np.array([-2.0, -1.0]),
        "C": one[:1],
        "E": one[1:],
    }
    np.savez(tmp_path / "pair.npz", **arrays, d=np.zeros(1), f=np.zeros(1))
    answer, _ = ask(capsys, tmp_path / "pair.npz", "--prove")
    assert answer["objective"] == pytest.approx(-1.0)
    across = arrays | {"P": -np.ones((2, 2)), "A": np.ones((1, 2)), "b": np.ones(1)}
    np.savez(tmp_path / "across.npz", **across, d=np.zeros(1), f=np.zeros(1))
    answer, _ = ask(capsys, tmp_path / "across.npz", "--prove")
    assert answer["objective"] == pytest.approx(-0.5 - 2.0)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"c": np.zeros(3)}, "has shape"),
        ({"d": np.zeros(2)}, "d: has shape (2,); 12 variables and 10 pairs need (10,)"),
        ({"C": np.zeros((10, 3))}, "C: has shape (10, 3)"),
        ({"E": None}, "lacks E"),
        ({"f": np.full(10, np.nan)}, "f: is not a number at (0,)"),
        ({"lb": np.full(12, np.nan)}, "lb: is not a number"),
        ({"lb": np.full(12, 2.0), "ub": np.ones(12)}, "lb: is above ub at 0"),
        ({"P": np.triu(np.ones((12, 12)))}, "P: is not symmetric at (0, 1)"),
        ({"P": -np.eye(12)}, "P: is not convex: its smallest eigenvalue is -1"),
        ({"P": np.full((12, 12), "x")}, "P: has type"),
        ({"c0": np.zeros(2)}, "c0: has shape (2,)"),
        ({"P": None}, "holds A, C, E, G, b, c, c0, d, f, h, lb, ub; it must hold W, q, mu"),
    ],
)
def test_bad_input_is_one_line(tmp_path, capsys, changes, expected):
    assert expected in refuse(capsys, store(tmp_path / "bad.npz", make_body(0, 2, 1), **changes))


def test_bad_options_are_one_line(tmp_path, capsys):
    file = store(tmp_path / "good.npz", make_body(0, 2, 1))
    general = store(tmp_path / "general.npz", make_general(0, 3, 2))
    np.savez(tmp_path / "lcp.npz", M=np.eye(2), q=-np.ones(2))
    assert "choose qpcc or static" in refuse(capsys, file, "--solver", "newton")
    assert "proves nothing" in refuse(capsys, file, "--solver", "static", "--prove")
    assert "no contacts were found" in refuse(capsys, general, "--solver", "static")
    assert "no optimum to search for" in refuse(capsys, tmp_path / "lcp.npz", "--prove")
    assert "no optimum to search for" in refuse(capsys, tmp_path / "lcp.npz", "--nodes", 4)
