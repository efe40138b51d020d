"""Smaller models: the functions of a fitted estimator written by fewer rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer import _core
from mercer._base import Estimator
from mercer._parameters import seed_of, thread_count
from mercer._progress import ProgressBar
from mercer._rules import AT_LEAST_ONE, reject
from mercer.kernel_ridge import KernelRidge

METHODS = ("auto", "construct", "clusters", "greedy", "delete", "kpca", "l1", "svr")


def compress(
    model: Any,
    size: int = 50,
    X: Any = None,
    y: Any = None,
    *,
    method: str = "auto",
    per_output: bool = False,
    refinement: int = 300,
    random_state: Any = None,
    verbose: bool = False,
    n_jobs: int | None = None,
) -> Any:
    """Write the functions of a fitted estimator by fewer rows, so that predictions cost less and files shrink.

    Parameters
    ----------
    model : estimator
        Fitted: SVC, SVR, OneClassSVM, KernelRidge, KernelFisherDiscriminant, GaussianProcessRegressor and others whose
        functions are kernel expansions. It stays as it is.
    size : int, default=50
        How many rows.
    X : array-like, optional
        Rows, those of the fit or others, to which constants are adjusted.
    y : array-like, optional
        Their targets: thresholds of classifiers are then those of fewest errors.
    method : str, default='auto'
        'construct' makes rows up, for kernels of numeric columns with a derivative; 'clusters', 'greedy', 'delete',
        'kpca', 'l1' and 'svr' choose among the rows of the model. auto: construct where it is possible, otherwise
        greedy.
    per_output : bool, default=False
        Give every machine of several ``size`` rows of its own; otherwise all share them.
    refinement : int, default=300
        Evaluations in which constructed rows are refined together; 0: none.
    random_state, verbose, n_jobs
        As in ``SVC``.

    Returns
    -------
    estimator
        Of the same class; of a Gaussian process regressor its mean, as a ``KernelRidge``. ``compress_report_`` says
        what was lost: ``error`` is the distance of the functions in the kernel's space, ``norm`` their length; values
        change by at most error times the square root of k(x, x). Support vectors that were made up, or whose rows are
        not known any more, have the number -1.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> from mercer.svm import SVC
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> y = np.hypot(X[:, 0], X[:, 1]) > 1
    >>> model = SVC(C=10).fit(X, y)
    >>> small = mercer.compress(model, 10, X, y)
    >>> report = small.compress_report_
    >>> report["centers_after"], bool(np.mean(small.predict(X) == model.predict(X)) > 0.97)
    (10, True)
    """
    fitted = _checked(model, size, method)
    samples, targets, classes = _training(model, fitted, X, y)
    settings: dict[str, Any] = {
        "size": int(size),
        "method": method,
        "per_output": bool(per_output),
        "refinement": int(refinement),
        "threads": thread_count(n_jobs),
        "seed": seed_of(random_state),
    }
    if verbose:
        with ProgressBar() as bar:
            small, report = _core.compress(fitted, samples, targets, classes, progress=bar, **settings)
    else:
        small, report = _core.compress(fitted, samples, targets, classes, **settings)
    result = _estimator_like(model, small)
    result.compress_report_ = report
    return result


def _checked(model: Any, size: Any, method: str) -> _core.FittedModel:
    if not isinstance(model, Estimator):
        raise TypeError(f"compress takes a fitted estimator of mercer; got {type(model).__name__}")
    if not AT_LEAST_ONE.hold(size):
        raise ValueError(f"The 'size' parameter of compress must be {AT_LEAST_ONE}. Got {size!r} instead.")
    if method not in METHODS:
        raise ValueError(f"The 'method' parameter of compress must be one of {set(METHODS)}. Got {method!r} instead.")
    bundle = model._bundle()
    if bundle is not None and len(bundle.models) > 1:
        raise ValueError(f"this {type(model).__name__} is {len(bundle.models)} models; compress takes one at a time")
    return model._check_fitted()


def _training(model: Any, fitted: _core.FittedModel, X: Any, y: Any) -> tuple[Any, Any, list[str] | None]:
    if X is None:
        if y is not None:
            raise ValueError("y without X: give the rows that the targets belong to")
        return None, None, None
    samples = model._samples(X)
    if y is None:
        return samples, None, None
    if not hasattr(model, "classes_"):
        return samples, np.ascontiguousarray(y, dtype=np.float64), None
    labels = np.asarray(y)
    codes = np.searchsorted(model.classes_, labels)
    codes = np.minimum(codes, len(model.classes_) - 1)
    if not np.array_equal(model.classes_[codes], labels):
        raise ValueError("y has labels that the model does not know")
    return samples, codes.astype(np.int32), list(fitted.classes)


def _estimator_like(model: Any, small: _core.FittedModel) -> Any:
    """An estimator of the same class and parameters around another model of the engine."""
    if small.name != (model._stored_model or model._model):
        if small.name != KernelRidge._model:
            reject(model, "model", small.name, "of a kind that an estimator stands for")
        return KernelRidge._from_model(small)
    result = type(model)._from_model(small).set_params(**model.get_params(deep=False))
    result._fitted_choice = model._fitted_choice
    for name in (
        "classes_",
        "class_weight_",
        "feature_names_in_",
        "n_features_in_",
        "eigenvalues_",
        "_rows_of_fit",
        "_flat_target",
        "_fitted_to",
    ):
        if hasattr(model, name):
            setattr(result, name, getattr(model, name))
    return result
