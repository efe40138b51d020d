"""Random kitchen sinks."""

from __future__ import annotations

from typing import Any

from mercer import _core
from mercer._feature_maps import FeatureMap


class KitchenSinks(FeatureMap):
    """Random kitchen sinks: cosines, steps, ramps or tanh of random projections, for a linear model on top.

    Parameters
    ----------
    n_components : int, default=100
        How many features; 0: sqrt(n) ln n of n rows, at least 100 and at most 2000.
    kernel, gamma
        As in ``RandomFourierFeatures``: the law of the projections is the kernel's spectral density.
    family : {'cos', 'step', 'relu', 'tanh'}, default='cos'
        The function of w·x + b.
    bias : float, default=1
        Standard deviation of b; 'cos' has uniform phases.
    draws, random_state, n_jobs
        As in ``RandomFourierFeatures``.

    Attributes
    ----------
    random_weights_ : ndarray of shape (n_features, n_components)
        The projections w.
    random_offset_ : ndarray of shape (n_components,)
        The biases b.
    kernel_error_ : float or None
        As in ``RBFSampler``, for 'cos'; the other functions have kernels of their own.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernel_approximation import KitchenSinks
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> KitchenSinks(200, family="relu").fit_transform(X).shape
    (100, 200)
    """

    _model = "sinks"

    def __init__(
        self,
        n_components: int = 100,
        *,
        kernel: Any = "rbf",
        gamma: float | str | None = "scale",
        family: str = "cos",
        bias: float = 1,
        draws: str = "best",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.family = family
        self.bias = bias
        self.draws = draws
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _keep(self, model: _core.FittedModel) -> None:
        super()._keep(model)
        self.random_weights_ = model.array("map.frequencies")
        self.random_offset_ = model.array("map.biases").ravel()
