"""Kernel logistic regression."""

from __future__ import annotations

from typing import Any

from mercer import _core
from mercer._classifier import Probabilities
from mercer._kernel_machines import MachineClassifier


class KernelLogisticRegression(Probabilities, MachineClassifier):
    """Kernel logistic regression: the log loss plus alpha/2 times the squared norm of the function.

    Probabilities come with the fit: logistic for two classes, softmax for more. Every row has a coefficient; see
    ``L1VMClassifier`` and ``RVC`` for few of them, ``FalkonClassifier`` for many rows.

    Parameters
    ----------
    alpha : float, optional
        The penalty; 1/C of ``sklearn.linear_model.LogisticRegression``. None: by the largest evidence (Laplace's
        approximation).
    kernel : str, Kernel or callable, default='rbf'
        As in ``KernelRidge``; positive definite.
    gamma : float or {'scale', 'auto', 'median'}, default='scale'
        As in ``SVC``.
    degree, coef0, kernel_params
        As in ``KernelRidge``.
    fit_intercept : bool, default=True
        Add constants that are not penalised.
    select_rows : int, default=500
        Rows, drawn at random, that alpha is chosen by; 0: all.
    memory_mb : float, default=0
        What matrices may take; 0: half of the machine's memory.
    class_weight, random_state, verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    alpha_ : float
        The penalty that was used.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    dual_coef_ : ndarray of shape (n_functions, n_samples)
        A coefficient per row (of positive weight): one function for two classes, otherwise one per class.
    intercept_ : ndarray of shape (n_functions,)
        Constants.
    log_evidence_ : float
        Laplace's approximation of the log evidence at ``alpha_``.
    n_iter_, class_weight_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.linear_model import KernelLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelLogisticRegression().fit(X, y)
    >>> bool(model.score(X, y) > 0.95), model.predict_proba(X).shape
    (True, (150, 3))
    """

    _model = "klr"

    def __init__(
        self,
        alpha: float | None = None,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        select_rows: int = 500,
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
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.select_rows = select_rows
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _keep_machine(self, model: _core.FittedModel) -> None:
        super()._keep_machine(model)
        self.alpha_ = float(model.settings()["lambda"])
        self.log_evidence_ = model.facts("log evidence")[""]
