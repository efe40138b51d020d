"""Kernels on vectors that see both rows and not their difference alone, by the formulas of docs/kernels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

Parameters = dict[str, Any]
Rows = np.ndarray
Pair = Callable[[Parameters, Rows, Rows], float]
PAIRS: dict[str, Pair] = {}


def _pair(function: Pair) -> Pair:
    PAIRS[function.__name__.removeprefix("_of_")] = function
    return function


def each_of(value: Any, count: int) -> Rows:
    """One number for each column or task, or the same for all."""
    return np.array([float(v) for v in value]) if isinstance(value, list) else np.full(count, float(value))


def _dot(a: Rows, b: Rows) -> float:
    return math.fsum(u * v for u, v in zip(a, b, strict=True))


def _angle(a: Rows, b: Rows) -> float:
    u, v = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return 2 * math.atan2(float(np.linalg.norm(u - v)), float(np.linalg.norm(u + v)))


@_pair
def _of_linear(p: Parameters, a: Rows, b: Rows) -> float:
    return _dot(a, b)


@_pair
def _of_poly(p: Parameters, a: Rows, b: Rows) -> float:
    return (p["gamma"] * _dot(a, b) + p["coef0"]) ** p["degree"]


@_pair
def _of_features(p: Parameters, a: Rows, b: Rows) -> float:
    return (_dot(a, b) + p["coef0"]) ** p["degree"]


@_pair
def _of_sigmoid(p: Parameters, a: Rows, b: Rows) -> float:
    return math.tanh(p["gamma"] * _dot(a, b) + p["coef0"])


@_pair
def _of_cosine(p: Parameters, a: Rows, b: Rows) -> float:
    return _dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b)) if a.any() and b.any() else 0.0


@_pair
def _of_arccos(p: Parameters, a: Rows, b: Rows) -> float:
    if not (a.any() and b.any()):
        return 0.0
    n, angle = p["order"], _angle(a, b)
    c, s = math.cos(angle), math.sin(angle)
    j = (math.pi - angle, s + (math.pi - angle) * c, 3 * s * c + (math.pi - angle) * (1 + 2 * c * c))[n]
    return float(np.linalg.norm(a) ** n * np.linalg.norm(b) ** n) * j / math.pi


@_pair
def _of_neural(p: Parameters, a: Rows, b: Rows) -> float:
    def s(u: Rows, v: Rows) -> float:
        return p["bias_variance"] + p["weight_variance"] * _dot(u, v)

    return 2 / math.pi * math.asin(2 * s(a, b) / math.sqrt((1 + 2 * s(a, a)) * (1 + 2 * s(b, b))))


@_pair
def _of_vovk(p: Parameters, a: Rows, b: Rows) -> float:
    return sum(_dot(a, b) ** n for n in range(p["terms"]))


@_pair
def _of_vovk_infinite(p: Parameters, a: Rows, b: Rows) -> float:
    return 1 / (1 - _dot(a, b))


@_pair
def _of_dot_series(p: Parameters, a: Rows, b: Rows) -> float:
    return sum(c * _dot(a, b) ** n for n, c in enumerate(p.get("coefficients", [1, 1, 0.5])))


@_pair
def _of_legendre_series(p: Parameters, a: Rows, b: Rows) -> float:
    if not (a.any() and b.any()):
        return 0.0
    u, alpha = math.cos(_angle(a, b)), p["dimension"] / 2 - 1
    gegenbauer = scipy.special.eval_gegenbauer
    return sum(c * gegenbauer(n, alpha, u) / gegenbauer(n, alpha, 1.0) for n, c in enumerate(p["coefficients"]))


@_pair
def _of_chi2(p: Parameters, a: Rows, b: Rows) -> float:
    return math.exp(-p["gamma"] * sum((u - v) ** 2 / (u + v) for u, v in zip(a, b, strict=True) if u + v > 0))


@_pair
def _of_additive_chi2(p: Parameters, a: Rows, b: Rows) -> float:
    return sum(2 * u * v / (u + v) for u, v in zip(a, b, strict=True) if u + v > 0)


@_pair
def _of_intersection(p: Parameters, a: Rows, b: Rows) -> float:
    return sum(min(u, v) for u, v in zip(a, b, strict=True))


@_pair
def _of_spline(p: Parameters, a: Rows, b: Rows) -> float:
    terms = []
    for u, v in zip(a, b, strict=True):
        m = min(u, v)
        terms.append(1 + u * v + m**2 * abs(u - v) / 2 + m**3 / 3)
    return math.prod(terms)


@_pair
def _of_hellinger(p: Parameters, a: Rows, b: Rows) -> float:
    return sum(math.sqrt(u) * math.sqrt(v) for u, v in zip(a, b, strict=True))


@_pair
def _of_jensen_shannon(p: Parameters, a: Rows, b: Rows) -> float:
    total = 0.0
    for u, v in zip(a, b, strict=True):
        total += (u * math.log2((u + v) / u) if u > 0 else 0) + (v * math.log2((u + v) / v) if v > 0 else 0)
    return total / 2


@_pair
def _of_probability_product_counts(p: Parameters, a: Rows, b: Rows) -> float:
    if not (a.any() and b.any()):
        return 0.0
    return sum((u / a.sum()) ** p["rho"] * (v / b.sum()) ** p["rho"] for u, v in zip(a, b, strict=True))


@_pair
def _of_generalized_intersection(p: Parameters, a: Rows, b: Rows) -> float:
    return sum(min(abs(u) ** p["beta"], abs(v) ** p["beta"]) for u, v in zip(a, b, strict=True))


@_pair
def _of_hamming(p: Parameters, a: Rows, b: Rows) -> float:
    return math.exp(-p["gamma"] * sum(u != v for u, v in zip(a, b, strict=True)))


@_pair
def _of_delta(p: Parameters, a: Rows, b: Rows) -> float:
    return float(all(u == v for u, v in zip(a, b, strict=True)))


@_pair
def _of_coregion(p: Parameters, a: Rows, b: Rows) -> float:
    tasks, rank, u, v = p.get("tasks", 0), p.get("rank", 1), int(a[0]), int(b[0])
    if tasks == 0:
        return p["W"] ** 2 + p["kappa"] * (u == v)
    w = each_of(p["W"], tasks * rank).reshape(tasks, rank)
    return float(w[u] @ w[v]) + each_of(p["kappa"], tasks)[u] * (u == v)


@_pair
def _of_cyclic(p: Parameters, a: Rows, b: Rows) -> float:
    return math.prod(p["values"][int(u - v) % len(p["values"])] for u, v in zip(a, b, strict=True))


@_pair
def _of_rank_one(p: Parameters, a: Rows, b: Rows) -> float:
    def f(u: Rows) -> float:
        if p.get("function") == "linear":
            return _dot(u, np.array(p["weights"]))
        return float(np.linalg.norm(u)) if p.get("function") == "norm" else float(u[p["column"]])

    return f(a) * f(b)


@_pair
def _of_constant(p: Parameters, a: Rows, b: Rows) -> float:
    return p["value"]


@_pair
def _of_local_image(p: Parameters, a: Rows, b: Rows) -> float:
    q, d1, d2 = p.get("q", 4), p.get("d1", 2), p.get("d2", 1)
    width = p.get("width") or max(w for w in range(1, len(a) + 1) if len(a) % w == 0 and w * w <= len(a))
    height, reach = len(a) // width, q - 1 if p.get("border") == "extended" else 0
    total = 0.0
    for row, column in itertools.product(range(-reach, height + reach), range(-reach, width + reach)):
        inner = 0.0
        for i in range(len(a)):
            apart = max(abs(i // width - row), abs(i % width - column))
            inner += max(q - apart, 0) * a[i] * b[i]
        total += inner**d1
    return total**d2


@_pair
def _of_tanimoto(p: Parameters, a: Rows, b: Rows) -> float:
    below = _dot(a, a) + _dot(b, b) - _dot(a, b)
    return _dot(a, b) / below if a.any() or b.any() else 1.0


@_pair
def _of_dice(p: Parameters, a: Rows, b: Rows) -> float:
    return 2 * _dot(a, b) / (_dot(a, a) + _dot(b, b)) if a.any() or b.any() else 1.0
