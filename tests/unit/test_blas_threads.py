"""BLAS works with one thread unless the user wants more: small matrices only wait for others."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(("given", "expected"), [(None, "1"), ("3", "3")])
def test_threads_of_blas(given, expected):
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    if given:
        environment["OPENBLAS_NUM_THREADS"] = given
    program = "import supple, os; print(os.environ['OPENBLAS_NUM_THREADS'])"
    said = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == expected
