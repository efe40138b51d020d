"""Decisions of any classifier by what mistakes cost, by prior probabilities, or at a wanted rate of false positives."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_regressor
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, check_consistent_length
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from mercer import _core, _labels
from mercer._classifier import Classifier

Array = npt.NDArray[Any]


def _has(name: str) -> Any:
    """Whether the estimator, the fitted one where there is one, has a method."""
    return lambda self: hasattr(getattr(self, "estimator_", self.estimator), name)


class CostSensitiveClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier that decides by the least expected cost, or calls at most a wanted share of negatives positive.

    Any classifier can be inside. One with probabilities p is fitted once and answers argmin_k Σ_j c(j,k) p_j π_j / s_j,
    with costs c, priors π and the shares s of the classes in training. One of two classes with decision values alone
    gets a threshold, chosen on decision values of rows that clones of it were not fitted to; so does every one with
    ``false_positive_rate``.

    Parameters
    ----------
    estimator : classifier
        With ``predict_proba`` or, for two classes, ``decision_function``.
    costs : array-like of shape (n_classes, n_classes) or dict, optional
        What a row of a class costs when another is answered: a matrix of true classes and answers in the order of
        ``classes_``, or ``{(true, answer): cost}``, where other mistakes cost 1 and right answers 0. None: every
        mistake costs the same.
    priors : array-like of shape (n_classes,), dict, 'equal' or 'training', default='training'
        Probabilities of the classes where answers are wanted, sum 1.
    false_positive_rate : float, optional
        Of two classes: at most this share of the rows that are not of the positive class is called positive, in
        expectation over rows such as those of the fit. Needs 1 / rate - 1 such rows at least.
    positive : label, optional
        The positive class; None: ``classes_[1]``.
    cv : int, cross-validation generator or iterable, default=None
        Folds for thresholds; None: 5, stratified.

    Attributes
    ----------
    estimator_ : classifier
        The fitted one. One of mercer's own follows the rule itself, so that its ``save`` keeps it.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    costs_ : ndarray of shape (n_classes, n_classes)
        What answers cost.
    priors_ : ndarray of shape (n_classes,) or None
        None: those of training.
    class_shares_ : ndarray of shape (n_classes,)
        Shares of the classes that probabilities are of.
    threshold_ : float or None
        The second class is answered where the decision value, or without one its probability, is this or more.
    n_features_in_, feature_names_in_
        Those of ``estimator_``.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> from mercer.linear_model import KernelLogisticRegression
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [1.4], [1.6]])
    >>> y = ["well", "well", "ill", "ill", "ill", "well"]
    >>> model = mercer.CostSensitiveClassifier(KernelLogisticRegression(), costs={("ill", "well"): 20})
    >>> model.fit(X, y).predict([[1.0]])
    array(['ill'], dtype='<U4')
    """

    def __init__(
        self,
        estimator: Any,
        *,
        costs: Any = None,
        priors: Any = "training",
        false_positive_rate: float | None = None,
        positive: Any = None,
        cv: Any = None,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.priors = priors
        self.false_positive_rate = false_positive_rate
        self.positive = positive
        self.cv = cv

    # ---- Fit -----------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CostSensitiveClassifier:
        """Fit the classifier, and choose a threshold where one is needed.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows, as the estimator takes them.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Passed on where it is given; a weight of 2 is two rows.

        Returns
        -------
        self
        """
        if y is None:
            raise ValueError("CostSensitiveClassifier requires y to be passed, but the target y is None")
        rate = self.false_positive_rate
        if rate is not None and (isinstance(rate, (str, bool)) or not isinstance(rate, Real)):
            raise TypeError(f"false_positive_rate: a number between 0 and 1 is needed, not {rate!r}")
        if is_regressor(self.estimator):
            raise TypeError(
                f"{type(self.estimator).__name__} is a regressor: pass a classifier, with predict_proba or, for two "
                "classes, decision_function"
            )
        classes, codes = _labels.encode(y)
        check_consistent_length(X, codes)
        fitted = self._fitted_to(X, y, sample_weight)
        weights = (
            np.ones(len(codes)) if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        )
        self.classes_ = fitted.classes_
        # Classes without a row of positive weight may be none of the estimator's: such rows count for nothing.
        numbers = np.minimum(np.searchsorted(fitted.classes_, classes), len(fitted.classes_) - 1)
        codes = numbers[codes].astype(np.int32)
        self.estimator_ = fitted
        self.costs_ = self._cost_matrix()
        self.priors_ = self._prior_probabilities()
        model = self._own_model()
        shares = [] if model is None else _core.class_shares(model)
        counts = np.bincount(codes, weights=weights, minlength=len(self.classes_))
        self.class_shares_ = np.array(shares) if shares else counts / counts.sum()
        self.threshold_ = self._chosen_threshold(X, y, sample_weight, codes, weights)
        if model is not None:
            self._tell(model)
        return self

    def _fitted_to(self, X: Any, y: Any, sample_weight: Any) -> Any:
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return clone(self.estimator).fit(X, y, **weights)

    def _number(self, label: Any, parameter: str) -> int:
        found = np.flatnonzero(self.classes_ == label)
        if len(found) != 1:
            raise ValueError(f"{parameter}: there is no class {label!r}; the classes are {self.classes_.tolist()}")
        return int(found[0])

    def _cost_matrix(self) -> Array:
        count = len(self.classes_)
        plain = 1.0 - np.eye(count)
        if self.costs is None:
            return plain
        if isinstance(self.costs, Mapping):
            for pair, cost in self.costs.items():
                if not (isinstance(pair, tuple) and len(pair) == 2):
                    raise TypeError(f"costs: {{(true, answer): cost}} is needed, pairs of labels; {pair!r} is none")
                truth, answer = pair
                plain[self._number(truth, "costs"), self._number(answer, "costs")] = cost
            costs = plain
        elif isinstance(self.costs, str):
            raise TypeError(
                f"costs: a matrix or a dict {{(true, answer): cost}} is needed, not the text {self.costs!r}"
            )
        else:
            costs = np.array(self.costs, dtype=np.float64)
        if costs.shape != (count, count):
            raise ValueError(f"costs: a matrix of the shape {costs.shape} for {count} classes")
        if not (np.isfinite(costs).all() and (costs >= 0).all() and costs.any()):
            raise ValueError("costs: they are finite, 0 or more, and not all of them 0")
        return np.ascontiguousarray(costs)

    def _prior_probabilities(self) -> Array | None:
        count = len(self.classes_)
        if self.priors is None or (isinstance(self.priors, str) and self.priors == "training"):
            return None
        if isinstance(self.priors, str):
            if self.priors != "equal":
                raise ValueError(f"priors: {self.priors!r} is neither 'equal' nor 'training'")
            return np.full(count, 1 / count)
        if isinstance(self.priors, Mapping):
            priors = np.full(count, np.nan)
            for label, prior in self.priors.items():
                priors[self._number(label, "priors")] = prior
            if np.isnan(priors).any():
                raise ValueError(f"priors: there is none of the class {self.classes_[np.isnan(priors)][0]!r}")
        else:
            priors = np.array(self.priors, dtype=np.float64)
        if priors.shape != (count,) or not (priors >= 0).all() or abs(priors.sum() - 1) > 1e-6:
            raise ValueError(f"priors: {count} probabilities are needed that sum to 1, not {priors.tolist()}")
        return priors

    def _is_plain(self) -> bool:
        plain = self.costs_[0, 1] * (1.0 - np.eye(len(self.classes_)))
        return self.priors_ is None and np.array_equal(self.costs_, plain)

    def _chosen_threshold(self, X: Any, y: Any, sample_weight: Any, codes: Array, weights: Array) -> float | None:
        if self.false_positive_rate is None:
            if self.positive is not None:
                raise ValueError("positive is the class of false_positive_rate: give both")
            if self._is_plain() or hasattr(self.estimator_, "predict_proba"):
                return None
        elif not self._is_plain():
            raise ValueError("false_positive_rate chooses the threshold by a rate, costs and priors by costs: take one")
        name = type(self.estimator_).__name__
        if len(self.classes_) != 2:
            what = "false_positive_rate" if self.false_positive_rate is not None else f"{name} without probabilities"
            raise ValueError(
                f"{what}: a threshold parts two classes, there are {len(self.classes_)}. Take an estimator with "
                "predict_proba (probability=True where it has that parameter, or CalibratedClassifierCV around it), "
                "and costs"
            )
        if self.false_positive_rate is not None and not 0 < self.false_positive_rate < 1:
            raise ValueError(f"false_positive_rate: between 0 and 1, not {self.false_positive_rate}")
        values, rows = self._held_out_values(X, y, sample_weight, codes, weights)
        of_rows = np.ascontiguousarray(values), np.ascontiguousarray(codes[rows]), np.ascontiguousarray(weights[rows])
        if self.false_positive_rate is None:
            priors = [] if self.priors_ is None else self.priors_.tolist()
            return _core.threshold_of_least_cost(*of_rows, self.costs_.ravel().tolist(), priors, 0.0)
        names = [str(label) for label in self.classes_]
        return _core.threshold_at_rate(*of_rows, float(self.false_positive_rate), self._positive_number(), names)

    def _positive_number(self) -> int:
        return 1 if self.positive is None else self._number(self.positive, "positive")

    def _held_out_values(self, X: Any, y: Any, sample_weight: Any, codes: Array, counts: Array) -> tuple[Array, Array]:
        """Values of rows by clones that were not fitted to them, and the numbers of these rows.

        A row of weight 0 is a row deleted; folds that were given as rows still say which rows they mean.
        """
        labels = np.asarray(y)
        cv = check_cv(5 if self.cv is None else self.cv, labels, classifier=True)
        kept = np.flatnonzero(counts > 0)
        if self.cv is None or isinstance(self.cv, Integral) or hasattr(self.cv, "split"):
            folds = [(kept[train], kept[test]) for train, test in cv.split(_safe_indexing(X, kept), labels[kept])]
        else:
            numbers = np.arange(len(labels))
            given = [(numbers[train], numbers[test]) for train, test in cv.split(X, labels)]
            folds = [(train[counts[train] > 0], test[counts[test] > 0]) for train, test in given]
        values, rows = [], []
        for train, test in folds:
            if len(test) == 0:
                continue
            missing = np.flatnonzero(np.bincount(codes[train], minlength=len(self.classes_)) == 0)
            if len(missing):
                count = int((codes[kept] == missing[0]).sum())
                raise ValueError(
                    f"the class {self.classes_.tolist()[missing[0]]!r} has too few rows for folds, {count}: a "
                    "threshold is chosen on rows that models were not fitted to, and a model of some fold would see "
                    "none of that class. Fewer folds do not help: give more rows of it"
                    + ("" if self.false_positive_rate is not None else ", or take an estimator with predict_proba")
                )
            weights = None if sample_weight is None else _safe_indexing(np.asarray(sample_weight), train)
            model = self._fitted_to(_safe_indexing(X, train), labels[train], weights)
            values.append(_values(model, _safe_indexing(X, test)))
            rows.append(test)
        return np.concatenate(values).astype(np.float64), np.concatenate(rows)

    def _own_model(self) -> _core.FittedModel | None:
        """The model of an estimator that is one of mercer's own, which can follow the rule itself."""
        model = getattr(self.estimator_, "_fitted", None)
        return model if isinstance(self.estimator_, Classifier) and isinstance(model, _core.FittedModel) else None

    def _tell(self, model: _core.FittedModel) -> None:
        if self.threshold_ is None and self._is_plain():
            return
        costs = [] if self.costs is None else self.costs_.ravel().tolist()
        priors = [] if self.priors_ is None else self.priors_.tolist()
        _core.decide_by(model, costs, priors, self.threshold_, self.false_positive_rate, self._positive_number())

    # ---- Answers -------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> Array:
        """Answer by the rule.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        if self.threshold_ is not None:
            return np.asarray(self.classes_[(_values(self.estimator_, X) >= self.threshold_).astype(np.intp)])
        if self._is_plain():
            return np.asarray(self.estimator_.predict(X))
        return np.asarray(self.classes_[np.argmin(self.expected_costs(X), axis=1)])

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def expected_costs(self, X: Any) -> Array:
        """Give what every answer is expected to cost.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``; ``predict`` gives the least, where it has no threshold.
        """
        check_is_fitted(self)
        priors = [] if self.priors_ is None else self.priors_.tolist()
        probabilities = np.ascontiguousarray(self.estimator_.predict_proba(X), dtype=np.float64)
        costs = self.costs_.ravel().tolist()
        return _core.expected_costs(probabilities, costs, priors, self.class_shares_.tolist())

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Give the probabilities of the estimator, which know nothing of costs and priors.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(X))

    def cost(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Give the mean cost of the answers to rows of known classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            How much every row counts.

        Returns
        -------
        float
        """
        answers = [self._number(label, "predict") for label in self.predict(X)]
        truth = [self._number(label, "y") for label in np.asarray(y)]
        largest = self.costs_.max()  # sums of huge costs would overflow
        return float(np.average(self.costs_[truth, answers] / largest, weights=sample_weight) * largest)

    @property
    def n_features_in_(self) -> int:
        """Columns of the fit."""
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> Array:
        """Names of the columns of the fit, where they had any."""
        return np.asarray(self.estimator_.feature_names_in_)

    def __sklearn_tags__(self) -> Any:
        """Give what scikit-learn asks an estimator of: that of the classifier inside."""
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        inside = get_tags(self.estimator)
        tags.input_tags, tags.classifier_tags = inside.input_tags, inside.classifier_tags
        return tags


def _values(estimator: Any, X: Any) -> Array:
    """The decision value, or without one the probability of the second class.

    Of mercer's own classifiers as the engine has them, which may be on another scale than ``decision_function``.
    """
    if isinstance(estimator, Classifier):
        model = estimator._check_fitted()
        if len(model.decision_names) == 1:
            values = model.decide(estimator._samples(X), threads=estimator._threads())
            return np.asarray(values[:, 0])
    elif hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), dtype=np.float64)
    return np.asarray(estimator.predict_proba(X), dtype=np.float64)[:, 1]
