"""What classifiers share: labels, weights of classes, decision values as scikit-learn shapes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_consistent_length
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import available_if

from mercer import _core, _labels
from mercer._base import Array, Estimator
from mercer._bundle import fact_list


class Classifier(ClassifierMixin, Estimator):
    """A classifier over one model of the engine; labels of any type, weights of rows and classes."""

    def _fit_classes(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Any:
        """Check everything, fit, and give the checked rows."""
        choice = self._choice(X)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        rows = self._check_rows(X, choice, reset=True)
        check_consistent_length(rows, y)
        classes, codes = _labels.encode(y)
        weights = self._check_weights(sample_weight, rows)
        given: dict[str, Any] = {} if groups is None else {"groups": group_codes(groups, rows)}
        counts = weights
        weights = self._with_class_weights(weights, classes, codes)
        if weights is not counts and not self._weights_as_peer:
            # Classes differ in importance, not in number.
            choice = self._with_widths(choice, rows, counts)
        if counts is None and weights is not None:
            counts = np.ones(len(codes))
        texts, kind = _labels.texts(classes), _labels.kind_of(classes)
        model = self._run(
            choice, rows, codes, sample_weight=weights, counts=counts, classes=texts, label_kind=kind, **given
        )
        # Classes without a row of positive weight are no classes of the model.
        kept = [texts.index(text) for text in model.classes]
        self.classes_ = classes[kept]
        return rows

    def _with_class_weights(self, weights: Array | None, classes: Array, codes: Array) -> Array | None:
        chosen = getattr(self, "class_weight", None)
        if isinstance(chosen, str) and chosen == "balanced" and weights is not None and not self._weights_as_peer:
            per_class = _balanced(np.bincount(codes, weights=weights, minlength=len(classes)))
        else:
            per_class = compute_class_weight(chosen, classes=classes, y=classes[codes])
        self.class_weight_ = per_class
        if chosen is None:
            return weights
        per_row: Array = np.ascontiguousarray(per_class[codes], dtype=np.float64)
        return per_row if weights is None else weights * per_row

    def _adopt(self, model: _core.FittedModel) -> None:
        self.classes_ = _labels.from_texts(model.classes, model.label_kind)
        self.class_weight_ = np.ones(len(self.classes_))

    def _facts(self) -> dict[str, Any]:
        weights = getattr(self, "class_weight_", np.ones(len(self.classes_)))
        facts = {"class_type": _labels.dtype_text(self.classes_), "class_weight": [float(weight) for weight in weights]}
        return {**super()._facts(), **facts}

    def _take_facts(self, facts: Mapping[str, Any]) -> None:
        super()._take_facts(facts)
        self.classes_ = _labels.with_dtype(self.classes_, facts.get("class_type"))
        self.class_weight_ = np.array(fact_list(facts, "class_weight", float), dtype=np.float64)

    def predict(self, X: Any) -> Array:
        """Predict the class of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit; for ``kernel="precomputed"`` kernel values with every training row.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        numbers = self._class_numbers(X)
        return np.asarray(self.classes_.take(numbers))

    def _class_numbers(self, X: Any) -> Array:
        numbers = self._check_fitted().predict(self._samples(X), threads=self._threads())[:, 0]
        return np.asarray(numbers.astype(np.intp))

    def _probabilities(self, X: Any) -> Array:
        return np.asarray(self._check_fitted().probabilities(self._samples(X), threads=self._threads()))


def group_codes(groups: Any, rows: Any) -> list[int]:
    """Give the numbers of the groups, -1 for a row whose group is missing (None or NaN)."""
    check_consistent_length(rows, groups)
    values = np.asarray(groups)
    if values.ndim != 1:
        raise ValueError(f"groups must have one value per row, got an array of shape {values.shape}")
    numbers: dict[Any, int] = {}
    return [-1 if _is_missing(value) else numbers.setdefault(value, len(numbers)) for value in values.tolist()]


def _is_missing(value: Any) -> bool:
    """Whether it is None, NaN or the NA of pandas, which is neither equal to itself nor not."""
    same = value == value
    return value is None or not (isinstance(same, bool) and same)


def _balanced(totals: Array) -> Array:
    """Weights that make classes of these totals weigh the same; those without any rows are left out anyway."""
    present = totals > 0
    share = totals.sum() / np.count_nonzero(present)
    return np.asarray(np.divide(share, totals, out=np.ones_like(totals), where=present))


class ZeroIsFirst(Classifier):
    """A stand-in for a class of scikit-learn that takes a value of exactly 0 for the first of two classes.

    The engine's own rule is the second class, sgn(0) = +1, which is also that of ``SVC`` there.
    """

    def _class_numbers(self, X: Any) -> Array:
        model = self._check_fitted()
        if len(self.classes_) != 2 or _core.decision_rule(model) is not None:
            return super()._class_numbers(X)
        values = model.decide(self._samples(X), threads=self._threads())[:, 0]
        return np.asarray((values > 0).astype(np.intp))


class DecisionClassifier(Classifier):
    """A classifier with decision values."""

    def _decide(self, X: Any) -> Array:
        return np.asarray(self._check_fitted().decide(self._samples(X), threads=self._threads()))

    def decision_function(self, X: Any) -> Array:
        """Give the values that classes are chosen by.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive for ``classes_[1]``. Otherwise one column per class.
        """
        values = self._decide(X)
        return values[:, 0] if values.shape[1] == 1 else values


class Probabilities(Classifier):
    """A classifier whose fit ends in probabilities."""

    def predict_proba(self, X: Any) -> Array:
        """Give the probability of every class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        return self._probabilities(X)

    def predict_log_proba(self, X: Any) -> Array:
        """Give the logarithms of the probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))


def _has_probabilities(estimator: Any) -> bool:
    estimator._require_probabilities()
    return True


class ProbabilityMixin(Classifier):
    """Probabilities where a parameter asks for them: ``probability``, if a class does not say otherwise."""

    probability: bool

    def _require_probabilities(self) -> None:
        """Raise AttributeError where the model has no probabilities."""
        if not self.probability:
            raise AttributeError("predict_proba is not available when probability=False")

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Give the probability of every class; ``predict`` chooses the most probable one.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        return self._probabilities(X)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Array:
        """Give the logarithms of the probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return np.asarray(np.log(self.predict_proba(X)))


def votes_as_scores(pairs: Array, classes: int) -> Array:
    """Turn the values of pairs into one score per class: votes, and within a vote the sum of the values.

    Parameters
    ----------
    pairs : ndarray of shape (n, classes * (classes - 1) / 2)
        Of the classes i < j in the order (0, 1), (0, 2), …, (1, 2), …; positive for i.
    classes : int
        How many.

    Returns
    -------
    ndarray of shape (n, classes)
        Sums are squeezed into (-1/3, 1/3), so that they never outweigh a vote.
    """
    votes = np.zeros((len(pairs), classes))
    sums = np.zeros((len(pairs), classes))
    first, second = np.triu_indices(classes, 1)
    for column, (i, j) in enumerate(zip(first, second, strict=True)):
        value = pairs[:, column]
        sums[:, i] += value
        sums[:, j] -= value
        votes[:, i] += value >= 0
        votes[:, j] += value < 0
    return np.asarray(votes + sums / (3 * (np.abs(sums) + 1)))
