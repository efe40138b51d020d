"""Kernels from text and from scikit-learn's Gaussian process kernels."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
from sklearn.gaussian_process import kernels as sk

from mercer import _core
from mercer.kernels._kernel import Kernel
from mercer.kernels._library import CLASSES
from mercer.kernels._nodes import OnColumns, Power, Product, Scaled, Sum
from mercer.kernels._text import Value, bounded, fixed, number_to_text, text_to_value


def as_kernel(kernel: object, *, n_features: int | None = None) -> Kernel:
    """A kernel from whatever stands for one.

    Parameters
    ----------
    kernel : Kernel, str or kernel of sklearn.gaussian_process.kernels
        Text is read as a spec of the kernel language.
    n_features : int, optional
        See ``from_sklearn``.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from mercer.kernels import as_kernel
    >>> as_kernel("2*rbf(gamma=0.5) + linear()[age, 0:3]")
    2 * RBF(gamma=0.5) + Linear()['age', 0:3]
    """
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str):
        return from_compiled(_core.Kernel(kernel))
    if isinstance(kernel, sk.Kernel):
        return from_sklearn(kernel, n_features=n_features)
    raise TypeError(
        f"{kernel!r} is no kernel: give a spec such as 'rbf(gamma=0.5)', an object of mercer.kernels, or one of "
        "sklearn.gaussian_process.kernels"
    )


def from_compiled(kernel: _core.Kernel) -> Kernel:
    """The Python objects of a compiled kernel's expression."""
    name, parameters, children, columns = kernel.tree()
    inner = [from_compiled(child) for child in children]
    if name == "sum":
        return reduce(Sum, inner)
    if name == "product":
        return reduce(Product, inner)
    if name == "scale":
        return Scaled(text_to_value(parameters["scale"]), inner[0])
    if name == "power":
        return Power(inner[0], text_to_value(parameters["exponent"]))
    if name == "columns":
        return OnColumns(inner[0], [_column(reference) for reference in columns or []])
    return CLASSES[name](*inner, **{key: text_to_value(text) for key, text in parameters.items()})


def _column(reference: str | tuple[str, str] | tuple[int, int]) -> str | int | slice:
    if isinstance(reference, str):
        return reference
    begin, end = reference
    if isinstance(begin, str) or isinstance(end, str):
        return slice(begin, end)
    return begin if end == begin + 1 else slice(begin, end)


def from_sklearn(kernel: sk.Kernel, *, n_features: int | None = None) -> Kernel:
    """The same kernel as one of scikit-learn's Gaussian process kernels, with its bounds.

    Parameters
    ----------
    kernel : kernel of sklearn.gaussian_process.kernels
        Sums, products and powers of ConstantKernel, WhiteKernel, RBF, Matern, RationalQuadratic, ExpSineSquared,
        DotProduct and PairwiseKernel. ``"fixed"`` parameters stay fixed.
    n_features : int, optional
        The number of columns, where it is known. ExpSineSquared is then refused for more than one: it is a function
        of the distance, and no positive definite one beyond a line; ``Periodic`` is a product over columns.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from sklearn.gaussian_process.kernels import RBF, ConstantKernel
    >>> from mercer.kernels import from_sklearn
    >>> from_sklearn(ConstantKernel(2.0, "fixed") * RBF(0.5, (0.1, 10.0)))
    '2!' * RBF(lengthscale='0.5 in 0.1..10')
    """
    if isinstance(kernel, sk.Product):
        return _product(kernel, n_features)
    if isinstance(kernel, sk.Sum):
        return Sum(from_sklearn(kernel.k1, n_features=n_features), from_sklearn(kernel.k2, n_features=n_features))
    if isinstance(kernel, sk.Exponentiation):
        return Power(from_sklearn(kernel.kernel, n_features=n_features), kernel.exponent)
    if isinstance(kernel, sk.ExpSineSquared) and n_features is not None and n_features > 1:
        raise ValueError(
            f"ExpSineSquared on {n_features} columns is not positive definite; use mercer.kernels.Periodic, a product "
            "over columns, or choose one column"
        )
    convert = _CONVERSIONS.get(type(kernel))
    if convert is None:
        raise ValueError(f"scikit-learn's kernel {kernel!r} has no counterpart; write it with mercer.kernels")
    return convert(kernel)


def _product(kernel: sk.Product, n_features: int | None) -> Kernel:
    for constant, other in ((kernel.k1, kernel.k2), (kernel.k2, kernel.k1)):
        if type(constant) is sk.ConstantKernel:
            scale = _value(constant.constant_value, constant.constant_value_bounds)
            return Scaled(scale, from_sklearn(other, n_features=n_features))
    return Product(from_sklearn(kernel.k1, n_features=n_features), from_sklearn(kernel.k2, n_features=n_features))


def _value(value: Any, bounds: Any, transform: Callable[[float], float] = float) -> Value:
    numbers = [transform(item) for item in np.ravel(value)]
    shown: Any = numbers[0] if np.ndim(value) == 0 or len(numbers) == 1 else numbers
    if isinstance(bounds, str):
        return fixed(shown)
    intervals = np.unique(np.reshape(np.asarray(bounds, dtype=float), (-1, 2)), axis=0)
    if len(intervals) != 1:
        raise ValueError(f"bounds {bounds!r} differ between columns; one pair of bounds holds for all of them")
    return bounded(shown, transform(intervals[0, 0]), transform(intervals[0, 1]))


def _length(kernel: Any) -> Value:
    return _value(kernel.length_scale, kernel.length_scale_bounds)


def _matern(kernel: sk.Matern) -> Kernel:
    if math.isinf(kernel.nu):
        return CLASSES["rbf"](lengthscale=_length(kernel))
    return CLASSES["matern"](lengthscale=_length(kernel), nu=kernel.nu)


def _dot_product(kernel: sk.DotProduct) -> Kernel:
    offset = _value(kernel.sigma_0, kernel.sigma_0_bounds, lambda sigma: float(sigma) ** 2)
    return Sum(CLASSES["linear"](), CLASSES["constant"](value=offset))


def _pairwise(kernel: sk.PairwiseKernel) -> Kernel:
    options = dict(kernel.pairwise_kernels_kwargs or {})
    gamma = _value(kernel.gamma, kernel.gamma_bounds)
    if kernel.metric in ("rbf", "laplacian", "chi2") and not options:
        return CLASSES[kernel.metric](gamma=gamma)
    if kernel.metric in ("linear", "cosine") and not options:
        return CLASSES[kernel.metric]()
    if kernel.metric in ("poly", "polynomial"):
        return CLASSES["poly"](gamma=gamma, degree=options.get("degree", 3), coef0=_fixed(options.get("coef0", 1)))
    if kernel.metric == "sigmoid":
        return CLASSES["sigmoid"](gamma=gamma, coef0=_fixed(options.get("coef0", 1)))
    raise ValueError(f"PairwiseKernel with metric {kernel.metric!r} has no counterpart; write it with mercer.kernels")


def _fixed(value: float) -> str:
    return number_to_text(value) + "!"


_CONVERSIONS: dict[type, Callable[[Any], Kernel]] = {
    sk.ConstantKernel: lambda k: CLASSES["constant"](value=_value(k.constant_value, k.constant_value_bounds)),
    sk.WhiteKernel: lambda k: CLASSES["white"](variance=_value(k.noise_level, k.noise_level_bounds)),
    sk.RBF: lambda k: CLASSES["rbf"](lengthscale=_length(k)),
    sk.Matern: _matern,
    sk.RationalQuadratic: lambda k: CLASSES["rq"](lengthscale=_length(k), alpha=_value(k.alpha, k.alpha_bounds)),
    sk.ExpSineSquared: lambda k: CLASSES["periodic"](
        lengthscale=_length(k), period=_value(k.periodicity, k.periodicity_bounds)
    ),
    sk.DotProduct: _dot_product,
    sk.PairwiseKernel: _pairwise,
}
