"""Linear support vector machines by coordinate descent, for many rows or columns: LinearSVC and LinearSVR."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from mercer import _core
from mercer._base import Estimator
from mercer._classifier import DecisionClassifier
from mercer._kernel_choice import KernelChoice
from mercer._parameters import AT_LEAST_ONE, NOT_NEGATIVE, POSITIVE, check_parameters
from mercer._regressor import Regressor, check_targets

LINEAR_OPTIONS = {
    "C": "C",
    "loss": "loss",
    "tol": "tolerance",
    "max_iter": "max_passes",
    "intercept_scaling": "intercept_scale",
}
LINEAR_LIMITS = {
    "C": POSITIVE,
    "tol": POSITIVE,
    "intercept_scaling": POSITIVE,
    "max_iter": AT_LEAST_ONE,
}


class LinearMachine(Estimator):
    """A machine w·x + b."""

    def _traits(self) -> dict[str, bool]:
        return {"sparse": True}

    def _choice(self, X: Any = None) -> KernelChoice:
        return KernelChoice("linear()")

    def _settings(self) -> dict[str, str]:
        # The intercept is the weight of a constant column, as in LIBLINEAR.
        kind = self.intercept if self.fit_intercept else "none"
        return {**super()._settings(), "intercept": kind}

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        stored = super()._stored_parameters(settings)
        if settings["intercept"] == "none":
            return {**stored, "fit_intercept": False}
        return {**stored, "intercept": settings["intercept"]}

    def _convergence_words(self, report: Mapping[str, Any]) -> str:
        return (
            f"{type(self).__name__} failed to converge: its duality gap was above tol={self.tol} after "
            f"max_iter={self.max_iter} passes. Consider scaling the columns, or increase the number of iterations."
        )


class LinearSVC(DecisionClassifier, LinearMachine):
    """Linear support vector classifier.

    Parameters and attributes are those of ``sklearn.svm.LinearSVC``.

    Parameters
    ----------
    penalty : {'l2', 'l1'}, default='l2'
        'l1' makes most weights 0; it needs ``loss="squared_hinge"``.
    loss : {'squared_hinge', 'hinge'}, default='squared_hinge'
        Of the margin.
    dual : 'auto' or bool, default='auto'
        Taken for compatibility; the solver is chosen by the loss.
    tol : float, default=1e-4
        Of the duality gap, as a part of the primal value.
    C : float, default=1.0
        Price of a margin error.
    multi_class : {'ovr', 'crammer_singer', 'ovo'}, default='ovr'
        Three classes and more: one against the rest, all in one problem, or pairs with votes. As in scikit-learn,
        ``penalty``, ``loss`` and ``dual`` are not looked at for 'crammer_singer'; its ``tol`` is of the conditions of
        the optimum, and its work grows with the square of the rows.
    fit_intercept : bool, default=True
        Whether there is a constant.
    intercept_scaling : float, default=1.0
        Value of the constant column whose weight is the intercept; the larger, the less it is penalised.
    class_weight : dict or 'balanced', optional
        Multiplies C by class.
    verbose : int, default=0
        Show a progress bar.
    random_state : int, RandomState instance or None, default=None
        Orders the rows; None is 0.
    max_iter : int, default=1000
        Limit on passes over the rows.
    intercept : {'regularized', 'exact'}, default='regularized'
        'exact' does not penalise the intercept at all.
    n_jobs : int, optional
        Threads. None: all cores, or OMP_NUM_THREADS.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Constants.
    classes_, class_weight_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.
    n_iter_ : int
        Passes.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from mercer.svm import LinearSVC
    >>> X, y = make_classification(n_features=4, random_state=0)
    >>> model = LinearSVC().fit(X, y)
    >>> model.coef_.shape, model.predict([[0, 0, 0, 0]])
    ((1, 4), array([1]))
    """

    _model = "linearsvc"
    _options: ClassVar[dict[str, str]] = {"penalty": "penalty", "multi_class": "multiclass", **LINEAR_OPTIONS}
    _limits = LINEAR_LIMITS
    _words = {  # noqa: RUF012
        "penalty": ("l2", "l1"),
        "loss": ("squared_hinge", "hinge"),
        "multi_class": ("ovr", "crammer_singer", "ovo"),
        "dual": ("auto", True, False),
        "intercept": ("regularized", "exact"),
    }

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: bool | str = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        intercept: str = "regularized",
        n_jobs: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.intercept = intercept
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearSVC:
        """Find the weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Labels: numbers, strings or truth values.
        sample_weight : array-like of shape (n_samples,), optional
            Multiplies C row by row.

        Returns
        -------
        self
        """
        check_parameters(self)
        self._fit_classes(X, y, sample_weight)
        self._keep_weights(self._check_fitted())
        return self

    def _settings(self) -> dict[str, str]:
        settings = super()._settings()
        if self.multi_class == "crammer_singer":
            settings.update(multiclass="cs", loss="hinge", penalty="l2")
        return settings

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        stored = super()._stored_parameters(settings)
        return {**stored, "multi_class": "crammer_singer"} if stored["multi_class"] == "cs" else stored

    def _adopt(self, model: _core.FittedModel) -> None:
        super()._adopt(model)
        self._keep_weights(model)

    def _keep_weights(self, model: _core.FittedModel) -> None:
        arrays = model.arrays()
        self.coef_ = arrays["weights"].T.copy()
        self.intercept_ = arrays["intercepts"][0].copy() if self.fit_intercept else 0.0
        self.n_iter_ = max(1, int(model.report["iterations"]))


class LinearSVR(Regressor, LinearMachine):
    """Linear support vector regression.

    Parameters and attributes are those of ``sklearn.svm.LinearSVR``.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the width of the tube within which errors cost nothing, in the units of the target.
    tol, C, fit_intercept, intercept_scaling, dual, verbose, random_state, max_iter, intercept, n_jobs
        As in ``LinearSVC``.
    loss : {'epsilon_insensitive', 'squared_epsilon_insensitive'}, default='epsilon_insensitive'
        Of errors beyond the tube.
    standardize : bool, default=False
        Bring targets to mean 0 and variance 1 before the fit.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights.
    intercept_ : ndarray of shape (1,)
        Constant.
    n_iter_, n_features_in_, feature_names_in_, fit_report_
        As in ``LinearSVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.svm import LinearSVR
    >>> X = np.arange(20.0)[:, None]
    >>> model = LinearSVR(C=100, tol=1e-6).fit(X, 3 * X[:, 0] + 1)
    >>> model.predict([[100.0]]).round(1)
    array([301.])
    """

    _model = "linearsvr"
    _options: ClassVar[dict[str, str]] = {"epsilon": "epsilon", "standardize": "standardize", **LINEAR_OPTIONS}
    _limits = {"epsilon": NOT_NEGATIVE, **LINEAR_LIMITS}  # noqa: RUF012
    _words = {  # noqa: RUF012
        "loss": ("epsilon_insensitive", "squared_epsilon_insensitive"),
        "dual": ("auto", True, False),
        "intercept": ("regularized", "exact"),
    }

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: bool | str = "auto",
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        intercept: str = "regularized",
        standardize: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.intercept = intercept
        self.standardize = standardize
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearSVR:
        """Find the weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            Multiplies C row by row.

        Returns
        -------
        self
        """
        check_parameters(self)
        choice = self._choice()
        rows = self._check_rows(X, choice, reset=True)
        targets = check_targets(self, y, rows, several=False)
        weights = self._check_weights(sample_weight, rows)
        self._keep_weights(self._run(choice, rows, targets, sample_weight=weights))
        return self

    def _adopt(self, model: _core.FittedModel) -> None:
        self._keep_weights(model)

    def _keep_weights(self, model: _core.FittedModel) -> None:
        arrays = model.arrays()
        self.coef_ = np.ravel(arrays["weights"]).copy()
        self.intercept_ = arrays["intercepts"][0].copy() if self.fit_intercept else 0.0
        self.n_iter_ = max(1, int(model.report["iterations"]))
