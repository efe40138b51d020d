"""What transformers share: fit, transform, what features leave out, the way back to input space."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_consistent_length

from mercer import _core
from mercer._base import Array
from mercer._kernel_choice import KernelChoice
from mercer._options import check_parameters
from mercer._pairwise import PairwiseKernel


class FeatureTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PairwiseKernel):
    """New coordinates f(x) = Σ α_i k(z_i, x) + b, found by one model of the engine.

    Derived classes read what the values of the components mean in ``_keep_values``.
    """

    _fewest_rows = 2

    def _fit_features(self, X: Any, targets: Any = None, classes: list[str] | None = None) -> Any:
        """Check everything, fit, and give the checked rows."""
        check_parameters(self)
        choice = self._choice(X)
        rows = self._check_rows(X, choice, reset=True)
        model = self._run(choice, rows, targets, classes=classes)
        self.X_fit_ = rows
        self._keep(model)
        return rows

    def _adopt(self, model: _core.FittedModel) -> None:
        self._keep(model)

    def _keep(self, model: _core.FittedModel) -> None:
        self.dual_coef_ = model.array("coefficients")
        self.intercept_ = model.array("parametric").sum(axis=0)
        self.center_indices_ = model.array("centre_rows").astype(np.intp).ravel()
        self._keep_values(model.array("values").ravel())

    def _keep_values(self, values: Array) -> None:
        """Set the attribute that says what every component is worth."""

    @property
    def _n_features_out(self) -> int:
        return int(self.dual_coef_.shape[1])

    def transform(self, X: Any) -> Array:
        """Give the features of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit; for ``kernel="precomputed"`` kernel values with every training row.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        samples = self._samples(X)
        return np.asarray(self._check_fitted().predict(samples, threads=self._threads()))


class Projection(FeatureTransformer):
    """Features that are coordinates along orthonormal directions, so that it is known what they leave out."""

    def reconstruction_error(self, X: Any) -> Array:
        """Give the squared distance, in feature space, between every row and its projection: a score of novelty.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples,)
            The larger, the more unusual.
        """
        samples = self._samples(X)
        return np.asarray(self._check_fitted().decide(samples, threads=self._threads()))[:, 0]

    def preimage(self, X: Any) -> Array:
        """Give for every row the point of input space whose image is nearest to the row's projection.

        The row without what the features leave out: noise, where they are those of data without it. Kernels of numeric
        columns with a derivative.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns of the fit; searches begin there.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        samples = self._samples(X)
        return np.asarray(self._check_fitted().reconstruct(samples, threads=self._threads()))


def require_targets(estimator: Any, X: Any, y: Any) -> None:
    """Say where y is missing or has another length."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
    choice: KernelChoice = estimator._choice(X)
    check_consistent_length(X if choice.takes(X) or hasattr(X, "shape") else np.asarray(X), y)
