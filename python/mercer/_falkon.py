"""Falkon: kernel methods on a subset of rows as landmarks, for many rows in bounded memory."""

from __future__ import annotations

from typing import Any, ClassVar

from mercer import _core
from mercer._base import Estimator
from mercer._classifier import ProbabilityMixin
from mercer._kernel_machines import MachineClassifier, MachineRegressor, center_rows
from mercer._options import OptionNames
from mercer._prior import PriorMixin


class Landmarks(Estimator):
    """The landmarks of a model."""

    _option_names: ClassVar[OptionNames] = {
        "mean_alpha": "mean_lambda",
        "n_landmarks": "landmarks",
        "landmarks": "choice",
    }

    def _keep_machine(self, model: _core.FittedModel) -> None:
        super()._keep_machine(model)
        self.landmarks_ = center_rows(self, model)


class FalkonRegressor(PriorMixin, Landmarks, MachineRegressor):
    """Kernel ridge regression on landmarks, by preconditioned conjugate gradients: for many rows.

    Squared errors plus alpha times the squared norm, over the functions that the landmarks span. With all rows as
    landmarks it is ``KernelRidge``.

    Parameters
    ----------
    alpha : float, optional
        The penalty, as in ``KernelRidge``. None: 1, unless ``mean_alpha`` is given.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``; positive definite.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    n_landmarks : int, default=0
        How many rows the function is made of; 0: sqrt(n) ln n, at least 500 and at most 10000.
    landmarks : {'uniform', 'pivoted'}, default='uniform'
        Rows drawn at random, or by randomly pivoted Cholesky of a sample of rows, of which fewer do as well.
    mean_alpha : float, optional
        The penalty on the scale of the mean loss, in place of ``alpha``: alpha = n mean_alpha.
    fit_intercept : bool, default=True
        Add a constant that is not penalised.
    tol : float, default=1e-6
        Relative residual at which the iteration ends.
    max_iter : int, default=200
        Steps at most.
    precision : {'mixed', 'float', 'double'}, default='mixed'
        Of products with kernel matrices; 'mixed': float, with residuals in double, and double where float does not do.
    memory_mb : float, default=0
        What a fit may take beyond the data; 0: half of the machine's memory.
    random_state, verbose, n_jobs
        As in ``SVC``.
    prior : estimator, path or None, default=None
        A function that is known before the fit: a fitted regressor of this package, or the path of a model file. The
        fit adds to it, and what is priced is the distance to it; predictions are both together. Coefficients and
        constants are those of what is added.

    Attributes
    ----------
    landmarks_ : array of shape (n_landmarks, n_features)
        Rows that the function is made of; empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_landmarks,) or (n_landmarks, n_targets)
        Their coefficients.
    intercept_ : float or ndarray of shape (n_targets,)
        The constant.
    n_iter_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.linear_model import FalkonRegressor
    >>> X = np.random.default_rng(0).uniform(-3, 3, (2000, 1))
    >>> model = FalkonRegressor(1e-3, n_landmarks=50, gamma=1).fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.0]]).round(2), model.landmarks_.shape
    (array([0.84]), (50, 1))
    """

    _model = "falkon"

    def __init__(
        self,
        alpha: float | None = None,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        n_landmarks: int = 0,
        landmarks: str = "uniform",
        mean_alpha: float | None = None,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int = 200,
        precision: str = "mixed",
        prior: Any = None,
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
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.mean_alpha = mean_alpha
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.precision = precision
        self.prior = prior
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs


class FalkonClassifier(Landmarks, ProbabilityMixin, MachineClassifier):
    """Kernel classification on landmarks, by preconditioned conjugate gradients: for many rows.

    Parameters
    ----------
    alpha, kernel, gamma, degree, coef0, kernel_params, n_landmarks, landmarks, mean_alpha, fit_intercept
        As in ``FalkonRegressor``.
    loss : {'squared', 'logistic'}, default='squared'
        Ridge regression on codes of the classes; or logistic regression (alpha/2 times the squared norm beside the
        log loss), with probabilities.
    tol, max_iter, precision, memory_mb
        As in ``FalkonRegressor``.
    class_weight, random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    landmarks_ : array of shape (n_landmarks, n_features)
        Rows that the functions are made of; empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_functions, n_landmarks)
        Their coefficients: one function for two classes, otherwise one per class.
    intercept_ : ndarray of shape (n_functions,)
        Constants.
    n_iter_, class_weight_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from mercer.linear_model import FalkonClassifier
    >>> X, y = make_moons(2000, noise=0.2, random_state=0)
    >>> model = FalkonClassifier(0.1, loss="logistic", n_landmarks=100, gamma=2).fit(X, y)
    >>> bool(model.score(X, y) > 0.95), model.predict_proba(X[:2]).shape
    (True, (2, 2))
    """

    _model = "falkonc"

    def __init__(
        self,
        alpha: float | None = None,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        loss: str = "squared",
        class_weight: Any = None,
        n_landmarks: int = 0,
        landmarks: str = "uniform",
        mean_alpha: float | None = None,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int = 200,
        precision: str = "mixed",
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
        self.loss = loss
        self.class_weight = class_weight
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.mean_alpha = mean_alpha
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.precision = precision
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _require_probabilities(self) -> None:
        if self.loss != "logistic":
            raise AttributeError("predict_proba is only available when loss='logistic'")
