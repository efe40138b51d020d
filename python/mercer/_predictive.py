"""What regressors with a normal predictive distribution say of new rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._base import Array
from mercer._kernel_machines import MachineRegressor
from mercer._parameters import seed_of
from mercer._regressor import DistributionRegressor


class PredictiveMachine(DistributionRegressor, MachineRegressor):
    """A kernel expansion with a distribution of its coefficients and of the noise."""

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predict the mean, and how uncertain a new observation is.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit; for ``kernel="precomputed"`` kernel values with every training row.
        return_std : bool, default=False
            Whether to give standard deviations of new observations, noise included.

        Returns
        -------
        mean : ndarray of shape (n_samples,) or (n_samples, n_targets)
        std : ndarray of the same shape
            Where ``return_std`` is true.
        """
        if not return_std:
            return super().predict(X)
        return self._mean_and_deviation(X, "observation")

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Array:
        """Draw functions from the posterior and evaluate them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples_X, n_features)
            Rows with the columns of the fit.
        n_samples : int, default=1
            How many functions.
        random_state : int, RandomState instance or None, default=0
            Seed.

        Returns
        -------
        ndarray of shape (n_samples_X, n_samples) or (n_samples_X, n_targets, n_samples)
        """
        seed = seed_of(random_state)
        drawn = self._check_fitted().draws(self._samples(X), n_samples, "function", seed, threads=self._threads())
        return self._by_target(np.asarray(drawn), n_samples)
