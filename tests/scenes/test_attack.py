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


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_run_or_are_refused(kind: str, tmp_path: Path) -> None:
    # The same cases on a build machine, so that a red run means a change; elsewhere new ones.
    first = "build" if os.environ.get("CI") else str(random.SystemRandom().randrange(10**9))
    seeds = [f"{first}.{number}" for number in range(CASES.get(kind, OTHERS))]
    cases = list(attack(kind, seeds, tmp_path))
    faults = [f"{kind} {case.seed}: {case.end}: {case.fault}" for case in cases if case.fault]
    assert not faults, "\n".join(faults)
    refused = sum(case.end == "refused" for case in cases)
    assert refused > len(cases) // 4, "the damage is too gentle to test anything"
