"""One class per kernel of the registry, made when the package is imported."""

from __future__ import annotations

import inspect
import keyword
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer import _core
from mercer.kernels._kernel import Kernel
from mercer.kernels._text import Value, text_to_value, value_to_text

# Kernels that operators make.
_OPERATORS = {"sum", "product", "scale", "power", "columns"}
_CAPITALS = {"rbf": "RBF", "rq": "RQ", "cpd": "CPD", "imq": "IMQ", "bspline": "BSpline", "of": "Of"}


def class_name(name: str) -> str:
    """The name of a kernel as that of a class: ``"rbf_of"`` gives ``RBFOf``."""
    return "".join(_CAPITALS.get(word, word[:1].upper() + word[1:]) for word in name.split("_"))


class NamedKernel(Kernel):
    """A kernel of the registry; what each one is stands in its own documentation."""

    _entry: dict[str, Any]
    _children: tuple[str, ...] = ()
    _defaults: dict[str, Value]
    _aliases: dict[str, str]

    def __init__(self, *kernels: Kernel | None, **parameters: Value) -> None:
        given = dict(zip(self._children, kernels, strict=False))
        if len(kernels) > len(self._children):
            raise TypeError(f"{type(self).__name__} takes parameters by name: {list(self._defaults)}")
        for name, value in parameters.items():
            canonical = self._aliases.get(name, name)
            if canonical not in self._names:
                raise TypeError(f"{type(self).__name__} has no parameter {name!r}; it has {list(self._names)}")
            if canonical in given:
                raise TypeError(f"{type(self).__name__} got two values for {canonical!r}")
            given[canonical] = value
        for name in self._children:
            setattr(self, name, given.get(name))
        for name, default in self._defaults.items():
            setattr(self, name, given.get(name, default))

    def set_params(self, **params: Value) -> Kernel:
        """Sets parameters by name or alias."""
        return super().set_params(**{self._aliases.get(name, name): value for name, value in params.items()})

    def _given_kernels(self) -> list[Kernel]:
        kernels = [getattr(self, name) for name in self._children]
        return [kernel for kernel in kernels if kernel is not None]

    def _given_parameters(self) -> list[tuple[str, Value]]:
        pairs = [(name, getattr(self, name), default) for name, default in self._defaults.items()]
        return [(name, value) for name, value, default in pairs if value is not None and not _same(value, default)]

    def _text(self) -> str:
        arguments = [kernel._text() for kernel in self._given_kernels()]
        arguments += [f"{name}={value_to_text(value)}" for name, value in self._given_parameters()]
        return f"{self._entry['name']}({', '.join(arguments)})"

    def _repr(self) -> str:
        arguments = [kernel._repr() for kernel in self._given_kernels()]
        arguments += [f"{name}={_repr_of(value)}" for name, value in self._given_parameters()]
        return f"{type(self).__name__}({', '.join(arguments)})"


def _same(value: Value, default: Value) -> bool:
    return value is default or (type(value) is type(default) and bool(np.all(value == default)))


def _repr_of(value: Value) -> str:
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_repr_of(item) for item in value) + "]"
    return f"float('{value}')" if isinstance(value, float) and not math.isfinite(value) else repr(value)


def _child_names(entry: dict[str, Any]) -> tuple[str, ...]:
    count = entry["most_children"]
    return () if count == 0 else ("kernel",) if count == 1 else tuple(f"k{i + 1}" for i in range(count))


def _documentation(entry: dict[str, Any]) -> str:
    summary = entry["summary"][:1].upper() + entry["summary"][1:]
    lines = [f"{summary}.", "", f"k(x, y) = {entry['formula']}", "", f"Definiteness: {entry['definiteness']}.", ""]
    if entry["parameters"]:
        lines += ["Parameters", "----------"]
    for parameter in entry["parameters"]:
        default = f", default={parameter['default']}" if parameter["default"] else ", optional"
        kind = " or ".join(parameter["words"]) or ("number or list" if parameter["may_be_list"] else "number")
        lines += [f"{parameter['name']} : {kind}{default}", f"    {parameter['meaning']}"]
    return "\n".join(lines)


def _signature(children: Sequence[str], fewest: int, defaults: dict[str, Value]) -> inspect.Signature:
    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=inspect.Parameter.empty if i < fewest else None,
        )
        for i, name in enumerate(children)
    ]
    parameters += [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value) for name, value in defaults.items()
    ]
    return inspect.Signature(parameters)


def _make_class(entry: dict[str, Any]) -> type[NamedKernel]:
    children = _child_names(entry)
    defaults = {p["name"]: text_to_value(p["default"]) if p["default"] else None for p in entry["parameters"]}
    aliases = {alias: p["name"] for p in entry["parameters"] for alias in p["aliases"]}
    assert not any(keyword.iskeyword(name) for name in defaults)
    members = {
        "__doc__": _documentation(entry),
        "__module__": "mercer.kernels",
        "__signature__": _signature(children, entry["fewest_children"], defaults),
        "_entry": entry,
        "_children": children,
        "_defaults": defaults,
        "_aliases": aliases,
        "_names": (*children, *defaults),
    }
    return type(class_name(entry["name"]), (NamedKernel,), members)


CLASSES: dict[str, type[NamedKernel]] = {
    entry["name"]: _make_class(entry) for entry in _core.kernel_registry() if entry["name"] not in _OPERATORS
}
"""Classes by the name of their kernel in the kernel language."""


def public_names() -> dict[str, type[NamedKernel]]:
    """Classes by the names that the package offers: their own, and those of the kernels' aliases."""
    names = {kind.__name__: kind for kind in CLASSES.values()}
    for kind in CLASSES.values():
        for alias in kind._entry["aliases"]:
            names.setdefault(class_name(alias), kind)
    return names
