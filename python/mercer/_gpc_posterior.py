"""The posterior of one binary Gaussian process classifier, under the names that scikit-learn has for it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg
from scipy.special import expit

from mercer import _core

if TYPE_CHECKING:
    from mercer._base import Array
    from mercer._gpc import GaussianProcessClassifier


class Posterior:
    """What ``GaussianProcessClassifier.base_estimator_`` is where there is one model.

    Parameters
    ----------
    owner : GaussianProcessClassifier
        A fitted one. Predictions and evidence are its own.

    Attributes
    ----------
    X_train_, y_train_, classes_, kernel_, log_marginal_likelihood_value_
        As in the classifier.
    f_ : ndarray of shape (n_samples,)
        Latent values at the training rows: for Laplace's approximation the mode of the posterior (two classes).
    pi_, W_sr_ : ndarray of shape (n_samples,)
        Probabilities of ``classes_[1]`` there and the square root of the negative Hessian of the log likelihood, for
        Laplace's approximation with the logistic link.
    L_ : ndarray of shape (n_samples, n_samples)
        Lower Cholesky factor of I + W_sr_ K W_sr_, computed when it is first asked for.
    """

    def __init__(self, owner: GaussianProcessClassifier) -> None:
        self._owner = owner

    def __getattr__(self, name: str) -> Any:
        # What is not here is the classifier's. Copying and pickling look for names before there is an owner.
        if name.startswith("_"):
            raise AttributeError(name)
        if hasattr(type(self), name):
            raise AttributeError(f"{name} is defined for two classes, inference='laplace' and link='logistic'")
        return getattr(self._owner, name)

    def __repr__(self) -> str:
        return f"Posterior({self._owner!r})"

    @cached_property
    def f_(self) -> Array:
        """Latent values at the training rows."""
        if self._owner.n_classes_ > 2:
            raise AttributeError("f_")
        owner = self._owner
        samples = owner._samples_of_fit(owner.X_train_)
        return np.asarray(owner._check_fitted().decide(samples, threads=owner._threads()))[:, 0]

    @property
    def pi_(self) -> Array:
        """Probabilities of the second class at the latent values."""
        if self._owner.inference != "laplace" or self._owner.link != "logistic":
            raise AttributeError("pi_")
        return np.asarray(expit(self.f_))

    @property
    def W_sr_(self) -> Array:  # noqa: N802
        """Square root of pi (1 - pi)."""
        return np.asarray(np.sqrt(self.pi_ * (1 - self.pi_)))

    @cached_property
    def L_(self) -> Array:  # noqa: N802
        """Lower Cholesky factor of I + W_sr_ K W_sr_."""
        owner, root = self._owner, self.W_sr_
        kernel = _core.Kernel(owner._check_fitted().kernel)
        covariance = kernel.gram(owner._prepared(owner.X_train_), threads=owner._threads())
        inside = np.eye(len(root)) + root[:, None] * covariance * root
        return np.asarray(scipy.linalg.cholesky(inside, lower=True))
