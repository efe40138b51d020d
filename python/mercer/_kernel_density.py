"""Kernel density estimates, as ``sklearn.neighbors.KernelDensity``."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer import _core
from mercer._base import Array
from mercer._density_base import DrawnDensity
from mercer._density_parts import ConditionalDensity, MarginalDensity, column_numbers
from mercer._options import OptionNames
from mercer._parameters import text_of
from mercer._rules import AT_LEAST_ONE, Rules, Words, reject
from mercer._windowed import Windowed, ends_of, ends_text, width_of, width_text

RULES = ("scott", "silverman", "normal", "likelihood", "least_squares", "isj")
METHODS = {"auto": "auto", "kd_tree": "tree", "ball_tree": "tree"}
ENDS = ("lower", "upper", "period")
METRICS = ("euclidean", "l2")


class WindowDensity(Windowed):
    """What densities of windows have in common."""

    _option_names: ClassVar[OptionNames] = {"atol": "absolute_error", "rtol": "relative_error"}

    def _settings(self) -> dict[str, str]:
        width = width_text(self, "bandwidth", RULES, matrix=True)
        ends = {name: text for name in ENDS if (text := ends_text(self, name))}
        return {**super()._settings(), "bandwidth": width, **ends}

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        ends = {name: ends_of(settings.get(name, "")) for name in ENDS}
        return {**super()._stored_parameters(settings), "bandwidth": width_of(settings["bandwidth"]), **ends}


class KernelDensity(WindowDensity, DrawnDensity):
    """Kernel density estimation: how likely a row is, by Parzen windows.

    Parameters
    ----------
    bandwidth : float, str, array of shape (n_features,) or matrix, default=1.0
        Width of the windows, one for all columns or one for each; a matrix holds squared widths, as a covariance does.
        A rule chooses it from the data: 'normal' (robust), 'likelihood' or 'least_squares' (cross-validated), 'isj'
        (one column), 'scott' or 'silverman'. The last two are the factors of scikit-learn, for columns of deviation 1;
        with a ``form`` they are multiplied by the spread of the data.
    algorithm : {'auto', 'kd_tree', 'ball_tree'}, default='auto'
        'auto' chooses between plain sums and a tree; both others are the kd-tree.
    kernel : str, default='gaussian'
        'gaussian', 'tophat' ('boxcar'), 'epanechnikov', 'exponential', 'linear' ('triangle'), 'cosine', 'biweight' or
        'tricube', functions of the distance, so that a tophat is a ball; or 'cube', the textbooks' window, 1 where no
        column differs by more than the width.
    metric : {'euclidean'}, default='euclidean'
        Distances are Euclidean, in widths (of a cube: the largest difference).
    atol, rtol : float, default=0
        What a density may be off by, absolutely and of itself. More is faster.
    breadth_first : bool, default=True
        Taken and not used.
    leaf_size : int, default=40
        Taken and not used.
    metric_params : dict, optional
        Nothing: the Euclidean metric has no parameters.
    form : {'scalar', 'diagonal', 'full'}, optional
        What a rule gives: one width, one per column, or a matrix. None is 'diagonal', and for 'scott' and 'silverman'
        scikit-learn's factors.
    adaptive : float, default=0
        Wider windows where rows are rare: the power of the density that widths follow, 0.5 for Abramson's.
    lower, upper : float or sequence, optional
        Where columns end, for all or one per column, None where there is no end: what a window spreads over it is
        reflected back.
    period : float or sequence, optional
        The length of columns that go around, such as 360.
    verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    bandwidth_ : float, array of shape (n_features,) or matrix
        The width in use: a number where it is the same for all columns. A rule leaves out columns of one value.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.neighbors import KernelDensity
    >>> X = np.array([[-1.0], [0.0], [0.5], [2.0]])
    >>> density = KernelDensity(bandwidth=0.5).fit(X)
    >>> density.score_samples([[0.0], [3.0]]).round(3)
    array([-1.057, -3.612])
    >>> density.cdf([[0.25]]).round(3)
    array([0.499])
    """

    _model = "kde"
    _option_names: ClassVar[OptionNames] = {"algorithm": "method"}
    _rules: ClassVar[Rules] = {"algorithm": Words(tuple(METHODS)), "leaf_size": AT_LEAST_ONE}

    def __init__(
        self,
        *,
        bandwidth: Any = 1.0,
        algorithm: str = "auto",
        kernel: str = "gaussian",
        metric: str = "euclidean",
        atol: float = 0,
        rtol: float = 0,
        breadth_first: bool = True,
        leaf_size: int = 40,
        metric_params: dict[str, Any] | None = None,
        form: str | None = None,
        adaptive: float = 0,
        lower: Any = None,
        upper: Any = None,
        period: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.algorithm = algorithm
        self.kernel = kernel
        self.metric = metric
        self.atol = atol
        self.rtol = rtol
        self.breadth_first = breadth_first
        self.leaf_size = leaf_size
        self.metric_params = metric_params
        self.form = form
        self.adaptive = adaptive
        self.lower = lower
        self.upper = upper
        self.period = period
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KernelDensity:
        """Keep the rows and choose the width.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w rows; 0 leaves it out.

        Returns
        -------
        self
        """
        if self.metric not in METRICS:
            reject(self, "metric", self.metric, "'euclidean': windows are functions of the Euclidean distance")
        if self.metric_params:
            reject(self, "metric_params", self.metric_params, "None: the Euclidean metric has no parameters")
        self._fit_density(X, sample_weight)
        return self

    def _density_settings(self, rows: Any) -> dict[str, str]:
        settings = self._settings()
        width = settings["bandwidth"]
        if self.form is None and width in ("scott", "silverman"):
            width = text_of(_unit_width(width, *rows.shape))
        return {**settings, "bandwidth": width, "method": METHODS[self.algorithm]}

    def _adopt(self, model: _core.FittedModel) -> None:
        factor = np.asarray(model.array("bandwidth"))
        widths = np.diag(factor)
        self.bandwidth_: Any = factor @ factor.T
        if (factor == np.diag(widths)).all():
            self.bandwidth_ = float(widths[0]) if (widths == widths[0]).all() else widths.copy()

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        stored = super()._stored_parameters(settings)
        is_rule = isinstance(stored["bandwidth"], str)
        algorithm = "kd_tree" if settings["method"] == "tree" else "auto"
        return {**stored, "form": settings["form"] if is_rule else None, "algorithm": algorithm}

    def marginal(self, columns: Any) -> MarginalDensity:
        """Give the density of some columns, whatever the others are.

        Parameters
        ----------
        columns : int, str or sequence of these
            Numbers, or names where the fit saw some.

        Returns
        -------
        MarginalDensity
            With ``score_samples``, ``score`` and ``sample`` over these columns.
        """
        model = self._check_fitted()
        return MarginalDensity(model, tuple(self._columns(columns)), self._threads())

    def conditional(self, columns: Any, values: Any) -> ConditionalDensity:
        """Give the density of the other columns where some have given values.

        Parameters
        ----------
        columns : int, str or sequence of these
            Numbers or names of the columns that are given.
        values : float or sequence of float
            One for each of them.

        Returns
        -------
        ConditionalDensity
            With ``score_samples``, ``score`` and ``sample`` over the other columns.
        """
        model = self._check_fitted()
        given = self._columns(columns)
        held = np.atleast_1d(np.asarray(values, dtype=np.float64))
        if held.shape != (len(given),) or not np.isfinite(held).all():
            raise ValueError(f"values must be one finite number for each of {len(given)} columns, not {values!r}")
        if len(given) == self.n_features_in_:
            raise ValueError("all columns are given: there is no other to have a density")
        others = tuple(column for column in range(self.n_features_in_) if column not in given)
        return ConditionalDensity(model, others, self._threads(), tuple(given), tuple(float(value) for value in held))

    def cdf(self, X: Any) -> Array:
        """Give the probability of values up to every row, in one dimension.

        Parameters
        ----------
        X : array-like of shape (n_samples, 1)
            Rows of one column.

        Returns
        -------
        ndarray of shape (n_samples,)
            On a periodic column from 0 on.
        """
        rows = self._dense_rows(X)
        if self.n_features_in_ != 1:
            raise ValueError(f"a distribution function is there for one column; this density has {self.n_features_in_}")
        return np.asarray(_core.cumulative_density(self._check_fitted(), rows, threads=self._threads()))

    def _columns(self, columns: Any) -> list[int]:
        return column_numbers(columns, getattr(self, "feature_names_in_", ()), self.n_features_in_)


def _unit_width(rule: str, rows: int, columns: int) -> float:
    """Give the factor of a rule for data of deviation 1, as scikit-learn has it."""
    size = rows if rule == "scott" else rows * (columns + 2) / 4
    return float(size ** (-1 / (columns + 4)))
