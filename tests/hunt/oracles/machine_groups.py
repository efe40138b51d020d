"""Classifiers with one slack per group of rows, judged by the conditions of every group and the duality gap."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt.oracles.machine_margin import PRICES, SOLVER, rounding, spread
from hunt.oracles.machine_problem import Array, Problem, draw_problem
from hunt.verdict import Judge

OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "svc": {"C": PRICES, "class_weight": ("c0:3",), "multiclass": ("ovo", "ovr"), "tolerance": SOLVER["tolerance"]},
    "nusvc": {
        "nu": ("0.5", "0.2", "0.9"),
        "class_weight": ("c0:3",),
        "multiclass": ("ovo", "ovr"),
        "tolerance": SOLVER["tolerance"],
    },
}


def draw(pick: Any, model: str) -> dict[str, Any]:
    """A machine on vectors whose rows stand in some groups, or in none."""
    facts = draw_problem(pick, model, OPTIONS[model])
    facts["settings"]["slack"] = "group"
    facts["groups"] = pick(st.sampled_from((1, 2, 4, 8, 100)))
    facts["without"] = pick(st.sampled_from((0, 0, 5)))
    return facts


def groups_of(facts: dict[str, Any], rows: int) -> Array:
    """A group per row; every so many rows have none."""
    groups = (np.arange(rows) * 7) % facts["groups"]
    if facts["without"]:
        groups[:: facts["without"]] = -1
    return np.asarray(groups)


class Groups:
    """The groups of one machine: their numbers per row (-1: no row of it), and their prices, means over their rows."""

    def __init__(self, codes: Array, prices: Array) -> None:
        alone = codes < 0
        codes = np.where(alone, codes.max(initial=0) + 1 + np.arange(len(codes)), codes)
        used = prices > 0
        names, numbers = np.unique(codes[used], return_inverse=True)
        self.numbers = np.full(len(codes), -1)
        self.numbers[used] = numbers.ravel()
        self.bounds = np.bincount(numbers.ravel(), weights=prices[used]) / np.bincount(numbers.ravel())
        self.count = len(names)

    def sums(self, values: Array) -> Array:
        """Of every group."""
        used = self.numbers >= 0
        return np.bincount(self.numbers[used], weights=values[used], minlength=self.count)

    def largest(self, values: Array) -> Array:
        """Of every group, 0 at least."""
        result = np.zeros(self.count)
        used = self.numbers >= 0
        np.maximum.at(result, self.numbers[used], values[used])
        return result


def judge_groups(problem: Problem, judge: Judge, facts: dict[str, Any]) -> None:
    """Every machine of the fit."""
    codes = groups_of(facts, len(problem.x))
    fitted = problem.fit(groups=codes.tolist())
    fitted.demand_convergence()
    tolerance = problem.number("tolerance")
    for m in range(len(fitted.arrays["code"])):
        signs = fitted.arrays["code"][m][problem.targets]
        beta = spread(fitted, m, len(problem.x))
        groups = Groups(codes, np.where(signs != 0, problem.weights, 0.0))
        alpha = signs * beta
        price = problem.number("C") if problem.model == "svc" else 0.0
        if problem.model == "nusvc":
            price = float(np.abs(beta).sum()) / (problem.number("nu") * float(groups.bounds.sum()))  # 1/rho
        bounds = price * groups.bounds
        values = problem.K @ beta + float(fitted.offset[m])
        noise = rounding(problem.K, beta, float(fitted.offset[m]))
        what = f"machine {m}"
        size = float(np.abs(beta).sum())
        judge.at_most("feasible", abs(float(beta.sum())), 1e-9 * size, f"{what}: sum of coefficients")
        judge.at_most("feasible", float(-alpha.min(initial=0)), 1e-12 * size, f"{what}: coefficient on the wrong side")
        sums = groups.sums(alpha)
        # The price of nu is known as well as the sum of the coefficients is what nu asks for.
        slip = 1e-9 if problem.model == "svc" else 2 * tolerance
        judge.at_most("feasible", float((sums - bounds * (1 + slip)).max()), 1e-12 * size, f"{what}: sum of a group")
        missing = np.where(groups.numbers >= 0, 1 - signs * values, 0.0)
        slacks = groups.largest(missing)
        supports = alpha > 1e-9 * float(alpha.max(initial=0))
        behind = np.where(supports, slacks[groups.numbers] - missing, 0.0)
        judge.at_most(
            "kkt", float(behind.max(initial=0)), 4 * tolerance + noise, f"{what}: row before its group's worst"
        )
        square = float(beta @ (values - float(fitted.offset[m])))
        primal = square / 2 + float(bounds @ slacks)
        dual = size - square / 2
        allowed = 4 * tolerance * max(abs(primal), abs(dual), 1e-6 * float(bounds.sum()))
        allowed += noise * float(bounds.sum() + size)
        judge.at_most("gap", abs(primal - dual), allowed, f"{what}: primal {primal:.6g} and dual {dual:.6g} differ")
    fitted.judge_expansion(judge, 2 * tolerance)
    problem.covers(judge, "C" if problem.model == "svc" else "nu", "tolerance")
