"""Laplacian processes: kernel expansions whose coefficients have the prior (λ/2) exp(-λ|a|), so that few are used."""

from __future__ import annotations

from typing import Any

from mercer import _core
from mercer._kernel_machines import MachineClassifier, center_rows
from mercer._predictive import PredictiveMachine


class LaplacianProcessRegressor(PredictiveMachine):
    """Regression with a Laplacian process: the lasso on kernel functions, with a predictive distribution.

    The most probable coefficients under the prior (alpha/2) exp(-alpha |a|) are mostly 0. For Gaussian noise the
    coefficients in use have a normal posterior, from which intervals and draws follow.

    Parameters
    ----------
    alpha : float, optional
        Rate of the prior. None: chosen by cross-validation.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``; it need not be positive definite.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    likelihood : {'gaussian', 'laplacian', 'insensitive'}, default='gaussian'
        The loss: squared, absolute, or absolute beyond ``epsilon``. The distribution is there for 'gaussian'.
    noise : float, default=0
        Variance of the noise; 0: estimated from the residuals.
    epsilon : float, optional
        Of 'insensitive', in the target's units. None: a tenth of its standard deviation.
    nu : float, optional
        Of 'insensitive', in place of ``epsilon``: the tube is found, with at most this fraction of the rows outside.
    prior : {'laplacian', 'concave'}, default='laplacian'
        'concave' charges large coefficients hardly more than small ones, so that still fewer are used.
    concavity : float, default=0
        Of that prior; 0: by the coefficients under the Laplacian one.
    fit_intercept : bool, default=True
        Add a constant that is not penalised.
    folds : int, default=5
        Of the cross-validation.
    select_rows : int, default=500
        Rows, drawn at random, that it looks at; 0: all.
    basis : int, default=0
        Kernel functions to choose from, of rows drawn at random; 0: those of all rows.
    memory_mb : float, default=0
        What matrices may take; 0: the machine's memory.
    random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    alpha_ : float or ndarray of shape (n_targets,)
        The rate of the prior that was used.
    noise_ : float or ndarray of shape (n_targets,)
        Variance of the noise.
    centers_ : array of shape (n_centers, n_features)
        The rows whose kernel functions are used; empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_centers,) or (n_centers, n_targets)
        Their coefficients.
    intercept_ : float or ndarray of shape (n_targets,)
        The constant.
    n_iter_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.sparse_bayes import LaplacianProcessRegressor
    >>> X = np.linspace(-10, 10, 100)[:, None]
    >>> y = np.sinc(X[:, 0] / np.pi) + np.random.default_rng(0).normal(0, 0.1, 100)
    >>> model = LaplacianProcessRegressor(gamma=0.1).fit(X, y)
    >>> len(model.centers_) < 40, bool(abs(model.predict([[0.0]])[0] - 1) < 0.15)
    (True, True)
    """

    _model = "lapr"

    def __init__(
        self,
        alpha: float | None = None,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        likelihood: str = "gaussian",
        noise: float = 0,
        epsilon: float | None = None,
        nu: float | None = None,
        prior: str = "laplacian",
        concavity: float = 0,
        fit_intercept: bool = True,
        folds: int = 5,
        select_rows: int = 500,
        basis: int = 0,
        memory_mb: float = 0,
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.likelihood = likelihood
        self.noise = noise
        self.epsilon = epsilon
        self.nu = nu
        self.prior = prior
        self.concavity = concavity
        self.fit_intercept = fit_intercept
        self.folds = folds
        self.select_rows = select_rows
        self.basis = basis
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _keep_machine(self, model: _core.FittedModel) -> None:
        super()._keep_machine(model)
        rates, noise = model.array("lambda")[:, 0], model.array("noise")[:, 0]
        self.alpha_ = float(rates[0]) if self._flat_target else rates
        self.noise_ = float(noise[0]) if self._flat_target else noise
        self.centers_ = center_rows(self, model)


class LaplacianProcessClassifier(MachineClassifier):
    """Classification with a Laplacian process: the hinge loss and the sum of absolute coefficients.

    The linear programming machine: for two classes one function, for more one per class against the rest.

    Parameters
    ----------
    alpha : float, default=1.0
        Price of coefficients, where a row on the boundary costs 1. 0 is allowed with ``machine='loo'``.
    kernel, gamma, degree, coef0, kernel_params, prior, concavity, fit_intercept, folds, select_rows, basis, memory_mb
        As in ``LaplacianProcessRegressor``.
    select : {'none', 'cv'}, default='none'
        'cv' chooses alpha by cross-validation; ``alpha`` is then not looked at.
    nu : float, optional
        In place of ``alpha``, which is found: at most this fraction of the rows are margin errors, at least this
        fraction are on the margin or beyond.
    machine : {'l1', 'signed', 'loo'}, default='l1'
        'l1': coefficients of any sign. 'signed': of the sign of their row's label. 'loo': the same, and a row is judged
        by the functions of the other rows.
    own_share : float, default=0
        Of 'loo': the share of a row's own function that it is judged by; with 1 it is 'signed'.
    multiclass : {'ovr', 'ww'}, default='ovr'
        More than two classes: one against the rest, or all in one program.
    class_weight, random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    alpha_ : float
        The price that was used; where 'cv' chose or ``nu`` found one per machine, the last.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    centers_ : array of shape (n_centers, n_features)
        The rows whose kernel functions are used; empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_machines, n_centers)
        Their coefficients: one machine for two classes, otherwise one per class.
    intercept_ : ndarray of shape (n_machines,)
        Constants.
    n_iter_, class_weight_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from mercer.sparse_bayes import LaplacianProcessClassifier
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> model = LaplacianProcessClassifier(gamma=2).fit(X, y)
    >>> bool(model.score(X, y) > 0.95), len(model.centers_) < 40
    (True, True)
    """

    _model = "lapc"

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        select: str = "none",
        nu: float | None = None,
        machine: str = "l1",
        own_share: float = 0,
        multiclass: str = "ovr",
        class_weight: Any = None,
        prior: str = "laplacian",
        concavity: float = 0,
        fit_intercept: bool = True,
        folds: int = 5,
        select_rows: int = 500,
        basis: int = 0,
        memory_mb: float = 0,
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.select = select
        self.nu = nu
        self.machine = machine
        self.own_share = own_share
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.prior = prior
        self.concavity = concavity
        self.fit_intercept = fit_intercept
        self.folds = folds
        self.select_rows = select_rows
        self.basis = basis
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _keep_machine(self, model: _core.FittedModel) -> None:
        super()._keep_machine(model)
        self.alpha_ = float(model.facts("lambda").get("", model.settings()["lambda"]))
        self.centers_ = center_rows(self, model)
