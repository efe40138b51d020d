"""Estimators that begin with a function known before the fit: the parameter ``prior``."""

from __future__ import annotations

import os
from typing import Any

from sklearn.base import BaseEstimator

from mercer import _core
from mercer._base import Estimator
from mercer._kernel_choice import KernelChoice
from mercer._record import PRIOR


class PriorMixin(Estimator):
    """An estimator that fits what a prior function leaves of the targets, and adds it to its predictions."""

    prior: Any

    def _prior_model(self, choice: KernelChoice) -> _core.FittedModel | None:
        if self.prior is None:
            return None
        if choice.is_matrix:
            raise ValueError(
                f"{type(self).__name__}: prior needs the rows themselves, and a precomputed kernel or one that is a "
                "Python function leaves none for new rows: give a kernel of the language"
            )
        if isinstance(self.prior, _core.FittedModel):
            return self.prior
        if isinstance(self.prior, str | os.PathLike):
            return _core.FittedModel.load(os.fspath(self.prior))
        if isinstance(self.prior, Estimator):
            return self._model_of(self.prior)
        raise ValueError(
            f"The 'prior' parameter of {type(self).__name__} must be a fitted estimator of this package, the path of a "
            f"model file or None. Got {self.prior!r} instead."
        )

    def _model_of(self, estimator: Estimator) -> _core.FittedModel:
        model = estimator._check_fitted()
        if estimator._bundle() is not None:
            raise ValueError(
                f"{type(self).__name__}: the prior {type(estimator).__name__} is more than one model, or its kernel is "
                "a Python function: take one that a single model file holds"
            )
        return model

    def __sklearn_clone__(self) -> Any:
        # A clone of the prior would not be fitted, and it is nothing that a fit of this estimator changes.
        copy = BaseEstimator.__sklearn_clone__(self)
        copy.prior = self.prior
        return copy

    # ---- Model files: the prior stands in the model itself ---------------------------------------------------------

    @classmethod
    def _from_model(cls: Any, model: _core.FittedModel) -> Any:
        estimator = super()._from_model(model)
        estimator.prior = model.prior
        return estimator

    def _encoded(self, name: str, value: Any) -> Any:
        return PRIOR if name == "prior" and value is not None else super()._encoded(name, value)

    def _decoded(self, name: str, value: Any) -> Any:
        return self.prior if name == "prior" else super()._decoded(name, value)
