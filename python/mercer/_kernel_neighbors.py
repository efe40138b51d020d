"""k nearest neighbours in feature space."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import MultiOutputMixin

from mercer import _core
from mercer._base import Array, Estimator
from mercer._classifier import Probabilities
from mercer._options import OptionNames, check_parameters
from mercer._pairwise import PairwiseClassifier, PairwiseKernel
from mercer._regressor import Regressor


class Neighbors(Estimator):
    """What the two have in common."""

    _option_names: ClassVar[OptionNames] = {"weights": "weighting"}
    n_neighbors: int

    def _keep_rows(self, rows: Any, weights: Array | None) -> None:
        self.n_samples_fit_ = rows.shape[0] if hasattr(rows, "shape") else len(rows)
        self._counted = None if weights is None else np.flatnonzero(weights > 0)

    def _adopt(self, model: _core.FittedModel) -> None:
        super()._adopt(model)
        self.n_samples_fit_, self._counted = len(model.array("weights")), None

    def kneighbors(self, X: Any, return_distance: bool = True) -> Any:
        """Find the neighbours of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.
        return_distance : bool, default=True
            Whether to give distances.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            In feature space, where ``return_distance`` is true; rising.
        indices : ndarray of shape (n_samples, n_neighbors)
            Of training rows; of equal distances the first rows. -1, at infinity, where rows of large weight are enough.
        """
        squared, rows = self._check_fitted().neighbors(self._samples(X), threads=self._threads())
        if self._counted is not None:
            rows = np.where(rows >= 0, self._counted[rows], -1)
        return (np.sqrt(squared), rows) if return_distance else rows


class KernelNeighborsClassifier(Neighbors, PairwiseClassifier, Probabilities):
    """k nearest neighbours in feature space: the class of most neighbours.

    Kernels of strings or frames give neighbours where there are no coordinates. With a linear kernel, and with any that
    falls with the Euclidean distance, it is the ordinary method. ``sklearn.neighbors.KNeighborsClassifier`` is faster
    there in few dimensions, where a tree helps.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbours answer.
    weights : {'uniform', 'distance'}, default='uniform'
        How much each counts: all the same, or the inverse of its distance.
    kernel : str, Kernel or callable, default='linear'
        As in ``KernelRidge``.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    loo : bool, default=False
        Report the leave-one-out error in ``fit_report_``.
    verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_samples_fit_ : int
        How many training rows there are.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from mercer.neighbors import KernelNeighborsClassifier
    >>> answers, y = [[1, 0, 2, 1], [1, 0, 2, 0], [3, 2, 1, 1], [3, 2, 0, 1]], ["a", "a", "b", "b"]
    >>> KernelNeighborsClassifier(n_neighbors=1, kernel="hamming()").fit(answers, y).predict([[3, 0, 1, 1]])
    array(['b'], dtype='<U1')
    """

    _model = "knnc"

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: str = "uniform",
        kernel: Any = "linear",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        loo: bool = False,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.loo = loo
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelNeighborsClassifier:
        """Keep the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
        y : array-like of shape (n_samples,)
            Labels: numbers, strings or truth values.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w stands for w neighbours.

        Returns
        -------
        self
        """
        check_parameters(self)
        rows = self._fit_classes(X, y, sample_weight)
        self._keep_rows(rows, self._check_weights(sample_weight, rows))
        return self


class KernelNeighborsRegressor(MultiOutputMixin, Neighbors, Regressor, PairwiseKernel):
    """k nearest neighbours in feature space: the mean target of the neighbours.

    Parameters
    ----------
    n_neighbors, weights, kernel, gamma, degree, coef0, kernel_params, loo, verbose, n_jobs
        As in ``KernelNeighborsClassifier``.

    Attributes
    ----------
    n_samples_fit_, n_features_in_, feature_names_in_, fit_report_
        As in ``KernelNeighborsClassifier``.

    Examples
    --------
    >>> from mercer.neighbors import KernelNeighborsRegressor
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> KernelNeighborsRegressor(n_neighbors=2).fit(X, [0, 0, 1, 1]).predict([[1.5]])
    array([0.5])
    """

    _model = "knnr"

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: str = "uniform",
        kernel: Any = "linear",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        loo: bool = False,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.loo = loo
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _traits(self) -> dict[str, bool]:
        return {**super()._traits(), "multi_output": True}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelNeighborsRegressor:
        """Keep the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w stands for w neighbours.

        Returns
        -------
        self
        """
        rows = self._fit_values(X, y, sample_weight)
        self._keep_rows(rows, self._check_weights(sample_weight, rows))
        return self
