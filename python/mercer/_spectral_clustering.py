"""Spectral clustering."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.neighbors import kneighbors_graph

from mercer import _core
from mercer._base import Array
from mercer._clusterer import Clusterer
from mercer._kernel_choice import PRECOMPUTED, KernelChoice
from mercer._rules import AT_LEAST_ONE, NOT_NEGATIVE, Rules, Words, WordsOrNumber
from mercer._samples import as_samples
from mercer._svm_base import stored_rows


class SpectralClustering(Clusterer):
    """Spectral clustering: kernel values are the weights of a graph, and clusters its parts that hold together.

    Parameters are those of ``sklearn.cluster.SpectralClustering``; other than there, new rows have a cluster too.

    Parameters
    ----------
    n_clusters : int, default=8
        How many clusters.
    eigen_solver : {'arpack', 'lobpcg', 'amg'}, optional
        Taken for compatibility.
    n_components : int, optional
        How many eigenvectors; None: as many as clusters.
    random_state : int, RandomState instance or None, default=None
        Seed of k-means on the eigenvectors; None is 0.
    n_init : int, default=10
        k-means++ starts; the best is kept.
    gamma : float or {'scale', 'auto', 'median'}, default=1.0
        Width of the named kernels.
    affinity : str, Kernel or callable, default='rbf'
        The kernel, as ``KernelRidge`` takes it; its values must not be negative. Or 'nearest_neighbors': a graph of the
        ``n_neighbors`` nearest rows, which has no place for new ones.
    n_neighbors : int, default=10
        For 'nearest_neighbors'.
    eigen_tol : float or 'auto', default='auto'
        Residual of the eigenvectors, relative to the largest eigenvalue; 'auto': 1e-7.
    assign_labels : {'kmeans'}, default='kmeans'
        How clusters are read from the eigenvectors.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    n_jobs : int, optional
        Threads. None: all cores, or OMP_NUM_THREADS.
    verbose : bool, default=False
        Show a progress bar.
    max_iter : int, default=300
        Limit on the steps of k-means.
    memory_mb : float, default=0
        The kernel matrix is stored up to this size, and evaluated at every product beyond; 0: half of the machine's
        memory.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of every training row.
    affinity_matrix_ : ndarray of shape (n_samples, n_samples)
        The kernel matrix, computed when it is asked for.
    eigenvalues_ : ndarray of shape (n_components,)
        Of the normalised affinities, falling from 1; a gap after them says that the number of clusters is right.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.cluster import SpectralClustering
    >>> angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    >>> X = np.vstack([radius * np.c_[np.cos(angle), np.sin(angle)] for radius in (1, 4)])
    >>> labels = SpectralClustering(n_clusters=2, gamma=5).fit(X).labels_
    >>> labels[:60].tolist() == [0] * 60, labels[60:].tolist() == [1] * 60
    (True, True)
    """

    _model = "spectral"
    _kernel_parameter = "affinity"
    _rules: ClassVar[Rules] = {
        "n_components": AT_LEAST_ONE,  # None stands for the engine's 0, as in scikit-learn
        "n_neighbors": AT_LEAST_ONE,
        "eigen_tol": WordsOrNumber(("auto",), NOT_NEGATIVE),
        "eigen_solver": Words((None, "arpack", "lobpcg", "amg")),
        "assign_labels": Words(("kmeans",)),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        eigen_solver: str | None = None,
        n_components: int | None = None,
        random_state: Any = None,
        n_init: int = 10,
        gamma: float | str | None = 1.0,
        affinity: Any = "rbf",
        n_neighbors: int = 10,
        eigen_tol: float | str = "auto",
        assign_labels: str = "kmeans",
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        max_iter: int = 300,
        memory_mb: float = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.eigen_solver = eigen_solver
        self.n_components = n_components
        self.random_state = random_state
        self.n_init = n_init
        self.gamma = gamma
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.eigen_tol = eigen_tol
        self.assign_labels = assign_labels
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.max_iter = max_iter
        self.memory_mb = memory_mb

    def _chosen_kernel(self, X: Any = None) -> KernelChoice:
        if self._is_graph():
            return KernelChoice(PRECOMPUTED, function=self._graph)
        return super()._chosen_kernel(X)

    def _is_graph(self) -> bool:
        return isinstance(self.affinity, str) and self.affinity == "nearest_neighbors"

    def _graph(self, x: Any, y: Any) -> Array:
        if x is not y:
            raise ValueError("affinity='nearest_neighbors' has no place for new rows; kernels have")
        links = kneighbors_graph(x, min(self.n_neighbors, x.shape[0]), include_self=True)
        return np.asarray((0.5 * (links + links.T)).toarray())

    def _settings(self) -> dict[str, str]:
        settings = super()._settings()
        if self.eigen_tol != "auto":
            settings["tolerance"] = repr(max(float(self.eigen_tol), 1e-14))
        return settings

    def fit(self, X: Any, y: Any = None) -> SpectralClustering:
        """Find the clusters.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``affinity="precomputed"`` the square matrix of their affinities.
        y : ignored
            For the sake of pipelines.

        Returns
        -------
        self
        """
        self._fit_clusters(X)
        self._keep(self._check_fitted())
        return self

    def _adopt(self, model: _core.FittedModel) -> None:
        super()._adopt(model)
        self._keep(model)

    def _keep(self, model: _core.FittedModel) -> None:
        self.eigenvalues_ = model.array("eigenvalues").ravel()

    @property
    def affinity_matrix_(self) -> Array:
        """The kernel matrix of the training rows."""
        if not hasattr(self, "_fitted"):
            raise AttributeError("affinity_matrix_ is there after a fit")
        rows = self._fitted.sample_set("centres")
        if self._fitted_choice.is_matrix:
            return np.asarray(rows[:, 1:])
        rows = stored_rows(rows)
        return np.asarray(_core.Kernel(self._fitted.kernel).gram(as_samples(rows), threads=self._threads()))
