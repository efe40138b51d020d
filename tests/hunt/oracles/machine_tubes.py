"""Regression with tubes of other kinds: judged by feasibility and by the gap of primal and dual."""

from __future__ import annotations

import numpy as np

from hunt.oracles.machine_problem import EPS, Array, Fitted, Problem
from hunt.verdict import Judge

USUAL = {"errors": "each", "slack": "linear", "sides": "both", "tube": "constant", "loss": "insensitive"}


def is_usual(problem: Problem) -> bool:
    """Whether a machine has slack beyond one tube of two sides."""
    names = ("errors", "slack") if problem.model == "svr" else ("sides", "slack", "tube", "loss")
    return all(problem.option(name) == USUAL[name] for name in names)


def judge_tubes(problem: Problem, judge: Judge, fitted: Fitted, beta: Array, scale: float, unit: float) -> None:
    """Judge by the gap; scale: what targets were divided by, unit: what the tolerance is relative to."""
    y, K, b = problem.targets, problem.K, float(fitted.offset[0])
    prices = problem.number("C") * scale * problem.weights
    used = problem.weights > 0
    g = K @ beta
    norm, linear = float(beta @ g), float(beta @ y)
    residuals = (y - g - b)[used]
    size = float(np.abs(y).max()) + abs(b) + float((np.abs(K) @ np.abs(beta)).max())
    slip = 4 * problem.number("tolerance") * unit + 64 * EPS * len(y) * size
    total = float(prices.sum())
    hard = problem.option("slack") == "none"
    judge.holds("feasible", bool((beta[~used] == 0).all()), "coefficients of rows of weight 0")
    if problem.model == "svr" and problem.option("errors") == "overall":
        epsilon = problem.tube(scale)
        share = float((np.abs(beta)[used] / prices[used]).max())
        judge.at_most("feasible", share, 1 + 1e-9, "coefficient above its bound")
        error = float(prices[used] @ np.abs(residuals)) / total
        primal = norm / 2 + total * max(0.0, error - epsilon)
        dual = linear - norm / 2 - share * epsilon * total
        allowed = slip * total * (share if error <= epsilon + slip else 1.0)
        judge.at_most("gap", primal - dual, allowed + 1e-9 * abs(primal), "duality gap of the overall tube")
        if error > epsilon + slip:
            judge.close("mean_error", share, 1.0, 1e-6, what="share of C where the mean error is above epsilon")
        return
    if problem.model == "svr":
        epsilon = problem.tube(scale)
        judge.at_most("hard", float(np.abs(residuals).max()) - epsilon, slip, "how far a row is out of a hard tube")
        dual = linear - epsilon * float(np.abs(beta).sum()) - norm / 2
        allowed = slip * float(np.abs(beta).sum()) + 1e-6 * norm
        judge.at_most("gap", norm / 2 - dual, allowed, "duality gap of the hard tube")
        return
    price = problem.number("nu") * total
    if problem.option("loss") == "huber":
        judge_scale(problem, judge, fitted, beta, residuals, slip)
        return
    if problem.option("sides") != "both":
        side = 1.0 if problem.option("sides") == "above" else -1.0
        judge.at_most("feasible", float(-(side * beta).min()), 1e-12 * price, "coefficient on the wrong side")
        judge.close("feasible", float(side * beta.sum()), price, 1e-9, what="sum of coefficients")
        beyond = np.maximum(0.0, side * residuals)
        if hard:
            judge.at_most("hard", float(beyond.max()), slip, "how far a row is beyond a hard side")
        else:
            judge.at_most("feasible", float((np.abs(beta) - prices).max()), 1e-9 * prices.max(), "above its bound")
        primal = norm / 2 + price * side * b + (0.0 if hard else float(prices[used] @ beyond))
        judge.at_most("gap", primal - (linear - norm / 2), slip * total + 1e-9 * abs(primal), "duality gap")
        return
    judge_widths(problem, judge, fitted, beta, residuals, slip)


def judge_widths(problem: Problem, judge: Judge, fitted: Fitted, beta: Array, residuals: Array, slip: float) -> None:
    """A tube of two sides whose widths were found, of any shape, with slack or without."""
    used = problem.weights > 0
    prices = problem.number("C") * deviation_of(problem) * problem.weights
    price = problem.number("nu") * float(prices.sum())
    shapes = shapes_of(problem)
    found = fitted.arrays.get("tube", fitted.arrays["widths"])[:, 0]
    widths = shapes @ found
    judge.at_most("nu", float(-found.min()), 0.0, "minus a width")
    spent = np.abs(beta) @ shapes
    judge.at_most("nu", float((spent - price).max()), 1e-6 * price, "what coefficients spend on a width")
    beyond = np.maximum(0.0, np.abs(residuals) - widths[used])
    norm = float(beta @ problem.K @ beta)
    hard = problem.option("slack") == "none"
    if hard:
        judge.at_most("hard", float(beyond.max()), slip, "how far a row is out of a hard tube")
    else:
        judge.at_most("feasible", float((np.abs(beta) - prices).max()), 1e-9 * prices.max(), "above its bound")
    primal = norm / 2 + price * float(found.sum()) + (0.0 if hard else float(prices[used] @ beyond))
    dual = float(beta @ problem.targets) - norm / 2
    allowed = slip * max(price, float(np.abs(beta).sum()) if hard else float(prices.sum())) + 1e-6 * abs(primal)
    judge.at_most("gap", primal - dual, allowed, "duality gap of the tube")


def judge_scale(problem: Problem, judge: Judge, fitted: Fitted, beta: Array, residuals: Array, slip: float) -> None:
    """Huber's loss, whose scale was found: the dual has a ball for it."""
    used = problem.weights > 0
    prices = (problem.number("C") * deviation_of(problem) * problem.weights)[used]
    price = problem.number("nu") * float(prices.sum())
    scale = float(fitted.arrays["scales"].ravel()[0])
    judge.close("report", fitted.measures["sigma"], scale, 1e-9, what="sigma of the report")
    judge.at_most("nu", -scale, 0.0, "minus the scale")
    judge.at_most("feasible", float((np.abs(beta[used]) - prices).max()), 1e-9 * prices.max(), "above its bound")
    ball = float((beta[used] ** 2 / prices).sum())
    judge.at_most("nu", ball, price * (1 + 1e-6), "sum of squares of the coefficients over their bounds")
    errors = np.abs(residuals)
    loss = np.where(errors < scale, errors**2 / (2 * max(scale, 1e-300)), errors - scale / 2)
    norm = float(beta @ problem.K @ beta)
    primal = norm / 2 + float(prices @ loss) + price * scale / 2
    dual = float(beta @ problem.targets) - norm / 2
    judge.at_most("gap", primal - dual, slip * float(prices.sum()) + 1e-6 * abs(primal), "duality gap of the scale")


def deviation_of(problem: Problem) -> float:
    """What targets are divided by."""
    if problem.option("standardize") == "no":
        return 1.0
    y, w = problem.targets, problem.weights
    mean = float(w @ y / w.sum())
    found = float(np.sqrt(w @ (y - mean) ** 2 / w.sum()))
    return found if found > 1e-12 * float(np.abs(y).max()) else 1.0


def shapes_of(problem: Problem) -> Array:
    """The functions of the tube at the rows, a column each."""
    ones = np.ones((len(problem.x), 1))
    columns = np.asarray(problem.x, dtype=float)
    return {
        "constant": ones,
        "linear": columns,
        "linear[0]": columns[:, :1],
        "constant + linear[0]": np.hstack([ones, columns[:, :1]]),
    }[problem.option("tube")]
