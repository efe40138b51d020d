"""Which support vectors of a fitted machine are free, and which are at their bound."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._base import Array

# Of the bound: coefficients this close to it are at it.
CLOSE = 1e-6


def bound_support(estimator: Any, sample_weight: Any = None) -> Array:
    """Say of every support vector whether a coefficient of it is at its bound.

    Parameters
    ----------
    estimator : fitted estimator
        With ``support_`` and ``dual_coef_``.
    sample_weight : array-like of shape (n_samples,), optional
        Weights that the machine was fitted with.

    Returns
    -------
    ndarray of bool, of shape (n_support,)
        Vectors at the bound are margin errors, or outliers; the others lie on the margin.
    """
    coefficients = np.abs(np.asarray(estimator.dual_coef_))
    coefficients = coefficients.reshape(-1, coefficients.shape[-1])
    weights = np.ones(coefficients.shape[1])
    if sample_weight is not None:
        weights = np.asarray(sample_weight, dtype=float)[estimator.support_]
    if hasattr(estimator, "C"):
        bounds = np.broadcast_to(estimator.C * weights * _class_factors(estimator), coefficients.shape)
        return np.asarray(np.any(coefficients >= bounds * (1 - CLOSE), axis=0))
    # The scale of the coefficients of machines with nu follows from the solution: the largest per machine is the bound.
    at_bound = np.zeros(coefficients.shape[1], dtype=bool)
    for rows, columns in _machines(estimator, coefficients):
        values = coefficients[rows, columns] / weights[columns]
        at_bound[columns] |= values >= values.max(initial=0.0) * (1 - CLOSE)
    return at_bound


def _class_factors(estimator: Any) -> Array:
    counts = getattr(estimator, "n_support_", None)
    factors = getattr(estimator, "class_weight_", None)
    if factors is None or counts is None or len(factors) != len(counts):
        return np.ones(1)
    return np.repeat(np.asarray(factors, dtype=float), counts)


def _machines(estimator: Any, coefficients: Array) -> list[tuple[Array, Array]]:
    """List rows and columns of ``dual_coef_`` that belong to one machine, without coefficients of 0."""
    everything = np.arange(coefficients.shape[1])
    classes = len(getattr(estimator, "classes_", ()))
    if classes <= 2 or len(coefficients) != classes - 1:
        groups = [(np.full(len(everything), row), everything) for row in range(len(coefficients))]
    else:
        owners = np.repeat(np.arange(classes), estimator.n_support_)
        groups = []
        for first in range(classes):
            for second in range(first + 1, classes):
                columns = np.flatnonzero((owners == first) | (owners == second))
                rows = np.where(owners[columns] == first, second - 1, first)
                groups.append((rows, columns))
    return [
        (rows[coefficients[rows, columns] > 0], columns[coefficients[rows, columns] > 0]) for rows, columns in groups
    ]
