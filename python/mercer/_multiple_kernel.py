"""Multiple kernel learning: machines that learn the weights of a sum of kernels."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer import _core
from mercer._base import Estimator, constants_of
from mercer._kernel_choice import KernelChoice
from mercer._kernel_machines import TargetRegressor
from mercer._options import OptionNames, model_entry, parameters_of
from mercer._prior import PriorMixin
from mercer._svc import SupportClassifier
from mercer._svr import SupportRegressor
from mercer.kernels import Kernel, as_kernel

# What the learning of the weights is told, parameter to option; a model keeps it as the options of its origin.
LEARNING = {
    "method": "method",
    "norm": "norm",
    "normalize": "normalize",
    "weight_tol": "weight_tolerance",
    "max_rounds": "weight_rounds",
    "weight_rows": "weight_rows",
}


class WeightedSum(Estimator):
    """An estimator whose kernel is a sum with learnt weights; its file holds the machine with that sum."""

    _option_names: ClassVar[OptionNames] = LEARNING
    # Of the named kernels of support vector machines, which there are none of here.
    degree: ClassVar[int] = 1
    kernel: Any

    def _traits(self) -> dict[str, bool]:
        return {**super()._traits(), "pairwise": False, "sparse": True}

    def _chosen_kernel(self, X: Any = None) -> KernelChoice:
        if self.kernel is None:
            return KernelChoice(model_entry(self._model)["default_kernel"])
        terms = self.kernel if isinstance(self.kernel, list | tuple) else [self.kernel]
        if not terms:
            raise ValueError("kernel is an empty list: give at least one kernel")
        columns = X.shape[1] if len(getattr(X, "shape", ())) == 2 else None
        specs = [as_kernel(term, n_features=columns).spec for term in terms]
        return KernelChoice(as_kernel(" + ".join(specs)).spec)

    def _convergence_words(self, model: _core.FittedModel) -> str:
        gap = model.fact("duality gap of the weights")
        if gap is None or not gap > self.weight_tol:
            return super()._convergence_words(model)
        return (
            f"{type(self).__name__}: the weights of the kernels did not converge: after max_rounds={self.max_rounds} "
            f"machines their relative duality gap (weight_gap_) is {gap:.2g}, above weight_tol={self.weight_tol}. "
            "Consider more rounds, a larger weight_tol, or another normalize."
        )

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        # The machine that is stored has options of these names that mean other things.
        return super()._stored_parameters(
            {name: text for name, text in settings.items() if name not in LEARNING.values()}
        )

    @classmethod
    def _from_model(cls, model: _core.FittedModel) -> Any:
        estimator = super()._from_model(model)
        options, origin = parameters_of(cls).options, model.origin
        learning = {name: options[name].value(origin[option]) for name, option in LEARNING.items() if option in origin}
        estimator.set_params(**learning)
        estimator.kernel = " + ".join(_as_given(kernel.spec, estimator.normalize) for kernel in estimator.kernels_)
        return estimator

    def _keep_weights(self, model: _core.FittedModel) -> None:
        """Set weights_, kernels_ and kernel_."""
        found = model.facts("weight")
        if not found:
            raise ValueError(f"{type(self).__name__}: the model has no learnt weights of kernels")
        self.weights_ = np.array(list(found.values()))
        self.kernels_ = [as_kernel(spec) for spec in found]
        self.kernel_: Kernel = as_kernel(model.kernel)
        gap = model.fact("duality gap of the weights")
        self.weight_gap_ = np.nan if gap is None else gap


def _as_given(spec: str, normalize: str) -> str:
    """Give a summand without what ``normalize="unit"`` put around it."""
    name, _, children, _ = _core.Kernel(spec).tree()
    return children[0].spec if normalize == "unit" and name == "normalize" else spec


class MultipleKernelSVC(WeightedSum, SupportClassifier):
    """Support vector classifier that learns the weights of a sum of kernels.

    All machines of several classes share one set of weights. The fitted model is an ordinary support vector classifier
    whose kernel is the weighted sum.

    Parameters
    ----------
    C : float, default=1.0
        Price of a margin error, the bound of every coefficient.
    kernel : str, Kernel, or list of these, optional
        The sum, such as ``"rbf(gamma=0.1) + rbf(gamma=1) + linear()"``, or the list of its summands. Numbers in front
        are starting weights. None: linear, quadratic, Gaussian and exponential kernels of all columns.
    method : {'mkl', 'align', 'alignf', 'uniform'}, default='mkl'
        The weights that make the machine's own objective smallest; each kernel by its centered alignment with the
        targets; the sum that aligns best with them; or all equal.
    norm : float, default=1.0
        Of 'mkl': p of the constraint ||d||_p <= 1. 1 makes most weights 0; 2 and more keeps all kernels.
    normalize : {'trace', 'variance', 'unit', 'none'}, default='trace'
        Kernels are first brought to size 1: by the mean of their diagonal, by the variance of the rows in their feature
        space, row by row to unit length, or not at all.
    weight_tol : float, default=1e-3
        Of 'mkl': relative duality gap of the weights.
    max_rounds : int, default=100
        Of 'mkl': machines solved at most.
    weight_rows : int, default=3000
        Rows, drawn at random, that weights are learnt on; the machine itself is fitted to all. 0: all.
    probability, class_weight, decision_function_shape, break_ties, tol, max_iter, precision, memory_mb
        As in ``SVC``.
    multiclass : {'ovo', 'ovr', 'dag'}, default='ovo'
        As in ``SVC``.
    random_state : int, RandomState instance or None, default=None
        Draws the rows of ``weight_rows`` and the folds of ``probability``; None is 0.
    verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    weights_ : ndarray of shape (n_kernels,)
        The weight of every summand, after it was brought to size 1.
    kernels_ : list of Kernel
        The summands.
    kernel_ : Kernel
        The weighted sum; summands of weight 0 are not part of it.
    weight_gap_ : float
        Relative duality gap of the weights; nan unless ``method='mkl'``.
    classes_, support_, support_vectors_, n_support_, dual_coef_, intercept_, class_weight_, n_iter_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from mercer.multiple_kernel import MultipleKernelSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = MultipleKernelSVC(kernel=["linear()", "rbf(gamma=0.01)", "rbf(gamma=1)"]).fit(scale(X), y)
    >>> model.weights_.shape, bool(model.score(scale(X), y) > 0.97)
    ((3,), True)
    """

    _model = "mklsvc"
    _stored_model = "svc"

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = None,
        method: str = "mkl",
        norm: float = 1.0,
        normalize: str = "trace",
        weight_tol: float = 1e-3,
        max_rounds: int = 100,
        weight_rows: int = 3000,
        probability: bool = False,
        class_weight: Any = None,
        multiclass: str = "ovo",
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        tol: float = 1e-3,
        max_iter: int = -1,
        precision: str = "auto",
        memory_mb: float = 0,
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.method = method
        self.norm = norm
        self.normalize = normalize
        self.weight_tol = weight_tol
        self.max_rounds = max_rounds
        self.weight_rows = weight_rows
        self.probability = probability
        self.class_weight = class_weight
        self.multiclass = multiclass
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.tol = tol
        self.max_iter = max_iter
        self.precision = precision
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _keep_machine(self, model: _core.FittedModel, rows: Any) -> None:
        self._keep_weights(model)
        super()._keep_machine(model, rows)


class MultipleKernelSVR(PriorMixin, WeightedSum, SupportRegressor):
    """Support vector regression that learns the weights of a sum of kernels.

    The fitted model is an ordinary support vector regression whose kernel is the weighted sum.

    Parameters
    ----------
    C : float, default=2.0
        Price of an error beyond the tube, for targets of variance 1 where ``standardize`` is true.
    epsilon : float, optional
        Half the width of the tube, in the units of the target. None: a tenth of its standard deviation (0.1 where
        ``standardize`` is false).
    kernel, method, norm, normalize, weight_tol, max_rounds, weight_rows
        As in ``MultipleKernelSVC``.
    standardize : bool, default=True
        Bring targets to mean 0 and variance 1 before the fit.
    tol, max_iter, precision, memory_mb, verbose, n_jobs
        As in ``SVC``.
    random_state : int, RandomState instance or None, default=None
        Draws the rows of ``weight_rows``; None is 0.
    prior : estimator, path or None, default=None
        A function that is known before the fit: a fitted regressor of this package, or the path of a model file. The
        fit adds to it, and what is priced is the distance to it; predictions are both together. Coefficients and
        constants are those of what is added.

    Attributes
    ----------
    weights_, kernels_, kernel_, weight_gap_
        As in ``MultipleKernelSVC``.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, n_iter_, fit_report_
        As in ``SVR``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.multiple_kernel import MultipleKernelSVR
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> model = MultipleKernelSVR(C=10, kernel="rbf(gamma=0.001) + rbf(gamma=0.5)").fit(X, np.sin(X[:, 0]))
    >>> bool(model.weights_[1] > 0.9)
    True
    """

    _model = "mklsvr"
    _stored_model = "svr"

    def __init__(
        self,
        *,
        C: float = 2.0,
        epsilon: float | None = None,
        kernel: Any = None,
        method: str = "mkl",
        norm: float = 1.0,
        normalize: str = "trace",
        weight_tol: float = 1e-3,
        max_rounds: int = 100,
        weight_rows: int = 3000,
        standardize: bool = True,
        tol: float = 1e-3,
        max_iter: int = -1,
        precision: str = "auto",
        prior: Any = None,
        memory_mb: float = 0,
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.method = method
        self.norm = norm
        self.normalize = normalize
        self.weight_tol = weight_tol
        self.max_rounds = max_rounds
        self.weight_rows = weight_rows
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.precision = precision
        self.prior = prior
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _keep_machine(self, model: _core.FittedModel, rows: Any) -> None:
        self._keep_weights(model)
        super()._keep_machine(model, rows)


class MultipleKernelRidge(PriorMixin, WeightedSum, TargetRegressor):
    """Kernel ridge regression that learns the weights of a sum of kernels.

    Several targets share one set of weights. The fitted model is an ordinary kernel ridge regression whose kernel is
    the weighted sum.

    Parameters
    ----------
    alpha : float, default=1.0
        The penalty on the squared norm, as in ``KernelRidge``.
    kernel, method, norm, normalize, weight_tol, max_rounds, weight_rows
        As in ``MultipleKernelSVC``.
    fit_intercept : bool, default=True
        Add a constant that is not penalised.
    precision : {'double', 'float'}, default='double'
        Of the kernel values and the factorization of the last fit.
    memory_mb : float, default=0
        What kernel matrices may take; 0: the machine's memory.
    random_state : int, RandomState instance or None, default=None
        Draws the rows of ``weight_rows``; None is 0.
    verbose, n_jobs
        As in ``SVC``.
    prior : estimator, path or None, default=None
        A function that is known before the fit: a fitted regressor of this package, or the path of a model file. The
        fit adds to it, and what is priced is the distance to it; predictions are both together. Coefficients and
        constants are those of what is added.

    Attributes
    ----------
    weights_, kernels_, kernel_, weight_gap_
        As in ``MultipleKernelSVC``.
    intercept_ : float or ndarray of shape (n_targets,)
        The constant.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.multiple_kernel import MultipleKernelRidge
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> model = MultipleKernelRidge(0.01, kernel=["linear()", "rbf(gamma=0.5)"]).fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.0]]).round(2)
    array([0.84])
    """

    _model = "mklridge"
    _stored_model = "ridge"
    _option_names: ClassVar[OptionNames] = {"fit_intercept": None}

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        kernel: Any = None,
        method: str = "mkl",
        norm: float = 1.0,
        normalize: str = "trace",
        weight_tol: float = 1e-3,
        max_rounds: int = 100,
        weight_rows: int = 3000,
        fit_intercept: bool = True,
        precision: str = "double",
        prior: Any = None,
        memory_mb: float = 0,
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.method = method
        self.norm = norm
        self.normalize = normalize
        self.weight_tol = weight_tol
        self.max_rounds = max_rounds
        self.weight_rows = weight_rows
        self.fit_intercept = fit_intercept
        self.precision = precision
        self.prior = prior
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _settings(self) -> dict[str, str]:
        return {**super()._settings(), "parametric": "constant" if self.fit_intercept else "none"}

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        return {**super()._stored_parameters(settings), "fit_intercept": settings["parametric"] != "none"}

    def _keep_machine(self, model: _core.FittedModel) -> None:
        self._keep_weights(model)
        constants = constants_of(model)
        self.intercept_: Any = float(constants[0]) if self._is_flat(len(constants)) else constants
