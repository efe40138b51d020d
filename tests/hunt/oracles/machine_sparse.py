"""Machines that pay for coefficients: the linear programme by HiGHS, else a search for a better point."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize
from hypothesis import strategies as st

from hunt.oracles.machine_margin import CLASS_WEIGHTS
from hunt.oracles.machine_problem import EPS, STATIONARY, Array, Fitted, Problem, draw_problem, judge_classes
from hunt.oracles.machine_risk import MARGINS, PRICES, row_coefficients
from hunt.verdict import Judge, NotApplicable

PARTS = ("constant", "none")
LOSSES = {
    "riskr": ("laplace", "epsilon_insensitive"),
    "riskc": ("hinge", "squared_hinge", "logistic", "exponential"),
}
# Slopes of losses of the margin that have one everywhere.
SLOPES = {
    "squared_hinge": lambda t: -2 * np.maximum(0, 1 - t),
    "logistic": lambda t: -1 / (1 + np.exp(np.minimum(t, 700))),
    "exponential": lambda t: -np.exp(-t),
}


def draw(pick: Any, model: str) -> dict[str, Any]:
    """A price on coefficients and a loss."""
    options: dict[str, tuple[str, ...]] = {"C": PRICES, "parametric": PARTS}
    if model == "riskc":
        options["class_weight"] = CLASS_WEIGHTS
    facts = draw_problem(pick, model, options, kernels=(*STATIONARY, "poly"))
    facts["settings"].update({"norm": "coefficients", "loss": pick(st.sampled_from(LOSSES[model]))})
    if model == "riskr":
        facts["settings"]["standardize"] = "no"
    return facts


def least_by_highs(K: Array, price: Array, ahead: list[tuple[Array, Array]], constants: int) -> float:
    """The least sum of coefficients and prices times max(0, b - s (K a + constant)), for each (s, b) of ``ahead``."""
    n = len(price)
    one = np.ones((n, constants))
    rows = np.vstack([np.hstack([-s[:, None] * K, s[:, None] * K, -s[:, None] * one, -np.eye(n)]) for s, _ in ahead])
    costs = np.concatenate([np.ones(2 * n), np.zeros(constants), price])
    ends = [(0, None)] * (2 * n) + [(None, None)] * constants + [(0, None)] * n
    limits = np.concatenate([-b for _, b in ahead])
    # Its tolerances are absolute: all of it in units of the right sides.
    unit = float(np.abs(limits).max(initial=0)) or 1.0
    peer = scipy.optimize.linprog(costs, rows, limits / unit, bounds=ends, method="highs")
    if peer.status != 0:
        raise NotApplicable("the peer did not solve it")
    return float(peer.fun) * unit


def judge_optimum(judge: Judge, found: float, peer: float, plain: float) -> None:
    """The objective is the peer's."""
    size = max(abs(peer), 1e-6 * plain, 1e-12)
    judge.at_most("optimum", found - peer, 1e-5 * size, "objective above the peer's")
    judge.at_most("optimum", peer - found, 1e-5 * size, "objective below the peer's")


def judge_sparse(problem: Problem, judge: Judge) -> None:
    """By the model."""
    (judge_numbers if problem.model == "riskr" else judge_margins)(problem, judge)


def judge_numbers(problem: Problem, judge: Judge) -> None:
    """The linear programme of absolute coefficients and a tube, by HiGHS."""
    fitted = problem.fit()
    fitted.demand_convergence()
    used = problem.weights > 0
    K, y = problem.K[np.ix_(used, used)], problem.targets[used].astype(float)
    price = problem.number("C") * problem.weights[used]
    width = 0.1 if problem.settings["loss"] == "epsilon_insensitive" else 0.0
    f = fitted.decide(problem.x[used])[:, 0]
    objective = np.abs(fitted.coefficients).sum() + float(price @ np.maximum(np.abs(f - y) - width, 0))
    plain = float(price @ np.abs(y))
    judge.close(
        "report", fitted.objective, objective, 1e-6, size=max(plain * 1e-6, 1e-12), what="objective of the report"
    )
    one = np.ones(len(y))
    constants = 1 if problem.option("parametric") == "constant" else 0
    peer = least_by_highs(K, price, [(one, y - width), (-one, -y - width)], constants)
    judge_optimum(judge, objective, peer, plain)
    problem.covers(judge, "C", "parametric", "norm")


def judge_margins(problem: Problem, judge: Judge) -> None:
    """Every class against the rest."""
    fitted = problem.fit()
    fitted.demand_convergence()
    used = problem.weights > 0
    K = problem.K[np.ix_(used, used)]
    price = problem.number("C") * problem.weights[used]
    values = fitted.values(problem.x[used])
    total, rounded = 0.0, 0.0
    for m in range(values.shape[1]):
        y = np.where(problem.targets[used] == (1 if values.shape[1] == 1 else m), 1.0, -1.0)
        total += judge_machine(problem, fitted, judge, m, K, y, price, values[:, m])
        rounded += 64 * EPS * float(price @ fitted.sizes(problem.x[used])[:, m])
    size = max(1e-6 * float(price.sum()), abs(total), 1e5 * rounded)
    judge.close("report", fitted.objective, total, 1e-5, size=size, what="objective of the report")
    fitted.judge_expansion(judge, 1e-6 * float(fitted.sizes(problem.queries).max()))
    judge_classes(judge, fitted)
    problem.covers(judge, "C", "parametric", "loss", "norm")


def judge_machine(
    problem: Problem, fitted: Fitted, judge: Judge, m: int, K: Array, y: Array, price: Array, f: Array
) -> float:
    """One machine's objective, against the programme's or against what a search for a better one ends with."""
    name = problem.settings["loss"]
    loss = MARGINS[name][0]
    found = float(np.abs(fitted.coefficients[:, m]).sum() + price @ loss(y * f))
    plain = float(price.sum())
    constants = 1 if problem.option("parametric") == "constant" else 0
    if name == "hinge":
        judge_optimum(judge, found, least_by_highs(K, price, [(y, np.ones(len(y)))], constants), plain)
        return found
    slope = SLOPES[name]
    n = len(y)

    def objective(z: Array) -> tuple[float, Array]:
        """Coefficients as differences of numbers that are not negative, and the constant."""
        with np.errstate(over="ignore", invalid="ignore"):
            t = y * (K @ (z[:n] - z[n : 2 * n]) + (z[-1] if constants else 0.0))
            value = float(z[: 2 * n].sum() + price @ loss(t))
            pull = price * y * slope(t)
        back = K @ pull
        return value, np.concatenate([1 + back, 1 - back, [pull.sum() if constants else 0.0]])

    own = row_coefficients(problem, fitted, problem.weights > 0)[:, m]
    offset = float(fitted.offset[m])
    ends = [(0, None)] * (2 * n) + [(None, None)]
    rounded = 256 * EPS * float(price @ (1 + fitted.sizes(problem.x[problem.weights > 0])[:, m]))
    # A better point is a proof, wherever it comes from.
    for start in (np.concatenate([np.maximum(own, 0), np.maximum(-own, 0), [offset]]), np.zeros(2 * n + 1)):
        best = scipy.optimize.minimize(
            objective, start, jac=True, bounds=ends, method="L-BFGS-B", options={"maxiter": 200}
        )
        judge.at_most("optimum", found - float(best.fun), 1e-5 * abs(found) + rounded + 1e-9 * plain, "a better point")
    return found
