"""Quantile regression: the conditions of optimality of every level, values in order, what lies between levels."""

from __future__ import annotations

from typing import Any

import numpy as np

from hunt import engine
from hunt.oracles.machine_margin import PRICES, SOLVER, deviation, merged, rounding, spread, target_unit
from hunt.oracles.machine_problem import EPS, Array, Fitted, Problem, draw_problem
from hunt.verdict import Judge

OPTIONS = {
    "C": PRICES,
    "quantiles": ("0.5", "0.1,0.9", "0.9,0.5,0.1", "0.01,0.3,0.31,0.99"),
    "crossing": ("rearranged", "allowed"),
    "standardize": ("yes", "no"),
    **SOLVER,
}


def draw(pick: Any, model: str) -> dict[str, Any]:
    """A machine on vectors, of one row at least."""
    return draw_problem(pick, model, OPTIONS, fewest=1)


def judge_kqr(problem: Problem, judge: Judge) -> None:
    """All levels, then what is said of new rows."""
    fitted = problem.fit()
    fitted.demand_convergence()
    levels = np.sort([float(level) for level in problem.option("quantiles").split(",")])
    for number, level in enumerate(levels):
        judge_level(problem, judge, fitted, number, float(level))
    judge_values(problem, judge, fitted, levels)
    problem.covers(judge, "C", "quantiles", "crossing", "standardize", "tolerance")


def judge_level(problem: Problem, judge: Judge, fitted: Fitted, number: int, level: float) -> None:
    """Coefficients in their box that sum to 0, and no error where one is not at its bound."""
    y, K = problem.targets, problem.K
    prices = problem.number("C") * deviation(problem) * problem.weights
    beta, prices = merged(np.column_stack([problem.x, y]), spread(fitted, number, len(y)), prices)
    high, low = level * prices, (level - 1) * prices
    size = float(prices.max())
    steps = float(fitted.model.report["iterations"]) + len(y)
    allowed = 1e-9 * float(np.abs(beta).sum()) + EPS * steps * size
    judge.at_most("feasible", abs(float(beta.sum())), allowed, f"level {level}: sum of coefficients")
    judge.at_most("feasible", float((beta - high).max()), 1e-9 * size, f"level {level}: coefficient above its bound")
    judge.at_most("feasible", float((low - beta).max()), 1e-9 * size, f"level {level}: coefficient below its bound")
    b = float(fitted.offset[number])
    residuals = y - K @ beta - b
    room = 1e-9 * size
    violation = max(
        float(residuals[(beta < high - room)].max(initial=0)), float((-residuals)[beta > low + room].max(initial=0))
    )
    rough = rounding(K, beta, b) + 8 * EPS * float(np.abs(y).max())
    bound = 4 * problem.number("tolerance") * target_unit(problem) + rough
    judge.at_most("kkt", violation, bound, f"level {level}: violation of the conditions of optimality")


def judge_values(problem: Problem, judge: Judge, fitted: Fitted, levels: Array) -> None:
    """Quantiles of new rows are the functions, in order where they are rearranged; others lie between them."""
    x = problem.queries
    allowed = problem.option("crossing") == "allowed"
    expected = fitted.values(x)
    shown = expected if allowed else np.sort(expected, axis=1)
    size = float(fitted.sizes(x).max()) + float(np.abs(problem.targets).max()) or 1.0
    tolerance = 2 * problem.number("tolerance") * target_unit(problem) / size + 1e-11
    rows = engine.samples(x)
    found = np.asarray(engine.called(fitted.model.quantiles, rows, list(levels)))
    judge.close("expansion", found, shown, tolerance, size=size, what="quantiles of new rows")
    middle = int(np.argmin(np.round(np.abs(levels - 0.5), 12)))
    judge.same("prediction_rule", fitted.predict(x), found[:, middle], "predictions")
    if not allowed:
        judge.holds("order", bool((np.diff(found, axis=1) >= 0).all()), "quantiles cross")
    ordered = np.sort(expected, axis=1)
    for k in range(len(levels) - 1):
        between = np.asarray(engine.called(fitted.model.quantiles, rows, [(levels[k] + levels[k + 1]) / 2])).ravel()
        halfway = (ordered[:, k] + ordered[:, k + 1]) / 2
        judge.close("between", between, halfway, tolerance, size=size, what="quantiles between two levels")
