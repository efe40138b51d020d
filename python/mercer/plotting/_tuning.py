"""Scores of a search over two parameters, as a surface."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from mercer._base import Array
from mercer.plotting._axes import axes_for


class TuningDisplay:
    """Scores over two parameters, such as C and gamma, with the best point marked.

    Where other parameters were varied too, every point of the surface is the best over them.

    Parameters
    ----------
    x, y : ndarray of shape (n,)
        Values of the two parameters, one per point that was tried.
    scores : ndarray of shape (n,)
        Mean scores; NaN where there is none.
    names : sequence of two str
        Of the parameters.
    metric : str, default='score'
        What was measured.
    higher_is_better : bool, default=True
        Whether the best is the largest.
    logarithmic : sequence of two bool, optional
        Which axes are logarithmic; None: where values are positive and span a factor of 20.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    surface_, best_
        The artists: mesh of a grid or points in the plane, and the mark of the best one.

    Examples
    --------
    >>> from mercer.plotting import TuningDisplay
    >>> display = TuningDisplay(x=[1, 10, 1, 10], y=[0.1, 0.1, 1, 1], scores=[0.7, 0.9, 0.8, 0.6], names=("C", "gamma"))
    >>> display.best_point()
    (10.0, 0.1, 0.9)
    """

    def __init__(
        self,
        *,
        x: Any,
        y: Any,
        scores: Any,
        names: Iterable[str],
        metric: str = "score",
        higher_is_better: bool = True,
        logarithmic: Iterable[bool] | None = None,
    ) -> None:
        self.x, self.y, self.scores = (np.asarray(values, dtype=float) for values in (x, y, scores))
        if not (self.x.shape == self.y.shape == self.scores.shape and self.x.ndim == 1 and self.x.size):
            raise ValueError("x, y and scores must hold one number per point each, and there must be a point")
        self.names = tuple(names)
        self.metric = metric
        self.higher_is_better = higher_is_better
        given = (None, None) if logarithmic is None else tuple(logarithmic)
        self.logarithmic = tuple(
            _spans(values) if choice is None else bool(choice)
            for values, choice in zip((self.x, self.y), given, strict=True)
        )

    @classmethod
    def from_search(
        cls,
        search: Any,
        *,
        x: str | None = None,
        y: str | None = None,
        plot: bool = True,
        ax: Any = None,
        **styles: Any,
    ) -> TuningDisplay:
        """Draw the scores of a search by scikit-learn.

        Parameters
        ----------
        search : fitted GridSearchCV, RandomizedSearchCV or like, or a dict
            Or its ``cv_results_``.
        x, y : str, optional
            Names of the parameters, or how they end (``"C"`` finds ``"svc__C"``). None: the first two numeric ones that
            were varied, C and gamma before others.
        plot : bool, default=True
            Whether to draw at once.
        ax : matplotlib axes, optional
            None: new ones.
        **styles
            For ``plot``.

        Returns
        -------
        TuningDisplay
        """
        results = getattr(search, "cv_results_", search)
        if not isinstance(results, dict) or "params" not in results:
            raise ValueError("a fitted search of scikit-learn is needed, or its cv_results_")
        metric = "mean_test_score"
        if metric not in results:
            named = getattr(search, "refit", None)
            metric = f"mean_test_{named}" if isinstance(named, str) else ""
            if metric not in results:
                raise ValueError("a search with several metrics is drawn by the one that refit names")
        points = [{name: _number_or_none(value) for name, value in point.items()} for point in results["params"]]
        return cls._over(points, results[metric], x, y, "score", True, None, plot, ax, styles)

    @classmethod
    def from_log(
        cls,
        path: str | os.PathLike[str],
        *,
        x: str | None = None,
        y: str | None = None,
        plot: bool = True,
        ax: Any = None,
        **styles: Any,
    ) -> TuningDisplay:
        """Draw the scores of a search by ``mercer tune``, finished or not.

        Parameters
        ----------
        path : path-like
            The log, ``NAME.tune.jsonl``.
        x, y, plot, ax, **styles
            As in ``from_search``.

        Returns
        -------
        TuningDisplay
        """
        header, scores = _read_log(path)
        axes = header["axes"]
        numeric = [axis["name"] for axis in axes if "words" not in axis]
        points = [
            {axis["name"]: value for axis, value in zip(axes, point, strict=True) if axis["name"] in numeric}
            for point in scores
        ]
        scales = {axis["name"]: axis.get("scale") == "log" for axis in axes}
        return cls._over(
            points,
            list(scores.values()),
            x,
            y,
            header["metric"],
            header["better"] == "higher",
            scales,
            plot,
            ax,
            styles,
        )

    @classmethod
    def _over(
        cls,
        points: Sequence[Mapping[str, float | None]],
        scores: Any,
        x: str | None,
        y: str | None,
        metric: str,
        higher: bool,
        scales: dict[str, bool] | None,
        plot: bool,
        ax: Any,
        styles: dict[str, Any],
    ) -> TuningDisplay:
        names = _chosen_names(points, x, y)
        best: dict[tuple[float, float], float] = {}
        for point, score in zip(points, np.asarray(scores, dtype=float).tolist(), strict=True):
            first, second = (point.get(name) for name in names)
            if first is None or second is None:
                continue
            known = best.get((first, second), np.nan)
            better = np.isnan(known) or (score > known if higher else score < known)
            best[first, second] = score if better else known
        display = cls(
            x=[place[0] for place in best],
            y=[place[1] for place in best],
            scores=list(best.values()),
            names=names,
            metric=metric,
            higher_is_better=higher,
            logarithmic=None if scales is None else [scales[name] for name in names],
        )
        return display.plot(ax=ax, **styles) if plot else display

    def best_point(self) -> tuple[float, float, float]:
        """Give the best point and its score."""
        if np.all(np.isnan(self.scores)):
            raise ValueError("no point has a score")
        number = int(np.nanargmax(self.scores) if self.higher_is_better else np.nanargmin(self.scores))
        return float(self.x[number]), float(self.y[number]), float(self.scores[number])

    def grid(self) -> tuple[Array, Array, Array] | None:
        """Give the values of both parameters and the scores (rows: y), or None where the points are no grid."""
        across, along = np.unique(self.x), np.unique(self.y)
        if len(across) * len(along) != len(self.scores) or min(len(across), len(along)) < 2:
            return None
        table = np.full((len(along), len(across)), np.nan)
        table[np.searchsorted(along, self.y), np.searchsorted(across, self.x)] = self.scores
        return across, along, table

    def plot(self, ax: Any = None, *, cmap: str = "viridis", contours: int = 6) -> TuningDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib axes, optional
            None: new ones.
        cmap : str, default='viridis'
            Colors of the scores.
        contours : int, default=6
            Lines of equal score on a grid; 0: none.

        Returns
        -------
        self
        """
        ax = axes_for(self, ax)
        for axis, logarithmic in zip("xy", self.logarithmic, strict=True):
            if logarithmic:
                getattr(ax, f"set_{axis}scale")("log")
        table = self.grid()
        if table is None:
            self.surface_ = ax.scatter(self.x, self.y, c=self.scores, cmap=cmap, s=40)
        else:
            self.surface_ = ax.pcolormesh(*table, cmap=cmap, shading="nearest")
            spread = np.nanmax(table[2]) - np.nanmin(table[2])
            if contours and min(table[2].shape) > 2 and spread > 0:
                ax.contour(*table, levels=contours, colors="white", linewidths=0.6, alpha=0.7)
        ax.figure.colorbar(self.surface_, ax=ax, label=self.metric)
        x, y, score = self.best_point()
        self.best_ = ax.scatter([x], [y], marker="*", s=160, color="#D55E00", edgecolors="white", zorder=4)
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        ax.set_title(f"best: {self.names[0]} = {x:.3g}, {self.names[1]} = {y:.3g}, {score:.4g}", fontsize="medium")
        return self


def _spans(values: Array) -> bool:
    return bool(values.min() > 0 and values.max() >= 20 * values.min())


def _number_or_none(value: Any) -> float | None:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        return None
    return float(value)


def _chosen_names(points: Sequence[Mapping[str, float | None]], x: str | None, y: str | None) -> tuple[str, str]:
    values: dict[str, set[float]] = {}
    for point in points:
        for name, value in point.items():
            if value is not None:
                values.setdefault(name, set()).add(value)
    varied = [name for name, found in values.items() if len(found) > 1]
    preferred = sorted(varied, key=lambda name: (not _ends(name, "C"), not _ends(name, "gamma")))

    def find(wanted: str | None, taken: str | None) -> str:
        if wanted is not None:
            for name in values:
                if name == wanted or _ends(name, wanted):
                    return name
            raise ValueError(f"no numeric parameter {wanted!r}; there are {', '.join(values) or 'none'}")
        for name in preferred:
            if name != taken:
                return name
        raise ValueError(
            f"a surface needs two numeric parameters that were varied; there are: {', '.join(varied) or 'none'}"
        )

    second = None if y is None else find(y, None)
    first = find(x, second)
    return first, second if second is not None else find(None, first)


def _ends(name: str, end: str) -> bool:
    return name == end or name.endswith(("__" + end, "." + end))


def _read_log(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[tuple[float, ...], float]]:
    """Read the header, and the mean score, on all rows, of the points that were tried on most folds."""
    with open(path, encoding="utf-8") as lines:
        records = [_record(path, number, line) for number, line in enumerate(lines, 1) if line.endswith("\n")]
    if not records or records[0].get("mercer_tune") != 1:
        raise ValueError(f"{os.fspath(path)}: this is not the log of a search by mercer tune")
    header = records[0]
    found: dict[tuple[float, ...], dict[int, float]] = {}
    for record in records[1:]:
        if "points" not in record or "outer" in record or record.get("fraction", 1) != 1:
            continue
        for point, score in zip(record["points"], record["scores"], strict=True):
            found.setdefault(tuple(point), {})[record["fold"]] = np.nan if score is None else score
    folds = max((len(scores) for scores in found.values()), default=0)
    means = {point: float(np.mean(list(scores.values()))) for point, scores in found.items() if len(scores) == folds}
    if not means:
        raise ValueError(f"{os.fspath(path)}: no point of the search has been tried yet")
    return header, means


def _record(path: str | os.PathLike[str], number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"{os.fspath(path)}, line {number}: this is no JSON text: {error}") from error
    return record if isinstance(record, dict) else {}
