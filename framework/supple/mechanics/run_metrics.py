"""The figures that every run offers under the name `run`, known without building a world."""

from __future__ import annotations

from supple.core.component import Metric

RUN_METRICS = (
    Metric("residual_worst", "m/s", "Worst natural-map residual of any step.", "max"),
    Metric("residual_settled", "m/s", "Worst residual in the last fifth of the run.", "max", settled=True),
    Metric("penetration_worst", "m", "Deepest penetration of any contact.", "max"),
    Metric(
        "joint_error_worst",
        "m",
        "Greatest distance of anchors of a joint or grasp that belong together.",
        "max",
    ),
    Metric("contacts", "1", "Contacts that were solved for, on average.", "mean"),
    Metric("sweeps", "1", "Iterations of the solver, on average.", "mean"),
    Metric(
        "unsolved_steps",
        "1",
        "Steps that stayed unsolved: with a residual above run.allowed_residual.",
        "last",
    ),
    Metric("solver_failures", "1", "Steps whose solve fell short of its tolerance.", "last"),
    Metric("solver_rescues", "1", "Steps in which a better solver had to help.", "last"),
    Metric("halved_steps", "1", "Steps that were taken in parts, since they failed as a whole.", "last"),
    Metric(
        "deep_steps",
        "1",
        "Steps in which something was as deep in something else as half of the thinner, and did not begin so.",
        "last",
    ),
    Metric("kinetic_energy", "J", "Kinetic energy at the end.", "last"),
    Metric(
        "potential_energy",
        "J",
        "Potential energy at the end, zero at the origin, with what springs and drives have stored.",
        "last",
    ),
    Metric("stored_energy", "J", "What springs and drives have stored at the end.", "last"),
    Metric("energy_initial", "J", "Kinetic and potential energy at the start.", "last"),
    Metric("contact_work", "J", "Work of all rows; contacts take energy, so it is negative.", "last"),
    Metric("applied_work", "J", "Work of applied forces.", "last"),
    Metric(
        "numerical_loss", "J", "Energy that springs and drives lost because they are taken in steps.", "last"
    ),
    Metric(
        "energy_unaccounted", "J", "Change of energy that no work explains: the integrator's error.", "last"
    ),
)

STEP_TIME = Metric(
    "step_time", "s", "CPU time of a step, the median of all; only claims may ask for it.", "last"
)
"""A figure of the machine and not of the scene: no run reports it as its own, lest equal runs differ."""
