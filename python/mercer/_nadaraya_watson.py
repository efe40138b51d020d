"""Averages of the targets in a window: Nadaraya-Watson regression and classification."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer import _core
from mercer._classifier import Probabilities
from mercer._options import check_parameters
from mercer._smoother import Smoother
from mercer._windowed import Windowed, width_of, width_text

RULES = ("cv", "normal", "heuristic")


class WindowAverage(Windowed):
    """What the two have in common."""

    def _settings(self) -> dict[str, str]:
        return {**super()._settings(), "bandwidth": width_text(self, "bandwidth", RULES)}

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        return {**super()._stored_parameters(settings), "bandwidth": width_of(settings["bandwidth"])}

    def _adopt(self, model: _core.FittedModel) -> None:
        super()._adopt(model)
        self.bandwidth_ = np.asarray(model.array("bandwidths")).ravel()


class NadarayaWatsonRegressor(Smoother, WindowAverage):
    """Nadaraya-Watson regression: the mean target in a window around the row.

    Parameters
    ----------
    bandwidth : {'cv', 'normal', 'heuristic'}, float or array of shape (n_features,), default='cv'
        Width of the window. 'cv': one per column with the least leave-one-out error; 'normal': the normal rule for
        densities; 'heuristic': the root of the normal rule's widths of column and target.
    kernel : str, default='gaussian'
        The window, as in ``KernelDensity``.
    random_state : int, RandomState instance or None, default=None
        Seed of the rows that 'cv' looks at where there are more than 5000; None is 0.
    verbose, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    bandwidth_ : ndarray of shape (n_features,)
        The widths in use.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> from mercer.smoothing import NadarayaWatsonRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> NadarayaWatsonRegressor(bandwidth=0.5, kernel="tophat").fit(X, y).predict([[1.4], [1.5]])
    array([1. , 1.5])
    """

    _model = "nw"

    def __init__(
        self,
        bandwidth: Any = "cv",
        *,
        kernel: str = "gaussian",
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NadarayaWatsonRegressor:
        """Keep the rows and choose the widths.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w rows.

        Returns
        -------
        self
        """
        self._fit_targets(X, y, sample_weight)
        return self


class NadarayaWatsonClassifier(WindowAverage, Probabilities):
    """Nadaraya-Watson classification: shares of the classes in a window around the row.

    Parameters
    ----------
    bandwidth, kernel, random_state, verbose, n_jobs
        As in ``NadarayaWatsonRegressor``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    bandwidth_, n_features_in_, feature_names_in_, fit_report_
        As in ``NadarayaWatsonRegressor``.

    Examples
    --------
    >>> from mercer.smoothing import NadarayaWatsonClassifier
    >>> model = NadarayaWatsonClassifier(bandwidth=1).fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> model.predict([[0.5], [4.2]]), model.predict_proba([[2.5]])
    (array(['a', 'b'], dtype='<U1'), array([[0.5, 0.5]]))
    """

    _model = "nwc"

    def __init__(
        self,
        bandwidth: Any = "cv",
        *,
        kernel: str = "gaussian",
        random_state: Any = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NadarayaWatsonClassifier:
        """Keep the rows and choose the widths.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Labels: numbers, strings or truth values.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w rows.

        Returns
        -------
        self
        """
        check_parameters(self)
        self._fit_classes(X, y, sample_weight)
        self.bandwidth_ = np.asarray(self._check_fitted().array("bandwidths")).ravel()
        return self
