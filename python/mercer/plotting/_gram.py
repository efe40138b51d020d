"""The kernel matrix as a heat map, with its spectrum."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from mercer import _core
from mercer._base import Array
from mercer._samples import coded_samples
from mercer.kernels import as_kernel
from mercer.plotting._axes import COLORS, matplotlib_for


class GramDisplay:
    """A kernel matrix, rows sorted by class, and its eigenvalues.

    Blocks along the diagonal show what the kernel knows of the classes; a matrix that is 1 on the diagonal and 0
    elsewhere has too small a width, a constant one too large a width.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        In the order in which it is drawn.
    order : ndarray of shape (n,)
        The row of the data behind every row of the matrix.
    labels : ndarray of shape (n,), optional
        Class or target of every row, in the same order.
    eigenvalues : ndarray of shape (n,)
        Descending.

    Attributes
    ----------
    axes_, figure_
        Where it was drawn: the matrix, and the spectrum.
    image_, spectrum_, negative_
        The artists; ``negative_`` is None where no eigenvalue is negative.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.plotting import GramDisplay
    >>> display = GramDisplay.from_kernel("rbf(gamma=1)", np.array([[0.0], [9.0], [0.0]]), ["a", "b", "a"], plot=False)
    >>> display.order.tolist(), display.eigenvalues.round(2).tolist()
    ([0, 2, 1], [2.0, 1.0, 0.0])
    """

    def __init__(self, *, matrix: Array, order: Array, labels: Array | None, eigenvalues: Array) -> None:
        self.matrix = matrix
        self.order = order
        self.labels = labels
        self.eigenvalues = eigenvalues

    @classmethod
    def from_matrix(
        cls, K: Any, y: Any = None, *, max_rows: int = 500, plot: bool = True, ax: Any = None, **styles: Any
    ) -> GramDisplay:
        """Sort a kernel matrix by class, and draw it.

        Parameters
        ----------
        K : array-like of shape (n, n)
            Symmetric.
        y : array-like of shape (n,), optional
            Classes or targets to sort by.
        max_rows : int, default=500
            Of more rows, so many are drawn, at equal distances in the sorted order; the spectrum is theirs.
        plot : bool, default=True
            Whether to draw at once.
        ax : sequence of two matplotlib axes, optional
            For the matrix and the spectrum; None: new ones.
        **styles
            For ``plot``.

        Returns
        -------
        GramDisplay
        """
        matrix = np.asarray(K, dtype=float)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"a kernel matrix is square, but this has the shape {matrix.shape}")
        order = _drawn_rows(len(matrix), y, max_rows)
        return cls._sorted(matrix[np.ix_(order, order)], order, y, plot, ax, styles)

    @classmethod
    def from_kernel(
        cls,
        kernel: Any,
        X: Any,
        y: Any = None,
        *,
        max_rows: int = 500,
        plot: bool = True,
        ax: Any = None,
        **styles: Any,
    ) -> GramDisplay:
        """Evaluate a kernel on rows, and draw its matrix.

        Parameters
        ----------
        kernel : Kernel, str or kernel of sklearn.gaussian_process.kernels
            Widths such as ``gamma=scale`` are taken from X.
        X : array-like, sparse matrix, data frame or list of str
            Rows, as the kernel takes them.
        y, max_rows, plot, ax, **styles
            As in ``from_matrix``.

        Returns
        -------
        GramDisplay
        """
        compiled = _core.Kernel(as_kernel(kernel).spec)
        samples, _ = coded_samples(compiled, X)
        order = _drawn_rows(samples.size, y, max_rows)
        resolved = compiled.resolved(samples)
        matrix = np.asarray(resolved.gram(samples.select(order.astype(np.int64))))
        return cls._sorted(matrix, order, y, plot, ax, styles)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        max_rows: int = 500,
        plot: bool = True,
        ax: Any = None,
        **styles: Any,
    ) -> GramDisplay:
        """Draw the matrix of a fitted estimator's kernel.

        Parameters
        ----------
        estimator : fitted estimator of this package
            With a kernel, which may not be a matrix of the caller's or a function.
        X, y, max_rows, plot, ax, **styles
            As in ``from_kernel``.

        Returns
        -------
        GramDisplay
        """
        if estimator._check_fitted() and estimator._fitted_choice.is_matrix:
            raise ValueError("the kernel of this estimator is a matrix or a function: use from_matrix with its values")
        samples = estimator._fitted.preparation.apply(estimator._samples(X))
        order = _drawn_rows(samples.size, y, max_rows)
        kernel = _core.Kernel(estimator._fitted.kernel)
        matrix = np.asarray(kernel.gram(samples.select(order.astype(np.int64))))
        return cls._sorted(matrix, order, y, plot, ax, styles)

    @classmethod
    def _sorted(cls, matrix: Array, order: Array, y: Any, plot: bool, ax: Any, styles: dict[str, Any]) -> GramDisplay:
        labels = None if y is None else np.asarray(y)[order]
        display = cls(matrix=matrix, order=order, labels=labels, eigenvalues=np.linalg.eigvalsh(matrix)[::-1])
        return display.plot(ax=ax, **styles) if plot else display

    def plot(self, ax: Any = None, *, cmap: str = "viridis") -> GramDisplay:
        """Draw.

        Parameters
        ----------
        ax : sequence of two matplotlib axes, optional
            For the matrix and the spectrum; None: new ones.
        cmap : str, default='viridis'
            Colors of the matrix.

        Returns
        -------
        self
        """
        pyplot = matplotlib_for(self)
        if ax is None:
            _, ax = pyplot.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
        heat, spectrum = ax
        self.axes_ = (heat, spectrum)
        self.figure_ = heat.figure
        self.image_ = heat.imshow(self.matrix, cmap=cmap, interpolation="nearest")
        self.figure_.colorbar(self.image_, ax=heat, shrink=0.8)
        self._mark_classes(heat)
        numbers = np.arange(1, len(self.eigenvalues) + 1)
        sizes, negative = np.abs(self.eigenvalues), self.eigenvalues < -self._rounding()
        shown = sizes > self._rounding()
        positive = shown & ~negative
        (self.spectrum_,) = spectrum.semilogy(numbers[positive], sizes[positive], ".-", color=COLORS[0])
        self.negative_ = None
        if negative.any():
            (self.negative_,) = spectrum.semilogy(
                numbers[negative], sizes[negative], "x", color=COLORS[3], label="negative (size)"
            )
            spectrum.legend(fontsize="small")
        dropped = int(np.sum(~shown))
        title = "eigenvalues" + (f" ({dropped} at the level of rounding left out)" if dropped else "")
        spectrum.set(xlabel="number", ylabel="eigenvalue")
        spectrum.set_title(title, fontsize="medium")
        heat.set_title("kernel matrix", fontsize="medium")
        return self

    def _rounding(self) -> float:
        return float(len(self.matrix) * np.finfo(float).eps * np.abs(self.eigenvalues).max(initial=0.0))

    def _mark_classes(self, heat: Any) -> None:
        if self.labels is None or len(np.unique(self.labels)) > 20:
            return
        borders = np.flatnonzero(self.labels[1:] != self.labels[:-1]) + 1
        for border in borders:
            heat.axhline(border - 0.5, color="white", linewidth=0.8)
            heat.axvline(border - 0.5, color="white", linewidth=0.8)
        ends = [0, *borders.tolist(), len(self.labels)]
        middles = [(begin + end - 1) / 2 for begin, end in pairwise(ends)]
        heat.set_yticks(middles, [str(self.labels[begin]) for begin in ends[:-1]])
        heat.set_xticks([])


def _drawn_rows(size: int, y: Any, most: int) -> Array:
    if y is not None and len(y) != size:
        raise ValueError(f"{len(y)} labels for {size} rows")
    order = np.arange(size) if y is None else np.argsort(np.asarray(y), kind="stable")
    return order if size <= most else order[np.linspace(0, size - 1, most).round().astype(int)]
