"""What a model file keeps of an estimator beside the model: its class, its parameters, and facts of its fit.

One JSON text. It is read strictly, with the ``json`` module alone: values are made from a fixed list of types.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.gaussian_process import kernels as sk

from mercer.kernels import Kernel, as_kernel

FRONT = "python"  # the name of the annotation
VERSION = 1
FUNCTION = {"function": "given"}  # stands for the kernel function that ``load`` is given
PRIOR = {"prior": "in the model"}  # stands for a prior function, which the model itself holds
DEEPEST = 20
MOST_CHARACTERS = 2**24  # of an array of texts, whose width a file names
NUMBER_DTYPES = frozenset(
    np.dtype(f"{order}{name}").str
    for name in ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
    for order in "<>"
)
SKLEARN_KERNELS: dict[str, Any] = {
    cls.__name__: cls
    for cls in (
        sk.ConstantKernel,
        sk.WhiteKernel,
        sk.RBF,
        sk.Matern,
        sk.RationalQuadratic,
        sk.ExpSineSquared,
        sk.DotProduct,
        sk.PairwiseKernel,
        sk.Sum,
        sk.Product,
        sk.Exponentiation,
        sk.CompoundKernel,
    )
}


@dataclass
class Record:
    """What is kept.

    Attributes
    ----------
    estimator : str
        The name of the class.
    parameters : dict or None
        By name, as JSON has them; None: an archive of before has none.
    facts : dict
        What JSON can hold.
    """

    estimator: str
    parameters: dict[str, Any] | None
    facts: dict[str, Any] = field(default_factory=dict)

    def content(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"version": VERSION, "estimator": self.estimator, "parameters": self.parameters, "facts": self.facts}

    def text(self) -> str:
        """The JSON text; the same record gives the same text."""
        return json.dumps(self.content(), sort_keys=True, allow_nan=False)

    @classmethod
    def from_content(cls, content: Any) -> Record:
        """Take what JSON had; ValueError where it is no record."""
        names = {"version", "estimator", "parameters", "facts"}
        if not isinstance(content, dict) or set(content) != names:
            raise damaged(f"it must hold {', '.join(sorted(names))}")
        if type(content["version"]) is not int or content["version"] != VERSION:
            raise damaged(f"version {content['version']!r}; this reads version {VERSION}")
        kinds = {"estimator": str, "parameters": dict, "facts": dict}
        for name, kind in kinds.items():
            if type(content[name]) is not kind:
                raise damaged(f"{name!r} is no {kind.__name__}")
        return cls(content["estimator"], content["parameters"], content["facts"])

    @classmethod
    def from_text(cls, text: str) -> Record:
        """Read a JSON text; ValueError where it is no record."""
        return cls.from_content(strict_json(text))


def damaged(why: str) -> ValueError:
    """Make the error for a record that cannot be taken."""
    return ValueError(f"the file's description of the estimator is damaged: {why}")


def strict_json(text: str | bytes) -> Any:
    """Read JSON without what its grammar does not have (NaN), names that stand twice, and numbers beyond doubles."""

    def refuse(constant: str) -> Any:
        raise ValueError(f"{constant} is no JSON")

    def number(digits: str) -> float:
        value = float(digits)
        return value if math.isfinite(value) else refuse(digits)

    def named(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        return found if len(found) == len(pairs) else refuse("a name that stands twice")

    try:
        return json.loads(text, parse_constant=refuse, parse_float=number, object_pairs_hook=named)
    except (ValueError, RecursionError) as error:
        raise damaged(str(error)) from error


# ---- Writing -----------------------------------------------------------------------------------------------------


def encode(value: Any, depth: int = 0) -> Any:
    """Write a value as JSON; TypeError where no file can hold it."""
    if depth > DEEPEST:
        raise TypeError("it is nested too deeply")
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": str(value)}
    if type(value) is list:
        return [encode(item, depth + 1) for item in value]
    if type(value) is tuple:
        return {"tuple": encode(list(value), depth)}
    if type(value) is dict:
        return {"dict": [[encode(name, depth + 1), encode(item, depth + 1)] for name, item in value.items()]}
    if isinstance(value, np.generic) and _is_kept(value.dtype, 1):
        return {"scalar": [value.dtype.str, encode(value.item())]}
    if type(value) is np.ndarray and (_is_kept(value.dtype, value.size) or value.dtype == object):
        return {"array": [value.dtype.str, list(value.shape), encode(value.ravel().tolist(), depth)]}
    if isinstance(value, Kernel):
        return {"kernel": value.spec}
    if type(value) is SKLEARN_KERNELS.get(type(value).__name__):
        pairs = value.get_params(deep=False).items()
        return {"sklearn": [type(value).__name__, {name: encode(item, depth + 1) for name, item in pairs}]}
    if type(value) is np.random.RandomState:
        return {"random_state": encode(list(value.get_state(legacy=True)))}
    raise TypeError(f"it is of the type {type(value).__name__}")


def _is_kept(dtype: np.dtype[Any], count: int) -> bool:
    if dtype.kind == "U":
        return _fits(dtype.itemsize // 4, count)
    return dtype.str in NUMBER_DTYPES


def _fits(width: int, count: int) -> bool:
    return width * max(count, 1) <= MOST_CHARACTERS


# ---- Reading -----------------------------------------------------------------------------------------------------


def decode(value: Any, depth: int = 0) -> Any:
    """Read what ``encode`` wrote; ValueError for anything else."""
    if depth > DEEPEST:
        raise damaged("it is nested too deeply")
    if isinstance(value, list):
        return [decode(item, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) != 1 or next(iter(value)) not in READERS:
        raise damaged(f"no value has the names {sorted(value)}")
    tag, content = next(iter(value.items()))
    try:
        return READERS[tag](content, depth)
    except (TypeError, ValueError, OverflowError, AttributeError, KeyError) as error:
        raise damaged(f"{tag}: {error}") from error


def _float(content: Any, depth: int) -> float:
    if content not in ("nan", "inf", "-inf"):
        raise ValueError("nan, inf or -inf is expected")
    return float(content)


def _tuple(content: Any, depth: int) -> Any:
    if not isinstance(content, list):
        raise TypeError("a list is expected")
    return tuple(decode(content, depth))


def _dict(content: Any, depth: int) -> Any:
    pairs = [(decode(name, depth + 1), decode(item, depth + 1)) for name, item in content]
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def dtype_of(text: Any, count: int) -> np.dtype[Any]:
    """The type of that name, where it is one that files hold; ValueError otherwise."""
    known = isinstance(text, str) and (text in NUMBER_DTYPES or text == "|O")
    if known or (isinstance(text, str) and re.fullmatch(r"[<>]U[0-9]{1,8}", text) and _fits(int(text[2:]), count)):
        kept: np.dtype[Any] = np.dtype(text)
        return kept
    raise ValueError(f"no array of {count} values has the type {text!r}")


def _array(content: Any, depth: int) -> Any:
    name, shape, values = content
    if not isinstance(values, list) or not all(type(size) is int and size >= 0 for size in shape):
        raise TypeError("a type, a shape and values are expected")
    items = decode(values, depth)
    if math.prod(shape) != len(items):
        raise ValueError(f"{len(items)} values are no array of the shape {shape}")
    array = np.empty(len(items), dtype=dtype_of(name, len(items)))
    for number, item in enumerate(items):
        array[number] = item
    return array.reshape(shape)


def _scalar(content: Any, depth: int) -> Any:
    name, value = content
    if name == "|O":
        raise ValueError("an object is no scalar")
    return _array([name, [1], [value]], depth)[0]


def _kernel(content: Any, depth: int) -> Any:
    if not isinstance(content, str):
        raise TypeError("a text is expected")
    return as_kernel(content)


def _sklearn_kernel(content: Any, depth: int) -> Any:
    name, parameters = content
    cls = SKLEARN_KERNELS[name]
    values = {parameter: decode(item, depth + 1) for parameter, item in parameters.items()}
    inner = [values[part] for part in ("k1", "k2", "kernel") if part in values and name != "PairwiseKernel"]
    inner += values.get("kernels", [])
    if not all(isinstance(part, sk.Kernel) for part in inner):
        raise TypeError("a part is no kernel")
    return cls(**values)


def _random_state(content: Any, depth: int) -> Any:
    state = decode(content, depth)
    generator = np.random.RandomState(0)
    generator.set_state(tuple(state))
    return generator


READERS: Mapping[str, Callable[[Any, int], Any]] = {
    "float": _float,
    "tuple": _tuple,
    "dict": _dict,
    "array": _array,
    "scalar": _scalar,
    "kernel": _kernel,
    "sklearn": _sklearn_kernel,
    "random_state": _random_state,
}
