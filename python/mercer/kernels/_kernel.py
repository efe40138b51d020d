"""The class of all kernels: operators, parameters, evaluation."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer._samples import coded_samples, kernel_of
from mercer.kernels._text import Value

Columns = str | int | slice | list[Any] | tuple[Any, ...]


class Kernel:
    """A kernel k(x, y).

    Kernels are added, multiplied, scaled by numbers, raised to powers and restricted to columns; they are called on
    arrays, and their parameters are reached by ``get_params`` and ``set_params`` as those of scikit-learn's estimators.

    Examples
    --------
    >>> from mercer.kernels import RBF, Linear, Matern
    >>> k = 0.5 * RBF(gamma=0.1) + Matern(nu=2.5)["age", "body mass"] * Linear()
    >>> k
    0.5 * RBF(gamma=0.1) + Matern(nu=2.5)['age', 'body mass'] * Linear()
    >>> print(k)
    0.5*rbf(gamma=0.1) + matern(lengthscale=scale, nu=2.5)[age, "body mass"] * linear()
    >>> k.get_params()["k1__kernel__gamma"]
    0.1
    """

    _names: ClassVar[tuple[str, ...]] = ()
    # How tightly the printed form binds: 1 sums, 2 products, 3 powers, 4 what needs no parentheses.
    _binding: ClassVar[int] = 4
    # A subscript selects columns; a kernel is no sequence.
    __iter__ = None
    # NumPy leaves scalar * kernel to the kernel.
    __array_ufunc__ = None

    # ---- Text ----------------------------------------------------------------------------------------------------

    def _text(self) -> str:
        raise NotImplementedError

    def _repr(self) -> str:
        raise NotImplementedError

    def _wrapped(self, binding: int, *, python: bool) -> str:
        text = self._repr() if python else self._text()
        return text if self._binding >= binding else f"({text})"

    def _compiled(self) -> _core.Kernel:
        return _core.Kernel(self._text())

    @property
    def spec(self) -> str:
        """The text form, as the program and model files write it."""
        return self._compiled().spec

    def __str__(self) -> str:
        return self.spec

    def __repr__(self) -> str:
        return self._repr()

    def __eq__(self, other: object) -> bool:
        return self.spec == other.spec if isinstance(other, Kernel) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.spec)

    # ---- Operators -----------------------------------------------------------------------------------------------

    def __add__(self, other: Kernel | float) -> Kernel:
        from mercer.kernels._nodes import Sum, as_operand

        operand = as_operand(other)
        return NotImplemented if operand is None else Sum(self, operand)

    def __radd__(self, other: float) -> Kernel:
        from mercer.kernels._nodes import Sum, as_operand

        operand = as_operand(other)
        return NotImplemented if operand is None else Sum(operand, self)

    def __mul__(self, other: Kernel | float) -> Kernel:
        from mercer.kernels._nodes import Product, Scaled, is_number

        if isinstance(other, Kernel):
            return Product(self, other)
        return Scaled(other, self) if is_number(other) else NotImplemented

    def __rmul__(self, other: float) -> Kernel:
        from mercer.kernels._nodes import Scaled, is_number

        return Scaled(other, self) if is_number(other) else NotImplemented

    def __pow__(self, exponent: float) -> Kernel:
        from mercer.kernels._nodes import Power, is_number

        return Power(self, exponent) if is_number(exponent) else NotImplemented

    def __getitem__(self, columns: Columns) -> Kernel:
        """The kernel on some columns: ``k["age"]``, ``k[["age", "bmi"]]``, ``k[0:3]``."""
        from mercer.kernels._nodes import OnColumns

        return OnColumns(self, columns)

    # ---- Parameters ----------------------------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Value]:
        """Parameters by name; those of kernels inside as ``kernel__name``, ``k1__name``, ``k2__name``.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include those of the kernels inside.

        Returns
        -------
        dict
        """
        params = {name: getattr(self, name) for name in self._names}
        if deep:
            for name, value in list(params.items()):
                if isinstance(value, Kernel):
                    params.update({f"{name}__{inner}": item for inner, item in value.get_params().items()})
        return params

    def set_params(self, **params: Value) -> Kernel:
        """Sets parameters by the names of ``get_params``.

        Returns
        -------
        Kernel
            The kernel itself.
        """
        nested: dict[str, dict[str, Value]] = {}
        for name, value in params.items():
            first, _, rest = name.partition("__")
            if first not in self._names:
                raise ValueError(f"{type(self).__name__} has no parameter {first!r}; it has {sorted(self._names)}")
            if rest:
                nested.setdefault(first, {})[rest] = value
            else:
                setattr(self, first, value)
        for name, inner in nested.items():
            child = getattr(self, name)
            if not isinstance(child, Kernel):
                raise ValueError(
                    f"{name!r} of {type(self).__name__} is no kernel: it has no parameters {sorted(inner)}"
                )
            child.set_params(**inner)
        return self

    @property
    def parameters(self) -> list[dict[str, Any]]:
        """The continuous parameters, in the order of ``gradient``: path, value, fixed, bounds.

        Widths that the data decides (``gamma="scale"``) are absent until ``resolved``.
        """
        return self._compiled().scale_parameters()

    # ---- What is known -------------------------------------------------------------------------------------------

    @property
    def known_definiteness(self) -> str:
        """What is known of the kernel's matrices before any data is seen."""
        return self._compiled().definiteness

    @property
    def is_positive_definite(self) -> bool:
        """Whether every matrix of the kernel is positive semidefinite."""
        return self._compiled().is_positive_definite

    # ---- Evaluation ----------------------------------------------------------------------------------------------

    def resolved(self, X: Any) -> Kernel:
        """The kernel with every width that the data decides replaced by its number on X."""
        from mercer.kernels._convert import from_compiled

        kernel = kernel_of(self._compiled(), X)
        return from_compiled(kernel.resolved(coded_samples(kernel, X)[0]))

    def __call__(self, X: Any, Y: Any = None, *, threads: int = 0) -> NDArray[np.float64]:
        """The matrix k(x_i, y_j).

        Parameters
        ----------
        X : samples
            Arrays, sparse matrices, data frames, or lists of strings.
        Y : samples, optional
            X itself where it is left out. Widths that the data decides are taken from Y where it is given.
        threads : int, default=0
            0 means one per core.

        Returns
        -------
        ndarray of shape (len(X), len(Y))
        """
        kernel = kernel_of(self._compiled(), X if Y is None else Y)
        return kernel.gram(*coded_samples(kernel, X, Y), threads=threads)

    def diag(self, X: Any) -> NDArray[np.float64]:
        """The values k(x_i, x_i)."""
        kernel = kernel_of(self._compiled(), X)
        return kernel.diagonal(coded_samples(kernel, X)[0])

    def gradient(self, X: Any, Q: Any, Y: Any = None, *, threads: int = 0) -> NDArray[np.float64]:
        """Σ_ij Q_ij ∂k(x_i, y_j)/∂θ for every continuous parameter θ, without any n × n × p array.

        Parameters
        ----------
        X, Y : samples
            Y is X where it is left out.
        Q : array of shape (len(X), len(Y))
        threads : int, default=0

        Returns
        -------
        ndarray of shape (len(parameters),)
            In the order of ``parameters`` of the resolved kernel.

        Examples
        --------
        >>> import numpy as np
        >>> from mercer.kernels import RBF
        >>> X = np.array([[0.0], [1.0]])
        >>> bool(np.isclose(RBF(gamma=1.0).gradient(X, np.ones((2, 2)))[0], -2 * np.exp(-1.0)))
        True
        """
        weights = np.asarray(Q, dtype=np.float64)
        if Y is None:
            # The derivatives are symmetric, so that only the symmetric part of Q counts.
            weights = (weights + weights.T) / 2
        kernel = kernel_of(self._compiled(), X if Y is None else Y)
        x, y = coded_samples(kernel, X, Y)
        return kernel.contract(x, np.ascontiguousarray(weights), y, threads=threads)

    def input_gradient(self, X: Any, Y: Any, Q: Any, *, threads: int = 0) -> NDArray[np.float64]:
        """Σ_j Q_ij ∂k(x_i, y_j)/∂x_i: one row per row of X, one column per numeric column."""
        weights = np.ascontiguousarray(Q, dtype=np.float64)
        kernel = kernel_of(self._compiled(), X if Y is None else Y)
        x, y = coded_samples(kernel, X, Y)
        return kernel.input_gradient(x, x if y is None else y, weights, threads=threads)
