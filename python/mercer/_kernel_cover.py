"""Vector quantization by covering in feature space."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer import _core
from mercer._clusterer import PrototypeClusterer
from mercer._samples import rows_at
from mercer._svm_base import stored_centers


class KernelCover(PrototypeClusterer):
    """Vector quantization by covering: few rows, so that every row is within a radius of one of them.

    Parameters
    ----------
    radius : float, optional
        Every row lies at most so far from a code vector, in feature space; None: as small as ``n_clusters`` allows.
    n_clusters : int, default=8
        How many code vectors at most, where no radius is given.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    method : {'auto', 'program', 'greedy'}, default='auto'
        By the linear program, or greedy where that cover is smaller; greedy alone; auto: the program up to 500 rows.
    memory_mb : float, default=0
        Distances are stored up to this size, and evaluated in every pass beyond; 0: half of the machine's memory.
    random_state, verbose, n_jobs
        As in ``SVC``; nothing is random but the rows that ``gamma='median'`` looks at where there are many.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The nearest code vector of every training row.
    radius_ : float
        The radius, given or found.
    bound_ : float
        No cover with this radius has fewer code vectors.
    medoid_indices_ : ndarray of shape (n_codes,)
        Which rows the code vectors are.
    cluster_centers_ : array of shape (n_codes, n_features)
        The code vectors.
    n_iter_, n_features_in_, feature_names_in_, fit_report_
        As in ``KernelKMeans``.

    Examples
    --------
    >>> from mercer.cluster import KernelCover
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0]]
    >>> model = KernelCover(radius=1, kernel="linear").fit(X)
    >>> model.medoid_indices_, model.labels_
    (array([1, 3]), array([0, 0, 0, 1, 1], dtype=int32))
    """

    _model = "cover"

    def __init__(
        self,
        radius: float | None = None,
        *,
        n_clusters: int = 8,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        method: str = "auto",
        memory_mb: float = 0,
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.radius = radius
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.method = method
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KernelCover:
        """Find the code vectors.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
        y : ignored
            For the sake of pipelines.
        sample_weight : array-like of shape (n_samples,), optional
            Rows of weight 0 are left out; other weights have a part in the kernel's widths alone.

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
        self.radius_ = model.facts("radius")[""]
        self.bound_ = model.report["measures"]["no cover has fewer than"]
        self.medoid_indices_ = model.array("point_rows").astype(np.intp).ravel()
