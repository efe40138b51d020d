"""Which columns a kernel with one width per column looks at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer import _core
from mercer._base import Array
from mercer.plotting._axes import COLORS, axes_for, column_labels


class RelevanceDisplay:
    """Relevances of columns: the inverses of the length scales of a kernel that has one per column.

    Length scales are in the units of the columns: scale them before the fit to compare relevances. A relevance of 0 is
    a column that the kernel does not look at.

    Parameters
    ----------
    relevances : ndarray of shape (n,)
        In the order of the kernel.
    names : sequence of str
        Of the columns, with the kernel's name where there are several kernels.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    bars_
        The artists, the most relevant column first.

    Examples
    --------
    >>> from mercer.plotting import RelevanceDisplay
    >>> display = RelevanceDisplay.from_kernel("rbf(lengthscale=[1, 4])", names=["age", "bmi"], plot=False)
    >>> display.relevances.tolist(), display.ranking()
    ([1.0, 0.25], ['age', 'bmi'])
    """

    def __init__(self, *, relevances: Array, names: Sequence[str]) -> None:
        self.relevances = relevances
        self.names = names

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, names: Sequence[str] | None = None, plot: bool = True, ax: Any = None, **styles: Any
    ) -> RelevanceDisplay:
        """Draw the relevances that an estimator has learnt.

        Parameters
        ----------
        estimator : fitted estimator of this package
            With a kernel that has a length scale per column, such as ``"rbf(lengthscale=ard)"``.
        names : sequence of str, optional
            Of the columns of the data; None: those of the fit, or numbers.
        plot : bool, default=True
            Whether to draw at once.
        ax : matplotlib axes, optional
            None: new ones.
        **styles
            For ``plot``.

        Returns
        -------
        RelevanceDisplay
        """
        model = estimator._check_fitted()
        if names is None and model.preparation.is_coded:
            names = list(estimator.coded_feature_names_)
        known = column_labels(estimator, estimator.n_features_in_) if names is None else list(names)
        return cls.from_kernel(model.kernel, names=known, plot=plot, ax=ax, **styles)

    @classmethod
    def from_kernel(
        cls, kernel: Any, *, names: Sequence[str] | None = None, plot: bool = True, ax: Any = None, **styles: Any
    ) -> RelevanceDisplay:
        """Draw the relevances of a kernel.

        Parameters
        ----------
        kernel : str
            Its spec, with a list of length scales.
        names, plot, ax, **styles
            As in ``from_estimator``.

        Returns
        -------
        RelevanceDisplay
        """
        found = list(_scales_by_column(_core.Kernel(str(getattr(kernel, "spec", kernel))), None))
        if not found:
            raise ValueError(
                f"the kernel {kernel} has no length scale per column; 'lengthscale=ard' in a kernel such as rbf does"
            )
        labels = []
        for kernel_name, columns, scales in found:
            listed = _names_of(columns, names, len(scales))
            labels += [f"{label} ({kernel_name})" if len(found) > 1 else label for label in listed]
        lengths = np.concatenate([scales for _, _, scales in found])
        display = cls(relevances=1 / lengths, names=labels)
        return display.plot(ax=ax, **styles) if plot else display

    def ranking(self) -> list[str]:
        """Give the names, the most relevant first."""
        return [self.names[number] for number in self._order()]

    def _order(self) -> list[int]:
        return [int(number) for number in np.argsort(-self.relevances, kind="stable")]

    def plot(self, ax: Any = None, *, color: str = COLORS[0], most: int = 30) -> RelevanceDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib axes, optional
            None: new ones.
        color : str
            Of the bars.
        most : int, default=30
            At most so many columns, the most relevant ones.

        Returns
        -------
        self
        """
        ax = axes_for(self, ax)
        order = self._order()[:most]
        self.bars_ = ax.barh(range(len(order)), self.relevances[order], color=color)
        ax.set_yticks(range(len(order)), [self.names[number] for number in order])
        ax.invert_yaxis()
        ax.set(xlabel="relevance: 1 / length scale")
        return self


def _scales_by_column(kernel: _core.Kernel, columns: Any) -> Any:
    name, parameters, children, subscript = kernel.tree()
    chosen = columns if subscript is None else subscript
    text = parameters.get("lengthscale", "")
    if text.startswith("["):
        yield name, chosen, np.array([_number(part) for part in text[1 : text.index("]")].split(",")])
    for child in children:
        yield from _scales_by_column(child, chosen)


def _number(text: str) -> float:
    # "2!" is a value that is fixed; bounds stand behind the list.
    return float(text.strip().rstrip("!"))


def _names_of(columns: Any, names: Sequence[str] | None, count: int) -> list[str]:
    if columns is None:
        listed = [f"column {number}" for number in range(count)] if names is None else list(names)
    else:
        listed = []
        for reference in columns:
            if isinstance(reference, str):
                listed.append(reference)
            else:
                begin, end = reference
                listed += [f"column {c}" if names is None else str(names[c]) for c in range(begin, end)]
    if len(listed) != count:
        raise ValueError(f"{len(listed)} names of columns for {count} length scales")
    return listed
