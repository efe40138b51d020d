"""Kernel projection pursuit."""

from __future__ import annotations

from typing import Any

from mercer import _core
from mercer._base import Array, step_count
from mercer._features import Projection


class KernelProjectionPursuit(Projection):
    """Kernel projection pursuit: functions of norm 1 whose values on the rows are most interesting.

    Parameters
    ----------
    n_components : int, default=5
        How many functions.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    contrast : {'fourth', 'square', 'logcosh', 'negentropy', 'entropy', 'fisher'}, default='fourth'
        What makes values interesting: their mean fourth power; their variance, which is kernel PCA; or how far they are
        from a normal distribution (the last three).
    whiten : {'automatic', 'yes', 'no'}, default='automatic'
        Scale all kernel PCA coordinates to variance 1 first. automatic: for negentropy, entropy and fisher.
    coordinates : int, default=0
        Leading kernel PCA coordinates to search in; 0: all, or 20 where whitened.
    restarts : int, default=10
        Starts per function, of which the best counts.
    max_iter : int, default=1000
        Limit on steps per function.
    tol : float, default=1e-7
        A step of this length ends the climb.
    density_rows : int, default=500
        Random rows that entropy and fisher look at, at most.
    rank : int, default=0
        Training rows that the functions are built from, at most; 0: 1000, fewer beyond 20000 rows.
    random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    contrasts_ : ndarray of shape (n_components,)
        How interesting every function is.
    n_iter_ : int
        Steps, of all functions and starts together.
    dual_coef_, intercept_, center_indices_, X_fit_, n_features_in_, feature_names_in_, fit_report_
        As in ``SparseKernelFeatures``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.decomposition import KernelProjectionPursuit
    >>> X, _ = load_iris(return_X_y=True)
    >>> KernelProjectionPursuit(n_components=2).fit_transform(X).shape
    (150, 2)
    """

    _model = "pursuit"

    def __init__(
        self,
        n_components: int = 5,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        contrast: str = "fourth",
        whiten: str = "automatic",
        coordinates: int = 0,
        restarts: int = 10,
        max_iter: int = 1000,
        tol: float = 1e-7,
        density_rows: int = 500,
        rank: int = 0,
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
        self.contrast = contrast
        self.whiten = whiten
        self.coordinates = coordinates
        self.restarts = restarts
        self.max_iter = max_iter
        self.tol = tol
        self.density_rows = density_rows
        self.rank = rank
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> KernelProjectionPursuit:
        """Climb to the most interesting functions.

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

    def _keep(self, model: _core.FittedModel) -> None:
        super()._keep(model)
        self.n_iter_ = step_count(model)

    def _keep_values(self, values: Array) -> None:
        self.contrasts_ = values
