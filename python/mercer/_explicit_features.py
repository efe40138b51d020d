"""The sparse features of kernels on texts, sequences and other things, as columns for linear models."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError

from mercer import _core
from mercer._base import Array
from mercer._parameters import thread_count
from mercer._rules import Limits
from mercer._samples import as_samples, kernel_of
from mercer.kernels import as_kernel

# So many names does a model file keep, too.
NAMED_FEATURES = 50_000


class ExplicitFeatures(TransformerMixin, BaseEstimator):
    r"""Sparse features whose inner products are the kernel, exactly.

    Kernels that count something in every sample (``tfidf``, ``words``, ``spectrum``, ``weighted_degree``,
    ``weisfeiler_lehman``, and sums, positive multiples, ``normalize`` and column subscripts of these and of
    ``linear``) have such features. A linear model on them is the kernel's model, in time that grows with the number of
    rows instead of its square.

    Parameters
    ----------
    kernel : str or Kernel, default='tfidf()'
        With explicit features; others raise an error that says which part has none.
    dtype : {numpy.float64, numpy.float32}, default=numpy.float64
        Of the matrix.
    named_features : int or None, default=50000
        So many columns, the most frequent ones, get names that say what they count, which are found again in the
        training samples; the others are called "feature 50000" and so on. None: all.
    n_jobs : int, optional
        Threads. None: all cores, or OMP_NUM_THREADS.

    Attributes
    ----------
    feature_names_ : list of str
        What every column counts: a word, "ACG", "ACG@17"; bytes that are part of a character only are written
        ``\xc3``. Columns are ordered by the number of training samples that have the feature, most frequent first.
    n_features_out_ : int
        The number of columns.

    Examples
    --------
    >>> from mercer.kernel_approximation import ExplicitFeatures
    >>> features = ExplicitFeatures("words()")
    >>> features.fit_transform(["the cat", "the dog", "the cat sat"]).toarray()[:, :2]
    array([[1., 1.],
           [1., 0.],
           [1., 1.]])
    >>> features.get_feature_names_out()[:2].tolist()
    ['the', 'cat']
    """

    def __init__(
        self,
        kernel: Any = "tfidf()",
        *,
        dtype: Any = np.float64,
        named_features: int | None = NAMED_FEATURES,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.dtype = dtype
        self.named_features = named_features
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> ExplicitFeatures:
        """Learn which features there are, and what the kernel learns from samples (document frequencies).

        Parameters
        ----------
        X : sequence of str, sets or graphs, array, sparse matrix or data frame
            Training samples.
        y : ignored
            For the sake of pipelines.

        Returns
        -------
        self
        """
        self._fit_rows(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> scipy.sparse.csr_matrix:
        """Do what ``fit`` and ``transform`` do, reading the samples once less.

        Parameters
        ----------
        X : as in ``fit``
            Training samples.
        y : ignored
            For the sake of pipelines.
        **fit_params
            None is known.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_samples, n_features_out_)
        """
        if fit_params:
            raise TypeError(f"fit takes no parameters beside X and y, but got {', '.join(sorted(fit_params))}")
        return _matrix(self._fit_rows(X))

    def _fit_rows(self, X: Any) -> _core.Samples:
        """Learn the map and the names; give the features of the training samples."""
        if np.dtype(self.dtype) not in (np.dtype(np.float64), np.dtype(np.float32)):
            raise ValueError(f"dtype={self.dtype!r}: must be numpy.float64 or numpy.float32")
        if not Limits(0, integer=True, optional=True).hold(self.named_features):
            raise ValueError(f"named_features={self.named_features!r}: must be a number from 0 on, or None for all")
        kernel = kernel_of(_core.Kernel(as_kernel(self.kernel).spec), X)
        samples = as_samples(X, kernel=kernel.spec)
        threads = thread_count(self.n_jobs)
        self._map = _core.ExplicitMap(kernel, samples, threads)
        rows = self._map.features(samples, self._is_single(), threads)
        self.n_features_out_ = self._map.columns
        count = self.n_features_out_ if self.named_features is None else self.named_features
        self.feature_names_ = self._map.names(count, samples, rows, threads)
        return rows

    def _is_single(self) -> bool:
        return bool(np.dtype(self.dtype) == np.dtype(np.float32))

    def transform(self, X: Any) -> scipy.sparse.csr_matrix:
        """Give the features of every sample; those that training never saw are left out.

        Parameters
        ----------
        X : as at the fit
            Samples.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_samples, n_features_out_)
        """
        if not hasattr(self, "_map"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet: call 'fit' first")
        return _matrix(
            self._map.features(as_samples(X, kernel=self._map.kernel), self._is_single(), thread_count(self.n_jobs))
        )

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Name the columns.

        Parameters
        ----------
        input_features : ignored
            For the sake of scikit-learn's interface.

        Returns
        -------
        ndarray of str
        """
        if not hasattr(self, "_map"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet: call 'fit' first")
        return np.asarray(self.feature_names_, dtype=object)


def _matrix(rows: _core.Samples) -> scipy.sparse.csr_matrix:
    values, columns, offsets, shape = rows.to_python()
    return scipy.sparse.csr_matrix((values, columns, offsets), shape=shape)
