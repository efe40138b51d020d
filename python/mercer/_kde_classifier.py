"""Classification by one kernel density per class."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer import _core
from mercer._classifier import Probabilities
from mercer._kernel_density import WindowDensity
from mercer._options import check_parameters


class KernelDensityClassifier(WindowDensity, Probabilities):
    """Classification by one kernel density per class and Bayes' rule.

    Parameters
    ----------
    bandwidth : str, float, array of shape (n_features,) or matrix, default='silverman'
        As in ``KernelDensity``; a rule chooses one for every class, and always sees the spread of its columns.
    kernel : str, default='gaussian'
        As in ``KernelDensity``.
    form : {'scalar', 'diagonal', 'full'}, default='diagonal'
        What a rule gives: one width, one per column, or a matrix.
    priors : {'frequency', 'equal'}, default='frequency'
        Shares of the classes among the rows, or all alike.
    adaptive, lower, upper, period
        As in ``KernelDensity``.
    atol, rtol : float, default=0 and 1e-6
        What a density may be off by, absolutely and of itself.
    verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    class_prior_ : ndarray of shape (n_classes,)
        Their priors.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.neighbors import KernelDensityClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelDensityClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.95), model.class_prior_.round(2)
    (True, array([0.33, 0.33, 0.33]))
    """

    _model = "kdec"

    def __init__(
        self,
        bandwidth: Any = "silverman",
        *,
        kernel: str = "gaussian",
        form: str = "diagonal",
        priors: str = "frequency",
        adaptive: float = 0,
        lower: Any = None,
        upper: Any = None,
        period: Any = None,
        atol: float = 0,
        rtol: float = 1e-6,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.form = form
        self.priors = priors
        self.adaptive = adaptive
        self.lower = lower
        self.upper = upper
        self.period = period
        self.atol = atol
        self.rtol = rtol
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _adopt(self, model: _core.FittedModel) -> None:
        super()._adopt(model)
        self.class_prior_ = np.asarray(model.array("priors")).ravel()

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelDensityClassifier:
        """Make a density of the rows of every class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Labels: numbers, strings or truth values.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w rows.

        Returns
        -------
        self
        """
        check_parameters(self)
        self._fit_classes(X, y, sample_weight)
        self.class_prior_ = np.asarray(self._check_fitted().array("priors")).ravel()
        return self
