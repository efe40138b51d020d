"""What all estimators share: checks, the call of the engine, warnings. Model files: ``_model_files.py``."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_sample_weight

from mercer import _core
from mercer._compat import TagsMixin, check_names, check_numbers, validate_data
from mercer._frames import (
    frame_matrix,
    level_of_caller,
    missing_columns,
    notations_of_matrix,
    require_numeric_frame,
    seen_table,
)
from mercer._kernel_choice import KernelChoice, choose_kernel, matrix_rows
from mercer._model_files import StoredEstimator
from mercer._options import AddedWords, OptionNames, parameters_of
from mercer._parameters import seed_of, text_of, thread_count
from mercer._progress import ProgressBar
from mercer._rules import Rules
from mercer._samples import TrainingRows, as_samples, is_frame, is_objects, kernel_of, training_samples

Array = npt.NDArray[Any]

# Templates for the names of kernels that scikit-learn's support vector machines know.
SVM_KERNELS = {
    "linear": "linear()",
    "poly": "poly(degree={degree}, gamma={gamma}, coef0={coef0})",
    "rbf": "rbf(gamma={gamma})",
    "sigmoid": "sigmoid(gamma={gamma}, coef0={coef0})",
}


class Estimator(TagsMixin, StoredEstimator):
    """An estimator over one model of the engine.

    Derived classes name the model (``_model``) and read the fitted attributes from it (``_adopt``). What parameters set
    and may be follows from the engine's table of the model (``_options.py``); the classes say what is other here.
    """

    # Options whose names are other than those of the parameters that set them.
    _option_names: ClassVar[OptionNames] = {}
    _added_words: ClassVar[AddedWords] = {}
    # What parameters may be that set no option, or of which scikit-learn's classes say something else than the engine.
    _rules: ClassVar[Rules] = {}
    _kernel_names: ClassVar[Mapping[str, str]] = SVM_KERNELS
    _fewest_rows: ClassVar[int] = 1
    # Whether widths and balanced classes leave the weights of rows out of account, as scikit-learn's class does.
    _weights_as_peer: ClassVar[bool] = False
    # Of the columns of a frame of numbers, how files write them where that is not the plain way.
    _notations: Mapping[str, str] = MappingProxyType({})

    # ---- Checks --------------------------------------------------------------------------------------------------

    def _choice(self, X: Any = None) -> KernelChoice:
        """Read the kernel as it stands for these rows, or for any."""
        choice = self._chosen_kernel(X)
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
        return [str(name) for name in names]

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

    def _with_widths(
        self, choice: KernelChoice, rows: Any, weights: Array | None, counts: Array | None = None
    ) -> KernelChoice:
        """Take the kernel's widths from rows of these weights, where the fit is given others.

        counts: the weights by which the columns are prepared, where they are other than those of the widths.
        """
        if choice.is_matrix or _core.Kernel(choice.spec).is_resolved:
            return choice
        training = self._rows_for(choice, rows)
        preparation = self._preparation(choice, training, weights if counts is None else counts)
        samples = training.samples if preparation is None else preparation.apply(training.samples, self._threads())
        listed = [] if weights is None else weights.tolist()
        kernel = _core.Kernel(choice.spec).resolved(samples, listed, threads=self._threads(), seed=self._seed())
        return replace(choice, spec=kernel.spec)

    # ---- Fit -----------------------------------------------------------------------------------------------------

    def _settings(self) -> dict[str, str]:
        values = {option.name: getattr(self, name) for name, option in parameters_of(type(self)).options.items()}
        return {option: text_of(value) for option, value in values.items() if value is not None}

    def _training_rows(self, rows: Any, choice: KernelChoice) -> TrainingRows:
        for name in ("_rows_of_fit", "_stored_words"):
            self.__dict__.pop(name, None)
        if not choice.is_matrix:
            training = self._rows_for(choice, rows)
            if training.words:
                self._stored_words = training.words
            return training
        if choice.function is not None:
            self._rows_of_fit = rows.copy()
            rows = choice.function(rows, rows)
        return TrainingRows(as_samples(matrix_rows(rows)), {}, {})

    def _rows_for(self, choice: KernelChoice, rows: Any) -> TrainingRows:
        """Training rows, as ``_check_rows`` gave them, as samples of the core."""
        return training_samples(rows, choice.spec, names=self._row_names(), notations=self._notations)

    def _preparation(
        self, choice: KernelChoice, training: TrainingRows, weights: Array | None
    ) -> _core.Preparation | None:
        """Code and scale the rows of a frame; None for others, which reach the model as they are.

        A table is prepared as the program prepares a file. A frame of numbers is a matrix, as in scikit-learn: its
        columns keep their units, and missing numbers are filled.
        """
        if self._fitted_to == "rows" or choice.is_matrix:
            return None
        units = _core.Units.usual if self._fitted_to == "table" else _core.Units.kept
        preparation = _core.prepare(
            self._model, choice.spec, training.samples, units, weights, training.words, training.notations
        )
        if self._fitted_to == "table" and choice.spec and not preparation.names:
            self._require_numbers(choice.spec, preparation)
        return preparation

    def _require_numbers(self, kernel: str, preparation: _core.Preparation) -> None:
        """Refuse a frame that holds nothing for a kernel on vectors."""
        if not _core.Kernel(kernel).column_uses()["vectors_by_default"]:
            return
        columns = [f"{name} ({reason})" for name, reason in preparation.left_out]
        columns += [f"{name} ({kind})" for name, kind, _ in preparation.schema]
        raise ValueError(
            f"no column of the frame holds numbers or categories that {type(self).__name__} can use: "
            f"{', '.join(columns)}. Texts are used where the kernel names their column"
        )

    def _samples_of_fit(self, rows: Any) -> _core.Samples:
        """Training rows, as ``_check_rows`` gave them, for predictions."""
        return as_samples(
            rows,
            names=self._row_names(),
            seen=self._check_fitted().preparation,
            words=getattr(self, "_stored_words", None),
        )

    def _prepared(self, rows: Any) -> _core.Samples:
        """Training rows, as ``_check_rows`` gave them, as the fitted model sees them."""
        return self._check_fitted().preparation.apply(self._samples_of_fit(rows), self._threads())

    def _run(
        self,
        choice: KernelChoice,
        rows: Any,
        y: Any = None,
        *,
        training: TrainingRows | None = None,
        settings: Mapping[str, str] | None = None,
        sample_weight: Array | None = None,
        counts: Array | None = None,
        noise: Array | None = None,
        classes: list[str] | None = None,
        label_kind: str = "text",
    ) -> _core.FittedModel:
        """Fit the model of the engine, keep it, and say what went wrong in warnings.

        counts: weights of the rows, where sample_weight says how much their classes matter as well.
        """
        training = self._training_rows(rows, choice) if training is None else training
        options = dict(self._settings()) if settings is None else dict(settings)
        preparation = self._preparation(choice, training, sample_weight if counts is None else counts)
        arguments: dict[str, Any] = {
            "sample_weight": sample_weight,
            "noise": noise,
            "classes": classes,
            "label_kind": label_kind,
            "words": training.words,
            "preparation": preparation,
            "threads": self._threads(),
            "seed": self._seed(),
            "log": _warn,
        }
        if getattr(self, "verbose", False):
            with ProgressBar() as bar:
                model = _core.fit(self._model, choice.spec, options, training.samples, y, progress=bar, **arguments)
        else:
            model = _core.fit(self._model, choice.spec, options, training.samples, y, **arguments)
        self._fitted, self._fitted_choice = model, choice
        self._report_on(model)
        return model

    def _report_on(self, model: _core.FittedModel) -> None:
        self.fit_report_ = model.report
        left_out = model.preparation.left_out
        if left_out and left_out != getattr(self, "_said_left_out", None):
            # Once, where a fit is one of several models.
            self._said_left_out = left_out
            _warn("warning", _left_out_words(type(self).__name__, left_out))
        for note in model.notes("jitter added"):
            warnings.warn(f"{type(self).__name__}: {note}", UserWarning, stacklevel=level_of_caller())
        if model.report["status"] != "converged":
            warnings.warn(self._convergence_words(model), ConvergenceWarning, stacklevel=level_of_caller())

    def _convergence_words(self, model: _core.FittedModel) -> str:
        report = model.report
        limit = getattr(self, "max_iter", None)
        return (
            f"{type(self).__name__} stopped after {report['iterations']} iterations before it converged (status "
            f"{report['status']!r}" + (f", max_iter={limit}" if limit is not None else "") + "). Consider scaling the "
            "columns with StandardScaler or MinMaxScaler, a smaller C, a larger tol, or more iterations."
        )

    @property
    def coded_feature_names_(self) -> Array:
        """Names of the columns that the model sees, those of ``coef_`` for example, one per number.

        Of a frame: its columns of numbers, then ``"age is missing"`` where numbers were missing at the fit and
        ``"town=Paris"`` for every level of a category. Of other rows the names of their columns, or x0, x1, ….
        """
        model = self._check_fitted()
        preparation = model.preparation
        if model.feature_names:
            return np.array(preparation.names, dtype=object)
        names = [str(name) for name in getattr(self, "feature_names_in_", ())]
        names = names or [f"x{column}" for column in range(model.columns)]
        indicators = [names[int(text.split()[1])] + " is missing" for text in preparation.names[model.columns :]]
        return np.array(names + indicators, dtype=object)

    # ---- Prediction ----------------------------------------------------------------------------------------------

    def _samples(self, X: Any) -> _core.Samples:
        """New rows as samples of the fitted model; everything that can be wrong with them is said here."""
        self._check_fitted()
        choice: KernelChoice = self._fitted_choice
        rows = self._check_rows(X, choice, reset=False)
        if choice.function is not None:
            return as_samples(matrix_rows(choice.function(rows, self._rows_of_fit), self._rows_of_fit.shape[0]))
        if choice.given:
            return as_samples(matrix_rows(rows, rows.shape[1]))
        return as_samples(rows, names=self._row_names(), words=getattr(self, "_stored_words", None))

    def _threads(self) -> int:
        return thread_count(getattr(self, "n_jobs", None))

    def _seed(self) -> int:
        return seed_of(getattr(self, "random_state", None))


def step_count(model: _core.FittedModel) -> int:
    """Give the steps of a fit as scikit-learn counts them, from 1."""
    return max(1, int(model.report["iterations"]))


def constants_of(model: _core.FittedModel) -> Array:
    """Give the offsets of the functions, zeros where the fit had none."""
    return model.array("parametric")[0].copy() if model.has_array("parametric") else np.zeros(len(model.output_names))


def _left_out_words(estimator: str, columns: Sequence[tuple[str, str]]) -> str:
    listed = ", ".join(f"{name} ({reason})" for name, reason in columns)
    advice = "Without them in the frame the fit is the same"
    if texts := [name for name, reason in columns if reason in ("text", "unique")]:
        advice += (
            f"; texts ({', '.join(texts)}) are used where their column is of the category type, or where the kernel "
            "names it"
        )
    return f"{estimator}: left out: {listed}. {advice}"


def _all_finite(X: Array) -> bool:
    if not X.flags.c_contiguous:
        with np.errstate(over="ignore", invalid="ignore"):
            return bool(np.isfinite(X.sum()))
    try:
        as_samples(X).require_finite()
    except ValueError:
        return False
    return True


def _warn(level: str, message: str) -> None:
    if level == "warning":
        warnings.warn(message, UserWarning, stacklevel=level_of_caller())
