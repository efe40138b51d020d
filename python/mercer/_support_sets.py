"""Support vectors of two machines: how many they share, and one trained on those of the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from mercer import _core
from mercer._svm_base import KernelMachine


def support_overlap(model: KernelMachine, other: KernelMachine) -> dict[str, Any]:
    """Count the support vectors that two machines fitted to the same rows share.

    Machines with other kernels find much the same rows to be support vectors.

    Parameters
    ----------
    model, other : fitted support vector machines
        Fitted to the same rows in the same order: rows are known by their numbers.

    Returns
    -------
    dict
        ``"all"``: a dict of ``own`` and ``other``, the numbers of support vectors of each, ``both``, and ``share``,
        which is both / other. ``"machines"``: such dicts by the names of the two-class machines, where there are
        several, the same for both. ``"classes"``: by label, where both have the same classes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.svm import SVC, support_overlap
    >>> X, y = load_iris(return_X_y=True)
    >>> support_overlap(SVC(C=10).fit(X, y), SVC(C=100).fit(X, y))["all"]["share"] > 0.5
    True
    """
    found = _core.support_overlap(_fitted(model), _fitted(other))
    result: dict[str, Any] = {"all": found["all"]}
    for part in ("machines", "classes"):
        if found[part]:
            result[part] = dict(found[part])
    if "classes" in result:
        # By the labels of the user, not by their texts.
        result["classes"] = dict(zip(model.classes_.tolist(), result["classes"].values(), strict=True))
    return result


def fit_on_support(model: Any, other: KernelMachine, X: Any, y: Any, **arrays: Any) -> Any:
    """Fit an estimator to the support vectors of another machine alone.

    Parameters
    ----------
    model : estimator
        Is fitted; any estimator with ``fit(X, y)``.
    other : fitted support vector machine
        Fitted to ``X`` and ``y``.
    X, y : array-like
        The rows that ``other`` was fitted to.
    **arrays : array-like of shape (n_samples,) or None
        Other arguments of ``fit`` with one value per row, such as ``sample_weight``.

    Returns
    -------
    estimator
        ``model``.
    """
    _fitted(other)
    rows = np.sort(other.support_)
    if len(rows) and rows[0] < 0:
        raise ValueError(
            f"{type(other).__name__}: its functions were compressed, and their points are no training rows any more"
        )
    if len(rows) and rows[-1] >= _num_samples(X):
        raise ValueError(
            f"X has {_num_samples(X)} rows, and row {rows[-1]} is a support vector of {type(other).__name__}: give the "
            "rows that it was fitted to"
        )
    chosen = {name: None if values is None else _safe_indexing(values, rows) for name, values in arrays.items()}
    return model.fit(_safe_indexing(X, rows), _safe_indexing(y, rows), **chosen)


def _fitted(model: Any) -> _core.FittedModel:
    if not isinstance(model, KernelMachine):
        raise TypeError(f"{type(model).__name__} is no support vector machine of mercer.svm")
    return model._check_fitted()
