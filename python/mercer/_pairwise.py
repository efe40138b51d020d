"""Kernels as in ``sklearn.metrics.pairwise``: their names, their parameters, functions of two rows."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from mercer._base import Estimator
from mercer._classifier import Classifier
from mercer._kernel_choice import KernelChoice, RowsOrMatrices

# Templates; gamma=None is 1/n_features, and 1 for chi2.
PAIRWISE_KERNELS = {
    "linear": "linear()",
    "poly": "poly(degree={degree}, gamma={gamma}, coef0={coef0})",
    "polynomial": "poly(degree={degree}, gamma={gamma}, coef0={coef0})",
    "rbf": "rbf(gamma={gamma})",
    "laplacian": "laplacian(gamma={gamma})",
    "sigmoid": "sigmoid(gamma={gamma}, coef0={coef0})",
    "cosine": "cosine()",
    "chi2": "chi2(gamma={gamma|1})",
}


class PairwiseKernel(Estimator):
    """An estimator with the parameters ``kernel``, ``gamma``, ``degree``, ``coef0`` and ``kernel_params``."""

    _kernel_names = PAIRWISE_KERNELS
    kernel_params: dict[str, Any] | None

    def _traits(self) -> dict[str, bool]:
        kernel = getattr(self, self._kernel_parameter)
        given = isinstance(kernel, str) and kernel == "precomputed"
        return {"pairwise": given, "sparse": not given}

    def _chosen_kernel(self, X: Any = None) -> KernelChoice:
        choice = super()._chosen_kernel(X)
        return choice if choice.function is None else replace(choice, function=self._function(choice.function))

    def _function(self, kernel: Any) -> Any:
        return RowsOrMatrices(partial(kernel, **self.kernel_params) if self.kernel_params else kernel)


class PairwiseClassifier(Classifier, PairwiseKernel):
    """A classifier with the parameters of ``PairwiseKernel``."""

    gamma: float | str | None
