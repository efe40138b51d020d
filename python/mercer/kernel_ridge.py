"""Kernel ridge regression, as in ``sklearn.kernel_ridge``."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from sklearn.base import MultiOutputMixin

from mercer import _core
from mercer._base import Array, constants_of, functions_of, step_count
from mercer._bundle import Bundle, fact_list
from mercer._options import OptionNames, check_parameters
from mercer._pairwise import PairwiseKernel
from mercer._parameters import text_of
from mercer._prior import PriorMixin
from mercer._regressor import Regressor, check_targets
from mercer._rules import NOT_NEGATIVE, reject

__all__ = ["KernelRidge"]


class KernelRidge(PriorMixin, MultiOutputMixin, Regressor, PairwiseKernel):
    """Kernel ridge regression: squared errors plus alpha times the squared norm of the function.

    Parameters and attributes are those of ``sklearn.kernel_ridge.KernelRidge``.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1
        The penalty: (K + alpha I) c = y; one for all targets, or one for each.
    kernel : str, Kernel or callable, default='linear'
        A name of ``sklearn.metrics.pairwise`` or 'precomputed'; a spec; a kernel of ``mercer.kernels`` or
        ``sklearn.gaussian_process.kernels``; or a function of two rows that gives their kernel value, or of two
        matrices that gives all of them at once, which is much faster. Matrices that are not positive definite are
        solved by eigenvalues, in the least-squares sense, with a warning.
    gamma : float or {'scale', 'auto', 'median'}, optional
        Width of the named kernels. None: 1 / n_features, and 1 for 'chi2'.
    degree : int, default=3
        Of 'poly'.
    coef0 : float, default=1
        Of 'poly' and 'sigmoid'.
    kernel_params : dict, optional
        Further arguments of a kernel that is a function.
    parametric : str, default='none'
        Functions beside the kernel that are not penalised: 'none', 'constant', 'linear', 'quadratic',
        'periodic(period=12)', any on some columns ('linear[age, dose]'), or a sum of them.
    select : {'none', 'loo', 'gcv', 'lcurve'}, default='none'
        Choose alpha by the leave-one-out error, by generalized cross-validation or by the corner of the L-curve, over
        66 values from one eigendecomposition; ``alpha`` is then not looked at, and ``alpha_`` is what was chosen.
    form : {'automatic', 'dual', 'primal'}, default='automatic'
        One coefficient per row, or one weight per column for linear kernels, whichever is smaller.
    precision : {'double', 'float'}, default='double'
        Of the kernel values and their factorization.
    solver : {'auto', 'exact', 'iterative'}, default='auto'
        Of the dual form: a factorization, or conjugate gradients with a randomly pivoted Cholesky preconditioner, which
        need less memory; 'auto': the factorization up to 20000 rows that fit into memory.
    tol : float, default=1e-6
        Relative residual at which the iteration ends.
    max_iter : int, default=1000
        Steps of the iteration at most.
    memory_mb : float, default=0
        What the matrix may take; 0: the machine's memory.
    random_state : int, RandomState instance or None, default=None
        Seed of the pivots; None is 0.
    verbose : bool, default=False
        Show a progress bar.
    n_jobs : int, optional
        Threads. None: all cores, or OMP_NUM_THREADS.
    prior : estimator, path or None, default=None
        A function that is known before the fit: a fitted regressor of this package, or the path of a model file. The
        fit adds to it, and what is priced is the distance to it; predictions are both together. Coefficients and
        constants are those of what is added.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        One coefficient per row and target.
    X_fit_ : array of shape (n_samples, n_features)
        The training rows.
    alpha_ : float or ndarray of shape (n_targets,)
        The penalty that was used; an array where several were.
    intercept_ : ndarray of shape (n_targets,)
        Constants; zeros without ``parametric``.
    parametric_coef_ : ndarray of shape (n_functions, n_targets)
        Coefficients of ``parametric_names_``.
    parametric_names_ : list of str
        The functions of ``parametric``, "1" the first.
    n_iter_ : int
        Steps of the iterative solver, 1 for others.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernel_ridge import KernelRidge
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> model = KernelRidge(alpha=1e-3, kernel="rbf", gamma=0.5).fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.0]]).round(2)
    array([0.84])
    """

    _model = "ridge"
    _reads_files_of = ("MultipleKernelRidge",)
    _option_names: ClassVar[OptionNames] = {
        "alpha": None,
        "solver": "method",
        "parametric": "parametric",
    }  # alpha may be one per target

    def __init__(
        self,
        alpha: Any = 1,
        *,
        kernel: Any = "linear",
        gamma: float | str | None = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        parametric: str = "none",
        select: str = "none",
        form: str = "automatic",
        precision: str = "double",
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 1000,
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
        self.parametric = parametric
        self.select = select
        self.form = form
        self.precision = precision
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.prior = prior
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _traits(self) -> dict[str, bool]:
        return {**super()._traits(), "multi_output": True}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelRidge:
        """Solve the linear system.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : float or array-like of shape (n_samples,), optional
            A row of weight w counts as w rows.

        Returns
        -------
        self
        """
        check_parameters(self)
        choice = self._choice(X)
        rows = self._check_rows(X, choice, reset=True)
        targets = check_targets(self, y, rows, several=True)
        weights = self._check_weights(sample_weight, rows)
        self._flat_target = targets.ndim == 1
        columns = targets.reshape(len(targets), -1)
        penalties = self._penalties(columns.shape[1])
        if self.prior is not None and len(set(penalties)) > 1:
            raise ValueError("prior takes one alpha for all targets: they are fitted together")
        self._parts = []
        for penalty in sorted(set(penalties)):
            chosen = [column for column, value in enumerate(penalties) if value == penalty]
            part = np.ascontiguousarray(columns[:, chosen])
            model = self._run(choice, rows, part, settings=self._settings_with(penalty), sample_weight=weights)
            self._parts.append((chosen, model))
        self._fitted = self._parts[0][1]
        self.X_fit_ = rows
        self._keep(rows, columns, weights)
        return self

    def _penalties(self, targets: int) -> list[float]:
        """Give the penalty of every target."""
        if self.select != "none":
            return [0.0] * targets
        given = np.ravel(np.asarray(self.alpha, dtype=object)).tolist()
        if np.ndim(self.alpha) > 1 or not all(NOT_NEGATIVE.hold(value) for value in given):
            reject(self, "alpha", self.alpha, f"{NOT_NEGATIVE} or an array of them")
        if len(given) not in (1, targets):
            raise ValueError(f"alpha has {len(given)} values for {targets} targets: give one, or one for every target")
        return [float(value) for value in given] * (targets if len(given) == 1 else 1)

    def _settings_with(self, penalty: float) -> dict[str, str]:
        settings = {**self._settings(), "lambda": text_of(penalty), "indefinite": "solve"}
        if self.select != "none":
            del settings["lambda"]
        return settings

    def _adopt(self, model: _core.FittedModel) -> None:
        self._parts = [(list(range(len(model.output_names))), model)]
        written = model.settings().get("lambda")  # the mean of a Gaussian process has none
        self.alpha_: Any = float(written) if written else math.nan
        self.alpha = self.alpha_ if written else self.alpha
        self.intercept_ = constants_of(model)
        self._keep_functions(model, functions_of(model))
        self.n_iter_ = self._steps()
        if not _is_primal(model):
            coefficients = model.array("coefficients")
            self.dual_coef_ = coefficients[:, 0] if coefficients.shape[1] == 1 else coefficients

    def _keep(self, rows: Any, columns: Array, weights: Array | None) -> None:
        """Set dual_coef_ (one coefficient per row, whatever form was solved), intercept_ and alpha_."""
        counted = np.ones(len(columns), dtype=bool) if weights is None else weights > 0
        dual = np.zeros_like(columns)
        penalties, self.intercept_ = np.zeros(columns.shape[1]), np.zeros(columns.shape[1])
        functions = np.zeros((len(self._parts[0][1].function_names()), columns.shape[1]))
        for chosen, model in self._parts:
            functions[:, chosen] = functions_of(model)
            penalties[chosen] = penalty = float(model.settings()["lambda"])
            self.intercept_[chosen] = constants_of(model)
            if _is_primal(model):
                # (K + alpha/w) c = y, so that c is what the fit leaves over, in units of alpha/w.
                residuals = columns[:, chosen] - model.predict(self._samples_of_fit(rows), threads=self._threads())
                dual[:, chosen] = residuals / penalty * (1 if weights is None else weights[:, None])
            else:
                dual[np.ix_(np.flatnonzero(counted), np.array(chosen))] = model.array("coefficients")
        self._keep_functions(self._parts[0][1], functions)
        self.dual_coef_ = dual[:, 0] if self._flat_target else dual
        self.alpha_ = float(penalties[0]) if len(self._parts) == 1 else penalties
        self.n_iter_ = self._steps()

    def _keep_functions(self, model: _core.FittedModel, coefficients: Array) -> None:
        self.parametric_names_ = model.function_names()
        self.parametric_coef_ = coefficients

    def _steps(self) -> int:
        return max(step_count(model) for _, model in self._parts)

    def predict(self, X: Any) -> Array:
        """Predict the targets of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit; for ``kernel="precomputed"`` kernel values with every training row.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            As the targets of the fit.
        """
        self._check_fitted()
        if len(self._parts) == 1:
            return super().predict(X)
        samples = self._samples(X)
        values = np.empty((samples.size, sum(len(chosen) for chosen, _ in self._parts)))
        for chosen, model in self._parts:
            values[:, chosen] = model.predict(samples, threads=self._threads())
        return values

    def _bundle(self) -> Bundle | None:
        bundle = super()._bundle()
        if len(self._parts) == 1:
            return bundle
        bundle = bundle or Bundle([])
        bundle.models = [model for _, model in self._parts]
        bundle.facts["targets"] = [",".join(map(str, chosen)) for chosen, _ in self._parts]
        return bundle

    def _join(self, bundle: Bundle) -> None:
        """Take up the models of several penalties."""
        if len(bundle.models) == 1:
            return
        parts = [[int(number) for number in text.split(",")] for text in fact_list(bundle.facts, "targets", str)]
        outputs = [len(model.output_names) for model in bundle.models]
        numbers = sorted(number for part in parts for number in part)
        if [len(part) for part in parts] != outputs or numbers != list(range(sum(outputs))):
            raise ValueError("the archive's targets do not fit its models")
        if any(model.name != self._model or model.columns != self._fitted.columns for model in bundle.models):
            raise ValueError("the archive's models are not of one kind")
        self._parts = list(zip(parts, bundle.models, strict=True))
        self._flat_target = False
        self.n_iter_ = self._steps()
        self.alpha_, self.intercept_ = np.zeros(len(numbers)), np.zeros(len(numbers))
        functions = np.zeros((len(self._fitted.function_names()), len(numbers)))
        for chosen, model in self._parts:
            functions[:, chosen] = functions_of(model)
            self.alpha_[chosen] = float(model.settings()["lambda"])
            self.intercept_[chosen] = constants_of(model)
        self._keep_functions(self._fitted, functions)
        self.alpha = self.alpha_
        self.__dict__.pop("dual_coef_", None)
        if not any(_is_primal(model) for model in bundle.models):
            dual = [model.array("coefficients") for model in bundle.models]
            if len({len(coefficients) for coefficients in dual}) != 1:
                raise ValueError("the archive's models are of different rows")
            self.dual_coef_ = np.hstack(dual)[:, np.argsort(np.concatenate(parts))]


def _is_primal(model: _core.FittedModel) -> bool:
    return bool(model.notes("primal form"))
