"""One one-class machine per class."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer._base import Array
from mercer._classifier import DecisionClassifier
from mercer._options import OptionNames, check_parameters
from mercer._pairwise import PairwiseClassifier


class OneClassClassifier(PairwiseClassifier, DecisionClassifier):
    """One one-class machine per class: the class that sees a row farthest inside, or none.

    Classes do not see each other, so that a row may be outside of all.

    Parameters
    ----------
    shape : {'plane', 'ball'}, default='plane'
        What a class is inside of: a plane away from the origin (``OneClassSVM``) or the smallest ball (``SVDD``).
    nu : float, default=0.05
        At most this fraction of the rows of a class lies outside of its machine.
    outlier_rate : float, optional
        Move every boundary after the fit, so that this fraction of the rows of the class lies outside.
    outside : {'nearest', 'none'}, default='nearest'
        The answer for a row outside of all classes: the nearest, or ``outside_label``.
    outside_label : label, optional
        What is predicted for such rows; needed with ``outside='none'``.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    tol, shrinking, memory_mb, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    support_ : ndarray of shape (n_support,)
        The rows that the machines stand on.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from mercer.svm import OneClassClassifier
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> model = OneClassClassifier(gamma=1, outside="none", outside_label=-1).fit(X, [0, 0, 0, 1, 1, 1])
    >>> model.predict([[0.1], [5.1], [20]])
    array([ 0,  1, -1])
    """

    _model = "oneclassc"
    _option_names: ClassVar[OptionNames] = {"max_iter": None}

    def __init__(
        self,
        *,
        shape: str = "plane",
        nu: float = 0.05,
        outlier_rate: float | None = None,
        outside: str = "nearest",
        outside_label: Any = None,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        tol: float = 1e-3,
        shrinking: bool = True,
        memory_mb: float = 0,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.shape = shape
        self.nu = nu
        self.outlier_rate = outlier_rate
        self.outside = outside
        self.outside_label = outside_label
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.tol = tol
        self.shrinking = shrinking
        self.memory_mb = memory_mb
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OneClassClassifier:
        """Fit a machine to every class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
        y : array-like of shape (n_samples,)
            Labels: numbers, strings or truth values.
        sample_weight : array-like of shape (n_samples,), optional
            How much every row counts; rows of weight 0 are left out.

        Returns
        -------
        self
        """
        check_parameters(self)
        if self.outside == "none" and self.outside_label is None:
            raise ValueError("OneClassClassifier(outside='none') needs outside_label, the answer where no class is one")
        self._fit_classes(X, y, sample_weight)
        self.support_ = self._check_fitted().array("support_rows").astype(np.intp).ravel()
        return self

    def predict(self, X: Any) -> Array:
        """Predict the class of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit; for ``kernel="precomputed"`` kernel values with every training row.

        Returns
        -------
        ndarray of shape (n_samples,)
            ``outside_label`` where a row is outside of all classes and ``outside='none'``.
        """
        numbers = self._class_numbers(X)
        known = self.classes_.take(np.maximum(numbers, 0))
        if self.outside != "none":
            return np.asarray(known)
        answers = np.concatenate([known, np.array([self.outside_label])])  # of a type that holds both
        answers[:-1][numbers < 0] = self.outside_label
        return np.asarray(answers[:-1])

    def _adopt(self, model: Any) -> None:
        super()._adopt(model)
        self.support_ = model.array("support_rows").astype(np.intp).ravel()
