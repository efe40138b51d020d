"""Gaussian process regression in NumPy: Rasmussen and Williams (2006), chapters 2, 5 and 8, with rows that count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from hunt.oracles.process_kernels import diagonal, gram
from hunt.verdict import NotApplicable
from mercer import _core

Matrix = np.ndarray
LOG_2PI = float(np.log(2 * np.pi))


@dataclass
class Posterior:
    """What a Gaussian process says of queries, in the units of the targets."""

    means: Matrix
    covariance: Matrix
    evidence: float
    condition: float  # of the matrix that is solved with: what a solution loses in digits
    noise: float
    prior: float  # the largest variance before the data
    largest: float  # of the targets
    loo_means: Matrix | None = None
    loo_variances: Matrix | None = None

    @property
    def variances(self) -> Matrix:
        """Of the function."""
        return np.maximum(np.diag(self.covariance), 0)


@dataclass
class Problem:
    """Rows, targets and everything that is known of them.

    Attributes
    ----------
    noise : float
        Variance of the noise, in the units of the targets.
    extra : array or None
        Known variances of single rows, added to it.
    """

    kernel: str
    x: Matrix
    y: Matrix
    noise: float
    weights: Matrix | None = None
    extra: Matrix | None = None
    standardize: bool = True
    mean: str = "zero"

    def standard(self) -> tuple[float, float]:
        """Mean and deviation that targets are brought to 0 and 1 by; constant targets are only moved."""
        if not self.standardize:
            return 0.0, 1.0
        weights = np.ones(len(self.y)) if self.weights is None else self.weights
        center = float(np.average(self.y, weights=weights))
        spread = float(np.sqrt(np.average((self.y - center) ** 2, weights=weights)))
        return center, spread if spread > 1e-14 * np.abs(self.y).max(initial=0) else 1.0

    def observed(self) -> float:
        """Variance of the noise of a new observation: of the rows' own, the mean."""
        return self.noise + (0.0 if self.extra is None else float(np.average(self.extra, weights=self.weights)))

    def rows(self) -> tuple[Matrix, Matrix, Matrix, Matrix]:
        """Rows that count, their standardised targets, variances of noise and weights."""
        center, spread = self.standard()
        weights = np.ones(len(self.y)) if self.weights is None else self.weights
        kept = weights > 0
        noise = np.full(len(self.y), self.noise) + (0 if self.extra is None else self.extra)
        return self.x[kept], (self.y[kept] - center) / spread, noise[kept] / spread**2, weights[kept]


def exact(problem: Problem, queries: Matrix) -> Posterior:
    """By a Cholesky factor of K + noise."""
    center, spread = problem.standard()
    x, z, noise, weights = problem.rows()
    matrix = gram(problem.kernel, x) + np.diag(noise / weights)
    values = np.linalg.eigvalsh(matrix)
    if values[0] <= 0 or values[-1] > 1e11 * values[0]:
        raise NotApplicable("the matrix is singular to rounding")
    factor = np.linalg.cholesky(matrix)
    inverse = scipy.linalg.cho_solve((factor, True), np.eye(len(z)))
    cross = gram(problem.kernel, x, queries)
    prior = gram(problem.kernel, queries)
    basis, query_basis = mean_basis(problem.mean, x, queries)
    solved = inverse @ basis
    inner = basis.T @ solved
    beta = np.linalg.solve(inner, solved.T @ z) if basis.shape[1] else np.zeros(0)
    alpha = inverse @ (z - basis @ beta)
    left = query_basis - cross.T @ solved
    half = scipy.linalg.solve_triangular(factor, cross, lower=True)
    covariance = prior - half.T @ half
    evidence = -0.5 * z @ alpha - np.log(np.diag(factor)).sum() - 0.5 * (len(z) - basis.shape[1]) * LOG_2PI
    if basis.shape[1]:
        covariance = covariance + left @ np.linalg.solve(inner, left.T)
        evidence -= 0.5 * np.linalg.slogdet(inner)[1]
        inverse = inverse - solved @ np.linalg.solve(inner, solved.T)
    if (weights != 1).any():
        evidence += float((-0.5 * (weights - 1) * (LOG_2PI + np.log(noise)) - 0.5 * np.log(weights)).sum())
    evidence -= (weights.sum() - basis.shape[1]) * np.log(spread)
    diagonal_of_inverse = np.diag(inverse)
    loo = diagonal_of_inverse > 1e-9 * diagonal_of_inverse.max()
    # Without the row, at the row: variance of the function and of one observation of weight 1.
    loo_variances = np.where(loo, 1 / np.where(loo, diagonal_of_inverse, 1) - noise / weights + noise, np.inf)
    loo_means = z - np.where(loo, alpha / np.where(loo, diagonal_of_inverse, 1), np.nan)
    return Posterior(
        center + spread * (cross.T @ alpha + query_basis @ beta),
        spread**2 * covariance,
        float(evidence),
        float(values[-1] / values[0]),
        problem.observed(),
        spread**2 * float(np.diag(prior).max(initial=0)),
        float(np.abs(problem.y).max()),
        center + spread * loo_means,
        spread**2 * loo_variances,
    )


def mean_basis(mean: str, x: Matrix, queries: Matrix) -> tuple[Matrix, Matrix]:
    """Functions that the mean is made of, at rows and at queries; centred, which changes no prediction."""
    if mean == "zero":
        return np.zeros((len(x), 0)), np.zeros((len(queries), 0))
    center, spread = x.mean(axis=0), x.std(axis=0)
    if mean != "constant" and (spread <= 1e-9 * np.abs(x).max()).any():
        raise NotApplicable("a column of the mean is constant")
    found = []
    for points in (x, queries):
        columns = [np.ones(len(points))]
        if mean != "constant":
            u = (points - center) / spread
            columns += list(u.T)
            if mean == "quadratic":
                columns += [u[:, i] * u[:, j] for i in range(u.shape[1]) for j in range(i, u.shape[1])]
        found.append(np.array(columns).T)
    if len(x) <= found[0].shape[1] or np.linalg.cond(found[0]) > 1e4:
        raise NotApplicable("the mean is not determined")
    return found[0], found[1]


def inducing(problem: Problem, points: Matrix, method: str, queries: Matrix) -> Posterior:
    """SoR, FITC and VFE with known inducing points (Quiñonero-Candela and Rasmussen 2005; Titsias 2009)."""
    center, spread = problem.standard()
    x, z, noise, weights = problem.rows()
    inner, cross = gram(problem.kernel, points), gram(problem.kernel, points, x)
    values, vectors = np.linalg.eigh(inner)
    if values[0] < 1e-7 * values[-1]:
        raise NotApplicable("the inducing points depend on each other")
    root = (vectors / np.sqrt(values)).T
    features, query_features = root @ cross, root @ gram(problem.kernel, points, queries)
    rest = np.maximum(diagonal(problem.kernel, x) - (features**2).sum(axis=0), 0)
    lengths = (noise + (rest if method == "fitc" else 0)) / weights
    matrix = features.T @ features + np.diag(lengths)
    sites = np.eye(len(points)) + (features / lengths) @ features.T
    means = query_features.T @ np.linalg.solve(sites, features @ (z / lengths))
    covariance = query_features.T @ np.linalg.solve(sites, query_features)
    prior = gram(problem.kernel, queries)
    if method != "sor":
        covariance = covariance + prior - query_features.T @ query_features
    evidence = -0.5 * (z @ np.linalg.solve(matrix, z) + np.linalg.slogdet(matrix)[1] + len(z) * LOG_2PI)
    if method == "vfe":
        evidence -= 0.5 * float((rest * weights / noise).sum())
    evidence -= len(z) * np.log(spread)
    condition = float(np.linalg.cond(sites) * values[-1] / values[0])
    largest = spread**2 * float(np.diag(prior).max(initial=0))
    means = center + spread * means
    return Posterior(
        means,
        spread**2 * covariance,
        float(evidence),
        condition,
        problem.observed(),
        largest,
        float(np.abs(problem.y).max()),
    )


def perturbed(spec: str, change: float) -> list[str]:
    """The kernel with each of its positive numbers multiplied by ``exp(change)``, one at a time."""
    kernel = _core.Kernel(spec)
    values = [float(entry["value"]) for entry in kernel.scale_parameters()]
    found = []
    for k, value in enumerate(values):
        changed = list(values)
        changed[k] = value * float(np.exp(change))
        found.append(kernel.with_scale_parameters(changed).spec)
    return found
