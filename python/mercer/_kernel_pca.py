"""Kernel principal component analysis."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.sparse
from sklearn.exceptions import NotFittedError

from mercer import _core
from mercer._base import Array
from mercer._bundle import Bundle
from mercer._features import Projection
from mercer._options import OptionNames, check_parameters
from mercer._parameters import text_of, value_of
from mercer._record import Record, damaged
from mercer._rules import AT_LEAST_ONE, NOT_NEGATIVE, Rules, Words
from mercer._svm_base import stored_rows
from mercer.kernel_ridge import KernelRidge

# Components without variance, as a file may name them.
MOST_MISSING = 2**24
METHODS = {
    "auto": "auto",
    "dense": "exact",
    "arpack": "leading",
    "randomized": "leading",
    "pivoted": "pivoted",
    "hebbian": "hebbian",
}
# Eigenvalues below this share of the largest are rounding, as in scikit-learn.
ROUNDING = 1e-12
# Up to so many rows double kernel values cost little.
DOUBLE_ROWS = 5000


class KernelPCA(Projection):
    """Kernel PCA: coordinates along the directions of feature space in which the rows vary most.

    Parameters, attributes and signs are those of ``sklearn.decomposition.KernelPCA``.

    Parameters
    ----------
    n_components : int, optional
        How many components. None: all whose eigenvalue is above 0.
    kernel : str, Kernel or callable, default='linear'
        As in ``KernelRidge``.
    gamma, degree, coef0, kernel_params
        As in ``KernelRidge``.
    alpha : float, default=1.0
        Penalty of the ridge regression that ``inverse_transform`` is learnt by.
    fit_inverse_transform : bool, default=False
        Learn ``inverse_transform``. (``preimage`` needs no learning.)
    eigen_solver : {'auto', 'dense', 'arpack', 'randomized', 'pivoted', 'hebbian'}, default='auto'
        dense: all eigenvalues, for up to about 10000 rows. arpack, randomized: block Krylov steps for the leading
        components, without a stored kernel matrix. pivoted: in the span of ``rank`` rows, for very many rows. hebbian:
        sample by sample. auto: by size.
    tol : float, default=0
        Taken for compatibility; leading components have residuals of 1e-8 (1e-4 in 'float') of the largest.
    max_iter : int, optional
        Of 'hebbian': most passes over the rows; None: 100. Otherwise taken for compatibility.
    iterated_power : int or 'auto', default='auto'
        Taken for compatibility.
    remove_zero_eig : bool, default=False
        Leave out components without variance where ``n_components`` asks for more than there are; otherwise they are
        columns of zeros.
    random_state : int, RandomState instance or None, default=None
        Seed of iterative methods; None is 0.
    copy_X : bool, default=True
        Keep a copy of the rows as ``X_fit_``.
    n_jobs : int, optional
        Threads. None: all cores, or OMP_NUM_THREADS.
    center : bool, default=True
        Measure from the mean of the rows in feature space.
    whiten : bool, default=False
        Scale every component to variance 1 (with divisor n).
    rank : int, default=1000
        Rows that 'pivoted' works with.
    precision : {'auto', 'float', 'double'}, default='auto'
        Of kernel values. auto: 'double' for up to 5000 float64 rows; beyond, float where all components are large
        enough for it.
    memory_mb : float, default=0
        What the fit may take; 0: half of the machine's memory.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Of the centred kernel matrix, falling.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Of length 1; the largest entry of each is positive.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
        The eigenvalues over n, and over the sum of all positive eigenvalues (NaN where an indefinite kernel's
        leading eigenvalues do not tell that sum).
    X_fit_ : array of shape (n_samples, n_features)
        The training rows.
    gamma_ : float or str
        ``gamma``, 1 / n_features where it is None.
    dual_coef_ : ndarray
        Where ``inverse_transform`` is learnt its coefficients, as in scikit-learn.
    X_transformed_fit_ : ndarray of shape (n_samples, n_components)
        Features of the training rows, where ``inverse_transform`` is learnt.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.decomposition import KernelPCA
    >>> angle = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    >>> circles = np.vstack([radius * np.c_[np.cos(angle), np.sin(angle)] for radius in (1, 3)])
    >>> first = KernelPCA(n_components=1, kernel="poly", degree=2, gamma=1).fit_transform(circles)[:, 0]
    >>> pca = KernelPCA(n_components=4, kernel="rbf", gamma=1).fit(circles)
    >>> pca.transform(circles[:3]).shape, bool(pca.eigenvalues_[0] > pca.eigenvalues_[3])
    ((3, 4), True)
    """

    _model = "kpca"
    _option_names: ClassVar[OptionNames] = {"eigen_solver": "method", "max_iter": "epochs", "tol": None}
    _rules: ClassVar[Rules] = {
        "n_components": AT_LEAST_ONE,  # None stands for all, as the engine's 0
        "eigen_solver": Words(tuple(METHODS)),
        "alpha": NOT_NEGATIVE,
        "tol": NOT_NEGATIVE,
    }
    explained_variance_: Array

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: Any = "linear",
        gamma: float | str | None = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        alpha: float = 1.0,
        fit_inverse_transform: bool = False,
        eigen_solver: str = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        iterated_power: int | str = "auto",
        remove_zero_eig: bool = False,
        random_state: Any = None,
        copy_X: bool = True,
        n_jobs: int | None = None,
        center: bool = True,
        whiten: bool = False,
        rank: int = 1000,
        precision: str = "auto",
        memory_mb: float = 0,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.center = center
        self.whiten = whiten
        self.rank = rank
        self.precision = precision
        self.memory_mb = memory_mb
        self.verbose = verbose

    # ---- Fit -----------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> KernelPCA:
        """Find the components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
        y : ignored
            For the sake of pipelines.

        Returns
        -------
        self
        """
        check_parameters(self)
        if self.fit_inverse_transform and isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")
        for name in ("_inverse", "X_transformed_fit_"):
            self.__dict__.pop(name, None)
        rows = self._fit_features(X)
        if self.fit_inverse_transform:
            self._learn_inverse(rows)
        return self

    def _check_rows(self, X: Any, choice: Any, *, reset: bool) -> Any:
        rows = super()._check_rows(X, choice, reset=reset)
        if not reset:
            return rows
        count = rows.shape[0] if hasattr(rows, "shape") else len(rows)
        wide = getattr(rows, "dtype", None) != np.float32 and count <= DOUBLE_ROWS
        self._auto_precision = "double" if wide else "auto"
        self._rows = count
        self.gamma_ = 1 / self.n_features_in_ if self.gamma is None and hasattr(rows, "shape") else self.gamma
        return rows.copy() if self.copy_X and rows is X and hasattr(rows, "copy") else rows

    def _settings(self) -> dict[str, str]:
        settings = {**super()._settings(), "method": METHODS[self.eigen_solver], "tolerance": text_of(ROUNDING)}
        wanted = 0 if self.n_components is None else min(self.n_components, self._rows)
        settings["components"] = text_of(wanted)
        settings["precision"] = self._auto_precision if self.precision == "auto" else self.precision
        return settings

    def _keep(self, model: _core.FittedModel) -> None:
        super()._keep(model)
        count = getattr(self, "_rows", len(self.center_indices_))
        wanted = 0 if self.n_components is None or self.remove_zero_eig else min(self.n_components, count)
        self._missing = max(0, wanted - self.dual_coef_.shape[1])
        variances: Array = np.concatenate([self.explained_variance_, np.zeros(self._missing)])
        self.explained_variance_, self.eigenvalues_ = variances, variances * count
        # Not known from the leading eigenvalues of an indefinite kernel: NaN then.
        known = model.fact("total variance")
        total = np.nan if known is None else known
        self.explained_variance_ratio_ = variances if total == 0 else variances / total
        self._keep_eigenvectors(model, count)

    def _keep_values(self, values: Array) -> None:
        self.explained_variance_ = values

    def _keep_eigenvectors(self, model: _core.FittedModel, count: int) -> None:
        """Set eigenvectors_: α √κ, or the features of the rows where α lies on a few of them only."""
        self.__dict__.pop("eigenvectors_", None)
        found = self.dual_coef_.shape[1]
        roots = np.sqrt(self.eigenvalues_[:found])
        scales = 1 / np.sqrt(self.explained_variance_[:found]) if self.whiten else np.ones(found)
        if not len(self.center_indices_):
            return  # points that a compressed model made up
        if not model.notes("pivoted rows"):
            vectors = self.dual_coef_ / scales * roots
        elif hasattr(self, "X_fit_"):
            vectors = self._features_of_fit(model) / scales / roots
        else:
            return
        self.eigenvectors_ = np.hstack([vectors, np.zeros((count, self._missing))])

    def _features_of_fit(self, model: _core.FittedModel) -> Array:
        given = self._fitted_choice.is_matrix
        rows = self.X_fit_
        samples = self._training_rows(rows, self._fitted_choice).samples if given else self._samples_of_fit(rows)
        return np.asarray(model.predict(samples, threads=self._threads()))

    @property
    def _n_features_out(self) -> int:
        return len(self.eigenvalues_)

    # ---- There ---------------------------------------------------------------------------------------------------

    def transform(self, X: Any) -> Array:
        """Give the coordinates of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit; for ``kernel="precomputed"`` kernel values with every training row.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        values = super().transform(X)
        return np.hstack([values, np.zeros((len(values), self._missing))]) if self._missing else values

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Array:
        """Find the components and give the coordinates of the training rows, which takes no further kernel value.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : ignored
            For the sake of pipelines.
        **params
            None are taken.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self.fit(X, **params)._features_of_rows()

    def _features_of_rows(self) -> Array:
        scales = np.sqrt(len(self.eigenvectors_)) if self.whiten else np.sqrt(self.eigenvalues_)
        return np.asarray(self.eigenvectors_ * scales)

    # ---- And back ------------------------------------------------------------------------------------------------

    def _learn_inverse(self, rows: Any) -> None:
        if scipy.sparse.issparse(rows):
            raise NotImplementedError("Inverse transform not implemented for sparse matrices!")
        kernel = self._check_fitted().kernel if self._fitted_choice.function is None else self.kernel
        ridge = KernelRidge(
            alpha=self.alpha,
            kernel=kernel,
            kernel_params=self.kernel_params,
            form="automatic" if self.alpha > 0 else "dual",
            n_jobs=self.n_jobs,
        )
        if self._fitted_to != "rows":
            # What comes back are the columns that the model sees.
            rows = stored_rows(self._prepared(rows).to_python())
        self.X_transformed_fit_ = self._features_of_rows()
        self._inverse = ridge.fit(self.X_transformed_fit_, np.asarray(rows, dtype=np.float64))
        self.dual_coef_ = self._inverse.dual_coef_

    def inverse_transform(self, X: Any) -> Array:
        """Give points of input space for coordinates, by a ridge regression that was learnt from the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            As ``transform`` gives them.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        self._check_fitted()
        if not hasattr(self, "_inverse"):
            raise NotFittedError(
                "The fit_inverse_transform parameter was not set to True when instantiating and hence the inverse "
                "transform is not available."
            )
        return np.asarray(self._inverse.predict(X))

    # ---- Model files ---------------------------------------------------------------------------------------------

    def _bundle(self) -> Bundle | None:
        bundle = super()._bundle()
        if not hasattr(self, "_inverse"):
            return bundle
        bundle = bundle or Bundle([self._check_fitted()])
        bundle.models.append(self._inverse._check_fitted())
        bundle.arrays["features"] = self.X_transformed_fit_
        if not hasattr(self, "dual_coef_"):  # of a file that did not hold them
            return bundle
        bundle.arrays["inverse"] = self.dual_coef_  # which a model in its primal form does not tell
        return bundle

    def _facts(self) -> dict[str, Any]:
        return {**super()._facts(), "missing": self._missing}

    def _take_facts(self, facts: Mapping[str, Any]) -> None:
        super()._take_facts(facts)
        missing = facts.get("missing")
        if type(missing) is not int or not 0 <= missing <= MOST_MISSING:
            raise damaged(f"{missing!r} components without variance")
        found, zeros = self.dual_coef_.shape[1], np.zeros(missing)
        self._missing = missing
        for name in ("explained_variance_", "eigenvalues_", "explained_variance_ratio_"):
            setattr(self, name, np.concatenate([getattr(self, name)[:found], zeros]))
        if hasattr(self, "eigenvectors_"):
            vectors = self.eigenvectors_[:, :found]
            self.eigenvectors_ = np.hstack([vectors, np.zeros((len(vectors), missing))])

    @classmethod
    def _from_bundle(cls, bundle: Bundle, kernel: Any) -> KernelPCA:
        estimator = super()._from_bundle(bundle, kernel)
        if len(bundle.models) == 1:
            return estimator
        features = bundle.arrays.get("features")
        if features is None or features.ndim != 2:
            raise ValueError("the archive must hold the features that the inverse was learnt from")
        facts = {name: bundle.facts[name] for name in ("function",) if name in bundle.facts}
        ridge = Bundle(bundle.models[1:2], facts, {"rows": features}, Record(KernelRidge.__name__, None, facts))
        bound = partial(kernel, **estimator.kernel_params) if kernel is not None and estimator.kernel_params else kernel
        estimator._inverse = KernelRidge._from_bundle(ridge, bound)
        estimator.X_transformed_fit_ = features
        if bundle.record.parameters is None:
            estimator.fit_inverse_transform, estimator.alpha = True, estimator._inverse.alpha
        estimator._take_inverse(bundle.arrays.get("inverse"))
        return estimator

    def _take_inverse(self, coefficients: Array | None) -> None:
        """Set dual_coef_: as the file has them, or as the ridge model has; files of before may have neither."""
        rows = len(self.X_transformed_fit_)
        of_model: Array | None = getattr(self._inverse, "dual_coef_", None)
        if of_model is not None:
            of_model = of_model.reshape(rows, -1)
        if coefficients is None:
            coefficients = of_model
        elif coefficients.ndim != 2 or len(coefficients) != rows or not np.isfinite(coefficients).all():
            raise damaged("the coefficients of the inverse are not a row of numbers per training row")
        elif of_model is not None and not np.array_equal(coefficients, of_model):
            raise damaged("the coefficients of the inverse are not those of its model")
        if coefficients is None:
            del self.dual_coef_  # those of the components, until here
        else:
            self.dual_coef_ = coefficients

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        stored = super()._stored_parameters(settings)
        names = {method: solver for solver, method in reversed(METHODS.items())}
        stored["eigen_solver"] = names[settings["method"]]
        stored["n_components"] = value_of(settings["components"]) or None  # the engine's default is not all, but 10
        return stored
