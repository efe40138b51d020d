"""What rows of a fit and new rows are: a matrix, a table whose columns have names, or things that are no vectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import _check_sample_weight

from mercer import _core
from mercer._compat import TagsMixin, check_names, check_numbers, validate_data
from mercer._frames import (
    called,
    frame_matrix,
    missing_columns,
    names_of,
    notations_of_matrix,
    require_numeric_frame,
    seen_table,
)
from mercer._kernel_choice import KernelChoice, choose_kernel
from mercer._model_files import StoredEstimator
from mercer._samples import as_samples, is_frame, is_objects, kernel_of

Array = npt.NDArray[Any]

# Templates for the names of kernels that scikit-learn's support vector machines know.
SVM_KERNELS = {
    "linear": "linear()",
    "poly": "poly(degree={degree}, gamma={gamma}, coef0={coef0})",
    "rbf": "rbf(gamma={gamma})",
    "sigmoid": "sigmoid(gamma={gamma}, coef0={coef0})",
}


class RowChecks(TagsMixin, StoredEstimator):
    """An estimator that knows rows by what its kernel takes, and columns by what they were at the fit."""

    _kernel_names: ClassVar[Mapping[str, str]] = SVM_KERNELS
    _fewest_rows: ClassVar[int] = 1
    # Of the columns of a frame of numbers, how files write them where that is not the plain way.
    _notations: Mapping[str, str] = MappingProxyType({})

    def _choice(self, X: Any = None) -> KernelChoice:
        """Read the kernel as it stands for these rows, or for any."""
        choice = self._chosen_kernel(X)
        if "[" in choice.functions and is_frame(X):
            choice = replace(choice, functions=_core.named_functions(choice.functions, names_of(X)))
        if choice.is_matrix or "[" not in choice.spec:
            return choice
        return replace(choice, spec=kernel_of(_core.Kernel(choice.spec), X).spec)

    def _chosen_kernel(self, X: Any = None) -> KernelChoice:
        columns = X.shape[1] if len(getattr(X, "shape", ())) == 2 else None
        return choose_kernel(self, self._kernel_names, columns)

    def _check_rows(self, X: Any, choice: KernelChoice, *, reset: bool) -> Any:
        if not reset and self._knows_columns():
            return self._named_rows(X)
        if reset:
            self._forget_frame()
        if is_frame(X) and not choice.is_matrix:
            if reset and choice.takes(X):
                return self._check_table(X)
            return self._check_matrix(X, reset=reset)
        if is_frame(X):
            require_numeric_frame(X, *self._matrix_words(choice))
        elif choice.takes(X):
            return X
        return self._check_array(X, reset=reset, sparse=not choice.given)

    def _check_array(self, X: Any, *, reset: bool, sparse: bool = True) -> Any:
        """Check rows of numbers that are all there, as scikit-learn does."""
        if not reset and self._is_plain(X):
            return X
        return validate_data(
            self,
            X,
            reset=reset,
            dtype=(np.float64, np.float32),
            accept_sparse="csr" if sparse else False,
            accept_large_sparse=True,
            ensure_min_samples=self._fewest_rows if reset else 1,
        )

    def _matrix_words(self, choice: KernelChoice) -> tuple[str, str]:
        """Who takes numbers alone, and what else could be done."""
        if choice.given:
            return "a precomputed kernel", "its rows are kernel values with every training row"
        return (
            "a kernel that is a function",
            "convert it, or take a kernel by its name or text form, which sees categories, dates and missing values",
        )

    def _forget_frame(self) -> None:
        for name in ("_stored_words", "_said_left_out", "_fitted_to", "_notations"):
            self.__dict__.pop(name, None)

    def _knows_columns(self) -> bool:
        """Whether the model finds the columns of new rows by their names: it was fitted to a table."""
        model = getattr(self, "_fitted", None)
        return model is not None and self._fitted_to != "matrix" and bool(model.feature_names)

    def _row_names(self) -> list[str] | None:
        """Names that a model keeps of the columns of a frame of numbers; None: it counts them."""
        names = getattr(self, "feature_names_in_", None)
        if self._fitted_to != "matrix" or names is None or len(set(names)) != len(names):
            return None
        return called(names)

    def _named_rows(self, X: Any) -> Any:
        """New rows for a model that names its columns: frames in any order, arrays in that of the names."""
        model = self._fitted
        if is_frame(X):
            if missing := missing_columns(X, model.preparation):
                raise ValueError(
                    "The feature names should match those that were passed during fit. Columns of the fit that are "
                    f"missing here: {', '.join(missing)}."
                )
            return seen_table(X, model.preparation, getattr(self, "_stored_words", None))
        if is_objects(X):
            return X
        if others := [name for name, kind, _ in model.schema if kind != "numeric"]:
            raise ValueError(
                f"{type(self).__name__} was fitted to a table of more than numbers ({others[0]!r} is not); "
                "new rows come as a data frame with the same names of columns"
            )
        samples = as_samples(X)
        if model.preparation.is_coded:
            samples.require_finite()  # missing values are for frames
        return as_samples(X, names=model.feature_names)

    def _check_table(self, X: Any) -> Any:
        """Keep the names of the columns of a frame that is a table, as ``KernelChoice.takes`` says."""
        if X.shape[0] < self._fewest_rows or X.shape[1] == 0:
            raise ValueError(
                f"Found a frame of {X.shape[0]} rows and {X.shape[1]} columns while a minimum of {self._fewest_rows} "
                f"sample(s) and 1 feature(s) is required by {type(self).__name__}."
            )
        check_names(self, X, reset=True)
        self._fitted_to = "table"
        return X

    def _check_matrix(self, X: Any, *, reset: bool, gaps: bool = True) -> Any:
        """Give the numbers of a frame as an array, or as a sparse matrix; gaps: whether numbers may be missing."""
        check_names(self, X, reset=reset)
        matrix = frame_matrix(X, None if reset else self._check_fitted().preparation)
        if matrix is None:
            rows = self._check_array(X, reset=reset)
        else:
            missing = gaps and (reset or self._fills_missing(self._check_fitted()))
            fewest_rows = self._fewest_rows if reset else 1
            rows = np.asarray(check_numbers(self, matrix, missing=missing, fewest_rows=fewest_rows))
        if reset:
            self._fitted_to, self._notations = "matrix", notations_of_matrix(X)
        return rows

    def _fills_missing(self, model: _core.FittedModel) -> bool:
        """Whether missing numbers of a frame of numbers mean something to a model: it was fitted to such a frame."""
        return model.preparation.is_coded or "if_present" in model.kernel

    def _is_plain(self, X: Any) -> bool:
        """Whether new rows are certainly as ``validate_data`` wants them; it takes 0.1 ms to find out."""
        shaped = (
            type(X) is np.ndarray
            and X.dtype in (np.float64, np.float32)
            and X.ndim == 2
            and X.shape[0] > 0
            and X.shape[1] == getattr(self, "n_features_in_", None)
            and not hasattr(self, "feature_names_in_")
        )
        return shaped and _all_finite(X)

    def _check_weights(self, sample_weight: Any, rows: Any) -> Array | None:
        if sample_weight is None:
            return None
        if not hasattr(rows, "shape"):
            rows = np.empty((len(rows), 1))
        weights: Array = _check_sample_weight(sample_weight, rows, dtype=np.float64)
        return np.ascontiguousarray(weights)


def _all_finite(X: Array) -> bool:
    if not X.flags.c_contiguous:
        with np.errstate(over="ignore", invalid="ignore"):
            return bool(np.isfinite(X.sum()))
    try:
        as_samples(X).require_finite()
    except ValueError:
        return False
    return True
