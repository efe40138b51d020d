"""Machines with any loss: the duality gap from conjugates by hand, slopes where a loss is not convex."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt.oracles.machine_margin import CLASS_WEIGHTS
from hunt.oracles.machine_problem import (
    EPS,
    STATIONARY,
    Array,
    Fitted,
    Problem,
    draw_problem,
    judge_classes,
    judge_probabilities,
)
from hunt.oracles.machine_rank import judge_rank, judge_whole
from hunt.verdict import Judge, NotApplicable

PRICES = ("1", "0.1", "10", "100")
PARTS = ("constant", "none")
RANKS = ("0", "1", "4", "40")
OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "riskr": {"C": PRICES, "parametric": PARTS, "standardize": ("yes", "no"), "rank": RANKS},
    "riskc": {"C": PRICES, "parametric": PARTS, "class_weight": CLASS_WEIGHTS, "rank": RANKS},
}
PARAMETERS = {
    "epsilon_insensitive": {"epsilon": ("0", "0.05")},
    "squared_epsilon_insensitive": {"epsilon": ("0", "0.05")},
    "huber": {"sigma": ("0.01", "0.3")},
    "polynomial": {"exponent": ("1.5", "2", "4", "1")},
    "piecewise_polynomial": {"exponent": ("1.5", "2", "4"), "sigma": ("0.1", "1")},
    "quantile": {"quantile": ("0.1", "0.9")},
}
RESIDUAL = ("laplace", "squared", *PARAMETERS)
MARGIN = ("hinge", "squared_hinge", "logistic", "exponential", "inverse_complementary_log_log")


def draw(pick: Any, model: str) -> dict[str, Any]:
    """A machine with a loss and the parameters of that loss."""
    facts = draw_problem(pick, model, OPTIONS[model], kernels=(*STATIONARY, "poly"))
    loss = pick(st.sampled_from(RESIDUAL if model == "riskr" else MARGIN))
    facts["settings"]["loss"] = loss
    for name, values in PARAMETERS.get(loss, {}).items():
        if pick(st.booleans()):
            facts["settings"][name] = pick(st.sampled_from(values))
    return facts


# ---- Losses: the function, its conjugate, and the interval of its slopes --------------------------------------------

Function = Callable[[Array], Array]


def power(x: Array, p: float) -> Array:
    """|x|^p/p."""
    return np.abs(x) ** p / p


def entropy(v: Array) -> Array:
    """Give v ln v, 0 at 0."""
    return np.where(v > 0, v * np.log(np.maximum(v, 1e-300)), 0.0)


def residual_loss(name: str, e: float, s: float, p: float, q: float) -> tuple[Function, Function, float, float]:
    """The loss, its conjugate, and the ends of the conjugate's domain."""
    inf = np.inf
    if p == 1 and name in ("polynomial", "piecewise_polynomial"):
        name = "laplace"
    dual = p / (p - 1) if p > 1 else inf
    table: dict[str, tuple[Function, Function, float, float]] = {
        "laplace": (np.abs, np.zeros_like, -1, 1),
        "squared": (lambda r: r**2 / 2, lambda u: u**2 / 2, -inf, inf),
        "epsilon_insensitive": (lambda r: np.maximum(np.abs(r) - e, 0), lambda u: e * np.abs(u), -1, 1),
        "squared_epsilon_insensitive": (
            lambda r: np.maximum(np.abs(r) - e, 0) ** 2 / 2,
            lambda u: e * np.abs(u) + u**2 / 2,
            -inf,
            inf,
        ),
        "huber": (
            lambda r: np.where(np.abs(r) <= s, r**2 / (2 * s), np.abs(r) - s / 2),
            lambda u: s * u**2 / 2,
            -1,
            1,
        ),
        "polynomial": (lambda r: power(r, p), lambda u: power(u, dual), -inf, inf),
        "piecewise_polynomial": (
            lambda r: np.where(np.abs(r) <= s, s * power(r / s, p), np.abs(r) - s * (p - 1) / p),
            lambda u: s * power(u, dual),
            -1,
            1,
        ),
        "quantile": (lambda r: np.where(r > 0, (1 - q) * r, -q * r), np.zeros_like, -q, 1 - q),
    }
    return table[name]


MARGINS: dict[str, tuple[Function, Function, float, float]] = {
    "hinge": (lambda t: np.maximum(0, 1 - t), lambda u: u, -1, 0),
    "squared_hinge": (lambda t: np.maximum(0, 1 - t) ** 2, lambda u: u + u**2 / 4, -np.inf, 0),
    "logistic": (lambda t: np.logaddexp(0, -t), lambda u: entropy(-u) + entropy(1 + u), -1, 0),
    "exponential": (lambda t: np.exp(-t), lambda u: entropy(-u) + u, -np.inf, 0),
}


# ---- Judges --------------------------------------------------------------------------------------------------------


def row_coefficients(problem: Problem, fitted: Fitted, used: Array) -> Array:
    """Coefficients by row: rows that have none are no centres."""
    rows = problem.x[used]
    result = np.zeros((len(rows), fitted.coefficients.shape[1]))
    if len(fitted.centres) == len(rows):
        return fitted.coefficients
    if len(np.unique(rows, axis=0)) < len(rows):
        raise NotApplicable("rows that repeat")
    for centre, coefficients in zip(fitted.centres, fitted.coefficients, strict=True):
        result[(rows == centre).all(axis=1)] = coefficients
    return result


def judge_gap(
    judge: Judge, K: Array, alpha: Array, f: Array, constant: float, y: Array, price: Array, loss: Any, margins: bool
) -> float:
    """The primal value, held against the dual one: the one is above the optimum, the other below."""
    c, conjugate, lower, upper = loss
    signs = y if margins else np.ones(len(y))
    primal = alpha @ K @ alpha / 2 + float(price @ c(y * f if margins else f - y))
    u = np.clip(-signs * alpha / price, lower, upper)
    dual = -alpha @ K @ alpha / 2 - float(price @ conjugate(u)) + (0.0 if margins else float(alpha @ y))
    # Where coefficients do not sum to 0 the bound holds but for that.
    slack = abs(constant) * abs(float(alpha.sum()))
    rounded = 256 * EPS * float(np.abs(alpha) @ np.abs(K) @ np.abs(alpha) + price.sum() * np.abs(f).max(initial=0))
    plain = float(price @ c(np.zeros(len(y)) if margins else -y))
    judge.at_most("gap", primal - dual, 1e-5 * abs(primal) + slack + rounded + 1e-11 * plain, "duality gap")
    return float(primal)


def judge_riskr(problem: Problem, judge: Judge) -> None:
    """Regression: the gap in the units in which the machine works."""
    fitted = problem.fit()
    fitted.demand_convergence()
    used = problem.weights > 0
    w, y = problem.weights[used], problem.targets[used].astype(float)
    unit = float(fitted.arrays["units"].ravel()[0])
    standard = problem.option("standardize") == "yes"
    constant = problem.option("parametric") == "constant"
    mean = float(w @ y / w.sum()) if constant else 0.0
    size = unit if standard else 1.0

    def given(name: str, usual: float) -> float:
        return float(problem.settings[name]) / size if name in problem.settings else usual

    loss = residual_loss(
        problem.settings["loss"],
        given("epsilon", 0.1),
        given("sigma", 0.3),
        float(problem.settings.get("exponent", 3)),
        float(problem.settings.get("quantile", 0.5)),
    )
    if problem.number("rank") > 0:
        b = (y - mean) / size
        columns = fitted.gram(problem.x[used], fitted.centres)
        risk = partial(total_loss, loss[0], problem.number("C") * w, b, False)
        offset = float(fitted.offset[0] - mean) / size
        found = judge_rank(problem, fitted, judge, [(fitted.coefficients[:, 0] / size, columns, offset, risk)])
        finish_rank(problem, fitted, judge, found)
        return
    alpha = row_coefficients(problem, fitted, used)[:, 0] / size
    f = (fitted.values(problem.x[used])[:, 0] - mean) / size
    K = problem.K[np.ix_(used, used)]
    offset = float(fitted.offset[0] - mean) / size
    found = judge_gap(judge, K, alpha, f, offset, (y - mean) / size, problem.number("C") * w, loss, False)
    judge.close("report", fitted.objective, found, 1e-5, size=max(1e-9, abs(found)), what="objective of the report")
    fitted.judge_expansion(judge, 1e-6 * float(fitted.sizes(problem.queries).max()))
    problem.covers(judge, "loss")


def judge_riskc(problem: Problem, judge: Judge) -> None:
    """Classes: the gap of every machine; a loss that is not convex by the slopes of its objective."""
    fitted = problem.fit()
    fitted.demand_convergence()
    used = problem.weights > 0
    price = problem.number("C") * problem.weights[used]
    K, values = problem.K[np.ix_(used, used)], fitted.values(problem.x[used])
    name = problem.settings["loss"]
    if problem.number("rank") > 0:
        judge_classes_of_rank(problem, fitted, judge)
        return
    coefficients = row_coefficients(problem, fitted, used)
    total = 0.0
    for m in range(values.shape[1]):
        y = np.where(problem.targets[used] == (1 if values.shape[1] == 1 else m), 1.0, -1.0)
        alpha, f = coefficients[:, m], values[:, m]
        if name in MARGINS:
            total += judge_gap(judge, K, alpha, f, float(fitted.offset[m]), y, price, MARGINS[name], True)
            continue
        pull = price * y * np.exp(-y * f - np.exp(-y * f))
        error = float(np.abs(K @ (alpha - pull)).max())
        judge.at_most("stationary", error, 1e-5 * float((np.abs(K) @ price).max()), "slope of the objective")
        total += alpha @ K @ alpha / 2 + float(price @ -np.expm1(-np.exp(-y * f)))
    # Values of a polynomial far from the origin are sums of far larger ones.
    rounded = 64 * EPS * float(np.abs(price) @ fitted.sizes(problem.x[used]).max(axis=1))
    size = max(1e-9, abs(total), 1e5 * rounded)
    judge.close("report", fitted.objective, total, 1e-5, size=size, what="objective of the report")
    fitted.judge_expansion(judge, 1e-6 * float(fitted.sizes(problem.queries).max()))
    if name in ("logistic", "exponential"):
        judge_probabilities(judge, fitted)
    judge_classes(judge, fitted)
    problem.covers(judge, "loss")


def total_loss(c: Function, price: Array, y: Array, margins: bool, f: Array) -> float:
    """The risk of values."""
    return float(price @ c(y * f if margins else f - y))


def judge_classes_of_rank(problem: Problem, fitted: Fitted, judge: Judge) -> None:
    """Machines on a matrix of low rank, with a convex loss."""
    name = problem.settings["loss"]
    if name not in MARGINS:
        raise NotApplicable("a loss that is not convex, at low rank")
    used = problem.weights > 0
    price = problem.number("C") * problem.weights[used]
    columns = fitted.gram(problem.x[used], fitted.centres)
    machines = []
    count = fitted.coefficients.shape[1]
    for m in range(count):
        y = np.where(problem.targets[used] == (1 if count == 1 else m), 1.0, -1.0)
        risk = partial(total_loss, MARGINS[name][0], price, y, True)
        machines.append((fitted.coefficients[:, m], columns, float(fitted.offset[m]), risk))
    finish_rank(problem, fitted, judge, judge_rank(problem, fitted, judge, machines))
    judge_classes(judge, fitted)


def finish_rank(problem: Problem, fitted: Fitted, judge: Judge, found: float) -> None:
    """The report's objective, and what the whole matrix gives."""
    # Rows that nearly depend on each other have coefficients of opposite signs: the norm is what is left of them.
    K = np.abs(fitted.gram(fitted.centres, fitted.centres))
    sizes = np.abs(fitted.coefficients)
    rounded = EPS * float(np.einsum("io,ij,jo->", sizes, K, sizes))
    judge.close(
        "report",
        fitted.objective,
        found,
        1e-5,
        size=max(1e-9, abs(found), 1e7 * rounded),
        what="objective of the report",
    )
    judge_whole(problem, fitted, judge)
    fitted.judge_expansion(judge, 1e-6 * float(fitted.sizes(problem.queries).max()))
    problem.covers(judge, "loss", "rank")
