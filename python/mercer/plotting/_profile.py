"""Where in a sequence the value of a linear model on words or k-mers comes from."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._base import Array
from mercer._samples import rows_at
from mercer.plotting._axes import COLORS, axes_for

# Letters of longer sequences would stand on each other.
MOST_LETTERS = 100


class ProfileDisplay:
    """What every place of a sequence adds to the value of a linear model.

    Parameters
    ----------
    sequence : str
        The text.
    values : ndarray of shape (len(sequence),)
        The part of every character; they sum to the value without its intercept.
    name : str, default=''
        What positive values speak for.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    bars_
        The artists, one per character.

    Examples
    --------
    >>> from mercer.plotting import ProfileDisplay
    >>> from mercer.svm import LinearSVC
    >>> model = LinearSVC(kernel="spectrum(k=3)").fit(["ACGTACGT", "TTTTTTTT"], ["site", "none"])
    >>> display = ProfileDisplay.from_estimator(model, ["TTTACGTTT"], plot=False)
    >>> display.sequence, display.name, display.values.shape
    ('TTTACGTTT', 'site', (9,))
    """

    def __init__(self, *, sequence: str, values: Array, name: str = "") -> None:
        self.sequence = sequence
        self.values = values
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        row: int = 0,
        machine: int = 0,
        column: str | None = None,
        plot: bool = True,
        ax: Any = None,
        **styles: Any,
    ) -> ProfileDisplay:
        """Draw the profile of one sequence.

        Parameters
        ----------
        estimator : fitted LinearSVC or LinearSVR
            With a kernel on sequences or texts.
        X : sequence of str, or data frame
            Samples.
        row : int, default=0
            Which of them.
        machine : int, default=0
            Which row of ``coef_``, of three classes and more.
        column : str, optional
            The column of a frame, where the kernel sees several columns of sequences.
        plot : bool, default=True
            Whether to draw at once.
        ax : matplotlib axes, optional
            None: new ones.
        **styles
            For ``plot``.

        Returns
        -------
        ProfileDisplay
        """
        if not 0 <= row < len(X):
            raise ValueError(f"row={row!r}: there are {len(X)} samples, counted from 0")
        estimator._weight_rows(machine)  # says which machines there are
        one = rows_at(X, np.array([row])) if hasattr(X, "iloc") else X[row : row + 1]
        sequence, values = estimator._profiles(one, column)[0]
        chosen = values if values.ndim == 1 else values[:, machine]
        display = cls(sequence=sequence, values=chosen, name=_meaning(estimator, machine))
        return display.plot(ax=ax, **styles) if plot else display

    def plot(self, ax: Any = None, *, colors: tuple[str, str] = (COLORS[0], COLORS[3])) -> ProfileDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib axes, optional
            None: new ones.
        colors : tuple of two str
            Of positive and of negative parts.

        Returns
        -------
        self
        """
        ax = axes_for(self, ax)
        places = np.arange(len(self.sequence))
        shades = [colors[0] if value >= 0 else colors[1] for value in self.values]
        self.bars_ = ax.bar(places, self.values, width=0.9, color=shades)
        ax.axhline(0, color="black", linewidth=0.8)
        ax.margins(x=0.01)
        if len(self.sequence) <= MOST_LETTERS:
            letters = [letter if letter.isprintable() else "·" for letter in self.sequence]
            ax.set_xticks(places, letters, fontfamily="monospace", fontsize=8 if len(letters) > 60 else None)
            ax.tick_params(axis="x", length=0)
        else:
            ax.set(xlabel="position")
        ax.set(ylabel=f"part of the value for {self.name}" if self.name else "part of the value")
        return self


def _meaning(estimator: Any, machine: int) -> str:
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return ""
    return str(classes[1]) if len(classes) == 2 else str(estimator._check_fitted().decision_names[machine])
