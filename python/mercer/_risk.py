"""Machines with any loss: RiskRegressor and RiskClassifier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from mercer import _core
from mercer._base import Array
from mercer._classifier import ProbabilityMixin
from mercer._kernel_machines import MachineClassifier, MachineRegressor
from mercer._options import OptionNames
from mercer._parameters import text_of
from mercer._prior import PriorMixin

GRID = 200  # steps of a density's table on either side of 0
NEAREST = 7.0  # how much finer they are near 0: the step there is NEAREST / sinh(NEAREST) of an even one


def density_text(density: Any, reach: float) -> str:
    """Write a density of noise as the engine reads it: residual:density, by commas.

    A function is tabulated from -reach to reach, in steps that are finer near 0; values of 0 at the ends are left out.

    Examples
    --------
    >>> density_text([[-1, 0.2], [0, 0.4], [1, 0.2]], 1.0)
    '-1.0:0.2,0.0:0.4,1.0:0.2'
    """
    if isinstance(density, str):
        return density
    if callable(density):
        residuals = reach * np.sinh(np.linspace(-NEAREST, NEAREST, 2 * GRID + 1)) / np.sinh(NEAREST)
        values = np.array([float(density(residual)) for residual in residuals])
        inside = np.flatnonzero(values != 0)
        kept = slice(inside[0], inside[-1] + 1) if len(inside) else slice(None)
        table = np.column_stack([residuals, values])[kept]
    else:
        table = np.asarray(density, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != 2:
            raise ValueError(
                f"density has the shape {table.shape}; it must be a function, or rows of residual and density"
            )
    return ",".join(f"{text_of(residual)}:{text_of(value)}" for residual, value in table)


class RiskRegressor(PriorMixin, MachineRegressor):
    """Regression with any loss: half of the squared norm of the function plus C times the losses of the residuals.

    Convex losses are solved to a duality gap that ``fit_report_`` shows; a density's loss that is not convex to a
    stationary point.

    Parameters
    ----------
    loss : str, default='huber'
        Of the residual r = f - y: 'epsilon_insensitive', 'laplace' (absolute), 'squared' (half of r squared),
        'squared_epsilon_insensitive', 'huber', 'polynomial', 'piecewise_polynomial', 'quantile', or 'density', minus
        the logarithm of ``density``.
    C : float, default=2
        Price of the losses: 1/alpha of ``KernelRidge`` with loss='squared'.
    epsilon : float, optional
        Of losses with a tube: half its width, in the units of the target. None: a tenth of the target's deviation.
    sigma : float, optional
        Of 'huber' and 'piecewise_polynomial': where the loss becomes a line, in the units of the target. None: 0.3 of
        the target's deviation.
    exponent : float, optional
        Of 'polynomial' and 'piecewise_polynomial', at least 1. None: 3.
    quantile : float, optional
        Of 'quantile': its level. None: 0.5.
    density : callable, array-like of shape (n, 2) or str, optional
        Of 'density': the density of the noise as a function of one residual, rows of residual and density, or their
        text. It need not integrate to 1. A function is tabulated over the range of the targets, to either side.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``; positive definite beside ``parametric``.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    norm : {'function', 'coefficients'}, default='function'
        What is priced beside the losses: half of the function's squared norm, or the sum of the sizes of coefficients,
        so that few are not 0; the latter for any kernel, with a convex loss.
    parametric : str, default='constant'
        As in ``KernelRidge``.
    parametric_price : float, default=0
        With norm='coefficients': half of it prices the squared coefficients of these functions, the constant's left
        out; 0: they are free.
    standardize : bool, default=True
        Bring targets to mean 0 and variance 1 before the fit, so that C does not depend on their units.
    tol : float, default=1e-6
        Of convex losses: the duality gap, relative to the objective, at which the fit has converged.
    max_iter : int, default=200
        Steps of the solver.
    rank : int, default=0
        For many rows: take the kernel matrix as far as so many of its rows tell it (pivoted Cholesky); the model then
        has these rows alone. 0: all of it. ``fit_report_`` says what is left out.
    memory_mb : float, default=0
        What matrices may take; 0: half of the machine's memory.
    random_state, verbose, n_jobs
        As in ``SVC``.
    prior : estimator, path or None, default=None
        A function that is known before the fit: a fitted regressor of this package, or the path of a model file. The
        fit adds to it, and what is priced is the distance to it; predictions are both together. Coefficients and
        constants are those of what is added.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_centers,) or (n_centers, n_targets)
        Coefficients of the rows that have one.
    intercept_ : float or ndarray of shape (n_targets,)
        The constant; 0 without ``parametric``.
    parametric_coef_ : ndarray of shape (n_functions, n_targets)
        Coefficients of the functions of ``parametric``.
    n_iter_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.linear_model import RiskRegressor
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> y[10] += 20
    >>> model = RiskRegressor("huber", C=10, sigma=0.1, gamma=0.5, standardize=False).fit(X, y)
    >>> bool(abs(model.predict([[1.0]])[0] - np.sin(1)) < 0.1)
    True
    """

    _model = "riskr"
    _option_names: ClassVar[OptionNames] = {"degree": None, "parametric": "parametric"}

    def __init__(
        self,
        loss: str = "huber",
        *,
        C: float = 2,
        epsilon: float | None = None,
        sigma: float | None = None,
        exponent: float | None = None,
        quantile: float | None = None,
        density: Callable[[float], float] | Any = None,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        norm: str = "function",
        parametric: str = "constant",
        parametric_price: float = 0,
        standardize: bool = True,
        tol: float = 1e-6,
        max_iter: int = 200,
        rank: int = 0,
        prior: Any = None,
        memory_mb: float = 0,
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.C = C
        self.epsilon = epsilon
        self.sigma = sigma
        self.exponent = exponent
        self.quantile = quantile
        self.density = density
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.norm = norm
        self.parametric = parametric
        self.parametric_price = parametric_price
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.rank = rank
        self.prior = prior
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RiskRegressor:
        """Fit the function to the targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w rows; rows of weight 0 are left out.

        Returns
        -------
        self
        """
        self._density_text = "" if self.density is None else density_text(self.density, _reach(y, self.density))
        super().fit(X, y, sample_weight)
        return self

    def _settings(self) -> dict[str, str]:
        text = getattr(self, "_density_text", "")
        return {**super()._settings(), **({"density": text} if text else {})}

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        text = settings.get("density", "")
        return {**super()._stored_parameters(settings), **({"density": text} if text else {})}

    def _keep_machine(self, model: _core.FittedModel) -> None:
        super()._keep_machine(model)
        self.parametric_coef_ = _parametric(model)

    def _expansion(self, model: _core.FittedModel) -> tuple[Array, Array]:
        return model.array("coefficients"), _constants(model)


class RiskClassifier(ProbabilityMixin, MachineClassifier):
    """Classification with any loss of the margin t = y f(x): half of the squared norm plus C times the losses.

    Several classes are machines of their own, one against the rest, on one kernel matrix.

    Parameters
    ----------
    loss : str, default='logistic'
        'hinge', 'squared_hinge', 'logistic', 'exponential', or 'inverse_complementary_log_log', which is bounded and
        not convex.
    C : float, default=2
        Price of the losses; as in ``SVC``, where the default is 1.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``; positive definite beside ``parametric``.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    parametric : str, default='constant'
        As in ``KernelRidge``.
    norm, parametric_price
        As in ``RiskRegressor``.
    tol, max_iter, rank, memory_mb
        As in ``RiskRegressor``.
    class_weight, random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    dual_coef_ : ndarray of shape (n_functions, n_centers)
        Coefficients of the rows that have one: one function for two classes, otherwise one per class.
    intercept_ : ndarray of shape (n_functions,)
        Constants; 0 without ``parametric``.
    parametric_coef_ : ndarray of shape (n_terms, n_functions)
        Coefficients of the functions of ``parametric``.
    n_iter_, class_weight_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.linear_model import RiskClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RiskClassifier("exponential").fit(X, y)
    >>> bool(model.score(X, y) > 0.95), model.predict_proba(X[:2]).shape
    (True, (2, 3))
    """

    _model = "riskc"
    _option_names: ClassVar[OptionNames] = {"degree": None, "parametric": "parametric"}

    def __init__(
        self,
        loss: str = "logistic",
        *,
        C: float = 2,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        norm: str = "function",
        parametric: str = "constant",
        parametric_price: float = 0,
        class_weight: Any = None,
        tol: float = 1e-6,
        max_iter: int = 200,
        rank: int = 0,
        memory_mb: float = 0,
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.norm = norm
        self.parametric = parametric
        self.parametric_price = parametric_price
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.rank = rank
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _require_probabilities(self) -> None:
        if self.loss not in ("logistic", "exponential"):
            raise AttributeError(f"predict_proba needs loss='logistic' or 'exponential', not {self.loss!r}")

    def _keep_machine(self, model: _core.FittedModel) -> None:
        super()._keep_machine(model)
        self.parametric_coef_ = _parametric(model)

    def _expansion(self, model: _core.FittedModel) -> tuple[Array, Array]:
        return model.array("coefficients"), _constants(model)


def _parametric(model: _core.FittedModel) -> Array:
    functions = model.array("coefficients").shape[1]
    return model.array("parametric").copy() if model.has_array("parametric") else np.zeros((0, functions))


def _constants(model: _core.FittedModel) -> Array:
    coefficients = _parametric(model)
    return np.asarray(coefficients[0].copy() if len(coefficients) else np.zeros(coefficients.shape[1]))


def _reach(y: Any, density: Any) -> float:
    """How far residuals can be expected: the range of the targets."""
    if not callable(density):
        return 0.0
    targets = np.asarray(y, dtype=np.float64)
    reach = float(np.ptp(targets)) if targets.size else 0.0
    return reach if np.isfinite(reach) and reach > 0 else 1.0
