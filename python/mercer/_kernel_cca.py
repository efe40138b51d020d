"""Kernel canonical correlation: features that correlate with functions of the targets."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array

from mercer import _labels
from mercer._base import Array
from mercer._features import FeatureTransformer, require_targets
from mercer.kernels import as_kernel


class KernelCCA(FeatureTransformer):
    """Kernel canonical correlation: features of the rows that correlate most with functions of the targets.

    Parameters
    ----------
    n_components : int, default=10
        How many features, at most; there are no more than the smaller view has dimensions.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    target_kernel : str or Kernel, default='linear'
        Kernel on the targets: 'linear', a spec, or an object of ``mercer.kernels``. Numbers are standardised, labels
        are columns of 0 and 1.
    regularization, target_regularization : float, default=0.01
        Penalty on functions of the rows and of the targets, relative to the variance of all directions together. With 0
        everything correlates with everything.
    rank : int, default=0
        Training rows that the functions are built from, at most; 0: 1000, fewer beyond 20000 rows.
    verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    correlations_ : ndarray of shape (n_components,)
        Canonical correlations of the regularised problem, falling.
    dual_coef_, intercept_, center_indices_, X_fit_, n_features_in_, feature_names_in_, fit_report_
        As in ``SparseKernelFeatures``. Features have variance 1 over the training rows.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.cross_decomposition import KernelCCA
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = X[:, 0] ** 2 + 0.1 * X[:, 1]
    >>> feature = KernelCCA(n_components=1).fit(X, y).transform(X)[:, 0]
    >>> bool(abs(np.corrcoef(feature, y)[0, 1]) > 0.9)
    True
    """

    _model = "kcca"

    def __init__(
        self,
        n_components: int = 10,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        target_kernel: Any = "linear",
        regularization: float = 0.01,
        target_regularization: float = 0.01,
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
        self.target_kernel = target_kernel
        self.regularization = regularization
        self.target_regularization = target_regularization
        self.rank = rank
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _traits(self) -> dict[str, bool]:
        return {**super()._traits(), "requires_y": True, "multi_output": True}

    def _settings(self) -> dict[str, str]:
        named = isinstance(self.target_kernel, str) and self.target_kernel == "linear"
        spec = "linear()" if named else as_kernel(self.target_kernel).spec
        return {**super()._settings(), "target_kernel": spec}

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        return {**super()._stored_parameters(settings), "target_kernel": settings["target_kernel"]}

    def fit(self, X: Any, y: Any) -> KernelCCA:
        """Find the functions that correlate most.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The second view: numbers, or one column of labels.

        Returns
        -------
        self
        """
        require_targets(self, X, y)
        targets = np.asarray(y)
        if targets.dtype.kind in "OUSb" and not is_numeric(targets):
            classes, codes = _labels.encode(targets)
            self._fit_features(X, codes, _labels.texts(classes))
            return self
        targets = check_array(targets, ensure_2d=False, dtype=np.float64, input_name="y")
        self._fit_features(X, np.ascontiguousarray(targets))
        return self

    def _keep_values(self, values: Array) -> None:
        self.correlations_ = values


def is_numeric(values: Array) -> bool:
    """Whether objects are numbers all the same."""
    try:
        values.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return values.dtype.kind == "O"
