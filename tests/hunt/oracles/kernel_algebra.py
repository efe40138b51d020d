"""Kernels made of kernels, and those of fitted densities, by the formulas of docs/kernels.

Everything is matrices of the parts' values; ``draw_combined`` draws random expressions of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt.oracles.kernel_formulas import COMBINED, Expression, Noise, Parameters, Rows, draw_leaf, evaluate

POSITIVE = (
    "linear",
    "rbf",
    "poly",
    "matern",
    "exponential",
    "rq",
    "laplacian",
    "constant",
    "arccos",
    "anovadot",
    "neural",
)
NEGATIVE = ("negative_distance", "multiquadric", "log_distance")  # values of at most 0, conditional of order 1
OF_NEGATIVE = ("log", "root")
OF_ANY = (
    "sum",
    "product",
    "scale",
    "power",
    "columns",
    "exp",
    "normalize",
    "version_space",
    "center",
    "iterated",
    "conformal",
    "rbf_of",
    "from_cpd",
    "warp",
    "transform",
    "changepoint",
    "if_present",
)
DENSITIES = ("fisher_gaussian", "fisher_gaussian_mixture", "density_product", "mixture_product")


def draw_any(pick: Any, columns: int, depth: int = 1) -> Expression:
    """Draw an expression: a kernel on vectors, or some of them combined."""
    name = pick(st.sampled_from((*POSITIVE, *(OF_ANY[:8] if depth > 0 else ()))))
    return draw_combined(pick, name, columns, depth - 1) if name in OF_ANY else draw_leaf(pick, name, columns)


def draw_combined(pick: Any, name: str, columns: int, depth: int = 1) -> Expression:
    """Draw an expression whose outermost kernel is the given one."""
    if name in OF_NEGATIVE:
        part = draw_leaf(pick, pick(st.sampled_from(NEGATIVE)), columns)
        return [name, {"exponent": pick(st.sampled_from((0.5, 1 / 3, 1)))} if name == "root" else {}, [part]]
    parameters: Parameters = {}
    width = columns
    if name == "columns":
        chosen = pick(st.lists(st.integers(0, columns - 1), min_size=1, max_size=columns, unique=True))
        parameters, width = {"columns": sorted(chosen)}, len(chosen)
    if name == "transform":
        width = pick(st.integers(1, 2))
        entries = [pick(st.sampled_from((1, 0, -0.5, 2))) for _ in range(width * columns)]
        parameters = {"matrix": entries, "rows": width}
        if pick(st.booleans()):
            matrix = np.array(entries, dtype=float).reshape(width, columns)
            word = pick(st.sampled_from(("covariance", "metric")))
            square = matrix.T @ matrix + np.eye(columns) * (word == "covariance")
            inner = pick(
                st.sampled_from((["linear", {}, []], ["rbf", {"gamma": 0.3}, []], ["arccos", {"order": 1}, []]))
            )
            return [name, {word: square.ravel().tolist()}, [inner]]  # turns do not matter to these
    if name == "if_present":
        parts = [draw_leaf(pick, pick(st.sampled_from(POSITIVE)), columns)]
    elif name in ("sum", "product", "changepoint"):
        parts = [draw_any(pick, columns, depth) for _ in range(2)]
    elif name == "from_cpd" and pick(st.booleans()):
        parts = [draw_leaf(pick, pick(st.sampled_from(NEGATIVE)), columns)]
    else:
        parts = [draw_any(pick, width, depth)]
    choices: dict[str, dict[str, Any]] = {
        "scale": {"scale": (1, 0.5, 1 / 3, 0, -2)},
        "power": {"exponent": (2, 1, 3, 0)},
        "conformal": {"function": ("gaussian", "norm", "inverse_norm")},
        "rbf_of": {"gamma": (1, 0.1, 1 / 3)},
        "from_cpd": {"origin": ("zero", "mean")},
        "warp": {"by": ("log1p", "sqrt", "square", "tanh", "logistic", "unit", "log_polar")},
        "changepoint": {"location": (0, 0.2, -1), "steepness": (1, 5, 1 / 3), "column": tuple(range(columns))},
        "if_present": {"weight": (1, 0, 0.5)},
    }
    for key, values in choices.get(name, {}).items():
        parameters[key] = pick(st.sampled_from(values))
    if name == "exp":
        parts = [["scale", {"scale": 0.01}, parts]]
    if name == "conformal" and parameters["function"] == "gaussian":
        parameters["c"] = pick(st.sampled_from((1, 0, 0.1)))
    if name == "warp" and parameters["by"] == "log_polar":
        if columns < 2:
            parameters["by"] = "tanh"
        else:
            chosen = ["warp", parameters, [draw_any(pick, 2, 0)]]
            return ["columns", {"columns": [0, columns - 1]}, [chosen]]
    return [name, parameters, parts]


def draw_density(pick: Any, name: str, columns: int) -> Expression:
    """Draw a kernel of a density whose parameters are given."""
    numbers = st.sampled_from((0.0, 1.0, -0.5, 0.25))
    positive = st.sampled_from((1.0, 0.5, 2.0))
    if name == "fisher_gaussian":
        parameters: Parameters = {
            "means": [pick(numbers) for _ in range(columns)],
            "deviations": [pick(positive) for _ in range(columns)],
            "information": pick(st.sampled_from(("fisher", "plain", "sample"))),
        }
        return [name, parameters, []]
    components = pick(st.integers(1, 3))
    parameters = {
        "components": components,
        "weights": [pick(positive) for _ in range(components)],
        "means": [pick(numbers) for _ in range(components * columns)],
        "variances": [pick(positive) for _ in range(components * columns)],
    }
    if name == "fisher_gaussian_mixture":
        parameters["information"] = pick(st.sampled_from(("complete", "plain", "sample")))
    else:
        parameters["log_scale"] = pick(st.sampled_from((0, 2, -1.5)))
    return [name, parameters, []]


# ---- Values --------------------------------------------------------------------------------------------------------


def _combined(function: Any) -> Any:
    COMBINED[function.__name__.removeprefix("_of_")] = function
    return function


def _own(part: Expression, x: Rows, train: Rows, noise: Noise | None) -> Rows:
    values = [evaluate(part, *(lambda row: (row, row))(x[i : i + 1]), train, noise)[0, 0] for i in range(len(x))]
    return np.array(values)


@_combined
def _of_sum(p: Parameters, parts: list[Expression], x: Rows, y: Rows, train: Rows, noise: Noise | None) -> np.ndarray:
    return np.sum([evaluate(part, x, y, train, noise) for part in parts], axis=0)


@_combined
def _of_product(
    p: Parameters, parts: list[Expression], x: Rows, y: Rows, train: Rows, noise: Noise | None
) -> np.ndarray:
    return np.prod([evaluate(part, x, y, train, noise) for part in parts], axis=0)


@_combined
def _of_scale(p: Parameters, parts: list[Expression], x: Rows, y: Rows, train: Rows, noise: Noise | None) -> np.ndarray:
    return p["scale"] * evaluate(parts[0], x, y, train, noise)


@_combined
def _of_power(p: Parameters, parts: list[Expression], x: Rows, y: Rows, train: Rows, noise: Noise | None) -> np.ndarray:
    return evaluate(parts[0], x, y, train, noise) ** p["exponent"]


@_combined
def _of_columns(
    p: Parameters, parts: list[Expression], x: Rows, y: Rows, train: Rows, noise: Noise | None
) -> np.ndarray:
    chosen = p["columns"]
    left = x[:, chosen]
    return evaluate(parts[0], left, left if x is y else y[:, chosen], train[:, chosen], noise)


@_combined
def _of_exp(p: Parameters, parts: list[Expression], x: Rows, y: Rows, train: Rows, noise: Noise | None) -> np.ndarray:
    return np.exp(evaluate(parts[0], x, y, train, noise))


@_combined
def _of_log(p: Parameters, parts: list[Expression], x: Rows, y: Rows, train: Rows, noise: Noise | None) -> np.ndarray:
    return -np.log1p(-evaluate(parts[0], x, y, train, noise))


@_combined
def _of_root(p: Parameters, parts: list[Expression], x: Rows, y: Rows, train: Rows, noise: Noise | None) -> np.ndarray:
    return -(np.abs(evaluate(parts[0], x, y, train, noise)) ** p["exponent"])


@_combined
def _of_normalize(
    p: Parameters, parts: list[Expression], x: Rows, y: Rows, train: Rows, noise: Noise | None
) -> np.ndarray:
    left, right = _own(parts[0], x, train, noise), _own(parts[0], y, train, noise)
    if (left < 0).any() or (right < 0).any():
        return np.full((len(x), len(y)), np.nan)
    size = np.sqrt(left)[:, None] * np.sqrt(right)[None, :]
    values = evaluate(parts[0], x, y, train, noise)
    return np.where(size > 0, values / np.where(size > 0, size, 1), 0.0)


@_combined
def _of_version_space(
    p: Parameters, parts: list[Expression], x: Rows, y: Rows, train: Rows, noise: Noise | None
) -> np.ndarray:
    cosines = _of_normalize(p, parts, x, y, train, noise)
    apart = 1 - np.abs(cosines)
    if ((apart > 1e-14) & (apart < 1e-9)).any():
        return np.full(cosines.shape, np.nan)  # angles that rounding decides
    return np.where(apart > 1e-14, 1 - 2 * np.arccos(np.clip(cosines, -1, 1)) / np.pi, np.sign(cosines))


@_combined
def _of_center(
    p: Parameters, parts: list[Expression], x: Rows, y: Rows, train: Rows, noise: Noise | None
) -> np.ndarray:
    values = evaluate(parts[0], x, y, train, noise)
    left = evaluate(parts[0], x, train, train, noise).mean(axis=1)
    right = evaluate(parts[0], y, train, train, noise).mean(axis=1)
    return values - left[:, None] - right[None, :] + evaluate(parts[0], train, train, train, noise).mean()


@_combined
def _of_iterated(
    p: Parameters, parts: list[Expression], x: Rows, y: Rows, train: Rows, noise: Noise | None
) -> np.ndarray:
    left = evaluate(parts[0], x, train, train, noise)
    return left @ evaluate(parts[0], y, train, train, noise).T / len(train)


@_combined
def _of_from_cpd(
    p: Parameters, parts: list[Expression], x: Rows, y: Rows, train: Rows, noise: Noise | None
) -> np.ndarray:
    origin = train.mean(axis=0, keepdims=True) if p["origin"] == "mean" else np.zeros((1, x.shape[1]))
    if noise is not None:
        origin = noise.shifted(origin, np.abs(train).max(initial=0) if p["origin"] == "mean" else 0.0)
    values = evaluate(parts[0], x, y, train, noise) + evaluate(parts[0], origin, origin, train, noise)
    left, right = (evaluate(parts[0], rows, origin, train, noise) for rows in (x, y))
    return (values - left - right.T) / 2


@_combined
def _of_conformal(
    p: Parameters, parts: list[Expression], x: Rows, y: Rows, train: Rows, noise: Noise | None
) -> np.ndarray:
    def weight(rows: Rows) -> Rows:
        norm = np.linalg.norm(rows, axis=1)
        if p["function"] == "gaussian":
            return np.exp(-p["c"] * norm**2)
        if p["function"] == "norm":
            return norm
        return np.array([1 / n if n > 0 else np.nan for n in norm])

    return weight(x)[:, None] * evaluate(parts[0], x, y, train, noise) * weight(y)[None, :]


def _warped(rows: Rows, by: str) -> Rows:
    if by in ("log1p", "sqrt"):
        return np.sign(rows) * (np.log1p(np.abs(rows)) if by == "log1p" else np.sqrt(np.abs(rows)))
    if by == "unit":
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(norms > 0, norms, 1)
    if by == "log_polar":
        radius = np.hypot(rows[:, 0], rows[:, 1])
        logarithm = np.log(radius, where=radius > 0, out=np.full(len(rows), np.nan))
        return np.column_stack([logarithm, np.arctan2(rows[:, 1], rows[:, 0])])
    return {"square": np.square, "tanh": np.tanh, "logistic": lambda v: 1 / (1 + np.exp(-v))}[by](rows)


@_combined
def _of_warp(p: Parameters, parts: list[Expression], x: Rows, y: Rows, train: Rows, noise: Noise | None) -> np.ndarray:
    left = _warped(x, p["by"])
    return evaluate(parts[0], left, left if x is y else _warped(y, p["by"]), _warped(train, p["by"]), noise)


@_combined
def _of_transform(
    p: Parameters, parts: list[Expression], x: Rows, y: Rows, train: Rows, noise: Noise | None
) -> np.ndarray:
    d = x.shape[1]
    if "matrix" in p:
        matrix = np.array(p["matrix"], dtype=float).reshape(p["rows"], d)
    else:
        square = np.array(p.get("covariance", p.get("metric")), dtype=float).reshape(d, d)
        values, vectors = np.linalg.eigh(square)  # any root serves kernels of inner products and distances
        if "covariance" in p:
            values = 1 / values
        matrix = np.sqrt(np.maximum(values, 0))[:, None] * vectors.T
    left = x @ matrix.T
    return evaluate(parts[0], left, left if x is y else y @ matrix.T, train @ matrix.T, noise)


@_combined
def _of_changepoint(
    p: Parameters, parts: list[Expression], x: Rows, y: Rows, train: Rows, noise: Noise | None
) -> np.ndarray:
    def share(rows: Rows, sign: int) -> Rows:
        return 1 / (1 + np.exp(-sign * p["steepness"] * (rows[:, p["column"]] - p["location"])))

    above, below = (np.outer(share(x, sign), share(y, sign)) for sign in (1, -1))
    first, second = (evaluate(part, x, y, train, noise) for part in parts)
    return above * first + below * second


@_combined
def _of_rbf_of(
    p: Parameters, parts: list[Expression], x: Rows, y: Rows, train: Rows, noise: Noise | None
) -> np.ndarray:
    left, right = _own(parts[0], x, train, noise), _own(parts[0], y, train, noise)
    distance = left[:, None] + right[None, :] - 2 * evaluate(parts[0], x, y, train, noise)
    return np.exp(-p["gamma"] * distance)


@_combined
def _of_if_present(
    p: Parameters, parts: list[Expression], x: Rows, y: Rows, train: Rows, noise: Noise | None
) -> np.ndarray:
    columns = x.shape[1]
    if columns == 1 or parts[0][0] in ("constant", "white"):
        return _where_present(p["weight"], parts[0], x, y, train, noise)
    total = np.zeros((len(x), len(y)))
    for j in range(columns):
        one = x[:, [j]]
        own = {
            key: [value[j]] if key in ("lengthscale", "period") and isinstance(value, list) else value
            for key, value in parts[0][1].items()
        }
        part = [parts[0][0], own, parts[0][2]]
        total += _where_present(p["weight"], part, one, one if x is y else y[:, [j]], train[:, [j]], noise)
    return total


def _where_present(weight: float, part: Expression, x: Rows, y: Rows, train: Rows, noise: Noise | None) -> np.ndarray:
    left, right = np.isnan(x).any(axis=1), np.isnan(y).any(axis=1)
    first = np.nan_to_num(x)
    values = evaluate(part, first, first if x is y else np.nan_to_num(y), np.nan_to_num(train), noise)
    values = np.where(~left[:, None] & ~right[None, :], values, 0.0)
    return np.where(left[:, None] & right[None, :], weight, values)


# ---- Densities -----------------------------------------------------------------------------------------------------


def _scored(left: Rows, right: Rows, train: Rows, ridge: float = 1e-3) -> np.ndarray:
    information = train.T @ train / len(train)
    information += ridge * np.mean(np.diag(information)) * np.eye(len(information))
    return left @ np.linalg.solve(information, right.T)  # loses up to as many digits as 1/ridge has


@_combined
def _of_fisher_gaussian(p: Parameters, parts: Any, x: Rows, y: Rows, train: Rows, noise: Noise | None) -> np.ndarray:
    deviations = np.array(p["deviations"])

    def scores(rows: Rows) -> Rows:
        z = (rows - np.array(p["means"])) / deviations
        if p["information"] != "plain":
            return np.hstack([z, (z**2 - 1) / math.sqrt(2)])
        return np.hstack([z / deviations, (z**2 - 1) / deviations])

    if p["information"] == "sample":
        return _scored(scores(x), scores(y), scores(train))
    return scores(x) @ scores(y).T


def _mixture(p: Parameters, rows: Rows) -> tuple[Rows, Rows, Rows]:
    """The components' shares, the density of every row in each, and z of shape (rows, components, columns)."""
    k, d = p["components"], rows.shape[1]
    shares = np.array(p["weights"], dtype=float) / np.sum(p["weights"])
    deviations = np.sqrt(np.array(p["variances"], dtype=float).reshape(k, d))
    z = (rows[:, None, :] - np.array(p["means"], dtype=float).reshape(k, d)) / deviations
    densities = np.exp(-(z**2).sum(axis=2) / 2) / ((2 * math.pi) ** (d / 2) * deviations.prod(axis=1))
    return shares, densities, z


@_combined
def _of_density_product(p: Parameters, parts: Any, x: Rows, y: Rows, train: Rows, noise: Noise | None) -> np.ndarray:
    (shares, left, _), (_, right, _) = _mixture(p, x), _mixture(p, y)
    return math.exp(2 * p["log_scale"]) * np.outer(left @ shares, right @ shares)


@_combined
def _of_mixture_product(p: Parameters, parts: Any, x: Rows, y: Rows, train: Rows, noise: Noise | None) -> np.ndarray:
    (shares, left, _), (_, right, _) = _mixture(p, x), _mixture(p, y)
    return math.exp(2 * p["log_scale"]) * (left * shares) @ right.T


@_combined
def _of_fisher_gaussian_mixture(p: Parameters, parts: Any, x: Rows, y: Rows, train: Rows, noise: Any) -> np.ndarray:
    def scores(rows: Rows) -> Rows:
        shares, densities, z = _mixture(p, rows)
        belongs = shares * densities
        belongs = belongs / belongs.sum(axis=1, keepdims=True)
        deviations = np.sqrt(np.array(p["variances"], dtype=float).reshape(p["components"], -1))
        weights, means, spreads = belongs - shares, belongs[:, :, None] * z, belongs[:, :, None] * (z**2 - 1)
        if p["information"] != "plain":
            root = np.sqrt(shares)
            weights, means = weights / root, means / root[:, None]
            spreads = spreads / root[:, None] / math.sqrt(2)
        else:
            means, spreads = means / deviations, spreads / deviations
        return np.hstack([weights, means.reshape(len(rows), -1), spreads.reshape(len(rows), -1)])

    if p["information"] == "sample":
        return _scored(scores(x), scores(y), scores(train))
    return scores(x) @ scores(y).T
