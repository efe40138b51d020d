"""Explicit features of kernels that are drawn at random, or sampled from a spectrum."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_non_negative

from mercer import _core
from mercer._base import Array, Estimator
from mercer._kernel_choice import KernelChoice
from mercer._parameters import AT_LEAST_ONE, COUNT, NOT_NEGATIVE, POSITIVE, Limits, check_parameters, reject, text_of
from mercer._parameters import value_of as setting_value

FORMS = ("pairs", "phases")
DRAWS = ("best", "independent", "orthogonal", "halton")
FAMILIES = ("cos", "step", "relu", "tanh")
LANDMARK_RULES = ("pivots", "greedy", "leverage", "kmeans", "uniform")


def kernel_error(model: _core.FittedModel) -> float | None:
    """Give the root mean square error of a map's inner products on a sample of rows, where it stands for a kernel."""
    measures: dict[str, float] = model.report["measures"]
    return measures.get("kernel error (rms)")


class FeatureMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """A transformer whose features are functions of the columns, fixed at the fit."""

    _kernel_names: ClassVar[dict[str, str]] = {"rbf": "rbf(gamma={gamma})", "laplacian": "laplacian(gamma={gamma})"}

    def _traits(self) -> dict[str, bool]:
        return {"sparse": True}

    def fit(self, X: Any, y: Any = None) -> Any:
        """Draw the features for rows of so many columns.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows: their columns, the widths of the kernel, and the estimate of its error.
        y : ignored
            For the sake of pipelines.

        Returns
        -------
        self
        """
        check_parameters(self)
        choice = self._choice(X)
        rows = self._check_rows(X, choice, reset=True)
        self._keep(self._run(choice, rows))
        return self

    def _adopt(self, model: _core.FittedModel) -> None:
        self._keep(model)

    def _keep(self, model: _core.FittedModel) -> None:
        self._n_features_out = len(model.output_names)
        self.kernel_error_ = kernel_error(model)

    def transform(self, X: Any) -> Array:
        """Give the features of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        samples = self._samples(X)
        return np.asarray(self._check_fitted().predict(samples, threads=self._threads()))


class NamedKernelMap(FeatureMap):
    """A transformer of one kernel, ``_kernel_name``, whose parameters (``_kernel_values``) are its own."""

    _kernel_name: ClassVar[str]
    _kernel_values: ClassVar[tuple[str, ...]]

    def _choice(self, X: Any = None) -> KernelChoice:
        values = ", ".join(f"{name}={text_of(getattr(self, name))}" for name in self._kernel_values)
        return KernelChoice(_core.Kernel(f"{self._kernel_name}({values})").spec)

    def _adopt(self, model: _core.FittedModel) -> None:
        name, values, _, columns = _core.Kernel(model.requested_kernel).tree()
        if name != self._kernel_name or columns is not None:
            raise ValueError(f"{type(self).__name__} has the kernel {self._kernel_name}; this model has {model.kernel}")
        for parameter in self._kernel_values:
            if parameter in values:
                setattr(self, parameter, setting_value(values[parameter]))
        super()._adopt(model)


def _keep_frequencies(estimator: Any, model: _core.FittedModel) -> None:
    arrays = model.arrays()
    estimator.random_weights_ = arrays["map.frequencies"]
    estimator.random_offset_ = arrays["map.phases"].ravel()


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
    _options: ClassVar[dict[str, str]] = {"n_components": "size", "form": "form", "draws": "draws"}
    _limits = {"n_components": AT_LEAST_ONE}  # noqa: RUF012
    _words = {"form": FORMS, "draws": DRAWS}  # noqa: RUF012

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

    def _choice(self, X: Any = None) -> KernelChoice:
        if not isinstance(self.gamma, str) and not POSITIVE.hold(self.gamma):
            reject(self, "gamma", self.gamma, f"'scale', 'auto', 'median' or {POSITIVE}")
        return super()._choice(X)

    def _keep(self, model: _core.FittedModel) -> None:
        super()._keep(model)
        _keep_frequencies(self, model)


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
    _options: ClassVar[dict[str, str]] = {"n_components": "size", "form": "form", "draws": "draws"}
    _limits = {"n_components": COUNT}  # noqa: RUF012
    _words = {"form": FORMS, "draws": DRAWS}  # noqa: RUF012

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
        _keep_frequencies(self, model)


class KitchenSinks(FeatureMap):
    """Random kitchen sinks: cosines, steps, ramps or tanh of random projections, for a linear model on top.

    Parameters
    ----------
    n_components : int, default=100
        How many features; 0: sqrt(n) ln n of n rows, at least 100 and at most 2000.
    kernel, gamma
        As in ``RandomFourierFeatures``: the law of the projections is the kernel's spectral density.
    family : {'cos', 'step', 'relu', 'tanh'}, default='cos'
        The function of w·x + b.
    bias : float, default=1
        Standard deviation of b; 'cos' has uniform phases.
    draws, random_state, n_jobs
        As in ``RandomFourierFeatures``.

    Attributes
    ----------
    random_weights_ : ndarray of shape (n_features, n_components)
        The projections w.
    random_offset_ : ndarray of shape (n_components,)
        The biases b.
    kernel_error_ : float or None
        As in ``RBFSampler``, for 'cos'; the other functions have kernels of their own.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernel_approximation import KitchenSinks
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> KitchenSinks(200, family="relu").fit_transform(X).shape
    (100, 200)
    """

    _model = "sinks"
    _options: ClassVar[dict[str, str]] = {"n_components": "size", "family": "family", "bias": "bias", "draws": "draws"}
    _limits = {"n_components": COUNT, "bias": NOT_NEGATIVE}  # noqa: RUF012
    _words = {"family": FAMILIES, "draws": DRAWS}  # noqa: RUF012

    def __init__(
        self,
        n_components: int = 100,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        family: str = "cos",
        bias: float = 1,
        draws: str = "best",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.family = family
        self.bias = bias
        self.draws = draws
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _keep(self, model: _core.FittedModel) -> None:
        super()._keep(model)
        arrays = model.arrays()
        self.random_weights_ = arrays["map.frequencies"]
        self.random_offset_ = arrays["map.biases"].ravel()


class PolynomialCountSketch(NamedKernelMap):
    """Tensor sketch: random features of the polynomial kernel (gamma x·y + coef0)^degree.

    Parameters and attributes are those of ``sklearn.kernel_approximation.PolynomialCountSketch``.

    Parameters
    ----------
    gamma : float, default=1.0
        Factor of the inner product.
    degree : int, default=2
        Of the polynomial.
    coef0 : float, default=0
        Constant, at least 0.
    n_components : int, default=100
        How many features; products of small primes are fastest.
    random_state : int, RandomState instance or None, default=None
        Seed of the hashes; None is 0.
    n_jobs : int, optional
        Threads. None: all cores, or OMP_NUM_THREADS.

    Attributes
    ----------
    indexHash_ : ndarray of shape (degree, n_features)
        The feature that every column goes to, per factor; one column more where coef0 is not 0.
    bitHash_ : ndarray of the same shape
        Its sign.
    kernel_error_ : float
        Root mean square error against kernel values of a few hundred rows.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernel_approximation import PolynomialCountSketch
    >>> X = np.random.default_rng(0).uniform(size=(100, 3))
    >>> features = PolynomialCountSketch(degree=2, n_components=2048, random_state=0).fit_transform(X)
    >>> bool(abs(features[0] @ features[1] - (X[0] @ X[1]) ** 2) < 0.1)
    True
    """

    _model = "sketch"
    _kernel_name = "poly"
    _kernel_values = ("degree", "gamma", "coef0")
    _options: ClassVar[dict[str, str]] = {"n_components": "size"}
    _limits = {  # noqa: RUF012
        "gamma": POSITIVE,
        "degree": AT_LEAST_ONE,
        "coef0": NOT_NEGATIVE,
        "n_components": AT_LEAST_ONE,
    }

    def __init__(
        self,
        *,
        gamma: float = 1.0,
        degree: int = 2,
        coef0: float = 0,
        n_components: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _keep(self, model: _core.FittedModel) -> None:
        super()._keep(model)
        arrays = model.arrays()
        used = arrays["map.buckets"].shape[1] - (self.coef0 == 0)
        self.indexHash_ = arrays["map.buckets"][:, :used].astype(np.int64)
        self.bitHash_ = arrays["map.signs"][:, :used].astype(np.int64)


class AdditiveChi2Sampler(FeatureMap):
    """Features of the additive chi-squared kernel of histograms, from samples of its spectrum; nothing is random.

    Parameters and values are those of ``sklearn.kernel_approximation.AdditiveChi2Sampler``.

    Parameters
    ----------
    sample_steps : int, default=2
        Samples of the spectrum; every column becomes 2 sample_steps - 1 features.
    sample_interval : float, optional
        Their distance. None: by their number.
    kernel : str or Kernel, default='additive_chi2()'
        Or ``"intersection()"``: the sum of the smaller of two values.
    n_jobs : int, optional
        Threads. None: all cores, or OMP_NUM_THREADS.

    Attributes
    ----------
    kernel_error_ : float
        Root mean square error against kernel values of a few hundred rows.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernel_approximation import AdditiveChi2Sampler
    >>> X = np.random.default_rng(0).uniform(size=(50, 4))
    >>> features = AdditiveChi2Sampler(sample_steps=5).fit_transform(X)
    >>> kernel = np.sum(2 * X[0] * X[1] / (X[0] + X[1]))
    >>> features.shape, bool(abs(features[0] @ features[1] - kernel) < 0.05)
    ((50, 36), True)
    """

    _model = "chi2map"
    _options: ClassVar[dict[str, str]] = {"sample_steps": "steps", "sample_interval": "interval"}
    _limits = {  # noqa: RUF012
        "sample_steps": AT_LEAST_ONE,
        "sample_interval": Limits(0.0, closed="neither", optional=True),
    }

    def __init__(
        self,
        *,
        sample_steps: int = 2,
        sample_interval: float | None = None,
        kernel: Any = "additive_chi2()",
        n_jobs: int | None = None,
    ) -> None:
        self.sample_steps = sample_steps
        self.sample_interval = sample_interval
        self.kernel = kernel
        self.n_jobs = n_jobs

    def _traits(self) -> dict[str, bool]:
        return {**super()._traits(), "requires_fit": False, "positive_only": True}

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        stored = super()._stored_parameters(settings)
        return {**stored, "sample_interval": stored["sample_interval"] or None}

    def _check_rows(self, X: Any, choice: KernelChoice, *, reset: bool) -> Any:
        rows = super()._check_rows(X, choice, reset=reset)
        if hasattr(rows, "dtype"):
            check_non_negative(rows, f"X in {type(self).__name__}.{'fit' if reset else 'transform'}")
        return rows

    def transform(self, X: Any) -> Any:
        """Give the features of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with values of at least 0. Without a fit before, any number of columns.

        Returns
        -------
        ndarray or sparse matrix of shape (n_samples, n_features * (2 * sample_steps - 1))
            Sparse where X is.
        """
        if not hasattr(self, "_fitted"):
            return type(self)(**self.get_params(deep=False)).fit(X).transform(X)
        features = super().transform(X)
        return scipy.sparse.csr_matrix(features) if scipy.sparse.issparse(X) else features

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Name the features after the columns: square roots, then cosines and sines of every step.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns, where the fit saw none.

        Returns
        -------
        ndarray of str objects
        """
        self._check_fitted()
        names = _check_feature_names_in(self, input_features, generate_names=True)
        kinds = ["sqrt"] + [f"{wave}{step}" for step in range(1, self.sample_steps) for wave in ("cos", "sin")]
        prefix = type(self).__name__.lower()
        return np.asarray([f"{prefix}_{name}_{kind}" for kind in kinds for name in names], dtype=object)
