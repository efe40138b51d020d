"""Least-squares support vector classifier."""

from __future__ import annotations

from typing import Any

from mercer import _core
from mercer._classifier import DecisionClassifier, ProbabilityMixin
from mercer._options import check_parameters
from mercer._svm_base import stored_centers


class LeastSquaresSVC(ProbabilityMixin, DecisionClassifier):
    """Least-squares support vector classifier: ridge regression on codes of the classes.

    One linear system in place of a quadratic programme; every row has a coefficient.

    Parameters
    ----------
    C : float, optional
        Price of a squared error. None: 1, or chosen by ``select``.
    kernel, degree, gamma, coef0, class_weight, verbose, random_state, n_jobs
        As in ``SVC``.
    select : {'none', 'loo', 'errors', 'gcv'}, default='none'
        How C is chosen where it is None: by the squared leave-one-out error, the leave-one-out error rate, or
        generalized cross-validation.
    probability : bool, default=False
        Fit sigmoids for ``predict_proba`` to the leave-one-out values.
    form : {'automatic', 'dual', 'primal'}, default='automatic'
        One coefficient per row, or one weight per column for linear kernels.
    precision : {'double', 'float'}, default='double'
        Of the kernel values and their factorization.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    dual_coef_ : ndarray of shape (n_machines, n_samples)
        One coefficient per row (of positive weight) and machine: one machine for two classes, otherwise one per class.
    coef_ : ndarray of shape (n_machines, n_features)
        One weight per column, in place of ``dual_coef_``, where the primal form was solved.
    intercept_ : ndarray of shape (n_machines,)
        One per machine.
    class_weight_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.svm import LeastSquaresSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(LeastSquaresSVC(C=10).fit(X, y).score(X, y) > 0.95)
    True
    """

    _model = "lssvm"

    def __init__(
        self,
        *,
        C: float | None = None,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        select: str = "none",
        probability: bool = False,
        class_weight: Any = None,
        form: str = "automatic",
        precision: str = "double",
        verbose: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.select = select
        self.probability = probability
        self.class_weight = class_weight
        self.form = form
        self.precision = precision
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _traits(self) -> dict[str, bool]:
        given = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return {"pairwise": given, "sparse": not given}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LeastSquaresSVC:
        """Solve the linear system of the classes' codes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
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
        self._keep_coefficients(self._check_fitted())
        return self

    def _adopt(self, model: _core.FittedModel) -> None:
        super()._adopt(model)
        self._keep_coefficients(model)

    def _keep_coefficients(self, model: _core.FittedModel) -> None:
        for name in ("coef_", "dual_coef_"):
            self.__dict__.pop(name, None)
        coefficients = model.array("coefficients").T.copy()
        self.intercept_ = model.array("parametric")[0].copy()
        if model.notes("primal form"):
            self.coef_ = coefficients @ stored_centers(model)
        else:
            self.dual_coef_ = coefficients


LSSVM = LeastSquaresSVC
