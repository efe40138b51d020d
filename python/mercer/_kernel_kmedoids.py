"""k-medoids in feature space."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer import _core
from mercer._clusterer import PrototypeClusterer
from mercer._samples import rows_at
from mercer._svm_base import stored_centers


class KernelKMedoids(PrototypeClusterer):
    """k-medoids: clusters around rows, by distances in feature space alone.

    It works on whatever a kernel compares: strings, frames of several kinds, rows of numbers.

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
        k-means++ starts; the best is kept.
    max_iter : int, default=300
        Limit on alternations, and on swaps.
    swaps : bool, default=True
        After the alternation, exchange medoids for other rows while that helps (PAM).
    distance : {'plain', 'squared'}, default='plain'
        What is summed: distances in feature space, or their squares.
    memory_mb : float, default=0
        Distances are stored up to this size, and evaluated in every pass beyond; 0: half of the machine's memory.
    random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of every training row.
    inertia_ : float
        Sum of the distances between rows and the medoids of their clusters.
    medoid_indices_ : ndarray of shape (n_clusters,)
        Which rows the medoids are.
    cluster_centers_ : array of shape (n_clusters, n_features)
        The medoids.
    n_iter_, n_features_in_, feature_names_in_, fit_report_
        As in ``KernelKMeans``.

    Examples
    --------
    >>> from mercer.cluster import KernelKMedoids
    >>> answers = [[1, 0, 2, 1], [1, 0, 2, 0], [3, 2, 1, 1], [3, 2, 0, 1], [3, 2, 1, 2]]
    >>> KernelKMedoids(n_clusters=2, kernel="hamming()").fit(answers).labels_
    array([0, 0, 1, 1, 1], dtype=int32)
    """

    _model = "kmedoids"

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
        swaps: bool = True,
        distance: str = "plain",
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
        self.swaps = swaps
        self.distance = distance
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KernelKMedoids:
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
        rows = self._fit_clusters(X, sample_weight)
        self._keep(self._check_fitted())
        self.cluster_centers_ = rows_at(rows, self.medoid_indices_)
        return self

    def _adopt(self, model: _core.FittedModel) -> None:
        super()._adopt(model)
        self._keep(model)
        if not self._fitted_choice.is_matrix:
            self.cluster_centers_ = stored_centers(model)

    def _keep(self, model: _core.FittedModel) -> None:
        self.inertia_ = model.facts("sum of distances")[""]
        self.medoid_indices_ = model.array("point_rows").astype(np.intp).ravel()
