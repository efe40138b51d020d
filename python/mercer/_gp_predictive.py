"""What a Gaussian process says of new rows: means, deviations, quantiles, draws; before a fit the prior."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin

from mercer import _core
from mercer._base import Array
from mercer._gp_evidence import prior, prior_draws
from mercer._parameters import seed_of
from mercer._regressor import DistributionRegressor
from mercer._samples import coded_samples


class PredictiveProcess(MultiOutputMixin, DistributionRegressor):
    """The predictions of a Gaussian process regressor, in the units of its targets.

    Derived classes fit; where ``_own_units`` is true the engine has seen targets of mean 0 and variance 1.
    """

    n_targets: int | None
    _own_units: bool
    _y_train_mean: Any
    _y_train_std: Any

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> Any:
        """Predict the mean, and how uncertain it is.

        Before a fit the prior is given. As in scikit-learn, uncertainties are those of the function together with
        the white noise that is part of the kernel, and without ``alpha``. For ``likelihood="poisson"`` the function is
        the mean count.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.
        return_std : bool, default=False
            Whether to give standard deviations.
        return_cov : bool, default=False
            Whether to give the covariance of all rows.

        Returns
        -------
        mean : ndarray of shape (n_samples,) or (n_samples, n_targets)
        std : ndarray of the same shape
            Where ``return_std`` is true.
        cov : ndarray of shape (n_samples, n_samples) or (n_samples, n_samples, n_targets)
            Where ``return_cov`` is true.
        """
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        if not hasattr(self, "_fitted"):
            return self._prior(X, return_std, return_cov)
        model, samples, threads = self._fitted, self._samples(X), self._threads()
        if not return_std:
            mean = self._flat(self._mean_in_units(np.asarray(model.predict(samples, threads=threads))))
            return (mean, self._covariance(samples)) if return_cov else mean
        mean, variance = model.moments(samples, "function", threads=threads)
        if self._counts():
            mean = np.exp(mean + variance / 2)
            variance = mean**2 * np.expm1(variance)
        scale = np.ravel(self._y_train_std) if self._own_units else 1.0
        return self._flat(self._mean_in_units(mean)), self._flat(np.sqrt(np.maximum(variance, 0)) * scale)

    def _counts(self) -> bool:
        """Whether the process is the logarithm of a mean count, which has a log-normal distribution then."""
        return bool(self._fitted.settings()["likelihood"] == "poisson")

    def _mean_in_units(self, mean: Array) -> Array:
        return mean * self._y_train_std + self._y_train_mean if self._own_units else mean

    def _flat(self, values: Array) -> Array:
        return values[:, 0] if values.shape[1] == 1 else values

    def _covariance(self, samples: _core.Samples) -> Array:
        outputs = len(self._fitted.output_names)
        parts = [self._fitted.covariance(samples, output, threads=self._threads()) for output in range(outputs)]
        if self._counts():
            mean = np.asarray(self._fitted.predict(samples, threads=self._threads()))[:, 0]
            return np.asarray(np.outer(mean, mean) * np.expm1(parts[0]))
        if self._own_units:
            parts = [part * scale**2 for part, scale in zip(parts, self._y_train_std, strict=True)]
        return parts[0] if outputs == 1 else np.stack(parts, axis=-1)

    def _prior(self, X: Any, return_std: bool, return_cov: bool) -> Any:
        choice = self._choice(X)
        kernel = _core.Kernel(choice.spec)
        samples, _ = coded_samples(kernel, self._check_rows(X, choice, reset=True))
        return prior(kernel, samples, self.n_targets or 1, std=return_std, cov=return_cov)

    def _by_target(self, values: Array, count: int) -> Array:
        outputs = len(self._fitted.output_names)
        shaped = values.reshape(len(values), outputs, count)
        if self._own_units:
            shaped = shaped * self._y_train_std[:, None] + self._y_train_mean[:, None]
        return shaped[:, 0, :] if outputs == 1 else shaped

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Array:
        """Draw functions from the process and evaluate them.

        For ``likelihood="poisson"`` the process is the logarithm of the mean count.

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
        if not hasattr(self, "_fitted"):
            mean, covariance = self._prior(X, False, True)
            return prior_draws(mean, covariance, n_samples, seed)
        drawn = self._fitted.draws(self._samples(X), n_samples, "function", seed, threads=self._threads())
        return self._by_target(np.asarray(drawn), n_samples)
