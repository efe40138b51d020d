"""The ``kernel`` parameter of estimators: names of scikit-learn, specs, kernel objects, functions, matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.metrics.pairwise import pairwise_kernels

from mercer import _core
from mercer._frames import is_matrix
from mercer._parameters import text_of
from mercer._samples import is_frame, is_objects
from mercer.kernels import as_kernel

PRECOMPUTED = "precomputed(ids=first_column)"


@dataclass(frozen=True)
class KernelChoice:
    """A kernel as the engine takes it.

    Attributes
    ----------
    spec : str
        The text form.
    function : callable, optional
        Computes the kernel matrix of two arrays; the engine then sees its values only.
    given : bool
        Whether the caller passes kernel matrices in place of samples.
    functions : str
        What stands beside the kernel: its columns are looked at, too.
    """

    spec: str
    function: Callable[[Any, Any], Any] | None = None
    given: bool = False
    functions: str = "none"

    @property
    def is_matrix(self) -> bool:
        """Whether samples reach the engine as rows of a kernel matrix."""
        return self.given or self.function is not None

    @property
    def seeing(self) -> str:
        """A kernel that looks at the columns of the functions, too: how rows are read and coded."""
        if not self.spec or self.functions in ("none", "constant"):
            return self.spec
        return _core.Kernel(self.spec).seeing(self.functions).spec

    def takes(self, X: Any) -> bool:
        """Whether X goes to the kernel as it is: strings, sets, graphs, or a frame that is a table.

        That is one which holds other things than numbers, or whose columns the kernel names.
        """
        if self.is_matrix:
            return False
        if is_frame(X):
            return "[" in self.spec + self.functions or not is_matrix(X)
        return self.spec != "" and is_objects(X)


def choose_kernel(estimator: Any, names: Mapping[str, str], n_features: int | None = None) -> KernelChoice:
    """Read the ``kernel`` parameter of an estimator.

    Parameters
    ----------
    estimator : BaseEstimator
        With the parameters that the templates name, and that which ``_kernel_parameter`` names.
    names : mapping from str to str
        Templates for scikit-learn's names, such as ``{"rbf": "rbf(gamma={gamma})"}``.
    n_features : int, optional
        The number of columns, where it is known.

    Returns
    -------
    KernelChoice
    """
    return replace(_read_kernel(estimator, names, n_features), functions=functions_of_columns(estimator))


def functions_of_columns(estimator: Any) -> str:
    """Give the text of the functions of columns that an estimator has beside its kernel, or for its tube."""
    return str(getattr(estimator, getattr(estimator, "_functions_parameter", "parametric"), "none"))


def _read_kernel(estimator: Any, names: Mapping[str, str], n_features: int | None) -> KernelChoice:
    kernel = getattr(estimator, estimator._kernel_parameter)
    if isinstance(kernel, str):
        if kernel == "precomputed":
            return KernelChoice(PRECOMPUTED, given=True)
        if kernel in names:
            return KernelChoice(names[kernel].format_map(_Values(estimator)))
        return KernelChoice(as_kernel(kernel).spec)
    try:
        return KernelChoice(as_kernel(kernel, n_features=n_features).spec)
    except TypeError:
        if not callable(kernel):
            raise
    return KernelChoice(PRECOMPUTED, function=kernel)


@dataclass(frozen=True)
class RowsOrMatrices:
    """A kernel function as ``sklearn.metrics.pairwise`` takes it, of two rows, or one of two matrices.

    Which of the two it is shows when it is called with two rows and three.
    """

    function: Callable[[Any, Any], Any]

    def __call__(self, x: Any, y: Any) -> Any:
        """Give the kernel matrix of the rows of x and y."""
        few, others = x[:2], y[:3]
        try:
            of_matrices = np.shape(self.function(few, others)) == (few.shape[0], others.shape[0])
        except Exception:
            of_matrices = False
        return self.function(x, y) if of_matrices else pairwise_kernels(x, y, metric=self.function)


class _Values(dict[str, str]):
    """The parameters of an estimator as texts, by name."""

    def __init__(self, estimator: Any) -> None:
        super().__init__()
        self._estimator = estimator

    def __missing__(self, key: str) -> str:
        # "gamma|1": 1 where gamma is None.
        name, _, default = key.partition("|")
        value = getattr(self._estimator, name)
        return default or "auto" if value is None else text_of(value)


def matrix_rows(values: Any, columns: int | None = None) -> np.ndarray[Any, Any]:
    """Rows of a kernel matrix with their number, counted from 1, before them: which training row each is.

    Parameters
    ----------
    values : array of shape (n, columns)
        Kernel values with every training row.
    columns : int, optional
        How many training rows there are; None: the values are those of the training rows themselves.
    """
    if scipy.sparse.issparse(values):
        raise TypeError("Sparse precomputed kernels are not supported.")
    array = np.asarray(values)
    dtype = np.float32 if array.dtype == np.float32 else np.float64
    if array.ndim != 2 or array.shape[1] != (array.shape[0] if columns is None else columns):
        wanted = "a square matrix" if columns is None else f"a matrix of {columns} columns, one per training row"
        shape = "x".join(str(size) for size in array.shape)
        raise ValueError(f"Precomputed matrix must be {wanted}. Input is a {shape} matrix.")
    rows = np.empty((array.shape[0], array.shape[1] + 1), dtype=dtype)
    rows[:, 0] = np.arange(1, array.shape[0] + 1)
    rows[:, 1:] = array
    return rows
