"""Decision regions over two columns, with margins and support vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import is_outlier_detector
from sklearn.utils.validation import check_is_fitted

from mercer._base import Array
from mercer._samples import is_frame
from mercer.plotting._axes import axes_for, class_colors, column_labels, rows_like
from mercer.plotting._support import bound_support


class DecisionRegionsDisplay:
    """Where a classifier decides for which class, over two columns of its input.

    Classes as regions; for two classes the border and the margins at -1 and 1 as lines, for outlier detectors the
    border; rows as points; support vectors ringed, those on the margin (free) in black, those at their bound in gray.

    Parameters
    ----------
    xx0, xx1 : ndarray of shape (resolution, resolution)
        The grid, as from ``numpy.meshgrid``.
    regions : ndarray of shape (resolution, resolution)
        The number of the class at every point of the grid, counted from 0.
    classes : ndarray of shape (n_classes,)
        The labels.
    values : ndarray of shape (resolution, resolution), optional
        Decision values, for one machine.
    levels : sequence of float, default=(-1, 0, 1)
        Where lines of equal value are drawn: the border at 0, others dashed.
    points : ndarray of shape (n, 2), optional
        Rows to be drawn.
    point_classes : ndarray of shape (n,), optional
        Numbers of their classes.
    support : ndarray of shape (n_support,), optional
        Which of the rows are support vectors.
    bound : ndarray of bool, of shape (n_support,), optional
        Which of the support vectors are at their bound.
    names : sequence of str, optional
        Of the two columns.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    regions_, lines_, points_, free_, bound_
        The artists: mesh, contour set, and collections of points; None where there is none.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from mercer.plotting import DecisionRegionsDisplay
    >>> from mercer.svm import SVC
    >>> X, y = make_moons(noise=0.2, random_state=0)
    >>> display = DecisionRegionsDisplay.from_estimator(SVC().fit(X, y), X, y, plot=False)
    >>> display.regions.shape, display.names
    ((200, 200), ['column 0', 'column 1'])
    """

    def __init__(
        self,
        *,
        xx0: Array,
        xx1: Array,
        regions: Array,
        classes: Array,
        values: Array | None = None,
        levels: Sequence[float] = (-1.0, 0.0, 1.0),
        points: Array | None = None,
        point_classes: Array | None = None,
        support: Array | None = None,
        bound: Array | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.xx0 = xx0
        self.xx1 = xx1
        self.regions = regions
        self.classes = classes
        self.values = values
        self.levels = levels
        self.points = points
        self.point_classes = point_classes
        self.support = support
        self.bound = bound
        self.names = names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        columns: Sequence[int] = (0, 1),
        others: Any = None,
        grid_resolution: int = 200,
        margin: float = 0.1,
        mark_support: bool = True,
        sample_weight: Any = None,
        plot: bool = True,
        ax: Any = None,
        **styles: Any,
    ) -> DecisionRegionsDisplay:
        """Evaluate a fitted estimator on a grid over two columns, and draw it.

        Parameters
        ----------
        estimator : fitted classifier or outlier detector
            Of numeric columns.
        X : array-like of shape (n, n_features)
            The rows of the fit, for support vectors to be marked; any rows otherwise.
        y : array-like of shape (n,), optional
            Labels of the rows.
        columns : sequence of two int, default=(0, 1)
            Which columns are the axes.
        others : array-like of shape (n_features,), optional
            Values of the columns that are not drawn; None: the medians of X.
        grid_resolution : int, default=200
            Points along each axis.
        margin : float, default=0.1
            What is seen around the rows, as a part of their range.
        mark_support : bool, default=True
            Ring the support vectors; X must be the rows of the fit.
        sample_weight : array-like of shape (n,), optional
            Weights of the fit, which move the bounds of the coefficients.
        plot : bool, default=True
            Whether to draw at once.
        ax : matplotlib axes, optional
            None: new ones.
        **styles
            For ``plot``.

        Returns
        -------
        DecisionRegionsDisplay
        """
        check_is_fitted(estimator)
        rows = _numbers(X)
        first, second = _chosen(columns, rows.shape[1])
        xx0, xx1 = (
            grid.T
            for grid in np.meshgrid(
                *(_range(rows[:, c], margin, grid_resolution) for c in (first, second)), indexing="ij"
            )
        )
        grid = np.tile(np.median(rows, axis=0) if others is None else np.asarray(others, dtype=float), (xx0.size, 1))
        grid[:, first], grid[:, second] = xx0.ravel(), xx1.ravel()
        classes, regions, values = _answers(estimator, rows_like(X, grid), xx0.shape)
        support = getattr(estimator, "support_", None) if mark_support else None
        if support is not None and len(support) and np.max(support) >= len(rows):
            raise ValueError(
                f"support vector {np.max(support)} of {len(rows)} rows: give the rows of the fit, or mark_support=False"
            )
        display = cls(
            xx0=xx0,
            xx1=xx1,
            regions=regions,
            classes=classes,
            values=values,
            levels=(0.0,) if is_outlier_detector(estimator) else (-1.0, 0.0, 1.0),
            points=rows[:, [first, second]],
            point_classes=None if y is None else _class_numbers(y, classes),
            support=support,
            bound=None if support is None else bound_support(estimator, sample_weight),
            names=[column_labels(estimator, rows.shape[1], X)[c] for c in (first, second)],
        )
        return display.plot(ax=ax, **styles) if plot else display

    def plot(
        self, ax: Any = None, *, alpha: float = 0.25, point_size: float = 18, legend: bool = True
    ) -> DecisionRegionsDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib axes, optional
            None: new ones.
        alpha : float, default=0.25
            Opacity of the regions.
        point_size : float, default=18
            Area of a point; rings are larger.
        legend : bool, default=True
            Whether to say what the marks mean.

        Returns
        -------
        self
        """
        ax = axes_for(self, ax)
        colors = class_colors(len(self.classes))
        self.regions_ = ax.contourf(
            self.xx0,
            self.xx1,
            self.regions,
            levels=np.arange(len(self.classes) + 1) - 0.5,
            colors=colors,
            alpha=alpha,
        )
        self.lines_ = None
        if self.values is not None:
            seen = [level for level in self.levels if self.values.min() < level < self.values.max()]
            if seen:
                self.lines_ = ax.contour(
                    self.xx0,
                    self.xx1,
                    self.values,
                    levels=seen,
                    linestyles=["-" if level == 0 else "--" for level in seen],
                    colors="black",
                    linewidths=1.2,
                )
        self._draw_points(ax, colors, point_size)
        self._draw_support(ax, point_size)
        if self.names is not None:
            ax.set(xlabel=self.names[0], ylabel=self.names[1])
        ax.set(xlim=(self.xx0.min(), self.xx0.max()), ylim=(self.xx1.min(), self.xx1.max()))
        if legend and ax.get_legend_handles_labels()[0]:
            ax.legend(loc="best", fontsize="small", framealpha=0.9)
        return self

    def _draw_points(self, ax: Any, colors: list[str], size: float) -> None:
        self.points_: list[Any] = []
        if self.points is None:
            return
        if self.point_classes is None:
            self.points_.append(ax.scatter(*self.points.T, s=size, color="#444444", zorder=3))
            return
        for number, (label, color) in enumerate(zip(self.classes, colors, strict=True)):
            chosen = self.points[self.point_classes == number]
            if len(chosen):
                self.points_.append(
                    ax.scatter(
                        *chosen.T, s=size, color=color, edgecolors="white", linewidths=0.4, label=str(label), zorder=3
                    )
                )

    def _draw_support(self, ax: Any, size: float) -> None:
        self.free_, self.bound_ = None, None
        if self.support is None or self.bound is None or self.points is None:
            return
        rings = self.points[self.support]
        shared = {"s": 4 * size, "facecolors": "none", "zorder": 4}
        if np.any(~self.bound):
            self.free_ = ax.scatter(
                *rings[~self.bound].T, edgecolors="black", linewidths=1.3, label="support, free", **shared
            )
        if np.any(self.bound):
            self.bound_ = ax.scatter(
                *rings[self.bound].T, edgecolors="#777777", linewidths=0.7, label="support, at its bound", **shared
            )


def _numbers(X: Any) -> Array:
    if scipy.sparse.issparse(X):
        return np.asarray(X.toarray(), dtype=float)
    rows = np.asarray(X.to_numpy() if is_frame(X) else X, dtype=float)
    if rows.ndim != 2:
        raise ValueError(f"Expected 2D array, got an array of shape {rows.shape}")
    return rows


def _chosen(columns: Sequence[int], count: int) -> tuple[int, int]:
    numbers = [int(column) for column in columns]
    if len(numbers) != 2 or numbers[0] == numbers[1] or not all(0 <= number < count for number in numbers):
        raise ValueError(f"columns = {tuple(columns)}: must be two different columns of the {count} that there are")
    return numbers[0], numbers[1]


def _range(values: Array, margin: float, resolution: int) -> Array:
    low, high = float(values.min()), float(values.max())
    beside = margin * (high - low) or 1.0
    return np.linspace(low - beside, high + beside, resolution)


def _answers(estimator: Any, grid: Any, shape: tuple[int, ...]) -> tuple[Array, Array, Array | None]:
    """Give labels, the number of the class at every point, and decision values where there is one machine."""
    if is_outlier_detector(estimator):
        classes = np.array([-1, 1])
    elif hasattr(estimator, "classes_"):
        classes = np.asarray(estimator.classes_)
    else:
        raise TypeError(f"{type(estimator).__name__} is no classifier and no outlier detector: it has no regions")
    regions = _class_numbers(estimator.predict(grid), classes).reshape(shape)
    values = None
    if len(classes) == 2 and hasattr(estimator, "decision_function"):
        values = np.asarray(estimator.decision_function(grid)).reshape(shape)
    return classes, regions, values


def _class_numbers(labels: Any, classes: Array) -> Array:
    numbers = {label: number for number, label in enumerate(classes.tolist())}
    found = [numbers.get(label, -1) for label in np.asarray(labels).tolist()]
    return np.array(found, dtype=int)
