"""Classes that are told apart by their means, or by a few of their rows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer import _core
from mercer._base import step_count
from mercer._classifier import DecisionClassifier
from mercer._options import OptionNames, check_parameters
from mercer._pairwise import PairwiseClassifier


class ClassMeanClassifier(PairwiseClassifier, DecisionClassifier):
    """Class means in feature space: the class whose mean is nearest.

    No solver, and nothing to tune but the kernel; ``sklearn.neighbors.NearestCentroid`` is the linear case.

    Parameters
    ----------
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    rule : {'mean', 'distance', 'parzen'}, default='mean'
        The class whose mean is nearest; whose rows have the least mean squared distance; or whose mean kernel value, a
        Parzen estimate of the density for kernels that are densities, is largest.
    verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.neighbors import ClassMeanClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(ClassMeanClassifier().fit(X, y).score(X, y) > 0.9)
    True
    """

    _model = "classmean"

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        rule: str = "mean",
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.rule = rule
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ClassMeanClassifier:
        """Average every class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
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
        return self


class NearestMedoidClassifier(PairwiseClassifier, DecisionClassifier):
    """A few medoids of every class: the class of the nearest.

    Parameters
    ----------
    n_medoids : int, default=5
        Per class; fewer where a class has not so many distinct rows.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    n_init, max_iter, swaps, distance, memory_mb
        As in ``KernelKMedoids``.
    random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    medoid_indices_ : ndarray of shape (n_points,)
        Which rows the medoids are, class by class.
    medoid_labels_ : ndarray of shape (n_points,)
        The label of every medoid.
    n_iter_ : int
        Alternations and swaps, of all classes together.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.neighbors import NearestMedoidClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NearestMedoidClassifier(n_medoids=2).fit(X, y)
    >>> model.medoid_labels_, bool(model.score(X, y) > 0.9)
    (array([0, 0, 1, 1, 2, 2]), True)
    """

    _model = "medoidc"
    _option_names: ClassVar[OptionNames] = {"n_medoids": "medoids"}

    def __init__(
        self,
        n_medoids: int = 5,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        n_init: int = 10,
        max_iter: int = 300,
        swaps: bool = True,
        distance: str = "plain",
        memory_mb: float = 0,
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_medoids = n_medoids
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_init = n_init
        self.max_iter = max_iter
        self.swaps = swaps
        self.distance = distance
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NearestMedoidClassifier:
        """Find the medoids of every class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
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
        self._keep(self._check_fitted())
        return self

    def _adopt(self, model: _core.FittedModel) -> None:
        super()._adopt(model)
        self._keep(model)

    def _keep(self, model: _core.FittedModel) -> None:
        self.n_iter_ = step_count(model)
        self.medoid_indices_ = model.array("point_rows").astype(np.intp).ravel()
        self.medoid_labels_ = self.classes_[model.array("point_classes").astype(np.intp).ravel()]
