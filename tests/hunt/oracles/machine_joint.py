"""Machines that find all classes in one problem (ww), judged by the conditions of optimality of their coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt.oracles.machine_margin import PRICES, SOLVER, rounding, spread
from hunt.oracles.machine_problem import Problem, draw_problem, judge_classes
from hunt.verdict import Judge, NotApplicable

OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "svc": {"C": PRICES[:3], "tolerance": SOLVER["tolerance"][:2]},
    "nusvc": {"nu": ("0.5", "0.2", "0.9"), "tolerance": ("0.001", "0.01")},
}


def draw(pick: Any, model: str) -> dict[str, Any]:
    """Three classes or four in one problem."""
    facts = draw_problem(pick, model, OPTIONS[model], fewest=6)
    facts["settings"]["multiclass"] = "ww"
    facts["joint"] = pick(st.just(True))
    return facts


def judge_joint(problem: Problem, judge: Judge) -> None:
    """Coefficients within their bounds that sum to 0 by row and by class, and margins of 2 where they say so."""
    if problem.count < 3:
        raise NotApplicable("two classes are one machine")
    fitted = problem.fit()
    fitted.demand_convergence()
    tolerance, rows = problem.number("tolerance"), len(problem.x)
    B = np.column_stack([spread(fitted, c, rows) for c in range(problem.count)])
    values = problem.K @ B + fitted.offset
    noise = max(rounding(problem.K, B[:, c], float(fitted.offset[c])) for c in range(problem.count))
    own = np.zeros_like(B, dtype=bool)
    own[np.arange(rows), problem.targets] = True
    a = np.where(own, 0.0, -B)
    pairs = (problem.count - 1) * float(problem.weights.sum())
    price = problem.number("C") if problem.model == "svc" else 2 / fitted.measures["rho"]
    size = float(np.abs(B).sum())
    bounds = price * problem.weights[:, None]
    judge.at_most("feasible", float(np.abs(B.sum(axis=1)).max()), 1e-9 * size, "sum of a row's coefficients")
    judge.at_most("feasible", float(-a.min()), 1e-12 * size, "coefficient on the wrong side")
    judge.at_most("feasible", float((a - bounds).max()), 1e-9 * float(bounds.max()), "coefficient above its bound")
    # The offsets are those of a method of multipliers: sums vanish within the tolerance, in the units of coefficients.
    unit = min(1 / max(float(np.abs(np.diag(problem.K)).mean()), 1e-300), float(bounds.mean()))
    judge.at_most("feasible", float(np.abs(B.sum(axis=0)).max()), 2 * tolerance * unit + 1e-9 * size, "sum of a class")
    if problem.model == "nusvc":
        found = float(a.sum()) / (price * pairs)
        judge.at_most("nu", abs(found - problem.number("nu")), 2 * tolerance * problem.number("nu"), "miss of nu")
    missing = 2 + values - values[own][:, None]
    counted = ~own & (problem.weights > 0)[:, None]
    low = counted & (a < bounds * (1 - 1e-9))
    high = counted & (a > 1e-9 * max(float(a.max()), 1e-300))
    worst = max(float(missing[low].max(initial=0)), float(-missing[high].min(initial=0)))
    judge.at_most("kkt", worst, 4 * tolerance + 4 * noise, "violation of the conditions of optimality")
    fitted.judge_expansion(judge, 4 * tolerance)
    judge_classes(judge, fitted)
    problem.covers(judge, "C" if problem.model == "svc" else "nu", "tolerance")
