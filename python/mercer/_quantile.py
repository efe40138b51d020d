"""Quantile regression with kernels: KernelQuantileRegressor."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from mercer import _core
from mercer._base import Array
from mercer._kernel_machines import MachineRegressor
from mercer._options import OptionNames
from mercer._parameters import seed_of, text_of
from mercer._regressor import DistributionRegressor
from mercer._rules import reject


class KernelQuantileRegressor(DistributionRegressor, MachineRegressor):
    """Quantile regression: for every level a function that this share of the targets lies below.

    Half of the squared norm of the function plus C times the pinball losses of the residuals, for every level by itself
    and on one kernel matrix. All levels together make a distribution of new observations.

    Parameters
    ----------
    quantiles : float or sequence of float, default=(0.05, 0.25, 0.5, 0.75, 0.95)
        The levels, each between 0 and 1, in any order.
    C : float, default=1
        Price of the losses: coefficients are at most C times the level, and at least -C times 1 - level.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    standardize : bool, default=True
        Bring targets to mean 0 and variance 1 before the fit, so that C does not depend on their units.
    crossing : {'rearranged', 'allowed'}, default='rearranged'
        What is said where functions of two levels cross: 'rearranged' puts their values in order, row by row, and
        'allowed' leaves them as fitted.
    tol : float, default=1e-3
        How far the conditions of optimality may be violated, in units of the target's deviation.
    shrinking : bool, default=True
        Leave out rows that rest at a bound; the result is the same.
    precision : {'float', 'double'}, default='float'
        Of kernel values; 'float': double where rounding exceeds tol.
    max_iter : int, default=0
        Limit on steps of the solver; 0: the engine's.
    memory_mb : float, default=0
        What kernel values may take; 0: half of the machine's memory.
    random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    quantiles_ : ndarray of shape (n_levels,)
        The levels, ascending.
    dual_coef_ : ndarray of shape (n_centers, n_levels) or (n_centers, n_targets, n_levels)
        Coefficients of the rows that have one.
    intercept_ : ndarray of shape (n_levels,) or (n_targets, n_levels)
        Constants.
    support_ : ndarray of shape (n_centers,)
        Numbers of these rows.
    n_iter_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.svm import KernelQuantileRegressor
    >>> random = np.random.default_rng(0)
    >>> X = random.uniform(0, 3, size=(300, 1))
    >>> y = np.sin(X[:, 0]) + (0.1 + 0.3 * X[:, 0]) * random.normal(size=300)
    >>> model = KernelQuantileRegressor((0.1, 0.5, 0.9)).fit(X, y)
    >>> bands = model.predict_quantiles(X)
    >>> bool(abs(np.mean((bands[:, 0] < y) & (y < bands[:, 2])) - 0.8) < 0.05)
    True
    """

    _model = "kqr"
    _option_names: ClassVar[OptionNames] = {"degree": None, "max_iter": "max_steps", "precision": "verify"}

    def __init__(
        self,
        quantiles: float | Sequence[float] = (0.05, 0.25, 0.5, 0.75, 0.95),
        *,
        C: float = 1,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        standardize: bool = True,
        crossing: str = "rearranged",
        tol: float = 1e-3,
        shrinking: bool = True,
        precision: str = "float",
        max_iter: int = 0,
        memory_mb: float = 0,
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.quantiles = quantiles
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.standardize = standardize
        self.crossing = crossing
        self.tol = tol
        self.shrinking = shrinking
        self.precision = precision
        self.max_iter = max_iter
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def predict(self, X: Any, quantiles: float | Sequence[float] | None = None) -> Array:
        """Predict the level that is nearest to a half, or others.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit; for ``kernel="precomputed"`` kernel values with every training row.
        quantiles : float or sequence of float, optional
            Levels between 0 and 1, as in ``predict_quantiles``; of one level there is no axis.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            With several ``quantiles`` another axis, the last.
        """
        if quantiles is None:
            return super().predict(X)
        levels: Any = quantiles
        if isinstance(levels, numbers.Real):
            return np.asarray(self.predict_quantiles(X, [float(levels)])[..., 0])
        return self.predict_quantiles(X, levels)

    def predict_quantiles(self, X: Any, levels: float | Sequence[float] | None = None) -> Array:
        """Predict quantiles of new observations.

        Between levels of the fit they are interpolated; beyond the outer ones the distribution has exponential tails.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.
        levels : float or sequence of float, optional
            Between 0 and 1; None: those of the fit, ``quantiles_``.

        Returns
        -------
        ndarray of shape (n_samples, n_levels) or (n_samples, n_targets, n_levels)
        """
        self._check_fitted()
        return super().predict_quantiles(X, list(self.quantiles_) if levels is None else levels)

    def predict_interval(self, X: Any, confidence: float = 0.9) -> Array:
        """Predict the limits between which a new observation lies with this probability.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.
        confidence : float, default=0.9
            Between 0 and 1; as much lies below the lower limit as above the upper one.

        Returns
        -------
        ndarray of shape (n_samples, 2) or (n_samples, n_targets, 2)
        """
        if not 0 < confidence < 1:
            raise ValueError(f"confidence must be between 0 and 1. Got {confidence!r} instead.")
        return self.predict_quantiles(X, [(1 - confidence) / 2, (1 + confidence) / 2])

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Array:
        """Draw observations, each of the distribution of its row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples_X, n_features)
            Rows with the columns of the fit.
        n_samples : int, default=1
            How many of every row.
        random_state : int, RandomState instance or None, default=0
            Seed.

        Returns
        -------
        ndarray of shape (n_samples_X, n_samples) or (n_samples_X, n_targets, n_samples)
        """
        seed = seed_of(random_state)
        drawn = self._check_fitted().draws(self._samples(X), n_samples, "observation", seed, threads=self._threads())
        return self._by_target(np.asarray(drawn), n_samples)

    def _settings(self) -> dict[str, str]:
        return {**super()._settings(), "quantiles": _levels_text(self)}

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        levels = tuple(float(level) for level in settings["quantiles"].split(","))
        return {**super()._stored_parameters(settings), "quantiles": levels}

    def _keep_machine(self, model: _core.FittedModel) -> None:
        super()._keep_machine(model)
        levels = model.settings()["quantiles"].split(",")
        self.quantiles_ = np.array([float(level) for level in levels])
        coefficients, constants = self._expansion(model)
        self.dual_coef_ = self._by_target(coefficients, len(levels))
        self.intercept_ = self._by_target(constants[None, :], len(levels))[0]
        self.support_ = model.array("support_rows")[:, 0].astype(np.int64)


def _levels_text(estimator: KernelQuantileRegressor) -> str:
    value: Any = estimator.quantiles
    levels = [value] if isinstance(value, numbers.Real) else value
    try:
        numbers_of = [float(level) for level in levels]
    except (TypeError, ValueError):
        numbers_of = []
    allowed = bool(numbers_of) and not isinstance(value, str) and all(0 < level < 1 for level in numbers_of)
    if not allowed or len(set(numbers_of)) < len(numbers_of):
        reject(estimator, "quantiles", value, "a number between 0 and 1, or several different ones")
    return ",".join(text_of(level) for level in numbers_of)
