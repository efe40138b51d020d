"""Local polynomials: LOESS."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from mercer import _core
from mercer._options import check_parameters
from mercer._parameters import value_of
from mercer._rules import Rules, Words
from mercer._smoother import Smoother


def usual_degree(columns: int) -> int:
    """Give the degree for so many columns: beyond four a parabola has too many terms."""
    return 2 if columns <= 4 else 1


class LocalRegression(Smoother):
    """Locally weighted regression (LOESS): a polynomial of the neighbourhood around every row.

    Parameters
    ----------
    span : float, default=0.75
        The fraction of the rows in a neighbourhood; above 1 all of them and a wider window.
    bandwidth : float, optional
        A fixed width of the window in place of ``span``, in units of the (normalized) columns.
    degree : {'auto', 0, 1, 2}, default='auto'
        Of the polynomials; 'auto' is 2 up to four columns and 1 beyond, less where a neighbourhood has fewer rows than
        a polynomial has terms.
    kernel : str, default='tricube'
        The window, as in ``KernelDensity``.
    robust : int, default=0
        Fits with less weight on outliers, after the first; R's symmetric family has 3.
    normalize : bool, default=True
        Divide several columns by the standard deviation of their middle 80 %.
    statistics : {'auto', 'exact', 'estimated'}, default='auto'
        Degrees of freedom exact, or estimated from random signs; 'auto' is exact up to 2000 rows.
    random_state : int, RandomState instance or None, default=None
        Seed of the estimate; None is 0.
    verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    degree_ : int
        The degree in use.
    residual_std_ : ndarray of shape (n_targets,)
        Residual standard errors.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.smoothing import LocalRegression
    >>> X = np.linspace(0, 4, 30)[:, None]
    >>> model = LocalRegression(span=0.5).fit(X, X[:, 0] ** 2)
    >>> model.predict([[1.5], [3.0]]).round(6)
    array([2.25, 9.  ])
    """

    _model = "loess"
    _fewest_rows = 2
    _rules: ClassVar[Rules] = {"degree": Words(("auto", 0, 1, 2))}  # numbers in place of the engine's words

    def __init__(
        self,
        span: float = 0.75,
        *,
        bandwidth: float | None = None,
        degree: int | str = "auto",
        kernel: str = "tricube",
        robust: int = 0,
        normalize: bool = True,
        statistics: str = "auto",
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.span = span
        self.bandwidth = bandwidth
        self.degree = degree
        self.kernel = kernel
        self.robust = robust
        self.normalize = normalize
        self.statistics = statistics
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, weights: Any = None) -> LocalRegression:
        """Keep the rows, and find out what their residuals say.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        weights : array-like of shape (n_samples,), optional
            How precise each target is: the weight of its square in the local fits. Neighbourhoods count rows, whatever
            their weights, so that a weight of 2 is not the same as the row twice; 0 leaves it out.

        Returns
        -------
        self
        """
        check_parameters(self)
        self._fit_targets(X, y, weights)
        return self

    def _settings_of(self, rows: int, columns: int) -> dict[str, str]:
        return {**self._settings(), "degree": str(self._degree(rows, columns))}

    def _degree(self, rows: int, columns: int) -> int:
        if self.degree != "auto":
            return int(self.degree)
        degree = usual_degree(columns)
        while self.bandwidth is None and degree > 0 and self.span * rows < math.comb(columns + degree, degree):
            degree -= 1
        return degree

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        stored = super()._stored_parameters(settings)
        return {**stored, "degree": value_of(stored["degree"])}

    def _adopt(self, model: _core.FittedModel) -> None:
        degree = model.settings()["degree"]
        self.degree_ = usual_degree(len(model.preparation.names)) if degree == "auto" else int(degree)
        self.residual_std_ = model.array("scales").ravel()
