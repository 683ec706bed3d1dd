"""Gains that balance the pole on its cart, found by CMA-ES in `supple.gym`.

    python tools/examples/cma_es.py [--generations 12]

The evolution strategy is Hansen's with its usual constants (N. Hansen: The CMA Evolution Strategy: A Tutorial, 2016).
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np

from supple.gym import SceneEnv

TASK = Path(__file__).resolve().parents[2] / "scenes" / "control" / "balance_task.toml"
SEEDS = (1, 2)


class Strategy:
    """Covariance matrix adaptation: a cloud of points that learns the shape of the landscape."""

    def __init__(self, mean: np.ndarray, spread: float, seed: int) -> None:
        n = len(mean)
        self.n, self.mean, self.spread = n, mean, spread
        self.size = 4 + int(3 * math.log(n))
        weights = np.log(self.size / 2 + 0.5) - np.log(np.arange(1, self.size // 2 + 1))
        self.weights = weights / weights.sum()
        self.effective = 1.0 / (self.weights**2).sum()
        m = self.effective
        self.c_path, self.c_spread = (4 + m / n) / (n + 4 + 2 * m / n), (m + 2) / (n + m + 5)
        self.c_one = 2 / ((n + 1.3) ** 2 + m)
        self.c_rank = min(1 - self.c_one, 2 * (m - 2 + 1 / m) / ((n + 2) ** 2 + m))
        self.damping = 1 + 2 * max(0.0, math.sqrt((m - 1) / (n + 1)) - 1) + self.c_spread
        self.length = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
        self.covariance, self.path, self.spread_path = np.eye(n), np.zeros(n), np.zeros(n)
        self.rng, self.generation = np.random.default_rng(seed), 0

    def ask(self) -> np.ndarray:
        """Points to try [size, n]."""
        values, axes = np.linalg.eigh(self.covariance)
        self.root = axes * np.sqrt(np.maximum(values, 1e-20))
        self.inverse_root = (axes / np.sqrt(np.maximum(values, 1e-20))) @ axes.T
        return self.mean + self.spread * self.rng.normal(size=(self.size, self.n)) @ self.root.T

    def tell(self, points: np.ndarray, costs: np.ndarray) -> None:
        """Learn from what the points cost."""
        self.generation += 1
        steps = (points[np.argsort(costs)[: len(self.weights)]] - self.mean) / self.spread
        step = self.weights @ steps
        self.mean = self.mean + self.spread * step
        keep = 1 - self.c_spread
        self.spread_path = keep * self.spread_path + math.sqrt(
            self.c_spread * (2 - self.c_spread) * self.effective
        ) * (self.inverse_root @ step)
        long = np.linalg.norm(self.spread_path) / math.sqrt(1 - keep ** (2 * self.generation))
        moves = long < (1.4 + 2 / (self.n + 1)) * self.length
        self.path = (1 - self.c_path) * self.path
        if moves:
            self.path = self.path + math.sqrt(self.c_path * (2 - self.c_path) * self.effective) * step
        rank = (steps * self.weights[:, None]).T @ steps
        stalled = 0.0 if moves else self.c_path * (2 - self.c_path)
        self.covariance = (
            (1 - self.c_one - self.c_rank + self.c_one * stalled) * self.covariance
            + self.c_one * np.outer(self.path, self.path)
            + self.c_rank * rank
        )
        self.spread *= math.exp(
            self.c_spread / self.damping * (np.linalg.norm(self.spread_path) / self.length - 1)
        )


def find_cost(env: SceneEnv, gains: np.ndarray) -> float:
    """What is lost against the best reward there is, over a few episodes."""
    lost = 0.0
    for seed in SEEDS:
        observation, _ = env.reset(seed=seed)
        over, total = False, 0.0
        while not over:
            observation, reward, ended, late, _ = env.step(np.array([gains @ observation]))
            total, over = total + reward, ended or late
        lost += env.decisions - total
    return lost / len(SEEDS)


def improve(generations: int, seed: int = 0) -> tuple[np.ndarray, list[float]]:
    """The gains, and what the best of every generation cost; the first is that of no control."""
    env = SceneEnv(TASK)
    strategy = Strategy(np.zeros(4), 2.0, seed)
    best, costs = np.zeros(4), [find_cost(env, np.zeros(4))]
    for _ in range(generations):
        points = strategy.ask()
        found = np.array([find_cost(env, point) for point in points])
        if found.min() < min(costs):
            best = points[found.argmin()]
        costs.append(float(found.min()))
        strategy.tell(points, found)
    return best, costs


def main() -> None:
    """Print how it goes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--generations", type=int, default=12)
    best, costs = improve(parser.parse_args().generations)
    for number, cost in enumerate(costs):
        print(f"generation {number:3}: cost {cost:8.3f}")
    print("gains", np.round(best, 2).tolist())


if __name__ == "__main__":
    main()
