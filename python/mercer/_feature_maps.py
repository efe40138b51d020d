"""What explicit features of kernels share that are drawn at random, or sampled from a spectrum."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from mercer import _core
from mercer._base import Array, Estimator
from mercer._kernel_choice import KernelChoice
from mercer._options import OptionNames, check_parameters
from mercer._parameters import text_of
from mercer._parameters import value_of as setting_value

# Parameters of all maps.
MAP_NAMES: OptionNames = {"n_components": "size", "sample_steps": "steps", "sample_interval": "interval"}


def kernel_error(model: _core.FittedModel) -> float | None:
    """Give the root mean square error of a map's inner products on a sample of rows, where it stands for a kernel."""
    return model.fact("kernel error (rms)")


class FeatureMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """A transformer whose features are functions of the columns, fixed at the fit."""

    _option_names: ClassVar[OptionNames] = MAP_NAMES
    _kernel_names: ClassVar[dict[str, str]] = {"rbf": "rbf(gamma={gamma})", "laplacian": "laplacian(gamma={gamma})"}

    def _traits(self) -> dict[str, bool]:
        return {"sparse": True}

    def fit(self, X: Any, y: Any = None) -> Any:
        """Draw the features for rows of so many columns.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows: their columns, the widths of the kernel, and the estimate of its error.
        y : ignored
            For the sake of pipelines.

        Returns
        -------
        self
        """
        check_parameters(self)
        choice = self._choice(X)
        rows = self._check_rows(X, choice, reset=True)
        self._keep(self._run(choice, rows))
        return self

    def _adopt(self, model: _core.FittedModel) -> None:
        self._keep(model)

    def _keep(self, model: _core.FittedModel) -> None:
        self._n_features_out = len(model.output_names)
        self.kernel_error_ = kernel_error(model)

    def transform(self, X: Any) -> Array:
        """Give the features of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        samples = self._samples(X)
        return np.asarray(self._check_fitted().predict(samples, threads=self._threads()))


class NamedKernelMap(FeatureMap):
    """A transformer of one kernel, ``_kernel_name``, whose parameters (``_kernel_values``) are its own."""

    _kernel_name: ClassVar[str]
    _kernel_values: ClassVar[tuple[str, ...]]

    def _chosen_kernel(self, X: Any = None) -> KernelChoice:
        values = ", ".join(f"{name}={text_of(getattr(self, name))}" for name in self._kernel_values)
        return KernelChoice(_core.Kernel(f"{self._kernel_name}({values})").spec)

    def _adopt(self, model: _core.FittedModel) -> None:
        name, values, _, columns = _core.Kernel(model.requested_kernel).tree()
        if name != self._kernel_name or columns is not None:
            raise ValueError(f"{type(self).__name__} has the kernel {self._kernel_name}; this model has {model.kernel}")
        for parameter in self._kernel_values:
            if parameter in values:
                setattr(self, parameter, setting_value(values[parameter]))
        super()._adopt(model)


def keep_frequencies(estimator: Any, model: _core.FittedModel) -> None:
    estimator.random_weights_ = model.array("map.frequencies")
    estimator.random_offset_ = model.array("map.phases").ravel()
