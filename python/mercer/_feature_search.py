"""Features that are searched for: sparse ones, interesting ones, those that matter between groups or to targets."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_array, check_consistent_length

from mercer import _core, _labels
from mercer._base import Array
from mercer._features import FeatureTransformer, Projection
from mercer._kernel_choice import KernelChoice
from mercer._parameters import COUNT, NOT_NEGATIVE, POSITIVE, Limits
from mercer.kernels import as_kernel

AT_LEAST_ONE = Limits(1, integer=True)


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
    _options: ClassVar[dict[str, str]] = {
        "n_components": "components",
        "mode": "mode",
        "norm": "norm",
        "search": "search",
        "candidates": "candidates",
        "confidence": "confidence",
        "tol": "tolerance",
        "memory_mb": "memory_mb",
    }
    _limits = {  # noqa: RUF012
        "n_components": AT_LEAST_ONE,
        "norm": Limits(1.0),
        "candidates": AT_LEAST_ONE,
        "confidence": Limits(0.0, 1.0),
        "tol": POSITIVE,
        "memory_mb": NOT_NEGATIVE,
    }
    _words = {  # noqa: RUF012
        "mode": ("projection", "normalized", "removal"),
        "search": ("automatic", "all", "random"),
    }

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
    _options: ClassVar[dict[str, str]] = {
        "n_components": "components",
        "contrast": "contrast",
        "whiten": "whiten",
        "coordinates": "coordinates",
        "restarts": "restarts",
        "max_iter": "max_iterations",
        "tol": "tolerance",
        "density_rows": "density_rows",
        "rank": "rank",
    }
    _limits = {  # noqa: RUF012
        "n_components": AT_LEAST_ONE,
        "coordinates": COUNT,
        "restarts": AT_LEAST_ONE,
        "max_iter": AT_LEAST_ONE,
        "tol": POSITIVE,
        "density_rows": AT_LEAST_ONE,
        "rank": COUNT,
    }
    _words = {  # noqa: RUF012
        "contrast": ("fourth", "square", "logcosh", "negentropy", "entropy", "fisher"),
        "whiten": ("automatic", "yes", "no"),
    }

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

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        return {**super()._stored_parameters(settings), "whiten": settings["whiten"]}

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
        self.n_iter_ = max(1, int(model.report["iterations"]))

    def _keep_values(self, values: Array) -> None:
        self.contrasts_ = values


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
    _options: ClassVar[dict[str, str]] = {
        "n_components": "components",
        "regularization": "regularization",
        "rank": "rank",
    }
    _limits = {"n_components": AT_LEAST_ONE, "regularization": POSITIVE, "rank": COUNT}  # noqa: RUF012

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
    _options: ClassVar[dict[str, str]] = {
        "n_components": "components",
        "regularization": "regularization",
        "target_regularization": "target_regularization",
        "rank": "rank",
    }
    _limits = {  # noqa: RUF012
        "n_components": AT_LEAST_ONE,
        "regularization": NOT_NEGATIVE,
        "target_regularization": NOT_NEGATIVE,
        "rank": COUNT,
    }

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


def group_numbers(y: Array) -> tuple[Array, int]:
    """Number the distinct rows of a column or of several columns of any type."""
    columns = y.reshape(len(y), -1).T
    coded = np.array([np.unique(column, return_inverse=True)[1].ravel() for column in columns])
    groups, codes = np.unique(coded, axis=1, return_inverse=True)
    return codes.ravel().astype(np.int32), groups.shape[1]


def require_targets(estimator: Any, X: Any, y: Any) -> None:
    """Say where y is missing or has another length."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
    choice: KernelChoice = estimator._choice(X)
    check_consistent_length(X if choice.takes(X) or hasattr(X, "shape") else np.asarray(X), y)


def is_numeric(values: Array) -> bool:
    """Whether objects are numbers all the same."""
    try:
        values.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return values.dtype.kind == "O"
