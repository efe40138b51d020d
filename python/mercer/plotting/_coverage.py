"""How many observations lie in intervals that should hold so many."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.stats

from mercer._base import Array
from mercer.plotting._axes import COLORS, axes_for, flat_numbers
from mercer.plotting._intervals import central_intervals


class CoverageDisplay:
    """How many observations lie in central intervals that should hold so many.

    On the diagonal the intervals are honest; below it they are too narrow.

    Parameters
    ----------
    nominal : ndarray of shape (n_levels,)
        The probability that the intervals claim.
    observed : ndarray of shape (n_levels,)
        The share of the observations that they hold.
    size : int
        How many observations there are.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    line_, band_
        The artists; the band is where 95 % of honest shares lie, level by level.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.plotting import CoverageDisplay
    >>> y = np.array([-3.0, -0.1, 0.1, 0.2])
    >>> CoverageDisplay.from_predictions(y, np.zeros(4), np.ones(4), levels=[0.5, 0.95], plot=False).observed.tolist()
    [0.75, 0.75]
    """

    def __init__(self, *, nominal: Array, observed: Array, size: int) -> None:
        self.nominal = nominal
        self.observed = observed
        self.size = size

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        levels: Any = None,
        plot: bool = True,
        ax: Any = None,
        **styles: Any,
    ) -> CoverageDisplay:
        """Count how many observations lie in an estimator's intervals, and draw it.

        Parameters
        ----------
        estimator : fitted regressor
            With predictive distributions.
        X : array-like of shape (n, n_features)
            Rows that the fit has not seen.
        y : array-like of shape (n,)
            Their observations.
        levels : array-like, optional
            Probabilities; None: 0.05, 0.1, …, 0.95, 0.99.
        plot : bool, default=True
            Whether to draw at once.
        ax : matplotlib axes, optional
            None: new ones.
        **styles
            For ``plot``.

        Returns
        -------
        CoverageDisplay
        """
        shares = _levels(levels)
        _, lower, upper = central_intervals(estimator, X, shares.tolist())
        return cls._counted(flat_numbers(y, "y"), lower, upper, shares, plot, ax, styles)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        y_std: Any,
        *,
        levels: Any = None,
        plot: bool = True,
        ax: Any = None,
        **styles: Any,
    ) -> CoverageDisplay:
        """Count how many observations lie in the intervals of normal distributions.

        Parameters
        ----------
        y_true, y_pred, y_std : array-like of shape (n,)
            Observations, means and standard deviations.
        levels, plot, ax, **styles
            As in ``from_estimator``.

        Returns
        -------
        CoverageDisplay
        """
        shares = _levels(levels)
        mean, deviation = flat_numbers(y_pred, "y_pred"), flat_numbers(y_std, "y_std")
        half = scipy.stats.norm.ppf((1 + shares) / 2)[None, :] * deviation[:, None]
        observed = flat_numbers(y_true, "y_true")
        return cls._counted(observed, mean[:, None] - half, mean[:, None] + half, shares, plot, ax, styles)

    @classmethod
    def _counted(
        cls, y: Array, lower: Array, upper: Array, shares: Array, plot: bool, ax: Any, styles: dict[str, Any]
    ) -> CoverageDisplay:
        if len(y) != len(lower):
            raise ValueError(f"{len(y)} observations for {len(lower)} predictions")
        inside = (y[:, None] >= lower) & (y[:, None] <= upper)
        display = cls(nominal=shares, observed=inside.mean(axis=0), size=len(y))
        return display.plot(ax=ax, **styles) if plot else display

    def plot(self, ax: Any = None, *, color: str = COLORS[0], name: str = "observed") -> CoverageDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib axes, optional
            None: new ones.
        color : str
            Of the line.
        name : str, default='observed'
            Of the line, for the legend.

        Returns
        -------
        self
        """
        ax = axes_for(self, ax)
        spread = scipy.stats.binom(self.size, self.nominal)
        self.band_ = ax.fill_between(
            self.nominal,
            spread.ppf(0.025) / self.size,
            spread.ppf(0.975) / self.size,
            color="#999999",
            alpha=0.25,
            linewidth=0,
            label="95 % of honest shares",
        )
        ax.plot([0, 1], [0, 1], color="black", linewidth=0.8, linestyle="--", label="honest")
        (self.line_,) = ax.plot(self.nominal, self.observed, ".-", color=color, label=name)
        ax.set(xlabel="probability of the interval", ylabel="share of the observations in it", xlim=(0, 1), ylim=(0, 1))
        ax.set_aspect("equal")
        ax.legend(loc="upper left", fontsize="small")
        return self


def _levels(levels: Any) -> Array:
    if levels is None:
        return np.append(np.arange(1, 20) / 20, 0.99)
    return np.asarray(levels, dtype=float)
