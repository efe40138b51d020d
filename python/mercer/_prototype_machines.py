"""Vector machines: generalised linear models on kernel features of prototypes, with an l1 or an l2 penalty."""

from __future__ import annotations

from typing import Any, ClassVar

from mercer import _core
from mercer._base import Estimator
from mercer._classifier import Probabilities
from mercer._kernel_machines import MachineClassifier, MachineRegressor, center_rows
from mercer._options import OptionNames


class Prototypes(Estimator):
    """The prototypes of a vector machine and the penalty of their coefficients."""

    _option_names: ClassVar[OptionNames] = {"l1_ratio": "mix", "n_prototypes": "count"}

    def _keep_machine(self, model: _core.FittedModel) -> None:
        super()._keep_machine(model)
        self.alpha_ = float(model.settings()["lambda"])
        self.prototypes_ = center_rows(self, model)


class L1VMRegressor(Prototypes, MachineRegressor):
    """L1 vector machine: regression on kernel features with a penalty that keeps few prototypes.

    Half the squared errors plus alpha times the sum of the absolute coefficients, solved to a duality gap that
    ``fit_report_`` shows; several targets share their prototypes.

    Parameters
    ----------
    alpha : float, optional
        The penalty, beside the sum of the losses of all rows. None: chosen by ``select``.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``; it need not be positive definite.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    response : {'gaussian', 'poisson'}, default='gaussian'
        Least squares, or counts whose rate is exp(f); predictions are means.
    l1_ratio : float, default=1.0
        Share of the l1 part, in (0, 1]: 1 is the lasso, below it the elastic net.
    select : {'cv', 'cv1se', 'bic'}, default='cv'
        How alpha is chosen along the path: by the loss on held-out folds, the largest within one standard error of
        that, or by Schwarz's criterion, without refits.
    folds : int, default=5
        Of 'cv' and 'cv1se'.
    select_rows : int, default=1000
        Rows, drawn at random, that the folds are made of; 0: all.
    points : int, default=50
        Of the path, from the alpha at which all coefficients are 0 to 1/10000 of it.
    prototypes : {'data', 'kmeans', 'pivoted', 'grid'}, default='data'
        The training rows; rows nearest to the means of kernel k-means; rows that a pivoted Cholesky factorization
        chooses; or equal steps over the range of up to three columns.
    n_prototypes : int, default=0
        How many; 0: all rows for 'data', 100 otherwise.
    fit_intercept : bool, default=True
        Add a constant that is not penalised.
    memory_mb : float, default=0
        What matrices may take; 0: half of the machine's memory.
    random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    alpha_ : float
        The penalty that was used.
    prototypes_ : array of shape (n_centers, n_features)
        Prototypes with a coefficient that is not 0; empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_centers,) or (n_centers, n_targets)
        Their coefficients.
    intercept_ : float or ndarray of shape (n_targets,)
        The constant.
    n_iter_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.linear_model import L1VMRegressor
    >>> X = np.linspace(-10, 10, 100)[:, None]
    >>> y = np.sinc(X[:, 0] / np.pi) + np.random.default_rng(0).normal(0, 0.1, 100)
    >>> model = L1VMRegressor(gamma=0.1).fit(X, y)
    >>> len(model.prototypes_) < 40, bool(abs(model.predict([[0.0]])[0] - 1) < 0.15)
    (True, True)
    """

    _model = "l1vmr"

    def __init__(
        self,
        alpha: float | None = None,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        response: str = "gaussian",
        l1_ratio: float = 1.0,
        select: str = "cv",
        folds: int = 5,
        select_rows: int = 1000,
        points: int = 50,
        prototypes: str = "data",
        n_prototypes: int = 0,
        fit_intercept: bool = True,
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
        self.response = response
        self.l1_ratio = l1_ratio
        self.select = select
        self.folds = folds
        self.select_rows = select_rows
        self.points = points
        self.prototypes = prototypes
        self.n_prototypes = n_prototypes
        self.fit_intercept = fit_intercept
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs


class L1VMClassifier(Prototypes, Probabilities, MachineClassifier):
    """L1 vector machine: logistic regression on kernel features with a penalty that keeps few prototypes.

    Two classes: logistic. More: softmax, where the coefficients of a prototype for all classes are one group, so that
    a prototype is left out for all classes together.

    Parameters
    ----------
    alpha, kernel, gamma, degree, coef0, kernel_params, l1_ratio, select, folds, select_rows, points
        As in ``L1VMRegressor``.
    prototypes, n_prototypes, fit_intercept, memory_mb
        As in ``L1VMRegressor``.
    class_weight, random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    alpha_ : float
        The penalty that was used.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    prototypes_ : array of shape (n_centers, n_features)
        Prototypes with a coefficient that is not 0; empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_functions, n_centers)
        Their coefficients: one function for two classes, otherwise one per class.
    intercept_ : ndarray of shape (n_functions,)
        Constants.
    n_iter_, class_weight_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from mercer.linear_model import L1VMClassifier
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> model = L1VMClassifier(gamma=2).fit(X, y)
    >>> bool(model.score(X, y) > 0.95), len(model.prototypes_) < 60
    (True, True)
    """

    _model = "l1vmc"

    def __init__(
        self,
        alpha: float | None = None,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        class_weight: Any = None,
        l1_ratio: float = 1.0,
        select: str = "cv",
        folds: int = 5,
        select_rows: int = 1000,
        points: int = 50,
        prototypes: str = "data",
        n_prototypes: int = 0,
        fit_intercept: bool = True,
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
        self.class_weight = class_weight
        self.l1_ratio = l1_ratio
        self.select = select
        self.folds = folds
        self.select_rows = select_rows
        self.points = points
        self.prototypes = prototypes
        self.n_prototypes = n_prototypes
        self.fit_intercept = fit_intercept
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs


class L2VMRegressor(Prototypes, MachineRegressor):
    """L2 vector machine: ridge regression on kernel features of prototypes.

    Half the squared errors plus alpha/2 times the sum of the squared coefficients: a network of radial functions where
    the kernel is one. The kernel need not be positive definite; every prototype is kept.

    Parameters
    ----------
    alpha : float, optional
        The penalty, beside the sum of the losses of all rows. None: chosen by ``select``.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``; it need not be positive definite.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    response : {'gaussian', 'poisson'}, default='gaussian'
        Least squares, or counts whose rate is exp(f); predictions are means.
    select : {'evidence', 'cv'}, default='evidence'
        How alpha is chosen: by the largest evidence, or by the loss on held-out folds.
    folds : int, default=5
        Of 'cv'.
    select_rows : int, default=500
        Rows, drawn at random, that alpha is chosen by; 0: all.
    prototypes : {'data', 'kmeans', 'pivoted', 'grid'}, default='data'
        The training rows; rows nearest to the means of kernel k-means; rows that a pivoted Cholesky factorization
        chooses; or equal steps over the range of up to three columns.
    n_prototypes : int, default=0
        How many; 0: all rows for 'data', 100 otherwise.
    fit_intercept : bool, default=True
        Add a constant that is not penalised.
    memory_mb : float, default=0
        What matrices may take; 0: half of the machine's memory.
    random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    alpha_ : float
        The penalty that was used.
    prototypes_ : array of shape (n_centers, n_features)
        All prototypes; empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_centers,) or (n_centers, n_targets)
        Their coefficients.
    intercept_ : float or ndarray of shape (n_targets,)
        The constant.
    n_iter_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.linear_model import L2VMRegressor
    >>> X = np.linspace(-10, 10, 100)[:, None]
    >>> y = np.sinc(X[:, 0] / np.pi) + np.random.default_rng(0).normal(0, 0.1, 100)
    >>> model = L2VMRegressor(gamma=0.1).fit(X, y)
    >>> len(model.prototypes_) == 100, bool(abs(model.predict([[0.0]])[0] - 1) < 0.15)
    (True, True)
    """

    _model = "l2vmr"

    def __init__(
        self,
        alpha: float | None = None,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        response: str = "gaussian",
        select: str = "evidence",
        folds: int = 5,
        select_rows: int = 500,
        prototypes: str = "data",
        n_prototypes: int = 0,
        fit_intercept: bool = True,
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
        self.response = response
        self.select = select
        self.folds = folds
        self.select_rows = select_rows
        self.prototypes = prototypes
        self.n_prototypes = n_prototypes
        self.fit_intercept = fit_intercept
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs


class L2VMClassifier(Prototypes, Probabilities, MachineClassifier):
    """L2 vector machine: logistic regression on kernel features of prototypes, with ridge on their coefficients.

    Two classes: logistic. More: softmax. The kernel need not be positive definite; every prototype is kept.

    Parameters
    ----------
    alpha, kernel, gamma, degree, coef0, kernel_params, select, folds, select_rows
        As in ``L2VMRegressor``.
    prototypes, n_prototypes, fit_intercept, memory_mb
        As in ``L2VMRegressor``.
    class_weight, random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    alpha_ : float
        The penalty that was used.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    prototypes_ : array of shape (n_centers, n_features)
        All prototypes; empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_functions, n_centers)
        Their coefficients: one function for two classes, otherwise one per class.
    intercept_ : ndarray of shape (n_functions,)
        Constants.
    n_iter_, class_weight_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from mercer.linear_model import L2VMClassifier
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> model = L2VMClassifier(gamma=2).fit(X, y)
    >>> bool(model.score(X, y) > 0.95), len(model.prototypes_) == 200
    (True, True)
    """

    _model = "l2vmc"

    def __init__(
        self,
        alpha: float | None = None,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        class_weight: Any = None,
        select: str = "evidence",
        folds: int = 5,
        select_rows: int = 500,
        prototypes: str = "data",
        n_prototypes: int = 0,
        fit_intercept: bool = True,
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
        self.class_weight = class_weight
        self.select = select
        self.folds = folds
        self.select_rows = select_rows
        self.prototypes = prototypes
        self.n_prototypes = n_prototypes
        self.fit_intercept = fit_intercept
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs
