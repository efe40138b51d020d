"""Kernel matrices in NumPy, from differences of rows, so that offsets lose no digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

from hunt import engine
from hunt.verdict import NotApplicable
from mercer import _core

Matrix = np.ndarray


def numbers(text: str) -> Matrix:
    """The number, or one a column, of a parameter's text, without its bounds."""
    return np.array([float(part) for part in text.split(" in ")[0].replace("!", "").strip("[] ").split(",")])


def gram(spec: str, x: Matrix, y: Matrix | None = None) -> Matrix:
    """k(x_i, y_j) of a kernel of vectors whose parameters are numbers; NotApplicable for others."""
    return _value(_core.Kernel(spec), x, x if y is None else y, y is None)


def diagonal(spec: str, x: Matrix) -> Matrix:
    """k(x_i, x_i)."""
    return np.array([gram(spec, row[None])[0, 0] for row in x])


def resolved(spec: str, x: Matrix, weights: Matrix | None = None) -> str:
    """The kernel with the widths that the data decide."""
    given = [] if weights is None else weights.tolist()
    return str(engine.called(_core.Kernel(spec).resolved, engine.samples(x), given).spec)


def _value(kernel: _core.Kernel, x: Matrix, y: Matrix, same: bool) -> Matrix:
    name, parameters, children, columns = kernel.tree()
    if name == "columns":
        if not columns or not all(isinstance(part, tuple) for part in columns):
            raise NotApplicable("columns by name")
        chosen = [j for part in columns for j in range(part[0], part[1])]  # type: ignore[misc]
        return _value(children[0], x[:, chosen], y[:, chosen], same)
    parts = [_value(child, x, y, same) for child in children]
    if name == "sum":
        return np.sum(parts, axis=0)
    if name == "product":
        return np.prod(parts, axis=0)
    known = {key: numbers(value) for key, value in parameters.items()}
    if name == "scale":
        return known["scale"][0] * parts[0]
    if name == "power":
        return parts[0] ** known["exponent"][0]
    if name == "white":
        return known["variance"][0] * np.eye(len(x)) if same else np.zeros((len(x), len(y)))
    if name not in FORMULAS or children:
        raise NotApplicable(f"no formula of {name}")
    return FORMULAS[name](known, x, y)


def _squared(p: dict[str, Matrix], x: Matrix, y: Matrix) -> Matrix:
    """Squares of |x - y|/lengthscale."""
    return (((x[:, None] - y[None]) / p["lengthscale"]) ** 2).sum(axis=2)


def _rbf(p: dict[str, Matrix], x: Matrix, y: Matrix) -> Matrix:
    if "gamma" in p:
        p = {"lengthscale": 1 / np.sqrt(2 * p["gamma"])}
    return np.exp(-_squared(p, x, y) / 2)


def _matern(p: dict[str, Matrix], x: Matrix, y: Matrix) -> Matrix:
    nu = float(p["nu"][0])
    z = np.sqrt(2 * nu * _squared(p, x, y))
    if nu in (0.5, 1.5, 2.5):
        return {0.5: 1.0, 1.5: 1 + z, 2.5: 1 + z + z**2 / 3}[nu] * np.exp(-z)
    with np.errstate(all="ignore"):
        values = 2 ** (1 - nu) / scipy.special.gamma(nu) * z**nu * scipy.special.kv(nu, z)
    return np.where(z == 0, 1.0, values)


def _rq(p: dict[str, Matrix], x: Matrix, y: Matrix) -> Matrix:
    return (1 + _squared(p, x, y) / (2 * p["alpha"])) ** -p["alpha"]


def _multiquadric(p: dict[str, Matrix], x: Matrix, y: Matrix) -> Matrix:
    return 1 / np.sqrt(_squared(p, x, y) + p.get("c", np.ones(1)) ** 2)


def _periodic(p: dict[str, Matrix], x: Matrix, y: Matrix) -> Matrix:
    waves = np.sin(np.pi * (x[:, None] - y[None]) / p["period"]) / p["lengthscale"]
    return np.exp(-2 * (waves**2).sum(axis=2))


def _poly(p: dict[str, Matrix], x: Matrix, y: Matrix) -> Matrix:
    return (p["gamma"] * (x @ y.T) + p.get("coef0", np.ones(1))) ** p["degree"]


FORMULAS: dict[str, Callable[[dict[str, Matrix], Matrix, Matrix], Any]] = {
    "rbf": _rbf,
    "exponential": lambda p, x, y: np.exp(-np.sqrt(_squared(p, x, y))),
    "matern": _matern,
    "rq": _rq,
    "laplacian": lambda p, x, y: np.exp(-p["gamma"] * np.abs(x[:, None] - y[None]).sum(axis=2)),
    "cauchy": lambda p, x, y: 1 / (1 + _squared(p, x, y)),
    "inverse_multiquadric": _multiquadric,
    "periodic": _periodic,
    "constant": lambda p, x, y: np.full((len(x), len(y)), p["value"][0]),
    "linear": lambda p, x, y: x @ y.T,
    "poly": _poly,
}
