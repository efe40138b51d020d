"""What all estimators share: checks, the call of the engine, warnings, model files."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.validation import _check_sample_weight

from mercer import _core
from mercer._bundle import Bundle, fact_list, function_name, is_bundle, replace_file
from mercer._compat import TagsMixin, validate_data
from mercer._kernel_choice import PRECOMPUTED, KernelChoice, choose_kernel, matrix_rows
from mercer._options import AddedWords, OptionNames, check_parameters, parameters_of
from mercer._parameters import seed_of, text_of, thread_count
from mercer._progress import ProgressBar
from mercer._record import FRONT, FUNCTION, Record, damaged, decode, encode
from mercer._rules import Rules
from mercer._samples import as_samples, column_names, is_frame, is_objects, training_samples

Array = npt.NDArray[Any]
Self = TypeVar("Self", bound="Estimator")

# Templates for the names of kernels that scikit-learn's support vector machines know.
SVM_KERNELS = {
    "linear": "linear()",
    "poly": "poly(degree={degree}, gamma={gamma}, coef0={coef0})",
    "rbf": "rbf(gamma={gamma})",
    "sigmoid": "sigmoid(gamma={gamma}, coef0={coef0})",
}


class Estimator(TagsMixin, BaseEstimator):
    """An estimator over one model of the engine.

    Derived classes name the model (``_model``) and read the fitted attributes from it (``_adopt``). What parameters set
    and may be follows from the engine's table of the model (``_options.py``); the classes say what is other here.
    """

    _model: ClassVar[str]
    _stored_model: ClassVar[str] = ""  # the name in files, where a fit gives a model of another kind
    # Options whose names are other than those of the parameters that set them.
    _option_names: ClassVar[OptionNames] = {}
    _added_words: ClassVar[AddedWords] = {}
    # What parameters may be that set no option, or of which scikit-learn's classes say something else than the engine.
    _rules: ClassVar[Rules] = {}
    _kernel_names: ClassVar[Mapping[str, str]] = SVM_KERNELS
    _kernel_parameter: ClassVar[str] = "kernel"
    # Estimators whose models are of this kind too: their files are read, without their parameters.
    _reads_files_of: ClassVar[Sequence[str]] = ()
    _fewest_rows: ClassVar[int] = 1
    # Whether widths and balanced classes leave the weights of rows out of account, as scikit-learn's class does.
    _weights_as_peer: ClassVar[bool] = False

    # ---- Checks --------------------------------------------------------------------------------------------------

    def _choice(self, X: Any = None) -> KernelChoice:
        columns = X.shape[1] if len(getattr(X, "shape", ())) == 2 else None
        return choose_kernel(self, self._kernel_names, columns)

    def _function(self, kernel: Any) -> Any:
        """Make a kernel function of two matrices of what the caller gave."""
        return kernel

    def _check_rows(self, X: Any, choice: KernelChoice, *, reset: bool) -> Any:
        if not reset and hasattr(self, "_stored_columns"):
            return self._named_rows(X)
        if reset:
            for name in ("_stored_columns", "_stored_words", "_fitted_to_table"):
                self.__dict__.pop(name, None)
        if choice.takes(X) and (reset or self._takes_names(X)):
            return self._check_columns(X, reset=reset)
        if not reset and self._is_plain(X):
            return X
        return validate_data(
            self,
            X,
            reset=reset,
            dtype=(np.float64, np.float32),
            accept_sparse=False if choice.given else "csr",
            accept_large_sparse=True,
            ensure_min_samples=self._fewest_rows if reset else 1,
        )

    def _named_rows(self, X: Any) -> Any:
        """New rows for a model whose file names its columns: frames in any order, arrays in that of the names."""
        names = self._stored_columns
        if column_names(X) is not None:
            return _columns_of(X, names)
        return X if is_objects(X) else as_samples(X, names=names)

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

    def _takes_names(self, X: Any) -> bool:
        """Whether columns are chosen by name: not where the fit saw a matrix with names, which scikit-learn checks."""
        matrix = not getattr(self, "_fitted_to_table", False) and hasattr(self, "feature_names_in_")
        return not (matrix and is_frame(X))

    def _check_columns(self, X: Any, *, reset: bool) -> Any:
        """Keep the names of a frame's columns, or choose those of the fit by name."""
        names = column_names(X)
        if reset:
            self._fitted_to_table = names is not None
        if names is None:
            return X
        if reset:
            self.n_features_in_ = len(names)
            self.feature_names_in_ = np.array(names, dtype=object)
            return X
        return _columns_of(X, list(getattr(self, "feature_names_in_", names)))

    def _check_weights(self, sample_weight: Any, rows: Any) -> Array | None:
        if sample_weight is None:
            return None
        if not hasattr(rows, "shape"):
            rows = np.empty((len(rows), 1))
        weights: Array = _check_sample_weight(sample_weight, rows, dtype=np.float64)
        return np.ascontiguousarray(weights)

    def _check_fitted(self) -> _core.FittedModel:
        model: _core.FittedModel | None = getattr(self, "_fitted", None)
        if model is None:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
                "using this estimator."
            )
        return model

    def _with_widths(self, choice: KernelChoice, rows: Any, weights: Array | None) -> KernelChoice:
        """Take the kernel's widths from rows of these weights, where the fit is given others."""
        if choice.is_matrix or _core.Kernel(choice.spec).is_resolved:
            return choice
        samples, _ = training_samples(rows)
        counts = [] if weights is None else weights.tolist()
        kernel = _core.Kernel(choice.spec).resolved(samples, counts, threads=self._threads(), seed=self._seed())
        return replace(choice, spec=kernel.spec)

    # ---- Fit -----------------------------------------------------------------------------------------------------

    def _settings(self) -> dict[str, str]:
        values = {option.name: getattr(self, name) for name, option in parameters_of(type(self)).options.items()}
        return {option: text_of(value) for option, value in values.items() if value is not None}

    def _training_samples(self, rows: Any, choice: KernelChoice) -> _core.Samples:
        for name in ("_rows_of_fit", "_stored_words"):
            self.__dict__.pop(name, None)
        if not choice.is_matrix:
            samples, words = training_samples(rows)
            if words:
                self._stored_words = words
            return samples
        if choice.function is not None:
            self._rows_of_fit = rows.copy()
            rows = choice.function(rows, rows)
        return as_samples(matrix_rows(rows))

    def _run(
        self,
        choice: KernelChoice,
        rows: Any,
        y: Any = None,
        *,
        samples: _core.Samples | None = None,
        settings: Mapping[str, str] | None = None,
        sample_weight: Array | None = None,
        noise: Array | None = None,
        classes: list[str] | None = None,
        label_kind: str = "text",
    ) -> _core.FittedModel:
        """Fit the model of the engine, keep it, and say what went wrong in warnings."""
        samples = self._training_samples(rows, choice) if samples is None else samples
        options = dict(self._settings()) if settings is None else dict(settings)
        arguments: dict[str, Any] = {
            "sample_weight": sample_weight,
            "noise": noise,
            "classes": classes,
            "label_kind": label_kind,
            "words": getattr(self, "_stored_words", {}),
            "threads": self._threads(),
            "seed": self._seed(),
            "log": _warn,
        }
        if getattr(self, "verbose", False):
            with ProgressBar() as bar:
                model = _core.fit(self._model, choice.spec, options, samples, y, progress=bar, **arguments)
        else:
            model = _core.fit(self._model, choice.spec, options, samples, y, **arguments)
        self._fitted, self._fitted_choice = model, choice
        self._report_on(model)
        return model

    def _report_on(self, model: _core.FittedModel) -> None:
        self.fit_report_ = model.report
        for note in model.notes("jitter added"):
            warnings.warn(f"{type(self).__name__}: {note}", UserWarning, stacklevel=_level_of_caller())
        if model.report["status"] != "converged":
            warnings.warn(self._convergence_words(model), ConvergenceWarning, stacklevel=_level_of_caller())

    def _convergence_words(self, model: _core.FittedModel) -> str:
        report = model.report
        limit = getattr(self, "max_iter", None)
        return (
            f"{type(self).__name__} stopped after {report['iterations']} iterations before it converged (status "
            f"{report['status']!r}" + (f", max_iter={limit}" if limit is not None else "") + "). Consider scaling the "
            "columns with StandardScaler or MinMaxScaler, a smaller C, a larger tol, or more iterations."
        )

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
        return as_samples(rows, words=getattr(self, "_stored_words", None))

    def _threads(self) -> int:
        return thread_count(getattr(self, "n_jobs", None))

    def _seed(self) -> int:
        return seed_of(getattr(self, "random_state", None))

    # ---- Model files ---------------------------------------------------------------------------------------------

    def _adopt(self, model: _core.FittedModel) -> None:
        """Set the fitted attributes that follow from the model alone."""

    def _bundle(self) -> Bundle | None:
        """What a file of several parts holds; None where one model file is all that there is."""
        model = self._check_fitted()
        function = self._fitted_choice.function
        if function is None:
            return None
        bundle = Bundle([model], {"function": function_name(function)})
        bundle.add_rows(self._rows_of_fit)
        return bundle

    def _join(self, bundle: Bundle) -> None:
        """Take up the parts of a file beyond the first model."""

    def _facts(self) -> dict[str, Any]:
        """What a file keeps of the fit that the model alone does not tell, as JSON has it."""
        names = getattr(self, "feature_names_in_", None)
        return {
            "feature_names": None if names is None else [str(name) for name in names],
            "features": getattr(self, "n_features_in_", None),
        }

    def _take_facts(self, facts: Mapping[str, Any]) -> None:
        """Set what ``_facts`` gave; ValueError where it cannot be."""
        features = facts.get("features")
        if features is None:
            self.__dict__.pop("n_features_in_", None)
        elif type(features) is not int or features < 0:
            raise damaged(f"the number of features is {features!r}")
        else:
            self.n_features_in_ = features
        if facts.get("feature_names") is None:
            self.__dict__.pop("feature_names_in_", None)
            return
        names = fact_list(facts, "feature_names", str)
        if len(names) != features:
            raise damaged(f"{len(names)} names of {features} features")
        self.feature_names_in_ = np.array(names, dtype=object)

    def _record(self, facts: Mapping[str, Any] | None = None) -> Record:
        """What a file keeps beside the model; ValueError where a parameter is such that no file can hold it."""
        check_parameters(self)  # what would be refused when it is read is not written
        parameters = {name: self._encoded(name, value) for name, value in self.get_params(deep=False).items()}
        return Record(type(self).__name__, parameters, {**self._facts(), **(facts or {})})

    def _encoded(self, name: str, value: Any) -> Any:
        try:
            return encode(value)
        except TypeError as error:
            fitted_to_function = getattr(getattr(self, "_fitted_choice", None), "function", None) is not None
            if name == self._kernel_parameter and callable(value) and fitted_to_function:
                return FUNCTION
            raise ValueError(
                f"{type(self).__name__} cannot be kept in a model file with {name}={value!r}: {error}. Pickle the "
                f"estimator, or give another value first, as in set_params({name}=...)"
            ) from error

    def _take_record(self: Self, record: Record, kernel: Any = None) -> Self:
        """Set the parameters and facts of a file's record; ValueError where they are not those of such an estimator."""
        if record.estimator != type(self).__name__:
            raise ValueError(f"{type(self).__name__} cannot be made from a file of {record.estimator}")
        if record.parameters is None:
            return self
        if set(record.parameters) != set(self._get_param_names()):
            names = sorted(set(record.parameters) ^ set(self._get_param_names()))
            raise damaged(f"{', '.join(names)}: not the parameters of {record.estimator}")
        for name, value in record.parameters.items():
            is_function = value == FUNCTION and name == self._kernel_parameter and kernel is not None
            setattr(self, name, kernel if is_function else decode(value))
        self._take_facts(record.facts)
        return self

    def _require_same_record(self: Self, record: Record) -> Self:
        """Refuse a file whose record is not what this estimator would write: nothing in it is passed over."""
        if record.parameters is not None:
            bundle = self._bundle()
            written = self._record({} if bundle is None else bundle.facts)
            for facts in (written.facts, record.facts):
                facts.pop("function", None)  # the same function may have another name
            if written.text() != record.text():
                raise damaged("it does not fit the model")
        return self

    def to_bytes(self) -> bytes:
        """Give the fitted model as the bytes of a model file.

        Returns
        -------
        bytes
            What ``from_bytes`` reads. One model file, which ``mercer predict`` reads too; where the estimator is more
            than one model, or its kernel is a Python function, a ZIP archive of model files and what joins them.
        """
        bundle = self._bundle()
        if bundle is not None:
            return bundle.to_bytes(self._record(bundle.facts))
        return self._check_fitted().to_bytes({FRONT: self._record().text()})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what ``to_bytes`` gives to a file.

        Parameters
        ----------
        path : path-like
            Replaced as a whole, or not at all.
        """
        bundle = self._bundle()
        if bundle is None:
            self._check_fitted().save(os.fspath(path), {FRONT: self._record().text()})
        else:
            replace_file(path, bundle.to_bytes(self._record(bundle.facts)))

    @classmethod
    def from_bytes(cls: type[Self], data: bytes, *, kernel: Any = None) -> Self:
        """Make a fitted estimator from the bytes of a model file.

        Parameters
        ----------
        data : bytes
            From ``to_bytes``, or the content of a file that the program wrote.
        kernel : callable, optional
            Where the model was fitted with a Python function as its kernel: that function, which no file can hold.
            ``kernel_params`` are in the file.

        Returns
        -------
        estimator
        """
        if is_bundle(data):
            bundle = Bundle.from_bytes(data)
            return cls._from_bundle(bundle, kernel)._require_same_record(bundle.record)
        if kernel is not None:
            raise ValueError("the file holds its kernel: leave out kernel, which is for kernels that are functions")
        return cls._from_file(_core.FittedModel.from_bytes(data))

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str], *, kernel: Any = None) -> Self:
        """Make a fitted estimator from a model file.

        Parameters
        ----------
        path : path-like
            Written by ``save`` or by the program ``mercer``.
        kernel : callable, optional
            As ``from_bytes`` takes it.

        Returns
        -------
        estimator
        """
        with open(path, "rb") as stream:
            start = stream.read(4)
            if is_bundle(start) or kernel is not None:
                return cls.from_bytes(start + stream.read(), kernel=kernel)
        return cls._from_file(_core.FittedModel.load(os.fspath(path)))

    @classmethod
    def _from_file(cls: type[Self], model: _core.FittedModel) -> Self:
        estimator = cls._from_model(model)
        text = model.annotations.get(FRONT)
        if text is None:
            return estimator  # of the program, or of before there were records
        record = Record.from_text(text)
        if record.estimator in cls._reads_files_of:
            estimator._take_facts(record.facts)
            return estimator
        return estimator._take_record(record)._require_same_record(record)

    @classmethod
    def _from_bundle(cls: type[Self], bundle: Bundle, kernel: Any) -> Self:
        if bundle.record.estimator != cls.__name__:
            raise ValueError(f"{cls.__name__} cannot be made from a file of {bundle.record.estimator}")
        estimator = cls._from_model(bundle.models[0])
        estimator._join(bundle)
        function = bundle.facts.get("function")
        if (function is None) != (kernel is None):
            raise ValueError(
                "the file holds its kernel: leave out kernel, which is for kernels that are functions"
                if function is None
                else f"the kernel of this model is the Python function {function}, which no file can hold: pass it as "
                "kernel=, or pickle the estimator where the function is importable"
            )
        estimator._take_record(bundle.record, kernel)
        if function is not None:
            rows = bundle.rows()
            if bundle.record.parameters is None:
                setattr(estimator, cls._kernel_parameter, kernel)
            estimator._fitted_choice = KernelChoice(PRECOMPUTED, function=estimator._function(kernel))
            estimator._rows_of_fit, estimator.n_features_in_ = rows, rows.shape[1]
        return estimator

    @classmethod
    def _stored_parameters(cls, settings: dict[str, str]) -> dict[str, Any]:
        table = parameters_of(cls)
        return {
            name: option.value(text)
            for name, option in table.options.items()
            if (text := settings.get(option.name)) and not (table.defaults[name] is None and text == option.default)
        }

    @classmethod
    def _from_model(cls: type[Self], model: _core.FittedModel) -> Self:
        kind = cls._stored_model or cls._model
        if model.name != kind:
            raise ValueError(f"{cls.__name__} holds models of the kind {kind!r}; this is a model {model.name!r}")
        estimator = cls(**cls._stored_parameters(model.settings()))
        given = model.requested_kernel == _core.Kernel(PRECOMPUTED).spec
        if cls._kernel_parameter in estimator.get_params(deep=False):
            setattr(estimator, cls._kernel_parameter, "precomputed" if given else model.requested_kernel)
        estimator._fitted = model
        estimator._fitted_choice = KernelChoice(model.requested_kernel, given=given)
        estimator.fit_report_ = model.report
        estimator.n_features_in_ = model.columns - 1 if given else model.columns
        if any(model.feature_names):
            estimator.feature_names_in_ = np.array(model.feature_names, dtype=object)
            estimator._stored_columns = list(model.feature_names)
            estimator._stored_words = stored_words(model)
        estimator._adopt(model)
        return estimator


def step_count(model: _core.FittedModel) -> int:
    """Give the steps of a fit as scikit-learn counts them, from 1."""
    return max(1, int(model.report["iterations"]))


def stored_words(model: _core.FittedModel) -> dict[str, list[str]]:
    """By column of sets or graphs, the words whose numbers their members and labels are."""
    return {name: levels for name, kind, levels in model.schema if kind in ("set", "graph") and levels}


def constants_of(model: _core.FittedModel) -> Array:
    """Give the offsets of the functions, zeros where the fit had none."""
    return model.array("parametric")[0].copy() if model.has_array("parametric") else np.zeros(len(model.output_names))


def _columns_of(frame: Any, names: Sequence[str]) -> Any:
    """Choose the columns of a frame by name; others are left out."""
    found = column_names(frame) or []
    if found == list(names):
        return frame
    missing = sorted(set(names) - set(found))
    if missing:
        raise ValueError(
            "The feature names should match those that were passed during fit. Columns of the fit that are missing "
            f"here: {', '.join(missing)}."
        )
    return frame[list(names)]


def _all_finite(X: Array) -> bool:
    if not X.flags.c_contiguous:
        with np.errstate(over="ignore", invalid="ignore"):
            return bool(np.isfinite(X.sum()))
    try:
        as_samples(X).require_finite()
    except ValueError:
        return False
    return True


def _level_of_caller() -> int:
    """Give the stack level at which a warning points at what called the package, however deep the fit is."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("mercer."):
        level, frame = level + 1, frame.f_back
    return level


def _warn(level: str, message: str) -> None:
    if level == "warning":
        warnings.warn(message, UserWarning, stacklevel=_level_of_caller())
