"""What regressors and classifiers over kernel expansions share: fit, coefficients, centres, probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin

from mercer import _core
from mercer._base import Array, Estimator, step_count
from mercer._classifier import DecisionClassifier
from mercer._options import check_parameters
from mercer._pairwise import PairwiseClassifier, PairwiseKernel
from mercer._regressor import Regressor
from mercer._svm_base import stored_centers


def center_rows(estimator: Any, model: _core.FittedModel) -> Any:
    """Give the centres of a model's functions; an empty array where only their kernel values are known."""
    if estimator._fitted_choice.is_matrix:
        return np.empty((0, 0), dtype=np.float64)
    return stored_centers(model)


class ExpansionMachine(Estimator):
    """A model f(x) = Σ a_j k(z_j, x) + b. Derived classes name the centres in ``_keep_machine``."""

    def _keep_machine(self, model: _core.FittedModel) -> None:
        """Set the attributes that follow from the model alone."""
        self.n_iter_ = step_count(model)

    def _expansion(self, model: _core.FittedModel) -> tuple[Array, Array]:
        """Give the coefficients, a row per centre and a column per function, and the constants."""
        return model.array("coefficients"), model.array("parametric").sum(axis=0)


class TargetRegressor(MultiOutputMixin, Regressor):
    """A regressor of one or several targets, with weights of rows, whose kernel has the parameter ``gamma``."""

    gamma: float | str | None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the model to the targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w rows; rows of weight 0 are left out.

        Returns
        -------
        self
        """
        self._fit_values(X, y, sample_weight)
        self._keep_machine(self._check_fitted())
        return self

    def _traits(self) -> dict[str, bool]:
        return {**super()._traits(), "multi_output": True}

    def _adopt(self, model: _core.FittedModel) -> None:
        self._flat_target = len(model.output_names) == 1
        self._keep_machine(model)

    def _keep_machine(self, model: _core.FittedModel) -> None:
        """Set the attributes that follow from the model alone."""


class LabelClassifier(PairwiseClassifier, DecisionClassifier):
    """A classifier with weights of rows and classes."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the model to the labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the square matrix of their kernel values.
        y : array-like of shape (n_samples,)
            Labels: numbers, strings or truth values.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w rows; rows of weight 0 are left out.

        Returns
        -------
        self
        """
        check_parameters(self)
        self._fit_classes(X, y, sample_weight)
        self._keep_machine(self._check_fitted())
        return self

    def _adopt(self, model: _core.FittedModel) -> None:
        super()._adopt(model)
        self._keep_machine(model)

    def _keep_machine(self, model: _core.FittedModel) -> None:
        """Set the attributes that follow from the model alone."""


class MachineRegressor(ExpansionMachine, TargetRegressor, PairwiseKernel):
    """A regressor that is a kernel expansion."""

    def _keep_machine(self, model: _core.FittedModel) -> None:
        super()._keep_machine(model)
        coefficients, constants = self._expansion(model)
        self.dual_coef_ = coefficients[:, 0] if self._flat_target else coefficients
        self.intercept_: Any = float(constants[0]) if self._flat_target else constants


class MachineClassifier(ExpansionMachine, LabelClassifier):
    """A classifier whose functions are kernel expansions."""

    def _keep_machine(self, model: _core.FittedModel) -> None:
        super()._keep_machine(model)
        coefficients, self.intercept_ = self._expansion(model)
        self.dual_coef_ = coefficients.T.copy()
