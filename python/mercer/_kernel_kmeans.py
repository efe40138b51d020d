"""Kernel k-means."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer import _core
from mercer._base import Array
from mercer._clusterer import PrototypeClusterer
from mercer._svm_base import stored_centers


class KernelKMeans(PrototypeClusterer):
    """Kernel k-means: clusters around means in feature space, so that they need not be convex.

    Parameters are named as in ``sklearn.cluster.KMeans``, which it is for ``kernel="linear"``.

    Parameters
    ----------
    n_clusters : int, default=8
        How many clusters; fewer where there are not so many distinct rows.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    n_init : int, default=10
        k-means++ starts, all in the same passes over the kernel matrix; the best is kept.
    max_iter : int, default=300
        Limit on passes.
    tol : float, default=0
        Stop where the inertia falls by less than this fraction; 0: where no row moves.
    memory_mb : float, default=0
        The kernel matrix is stored up to this size, and evaluated in every pass beyond; 0: half of the memory.
    random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of every training row; clusters are numbered by their first rows.
    inertia_ : float
        Sum of squared distances, in feature space, between rows and the means of their clusters, times the weights.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The means, for a linear kernel of dense rows; other means have no place in input space.
    n_iter_ : int
        Passes of the best start.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.cluster import KernelKMeans
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1]])
    >>> model = KernelKMeans(n_clusters=2, random_state=0).fit(X)
    >>> model.labels_, model.predict([[4.8]])
    (array([0, 0, 0, 1, 1], dtype=int32), array([1], dtype=int32))
    """

    _model = "kmeans"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 0,
        memory_mb: float = 0,
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KernelKMeans:
        """Find the clusters.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
        y : ignored
            For the sake of pipelines.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w rows.

        Returns
        -------
        self
        """
        self._fit_clusters(X, sample_weight)
        self._keep(self._check_fitted())
        return self

    def _adopt(self, model: _core.FittedModel) -> None:
        super()._adopt(model)
        self._keep(model)

    def _keep(self, model: _core.FittedModel) -> None:
        self.__dict__.pop("cluster_centers_", None)
        self.inertia_ = model.facts("inertia")[""]
        coefficients = model.array("coefficients")
        if model.kernel == "linear()":
            centers = stored_centers(model)
            means = np.asarray(coefficients.T @ centers) / -2
            self.cluster_centers_ = means

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Give minus the sum of squared distances between rows and the nearest means.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.
        y : ignored
            For the sake of pipelines.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        float
        """
        nearest: Array = self._squared_distances(X).min(axis=1)
        weights = self._check_weights(sample_weight, nearest[:, None])
        return -float(np.sum(nearest if weights is None else weights * nearest))
