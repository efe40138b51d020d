"""The evidence of Gaussian noise as a function of theta, and the prior of a process.

Fits have their own, faster search; these serve ``log_marginal_likelihood``, optimizers that are functions, and
predictions before a fit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from mercer import _core
from mercer._base import Array
from mercer._gp_parameters import Theta


def log_evidence(theta: Theta, samples: _core.Samples, y: Array, noise: Array, threads: int) -> tuple[float, Array]:
    """Give ln N(y | 0, K + diag(noise)), summed over outputs, and its gradient by theta; n³ operations.

    Minus infinity where the covariance is not positive definite.
    """
    columns = y.reshape(len(y), -1)
    covariance = theta.compiled.gram(samples, threads=threads)
    covariance[np.diag_indices_from(covariance)] += noise
    try:
        factor = scipy.linalg.cholesky(covariance, lower=True)
    except np.linalg.LinAlgError:
        return -np.inf, np.zeros_like(theta.start)
    weights = scipy.linalg.cho_solve((factor, True), columns)
    outputs = columns.shape[1]
    constant = len(y) / 2 * np.log(2 * np.pi) + np.sum(np.log(np.diag(factor)))
    value = -0.5 * float(np.sum(columns * weights)) - outputs * float(constant)
    inverse = scipy.linalg.cho_solve((factor, True), np.eye(len(y)))
    contrast = np.ascontiguousarray((weights @ weights.T - outputs * inverse) / 2)
    by_value = theta.compiled.contract(samples, contrast, threads=threads)
    return value, theta.gradient(np.asarray(by_value))


def prior(kernel: _core.Kernel, samples: _core.Samples, targets: int, *, std: bool, cov: bool) -> Any:
    """Give the mean of the prior, 0, alone or with its deviations or covariance, for so many targets."""
    resolved = kernel.resolved(samples)
    mean = np.zeros((samples.size, targets))
    mean = mean[:, 0] if targets == 1 else mean
    if cov:
        covariance = np.asarray(resolved.gram(samples))
        return mean, covariance if targets == 1 else np.stack([covariance] * targets, axis=-1)
    if std:
        deviation = np.sqrt(np.asarray(resolved.diagonal(samples)))
        return mean, deviation if targets == 1 else np.repeat(deviation[:, None], targets, axis=1)
    return mean


def prior_draws(mean: Array, covariance: Array, count: int, seed: int) -> Array:
    """Draw functions from the prior: (rows, count), or (rows, targets, count)."""
    generator = np.random.default_rng(seed)
    if mean.ndim == 1:
        return np.asarray(generator.multivariate_normal(mean, covariance, count).T)
    draws = [
        generator.multivariate_normal(mean[:, target], covariance[..., target], count).T[:, None]
        for target in range(mean.shape[1])
    ]
    return np.hstack(draws)
