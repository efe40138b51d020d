"""Gaussian process regression."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.linalg
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.gaussian_process.kernels import Kernel as ForeignKernel

from mercer import _core
from mercer._base import Array
from mercer._bundle import Bundle
from mercer._gp_evidence import log_evidence
from mercer._gp_parameters import Theta, fitted_kernel, gp_choice, gp_convergence_words
from mercer._gp_predictive import PredictiveProcess
from mercer._kernel_choice import KernelChoice
from mercer._options import OptionNames, check_parameters
from mercer._parameters import text_of
from mercer._regressor import check_targets
from mercer._rules import NOT_NEGATIVE, reject
from mercer.kernels import as_kernel


class GaussianProcessRegressor(PredictiveProcess):
    """Gaussian process regression: a mean, its uncertainty, and parameters learnt from the evidence.

    Parameters and attributes are those of ``sklearn.gaussian_process.GaussianProcessRegressor``.

    Parameters
    ----------
    kernel : Kernel, str or kernel of sklearn.gaussian_process.kernels, optional
        The covariance. None: ``ConstantKernel() * RBF()``. ``"1*rbf(lengthscale=ard) + white(variance=0.1)"`` learns
        a width per column and the noise.
    alpha : float, array-like of shape (n_samples,) or None, default=1e-10
        Known variance of the noise, added to the diagonal. None: learnt.
    optimizer : 'fmin_l_bfgs_b', callable or None, default='fmin_l_bfgs_b'
        The string: the engine's own search. None: parameters stay as given. A function is called with
        ``(obj_func, initial_theta, bounds)`` and gives ``(theta, value)``.
    n_restarts_optimizer : int, default=0
        Further random starts, run in parallel.
    normalize_y : bool, default=False
        Bring targets to mean 0 and variance 1 before the fit; predictions are in their units.
    copy_X_train : bool, default=True
        Keep a copy of the rows, which the model refers to.
    n_targets : int, optional
        Outputs of the prior, before a fit.
    random_state : int, RandomState instance or None, default=None
        Seed of the restarts; None is 0.
    likelihood : {'gaussian', 'student_t', 'huber', 'laplacian', 'poisson'}, default='gaussian'
        The noise: the next three resist outliers, the last is for counts. ``alpha`` is for 'gaussian'.
    inference : {'automatic', 'exact', 'laplace', 'ep', 'map'}, default='automatic'
        For other noise than Gaussian.
    method : {'automatic', 'exact', 'float', 'cg', 'vfe', 'fitc', 'sor', 'greedy'}, default='automatic'
        For Gaussian noise: Cholesky, single precision with refinement, conjugate gradients, or inducing points.
    mean : {'zero', 'constant', 'linear', 'quadratic'}, default='zero'
        Mean function of the columns, integrated out.
    objective : {'evidence', 'loo'}, default='evidence'
        What learning maximises.
    search_rows : int, default=0
        Learn from so many rows, drawn at random; 0: all. 2000 suffice for most data, and cost far less.
    inducing : int, default=500
        How many inducing points, or the largest greedy basis.
    priors : str, optional
        On the parameters, as in ``"lengthscale: lognormal(0, 1); noise: gamma(2, 10)"``.
    verbose : bool, default=False
        Show a progress bar.
    n_jobs : int, optional
        Threads. None: all cores, or OMP_NUM_THREADS.

    Attributes
    ----------
    X_train_, y_train_ : array
        Rows and targets of the fit, targets normalised where ``normalize_y`` says so: by mean and standard deviation,
        for robust likelihoods by medians. Counts stay.
    kernel_ : Kernel or kernel of sklearn.gaussian_process.kernels
        With the parameters that were found; of the class that was given.
    alpha_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Coefficients of the rows.
    L_ : ndarray of shape (n_samples, n_samples)
        Lower Cholesky factor of the covariance of the targets, computed when it is asked for; for Gaussian noise.
    log_marginal_likelihood_value_ : float
        Of the (normalised) targets, at the parameters that were found: exact, the approximation that the inference or
        the method makes, or for 'vfe' its lower bound. Absent for ``inference="map"`` and ``method="greedy"``, which
        find none.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.gaussian_process import GaussianProcessRegressor
    >>> X = np.linspace(0, 6, 30)[:, None]
    >>> gp = GaussianProcessRegressor("1*rbf(lengthscale=1)", alpha=1e-4).fit(X, np.sin(X[:, 0]))
    >>> mean, std = gp.predict([[1.0], [20.0]], return_std=True)
    >>> float(mean.round(2)[0]), bool(std[1] > 10 * std[0])
    (0.84, True)
    """

    _model = "gp"
    _option_names: ClassVar[OptionNames] = {"n_restarts_optimizer": "restarts", "priors": "priors"}

    def __init__(
        self,
        kernel: Any = None,
        *,
        alpha: Any = 1e-10,
        optimizer: Any = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        normalize_y: bool = False,
        copy_X_train: bool = True,
        n_targets: int | None = None,
        random_state: Any = None,
        likelihood: str = "gaussian",
        inference: str = "automatic",
        method: str = "automatic",
        mean: str = "zero",
        objective: str = "evidence",
        search_rows: int = 0,
        inducing: int = 500,
        priors: str | None = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.copy_X_train = copy_X_train
        self.n_targets = n_targets
        self.random_state = random_state
        self.likelihood = likelihood
        self.inference = inference
        self.method = method
        self.mean = mean
        self.objective = objective
        self.search_rows = search_rows
        self.inducing = inducing
        self.priors = priors
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _traits(self) -> dict[str, bool]:
        return {"requires_fit": False, "sparse": True, "multi_output": True}

    def _chosen_kernel(self, X: Any = None) -> KernelChoice:
        return gp_choice(self._requested_kernel(), X)

    def _requested_kernel(self) -> Any:
        return ConstantKernel() * RBF() if self.kernel is None else self.kernel

    # ---- Fit -----------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any) -> GaussianProcessRegressor:
        """Learn the parameters and condition the process on the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), data frame or list of strings
            Training rows, as the kernel takes them.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.

        Returns
        -------
        self
        """
        check_parameters(self)
        self._check_optimizer()
        choice = self._choice(X)
        rows = self._check_rows(X, choice, reset=True)
        targets = check_targets(self, y, rows, several=True)
        if self.n_targets is not None and self.n_targets != (1 if targets.ndim == 1 else targets.shape[1]):
            shape = 1 if targets.ndim == 1 else targets.shape[1]
            raise ValueError(
                f"The number of targets seen in `y` is different from the parameter `n_targets`. Got "
                f"{shape} != {self.n_targets}."
            )
        noise = self._noise_of_rows(len(targets))
        if self.copy_X_train and hasattr(rows, "copy"):
            rows = rows.copy()
        self._flat_target = targets.ndim == 1 or targets.shape[1] == 1
        self.X_train_ = rows
        self._normalize(targets)
        if callable(self.optimizer):
            choice = KernelChoice(self._search(choice, rows, noise))
        self._condition(choice, rows, targets, noise)
        return self

    def _check_optimizer(self) -> None:
        if not (self.optimizer is None or callable(self.optimizer) or self.optimizer == "fmin_l_bfgs_b"):
            reject(self, "optimizer", self.optimizer, "one of {'fmin_l_bfgs_b'}, a callable or None")

    def _noise_of_rows(self, size: int) -> Array | None:
        """Give alpha as one number per row, None where it is to be learnt."""
        if self.alpha is None or self.likelihood != "gaussian":
            return None
        if np.ndim(self.alpha) == 0:
            if not NOT_NEGATIVE.hold(self.alpha):
                reject(self, "alpha", self.alpha, f"None, {NOT_NEGATIVE} or an array of them")
            return np.full(size, float(self.alpha))
        noise = np.ascontiguousarray(self.alpha, dtype=np.float64)
        if noise.shape != (size,) and noise.shape != (1,):
            raise ValueError(
                f"alpha must be a scalar or an array with same number of entries as y. ({noise.shape[0]} != {size})"
            )
        return np.resize(noise, size)

    def _convergence_words(self, model: _core.FittedModel) -> str:
        return gp_convergence_words(self, model.report)

    def _normalize(self, targets: Array) -> None:
        outputs = 1 if targets.ndim == 1 else targets.shape[1]
        mean, scale = np.zeros(outputs), np.ones(outputs)
        if self.normalize_y:
            columns = targets.reshape(len(targets), -1)
            mean, scale = columns.mean(axis=0), columns.std(axis=0)
            scale[scale < 10 * np.finfo(float).eps * np.abs(mean)] = 1
            scale[scale == 0] = 1
        flat = targets.ndim == 1
        self._y_train_mean: Any = mean[0] if flat else mean
        self._y_train_std: Any = scale[0] if flat else scale
        self.y_train_ = (targets - self._y_train_mean) / self._y_train_std
        # One output is normalised by the engine, so that a model file holds it; of several it has no scale each.
        self._own_units = self.normalize_y and outputs > 1

    def _condition(self, choice: KernelChoice, rows: Any, targets: Array, noise: Array | None) -> None:
        settings = self._settings()
        settings["optimize"] = text_of(self.optimizer == "fmin_l_bfgs_b")
        settings["tolerance"] = "1e-9"  # as scikit-learn's search
        settings["standardize"] = text_of(self.normalize_y and not self._own_units)
        unit = 1.0 if self._own_units else float(np.ravel(self._y_train_std)[0]) ** 2
        if noise is not None and np.ndim(self.alpha) == 0:
            settings["noise"] = text_of(float(self.alpha) * unit) + "!"
            noise = None
        model = self._run(
            choice,
            rows,
            self.y_train_ if self._own_units else targets,
            settings=settings,
            noise=None if noise is None else noise * unit,
        )
        self.kernel_ = fitted_kernel(self._requested_kernel(), model.kernel)
        if not self._own_units:
            self._take_units(model, targets)
        self._keep_evidence(model)
        self._keep_coefficients(model)

    def _take_units(self, model: _core.FittedModel, targets: Array) -> None:
        """Normalise the targets as the engine did."""
        mean, scale = model.array("target_scaling")
        flat = targets.ndim == 1
        self._y_train_mean, self._y_train_std = (mean[0], scale[0]) if flat else (mean, scale)
        self.y_train_ = (targets - self._y_train_mean) / self._y_train_std

    def _keep_evidence(self, model: _core.FittedModel) -> None:
        """Set the log evidence of the normalised targets, where the fit has found one."""
        self.__dict__.pop("log_marginal_likelihood_value_", None)
        settings = model.settings()
        if settings["inference"] == "map" or settings["method"] == "greedy":
            return
        scales = model.array("target_scaling")[1]
        if np.any(scales != 1) and not hasattr(self, "y_train_") and settings["method"] in ("vfe", "fitc", "sor"):
            return  # a file does not say how many rows its inducing points stand for
        # The report has it in the units of the targets. A mean function leaves fewer rows that have any.
        rows = len(self.y_train_) if hasattr(self, "y_train_") else len(model.array("coefficients"))
        if model.has_array("uncertainty_basis"):
            rows -= model.array("uncertainty_basis").shape[1]
        shift = rows * float(np.sum(np.log(scales)))
        self.log_marginal_likelihood_value_: float = float(model.report["objective"]) + shift

    def _keep_coefficients(self, model: _core.FittedModel) -> None:
        coefficients = model.array("coefficients")
        flat = self.y_train_.ndim == 1 if hasattr(self, "y_train_") else coefficients.shape[1] == 1
        self.alpha_ = coefficients[:, 0] if flat else coefficients

    def _adopt(self, model: _core.FittedModel) -> None:
        settings = model.settings()
        self.optimizer = "fmin_l_bfgs_b" if settings["optimize"] == "yes" else None
        self.normalize_y = settings["standardize"] == "yes"
        noise = settings["noise"]
        self.alpha = float(noise[:-1]) if noise.endswith("!") and not self.normalize_y else None
        self.kernel_ = as_kernel(model.kernel)
        self._own_units = False
        self._keep_evidence(model)
        self._keep_coefficients(model)

    # ---- Evidence ------------------------------------------------------------------------------------------------

    def _search(self, choice: KernelChoice, rows: Any, noise: Array | None) -> str:
        self._require_gaussian("an optimizer that is a function")
        if noise is None:
            raise ValueError("an optimizer that is a function learns the kernel only: give alpha")
        requested = self._requested_kernel()
        theta = Theta(requested if isinstance(requested, ForeignKernel) else as_kernel(choice.spec))
        training = self._rows_for(choice, rows)
        preparation = self._preparation(choice, training, None)
        samples = training.samples if preparation is None else preparation.apply(training.samples, self._threads())

        def negative(point: Any, eval_gradient: bool = True) -> Any:
            value, gradient = log_evidence(theta.at(point), samples, self.y_train_, noise, self._threads())
            return (-value, -gradient) if eval_gradient else -value

        best, _ = self.optimizer(negative, theta.start, theta.bounds)
        return str(theta.at(best).compiled.spec)

    def log_marginal_likelihood(
        self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True
    ) -> float | tuple[float, Array]:
        """Give the log evidence of the (normalised) targets.

        As a function of theta it is the exact one, n³ operations, for Gaussian noise and ``mean="zero"``.

        Parameters
        ----------
        theta : array-like, optional
            Logarithms of the free parameters of ``kernel_``; None: those that were found.
        eval_gradient : bool, default=False
            Whether to give the gradient by theta too.
        clone_kernel : bool, default=True
            Taken for compatibility; ``kernel_`` is never changed.

        Returns
        -------
        value : float
        gradient : ndarray
            Where ``eval_gradient`` is true.
        """
        self._check_fitted()
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            if not hasattr(self, "log_marginal_likelihood_value_"):
                raise ValueError(
                    "this fit has found no evidence; log_marginal_likelihood(kernel_.theta) gives it for Gaussian noise"
                )
            return self.log_marginal_likelihood_value_
        self._require_rows()
        self._require_gaussian("log_marginal_likelihood(theta)")
        noise = self._noise_of_rows(len(self.y_train_))
        if noise is None:
            noise = np.full(len(self.y_train_), float(self._fitted.array("likelihood")[0, 0]))
        place = Theta(self.kernel_).at(theta)
        value, gradient = log_evidence(place, self._prepared(self.X_train_), self.y_train_, noise, self._threads())
        return (value, gradient) if eval_gradient else value

    def _require_gaussian(self, what: str) -> None:
        if self.likelihood != "gaussian" or self.mean != "zero":
            raise ValueError(
                f"{what} is for likelihood='gaussian' and mean='zero', here likelihood={self.likelihood!r} and "
                f"mean={self.mean!r}"
            )

    def _require_rows(self) -> None:
        self._check_fitted()
        if not hasattr(self, "y_train_"):
            raise AttributeError("a model from a file has no targets: fit again, or pickle the estimator")

    @property
    def L_(self) -> Array:  # noqa: N802
        """Lower Cholesky factor of the covariance of the training targets."""
        self._require_rows()
        if self.likelihood != "gaussian":
            raise AttributeError(f"L_ is of Gaussian noise, here likelihood={self.likelihood!r}")
        noise = self._noise_of_rows(len(self.y_train_))
        covariance = _core.Kernel(self._fitted.kernel).gram(self._prepared(self.X_train_), threads=self._threads())
        learnt = self._fitted.array("likelihood")[0, 0]
        covariance[np.diag_indices_from(covariance)] += learnt if noise is None else noise
        return np.asarray(scipy.linalg.cholesky(covariance, lower=True))

    def _bundle(self) -> Bundle | None:
        bundle = super()._bundle()
        if not self._own_units:
            return bundle
        arrays = {"target_mean": np.asarray(self._y_train_mean), "target_std": np.asarray(self._y_train_std)}
        return Bundle([self._check_fitted()], arrays=arrays)

    def _join(self, bundle: Bundle) -> None:
        """Take up the units of several targets."""
        outputs = len(self._fitted.output_names)
        mean, scale = bundle.arrays.get("target_mean"), bundle.arrays.get("target_std")
        if mean is None or scale is None or mean.shape != (outputs,) or scale.shape != (outputs,):
            raise ValueError("the archive must hold target_mean and target_std, one number per target")
        self.normalize_y = self._own_units = True
        self._y_train_mean, self._y_train_std = mean, scale
