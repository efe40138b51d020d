"""Novelty detection: OneClassSVM and SVDD."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils import check_consistent_length

from mercer import _core, _labels
from mercer._base import Array
from mercer._kernel_choice import KernelChoice
from mercer._options import check_parameters
from mercer._svm_base import KernelMachine


class NoveltyMachine(OutlierMixin, KernelMachine):
    """What OneClassSVM and SVDD share."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Find the region where most rows lie.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
        y : array-like of shape (n_samples,), optional
            Labels, read where ``OneClassSVM`` is given ``outlier`` or ``origin``; ignored otherwise.
        sample_weight : array-like of shape (n_samples,), optional
            How much every row counts; rows of weight 0 are left out.

        Returns
        -------
        self
        """
        check_parameters(self)
        choice = self._choice(X)
        rows = self._check_rows(X, choice, reset=True)
        weights = self._check_weights(sample_weight, rows)
        self._keep_machine(self._run_machine(choice, rows, y, weights), rows)
        return self

    def _run_machine(self, choice: KernelChoice, rows: Any, y: Any, weights: Array | None) -> _core.FittedModel:
        return self._run(choice, rows, sample_weight=weights)

    def _keep_machine(self, model: _core.FittedModel, rows: Any) -> None:
        super()._keep_machine(model, rows)
        self.offset_ = -self.intercept_

    def fit_predict(self, X: Any, y: Any = None, **kwargs: Any) -> Array:
        """Fit, and give 1 for rows inside the region and -1 for rows outside.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
        y : array-like of shape (n_samples,), optional
            Labels, as ``fit`` reads them.
        **kwargs : dict
            Further arguments of ``fit``: ``sample_weight``.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.asarray(self.fit(X, y, **kwargs).predict(X))

    def decision_function(self, X: Any) -> Array:
        """Give how far inside the region every row is; negative outside.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        samples = self._samples(X)
        return np.asarray(self._check_fitted().decide(samples, threads=self._threads()))[:, 0]

    def score_samples(self, X: Any) -> Array:
        """Give the decision values before the offset is taken off: ``decision_function(X) + offset_``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.asarray(self.decision_function(X) + self.offset_)

    def predict(self, X: Any) -> Array:
        """Give 1 for rows inside the region and -1 for rows outside.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.where(self._is_inside(self.decision_function(X)), 1, -1)

    @staticmethod
    def _is_inside(values: Array) -> Array:
        return np.asarray(values >= 0)


class OneClassSVM(NoveltyMachine):
    """One-class support vector machine: the region where a fraction 1 - nu of the rows lies.

    Parameters and attributes are those of ``sklearn.svm.OneClassSVM``.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol, shrinking, cache_size, verbose, max_iter, precision, memory_mb, n_jobs
        As in ``SVC``.
    nu : float, default=0.5
        At most this fraction of the rows lies outside. Choose it: 0.05 suits most data.
    outlier_rate : float, optional
        Move the boundary after the fit, so that this fraction of the rows lies outside, by weight; rows of equal
        decision values stay together, and rather inside.
    outlier : label, optional
        Rows whose label in ``y`` is this one are known outliers: they are to be outside.
    origin : label, optional
        Rows whose label in ``y`` is this one are not learned: their mean in feature space is the origin that the others
        are separated from. They have coefficients, and stand in ``support_``.

    Attributes
    ----------
    offset_ : ndarray of shape (1,)
        ``decision_function = score_samples - offset_``.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_
        As in ``SVR``.
    fit_status_, n_iter_, shape_fit_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from mercer.svm import OneClassSVM
    >>> X = [[0.0], [0.44], [0.45], [0.46], [1]]
    >>> OneClassSVM(gamma="auto").fit(X).predict(X)
    array([-1,  1,  1,  1, -1])
    """

    _model = "oneclass"
    _weights_as_peer = True

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        outlier_rate: float | None = None,
        outlier: Any = None,
        origin: Any = None,
        precision: str = "auto",
        memory_mb: float = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.outlier_rate = outlier_rate
        self.outlier = outlier
        self.origin = origin
        self.precision = precision
        self.memory_mb = memory_mb
        self.n_jobs = n_jobs

    def _run_machine(self, choice: KernelChoice, rows: Any, y: Any, weights: Array | None) -> _core.FittedModel:
        if self.outlier is None and self.origin is None:
            return super()._run_machine(choice, rows, y, weights)
        if y is None:
            raise ValueError("OneClassSVM reads the labels outlier and origin from y, and y is None")
        check_consistent_length(rows, y)
        classes, codes = _labels.encode(y)
        texts, kind = _labels.texts(classes), _labels.kind_of(classes)
        return self._run(choice, rows, codes, sample_weight=weights, classes=texts, label_kind=kind)

    def _settings(self) -> dict[str, str]:
        labels = {"outlier": self.outlier, "origin": self.origin}
        written = {name: _labels.texts(np.array([label]))[0] for name, label in labels.items() if label is not None}
        return {**super()._settings(), **written}

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        labels = {name: settings.get(name) or None for name in ("outlier", "origin")}
        return {**super()._stored_parameters(settings), **labels}

    @staticmethod
    def _is_inside(values: Array) -> Array:
        # LIBSVM's rule, and scikit-learn's; SVDD, which is ours, counts the boundary as inside.
        return np.asarray(values > 0)


class SVDD(NoveltyMachine):
    """Support vector data description: the smallest ball around a fraction 1 - nu of the rows.

    For kernels of constant diagonal, such as 'rbf', the region is that of ``OneClassSVM``; for others, such as
    'poly', it is a ball where that one is a half-space.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol, shrinking, cache_size, verbose, max_iter, precision, memory_mb, n_jobs
        As in ``SVC``.
    nu : float, default=0.05
        At most this fraction of the rows lies outside.
    outlier_rate : float, optional
        Move the boundary after the fit, so that this fraction of the rows lies outside, by weight; rows of equal
        decision values stay together, and rather inside.

    Attributes
    ----------
    radius_ : float
        Of the ball, in feature space.
    offset_, support_, support_vectors_, n_support_, dual_coef_, intercept_
        As in ``OneClassSVM``; decision values are squared radius minus squared distance.

    Examples
    --------
    >>> from mercer.svm import SVDD
    >>> model = SVDD(kernel="linear", nu=0.01).fit([[0.0, 0], [2, 0], [0, 2], [2, 2]])
    >>> model.predict([[1, 1], [3, 1]])
    array([ 1, -1])
    """

    _model = "svdd"

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.05,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        outlier_rate: float | None = None,
        precision: str = "auto",
        memory_mb: float = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.outlier_rate = outlier_rate
        self.precision = precision
        self.memory_mb = memory_mb
        self.n_jobs = n_jobs

    def _keep_machine(self, model: _core.FittedModel, rows: Any) -> None:
        super()._keep_machine(model, rows)
        self.radius_ = model.facts("radius")[""]
