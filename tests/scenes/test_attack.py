"""Damaged files of every kind end in a run or a refusal: no traceback, no crash, no hang, no memory without end."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from attack import KINDS, attack

pytestmark = pytest.mark.skipif(
    os.name == "nt", reason="limits of memory and waiting on pipes are those of Unix"
)

CASES = {"scene": 300}
OTHERS = 60
PATIENCE = 120.0
"""How long a case may take here [s], where others may keep the machine busy or kernels may have to be compiled."""


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_run_or_are_refused(kind: str, tmp_path: Path) -> None:
    # The same cases on a build machine, so that a red run means a change; elsewhere new ones.
    first = "build" if os.environ.get("CI") else str(random.SystemRandom().randrange(10**9))
    seeds = [f"{first}.{number}" for number in range(CASES.get(kind, OTHERS))]
    cases = list(attack(kind, seeds, tmp_path, PATIENCE))
    faults = [f"{kind} {seed}: {end}: {fault}" for seed, end, fault in cases if fault]
    assert not faults, "\n".join(faults)
    refused = sum(end == "refused" for _, end, _ in cases)
    assert refused > len(cases) // 4, "the damage is too gentle to test anything"
