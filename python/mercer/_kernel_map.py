"""Explicit features of a kernel from its values at landmarks."""

from __future__ import annotations

from typing import Any, ClassVar

from mercer._base import Array
from mercer._features import Projection
from mercer._options import OptionNames


class KernelMap(Projection):
    """Features whose inner products are kernel values: linear methods on them are kernel methods.

    With K the kernel matrix of the landmarks z, K = U D U', the kernel PCA map is D^-1/2 U' k(z, x). Inner products
    with landmarks are exact, others are Nyström's approximation. Without whitening the features are the kernel values
    k(z, x) themselves: the empirical kernel map.

    Parameters
    ----------
    n_components : int, default=100
        How many landmarks; 0: all rows.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    whiten : bool, default=True
        The kernel PCA map; False: the empirical kernel map.
    landmarks : {'pivots', 'random'}, default='pivots'
        Rows to whose span the others are nearest (pivoted Cholesky), or rows drawn at random, as
        ``sklearn.kernel_approximation.Nystroem`` has them.
    tol : float, default=1e-10
        Eigenvalues below this share of the largest are dropped where whitened, so that there may be fewer features.
    precision : {'double', 'float'}, default='double'
        Of kernel values.
    random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    center_indices_ : ndarray of shape (n_landmarks,)
        Which rows the landmarks are.
    eigenvalues_ : ndarray of shape (n_features_out,)
        D where whitened, otherwise k(z, z).
    dual_coef_, intercept_, X_fit_, n_features_in_, feature_names_in_, fit_report_
        As in ``SparseKernelFeatures``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernel_approximation import KernelMap
    >>> from mercer.kernels import RBF
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> Z = KernelMap(n_components=100, gamma=0.5).fit_transform(X)
    >>> bool(np.abs(Z @ Z.T - RBF(gamma=0.5)(X)).max() < 1e-3)
    True
    """

    _model = "kernelmap"
    _option_names: ClassVar[OptionNames] = {"n_components": "size"}

    def __init__(
        self,
        n_components: int = 100,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        whiten: bool = True,
        landmarks: str = "pivots",
        tol: float = 1e-10,
        precision: str = "double",
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
        self.whiten = whiten
        self.landmarks = landmarks
        self.tol = tol
        self.precision = precision
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> KernelMap:
        """Choose the landmarks.

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
        self.eigenvalues_ = values
