"""Features of the additive chi-squared kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils.validation import _check_feature_names_in, check_non_negative

from mercer._base import Array
from mercer._feature_maps import FeatureMap
from mercer._kernel_choice import KernelChoice


class AdditiveChi2Sampler(FeatureMap):
    """Features of the additive chi-squared kernel of histograms, from samples of its spectrum; nothing is random.

    Parameters and values are those of ``sklearn.kernel_approximation.AdditiveChi2Sampler``.

    Parameters
    ----------
    sample_steps : int, default=2
        Samples of the spectrum; every column becomes 2 sample_steps - 1 features.
    sample_interval : float, optional
        Their distance. None or 0: by their number.
    kernel : str or Kernel, default='additive_chi2()'
        Or ``"intersection()"``: the sum of the smaller of two values.
    n_jobs : int, optional
        Threads. None: all cores, or OMP_NUM_THREADS.

    Attributes
    ----------
    kernel_error_ : float
        Root mean square error against kernel values of a few hundred rows.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernel_approximation import AdditiveChi2Sampler
    >>> X = np.random.default_rng(0).uniform(size=(50, 4))
    >>> features = AdditiveChi2Sampler(sample_steps=5).fit_transform(X)
    >>> kernel = np.sum(2 * X[0] * X[1] / (X[0] + X[1]))
    >>> features.shape, bool(abs(features[0] @ features[1] - kernel) < 0.05)
    ((50, 36), True)
    """

    _model = "chi2map"

    def __init__(
        self,
        *,
        sample_steps: int = 2,
        sample_interval: float | None = None,
        kernel: Any = "additive_chi2()",
        n_jobs: int | None = None,
    ) -> None:
        self.sample_steps = sample_steps
        self.sample_interval = sample_interval
        self.kernel = kernel
        self.n_jobs = n_jobs

    def _traits(self) -> dict[str, bool]:
        return {**super()._traits(), "requires_fit": False, "positive_only": True}

    def _check_rows(self, X: Any, choice: KernelChoice, *, reset: bool) -> Any:
        rows = super()._check_rows(X, choice, reset=reset)
        if hasattr(rows, "dtype"):
            check_non_negative(rows, f"X in {type(self).__name__}.{'fit' if reset else 'transform'}")
        return rows

    def transform(self, X: Any) -> Any:
        """Give the features of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with values of at least 0. Without a fit before, any number of columns.

        Returns
        -------
        ndarray or sparse matrix of shape (n_samples, n_features * (2 * sample_steps - 1))
            Sparse where X is.
        """
        if not hasattr(self, "_fitted"):
            return type(self)(**self.get_params(deep=False)).fit(X).transform(X)
        features = super().transform(X)
        return scipy.sparse.csr_matrix(features) if scipy.sparse.issparse(X) else features

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Name the features after the columns: square roots, then cosines and sines of every step.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns, where the fit saw none.

        Returns
        -------
        ndarray of str objects
        """
        self._check_fitted()
        names = _check_feature_names_in(self, input_features, generate_names=True)
        if input_features is None and self._fitted_to != "rows":
            names = self.coded_feature_names_  # of a frame the model may see more columns, or fewer
        kinds = ["sqrt"] + [f"{wave}{step}" for step in range(1, self.sample_steps) for wave in ("cos", "sin")]
        prefix = type(self).__name__.lower()
        return np.asarray([f"{prefix}_{name}_{kind}" for kind in kinds for name in names], dtype=object)
