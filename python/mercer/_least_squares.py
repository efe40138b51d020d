"""Least squares in functions that are given."""

from __future__ import annotations

from typing import Any, ClassVar

from mercer import _core
from mercer._options import OptionNames
from mercer._smoother import Smoother


class LeastSquares(Smoother):
    """Least squares in a basis: polynomials, waves, named columns; no kernel and no penalty.

    Of many solutions (functions that depend on each other, more functions than rows) the one of least norm is taken.

    Parameters
    ----------
    parametric : str, default='linear'
        The functions: 'constant', 'linear', 'quadratic', 'periodic(period=12)', any on some columns
        ('linear[age, dose]'), or a sum of them.
    verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_functions,) or (n_functions, n_targets)
        Coefficients of the functions, the constant the first; after it, in the order of ``parametric``, columns, or
        squares and products, or sines and cosines.
    residual_std_ : ndarray of shape (n_targets,)
        Residual standard errors.
    rank_ : int
        Of the functions on the training rows.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``; ``fit_report_`` has the condition number.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.linear_model import LeastSquares
    >>> X = np.linspace(0, 4, 30)[:, None]
    >>> model = LeastSquares("quadratic").fit(X, 2 + X[:, 0] ** 2)
    >>> model.predict([[1.5], [10.0]]).round(6)
    array([  4.25, 102.  ])
    """

    _model = "leastsquares"
    _option_names: ClassVar[OptionNames] = {"parametric": "parametric"}  # no kernel has this one

    def __init__(self, parametric: str = "linear", *, verbose: bool = False, n_jobs: int | None = None) -> None:
        self.parametric = parametric
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LeastSquares:
        """Solve by an orthogonal factorization.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w rows; 0 leaves it out.

        Returns
        -------
        self
        """
        self._fit_targets(X, y, sample_weight)
        return self

    def _adopt(self, model: _core.FittedModel) -> None:
        coefficients = model.array("coefficients")
        self.coef_ = coefficients[:, 0] if coefficients.shape[1] == 1 else coefficients
        self.residual_std_ = model.array("variances").ravel() ** 0.5
        self.rank_ = model.array("spread").shape[1]
