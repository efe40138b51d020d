"""What all estimators share: the call of the engine, warnings. Rows: ``_row_checks.py``; files: ``_model_files.py``."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from mercer import _core
from mercer._frames import level_of_caller
from mercer._kernel_choice import KernelChoice, matrix_rows
from mercer._options import AddedWords, OptionNames, parameters_of
from mercer._parameters import seed_of, text_of, thread_count
from mercer._progress import ProgressBar
from mercer._row_checks import RowChecks
from mercer._rules import Rules
from mercer._samples import TrainingRows, as_samples, training_samples

Array = npt.NDArray[Any]


class Estimator(RowChecks):
    """An estimator over one model of the engine.

    Derived classes name the model (``_model``) and read the fitted attributes from it (``_adopt``). What parameters set
    and may be follows from the engine's table of the model (``_options.py``); the classes say what is other here.
    """

    # Options whose names are other than those of the parameters that set them.
    _option_names: ClassVar[OptionNames] = {}
    _functions_parameter: ClassVar[str] = "parametric"  # the one that names functions of columns
    _added_words: ClassVar[AddedWords] = {}
    # What parameters may be that set no option, or of which scikit-learn's classes say something else than the engine.
    _rules: ClassVar[Rules] = {}
    # Whether widths and balanced classes leave the weights of rows out of account, as scikit-learn's class does.
    _weights_as_peer: ClassVar[bool] = False

    # ---- Fit -----------------------------------------------------------------------------------------------------

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
        return training_samples(
            rows, choice.seeing, names=self._row_names(), notations=self._notations, beside=self._columns_beside(choice)
        )

    def _columns_beside(self, choice: KernelChoice) -> Collection[str]:
        """Columns of a frame that the fit needs whatever the kernel names: those of a prior function."""
        prior = self._prior_model(choice)
        return () if prior is None else {name for name, _, _ in prior.preparation.schema}

    def _needs_units(self, functions: str) -> bool:
        """Whether the functions are of columns as they are: periods, and tubes, which scaled columns make negative."""
        return "periodic" in functions or (self._functions_parameter == "tube" and functions != "constant")

    def _preparation(
        self, choice: KernelChoice, training: TrainingRows, weights: Array | None
    ) -> _core.Preparation | None:
        """Code and scale the rows of a frame; None for others, which reach the model as they are.

        A table is prepared as the program prepares a file. A frame of numbers is a matrix, as in scikit-learn: its
        columns keep their units, and missing numbers are filled.
        """
        if self._fitted_to == "rows" or choice.is_matrix:
            return None
        units = _core.Units.matrix
        if self._fitted_to == "table":
            # Periods are in units of columns.
            units = _core.Units.kept if self._needs_units(choice.functions) else _core.Units.usual
        preparation = _core.prepare(
            self._model, choice.seeing, training.samples, units, weights, training.words, training.notations
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
        groups: list[int] | None = None,
        classes: list[str] | None = None,
        label_kind: str = "text",
    ) -> _core.FittedModel:
        """Fit the model of the engine, keep it, and say what went wrong in warnings.

        counts: weights of the rows, where sample_weight says how much their classes matter as well.
        """
        training = self._training_rows(rows, choice) if training is None else training
        options = dict(self._settings()) if settings is None else dict(settings)
        if "[" in choice.functions:
            options[self._functions_parameter] = (
                choice.functions
            )  # by the names of columns, where those of a frame were counted
        preparation = self._preparation(choice, training, sample_weight if counts is None else counts)
        arguments: dict[str, Any] = {
            "sample_weight": sample_weight,
            "noise": noise,
            "groups": groups,
            "classes": classes,
            "label_kind": label_kind,
            "words": training.words,
            "preparation": preparation,
            "prior": self._prior_model(choice),
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

    def _prior_model(self, choice: KernelChoice) -> _core.FittedModel | None:
        """Give the model that the fit begins with, of estimators that can (``_prior.py``)."""
        return None

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
        own = [
            words
            for name, words in (("C", "a smaller C"), ("tol", "a larger tol"), ("max_iter", "more iterations"))
            if hasattr(self, name)
        ]
        advice = ["scaling the columns with StandardScaler or MinMaxScaler", *own]
        return (
            f"{type(self).__name__} stopped after {report['iterations']} iterations before it converged (status "
            f"{report['status']!r}"
            + (f", max_iter={limit}" if limit is not None else "")
            + "). Consider "
            + (", ".join(advice[:-1]) + ", or " if own else "")
            + advice[-1]
            + "."
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


def functions_of(model: _core.FittedModel) -> Array:
    """Give the coefficients of the functions beside the kernel, one row each."""
    outputs = model.array("coefficients").shape[1]
    return model.array("parametric").copy() if model.has_array("parametric") else np.zeros((0, outputs))


def constants_of(model: _core.FittedModel) -> Array:
    """Give the offsets of the functions, zeros where the fit had none."""
    functions = functions_of(model)
    return functions[0].copy() if len(functions) else np.zeros(functions.shape[1])


def _left_out_words(estimator: str, columns: Sequence[tuple[str, str]]) -> str:
    listed = ", ".join(f"{name} ({reason})" for name, reason in columns)
    advice = "Without them in the frame the fit is the same"
    if texts := [name for name, reason in columns if reason in ("text", "unique")]:
        advice += (
            f"; texts ({', '.join(texts)}) are used where their column is of the category type, or where the kernel "
            "names it"
        )
    return f"{estimator}: left out: {listed}. {advice}"


def _warn(level: str, message: str) -> None:
    if level == "warning":
        warnings.warn(message, UserWarning, stacklevel=level_of_caller())
