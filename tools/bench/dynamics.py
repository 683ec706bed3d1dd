"""What a controller asks of a humanoid of 47 degrees of freedom: mass matrix, bias, a Jacobian, momenta.

pinocchio does the same work in the same run where it is installed.
"""

from __future__ import annotations

import importlib.util

import numpy as np
from humanoid import CASES, load
from measuring import Result, time_repeatedly

CALLS = 2000


def measure_supple(repeat: int) -> list[Result]:
    world = load(*CASES[0][1:])
    q, results = world.array("skeleton.q"), []
    skeletons = next(each for each in world.members("mechanisms") if each.name == "skeleton")
    for name, dynamics in (
        ("one skeleton", skeletons.dynamics("man")),
        ("world.dynamics", world.dynamics("man")),
    ):
        n = dynamics.size
        tip = dynamics.rate_labels[-1]
        M, bias, J = np.zeros((n, n)), np.zeros(n), np.zeros((3, n))

        def ask(dynamics=dynamics, tip=tip, M=M, bias=bias, J=J) -> None:
            for call in range(CALLS):
                q[-1] = 1e-6 * call  # a new state each time, for an old one is remembered
                dynamics.mass_matrix(M)
                dynamics.bias(bias)
                dynamics.point_jacobian(tip, out=J)

        def ask_again(dynamics=dynamics, tip=tip, J=J) -> None:
            for _ in range(CALLS):
                dynamics.point_jacobian(tip, out=J)

        def sum_up(dynamics=dynamics) -> None:
            for call in range(CALLS):
                q[-1] = 1e-6 * call
                dynamics.momentum_matrix()

        results += [
            time_repeatedly(f"supple {name}: M, bias, J", ask, repeat=repeat, per=CALLS),
            time_repeatedly(f"supple {name}: another J", ask_again, repeat=repeat, per=CALLS),
            time_repeatedly(f"supple {name}: momentum matrix", sum_up, repeat=repeat, per=CALLS),
        ]
    return results


def measure_pinocchio(repeat: int) -> list[Result]:
    import pinocchio
    from humanoid import make_pinocchio

    model = make_pinocchio()
    state, q = model.createData(), pinocchio.neutral(model)
    v, last = np.ones(model.nv), model.njoints - 1
    frame = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED

    def ask() -> None:
        for _ in range(CALLS):
            pinocchio.crba(model, state, q)
            pinocchio.nonLinearEffects(model, state, q, v)
            pinocchio.computeJointJacobians(model, state, q)
            pinocchio.getJointJacobian(model, state, last, frame)

    def sum_up() -> None:
        for _ in range(CALLS):
            pinocchio.computeCentroidalMap(model, state, q)

    return [
        time_repeatedly("pinocchio: M, bias and gravity, J", ask, repeat=repeat, per=CALLS),
        time_repeatedly("pinocchio: momentum matrix", sum_up, repeat=repeat, per=CALLS),
    ]


def measure(repeat: int) -> list[Result]:
    results = measure_supple(repeat)
    if importlib.util.find_spec("pinocchio"):
        results += measure_pinocchio(repeat)
    return results
