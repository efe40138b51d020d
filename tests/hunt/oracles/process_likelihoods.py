"""Posteriors under noise that is not Gaussian: Laplace's conditions, expectation propagation and quadrature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.special
import scipy.stats

from hunt.verdict import Judge, NotApplicable

Matrix = np.ndarray
NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(16)


@dataclass(frozen=True)
class Likelihood:
    """log p(y | f) with its first two derivatives by f, and where it bends.

    Attributes
    ----------
    bends : callable
        Given y, places of f that pieces of a quadrature end at.
    """

    log: Callable[[Matrix, Matrix], Matrix]
    first: Callable[[Matrix, Matrix], Matrix]
    second: Callable[[Matrix, Matrix], Matrix]
    bends: Callable[[float], Matrix]
    cdf: Callable[[Matrix, Matrix], Matrix] | None = None
    variance: float = np.nan  # of the noise


STEPS = np.array([-30, -10, -5, -2, -1, -0.5, -0.1, 0, 0.1, 0.5, 1, 2, 5, 10, 30])


def student_t(scale: float, freedom: float) -> Likelihood:
    """Student's t of a scale."""
    law = scipy.stats.t(freedom, scale=scale)
    s2 = freedom * scale**2
    return Likelihood(
        lambda y, f: law.logpdf(y - f),
        lambda y, f: (freedom + 1) * (y - f) / (s2 + (y - f) ** 2),
        lambda y, f: (freedom + 1) * ((y - f) ** 2 - s2) / (s2 + (y - f) ** 2) ** 2,
        lambda y: y + scale * STEPS,
        lambda y, f: law.cdf(y - f),
        float(law.var()),
    )


def laplacian(scale: float) -> Likelihood:
    """Density exp(-|y - f|/scale)/(2 scale)."""
    law = scipy.stats.laplace(scale=scale)
    return Likelihood(
        lambda y, f: law.logpdf(y - f),
        lambda y, f: np.sign(y - f) / scale,
        lambda y, f: np.zeros_like(f),
        lambda y: y + scale * STEPS,
        lambda y, f: law.cdf(y - f),
        float(law.var()),
    )


def huber(scale: float, threshold: float) -> Likelihood:
    """Huber's: normal within ``threshold`` scales, exponential beyond."""
    t = threshold
    inner = float(np.sqrt(2 * np.pi) * (2 * scipy.stats.norm.cdf(t) - 1))
    tail = float(np.exp(-(t**2) / 2) / t)
    total = inner + 2 * tail

    def log(y: Matrix, f: Matrix) -> Matrix:
        r = np.abs(y - f) / scale
        return -np.where(r <= t, r**2 / 2, t * r - t**2 / 2) - np.log(scale * total)

    def cdf(y: Matrix, f: Matrix) -> Matrix:
        r = (y - f) / scale
        left = np.exp(np.minimum(t * r + t**2 / 2, 0)) / t  # r <= -t
        middle = tail + np.sqrt(2 * np.pi) * (scipy.stats.norm.cdf(np.clip(r, -t, t)) - scipy.stats.norm.cdf(-t))
        right = total - np.exp(np.minimum(-t * r + t**2 / 2, 0)) / t
        return np.where(r < -t, left, np.where(r > t, right, middle)) / total

    second_moment = inner - 2 * t * np.exp(-(t**2) / 2) + 2 * tail * (t**2 + 2 + 2 / t**2)
    return Likelihood(
        log,
        lambda y, f: np.clip((y - f) / scale, -t, t) / scale,
        lambda y, f: -1.0 * (np.abs(y - f) <= t * scale) / scale**2,
        lambda y: np.sort(np.concatenate([y + scale * STEPS, y + np.array([-t, t]) * scale])),
        cdf,
        float(scale**2 * second_moment / total),
    )


def poisson() -> Likelihood:
    """Counts of mean exp f."""
    return Likelihood(
        lambda y, f: y * f - np.exp(np.minimum(f, 700)) - scipy.special.gammaln(y + 1),
        lambda y, f: y - np.exp(f),
        lambda y, f: -np.exp(f),
        lambda y: np.log(max(y, 0.5)) + STEPS / np.sqrt(max(y, 1)),
        lambda y, f: scipy.stats.poisson.cdf(y, np.exp(np.minimum(f, 700))),
    )


def binary(link: str, noise: float = 0.0) -> Likelihood:
    """Labels -1 and 1 through a link, flipped with a probability."""
    squash = scipy.special.expit if link == "logistic" else scipy.stats.norm.cdf
    log_squash = scipy.special.log_expit if link == "logistic" else scipy.stats.norm.logcdf

    def slope(z: Matrix) -> tuple[Matrix, Matrix]:  # first two derivatives of the link
        if link == "logistic":
            p = scipy.special.expit(z)
            return p * (1 - p), p * (1 - p) * (1 - 2 * p)
        density = scipy.stats.norm.pdf(z)
        return density, -z * density

    def log(y: Matrix, f: Matrix) -> Matrix:
        return log_squash(y * f) if noise == 0 else np.log(noise + (1 - 2 * noise) * squash(y * f))

    def first(y: Matrix, f: Matrix) -> Matrix:
        return y * (1 - 2 * noise) * slope(y * f)[0] / np.exp(log(y, f))

    def second(y: Matrix, f: Matrix) -> Matrix:
        one, two = slope(y * f)
        p = np.exp(log(y, f))
        return (1 - 2 * noise) * two / p - ((1 - 2 * noise) * one / p) ** 2

    return Likelihood(log, first, second, lambda y: STEPS)


# ---- Quadrature ----------------------------------------------------------------------------------------------------


def average(function: Callable[[Matrix], Matrix], mean: float, variance: float, bends: Matrix) -> float:
    """E function(f) under a normal law, by Gauss-Legendre pieces."""
    nodes, weights = rule(mean, variance, bends)
    return float(weights @ function(nodes))


def rule(mean: float, variance: float, bends: Matrix) -> tuple[Matrix, Matrix]:
    """Nodes and weights for averages under a normal law, of functions that bend in the given places."""
    deviation = np.sqrt(variance)
    if deviation == 0:
        return np.array([mean]), np.ones(1)
    ends = mean + deviation * np.arange(-12, 12.5)
    ends = np.unique(np.concatenate([ends, bends[(bends > ends[0]) & (bends < ends[-1])]]))
    half, middle = np.diff(ends) / 2, (ends[1:] + ends[:-1]) / 2
    nodes = (middle[:, None] + half[:, None] * NODES).ravel()
    weights = (half[:, None] * NODE_WEIGHTS).ravel()
    return nodes, weights * np.exp(-((nodes - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)


def tilted(likelihood: Likelihood, y: float, mean: float, variance: float) -> tuple[float, float, float]:
    """Logarithm of the integral, mean and variance of p(y | f) N(f; mean, variance)."""
    nodes, weights = rule(mean, variance, likelihood.bends(y))
    logs = likelihood.log(np.full(len(nodes), y), nodes)
    top = float(logs.max())
    values = weights * np.exp(logs - top)
    total = float(values.sum())
    if not total > 0:
        raise NotApplicable("the quadrature underflows")
    center = float(values @ nodes) / total
    return np.log(total) + top, center, float(values @ (nodes - center) ** 2) / total


# ---- Approximations ------------------------------------------------------------------------------------------------


def judge_maximum(judge: Judge, model: Any, gram: Matrix, curvature: Matrix) -> None:
    """Where a fit has converged, K^-1 + W has no negative direction: a mode, and no saddle."""
    values, vectors = np.linalg.eigh(gram)
    root = vectors * np.sqrt(np.maximum(values, 0))
    least = float(np.linalg.eigvalsh(np.eye(len(gram)) + root.T @ (curvature[:, None] * root)).min())
    if model.report["status"] == "converged":
        judge.holds("gp_maximum", least > -1e-6, f"no maximum of the posterior: least curvature {least:.3g}")


def laplace_evidence(gram: Matrix, latent: Matrix, alpha: Matrix, logs: Matrix, curvature: Matrix) -> float:
    """The evidence: log p(y | f) - f'K^-1 f/2 - log |1 + K W|/2 at the mode."""
    sign, logarithm = np.linalg.slogdet(np.eye(len(latent)) + gram * curvature)
    if sign <= 0:
        raise NotApplicable("no mode")
    return float(logs.sum() - 0.5 * alpha @ latent - 0.5 * logarithm)


def latent_covariance(gram: Matrix, cross: Matrix, prior: Matrix, curvature: Matrix) -> Matrix:
    """k** - k'(K + W^-1)^-1 k for W of any sign."""
    inner = np.linalg.solve(np.eye(len(gram)) + curvature[:, None] * gram, curvature[:, None] * cross)
    return prior - cross.T @ inner


@dataclass
class Propagated:
    """A fixed point of expectation propagation: a normal posterior."""

    evidence: float
    alpha: Matrix  # means are K alpha
    precisions: Matrix


def propagate(gram: Matrix, likelihood: Likelihood, y: Matrix, sweeps: int = 400) -> Propagated:
    """Expectation propagation, damped; NotApplicable where it finds no fixed point."""
    n = len(y)
    tau, nu = np.full(n, 1e-10), np.zeros(n)
    evidence = -np.inf
    for sweep in range(sweeps):
        inner = np.eye(n) + tau[:, None] * gram
        sigma = np.linalg.solve(inner.T, gram.T).T  # K (1 + T K)^-1
        sigma = (sigma + sigma.T) / 2
        mu = sigma @ nu
        cavity = 1 / np.diag(sigma) - tau
        if (cavity <= 0).any():
            raise NotApplicable("a cavity is not proper")
        center = (mu / np.diag(sigma) - nu) / cavity
        parts = [tilted(likelihood, y[i], center[i], 1 / cavity[i]) for i in range(n)]
        logs, means, variances = (np.array(column) for column in zip(*parts, strict=True))
        new_tau = 1 / variances - cavity
        new_nu = means / variances - center * cavity
        change = max(
            np.abs(new_tau - tau).max() / (1 + np.abs(tau).max()), np.abs(new_nu - nu).max() / (1 + np.abs(nu).max())
        )
        if change < 1e-11:
            ratio = tau + cavity
            evidence = float(
                logs.sum()
                - 0.5 * np.linalg.slogdet(inner)[1]
                + 0.5 * nu @ mu
                + 0.5 * np.sum(np.log(ratio / cavity) + center**2 * cavity - (nu + center * cavity) ** 2 / ratio)
            )
            alpha = nu - tau * mu
            return Propagated(evidence, alpha, tau)
        step = 1.0 if sweep < 20 else 0.5
        tau, nu = tau + step * (new_tau - tau), nu + step * (new_nu - nu)
    raise NotApplicable("expectation propagation does not converge")


def jaakkola(gram: Matrix, y: Matrix, sweeps: int = 3000) -> Propagated:
    """The variational bound of logistic labels (Jaakkola and Jordan 2000), at its fixed point."""
    n = len(y)
    xi = np.ones(n)
    for _ in range(sweeps):
        tau = np.tanh(xi / 2) / (2 * xi)
        inner = np.eye(n) + tau[:, None] * gram
        sigma = np.linalg.solve(inner.T, gram.T).T
        mu = sigma @ (y / 2)
        new = np.sqrt(np.maximum(np.diag(sigma) + mu**2, 1e-300))
        change = np.abs(new - xi).max()
        xi = new
        if change < 1e-11 * (1 + xi.max()):
            bound = np.sum(scipy.special.log_expit(xi) - xi / 2 + tau * xi**2 / 2)
            bound += 0.5 * (y / 2) @ mu - 0.5 * np.linalg.slogdet(inner)[1]
            return Propagated(float(bound), y / 2 - tau * mu, tau)
    raise NotApplicable("the bound does not converge")
