"""What there is to hunt: the registries, with options and kernels drawn from them."""

from __future__ import annotations

import functools
from typing import Any

from hypothesis import strategies as st

from mercer import _core


@functools.cache
def models() -> dict[str, dict[str, Any]]:
    """The models of the registry, by name."""
    return {entry["name"]: entry for entry in _core.model_registry()}


@functools.cache
def kernels() -> dict[str, dict[str, Any]]:
    """The kernels of the registry, by name."""
    return {entry["name"]: entry for entry in _core.kernel_registry()}


def options_of(model: str) -> dict[str, dict[str, Any]]:
    """The options of a model, by name."""
    return {option["name"]: option for option in models()[model]["options"]}


def words_of(option: dict[str, Any]) -> list[str]:
    """The words that an option takes; empty for numbers and free texts."""
    if option["type"] == "yes/no":
        return ["yes", "no"]
    return [word.strip() for word in option["type"].split("|")] if "|" in option["type"] else []


# Options that say how long or how large, or that need something else beside them.
NOT_DRAWN = {
    "max_steps",
    "max_iterations",
    "iterations",
    "memory_mb",
    "cache_mb",
    "select_rows",
    "restarts",
    "seed",
    "code",
    "class_weight",
    "uncertain",
    "tolerance",
    "components",
    "absolute_error",
    "relative_error",
}


def draw_options(draw: Any, model: str, most: int = 3, skip: frozenset[str] = frozenset()) -> dict[str, str]:
    """Draw values of a few options: words as listed, numbers within two decades of the default."""
    table = options_of(model)
    names = [name for name in table if name not in NOT_DRAWN and name not in skip and table[name]["type"] != "text"]
    chosen = draw(st.lists(st.sampled_from(names), max_size=most, unique=True)) if names else []
    return {name: draw_value(draw, table[name]) for name in sorted(chosen)}


def draw_value(draw: Any, option: dict[str, Any]) -> str:
    """Draw a value of one option."""
    words = words_of(option)
    if words:
        return str(draw(st.sampled_from(words)))
    if option["type"] == "integer":
        return str(draw(st.integers(1, 12)))
    default = float(option["default"] or 1) or 1.0
    return f"{default * draw(st.sampled_from((1.0, 0.1, 0.3, 3.0, 10.0))):.6g}"


# ---- Kernels on vectors --------------------------------------------------------------------------------------------

NUMBERS = (1.0, 0.3, 2.5)
# Translation-invariant kernels, as templates whose {w} is a width in the units of the data.
STATIONARY = {
    "rbf": "rbf(lengthscale={w})",
    "exponential": "exponential(lengthscale={w})",
    "matern": "matern(nu={nu}, lengthscale={w})",
    "rq": "rq(alpha={a}, lengthscale={w})",
    "laplacian": "laplacian(gamma={g})",
    "cauchy": "cauchy(lengthscale={w})",
    "inverse_multiquadric": "inverse_multiquadric(lengthscale={w})",
}
DOT = {
    "linear": "linear()",
    "poly": "poly(degree={p}, gamma={a}, coef0=1)",
}


def draw_kernel(draw: Any, *, width: float, stationary: bool = False) -> str:
    """Draw the text of a positive definite kernel on vectors whose spread is about ``width``."""
    families = dict(STATIONARY) if stationary else {**STATIONARY, **DOT}
    name = draw(st.sampled_from(sorted(families)))
    number = draw(st.sampled_from(NUMBERS))
    spec = families[name].format(
        w=f"{width * number:.6g}",
        g=f"{1 / (width * number):.6g}",
        nu=draw(st.sampled_from((0.5, 1.5, 2.5))),
        a=f"{draw(st.sampled_from(NUMBERS)) / (1 if name in STATIONARY else width**2):.6g}",
        p=draw(st.integers(1, 3)),
    )
    return spec


def kernel_names(spec: str) -> set[str]:
    """The kernels of the registry that stand in an expression."""
    found: set[str] = set()

    def walk(kernel: _core.Kernel) -> None:
        name, _, children, _ = kernel.tree()
        found.add(name)
        for child in children:
            walk(child)

    walk(_core.Kernel(spec))
    return found
