"""Support vector regression: SVR and NuSVR."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer import _core
from mercer._base import Array
from mercer._options import OptionNames
from mercer._prior import PriorMixin
from mercer._regressor import Regressor
from mercer._svm_base import KernelMachine


class SupportRegressor(Regressor, KernelMachine):
    """What SVR and NuSVR share."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Find the flattest function that is close to the targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            Multiplies C row by row. A row of weight w counts as w rows; rows of weight 0 are left out.

        Returns
        -------
        self
        """
        rows = self._fit_values(X, y, sample_weight, several=False)
        self._keep_machine(self._check_fitted(), rows)
        return self

    def tube_width(self, X: Any) -> Array:
        """Give half the width of the tube at every row, in the units of the target.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        samples = self._samples(X)
        return np.asarray(self._check_fitted().tube_widths(samples, threads=self._threads()))[:, 0]


class SVR(PriorMixin, SupportRegressor):
    """Support vector regression: errors within epsilon cost nothing, errors beyond it C each.

    Parameters and attributes are those of ``sklearn.svm.SVR``.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol, shrinking, cache_size, verbose, max_iter, precision, memory_mb, n_jobs
        As in ``SVC``.
    C : float, default=1.0
        Price of an error beyond the tube, the bound of every coefficient.
    epsilon : float, default=0.1
        Half the width of the tube, in the units of the target.
    standardize : bool, default=False
        Bring targets to mean 0 and variance 1 before the fit, so that C does not depend on their units; epsilon stays
        in the units of the target.
    parametric : str, default='constant'
        Functions beside the kernel that are not penalised: 'none', 'constant', 'linear', 'quadratic',
        'periodic(period=12)', any on some columns ('linear[age, dose]'), or a sum of them. All but 'constant' are
        solved by an interior point with the whole kernel matrix.
    parametric_l1 : float, default=0
        Price of the sum of the absolute coefficients of these functions, the constant's left out; 0: they are free.
    prior : estimator, path or None, default=None
        A function that is known before the fit: a fitted regressor of this package, or the path of a model file. The
        fit adds to it, and what is priced is the distance to it; predictions are both together. Coefficients and
        constants are those of what is added.
    errors : {'each', 'overall'}, default='each'
        Whether the error of each row beyond epsilon costs C, or that of their mean beyond epsilon, C times the number
        of rows: then single rows may be far away.
    slack : {'linear', 'none'}, default='linear'
        'none': every row is within the tube, whatever C is; NumericalError where the kernel has no such function.
        Solved with the whole kernel matrix.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Numbers of the support vectors.
    support_vectors_ : array of shape (n_SV, n_features)
        Their rows; empty for a precomputed kernel.
    n_support_ : ndarray of shape (1,)
        How many there are.
    dual_coef_ : ndarray of shape (1, n_SV)
        Coefficients.
    intercept_ : ndarray of shape (1,)
        Constant of the function.
    parametric_coef_ : ndarray of shape (n_functions, 1)
        Coefficients of ``parametric_names_``.
    parametric_names_ : list of str
        The functions of ``parametric``, "1" the first.
    coef_ : ndarray of shape (1, n_features)
        For a linear kernel.
    fit_status_, n_iter_, shape_fit_, n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.svm import SVR
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> model = SVR(C=10, epsilon=0.01).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.5]])[0] - np.sin(1.5)) < 0.02)
    True
    """

    _model = "svr"
    _reads_files_of = ("MultipleKernelSVR",)
    _weights_as_peer = True
    _option_names: ClassVar[OptionNames] = {"parametric": "parametric"}

    def fit(self, X: Any, y: Any, sample_weight: Any = None, tube: Any = None) -> Any:
        """Find the flattest function that is close to the targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            Multiplies C row by row. A row of weight w counts as w rows; rows of weight 0 are left out.
        tube : array-like of shape (n_samples,), optional
            Row by row what ``epsilon`` is otherwise: the error that costs nothing, in the units of the target.

        Returns
        -------
        self
        """
        rows = self._fit_values(X, y, sample_weight, several=False, tube=tube)
        self._keep_machine(self._check_fitted(), rows)
        return self

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        standardize: bool = False,
        parametric: str = "constant",
        parametric_l1: float = 0,
        errors: str = "each",
        slack: str = "linear",
        precision: str = "auto",
        prior: Any = None,
        memory_mb: float = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.standardize = standardize
        self.parametric = parametric
        self.parametric_l1 = parametric_l1
        self.errors = errors
        self.slack = slack
        self.precision = precision
        self.prior = prior
        self.memory_mb = memory_mb
        self.n_jobs = n_jobs


class NuSVR(PriorMixin, SupportRegressor):
    """Support vector regression that takes a fraction of errors; the width of the tube follows.

    Parameters and attributes are those of ``sklearn.svm.NuSVR``.

    Parameters
    ----------
    nu : float, default=0.5
        At most this fraction of rows lies outside the tube, at least this fraction are support vectors.
    C : float, default=1.0
        Price of an error beyond the tube, the bound of every coefficient.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, verbose, max_iter, precision, memory_mb, n_jobs
        As in ``SVC``.
    standardize : bool, default=False
        As in ``SVR``.
    prior : estimator, path or None, default=None
        A function that is known before the fit: a fitted regressor of this package, or the path of a model file. The
        fit adds to it, and what is priced is the distance to it; predictions are both together. Coefficients and
        constants are those of what is added.
    loss : {'insensitive', 'huber'}, default='insensitive'
        What errors cost: their size beyond a tube, or their square up to a scale, which is found, and their size
        beyond. At most a fraction nu of the rows is then beyond the scale.
    tube : str, default='constant'
        Shape of the tube: functions of columns that are not negative, each times a width that is found, as in
        'linear[spread]' or 'constant + linear[spread]'. All but 'constant' are solved by an interior point with the
        whole kernel matrix.
    tube_nu : str, default=''
        A fraction like nu for every function of ``tube``, in the order of ``tube_names_``, the constant first wherever
        ``tube`` names it: '0.1,0.05'. Empty: nu for all.
    sides : {'both', 'above', 'below'}, default='both'
        A tube around the function, or a function above (below) all rows but a fraction nu.
    slack : {'linear', 'none'}, default='linear'
        'none': every row is within the tube; nu C per row is the price of its width.

    Attributes
    ----------
    epsilon_ : float
        Half the width of the tube that was found, its mean over the rows where ``tube`` is not constant.
    scale_ : float
        The scale of ``loss='huber'``; there is no tube then.
    tube_coef_ : ndarray of shape (n_functions,)
        The widths of ``tube_names_``.
    tube_names_ : list of str
        The functions of ``tube``.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_
        As in ``SVR``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.svm import NuSVR
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> model = NuSVR(C=10, nu=0.1).fit(X, np.sin(X[:, 0]))
    >>> len(model.support_) < 25
    True
    """

    _model = "nusvr"
    _weights_as_peer = True
    _functions_parameter = "tube"
    _option_names: ClassVar[OptionNames] = {"tube": "tube", "tube_nu": "tube_nu"}

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        standardize: bool = False,
        loss: str = "insensitive",
        tube: str = "constant",
        tube_nu: str = "",
        sides: str = "both",
        slack: str = "linear",
        precision: str = "auto",
        prior: Any = None,
        memory_mb: float = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.standardize = standardize
        self.loss = loss
        self.tube = tube
        self.tube_nu = tube_nu
        self.sides = sides
        self.slack = slack
        self.precision = precision
        self.prior = prior
        self.memory_mb = memory_mb
        self.n_jobs = n_jobs

    def _keep_machine(self, model: _core.FittedModel, rows: Any) -> None:
        super()._keep_machine(model, rows)
        self.epsilon_ = float(model.array("widths").ravel()[0])
        if model.has_array("scales"):
            self.scale_ = float(model.array("scales").ravel()[0])
        self.tube_names_ = model.tube_names()
        self.tube_coef_ = model.array("tube")[:, 0] if model.has_array("tube") else np.array([self.epsilon_])
