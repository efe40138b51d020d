"""Tensor sketch of a polynomial kernel."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer import _core
from mercer._feature_maps import NamedKernelMap
from mercer._rules import AT_LEAST_ONE, NOT_NEGATIVE, POSITIVE, Rules


class PolynomialCountSketch(NamedKernelMap):
    """Tensor sketch: random features of the polynomial kernel (gamma x·y + coef0)^degree.

    Parameters and attributes are those of ``sklearn.kernel_approximation.PolynomialCountSketch``.

    Parameters
    ----------
    gamma : float, default=1.0
        Factor of the inner product.
    degree : int, default=2
        Of the polynomial.
    coef0 : float, default=0
        Constant, at least 0.
    n_components : int, default=100
        How many features; products of small primes are fastest.
    random_state : int, RandomState instance or None, default=None
        Seed of the hashes; None is 0.
    n_jobs : int, optional
        Threads. None: all cores, or OMP_NUM_THREADS.

    Attributes
    ----------
    indexHash_ : ndarray of shape (degree, n_features)
        The feature that every column goes to, per factor; one column more where coef0 is not 0.
    bitHash_ : ndarray of the same shape
        Its sign.
    kernel_error_ : float
        Root mean square error against kernel values of a few hundred rows.
    n_features_in_, feature_names_in_, fit_report_
        As in ``SVC``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernel_approximation import PolynomialCountSketch
    >>> X = np.random.default_rng(0).uniform(size=(100, 3))
    >>> features = PolynomialCountSketch(degree=2, n_components=2048, random_state=0).fit_transform(X)
    >>> bool(abs(features[0] @ features[1] - (X[0] @ X[1]) ** 2) < 0.1)
    True
    """

    _model = "sketch"
    _kernel_name = "poly"
    _kernel_values = ("degree", "gamma", "coef0")
    _rules: ClassVar[Rules] = {
        "gamma": POSITIVE,
        "degree": AT_LEAST_ONE,
        "coef0": NOT_NEGATIVE,
        "n_components": AT_LEAST_ONE,  # as in scikit-learn, without the engine's 0
    }

    def __init__(
        self,
        *,
        gamma: float = 1.0,
        degree: int = 2,
        coef0: float = 0,
        n_components: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _keep(self, model: _core.FittedModel) -> None:
        super()._keep(model)
        buckets = model.array("map.buckets")
        used = buckets.shape[1] - (self.coef0 == 0)
        self.indexHash_ = buckets[:, :used].astype(np.int64)
        self.bitHash_ = model.array("map.signs")[:, :used].astype(np.int64)
