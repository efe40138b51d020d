"""Marginal and conditional densities of a fitted kernel density."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_array

from mercer import _core
from mercer._base import Array
from mercer._density_base import draw_count, draw_seed
from mercer._samples import as_samples


def column_numbers(columns: Any, names: Sequence[str], count: int) -> list[int]:
    """Numbers of columns that are given by number or by name, one or several."""
    listed = [columns] if isinstance(columns, str) or np.ndim(columns) == 0 else list(columns)
    numbers: list[int] = []
    for column in listed:
        if isinstance(column, str):
            if column not in names:
                known = f"; the columns are {', '.join(names)}" if len(names) else ": the fit saw no names"
                raise ValueError(f"there is no column {column!r}{known}")
            numbers.append(list(names).index(column))
        elif isinstance(column, int | np.integer) and not isinstance(column, bool) and 0 <= column < count:
            numbers.append(int(column))
        else:
            raise ValueError(f"a column is a name or a number from 0 to {count - 1}, not {column!r}")
    if not numbers or len(set(numbers)) != len(numbers):
        raise ValueError(f"columns must be different ones, one at least, not {columns!r}")
    return numbers


@dataclass(frozen=True)
class _DensityPart(ABC):
    """A density over some columns of another one."""

    _model: _core.FittedModel
    columns: tuple[int, ...]
    _threads: int

    def _rows(self, X: Any) -> Array:
        rows = check_array(X, dtype=np.float64, order="C")
        if rows.shape[1] != len(self.columns):
            raise ValueError(f"X has {rows.shape[1]} features, but this density is over {len(self.columns)}")
        return np.asarray(rows)

    @abstractmethod
    def score_samples(self, X: Any) -> Array:
        """Give the logarithm of the density at every row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_columns)
            Rows that hold the columns ``columns`` alone, in their order.

        Returns
        -------
        ndarray of shape (n_samples,)
        """

    def score(self, X: Any, y: Any = None) -> float:
        """Give the log-likelihood of the rows: the sum of ``score_samples``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_columns)
            As ``score_samples`` takes them.
        y : None
            Not used.

        Returns
        -------
        float
        """
        return float(np.sum(self.score_samples(X)))

    def _held(self) -> tuple[list[int], list[float]]:
        return [], []

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Array:
        """Draw new rows.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, RandomState instance or None, default=None
            Seed. None: another one at every call.

        Returns
        -------
        ndarray of shape (n_samples, n_columns)
        """
        drawn = _core.density_draws(self._model, draw_count(n_samples), *self._held(), seed=draw_seed(random_state))
        return np.asarray(drawn)[:, list(self.columns)]


@dataclass(frozen=True)
class MarginalDensity(_DensityPart):
    """The density of some columns, whatever the others are. ``KernelDensity.marginal`` makes it.

    Attributes
    ----------
    columns : tuple of int
        Their numbers.
    """

    def score_samples(self, X: Any) -> Array:
        rows = self._rows(X)
        return np.asarray(_core.marginal_log_density(self._model, list(self.columns), rows, threads=self._threads))


@dataclass(frozen=True)
class ConditionalDensity(_DensityPart):
    """The density of the other columns where some have given values. ``KernelDensity.conditional`` makes it.

    It is NaN where the density of the given values is 0.

    Attributes
    ----------
    columns : tuple of int
        Numbers of the columns that it is over.
    given : tuple of int
        Numbers of the others.
    values : tuple of float
        Their values.
    """

    given: tuple[int, ...]
    values: tuple[float, ...]

    def score_samples(self, X: Any) -> Array:
        rows = self._rows(X)
        whole = np.empty((len(rows), len(self.columns) + len(self.given)))
        whole[:, list(self.columns)] = rows
        whole[:, list(self.given)] = self.values
        names = self._model.feature_names if any(self._model.feature_names) else None
        joint = np.asarray(self._model.predict(as_samples(whole, names=names), threads=self._threads))[:, 0]
        held = np.array([self.values])
        marginal = _core.marginal_log_density(self._model, list(self.given), held, threads=self._threads)[0]
        return np.full(len(rows), np.nan) if np.isneginf(marginal) else joint - marginal

    def _held(self) -> tuple[list[int], list[float]]:
        return list(self.given), list(self.values)
