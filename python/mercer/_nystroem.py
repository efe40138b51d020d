"""Nyström features of any kernel."""

from __future__ import annotations

from typing import Any, ClassVar

from mercer import _core
from mercer._feature_maps import kernel_error
from mercer._features import Projection
from mercer._kernel_machines import center_rows
from mercer._options import OptionNames

# As scikit-learn's functions of sklearn.metrics.pairwise where a parameter is None.
DEFAULTED_KERNELS = {
    "linear": "linear()",
    "poly": "poly(degree={degree|3}, gamma={gamma}, coef0={coef0|1})",
    "polynomial": "poly(degree={degree|3}, gamma={gamma}, coef0={coef0|1})",
    "rbf": "rbf(gamma={gamma})",
    "laplacian": "laplacian(gamma={gamma})",
    "sigmoid": "sigmoid(gamma={gamma}, coef0={coef0|1})",
    "cosine": "cosine()",
    "chi2": "chi2(gamma={gamma|1})",
    "additive_chi2": "additive_chi2()",
}


class Nystroem(Projection):
    """Nyström features: the projections of rows onto the span of landmarks, in coordinates of feature space.

    Parameters and attributes are those of ``sklearn.kernel_approximation.Nystroem``; landmarks are chosen, so that
    fewer do as well as rows drawn at random.

    Parameters
    ----------
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``.
    gamma : float or {'scale', 'auto', 'median'}, optional
        Width of the named kernels. None: 1 / n_features, and 1 for 'chi2'.
    coef0 : float, optional
        Of 'poly' and 'sigmoid'. None: 1.
    degree : float, optional
        Of 'poly'. None: 3.
    kernel_params : dict, optional
        Further arguments of a kernel that is a function.
    n_components : int, default=100
        How many landmarks; 0: sqrt(n) ln n of n rows, at least 100 and at most 2000.
    random_state : int, RandomState instance or None, default=None
        Seed; None is 0.
    n_jobs : int, optional
        Threads. None: all cores, or OMP_NUM_THREADS.
    landmarks : {'pivots', 'greedy', 'leverage', 'kmeans', 'uniform'}, default='pivots'
        Randomly pivoted Cholesky; the row with the largest rest each time; rows drawn by ridge leverage scores; means
        of clusters; or rows drawn at random, as scikit-learn does.
    tol : float, default=1e-10
        Directions whose eigenvalue is below this share of the largest are dropped, so that there may be fewer features.
    memory_mb : float, default=0
        What a fit may take beside the data; 0: half of the machine's memory.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    components_ : array of shape (n_landmarks, n_features)
        The landmarks; empty for a precomputed kernel.
    component_indices_ : ndarray of shape (n_landmarks,)
        Their rows; empty for 'kmeans'.
    normalization_ : ndarray of shape (n_components, n_landmarks)
        From kernel values with the landmarks to features.
    eigenvalues_ : ndarray of shape (n_components,)
        Of the landmarks' kernel matrix.
    kernel_error_ : float
        Root mean square error of inner products against kernel values of a few hundred rows.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.kernel_approximation import Nystroem
    >>> X, _ = load_iris(return_X_y=True)
    >>> model = Nystroem(gamma=0.2, n_components=30).fit(X)
    >>> model.transform(X).shape, model.kernel_error_ < 1e-3
    ((150, 30), True)
    """

    _model = "nystroem"
    _option_names: ClassVar[OptionNames] = {"n_components": "size"}
    _kernel_names = DEFAULTED_KERNELS
    _fewest_rows = 1

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: float | str | None = None,
        coef0: float | None = None,
        degree: float | None = None,
        kernel_params: dict[str, Any] | None = None,
        n_components: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        landmarks: str = "pivots",
        tol: float = 1e-10,
        memory_mb: float = 0,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.landmarks = landmarks
        self.tol = tol
        self.memory_mb = memory_mb
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Nystroem:
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

    def _keep(self, model: _core.FittedModel) -> None:
        super()._keep(model)
        self.component_indices_ = self.center_indices_
        self.components_ = center_rows(self, model)
        self.normalization_ = self.dual_coef_.T
        self.kernel_error_ = kernel_error(model)

    def _keep_values(self, values: Any) -> None:
        self.eigenvalues_ = values
