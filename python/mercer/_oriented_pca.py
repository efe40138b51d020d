"""Oriented kernel PCA: what differs between groups and not within them."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._base import Array
from mercer._features import FeatureTransformer, require_targets


class OrientedKernelPCA(FeatureTransformer):
    """Oriented kernel PCA: directions in which rows differ much, and rows of one group little.

    Rows of one group are views of the same thing, so that what they differ by is noise.

    Parameters
    ----------
    n_components : int, default=10
        How many directions, at most.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    regularization : float, default=0.01
        Noise that every direction has beside that of the groups, relative to the variance of all directions together;
        the larger, the nearer to kernel PCA.
    rank : int, default=0
        Training rows that the functions are built from, at most; 0: 1000, fewer beyond 20000 rows.
    verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    ratios_ : ndarray of shape (n_components,)
        Signal over noise of every direction, falling.
    dual_coef_, intercept_, center_indices_, X_fit_, n_features_in_, feature_names_in_, fit_report_
        As in ``SparseKernelFeatures``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.decomposition import OrientedKernelPCA
    >>> X, y = load_iris(return_X_y=True)
    >>> OrientedKernelPCA(n_components=2).fit(X, y).transform(X).shape
    (150, 2)
    """

    _model = "opca"

    def __init__(
        self,
        n_components: int = 10,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        regularization: float = 0.01,
        rank: int = 0,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.regularization = regularization
        self.rank = rank
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _traits(self) -> dict[str, bool]:
        return {**super()._traits(), "requires_y": True}

    def fit(self, X: Any, y: Any) -> OrientedKernelPCA:
        """Find the directions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
        y : array-like of shape (n_samples,)
            The group of every row: numbers or labels.

        Returns
        -------
        self
        """
        require_targets(self, X, y)
        codes, count = group_numbers(np.asarray(y))
        self._fit_features(X, codes, [str(number) for number in range(count)])
        return self

    def _keep_values(self, values: Array) -> None:
        self.ratios_ = values


def group_numbers(y: Array) -> tuple[Array, int]:
    """Number the distinct rows of a column or of several columns of any type."""
    columns = y.reshape(len(y), -1).T
    coded = np.array([np.unique(column, return_inverse=True)[1].ravel() for column in columns])
    groups, codes = np.unique(coded, axis=1, return_inverse=True)
    return codes.ravel().astype(np.int32), groups.shape[1]
