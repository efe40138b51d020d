"""Relevance vector regression: the evidence that it reports, and that no step nearby raises it."""

from __future__ import annotations

from typing import Any

import numpy as np

from hunt import engine
from hunt.oracles.machine_problem import STATIONARY, Array, Problem, draw_problem, judge_classes, judge_probabilities
from hunt.verdict import Judge, NotApplicable

OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "rvr": {"noise": ("0.1", "0.01"), "bias": ("yes", "no"), "tolerance": ("0.001", "1e-6")},
    "rvc": {"bias": ("yes", "no"), "moderate": ("yes", "no"), "tolerance": ("0.001", "1e-6")},
}


def draw(pick: Any, model: str) -> dict[str, Any]:
    """A sparse Bayesian machine, rows of weight 1."""
    return draw_problem(pick, model, OPTIONS[model], kernels=STATIONARY, weights=("none", "ones"), fewest=4)


def evidence(columns: Array, precisions: Array, noise: float, y: Array) -> float:
    """Ln N(y; 0, σ²1 + Φ A⁻¹ Φ')."""
    C = noise * np.eye(len(y)) + (columns / precisions) @ columns.T
    sign, log = np.linalg.slogdet(C)
    if sign <= 0:
        raise NotApplicable("the covariance is not positive")
    return -0.5 * float(len(y) * np.log(2 * np.pi) + log + y @ np.linalg.solve(C, y))


def judge_rvr(problem: Problem, judge: Judge) -> None:
    """Mean and variance of the posterior, the evidence, and its gradient by the precisions in use."""
    fitted = problem.fit()
    fitted.demand_convergence()
    y = problem.targets.astype(float)
    if float(np.ptp(y)) <= 1e-9 * float(np.abs(y).max()):
        raise NotApplicable("constant targets")
    noise = float(fitted.arrays["noise"].ravel()[0])
    if "noise" in problem.settings:
        judge.close("report", noise, problem.number("noise"), 1e-9, what="noise")
    fitted.judge_expansion(judge, 1e-6 * float(fitted.sizes(problem.queries).max()))
    roots = fitted.arrays["covariance_roots"]
    covariance = roots @ roots.T
    x = problem.queries
    columns = np.hstack([fitted.gram(x, fitted.centres), np.ones((len(x), 1))])
    if columns.shape[1] != len(covariance):
        raise NotApplicable("another order of the functions")
    expected = np.einsum("ij,jk,ik->i", columns, covariance, columns)
    _, found = engine.called(fitted.model.moments, engine.samples(x), of="function")
    size = float((np.abs(columns) @ np.abs(covariance) * np.abs(columns)).sum(axis=1).max())
    judge.close("posterior", np.ravel(found), expected, 1e-6, size=size, what="variances of the function")
    rows = np.hstack([fitted.gram(problem.x, fitted.centres), np.ones((len(y), 1))])
    used = np.diag(covariance) > 0
    rows, S = rows[:, used], covariance[np.ix_(used, used)]
    if not used.any() or np.linalg.cond(S) > 1e8:
        raise NotApplicable("an ill-conditioned posterior")
    precision = np.linalg.inv(S) - rows.T @ rows / noise
    alpha = np.diag(precision)
    rest = np.abs(precision - np.diag(alpha)).max() / np.abs(np.linalg.inv(S)).max()
    judge.at_most("posterior", float(rest), 1e-6, "what is not diagonal in the precisions")
    if alpha.min() <= 1e-7 * float(np.abs(np.linalg.inv(S)).max()):
        raise NotApplicable("precisions lost in rounding")
    mean = float(y.mean()) if problem.option("bias") == "yes" else 0.0
    mu = np.append(fitted.coefficients[:, 0], fitted.offset[0] - mean)[used]
    judge.close("posterior", mu, S @ rows.T @ (y - mean) / noise, 1e-5, what="means of the coefficients")
    value = evidence(rows, alpha, noise, y - mean)
    judge.close("evidence", fitted.objective, value, 1e-5, size=1.0, what="log evidence")
    allowed = 2 * problem.number("tolerance") + 1e-6 * abs(value)
    for j in range(len(alpha)):
        for factor in (0.5, 0.8, 1.25, 2.0, 1e6):
            other = alpha.copy()
            other[j] *= factor
            gain = evidence(rows, other, noise, y - mean) - value
            judge.at_most("evidence", gain, allowed, f"gain by {factor} times precision {j}")
    problem.covers(judge, "tolerance", "bias")


def judge_rvc(problem: Problem, judge: Judge) -> None:
    """Probabilities and classes follow from the log-odds."""
    fitted = problem.fit()
    fitted.demand_convergence()
    fitted.judge_expansion(judge, 1e-6 * float(fitted.sizes(problem.queries).max()))
    shares = judge_probabilities(judge, fitted, largest=False)
    judge_classes(judge, fitted)
    if problem.count == 2:
        values = fitted.decide(np.vstack([problem.queries, problem.x]))[:, 0]
        plain = 1 / (1 + np.exp(-values))
        if problem.option("moderate") == "no":
            judge.close("probabilities", shares[:, 1], plain, 1e-6, what="probabilities")
        else:
            nearer = np.abs(shares[:, 1] - 0.5) <= np.abs(plain - 0.5) + 1e-7
            judge.holds("probabilities", bool(nearer.all()), "moderated probabilities further from one half")
    problem.covers(judge)
