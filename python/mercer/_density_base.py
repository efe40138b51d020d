"""What density estimators share: log-densities, their sum, draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils import check_random_state

from mercer import _core
from mercer._base import Array
from mercer._kernel_choice import KernelChoice
from mercer._options import check_parameters
from mercer._parameters import seed_of
from mercer._rules import AT_LEAST_ONE
from mercer._windowed import Windowed


def draw_seed(random_state: Any) -> int:
    """Turn random_state into the seed of draws; None is another one at every call."""
    return seed_of(check_random_state(None) if random_state is None else random_state)


def draw_count(n_samples: Any) -> int:
    """Check a number of draws."""
    if not AT_LEAST_ONE.hold(n_samples):
        raise ValueError(f"n_samples must be a positive integer, got {n_samples!r}")
    return int(n_samples)


class Density(DensityMixin, Windowed):
    """A density over one model of the engine."""

    def _fit_density(self, X: Any, sample_weight: Any = None) -> _core.FittedModel:
        check_parameters(self)
        choice = self._choice(X)
        rows = self._check_rows(X, choice, reset=True)
        weights = self._check_weights(sample_weight, rows)
        model = self._run(choice, rows, settings=self._density_settings(rows), sample_weight=weights)
        self._adopt(model)
        return model

    def _check_rows(self, X: Any, choice: KernelChoice, *, reset: bool) -> Any:
        # A density is one per unit of all columns: none is coded, filled or left out.
        if not reset and self._knows_columns():
            return self._named_rows(X)
        return self._check_vectors(X, reset=reset)

    def _density_settings(self, rows: Any) -> dict[str, str]:
        return self._settings()

    def score_samples(self, X: Any) -> Array:
        """Give the logarithm of the density at every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples,)
            ``-inf`` where the density is 0.
        """
        samples = self._samples(X)
        return np.asarray(self._check_fitted().predict(samples, threads=self._threads()))[:, 0]

    def score(self, X: Any, y: Any = None) -> float:
        """Give the log-likelihood of the rows: the sum of ``score_samples``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.
        y : None
            Not used.

        Returns
        -------
        float
        """
        return float(np.sum(self.score_samples(X)))


class DrawnDensity(Density):
    """A density that samples can be drawn from."""

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Array:
        """Draw new rows from the density.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, RandomState instance or None, default=None
            Seed. None: another one at every call.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        model = self._check_fitted()
        return np.asarray(_core.density_draws(model, draw_count(n_samples), seed=draw_seed(random_state)))
