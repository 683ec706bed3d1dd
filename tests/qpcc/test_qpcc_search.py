"""The search: starts, seeds, budgets, repetition to the bit, fallbacks; and the static program beside it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qpcc.qpcc_oracles import make_body
from supple_qpcc.contacts import find_contacts, hold_and_touch
from supple_qpcc.pieces import BREAK, SLIDE, STATIC, make_pieces
from supple_qpcc.problem import make_qpcc
from supple_qpcc.program import Program
from supple_qpcc.records import Budget, Start
from supple_qpcc.search import solve
from supple_qpcc.static import solve_static

PROOF = Budget(nodes=50_000, gap=1e-9)
PLAIN = Budget(nodes=40, branch=False)
seeds = st.integers(0, 2**32)


def same_bits(first, second):
    return first.x.tobytes() == second.x.tobytes() and (first.nodes, first.bound) == (
        second.nodes,
        second.bound,
    )


def test_contacts_are_found_whatever_the_order_of_pairs():
    problem = make_body(5, 4, 3)
    order = np.random.default_rng(0).permutation(problem.pairs)
    shuffled = replace(
        problem, C=problem.C[order], d=problem.d[order], E=problem.E[order], f=problem.f[order]
    )
    for given_problem, place in ((problem, np.arange(problem.pairs)), (shuffled, np.argsort(order))):
        contacts = find_contacts(given_problem)
        assert len(contacts) == 3
        for number, contact in enumerate(sorted(contacts, key=lambda one: np.argsort(place)[one.normal])):
            directions = [int(np.argsort(place)[pair]) for pair in contact.directions]
            assert sorted(directions) == list(range(3 + 8 * number, 11 + 8 * number))
            steps = np.diff([*directions, directions[0]]) % 8
            assert set(steps) in ({1}, {7})


@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_the_next_solve_begins_where_the_last_one_ended(seed):
    """Without branching, a start from the optimum is never worse, and what is handed on is arrays alone."""
    problem = make_body(seed, 8, 3)
    best = solve(problem, budget=PROOF)
    again = solve(problem, best.start, budget=Budget(nodes=1, branch=False))
    assert again.objective == pytest.approx(best.objective, abs=1e-9)
    assert (again.nodes, again.origin) == (1, "start")
    moved = replace(problem, c=problem.c * 1.001)
    copied = Start(*(np.array(value) for value in best.start.__dict__.values()))
    assert same_bits(solve(moved, best.start, budget=PLAIN), solve(moved, copied, budget=PLAIN))


@given(seed=seeds)
@settings(max_examples=5, deadline=None)
def test_results_do_not_depend_on_what_was_solved_before(seed):
    first, second = make_body(seed, 8, 3), make_body(seed + 1, 8, 3)
    start = solve(first).start
    alone = solve(second, start)
    solve(first, start, budget=PLAIN)
    assert same_bits(solve(second, start), alone)


def test_a_seed_is_tried():
    """The optimum of a problem as a seed is found by a budget that allows for nothing else."""
    for number in range(20):
        problem = make_body(number, 8, 3)
        best = solve(problem, budget=PROOF)
        if not np.array_equal(best.modes, np.full(3, STATIC)):
            break
    found = solve(problem, seeds=[best.modes], budget=Budget(nodes=2, branch=False))
    assert (found.origin, found.nodes) == ("seed", 2)
    assert found.objective == pytest.approx(best.objective, abs=1e-9)


@given(seed=seeds, nodes=st.integers(1, 30), branch=st.booleans())
@settings(max_examples=25, deadline=None)
def test_a_budget_is_kept_and_a_bound_is_one(seed, nodes, branch):
    problem = make_body(seed, 6, 2)
    best = solve(problem, budget=PROOF)
    found = solve(problem, budget=Budget(nodes=nodes, branch=branch))
    slack = 1e-7 * (1.0 + abs(best.objective))
    assert found.nodes <= nodes
    assert found.objective >= best.objective - slack
    assert found.bound <= best.objective + slack
    assert branch or found.bound == -np.inf


@given(seed=seeds)
@settings(max_examples=15, deadline=None)
def test_search_over_modes_is_at_least_as_good_as_static(seed):
    problem = make_body(seed, 8, 3)
    static, found = solve_static(problem), solve(problem, budget=PLAIN)
    assert problem.measure(found.x) < 1e-8 or not found.feasible
    if static.feasible:
        assert found.objective <= static.objective + 1e-12 * abs(static.objective)
        contacts = find_contacts(problem)
        a, e = problem.find_pairs(static.x)
        assert max(abs(e[pair]) for one in contacts for pair in (one.normal, *one.directions)) < 1e-8
        assert (a >= -1e-9).all()


def test_lift_off_is_found_from_contacts_that_hold():
    """One muscle pulls a point up that rests on the ground: static, it may not move; broken, it may."""
    # x = (u, f_perp, f_par 4, lambda); v_n = u + f_perp - 0.1, free of tangential motion.
    E = np.zeros((6, 7))
    E[0, :2] = 1.0
    for k, (t, s) in enumerate(((1, 0), (0, 1), (-1, 0), (0, -1))):
        for j, (p, r) in enumerate(((1, 0), (0, 1), (-1, 0), (0, -1))):
            E[1 + k, 2 + j] = t * p + s * r
        E[1 + k, 6] = 1.0
    E[5, 1], E[5, 2:6] = 0.5, -1.0
    f = np.array([-0.1, 0, 0, 0, 0, 0])
    aim = E[:1]
    P = aim.T @ aim + 1e-4 * np.eye(7)
    problem = make_qpcc(
        P, -1.0 * aim[0], np.eye(7)[1:], np.zeros(6), E, f, lb=np.zeros(7), ub=np.r_[1.0, np.full(6, np.inf)]
    )
    static = solve_static(problem)
    assert static.feasible
    found = solve(problem, budget=PLAIN)
    assert found.modes[0] == BREAK
    assert found.x[0] == pytest.approx(1.0 / 1.0001, rel=1e-9)
    assert found.objective < static.objective


def test_static_contacts_that_cannot_be_and_both_fallbacks():
    """A body that is torn apart faster than friction and muscles can hold."""
    problem = make_body(2, 2, 2, friction=0.05, airborne=5.0)
    last = np.zeros(problem.size)
    last[:2] = 0.3
    start = Start(np.full(2, -1), last=last)
    soft, held = solve_static(problem, start), solve_static(problem, start, fallback="hold")
    assert (soft.status, soft.fallback, held.status, held.fallback) == (
        "infeasible",
        "soft",
        "infeasible",
        "hold",
    )
    assert soft.infeasible == 1
    np.testing.assert_array_equal(held.x[:2], last[:2])
    assert problem.measure(held.x) < 1e-9
    assert (soft.x[2:] >= -1e-9).all()
    free = solve_static(problem, touching=np.array([False, False]))
    assert free.feasible
    assert free.modes.tolist() == [BREAK, BREAK]


def test_the_lcp_at_the_last_muscles_gives_a_start():
    """Static contacts are impossible and nothing else is known: contacts at the last muscles lead to a point."""
    problem = make_body(2, 2, 2, friction=0.05, airborne=5.0)
    last = np.zeros(problem.size)
    assert problem.measure(hold_and_touch(problem, last)) < 1e-9
    found = solve(problem, Start(np.full(2, -1), last=last), budget=Budget(nodes=2, branch=False))
    assert (found.origin, found.infeasible) == ("lcp", 1)
    assert problem.measure(found.x) < 1e-9


def test_no_feasible_point_is_told_and_the_last_one_held():
    problem = make_body(1, 2, 1)
    impossible = replace(problem, G=np.eye(problem.size)[:1], h=np.array([-2.0]))
    last = np.full(problem.size, 0.25)
    found = solve(impossible, Start(np.array([-1]), last=last))
    assert (found.status, found.fallback, found.bound, found.objective) == (
        "infeasible",
        "hold",
        np.inf,
        np.inf,
    )
    assert found.infeasible == found.nodes > 0
    np.testing.assert_array_equal(found.x[:2], last[:2])


def test_every_mode_of_a_contact_is_what_its_name_says():
    problem = make_body(7, 12, 1, rank=2)
    (contact,) = find_contacts(problem)
    pieces = make_pieces(problem.pairs, [contact])
    program = Program(problem)
    solved = 0
    for mode in range(18):
        answer = program.solve(pieces.choose(np.array([mode])))
        if not np.isfinite(answer.value):
            continue
        solved += 1
        a, e = problem.find_pairs(answer.x)
        assert problem.measure(answer.x) < 1e-8
        if mode == BREAK:
            assert np.abs(a[:9]).max() == 0.0
        elif mode == STATIC:
            assert np.abs(e[:9]).max() < 1e-9
        else:
            along = [contact.directions[(mode - SLIDE) % 8 + k] for k in range(1 + (mode >= SLIDE + 8))
                     if (mode - SLIDE) % 8 + k < 8]  # fmt: skip
            assert np.abs(e[[contact.normal, *along]]).max() < 1e-9
            assert e[contact.cone] == pytest.approx(0.0, abs=1e-9)
    assert solved >= 10


@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_a_hessian_known_as_diagonal_and_low_rank_gives_the_same(seed):
    problem = make_body(seed, 8, 2, rank=3)
    weight = np.concatenate([np.full(8, 0.05), np.full(18, 1e-2), np.full(2, 1e-3)])
    sizes, vectors = np.linalg.eigh(problem.P - np.diag(weight))
    rows = (vectors[:, -3:] * np.sqrt(sizes[-3:])).T
    known = replace(problem, P=rows.T @ rows + np.diag(weight), factor=(weight, rows))
    first, second = solve(problem, budget=PROOF), solve(known, budget=PROOF)
    assert second.objective == pytest.approx(first.objective, abs=1e-8 * (1.0 + abs(first.objective)))
    assert known.measure(second.x) < 1e-8
