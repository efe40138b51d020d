"""Sparse kernel feature analysis."""

from __future__ import annotations

from typing import Any

from mercer._base import Array
from mercer._features import Projection


class SparseKernelFeatures(Projection):
    """Sparse kernel feature analysis: p features that are kernel functions of p rows.

    Features are found one after the other, each the row whose outputs vary most once what the features before explain
    is taken away. New rows need p kernel values, where kernel PCA needs one per training row.

    Parameters
    ----------
    n_components : int, default=10
        How many features.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    mode : {'projection', 'normalized', 'removal'}, default='projection'
        normalized: rows are compared at coefficients of norm 1, so that what needs large ones comes later. removal:
        only the chosen row is left out, which gives near duplicates of it a chance.
    norm : float, default=1
        The p of the norm of coefficients, for 'normalized'.
    search : {'automatic', 'all', 'random'}, default='automatic'
        Which rows may become the next feature; automatic: all up to 10000 rows.
    candidates : int, default=59
        Random rows per feature: the best of 59 is among the best 5 % with probability 95 %.
    confidence : float, default=0
        Rows are given up as soon as part of the sample shows with this confidence that they are not the best; 0: exact.
    tol : float, default=1e-10
        Part of k(x, x) that counts as nothing left.
    memory_mb : float, default=0
        What the kernel matrix may take; 0: half of the machine's memory.
    random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    center_indices_ : ndarray of shape (n_components,)
        The rows that were chosen, in order.
    explained_variance_ : ndarray of shape (n_components,)
        Of the features over the training rows.
    dual_coef_ : ndarray of shape (n_components, n_components)
        Coefficients of the chosen rows, one column per feature.
    intercept_ : ndarray of shape (n_components,)
        Constants.
    X_fit_, n_features_in_, feature_names_in_, fit_report_
        As in ``KernelPCA``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.decomposition import SparseKernelFeatures
    >>> X, _ = load_iris(return_X_y=True)
    >>> features = SparseKernelFeatures(n_components=3).fit(X)
    >>> features.transform(X).shape, len(features.center_indices_)
    ((150, 3), 3)
    """

    _model = "kfa"

    def __init__(
        self,
        n_components: int = 10,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        mode: str = "projection",
        norm: float = 1,
        search: str = "automatic",
        candidates: int = 59,
        confidence: float = 0,
        tol: float = 1e-10,
        memory_mb: float = 0,
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.mode = mode
        self.norm = norm
        self.search = search
        self.candidates = candidates
        self.confidence = confidence
        self.tol = tol
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> SparseKernelFeatures:
        """Choose the rows that the features are made of.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
        y : ignored
            For the sake of pipelines.

        Returns
        -------
        self
        """
        self._fit_features(X)
        return self

    def _keep_values(self, values: Array) -> None:
        self.explained_variance_ = values
