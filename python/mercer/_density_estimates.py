"""Densities that count: histograms, and balls that hold k rows."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar

import numpy as np

from mercer import _core
from mercer._density_base import Density, DrawnDensity
from mercer._options import OptionNames
from mercer._parameters import value_of
from mercer._rules import AT_LEAST_ONE, Rules, reject

RULES = ("fd", "scott", "sturges", "quantile")


class HistogramDensity(DrawnDensity):
    """Histogram density in any number of columns: counts in bins, over their volume.

    Parameters
    ----------
    bins : {'fd', 'scott', 'sturges', 'quantile'}, int or sequence of int, default='fd'
        A rule (Freedman and Diaconis, Scott, Sturges, or bins of equal shares), a number, or one per column.
    verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    bin_edges_ : list of ndarray
        Per column.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.neighbors import HistogramDensity
    >>> density = HistogramDensity(bins=2).fit([[0.0], [1.0], [3.0], [4.0], [4.0]])
    >>> np.exp(density.score_samples([[1.5], [2.5], [9.0]]))
    array([0.2, 0.3, 0. ])
    """

    _model = "histogram"

    def __init__(self, bins: Any = "fd", *, verbose: bool = False, n_jobs: int | None = None) -> None:
        self.bins = bins
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> HistogramDensity:
        """Count the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w rows.

        Returns
        -------
        self
        """
        self._fit_density(X, sample_weight)
        return self

    def _density_settings(self, rows: Any) -> dict[str, str]:
        bins = self.bins
        if isinstance(bins, str) and bins in RULES:
            return {"bins": bins}
        counts = [bins] if isinstance(bins, str) or np.ndim(bins) == 0 else list(bins)
        if not counts or not all(isinstance(count, numbers.Integral) and AT_LEAST_ONE.hold(count) for count in counts):
            rules = ", ".join(map(repr, RULES))
            reject(self, "bins", bins, f"one of {{{rules}}}, a positive int or one per column")
        return {"bins": ",".join(str(int(count)) for count in counts)}

    def _adopt(self, model: _core.FittedModel) -> None:
        ends = np.cumsum(model.array("edge_counts").ravel().astype(np.intp))
        self.bin_edges_ = [edges.copy() for edges in np.split(model.array("edges").ravel(), ends[:-1])]

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        bins = [value_of(item) for item in settings["bins"].split(",")]
        return {"bins": bins if len(bins) > 1 else bins[0]}


class NeighborsDensity(Density):
    """Nearest-neighbour density: k over the volume of the ball that holds k rows.

    It follows the data everywhere, but does not integrate to 1, and is infinite where k rows are one point.

    Parameters
    ----------
    n_neighbors : int, optional
        How many rows the ball holds. None: the root of their number.
    verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    n_neighbors_ : int
        How many there are in the ball.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.neighbors import NeighborsDensity
    >>> density = NeighborsDensity(n_neighbors=2).fit([[0.0], [1.0], [2.0], [3.0]])
    >>> np.exp(density.score_samples([[0.5], [5.0]])).round(4)
    array([0.5   , 0.0833])
    """

    _model = "knndensity"
    _option_names: ClassVar[OptionNames] = {"n_neighbors": "k"}
    _rules: ClassVar[Rules] = {"n_neighbors": AT_LEAST_ONE}  # None stands for the engine's 0

    def __init__(self, n_neighbors: int | None = None, *, verbose: bool = False, n_jobs: int | None = None) -> None:
        self.n_neighbors = n_neighbors
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> NeighborsDensity:
        """Keep the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w rows.

        Returns
        -------
        self
        """
        self._fit_density(X, sample_weight)
        return self

    def _adopt(self, model: _core.FittedModel) -> None:
        self.n_neighbors_ = int(model.array("neighbours")[0, 0])
