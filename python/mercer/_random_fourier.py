"""Random Fourier features."""

from __future__ import annotations

from typing import Any, ClassVar

from mercer import _core
from mercer._feature_maps import FeatureMap, NamedKernelMap, keep_frequencies
from mercer._rules import AT_LEAST_ONE, WIDTHS, Rules


class RBFSampler(NamedKernelMap):
    """Random Fourier features of the Gaussian kernel: cosines of random projections.

    Parameters and attributes are those of ``sklearn.kernel_approximation.RBFSampler``; frequencies in orthogonal
    directions make the error smaller at the same number of features.

    Parameters
    ----------
    gamma : float or {'scale', 'auto', 'median'}, default=1.0
        Of the kernel exp(-gamma |x - y|^2).
    n_components : int, default=100
        How many features.
    random_state : int, RandomState instance or None, default=None
        Seed of the frequencies; None is 0.
    form : {'phases', 'pairs'}, default='phases'
        Cosines with random phases, or pairs of cosine and sine, whose error is smaller.
    draws : {'best', 'independent', 'orthogonal', 'halton'}, default='best'
        As in ``RandomFourierFeatures``; 'independent' is what scikit-learn does.
    n_jobs : int, optional
        Threads. None: all cores, or OMP_NUM_THREADS.

    Attributes
    ----------
    random_weights_ : ndarray of shape (n_features, n_components)
        The frequencies; half as many for 'pairs'.
    random_offset_ : ndarray of shape (n_components,)
        The phases; empty for 'pairs'.
    kernel_error_ : float
        Root mean square error against kernel values of a few hundred rows.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernel_approximation import RBFSampler
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> features = RBFSampler(gamma=0.5, n_components=2000, random_state=1).fit_transform(X)
    >>> kernel = np.exp(-0.5 * np.square(X[0] - X[1]).sum())
    >>> features.shape, bool(abs(features[0] @ features[1] - kernel) < 0.1)
    ((100, 2000), True)
    """

    _model = "fourier"
    _kernel_name = "rbf"
    _kernel_values = ("gamma",)
    _rules: ClassVar[Rules] = {
        "gamma": WIDTHS,
        "n_components": AT_LEAST_ONE,  # as in scikit-learn, without the engine's 0
    }

    def __init__(
        self,
        *,
        gamma: float | str = 1.0,
        n_components: int = 100,
        random_state: Any = None,
        form: str = "phases",
        draws: str = "best",
        n_jobs: int | None = None,
    ) -> None:
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state
        self.form = form
        self.draws = draws
        self.n_jobs = n_jobs

    def _keep(self, model: _core.FittedModel) -> None:
        super()._keep(model)
        keep_frequencies(self, model)


class RandomFourierFeatures(FeatureMap):
    """Random Fourier features of any kernel with a spectral density.

    The Gaussian kernel with one width or one per column, Matérn, Laplacian, Cauchy, rational quadratic, spectral
    mixtures, and their sums and products. Frequencies w are drawn from the density; the features are
    cos(w·x) and sin(w·x), or cosines with random phases.

    Parameters
    ----------
    n_components : int, default=100
        How many features; 0: sqrt(n) ln n of n rows, at least 100 and at most 2000.
    kernel : str or Kernel, default='rbf'
        'rbf', 'laplacian', a spec as in ``"matern(nu=1.5, lengthscale=2)"``, or a kernel of ``mercer.kernels``.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        Of 'rbf' and 'laplacian'.
    form : {'pairs', 'phases'}, default='pairs'
        Pairs of cosine and sine, or cosines with random phases.
    draws : {'best', 'independent', 'orthogonal', 'halton'}, default='best'
        Frequencies that are independent, lie in orthogonal directions, or are spread evenly; 'best' is orthogonal where
        the kernel allows it.
    random_state, n_jobs
        As in ``RBFSampler``.

    Attributes
    ----------
    random_weights_, random_offset_, kernel_error_, n_features_in_, feature_names_in_, fit_report_
        As in ``RBFSampler``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernel_approximation import RandomFourierFeatures
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> model = RandomFourierFeatures(1000, kernel="matern(nu=1.5)").fit(X)
    >>> model.transform(X).shape, model.kernel_error_ < 0.05
    ((100, 1000), True)
    """

    _model = "fourier"

    def __init__(
        self,
        n_components: int = 100,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        form: str = "pairs",
        draws: str = "best",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.form = form
        self.draws = draws
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _keep(self, model: _core.FittedModel) -> None:
        super()._keep(model)
        keep_frequencies(self, model)
