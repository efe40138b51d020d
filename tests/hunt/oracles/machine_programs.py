"""Linear programming machines: the least values by HiGHS, of programmes written out from the documentation."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize

from hunt.oracles.machine_problem import EPS, Array, Fitted, Problem
from hunt.verdict import Judge, NotApplicable


def keep_consistent(settings: dict[str, Any]) -> None:
    """Leave out what other options refuse."""
    if settings.get("multiclass") == "ww":
        settings.pop("machine", None)
        settings.pop("select", None)
    if "nu" in settings:
        settings.pop("select", None)
    if settings.get("machine") != "loo":
        settings.pop("own_share", None)


def program(
    rows: Array, constants: Array, w: Array, price: float, *, gaps: Array | None = None, one_sign: bool = False
) -> float:
    """Min Σ w ξ + price Σ|a|,  rows a + constants b + ξ ≥ gaps (1), ξ ≥ 0, and a ≥ 0 where they have one sign."""
    n, m = rows.shape
    parts = [rows] if one_sign else [rows, -rows]
    left = np.hstack([*parts, constants, -constants, np.eye(n)])
    # Its tolerances are absolute, and slopes are to be small against the price.
    cost = np.concatenate([np.ones(m * len(parts)), np.zeros(2 * constants.shape[1]), w / price])
    limits = np.ones(n) if gaps is None else gaps
    found = scipy.optimize.linprog(cost, A_ub=-left, b_ub=-limits, method="highs")
    if found.status != 0:
        raise NotApplicable(f"HiGHS: {found.message}")
    return price * float(found.fun)


def margin_program(rows: Array, constants: Array, w: Array, nu: float, *, one_sign: bool = False) -> float:
    """Min Σ w ξ / Σ w − ν ρ,  rows a + constants b + ξ ≥ ρ, Σ|a| = 1, ξ, ρ ≥ 0."""
    n, m = rows.shape
    unit = float(np.abs(rows).max()) or 1.0
    parts = [rows / unit] if one_sign else [rows / unit, -rows / unit]
    left = np.hstack([*parts, constants, -constants, -np.ones((n, 1)), np.eye(n)])
    free = 2 * constants.shape[1]
    cost = np.concatenate([np.zeros(m * len(parts) + free), [-nu], w / w.sum()])
    sums = np.concatenate([np.ones(m * len(parts)), np.zeros(free + 1 + n)])
    found = scipy.optimize.linprog(cost, A_ub=-left, b_ub=np.zeros(n), A_eq=sums[None, :], b_eq=[1], method="highs")
    if found.status != 0:
        raise NotApplicable(f"HiGHS: {found.message}")
    return unit * float(found.fun)


def machines(problem: Problem, K: Array, y: Array) -> list[tuple[Array, Array, Array]]:
    """Rows, constants and repetitions of the weights, of every programme that is solved."""
    n, k = len(y), problem.count
    has_offset = problem.option("intercept") == "yes"
    if problem.option("multiclass") == "ww" and k > 2:
        blocks, constants, which = [], [], []
        for i in range(n):
            for c in range(k):
                if c != y[i]:
                    sides = np.zeros(k)
                    sides[y[i]], sides[c] = 0.5, -0.5
                    blocks.append(np.outer(sides, K[i]).ravel())
                    constants.append(sides if has_offset else sides[:0])
                    which.append(i)
        return [(np.array(blocks), np.array(constants), np.array(which))]
    result = []
    for m in range(1 if k == 2 else k):
        t = np.where(y == (1 if k == 2 else m), 1.0, -1.0)
        rows = t[:, None] * K
        if problem.option("machine") != "l1":
            rows = rows * t[None, :]
        if problem.option("machine") == "loo":
            rows = np.where(np.eye(n, dtype=bool), problem.number("own_share") * rows, rows)
        result.append((rows, t[:, None] if has_offset else np.zeros((n, 0)), np.arange(n)))
    return result


def judge_machines(problem: Problem, judge: Judge, fitted: Fitted) -> None:
    """The objective of the report is the least value; for l1 it is that of the functions, too."""
    used = problem.weights > 0
    w, K, y = problem.weights[used], problem.K[np.ix_(used, used)], problem.targets[used]
    one_sign = problem.option("machine") != "l1"
    is_joint = problem.option("multiclass") == "ww" and problem.count > 2
    factor = 2.0 if is_joint else 1.0  # margins of 2 are halved, and what their losses cost is doubled
    nu = problem.settings.get("nu")
    price = problem.number("lambda")
    if problem.option("select") == "cv":
        if problem.count > 2:
            raise NotApplicable("a penalty for each class")
        price = float(fitted.measures["lambda"])
    rounded = 8 * EPS * len(w) ** 0.5 * float(fitted.sizes(problem.x[used]).max())
    total = 0.0
    for rows, constants, which in machines(problem, K, y):
        if nu is None:
            total += program(rows, constants, factor * w[which], price, one_sign=one_sign)
        else:
            total += margin_program(rows, constants, w[which], float(nu), one_sign=one_sign)
    # The losses are off by as much as their values: what rounding leaves of sums of kernel values.
    size = max(1e-9, 1e6 * rounded * float(w.sum())) if nu is None else float(np.abs(K).max())
    judge.close("linear_program", fitted.objective, total, 1e-6, size=size, what="objective of the report")
    if one_sign:
        return
    leads = leads_of(problem, fitted.values(problem.x[used]), y)
    weight = np.repeat(w, leads.shape[1]).reshape(leads.shape) if leads.shape[1] > 1 else w[:, None]
    if nu is None:
        found = factor * float((weight * np.maximum(0, 1 - leads)).sum())
        found += price * float(np.abs(fitted.coefficients).sum())
        judge.close("report", fitted.objective, found, 1e-6, size=size, what="objective of the report")
        return
    border = 1e-6 + 1e3 * rounded
    for column in [leads] if is_joint or leads.shape[1] == 1 else leads.T:
        part = weight if is_joint or leads.shape[1] == 1 else w
        heavy = float(part.sum())
        judge.at_most(
            "nu", float((part * (column < 1 - border)).sum()), float(nu) * heavy * (1 + 1e-9), "margin errors"
        )
        judge.at_most(
            "nu",
            float(nu) * heavy * (1 - 1e-9),
            float((part * (column <= 1 + border)).sum()),
            "nu on the margin or beyond",
        )


def leads_of(problem: Problem, values: Array, y: Array) -> Array:
    """By how much every row is right, in units of the margin: per machine, or per other class where all are in one."""
    if values.shape[1] == 1:
        return np.where(y == 1, 1.0, -1.0)[:, None] * values
    if problem.option("multiclass") == "ww":
        own = np.take_along_axis(values, y[:, None], axis=1)
        others = np.array([[c for c in range(values.shape[1]) if c != yi] for yi in y])
        return (own - np.take_along_axis(values, others, axis=1)) / 2
    return np.where(y[:, None] == np.arange(values.shape[1]), 1.0, -1.0) * values
