"""What clusterers share: labels, distances to clusters, new rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin

from mercer import _core
from mercer._base import Array, step_count
from mercer._options import check_parameters
from mercer._pairwise import PairwiseKernel


class Clusterer(ClusterMixin, PairwiseKernel):
    """Rows sorted into groups by one model of the engine."""

    gamma: float | str | None

    def _fit_clusters(self, X: Any, sample_weight: Any = None) -> Any:
        """Check everything, fit, set labels_, and give the checked rows."""
        check_parameters(self)
        choice = self._choice(X)
        rows = self._check_rows(X, choice, reset=True)
        weights = self._check_weights(sample_weight, rows)
        training = self._training_rows(rows, choice)
        model = self._run(choice, rows, training=training, sample_weight=weights)
        self.labels_ = np.asarray(model.predict(training.samples, threads=self._threads()))[:, 0].astype(np.int32)
        self.n_iter_ = step_count(model)
        return rows

    def _adopt(self, model: _core.FittedModel) -> None:
        self.n_iter_ = step_count(model)

    def predict(self, X: Any) -> Array:
        """Give the cluster of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit; for ``kernel="precomputed"`` kernel values with every training row.

        Returns
        -------
        ndarray of int of shape (n_samples,)
            Counted from 0.
        """
        samples = self._samples(X)
        numbers = np.asarray(self._check_fitted().predict(samples, threads=self._threads()))[:, 0]
        return numbers.astype(np.int32)


class PrototypeClusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):
    """Clusters around points of feature space."""

    @property
    def _n_features_out(self) -> int:
        return len(self._check_fitted().decision_names)

    def _squared_distances(self, X: Any) -> Array:
        self._check_fitted()
        if self._fitted_choice.is_matrix:
            raise ValueError(
                "distances need k(x, x), which rows of a kernel matrix do not hold: use predict, or a named kernel"
            )
        return np.asarray(self._check_fitted().decide(self._samples(X), threads=self._threads()))

    def transform(self, X: Any) -> Array:
        """Give the distance, in feature space, between every row and the point of every cluster.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
        """
        return np.asarray(np.sqrt(self._squared_distances(X)))
