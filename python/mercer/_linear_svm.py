"""Linear support vector machines by coordinate descent, for many rows or columns: LinearSVC and LinearSVR.

They are linear in the columns, or in the explicit features of a kernel on texts, sequences, sets or graphs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from mercer import _core
from mercer._base import Array, Estimator, step_count
from mercer._classifier import DecisionClassifier, ZeroIsFirst
from mercer._kernel_choice import KernelChoice
from mercer._options import OptionNames, check_parameters
from mercer._prior import PriorMixin
from mercer._regressor import Regressor
from mercer._rules import TRUTH_VALUES, Rules, Words


class LinearMachine(Estimator):
    """A machine w·x + b, or w·Φ(x) + b on the explicit features Φ of a kernel."""

    _option_names: ClassVar[OptionNames] = {
        "max_iter": "max_passes",
        "intercept_scaling": "intercept_scale",
        "fit_intercept": None,  # False is the word "none" of the option intercept
    }
    _rules: ClassVar[Rules] = {
        "fit_intercept": TRUTH_VALUES,
        "intercept": Words(("regularized", "exact")),
        "dual": Words(("auto", True, False)),
    }
    _kernel_names: ClassVar[Mapping[str, str]] = {"linear": "linear()"}

    def _traits(self) -> dict[str, bool]:
        return {"sparse": True}

    def _chosen_kernel(self, X: Any = None) -> KernelChoice:
        choice = super()._chosen_kernel(X)
        if choice.is_matrix:
            raise ValueError(
                f"{type(self).__name__} takes kernels with explicit features, such as 'linear', 'tfidf()' or "
                f"'spectrum(k=3)', but kernel={self.kernel!r}; SVC and SVR take functions and kernel matrices"
            )
        return choice

    # ---- What was learnt -----------------------------------------------------------------------------------------

    @property
    def feature_names_(self) -> Array:
        """What the columns of ``coef_`` count, or the names of the columns; of more than 50 000 features the first."""
        model = self._check_fitted()
        names = _core.feature_vocabulary(model)
        return self.coded_feature_names_ if names is None else np.array(names, dtype=object)

    def top_features(self, n: int = 20, *, machine: int = 0) -> list[tuple[str, float]]:
        """List the features that weigh most.

        Parameters
        ----------
        n : int, default=20
            At most so many.
        machine : int, default=0
            Which row of ``coef_``. Of two classes there is one, whose positive weights speak for ``classes_[1]``.

        Returns
        -------
        list of (str, float)
            Names and weights, the largest absolute weight first; weights of 0 are left out.
        """
        names = self.feature_names_
        weights = self._weight_rows(machine)[: len(names)]
        order = np.argsort(-np.abs(weights), kind="stable")[: max(0, n)]
        return [(str(names[place]), float(weights[place])) for place in order if weights[place] != 0]

    def profile(self, X: Any, *, column: str | None = None) -> list[Array]:
        """Tell where in every sequence its value comes from.

        The part of every feature (a word, a k-mer) is shared out evenly among the places where it stands. A profile
        sums to the value without the intercept, but for features that have no place.

        Parameters
        ----------
        X : sequence of str, or data frame
            Sequences, as at the fit.
        column : str, optional
            The column of a frame, where the kernel sees several columns of sequences.

        Returns
        -------
        list of ndarray
            One per sample, of shape (length,) where ``coef_`` has one row, otherwise (length, n_classes).
        """
        return [values for _, values in self._profiles(X, column)]

    def _profiles(self, X: Any, column: str | None) -> list[tuple[str, Array]]:
        """Give every sequence with its profile."""
        found = _core.feature_profiles(self._check_fitted(), self._samples(X), threads=self._threads())
        return [_chosen_profile(profiles, column) for profiles in found]

    def _weight_rows(self, machine: int) -> Array:
        rows = np.atleast_2d(self.coef_)
        if not 0 <= machine < len(rows):
            raise ValueError(f"machine={machine!r}: there are {len(rows)}, counted from 0")
        return np.asarray(rows[machine])

    def _settings(self) -> dict[str, str]:
        # The intercept is the weight of a constant column, as in LIBLINEAR.
        kind = self.intercept if self.fit_intercept else "none"
        return {**super()._settings(), "intercept": kind}

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        stored = super()._stored_parameters(settings)
        if stored["intercept"] == "none":
            del stored["intercept"]
            stored["fit_intercept"] = False
        return stored

    def _convergence_words(self, model: _core.FittedModel) -> str:
        return (
            f"{type(self).__name__} failed to converge: its duality gap was above tol={self.tol} after "
            f"max_iter={self.max_iter} passes. Consider scaling the columns, or increase the number of iterations."
        )


def _chosen_profile(profiles: list[tuple[str, bytes, Array]], column: str | None) -> tuple[str, Array]:
    for name, text, values in profiles:
        if name == column or (column is None and len(profiles) == 1):
            return _by_character(text, values)
    if not profiles:
        raise ValueError("profiles along sequences need a kernel on sequences, such as spectrum or weighted_degree")
    names = ", ".join(repr(name) for name, _, _ in profiles)
    raise ValueError(f"column={column!r}: name one of the columns of sequences that the kernel sees: {names}")


def _by_character(text: bytes, values: Array) -> tuple[str, Array]:
    """Add up the parts of the bytes of every character."""
    characters = text.decode("utf-8", "surrogateescape")
    if len(characters) < len(text):
        sizes = [len(character.encode("utf-8", "surrogateescape")) for character in characters]
        values = np.add.reduceat(values, np.cumsum([0, *sizes[:-1]]), axis=0)
    return characters, values[:, 0] if values.shape[1] == 1 else values


class LinearSVC(ZeroIsFirst, DecisionClassifier, LinearMachine):
    """Linear support vector classifier.

    Parameters and attributes are those of ``sklearn.svm.LinearSVC``. With a kernel on texts, sequences, sets or graphs
    it is that kernel's machine in time that grows with the number of rows, and its weights can be read.

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
    kernel : str or Kernel, default='linear'
        One with explicit features: ``"tfidf()"``, ``"spectrum(k=3)"``, ``"weighted_degree(degree=8)"``,
        ``"weisfeiler_lehman()"``, sums and positive multiples of these, ``normalize`` and column subscripts.
    n_jobs : int, optional
        Threads. None: all cores, or OMP_NUM_THREADS.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights, of the columns or of the features in ``feature_names_``. Of a kernel's features those that weigh
        nothing are left out, and the others are ordered by their largest absolute weight.
    feature_names_ : ndarray of str
        What the columns of ``coef_`` are; a model file keeps the first 50 000 names of a kernel's features.
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
    >>> words = LinearSVC(kernel="words()").fit(["good day", "good one", "bad day", "bad one"], [1, 1, 0, 0])
    >>> [name for name, weight in words.top_features(2)], words.predict(["a bad idea"])
    (['good', 'bad'], array([0]))
    """

    _model = "linearsvc"
    _weights_as_peer = True
    _option_names: ClassVar[OptionNames] = {"multi_class": "multiclass"}
    _rules: ClassVar[Rules] = {"multi_class": Words(("ovr", "crammer_singer", "ovo"))}

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
        kernel: Any = "linear",
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
        self.kernel = kernel
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearSVC:
        """Find the weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for kernels on strings, sets or graphs a list of these, or a data frame.
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
        self.coef_ = model.array("weights").T.copy()
        self.intercept_ = model.array("intercepts")[0].copy() if self.fit_intercept else 0.0
        self.n_iter_ = step_count(model)


class LinearSVR(PriorMixin, Regressor, LinearMachine):
    """Linear support vector regression.

    Parameters and attributes are those of ``sklearn.svm.LinearSVR``.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the width of the tube within which errors cost nothing, in the units of the target.
    tol, C, fit_intercept, intercept_scaling, dual, verbose, random_state, max_iter, intercept, kernel, n_jobs
        As in ``LinearSVC``.
    loss : {'epsilon_insensitive', 'squared_epsilon_insensitive'}, default='epsilon_insensitive'
        Of errors beyond the tube.
    standardize : bool, default=False
        Bring targets to mean 0 and variance 1 before the fit.
    prior : estimator, path or None, default=None
        A function that is known before the fit: a fitted regressor of this package, or the path of a model file. The
        fit adds to it, and what is priced is the distance to it; predictions are both together. Coefficients and
        constants are those of what is added.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights, of the columns or of the features in ``feature_names_``.
    feature_names_ : ndarray of str
        As in ``LinearSVC``.
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
        kernel: Any = "linear",
        prior: Any = None,
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
        self.kernel = kernel
        self.prior = prior
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearSVR:
        """Find the weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for kernels on strings, sets or graphs a list of these, or a data frame.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            Multiplies C row by row.

        Returns
        -------
        self
        """
        self._fit_values(X, y, sample_weight, several=False)
        self._keep_weights(self._check_fitted())
        return self

    def _adopt(self, model: _core.FittedModel) -> None:
        self._keep_weights(model)

    def _keep_weights(self, model: _core.FittedModel) -> None:
        self.coef_ = np.ravel(model.array("weights")).copy()
        self.intercept_ = model.array("intercepts")[0].copy() if self.fit_intercept else 0.0
        self.n_iter_ = step_count(model)
