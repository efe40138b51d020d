"""What the kernel support vector machines share: support vectors, coefficients, intercepts as scikit-learn has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import scipy.sparse
from sklearn.utils.validation import _num_samples

from mercer import _core
from mercer._base import Array, Estimator, constants_of, functions_of, step_count
from mercer._kernel_choice import KernelChoice
from mercer._model_files import stored_words
from mercer._objects import object_array
from mercer._options import AddedWords, OptionNames
from mercer._rules import COUNT, POSITIVE, WIDTHS, Limits, Rules, reject
from mercer._samples import is_frame, rows_at

# Up to so many rows double kernel values cost little.
DOUBLE_ROWS = 5000


class KernelMachine(Estimator):
    """A machine f(x) = Σ β_i k(x_i, x) + b over its support vectors."""

    _option_names: ClassVar[OptionNames] = {"max_iter": "max_steps", "precision": "verify"}
    _added_words: ClassVar[AddedWords] = {"precision": ("auto",)}
    _rules: ClassVar[Rules] = {
        "max_iter": Limits(-1, integer=True),  # -1 is the engine's 0, as in scikit-learn
        "degree": COUNT,
        "gamma": WIDTHS,
        "cache_size": POSITIVE,
    }

    def _traits(self) -> dict[str, bool]:
        given = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return {"pairwise": given, "sparse": not given}

    def _run(self, choice: KernelChoice, rows: Any, y: Any = None, **arguments: Any) -> _core.FittedModel:
        weights = arguments.get("sample_weight")
        if self._weights_as_peer and weights is not None and self.gamma == "scale":
            counts = arguments.get("counts")
            choice = self._with_widths(choice, rows, None, weights if counts is None else counts)
        return super()._run(choice, rows, y, **arguments)

    def _settings(self) -> dict[str, str]:
        settings = super()._settings()
        settings["max_steps"] = str(max(0, self.max_iter))
        if self.precision == "auto":
            settings["verify"] = self._auto_precision
        if self.degree == 0 and self.kernel == "poly":
            reject(self, "degree", self.degree, "at least 1 for kernel='poly'")
        return settings

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        stored = super()._stored_parameters(settings)
        return {**stored, "max_iter": stored["max_iter"] or -1}

    def _check_rows(self, X: Any, choice: KernelChoice, *, reset: bool) -> Any:
        rows = super()._check_rows(X, choice, reset=reset)
        if reset:
            single = getattr(rows, "dtype", None) == np.float32 or _num_samples(rows) > DOUBLE_ROWS
            self._auto_precision = "float" if single else "double"
        return rows

    def _adopt(self, model: _core.FittedModel) -> None:
        self._keep_machine(model, None)

    def _keep_machine(self, model: _core.FittedModel, rows: Any) -> None:
        """Set the attributes of a machine of one function; rows as in ``_keep_support``."""
        order = self._keep_support(model, rows)
        self._machine_coefficients = model.array("coefficients")[order]
        self.dual_coef_ = self._machine_coefficients.T.copy()
        self._keep_functions(model)
        self.n_support_ = np.array([len(self.support_)], dtype=np.int32)
        self.n_iter_ = step_count(model)

    def _keep_functions(self, model: _core.FittedModel) -> None:
        self.intercept_ = constants_of(model)
        if hasattr(self, "parametric"):
            self.parametric_names_ = model.function_names()
            self.parametric_coef_ = functions_of(model)

    def _keep_support(self, model: _core.FittedModel, rows: Any = None, order: Array | None = None) -> Array:
        """Set support_, support_vectors_ and shape_fit_; give the order of the support vectors in the model.

        Rows: those of the fit, None for a model from a file, whose support vectors are its own copies.
        """
        choice: KernelChoice = self._fitted_choice
        numbers = model.array("support_rows")[:, 0]
        # Points that a compressed model made up are no rows.
        support = np.where(numbers < np.iinfo(np.int32).max, numbers, -1).astype(np.int32)
        if order is None:
            order = np.argsort(support, kind="stable")
        self.support_ = support[order]
        if choice.is_matrix:
            self.support_vectors_: Any = np.empty((0, 0), dtype=np.float64)
        elif rows is None or _is_coded(model, rows):
            self.support_vectors_ = stored_centers(model)[order]
        else:
            self.support_vectors_ = rows_at(rows, self.support_)
        if hasattr(rows, "shape"):
            self.shape_fit_ = rows.shape
        self.fit_status_ = 0 if model.report["status"] == "converged" else 1
        return order

    @property
    def coef_(self) -> Array:
        """Weights of the columns, one row per machine; for a linear kernel only."""
        self._check_fitted()
        if self._fitted.kernel != "linear()":
            raise AttributeError("coef_ is only available when using a linear kernel")
        return np.asarray(self._machine_coefficients.T @ _dense(self.support_vectors_))


def _is_coded(model: _core.FittedModel, rows: Any) -> bool:
    """Whether the rows of a fit are a frame that the model sees as numbers, by its codes."""
    if not model.preparation.is_coded:
        return False
    if not is_frame(rows):
        return not scipy.sparse.issparse(rows) and bool(np.isnan(rows).any())
    content = model.sample_set("centres")
    return not (isinstance(content, tuple) and len(content) == 3 and content[2])


def _dense(rows: Any) -> Array:
    return np.asarray(rows.toarray() if scipy.sparse.issparse(rows) else rows)


def stored_centers(model: _core.FittedModel) -> Any:
    """Give the rows that a model holds, as ``stored_rows``; words of sets and graphs are words again."""
    return stored_rows(model.sample_set("centres"), stored_words(model))


def stored_rows(content: Any, words: Mapping[str, Sequence[str]] = MappingProxyType({})) -> Any:
    """Rows of a model as users hold them: an array, a CSR matrix, or an array of objects (of dicts for tables)."""
    if isinstance(content, tuple) and len(content) == 3:
        numeric, names, others = content
        columns = {name: _column(values, words.get(name)) for name, values in others}
        return _table_rows(stored_rows(numeric), names, columns)
    if isinstance(content, tuple) and len(content) == 4:
        data, indices, indptr, shape = content
        return scipy.sparse.csr_matrix((data, indices, indptr), shape=shape)
    return content if isinstance(content, np.ndarray) else object_array(content)


def _table_rows(numeric: Any, names: list[str], others: dict[str, Any]) -> Any:
    """Rows of a table: its numbers where it holds nothing else, otherwise one dict per row."""
    if not others:
        return numeric
    numbers = _dense(numeric)
    count = len(next(iter(others.values())))
    rows = [
        {
            **{name: numbers[row, column] for column, name in enumerate(names)},
            **{name: values[row] for name, values in others.items()},
        }
        for row in range(count)
    ]
    return object_array(rows)


def _column(content: Any, words: Sequence[str] | None) -> Any:
    """Values of one column that is not numeric; categories come as codes and levels."""
    if isinstance(content, tuple) and len(content) == 2:
        codes, levels = content
        return [levels[code] if code >= 0 else None for code in codes]
    return [in_words(item, words) for item in content] if words else stored_rows(content)


def in_words(item: Any, words: Sequence[str]) -> Any:
    """Give a set or graph with the words that its numbers stand for."""
    if isinstance(item, frozenset):
        return frozenset(words[member] for member in item)
    nodes = item["nodes"] if isinstance(item["nodes"], int) else [words[label] for label in item["nodes"]]
    edges = [[*edge[:2], *(words[label] for label in edge[2:])] for edge in item["edges"]]
    return {**item, "nodes": nodes, "edges": edges}
