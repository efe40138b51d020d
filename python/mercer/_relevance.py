"""Relevance vector machines: sparse kernel models whose every weight has a prior of its own."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer import _core
from mercer._base import Array, Estimator
from mercer._classifier import Probabilities
from mercer._kernel_machines import MachineClassifier, center_rows
from mercer._options import OptionNames
from mercer._predictive import PredictiveMachine


class RelevanceVectors(Estimator):
    """Which rows the functions of a relevance vector machine are made of."""

    _option_names: ClassVar[OptionNames] = {"fit_intercept": "bias"}

    def _keep_machine(self, model: _core.FittedModel) -> None:
        super()._keep_machine(model)
        self.relevance_ = model.array("support_rows")[:, 0].astype(np.intp)
        self.relevance_vectors_ = center_rows(self, model)


class RVR(RelevanceVectors, PredictiveMachine):
    """Relevance vector regression: few kernel functions, chosen by the evidence, with a predictive distribution.

    Every coefficient has a normal prior whose precision is learnt; most precisions end at infinity, and their rows
    drop out. The noise is learnt too, so that nothing is left to tune but the kernel, which may be any.

    Parameters
    ----------
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``; it need not be positive definite.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    prior : {'ard', 'gamma', 'student'}, default='ard'
        Of the coefficients: precisions that are free, that have a Gamma prior each, or Gamma priors integrated out.
    weight_shape, weight_rate : float, default=1e-4
        Of that Gamma prior.
    noise : float, optional
        Variance of the noise. None: learnt.
    noise_shape, noise_rate : float, default=0
        Of a Gamma prior of 1/noise; 0: flat.
    fit_intercept : bool, default=True
        Whether the constant is one of the functions to choose from.
    candidates : int, default=5000
        Rows that may become relevance vectors, drawn at random where there are more; 0: all. All rows are fitted to.
    max_vectors : int, default=0
        Functions in use at most, per target; 0: as many as the evidence asks for.
    tol : float, default=1e-3
        What a step must add to the log evidence.
    max_iter : int, default=10000
        Functions added at most, those that go again included.
    memory_mb : float, default=0
        For kernel values, which are computed again where they do not fit; 0: half of the machine's memory.
    random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    relevance_ : ndarray of shape (n_relevance,)
        Numbers of the training rows that are relevance vectors.
    relevance_vectors_ : array of shape (n_relevance, n_features)
        Those rows; empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_relevance,) or (n_relevance, n_targets)
        Their coefficients.
    intercept_ : float or ndarray of shape (n_targets,)
        The constant.
    noise_ : float or ndarray of shape (n_targets,)
        Variance of the noise.
    log_evidence_ : float
        Of the targets, at the end; of all targets together.
    n_iter_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.sparse_bayes import RVR
    >>> X = np.linspace(-10, 10, 100)[:, None]
    >>> y = np.sinc(X[:, 0] / np.pi) + np.random.default_rng(0).normal(0, 0.1, 100)
    >>> model = RVR(gamma=0.1).fit(X, y)
    >>> mean, std = model.predict([[0.0]], return_std=True)
    >>> len(model.relevance_) < 12, bool(abs(mean[0] - 1) < 0.1), bool(0.08 < std[0] < 0.13)
    (True, True, True)
    """

    _model = "rvr"

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        prior: str = "ard",
        weight_shape: float = 1e-4,
        weight_rate: float = 1e-4,
        noise: float | None = None,
        noise_shape: float = 0,
        noise_rate: float = 0,
        fit_intercept: bool = True,
        candidates: int = 5000,
        max_vectors: int = 0,
        tol: float = 1e-3,
        max_iter: int = 10000,
        memory_mb: float = 0,
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.prior = prior
        self.weight_shape = weight_shape
        self.weight_rate = weight_rate
        self.noise = noise
        self.noise_shape = noise_shape
        self.noise_rate = noise_rate
        self.fit_intercept = fit_intercept
        self.candidates = candidates
        self.max_vectors = max_vectors
        self.tol = tol
        self.max_iter = max_iter
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _keep_machine(self, model: _core.FittedModel) -> None:
        super()._keep_machine(model)
        noise = model.array("noise")[:, 0]
        self.noise_ = float(noise[0]) if self._flat_target else noise
        self.log_evidence_ = float(model.report["objective"])


class RVC(RelevanceVectors, Probabilities, MachineClassifier):
    """Relevance vector classification: few kernel functions, chosen by the evidence, with probabilities.

    Two classes: the log-odds are one kernel expansion. More: one machine per class against the rest, whose
    probabilities are scaled to sum 1.

    Parameters
    ----------
    kernel, gamma, degree, coef0, kernel_params, fit_intercept, candidates, max_vectors, tol, max_iter, memory_mb
        As in ``RVR``.
    moderate : bool, default=True
        Average probabilities over the uncertainty of the log-odds, so that they tend to a half where little is known.
    class_weight, random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    relevance_ : ndarray of shape (n_relevance,)
        Numbers of the training rows that are relevance vectors of one of the machines.
    relevance_vectors_ : array of shape (n_relevance, n_features)
        Those rows; empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_machines, n_relevance)
        Their coefficients: one machine for two classes, otherwise one per class.
    intercept_ : ndarray of shape (n_machines,)
        Constants.
    n_iter_, class_weight_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from mercer.sparse_bayes import RVC
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> model = RVC(gamma=2).fit(X, y)
    >>> bool(model.score(X, y) > 0.95), len(model.relevance_) < 30
    (True, True)
    """

    _model = "rvc"

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        moderate: bool = True,
        class_weight: Any = None,
        fit_intercept: bool = True,
        candidates: int = 5000,
        max_vectors: int = 0,
        tol: float = 1e-3,
        max_iter: int = 10000,
        memory_mb: float = 0,
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.moderate = moderate
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.candidates = candidates
        self.max_vectors = max_vectors
        self.tol = tol
        self.max_iter = max_iter
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def decision_function(self, X: Any) -> Array:
        """Give the values that classes are chosen by.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: the log-odds of ``classes_[1]``, those of ``predict_proba``. Otherwise one column per class, of
            the most probable coefficients.
        """
        values = super().decision_function(X)
        if values.ndim > 1 or not self.moderate:
            return values
        probabilities = self.predict_proba(X)
        inside = np.all(probabilities > 0, axis=1)
        logs = np.log(probabilities[inside])
        values[inside] = logs[:, 1] - logs[:, 0]
        return values
