"""Regularised risks whose kernel matrix is of low rank: no function of the rows that are kept is better."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.optimize

from hunt.oracles.machine_problem import EPS, Array, Fitted, Problem
from hunt.verdict import Judge, NotApplicable

LEFT_OUT = "share of the kernel left out"


def judge_rank(
    problem: Problem, fitted: Fitted, judge: Judge, machines: list[tuple[Array, Array, float, Callable[[Array], float]]]
) -> float:
    """Each machine as (coefficients, kernel functions at rows, constant, risk of values): its objective is a minimum.

    A better point is a proof of its own, wherever it comes from: the search for one may fail and prove nothing.
    """
    rank = int(problem.settings["rank"])
    judge.at_most("rank", float(len(fitted.centres)), float(rank), "rows that are kept")
    K = fitted.gram(fitted.centres, fitted.centres)
    spread, axes = np.linalg.eigh(K)
    kept = spread > 1e-10 * spread.max(initial=0)
    free = problem.option("parametric") == "constant"
    total = 0.0
    for coefficients, columns, constant, risk in machines:
        found = float(coefficients @ K @ coefficients) / 2 + risk(columns @ coefficients + constant)
        total += found
        if not kept.all():
            continue
        scaled = axes / np.sqrt(spread)  # columns of coefficients whose functions are orthonormal
        steps = columns @ scaled

        def objective(z: Array, steps: Array = steps, risk: Callable[[Array], float] = risk) -> float:
            with np.errstate(over="ignore"):
                value = float(z[:-1] @ z[:-1]) / 2 + risk(steps @ z[:-1] + (z[-1] if free else 0.0))
            return value if np.isfinite(value) else 1e300

        start = np.append(scaled.T @ (K @ coefficients), constant)
        rounded = 256 * EPS * float(np.abs(coefficients) @ np.abs(K) @ np.abs(coefficients))
        noise = rounded + 1e-5 * abs(found) + 1e-11 * risk(np.zeros(len(columns)))
        judge.at_most("start", abs(objective(start) - found), noise, "the same point in other coordinates")
        best = scipy.optimize.minimize(objective, start, method="L-BFGS-B", options={"maxiter": 30})
        judge.at_most("optimum", found - float(best.fun), noise, "a better point was found")
    return total


def judge_whole(problem: Problem, fitted: Fitted, judge: Judge) -> None:
    """The whole matrix gives no worse an optimum, and the same where nothing of it is left out."""
    whole = problem.fit(settings={**problem.settings, "rank": "0"})
    if whole.status != "converged":
        raise NotApplicable(f"status {whole.status}")
    size = max(abs(whole.objective), abs(fitted.objective))
    judge.at_most("rank", whole.objective - fitted.objective, 1e-5 * size + 1e-11, "less than the whole matrix gives")
    if fitted.measures.get(LEFT_OUT, 1.0) <= 1e-14:
        judge.at_most("rank", fitted.objective - whole.objective, 1e-4 * size + 1e-11, "more than the whole matrix")
