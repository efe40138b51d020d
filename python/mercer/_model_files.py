"""Model files of estimators: what a file keeps beside the model, and how an estimator is made from it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from mercer import _core
from mercer._bundle import Bundle, fact_list, function_name, is_bundle, replace_file
from mercer._kernel_choice import PRECOMPUTED, KernelChoice, functions_of_columns
from mercer._options import check_parameters, parameters_of
from mercer._record import FRONT, FUNCTION, Record, damaged, decode, encode

Self = TypeVar("Self", bound="StoredEstimator")


class StoredEstimator(BaseEstimator):
    """An estimator that is kept in model files.

    Derived classes name the model (``_model``), read the fitted attributes from it (``_adopt``), and say what the model
    alone does not tell (``_facts``, ``_bundle``).
    """

    _model: ClassVar[str]
    _stored_model: ClassVar[str] = ""  # the name in files, where a fit gives a model of another kind
    _kernel_parameter: ClassVar[str] = "kernel"
    # Estimators whose models are of this kind too: their files are read, without their parameters.
    _reads_files_of: ClassVar[Sequence[str]] = ()
    _fitted: _core.FittedModel
    _fitted_choice: KernelChoice
    # What the rows of the fit were: "rows" (arrays, lists, ...), a frame that is a "matrix" or a "table".
    _fitted_to: str = "rows"

    def _check_fitted(self) -> _core.FittedModel:
        model: _core.FittedModel | None = getattr(self, "_fitted", None)
        if model is None:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
                "using this estimator."
            )
        return model

    def _function(self, kernel: Any) -> Any:
        """Make a kernel function of two matrices of what the caller gave."""
        return kernel

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
        facts = {
            "feature_names": None if names is None else [str(name) for name in names],
            "features": getattr(self, "n_features_in_", None),
        }
        return {**facts, "frame": "matrix"} if self._fitted_to == "matrix" else facts

    def _take_facts(self, facts: Mapping[str, Any]) -> None:
        """Set what ``_facts`` gave; ValueError where it cannot be."""
        if (frame := facts.get("frame")) not in (None, "matrix"):
            raise damaged(f"the rows of the fit were a {frame!r}")
        self._fitted_to = "rows" if frame is None else "matrix"
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

    def _decoded(self, name: str, value: Any) -> Any:
        """What a file's parameter is."""
        return decode(value)

    def _take_record(self: Self, record: Record, kernel: Any = None) -> Self:
        """Set the parameters and facts of a file's record; ValueError where they are not those of such an estimator."""
        if record.estimator != type(self).__name__:
            raise ValueError(f"{type(self).__name__} cannot be made from a file of {record.estimator}")
        if record.parameters is None:
            return self
        own = self._get_param_names()
        if unknown := sorted(set(record.parameters) - set(own)):
            raise damaged(f"{', '.join(unknown)}: not the parameters of {record.estimator}")
        # A file of before there were some of them: they are what the model says, or at their defaults.
        later = {name: self._encoded(name, getattr(self, name)) for name in own if name not in record.parameters}
        record.parameters.update(later)
        for name, value in record.parameters.items():
            is_function = value == FUNCTION and name == self._kernel_parameter and kernel is not None
            setattr(self, name, kernel if is_function else self._decoded(name, value))
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
        estimator._fitted_choice = KernelChoice(
            model.requested_kernel, given=given, functions=functions_of_columns(estimator)
        )
        estimator.fit_report_ = model.report
        estimator.n_features_in_ = model.columns - 1 if given else model.columns
        if any(model.feature_names):
            estimator.feature_names_in_ = np.array(model.feature_names, dtype=object)
            estimator.n_features_in_ = len(model.feature_names)
            estimator._stored_words = stored_words(model)
        estimator._adopt(model)
        return estimator


def stored_words(model: _core.FittedModel) -> dict[str, list[str]]:
    """By column of sets or graphs, the words whose numbers their members and labels are."""
    return {name: levels for name, kind, levels in model.schema if kind in ("set", "graph") and levels}
