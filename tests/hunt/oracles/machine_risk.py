"""Machines with any loss by the duality gap of their coefficients, and least squares in given functions by NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.special import xlogy

from hunt import data, engine
from hunt.oracles.machine_margin import CLASS_WEIGHTS, deviation
from hunt.oracles.machine_problem import EPS, STATIONARY, Array, Fitted, Problem, draw_problem, judge_classes
from hunt.verdict import Judge, NotApplicable

SHARED = {"C": ("1", "0.01", "10", "1e3"), "parametric": ("none", "constant", "linear")}
OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "riskr": {
        "loss": (
            "epsilon_insensitive", "laplace", "squared", "squared_epsilon_insensitive", "huber", "polynomial",
            "piecewise_polynomial", "quantile",
        ),
        "standardize": ("yes", "no"),
        **SHARED,
    },
    "riskc": {
        "loss": ("hinge", "squared_hinge", "logistic", "exponential"),
        "class_weight": CLASS_WEIGHTS,
        **SHARED,
    },
}  # fmt: skip
PARAMETERS = {
    "epsilon_insensitive": "epsilon",
    "squared_epsilon_insensitive": "epsilon",
    "huber": "sigma",
    "polynomial": "exponent",
    "piecewise_polynomial": "exponent",
    "quantile": "quantile",
}
VALUES = {"epsilon": ("0.1", "0", "1"), "sigma": ("0.3", "2"), "exponent": ("1.5", "2", "3"), "quantile": ("0.5", "0.9", "0.05")}

Loss = Callable[[Array], Array]


def draw(pick: Any, model: str) -> dict[str, Any]:
    """A machine with a loss; least squares with functions."""
    if model == "leastsquares":
        facts = data.draw_inputs(pick, fewest=1, most=24, columns=3, plain=True)
        facts.update(data.draw_numbers(pick), kernel="linear", width=1.0, order=0.5)
        facts["weights"] = pick(st.sampled_from(data.WEIGHTS))
        facts["settings"] = {"parametric": pick(st.sampled_from(("linear", "constant", "quadratic")))}
        return facts
    facts = draw_problem(pick, model, OPTIONS[model], kernels=STATIONARY, classes=3, most=16)
    settings = facts["settings"]
    name = PARAMETERS.get(settings.get("loss", ""))
    if name and pick(st.booleans()):
        settings[name] = pick(st.sampled_from(VALUES[name]))
    return facts


def loss_pair(problem: Problem, unit: float) -> tuple[Loss, Loss]:
    """A loss of residuals (targets divided by ``unit``) or margins, and its conjugate; infinite outside of its domain."""
    kind = problem.option("loss")

    def parameter(name: str, usual: float, in_units: bool) -> float:
        given = problem.settings.get(name, "")
        return float(given) / (unit if in_units else 1) if given else usual

    epsilon, sigma = parameter("epsilon", 0.1, True), parameter("sigma", 0.3, True)
    p, level = parameter("exponent", 3.0, False), parameter("quantile", 0.5, False)
    q = p / (p - 1) if p > 1 else np.inf

    def within(low: float, high: float, value: Loss) -> Loss:
        slack = 1e-7
        return lambda u: np.where((u >= low - slack) & (u <= high + slack), value(np.clip(u, low, high)), np.inf)

    if kind == "piecewise_polynomial":
        inner: Loss = lambda r: np.abs(r) ** p / (p * sigma ** (p - 1))
        outer: Loss = lambda r: np.abs(r) - sigma * (p - 1) / p
        return (
            lambda r: np.where(np.abs(r) <= sigma, inner(np.minimum(np.abs(r), sigma)), outer(r)),
            within(-1, 1, lambda u: sigma * np.abs(u) ** q / q),
        )
    pairs: dict[str, tuple[Loss, Loss]] = {
        "epsilon_insensitive": (
            lambda r: np.maximum(np.abs(r) - epsilon, 0),
            within(-1, 1, lambda u: epsilon * np.abs(u)),
        ),
        "laplace": (np.abs, within(-1, 1, lambda u: 0 * u)),
        "squared": (lambda r: r**2 / 2, lambda u: u**2 / 2),
        "squared_epsilon_insensitive": (
            lambda r: np.maximum(np.abs(r) - epsilon, 0) ** 2 / 2,
            lambda u: epsilon * np.abs(u) + u**2 / 2,
        ),
        "huber": (
            lambda r: np.where(np.abs(r) <= sigma, r**2 / (2 * sigma), np.abs(r) - sigma / 2),
            within(-1, 1, lambda u: sigma * u**2 / 2),
        ),
        "polynomial": (lambda r: np.abs(r) ** p / p, lambda u: np.abs(u) ** q / q),
        "quantile": (
            lambda r: np.where(r >= 0, (1 - level) * r, -level * r),
            within(-level, 1 - level, lambda u: 0 * u),
        ),
        "hinge": (lambda t: np.maximum(0, 1 - t), within(-1, 0, lambda u: u)),
        "squared_hinge": (lambda t: np.maximum(0, 1 - t) ** 2, within(-np.inf, 0, lambda u: u + u**2 / 4)),
        "logistic": (
            lambda t: np.logaddexp(0, -t),
            within(-1, 0, lambda u: xlogy(-u, -u) + xlogy(1 + u, 1 + u)),
        ),
        "exponential": (lambda t: np.exp(-t), within(-np.inf, 0, lambda u: xlogy(-u, -u) + u)),
    }
    return pairs[kind]


def by_row(problem: Problem, fitted: Fitted, column: int) -> Array:
    """Coefficients of all rows: the centres are rows in their order, those with a coefficient of 0 left out."""
    beta = np.zeros(len(problem.x))
    row = 0
    for centre, value in zip(fitted.centres, fitted.coefficients[:, column], strict=True):
        while row < len(beta) and not (problem.x[row] == centre).all():
            row += 1
        if row == len(beta):
            raise NotApplicable("centres that are not rows in their order")
        beta[row] = value
        row += 1
    return beta


def judge_gap(problem: Problem, judge: Judge, fitted: Fitted, column: int, signs: Array | None) -> None:
    """Σ C w (c(r) + c*(u) − u r) with u = −α/(C w): the duality gap, where Σ α ψ = 0."""
    unit = 1.0 if signs is not None else deviation(problem)
    price = problem.number("C") * problem.weights
    used = price > 0
    beta = by_row(problem, fitted, column) / unit
    values = np.asarray(fitted.decide(problem.x))[:, column]
    judge.holds("feasible", bool((beta[~used] == 0).all()), "coefficients of rows without weight")
    if signs is None:
        place, u = (values - problem.targets) / unit, -beta
    else:
        place, u = signs * values, -beta * signs
    loss, conjugate = loss_pair(problem, unit)
    u = u[used] / price[used]
    gaps = price[used] * (loss(place[used]) + conjugate(u) - u * place[used])
    objective = beta @ problem.K @ beta / 2 + float(price[used] @ loss(place[used]))
    exact = EPS * float(np.abs(beta).sum() + 1) * float(np.abs(values).max() / unit + 1) * 1e3
    allowed = 10 * problem.number("tolerance") * max(float(objective), 0.0) + exact
    judge.at_most("gap", float(gaps.sum()), allowed, f"duality gap of output {column}, of an objective of {objective:.3g}")
    judge.at_most("gap", float(-gaps.min()), exact, "Fenchel's inequality, the other way")
    functions = [np.ones(len(beta))] if problem.option("parametric") != "none" else []
    if problem.option("parametric") == "linear":
        functions += list(problem.x.T)
    for psi in functions:
        size = float(np.abs(beta) @ np.abs(psi))
        judge.at_most("held", abs(float(beta @ psi)), 1e-7 * size + exact, "sum of coefficients times a function")


def fitted_machine(problem: Problem) -> Fitted:
    """A fit that converged, of rows that tell their coefficients apart."""
    fitted = problem.fit()
    fitted.demand_convergence()
    used = problem.x[problem.weights > 0]
    if len(np.unique(used, axis=0)) < len(used):
        raise NotApplicable("equal rows share coefficients in any way")
    return fitted


def judge_riskr(problem: Problem, judge: Judge) -> None:
    """Regression with any convex loss."""
    fitted = fitted_machine(problem)
    if float(np.ptp(problem.targets[problem.weights > 0])) <= 1e-9 * float(np.abs(problem.targets).max()):
        raise NotApplicable("constant targets")
    judge_gap(problem, judge, fitted, 0, None)
    problem.covers(judge, "loss")


def judge_riskc(problem: Problem, judge: Judge) -> None:
    """Classes: the second of two against the first, or each against the others."""
    fitted = fitted_machine(problem)
    for column in range(1 if problem.count == 2 else problem.count):
        mine = problem.targets == (1 if problem.count == 2 else column)
        judge_gap(problem, judge, fitted, column, np.where(mine, 1.0, -1.0))
    judge_classes(judge, fitted)
    problem.covers(judge, "loss")


def basis(text: str, x: Array) -> Array:
    """1, the columns, their squares and products in the order of the documentation."""
    columns = [np.ones(len(x))]
    if text != "constant":
        columns += list(x.T)
    if text == "quadratic":
        d = x.shape[1]
        columns += [x[:, i] * x[:, j] for i in range(d) for j in range(i, d)]
    return np.column_stack(columns)


def judge_leastsquares(problem: Problem, judge: Judge) -> None:
    """The normal equations: residuals are orthogonal to every function; of full rank also standard errors."""
    fitted = problem.fit()
    text, y, w = problem.option("parametric"), problem.targets, problem.weights
    F, G = basis(text, problem.x), basis(text, problem.queries)
    beta = fitted.arrays["coefficients"][:, 0]
    judge.close("values", fitted.predict(problem.queries), G @ beta, 1e-10,
                size=float((np.abs(G) @ np.abs(beta)).max()) or 1.0, what="functions times coefficients")  # fmt: skip
    lengths = np.sqrt(w @ F**2)
    size = np.sqrt(w) * (np.abs(y) + np.abs(F) @ np.abs(beta))
    errors = np.sqrt(w) * (y - F @ beta)
    slopes = np.abs((np.sqrt(w)[:, None] * F).T @ errors) / np.where(lengths > 0, lengths, 1)
    judge.at_most("normal", float(slopes.max()), 1e-10 * float(np.linalg.norm(size)) + 1e-300, "residuals along a function")
    rank = fitted.arrays["spread"].shape[1]
    scaled = np.sqrt(w)[:, None] * F / np.where(lengths > 0, lengths, 1)
    singular = np.linalg.svd(scaled, compute_uv=False)
    if rank == F.shape[1] and singular[-1] > 1e-5:
        degrees = max(0.0, float(w.sum()) - rank)
        variance = float(errors @ errors) / degrees if degrees > 0 else 0.0
        rows = G / np.where(lengths > 0, lengths, 1)
        expected = np.sqrt(variance * np.einsum("ij,jk,ik->i", rows, np.linalg.inv(scaled.T @ scaled), rows))
        found = np.sqrt(np.asarray(engine.called(fitted.model.moments, engine.samples(problem.queries))[1])).ravel()
        allowed = float(expected.max()) or float(np.abs(y).max()) or 1.0
        judge.close("errors", found, expected, 1e-6, size=allowed, what="standard errors")
    elif rank < F.shape[1] and singular[0] > 0 and (np.abs(np.log10(np.maximum(singular / singular[0], 1e-30)) + 11) > 3).all():
        expected = np.linalg.pinv(np.sqrt(w)[:, None] * F, rcond=1e-11) @ (np.sqrt(w) * y)
        judge.at_most("least_norm", float(np.linalg.norm(beta)), float(np.linalg.norm(expected)) * (1 + 1e-6) + 1e-12,
                      "norm of the coefficients")  # fmt: skip
    problem.covers(judge, "parametric")
