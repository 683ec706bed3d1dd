"""Torques of joints that are given from Python."""

from __future__ import annotations

from supple.core.jit import njit


@njit
def add_commands(command, force_out):
    """force_out += command."""
    for k in range(command.shape[0]):
        force_out[k] += command[k]
