"""Linear models on explicit features of a kernel: their cost grows with the number of rows only."""

from __future__ import annotations

from typing import Any, ClassVar

from mercer import _core
from mercer._base import Estimator, step_count
from mercer._classifier import Probabilities
from mercer._feature_maps import MAP_NAMES, kernel_error
from mercer._kernel_machines import LabelClassifier, TargetRegressor
from mercer._options import OptionNames
from mercer._pairwise import PairwiseKernel
from mercer._prior import PriorMixin


class MappedFeatures(Estimator):
    """What is known of the features of a model."""

    _option_names: ClassVar[OptionNames] = MAP_NAMES

    def _keep_machine(self, model: _core.FittedModel) -> None:
        self.n_iter_ = step_count(model)
        self.map_ = model.settings()["map"]
        self.kernel_error_ = kernel_error(model)


class MappedClassifier(MappedFeatures, LabelClassifier):
    """A classifier that is linear in explicit features."""

    def _keep_machine(self, model: _core.FittedModel) -> None:
        super()._keep_machine(model)
        self.coef_ = model.array("weights").T.copy()
        self.intercept_ = model.array("offsets")[0].copy()


class MappedRidge(PriorMixin, MappedFeatures, TargetRegressor, PairwiseKernel):
    """Ridge regression on explicit features of a kernel, in one pass over the rows.

    ``KernelRidge`` with inner products of features in place of kernel values.

    Parameters
    ----------
    alpha : float, optional
        The penalty, as in ``KernelRidge``. None: chosen by ``select``.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    select : {'gcv', 'loo'}, default='gcv'
        How alpha is chosen: by generalized cross-validation, or by the leave-one-out error, which takes a second pass.
    fit_intercept : bool, default=True
        Add a constant that is not penalised.
    map : {'auto', 'fourier', 'nystroem', 'sinks', 'sketch', 'chi2'}, default='auto'
        The features; 'auto': by the kernel, 'fourier' where it has a spectrum, 'sketch' for 'poly', 'chi2' for
        'additive_chi2()' and 'intersection()', 'nystroem' for all others.
    n_components : int, default=0
        How many features; 0: sqrt(n) ln n of n rows, at least 100 and at most 2000.
    form, draws
        As in ``RandomFourierFeatures``.
    family, bias
        As in ``KitchenSinks``.
    sample_steps, sample_interval
        As in ``AdditiveChi2Sampler``.
    landmarks
        As in ``Nystroem``.
    memory_mb : float, default=0
        What a fit may take beside the data; 0: half of the machine's memory.
    random_state, verbose, n_jobs
        As in ``SVC``.
    prior : estimator, path or None, default=None
        A function that is known before the fit: a fitted regressor of this package, or the path of a model file. The
        fit adds to it, and what is priced is the distance to it; predictions are both together. Coefficients and
        constants are those of what is added.

    Attributes
    ----------
    alpha_ : float
        The penalty that was used.
    coef_ : ndarray of shape (n_components,) or (n_targets, n_components)
        Weights of the features.
    intercept_ : float or ndarray of shape (n_targets,)
        The constant.
    map_ : str
        The features that were used.
    kernel_error_ : float or None
        Root mean square error of their inner products against kernel values of a few hundred rows.
    n_iter_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.linear_model import MappedRidge
    >>> X = np.random.default_rng(0).uniform(-3, 3, (2000, 1))
    >>> model = MappedRidge(1e-3, gamma=1).fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.0]]).round(2), model.map_
    (array([0.84]), 'fourier')
    """

    _model = "mapridge"

    def __init__(
        self,
        alpha: float | None = None,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        select: str = "gcv",
        fit_intercept: bool = True,
        map: str = "auto",
        n_components: int = 0,
        form: str = "pairs",
        draws: str = "best",
        family: str = "cos",
        bias: float = 1,
        sample_steps: int = 2,
        sample_interval: float | None = None,
        landmarks: str = "pivots",
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
        self.select = select
        self.fit_intercept = fit_intercept
        self.map = map
        self.n_components = n_components
        self.form = form
        self.draws = draws
        self.family = family
        self.bias = bias
        self.sample_steps = sample_steps
        self.sample_interval = sample_interval
        self.landmarks = landmarks
        self.prior = prior
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _keep_machine(self, model: _core.FittedModel) -> None:
        super()._keep_machine(model)
        weights, constants = model.array("weights"), model.array("offsets")[0]
        self.coef_ = weights[:, 0].copy() if self._flat_target else weights.T.copy()
        self.intercept_: Any = float(constants[0]) if self._flat_target else constants.copy()
        self.alpha_ = float(model.settings().get("lambda") or model.facts("lambda")[""])


class MappedLogisticRegression(Probabilities, MappedClassifier):
    """Logistic regression on explicit features of a kernel, by passes over blocks of rows.

    Two classes: logistic. More: softmax. ``KernelLogisticRegression`` with inner products of features in place
    of kernel values.

    Parameters
    ----------
    alpha : float, default=1.0
        The penalty; 1/C of ``sklearn.linear_model.LogisticRegression``.
    kernel, gamma, degree, coef0, kernel_params, map, n_components, form, draws, family, bias
        As in ``MappedRidge``.
    sample_steps, sample_interval, landmarks, memory_mb
        As in ``MappedRidge``.
    tol : float, default=1e-10
        Share of the objective that may be left at the end.
    max_iter : int, default=500
        Passes over the rows at most.
    class_weight, random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    coef_ : ndarray of shape (n_functions, n_components)
        Weights of the features: one function for two classes, otherwise one per class.
    intercept_ : ndarray of shape (n_functions,)
        Constants.
    map_ : str
        The features that were used.
    kernel_error_ : float or None
        Root mean square error of their inner products against kernel values of a few hundred rows.
    n_iter_, class_weight_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from mercer.linear_model import MappedLogisticRegression
    >>> X, y = make_moons(2000, noise=0.2, random_state=0)
    >>> model = MappedLogisticRegression(0.1, gamma=2).fit(X, y)
    >>> bool(model.score(X, y) > 0.95), model.predict_proba(X[:2]).shape
    (True, (2, 2))
    """

    _model = "maplogit"
    _option_names: ClassVar[OptionNames] = {"tol": "accuracy", "max_iter": "max_passes"}

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        class_weight: Any = None,
        tol: float = 1e-10,
        max_iter: int = 500,
        map: str = "auto",
        n_components: int = 0,
        form: str = "pairs",
        draws: str = "best",
        family: str = "cos",
        bias: float = 1,
        sample_steps: int = 2,
        sample_interval: float | None = None,
        landmarks: str = "pivots",
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
        self.tol = tol
        self.max_iter = max_iter
        self.map = map
        self.n_components = n_components
        self.form = form
        self.draws = draws
        self.family = family
        self.bias = bias
        self.sample_steps = sample_steps
        self.sample_interval = sample_interval
        self.landmarks = landmarks
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs


class MappedSVC(MappedClassifier):
    """Support vector classification on explicit features of a kernel.

    ``SVC`` with inner products of features in place of kernel values; one machine per class against the rest where
    there are more than two.

    Parameters
    ----------
    C : float, default=1.0
        Price of a margin error.
    loss : {'squared_hinge', 'hinge'}, default='squared_hinge'
        As in ``LinearSVC``; 'hinge' needs features that fit into memory.
    kernel, gamma, degree, coef0, kernel_params, map, n_components, form, draws, family, bias
        As in ``MappedRidge``.
    sample_steps, sample_interval, landmarks, memory_mb
        As in ``MappedRidge``.
    tol : float, default=1e-4
        Duality gap at which the solver ends, as a part of the objective.
    max_iter : int, default=1000
        Passes over the rows at most.
    class_weight, random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    coef_ : ndarray of shape (n_functions, n_components)
        Weights of the features: one function for two classes, otherwise one per class.
    intercept_ : ndarray of shape (n_functions,)
        Constants.
    map_ : str
        The features that were used.
    kernel_error_ : float or None
        Root mean square error of their inner products against kernel values of a few hundred rows.
    n_iter_, class_weight_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from mercer.linear_model import MappedSVC
    >>> X, y = make_moons(2000, noise=0.2, random_state=0)
    >>> bool(MappedSVC(gamma=2).fit(X, y).score(X, y) > 0.95)
    True
    """

    _model = "mapsvc"
    _option_names: ClassVar[OptionNames] = {"tol": "gap", "max_iter": "max_passes"}

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        loss: str = "squared_hinge",
        class_weight: Any = None,
        tol: float = 1e-4,
        max_iter: int = 1000,
        map: str = "auto",
        n_components: int = 0,
        form: str = "pairs",
        draws: str = "best",
        family: str = "cos",
        bias: float = 1,
        sample_steps: int = 2,
        sample_interval: float | None = None,
        landmarks: str = "pivots",
        memory_mb: float = 0,
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.loss = loss
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.map = map
        self.n_components = n_components
        self.form = form
        self.draws = draws
        self.family = family
        self.bias = bias
        self.sample_steps = sample_steps
        self.sample_interval = sample_interval
        self.landmarks = landmarks
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs
