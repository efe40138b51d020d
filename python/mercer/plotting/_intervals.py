"""Predictions with their uncertainty: curves with bands, and predicted against true values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.stats
from sklearn.utils.validation import check_is_fitted

from mercer._base import Array
from mercer.plotting._axes import COLORS, axes_for, column_labels, flat_numbers, rows_like


def central_intervals(estimator: Any, X: Any, levels: Sequence[float]) -> tuple[Array, Array, Array]:
    """Give the mean, and the ends of the central intervals of new observations that hold so much probability.

    Parameters
    ----------
    estimator : fitted regressor
        With ``predict_quantiles``, which includes the noise, or with ``predict(X, return_std=True)``.
    X : array-like of shape (n, n_features)
        Rows.
    levels : sequence of float
        Between 0 and 1.

    Returns
    -------
    mean : ndarray of shape (n,)
    lower, upper : ndarray of shape (n, n_levels)
    """
    shares = np.asarray(levels, dtype=float)
    if shares.ndim != 1 or not np.all((shares > 0) & (shares < 1)):
        raise ValueError(f"levels = {levels!r}: must be numbers between 0 and 1, such as (0.5, 0.95)")
    check_is_fitted(estimator)
    if hasattr(estimator, "predict_quantiles"):
        mean = flat_numbers(estimator.predict(X), "the prediction")
        ends = np.concatenate([(1 - shares) / 2, (1 + shares) / 2])
        quantiles = np.asarray(estimator.predict_quantiles(X, ends.tolist()))
        return mean, quantiles[:, : len(shares)], quantiles[:, len(shares) :]
    try:
        mean, deviation = estimator.predict(X, return_std=True)
    except TypeError as error:
        raise TypeError(
            f"{type(estimator).__name__} has no predictive distribution: neither predict_quantiles nor "
            "predict(X, return_std=True). Give intervals of your own to from_predictions"
        ) from error
    mean, deviation = flat_numbers(mean, "the prediction"), flat_numbers(deviation, "its deviation")
    half = scipy.stats.norm.ppf((1 + shares) / 2)[None, :] * deviation[:, None]
    return mean, mean[:, None] - half, mean[:, None] + half


class PredictionIntervalDisplay:
    """Predictions with intervals: a curve with bands over one column, or predicted against true values.

    Parameters
    ----------
    x : ndarray of shape (n,), optional
        Where the curve is evaluated, ascending; None: predicted against true values.
    mean : ndarray of shape (n,)
        Predictions.
    lower, upper : ndarray of shape (n, n_levels)
        Ends of the intervals.
    levels : sequence of float
        How much probability each interval holds.
    y_true : ndarray of shape (m,), optional
        Observations; of the same rows where ``x`` is None.
    x_true : ndarray of shape (m,), optional
        Where they were made.
    names : sequence of two str, optional
        Of the axes.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    mean_, bands_, points_
        The artists: line of the curve or of the diagonal, one band or set of bars per level, the observations.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.plotting import PredictionIntervalDisplay
    >>> display = PredictionIntervalDisplay.from_predictions(
    ...     [1.0, 2.0], [1.1, 1.7], lower=[0.9, 1.5], upper=[1.3, 1.9], plot=False
    ... )
    >>> display.covered().tolist()
    [0.5]
    """

    def __init__(
        self,
        *,
        mean: Array,
        lower: Array,
        upper: Array,
        levels: Sequence[float],
        x: Array | None = None,
        y_true: Array | None = None,
        x_true: Array | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.mean = mean
        self.lower = lower
        self.upper = upper
        self.levels = levels
        self.x = x
        self.y_true = y_true
        self.x_true = x_true
        self.names = names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        kind: str = "auto",
        levels: Sequence[float] = (0.5, 0.95),
        resolution: int = 300,
        margin: float = 0.05,
        plot: bool = True,
        ax: Any = None,
        **styles: Any,
    ) -> PredictionIntervalDisplay:
        """Evaluate a regressor with predictive distributions, and draw it.

        Parameters
        ----------
        estimator : fitted regressor
            Such as ``GaussianProcessRegressor``, ours or scikit-learn's.
        X : array-like of shape (n, n_features)
            Rows; their range is that of the curve.
        y : array-like of shape (n,), optional
            Observations; needed for ``kind="actual_vs_predicted"``.
        kind : {'auto', 'curve', 'actual_vs_predicted'}, default='auto'
            'auto': a curve for one column.
        levels : sequence of float, default=(0.5, 0.95)
            Probabilities of the central intervals.
        resolution : int, default=300
            Points of the curve.
        margin : float, default=0.05
            How far the curve reaches beyond the rows, as a part of their range.
        plot : bool, default=True
            Whether to draw at once.
        ax : matplotlib axes, optional
            None: new ones.
        **styles
            For ``plot``.

        Returns
        -------
        PredictionIntervalDisplay
        """
        if kind not in ("auto", "curve", "actual_vs_predicted"):
            raise ValueError(f"kind = {kind!r}: must be 'auto', 'curve' or 'actual_vs_predicted'")
        columns = np.shape(X)[1]
        if kind == "curve" and columns != 1:
            raise ValueError(f"a curve needs one column, but X has {columns}")
        observed = None if y is None else flat_numbers(y, "y")
        if kind == "actual_vs_predicted" or (kind == "auto" and columns != 1):
            if observed is None:
                raise ValueError("y is needed to draw predicted against true values")
            mean, lower, upper = central_intervals(estimator, X, levels)
            display = cls(mean=mean, lower=lower, upper=upper, levels=levels, y_true=observed)
        else:
            given = np.asarray(X, dtype=float)[:, 0]
            beside = margin * (given.max() - given.min()) or 1.0
            x = np.linspace(given.min() - beside, given.max() + beside, resolution)
            mean, lower, upper = central_intervals(estimator, rows_like(X, x[:, None]), levels)
            names = (column_labels(estimator, 1, X)[0], "target")
            display = cls(
                x=x, mean=mean, lower=lower, upper=upper, levels=levels, y_true=observed, x_true=given, names=names
            )
        return display.plot(ax=ax, **styles) if plot else display

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        lower: Any,
        upper: Any,
        levels: Sequence[float] = (0.95,),
        plot: bool = True,
        ax: Any = None,
        **styles: Any,
    ) -> PredictionIntervalDisplay:
        """Draw predicted against true values with intervals.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n,)
            Observations and predictions.
        lower, upper : array-like of shape (n,) or (n, n_levels)
            Ends of the intervals.
        levels : sequence of float, default=(0.95,)
            How much probability they hold.
        plot, ax, **styles
            As in ``from_estimator``.

        Returns
        -------
        PredictionIntervalDisplay
        """
        observed, mean = flat_numbers(y_true, "y_true"), flat_numbers(y_pred, "y_pred")
        low, high = (np.asarray(ends, dtype=float).reshape(len(observed), -1) for ends in (lower, upper))
        if not (len(mean) == len(observed) and low.shape == high.shape == (len(observed), len(levels))):
            raise ValueError(
                f"{len(observed)} observations, {len(mean)} predictions, intervals of shapes {low.shape} and "
                f"{high.shape} for {len(levels)} levels do not fit together"
            )
        display = cls(mean=mean, lower=low, upper=high, levels=levels, y_true=observed)
        return display.plot(ax=ax, **styles) if plot else display

    def covered(self) -> Array:
        """Give the share of the observations that lie in their intervals, per level; for predicted against true."""
        if self.x is not None or self.y_true is None:
            raise ValueError("a curve has no intervals of the observations themselves: kind='actual_vs_predicted' has")
        inside = (self.y_true[:, None] >= self.lower) & (self.y_true[:, None] <= self.upper)
        return np.asarray(inside.mean(axis=0))

    def plot(
        self, ax: Any = None, *, color: str = COLORS[0], point_size: float = 14, legend: bool = True
    ) -> PredictionIntervalDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib axes, optional
            None: new ones.
        color : str
            Of the curve, the bands and the bars.
        point_size : float, default=14
            Area of a point.
        legend : bool, default=True
            Whether to say what is what.

        Returns
        -------
        self
        """
        ax = axes_for(self, ax)
        if self.x is None:
            self._plot_against_true(ax, color, point_size)
        else:
            self._plot_curve(ax, color, point_size)
        if self.names is not None:
            ax.set(xlabel=self.names[0], ylabel=self.names[1])
        if legend:
            ax.legend(loc="best", fontsize="small")
        return self

    def _plot_curve(self, ax: Any, color: str, size: float) -> None:
        self.bands_, self.points_ = [], None
        # The widest first, so that the narrow ones lie upon it.
        for level in np.argsort(self.levels)[::-1]:
            name = f"{100 * self.levels[level]:g} %"
            self.bands_.append(
                ax.fill_between(
                    self.x, self.lower[:, level], self.upper[:, level], color=color, alpha=0.2, linewidth=0, label=name
                )
            )
        (self.mean_,) = ax.plot(self.x, self.mean, color=color, label="mean")
        if self.y_true is not None:
            self.points_ = ax.scatter(
                self.x_true, self.y_true, s=size, color="black", zorder=3, label="observations", linewidths=0
            )

    def _plot_against_true(self, ax: Any, color: str, size: float) -> None:
        assert self.y_true is not None
        self.bands_ = []
        widths = np.linspace(3.5, 1.0, len(self.levels)) if len(self.levels) > 1 else [1.2]
        for width, level in zip(widths, np.argsort(self.levels), strict=True):
            self.bands_.append(
                ax.vlines(
                    self.y_true,
                    self.lower[:, level],
                    self.upper[:, level],
                    color=color,
                    alpha=0.35,
                    linewidth=width,
                    label=f"{100 * self.levels[level]:g} %",
                )
            )
        self.points_ = ax.scatter(self.y_true, self.mean, s=size, color=color, zorder=3, label="predictions")
        ends = [min(self.y_true.min(), self.mean.min()), max(self.y_true.max(), self.mean.max())]
        (self.mean_,) = ax.plot(ends, ends, color="black", linewidth=0.8, linestyle="--", label="equal")
        ax.set(xlabel="true value", ylabel="predicted value")
