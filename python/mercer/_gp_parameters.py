"""Kernels of Gaussian process estimators: how they are read, and their continuous parameters.

Parameters go between scikit-learn's kernels and the engine's, and are seen as theta.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.gaussian_process import kernels as sk

from mercer import _core
from mercer._base import Array
from mercer._kernel_choice import KernelChoice
from mercer.kernels import Kernel, as_kernel


@dataclass(frozen=True)
class Place:
    """Where one parameter of the engine's kernel lives in a kernel of scikit-learn: ours = theirs ** power."""

    name: str
    index: int | None = None
    power: int = 1


# Per class, in the order of the engine's parameters.
_NAMES: dict[type, Sequence[tuple[str, int]]] = {
    sk.ConstantKernel: (("constant_value", 1),),
    sk.WhiteKernel: (("noise_level", 1),),
    sk.RBF: (("length_scale", 1),),
    sk.Matern: (("length_scale", 1),),
    sk.RationalQuadratic: (("length_scale", 1), ("alpha", 1)),
    sk.ExpSineSquared: (("periodicity", 1), ("length_scale", 1)),
    sk.DotProduct: (("sigma_0", 2),),
}


def places(kernel: Any, prefix: str = "") -> Iterator[Place]:
    """List where the engine's parameters are found in a kernel of scikit-learn, in the engine's order."""
    if isinstance(kernel, sk.Product | sk.Sum):
        parts = [("k1__", kernel.k1), ("k2__", kernel.k2)]
        if isinstance(kernel, sk.Product) and type(kernel.k1) is not sk.ConstantKernel:
            # A constant on either side is the factor before the other.
            parts.sort(key=lambda part: type(part[1]) is not sk.ConstantKernel)
        for name, part in parts:
            yield from places(part, prefix + name)
    elif isinstance(kernel, sk.Exponentiation):
        yield from places(kernel.kernel, prefix + "kernel__")
    elif isinstance(kernel, sk.PairwiseKernel):
        if kernel.metric not in ("linear", "cosine"):
            yield Place(prefix + "gamma")
        if kernel.metric in ("poly", "polynomial", "sigmoid"):
            yield Place("")  # the offset, which is fixed
    else:
        for name, power in _NAMES[type(kernel)]:
            value = np.asarray(getattr(kernel, name))
            if value.size == 1:
                yield Place(prefix + name, None, power)
            else:
                yield from (Place(prefix + name, index, power) for index in range(value.size))


def with_values(kernel: Any, values: Sequence[float]) -> Any:
    """Give a copy of a kernel of scikit-learn with the values that the engine found."""
    parameters: dict[str, Any] = {}
    current = kernel.get_params()
    for place, value in zip(places(kernel), values, strict=True):
        if not place.name:
            continue
        number = float(value) ** (1 / place.power)
        if place.index is None:
            shaped = np.ndim(current[place.name]) > 0
            parameters[place.name] = np.array([number]) if shaped else number
        else:
            array = parameters.setdefault(place.name, np.array(current[place.name], dtype=float))
            array[place.index] = number
    return clone(kernel).set_params(**parameters)


class Theta:
    """The logarithms of a kernel's free parameters, and the engine's kernel for any value of them.

    Parameters
    ----------
    kernel : Kernel or kernel of sklearn.gaussian_process.kernels
        In the order of whose own parameters theta is.
    """

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.is_foreign = isinstance(kernel, sk.Kernel)
        self._keep(_core.Kernel(as_kernel(kernel).spec))

    def _keep(self, compiled: _core.Kernel) -> None:
        self.compiled = compiled
        parameters = compiled.scale_parameters()
        self.values = np.array([parameter["value"] for parameter in parameters])
        self.free = np.array([not parameter["fixed"] for parameter in parameters], dtype=bool)
        self.limits = [parameter["bounds"] or (1e-5, 1e5) for parameter in parameters]

    @property
    def start(self) -> Array:
        """Theta of the kernel as it is."""
        if self.is_foreign:
            return np.asarray(self.kernel.theta)
        return np.asarray(np.log(self.values[self.free]))

    @property
    def bounds(self) -> Array:
        """Lower and upper bounds of theta, one row each."""
        if self.is_foreign:
            return np.asarray(self.kernel.bounds)
        chosen = [limits for limits, free in zip(self.limits, self.free, strict=True) if free]
        return np.log(np.reshape(np.array(chosen, dtype=float), (-1, 2)))

    def at(self, theta: Any) -> Theta:
        """Give the same kernel at another theta."""
        result = copy(self)
        values = self.values.copy()
        if self.is_foreign:
            result.kernel = self.kernel.clone_with_theta(np.asarray(theta, dtype=float))
            current = result.kernel.get_params()
            for number, place in enumerate(places(result.kernel)):
                if place.name:
                    values[number] = np.ravel(current[place.name])[place.index or 0] ** place.power
        else:
            values[self.free] = np.exp(np.asarray(theta, dtype=float))
        # The logarithm of a bound may come back a little beyond it.
        for number, (lower, upper) in enumerate(self.limits):
            if self.free[number]:
                values[number] = min(max(values[number], lower), upper)
        result._keep(self.compiled.with_scale_parameters(values.tolist()))
        return result

    def gradient(self, by_value: Array) -> Array:
        """Turn derivatives by the engine's parameters into those by theta."""
        by_log = by_value * self.values
        if not self.is_foreign:
            return np.asarray(by_log[self.free])
        found: dict[tuple[str, int], float] = {}
        for place, derivative in zip(places(self.kernel), by_log, strict=True):
            found[place.name, place.index or 0] = float(derivative) * place.power
        return np.array(
            [
                found[item.name, index]
                for item in self.kernel.hyperparameters
                if not item.fixed
                for index in range(item.n_elements)
            ]
        )


def fitted_kernel(requested: Any, spec: str) -> Any:
    """Give the kernel of a fitted model: of scikit-learn's classes where the requested one is, else of ours.

    Parameters
    ----------
    requested : Kernel, str or kernel of sklearn.gaussian_process.kernels
        What the user gave.
    spec : str
        The kernel that was fitted.
    """
    if isinstance(requested, sk.Kernel):
        values = [parameter["value"] for parameter in _core.Kernel(spec).scale_parameters()]
        return with_values(requested, values)
    kernel: Kernel = as_kernel(spec)
    return kernel


def gp_choice(kernel: Any, X: Any) -> KernelChoice:
    """Read the kernel of a Gaussian process estimator."""
    columns = X.shape[1] if len(getattr(X, "shape", ())) == 2 else None
    names = {"linear": "linear()", "rbf": "rbf()", "poly": "poly()"}
    if isinstance(kernel, str):
        kernel = names.get(kernel, kernel)
    return KernelChoice(as_kernel(kernel, n_features=columns).spec)


def gp_convergence_words(estimator: Any, report: Mapping[str, Any]) -> str:
    """Say what it means that the search for the parameters did not converge."""
    return (
        f"{type(estimator).__name__}: the search for the kernel's parameters ended after {report['iterations']} "
        f"evaluations before it converged (status {report['status']!r}). Consider scaling the columns, more noise "
        "(alpha), bounds on the parameters, or more restarts."
    )
