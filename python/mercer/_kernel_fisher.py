"""Kernel Fisher discriminant."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from mercer import _core, _labels
from mercer._base import Array
from mercer._classifier import DecisionClassifier, Probabilities
from mercer._options import check_parameters
from mercer._pairwise import PairwiseClassifier
from mercer._parameters import text_of
from mercer._rules import reject


class KernelFisherDiscriminant(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, PairwiseClassifier, Probabilities, DecisionClassifier
):
    """Kernel Fisher discriminant: functions in which classes lie far apart, and the rows of each close together.

    A classifier with probabilities, and a transformer to n_classes - 1 features. With a linear kernel it is regularised
    linear discriminant analysis.

    Parameters
    ----------
    alpha : float, optional
        Penalty on the functions. None: chosen by leave-one-out, in closed form.
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    penalty : {'norm', 'coefficients'}, default='norm'
        What alpha multiplies: the squared norm of the functions, or the squares of their coefficients.
    form : {'automatic', 'exact', 'low_rank', 'greedy', 'sparse'}, default='automatic'
        exact: one coefficient per row. low_rank: by pivoted Cholesky. greedy: few rows, one after the other. sparse:
        few rows, by an absolute-value penalty, for two classes. automatic: exact up to 10000 rows, else low_rank.
    size : int, default=0
        Most rows of the other forms than exact; 0: by the form.
    candidates : int, default=59
        Random rows of which greedy takes the best.
    tol : float, default=1e-4
        Greedy stops where three steps in a row lower the objective by less, relatively.
    threshold : {'automatic', 'least_squares', 'svm', 'midpoint', 'bayes'}, default='automatic'
        bayes: the most probable class. Otherwise ``predict`` need not choose that: two classes are cut by a regression
        on labels, a machine on the values or halfway between the means; of more the nearest mean is taken ('midpoint').
        automatic: least_squares for two, midpoint for more.
    priors : array-like of shape (n_classes,) or 'equal', optional
        Of the classes, for probabilities and 'bayes'. None: their shares of the rows.
    calibration : {'left_out', 'training'}, default='left_out'
        Which values threshold and densities are fitted to: those of every row without it, or of all rows as they are.
    class_weight : dict or 'balanced', optional
        Multiplies the weights of rows by class.
    select_rows : int, default=1000
        Rows, drawn at random, that alpha is chosen by; 0: all.
    memory_mb : float, default=0
        What matrices may take; 0: the machine's memory.
    random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    alpha_ : float
        The penalty that was used.
    means_ : ndarray of shape (n_classes, n_directions)
        Of the classes' features.
    priors_ : ndarray of shape (n_classes,)
        Probabilities of the classes before a row is seen.
    dual_coef_ : ndarray of shape (n_centers, n_directions)
        Coefficients of the functions.
    intercept_ : ndarray of shape (n_directions,)
        Their constants.
    n_features_in_, feature_names_in_, class_weight_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.discriminant_analysis import KernelFisherDiscriminant
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelFisherDiscriminant().fit(X[::2], y[::2])
    >>> bool(model.score(X[1::2], y[1::2]) > 0.9), model.transform(X).shape
    (True, (150, 2))
    """

    _model = "kfd"

    def __init__(
        self,
        alpha: float | None = None,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        penalty: str = "norm",
        form: str = "automatic",
        size: int = 0,
        candidates: int = 59,
        tol: float = 1e-4,
        threshold: str = "automatic",
        priors: Any = None,
        calibration: str = "left_out",
        class_weight: Any = None,
        select_rows: int = 1000,
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
        self.penalty = penalty
        self.form = form
        self.size = size
        self.candidates = candidates
        self.tol = tol
        self.threshold = threshold
        self.priors = priors
        self.calibration = calibration
        self.class_weight = class_weight
        self.select_rows = select_rows
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    # ---- Fit -----------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any) -> KernelFisherDiscriminant:
        """Find the functions, where to cut them, and the densities of the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
        y : array-like of shape (n_samples,)
            Labels: numbers, strings or truth values.

        Returns
        -------
        self
        """
        check_parameters(self)
        self._prior_text = self._priors_of(y)
        self._fit_classes(X, y)
        self._keep(self._check_fitted())
        return self

    def _priors_of(self, y: Any) -> str:
        if self.priors is None:
            return ""
        if isinstance(self.priors, str):
            if self.priors != "equal":
                reject(self, "priors", self.priors, "None, 'equal' or one positive number per class")
            return "equal"
        texts = _labels.texts(_labels.encode(y)[0])
        values = np.asarray(self.priors, dtype=np.float64).ravel()
        if len(values) != len(texts) or not np.all(values > 0):
            reject(self, "priors", self.priors, f"one positive number for each of the {len(texts)} classes")
        return ",".join(f"{text}:{text_of(value)}" for text, value in zip(texts, values, strict=True))

    def _settings(self) -> dict[str, str]:
        settings = super()._settings()
        return {**settings, "priors": self._prior_text} if self._prior_text else settings

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        stored = super()._stored_parameters(settings)
        text = settings.get("priors", "")
        if text:
            stored["priors"] = text if text == "equal" else [float(part.rpartition(":")[2]) for part in text.split(",")]
        return stored

    def _adopt(self, model: _core.FittedModel) -> None:
        super()._adopt(model)
        self._keep(model)

    def _keep(self, model: _core.FittedModel) -> None:
        self.alpha_ = stored_penalty(model)
        self.means_, self._spread = model.array("class_means"), model.array("class_spread")
        priors = np.exp(model.array("log_priors").ravel())
        self.priors_ = priors / priors.sum()
        self.dual_coef_, self.intercept_ = model.array("coefficients"), model.array("parametric")[0].copy()

    # ---- Prediction ----------------------------------------------------------------------------------------------

    @property
    def _n_features_out(self) -> int:
        return int(self.dual_coef_.shape[1])

    def transform(self, X: Any) -> Array:
        """Give the values of the discriminant functions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_directions)
            Two classes: one column, positive for ``classes_[1]``. More: up to n_classes - 1, of spread 1 in classes.
        """
        return self._decide(X)

    def decision_function(self, X: Any) -> Array:
        """Give the values that classes are chosen by.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive for ``classes_[1]``. Otherwise one column per class. ``threshold="bayes"``: log odds,
            and logarithms of probabilities up to a constant; otherwise the function, and minus half the squared
            distances to the means.
        """
        values = self._decide(X)
        if self.threshold == "bayes":
            scores = self._log_joint(values)
            return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores
        if len(self.classes_) == 2:
            return values[:, 0]
        return np.asarray(-0.5 * np.square(values[:, None, :] - self.means_).sum(axis=2))

    def _log_joint(self, values: Array) -> Array:
        """Give ln(prior · density) of every class, up to a constant."""
        away = values[:, None, :] - self.means_
        if len(self.classes_) == 2:
            scaled = away[:, :, 0] / self._spread[:, 0]
            return np.asarray(np.log(self.priors_ / self._spread[:, 0]) - 0.5 * np.square(scaled))
        flat = scipy.linalg.solve_triangular(self._spread, away.reshape(-1, away.shape[2]).T, lower=True)
        return np.asarray(np.log(self.priors_) - 0.5 * np.square(flat).sum(axis=0).reshape(away.shape[:2]))


def stored_penalty(model: _core.FittedModel) -> float:
    """The penalty of a model, which is a fact of the fit where it was chosen along a path."""
    written = model.settings().get("lambda")
    found = float(written) if written else model.fact("lambda")
    return float("nan") if found is None else found
