"""Kernels on vectors by the formulas of docs/kernels, one pair of rows at a time.

An expression is ``[name, parameters, parts]``, what JSON can hold; ``text`` writes it in the kernel language and
``evaluate`` computes it. Formulas of differences see x - y alone, so that an offset of the data costs them no digits.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.interpolate
import scipy.special
from hypothesis import strategies as st

from hunt.oracles.kernel_pairs import PAIRS, Parameters, Rows, each_of

Expression = list[Any]

WIDTH, GAMMA, RATE, PERIOD = "width", "gamma", "rate", "period"  # parameters in the unit of the data
COLUMNS = "columns"  # one number, or one per column
DRAWN = {
    "rbf": [{"lengthscale": WIDTH}, {"gamma": GAMMA}],
    "exponential": [{"lengthscale": WIDTH}],
    "power_exponential": [{"lengthscale": WIDTH, "beta": (1, 0, 0.3, 1.7, 2)}],
    "matern": [{"lengthscale": WIDTH, "nu": (1.5, 0.5, 2.5, 0.2, 0.8, 1, 3.3, 20, "inf")}],
    "rq": [{"lengthscale": WIDTH, "alpha": (1, 0.3, 2.5, 1e3)}],
    "cauchy": [{"lengthscale": WIDTH}],
    "inverse_multiquadric": [{"lengthscale": WIDTH}, {"lengthscale": WIDTH, "c": (1, 0.8, 3)}, {"c": (1, 0.1)}],
    "inverse_quadratic": [{"lengthscale": WIDTH}, {"lengthscale": WIDTH, "a": (1, 0.8, 3)}, {"a": (1, 0.1)}],
    "inverse_polynomial": [{"lengthscale": WIDTH}, {"lengthscale": WIDTH, "dimension": (1, 2, 7)}],
    "wendland": [{"lengthscale": WIDTH, "smoothness": (1, 0, 2, 3)}, {"lengthscale": WIDTH, "dimension": (5, 6)}],
    "ball_spline": [{"lengthscale": WIDTH}, {"lengthscale": WIDTH, "order": (1, 3, 5), "dimension": (5, 6)}],
    "sobolev": [{"lengthscale": WIDTH}],
    "radial_spectrum": [
        {"lengthscale": WIDTH},
        {"lengthscale": WIDTH, "frequencies": ([0, 2], [0.5, 30]), "weights": ([1, 1], [0.3, 0])},
        {"lengthscale": WIDTH, "frequencies": ([0.5, 3],), "weights": ([1, 0.25],), "dimension": (5, 6, 9)},
    ],
    "multiquadric": [{"lengthscale": WIDTH}, {"lengthscale": WIDTH, "c": (1, 0.8, 3)}, {"c": (1, 0.1)}],
    "negative_distance": [{}, {"beta": (1, 0, 0.3, 1.5, 2)}, {"lengthscale": WIDTH, "beta": (1, 0.6, 2)}],
    "log_distance": [{"lengthscale": WIDTH, "beta": (2, 0.3, 1)}],
    "thin_plate": [{}, {"n": (1, 2, 3)}, {"lengthscale": WIDTH, "n": (1, 2)}],
    "linear": [{}],
    "poly": [{"degree": (1, 2, 3, 6), "gamma": GAMMA, "coef0": (1, 0, 0.5, -1)}],
    "sigmoid": [{"gamma": GAMMA, "coef0": (0, -1, 0.5)}],
    "cosine": [{}],
    "arccos": [{"order": (1, 0, 2)}],
    "neural": [{"weight_variance": GAMMA, "bias_variance": (1, 0, 0.5)}],
    "vovk": [{"terms": (1, 2, 4, 7)}],
    "vovk_infinite": [{}],
    "dot_series": [{}, {"coefficients": ([1, 0.5, 0, 0.2], [0, 1, -0.5], [2])}],
    "legendre_series": [{"dimension": (5, 6), "coefficients": ([1, 1], [0.3, 1, 0.5, 0.2], [0, 1, -0.4])}],
    "laplacian": [{}, {"gamma": RATE}],
    "periodic": [{"period": PERIOD, "lengthscale": (1, 0.3, 3)}],
    "locally_periodic": [{"period": PERIOD, "lengthscale": (1, 0.3, 3), "gamma": GAMMA}],
    "spectral_mixture": [{"weights": (1, 0.5), "means": RATE, "variances": GAMMA}],
    "chi2": [{"gamma": RATE}],
    "additive_chi2": [{}],
    "intersection": [{}],
    "anova": [{"degree": (1, 2, 3), "gamma": GAMMA}],
    "anovadot": [{"degree": (1, 2, 3), "gamma": GAMMA}],
    "spline": [{}],
    "bspline": [{"lengthscale": WIDTH, "order": (3, 1, 2, 5, 8)}],
    "dirichlet": [{"period": PERIOD, "order": (1, 2, 10)}],
    "periodic_gaussian": [
        {"period": PERIOD, "lengthscale": (1, 0.3, 3)},
        {"period": PERIOD, "lengthscale": (1, 0.3), "terms": (1, 4)},
        {"period": PERIOD, "lengthscale": (1, 0.3), "rescale": ("unit",)},
    ],
    "periodized": [{"period": PERIOD, "lengthscale": RATE, "base": ("gaussian", "laplacian")}],
    "hamming": [{"gamma": (1, 0.2, 5)}],
    "delta": [{}],
    "coregion": [
        {"W": (1, 0.7, -2), "kappa": (1, 0, 0.4)},
        {"tasks": (3,), "W": ([1, -0.5, 0.3],), "kappa": ([0.2, 0.4, 0], 1)},
        {"tasks": (3,), "rank": (2,), "W": ([1, -0.5, 0.3, 0.8, 0.1, 0.7],), "kappa": (1,)},
    ],
    "cyclic": [{"values": ([1, 0.4, 0.4], [2, 0.5, -0.5, 0.5], [1, 0.8, 0.1, 0.1, 0.8], [3])}],
    "rank_one": [{}, {"function": ("norm",)}, {"function": ("linear",), "weights": COLUMNS}],
    "constant": [{"value": (1, 0, 0.7)}],
    "white": [{"variance": (1, 0, 0.3)}],
    "hellinger": [{}],
    "jensen_shannon": [{}],
    "generalized_intersection": [{"beta": (1, 0.5, 2, 0.1)}],
    "probability_product_counts": [{"rho": (1, 0.5, 2)}],
    "probability_product": [{"sigma": WIDTH, "rho": (1, 0.5, 2)}],
    "local_image": [{}, {"width": (1,), "q": (1, 2), "d1": (1, 3), "d2": (1, 2), "border": ("inside", "extended")}],
    "features": [{"degree": (1, 2, 3), "coef0": (0, 1, 0.5)}],
    "tanimoto": [{}],
    "dice": [{}],
}
ONE_COLUMN = {"sobolev", "coregion"}
DOMAINS = {
    **dict.fromkeys(
        (
            "chi2",
            "additive_chi2",
            "intersection",
            "spline",
            "hellinger",
            "jensen_shannon",
            "probability_product_counts",
        ),
        "nonnegative",
    ),
    "vovk_infinite": "ball",
    **dict.fromkeys(("coregion", "cyclic", "hamming", "delta"), "tasks"),
    "if_present": "missing",
}


# ---- Drawing and writing -------------------------------------------------------------------------------------------


def draw_leaf(pick: Any, name: str, columns: int, unit: float = 1.0) -> Expression:
    """Draw the parameters of a kernel on that many columns whose spread is about ``unit``."""
    parameters: Parameters = {}
    numbers = st.sampled_from((1.0, 0.3, 2.5, 1 / 3, 1e-3, 100.0))
    for key, choices in pick(st.sampled_from(DRAWN[name])).items():
        if choices in (WIDTH, PERIOD, COLUMNS):
            listed = name != "probability_product" and (choices == COLUMNS or pick(st.booleans()))
            size = 1.0 if choices == COLUMNS else unit
            one = (numbers | st.just("inf")) if choices == WIDTH else numbers
            value: Any = [pick(one) for _ in range(columns)] if listed else pick(numbers)
            parameters[key] = [v if v == "inf" else v * size for v in value] if listed else value * size
        elif choices == GAMMA:
            parameters[key] = pick(st.sampled_from((1.0, 0.3, 1 / 3, 20.0, 1e-3))) / unit**2
        elif choices == RATE:
            size = unit if name == "periodized" else 1 / unit
            parameters[key] = pick(st.sampled_from((1.0, 0.3, 1 / 3, 20.0))) * size
        else:
            parameters[key] = pick(st.sampled_from(choices))
    if name == "spectral_mixture" and pick(st.booleans()):
        parameters = {
            "weights": [1, 0.5],
            "means": [pick(st.sampled_from((0.0, 0.3, 1.0))) / unit for _ in range(2 * columns)],
            "variances": [pick(st.sampled_from((0.0, 0.02, 0.5))) / unit**2 for _ in range(2 * columns)],
        }
    if name == "rank_one" and not parameters:
        parameters = {"column": pick(st.integers(0, columns - 1))}
    if name == "anova":
        parameters["degree"] = min(parameters["degree"], columns)
    if name in ONE_COLUMN and columns > 1:
        parameters = {k: v[:1] if isinstance(v, list) and name == "sobolev" else v for k, v in parameters.items()}
        return ["columns", {"columns": [columns - 1]}, [[name, parameters, []]]]
    return [name, parameters, []]


def text(expression: Expression) -> str:
    """Write the expression in the kernel language."""
    name, parameters, parts = expression
    inner = [text(part) for part in parts]
    if name in ("sum", "product"):
        return "(" + {"sum": " + ", "product": " * "}[name].join(inner) + ")"
    if name == "scale":
        return f"{_value(parameters['scale'])}*({inner[0]})"
    if name == "power":
        return f"({inner[0]})^{_value(parameters['exponent'])}"
    if name == "columns":
        return f"({inner[0]})[{', '.join(map(str, parameters['columns']))}]"
    return f"{name}({', '.join([*inner, *(f'{key}={_value(value)}' for key, value in parameters.items())])})"


def _value(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return value if isinstance(value, str) else repr(value)


def names(expression: Expression) -> set[str]:
    """The kernels that stand in an expression."""
    return {expression[0]}.union(*(names(part) for part in expression[2]))


# ---- Evaluation ----------------------------------------------------------------------------------------------------


class Noise:
    """Rounding as it may happen: of the entries of rows, of their differences, and of values."""

    def __init__(self, seed: int, size: float = 2.0**-52) -> None:
        self.random, self.size = np.random.default_rng(seed), size

    def rounded(self, values: Rows) -> Rows:
        """Numbers off by a rounding of their own."""
        return values * (1 + self.size * self.random.uniform(-1, 1, np.shape(values)))

    def shifted(self, values: Rows, spread: Rows) -> Rows:
        """Numbers off by a rounding of the spread."""
        return values + self.size * spread * self.random.uniform(-1, 1, np.shape(values))


def evaluate(expression: Expression, x: Rows, y: Rows, train: Rows, noise: Noise | None = None) -> np.ndarray:
    """The values of all pairs; ``x is y`` where the samples are the same ones."""
    name, parameters, parts = expression
    if name in COMBINED:
        values = COMBINED[name](parameters, parts, x, y, train, noise)
    elif name == "white":
        values = parameters["variance"] * np.eye(len(x)) if x is y else np.zeros((len(x), len(y)))
    elif name in DIFFERENCES:
        spread = _spread(parameters, np.vstack([x, y, train]))
        differences = x[:, None, :] - y[None, :, :]
        if noise is not None:
            differences = noise.shifted(differences, spread)
        values = np.array([[DIFFERENCES[name](parameters, t) for t in line] for line in differences])
    else:
        if noise is not None and name not in ("hamming", "delta", "coregion", "cyclic"):
            x, y = noise.rounded(x), noise.rounded(y)
        values = np.array([[PAIRS[name](parameters, a, b) for b in y] for a in x])
        if noise is not None and name == "arccos" and parameters["order"] == 0:
            values = noise.shifted(values, 1 / math.sqrt(noise.size))  # of a cosine near 1
        if noise is not None and name == "neural":
            values = noise.shifted(values, 1 / np.maximum(np.cos(np.pi / 2 * values), math.sqrt(noise.size)))
    values = values.reshape(len(x), len(y)).astype(float)
    return (
        values
        if noise is None
        else noise.shifted(values, np.abs(values).max(initial=0) * max(1, parameters.get("alpha", 1)))
    )


def _spread(parameters: Parameters, rows: Rows) -> Rows:
    """What differences are rounded by; a list of widths divides the rows themselves, which rounds them."""
    if any(isinstance(value, list) for value in parameters.values()):
        return np.abs(rows).max(axis=0)
    return np.abs(rows - rows.mean(axis=0)).max(axis=0)


def allowed(
    expression: Expression, x: Rows, y: Rows, train: Rows, expected: np.ndarray, size: float = 2.0**-52
) -> float:
    """What rounding may change of any value; inf where nobody can tell."""
    worst = 0.0
    for seed in range(3):
        found = evaluate(expression, x, y, train, Noise(seed, size))
        if not np.isfinite(found).all():
            return math.inf
        worst = max(worst, float(np.abs(found - expected).max(initial=0)))
    # A matrix that is all but singular (kernel_algebra._scored); a spectrum that ends somewhere (_spectrum_of_ball).
    rough = 10.0 if any(word in str(expression) for word in ("sample", "ball_spline")) else 1.0
    return 200 * worst + rough * max(2e-12, 1e3 * size) * float(np.abs(expected).max(initial=0))


Difference = Callable[[Parameters, Rows], float]
DIFFERENCES: dict[str, Difference] = {}
COMBINED: dict[str, Callable[..., np.ndarray]] = {}


def _difference(function: Difference) -> Difference:
    DIFFERENCES[function.__name__.removeprefix("_of_")] = function
    return function


def _radial(function: Callable[[Parameters, float, int], float], name: str) -> None:
    def value(p: Parameters, t: Rows) -> float:
        scaled = t / each_of(p.get("lengthscale", 1.0), len(t))
        return function(p, math.sqrt(sum(s * s for s in scaled)), len(t))

    DIFFERENCES[name] = value


def _rbf(p: Parameters, s: float, d: int) -> float:
    return math.exp(-p["gamma"] * s * s) if "gamma" in p else math.exp(-s * s / 2)


def _matern(p: Parameters, s: float, d: int) -> float:
    nu = float(p["nu"])
    if math.isinf(nu):
        return math.exp(-s * s / 2)
    if math.isnan(s):
        return s
    z = math.sqrt(2 * nu) * s
    if z < 1e-150:
        return 1.0
    factor = math.exp((1 - nu) * math.log(2) - math.lgamma(nu) + nu * math.log(z) - z)
    value = factor * float(scipy.special.kve(nu, z))
    return value if math.isfinite(value) else 1.0


def _wendland(p: Parameters, s: float, d: int) -> float:
    k, n = p.get("smoothness", 1), p.get("dimension", d)
    ell = n // 2 + k + 1
    polynomial = (
        1.0,
        (ell + 1) * s + 1,
        ((ell**2 + 4 * ell + 3) * s**2 + (3 * ell + 6) * s + 3) / 3,
        ((ell**3 + 9 * ell**2 + 23 * ell + 15) * s**3 + (6 * ell**2 + 36 * ell + 45) * s**2 + (15 * ell + 45) * s + 15)
        / 15,
    )[k]
    return max(1 - s, 0.0) ** (n // 2 + 2 * k + 1) * polynomial


def sphere_mean(z: Any, dimension: int) -> Any:
    """The mean of cos(z e_1) over the unit vectors e."""
    z = np.asarray(z, dtype=float)
    if dimension == 1:
        return np.cos(z)
    order = dimension / 2 - 1
    safe = np.where(z < 1e-4, 1.0, z)
    bessel = scipy.special.gamma(dimension / 2) * (2 / safe) ** order * scipy.special.jv(order, safe)
    return np.where(z < 1e-4, 1 - z * z / (2 * dimension), bessel)


@functools.cache
def _spectrum_of_ball(order: int, dimension: int) -> tuple[Rows, Rows]:
    nodes, weights = np.polynomial.legendre.leggauss(8)
    w = (np.arange(400)[:, None] + (nodes + 1) / 2).ravel()
    ball = scipy.special.jv(dimension / 2, w) / w ** (dimension / 2)
    density = np.tile(weights, 400) * ball ** (order + 1) * w ** (dimension - 1)
    return w, density / density.sum()


def _ball_spline(p: Parameters, s: float, d: int) -> float:
    order, n = p.get("order", 1), p.get("dimension", d)
    if s >= order + 1:
        return 0.0
    if order == 1:
        return 1 - float(scipy.special.betainc(0.5, (n + 1) / 2, (s / 2) ** 2))
    if n == 1:
        return _bspline(order, s / 2) / _bspline(order, 0.0)
    w, density = _spectrum_of_ball(order, n)
    return float(density @ sphere_mean(w * s, n))


def _radial_spectrum(p: Parameters, s: float, d: int) -> float:
    frequencies, n = p.get("frequencies", [1]), p.get("dimension", d)
    weights = p.get("weights", [1])
    return sum(w * float(sphere_mean(f * s, n)) for w, f in zip(weights, frequencies, strict=True))


RADIAL: dict[str, Callable[[Parameters, float, int], float]] = {
    "rbf": _rbf,
    "exponential": lambda p, s, d: math.exp(-s),
    "power_exponential": lambda p, s, d: math.exp(-(s ** p["beta"])),
    "matern": _matern,
    "rq": lambda p, s, d: (1 + s * s / (2 * p["alpha"])) ** -p["alpha"],
    "cauchy": lambda p, s, d: 1 / (1 + s * s),
    "inverse_multiquadric": lambda p, s, d: 1 / math.sqrt(s * s + p.get("c", 1) ** 2),
    "inverse_quadratic": lambda p, s, d: 1 / (p.get("a", 1) ** 2 + s * s),
    "inverse_polynomial": lambda p, s, d: (1 + s * s) ** (-(p.get("dimension", d) + 1) / 2),
    "wendland": _wendland,
    "ball_spline": _ball_spline,
    "sobolev": lambda p, s, d: math.exp(-math.sqrt(3) * s / 2) * (math.cos(s / 2) + math.sqrt(3) * math.sin(s / 2)),
    "radial_spectrum": _radial_spectrum,
    "multiquadric": lambda p, s, d: -math.sqrt(s * s + p.get("c", 1) ** 2),
    "negative_distance": lambda p, s, d: -(s ** p.get("beta", 1)) if s > 0 else 0.0,
    "log_distance": lambda p, s, d: -math.log1p(s ** p["beta"]),
    "thin_plate": lambda p, s, d: (
        (-1) ** (p.get("n", 1) + 1) * s ** (2 * p.get("n", 1)) * math.log(s) if s > 0 else 0.0
    ),
}
for _name, _function in RADIAL.items():
    _radial(_function, _name)


def _bspline(order: int, t: float) -> float:
    knots = np.arange(order + 2) - (order + 1) / 2
    if abs(t) >= (order + 1) / 2:
        return 0.0
    return float(scipy.interpolate.BSpline.basis_element(knots)(t))


@_difference
def _of_laplacian(p: Parameters, t: Rows) -> float:
    return math.exp(-p.get("gamma", 1 / len(t)) * sum(abs(v) for v in t))


def _waves(p: Parameters, t: Rows) -> float:
    period, width = each_of(p["period"], len(t)), each_of(p["lengthscale"], len(t))
    return -2 * sum(math.sin(math.pi * v / q) ** 2 / w**2 for v, q, w in zip(t, period, width, strict=True))


@_difference
def _of_periodic(p: Parameters, t: Rows) -> float:
    return math.exp(_waves(p, t))


@_difference
def _of_locally_periodic(p: Parameters, t: Rows) -> float:
    return math.exp(_waves(p, t) - p["gamma"] * sum(v * v for v in t))


@_difference
def _of_spectral_mixture(p: Parameters, t: Rows) -> float:
    weights = p["weights"] if isinstance(p["weights"], list) else [p["weights"]]
    means = each_of(p["means"], len(weights) * len(t)).reshape(len(weights), -1)
    variances = each_of(p["variances"], len(weights) * len(t)).reshape(len(weights), -1)
    total = 0.0
    for q, weight in enumerate(weights):
        term = weight
        for j, v in enumerate(t):
            term *= math.exp(-2 * math.pi**2 * v * v * variances[q, j]) * math.cos(2 * math.pi * v * means[q, j])
        total += term
    return total


@_difference
def _of_anova(p: Parameters, t: Rows) -> float:
    ones = [math.exp(-p["gamma"] * v * v) for v in t]
    return sum(math.prod(chosen) for chosen in itertools.combinations(ones, p["degree"]))


@_difference
def _of_anovadot(p: Parameters, t: Rows) -> float:
    return sum(math.exp(-p["gamma"] * v * v) for v in t) ** p["degree"]


@_difference
def _of_bspline(p: Parameters, t: Rows) -> float:
    widths = each_of(p["lengthscale"], len(t))
    return math.prod(_bspline(p["order"], v / w) for v, w in zip(t, widths, strict=True) if math.isfinite(w))


@_difference
def _of_dirichlet(p: Parameters, t: Rows) -> float:
    angles = 2 * math.pi * t / each_of(p["period"], len(t))
    return math.prod(1 + 2 * sum(math.cos(n * a) for n in range(1, p["order"] + 1)) for a in angles)


@_difference
def _of_periodic_gaussian(p: Parameters, t: Rows) -> float:
    terms = p.get("terms", 0) or math.ceil(9 / p["lengthscale"])

    def factor(angle: float) -> float:
        return sum(math.exp(-((n * p["lengthscale"]) ** 2) / 2) * math.cos(n * angle) for n in range(1, terms + 1))

    values = [factor(a) for a in 2 * math.pi * t / each_of(p["period"], len(t))]
    if p.get("rescale") == "unit":
        values = [(v - factor(math.pi)) / (factor(0.0) - factor(math.pi)) for v in values]
    return math.prod(values)


@_difference
def _of_periodized(p: Parameters, t: Rows) -> float:
    product = 1.0
    for v, period, width in zip(t, each_of(p["period"], len(t)), each_of(p["lengthscale"], len(t)), strict=True):
        v = math.remainder(v, period)
        turns = math.ceil(40 * width / period) + 1
        if turns > 20_000:
            return math.nan
        shifted = np.abs(v + period * np.arange(-turns, turns + 1)) / width
        product *= float(np.exp(-(shifted**2) / 2 if p["base"] == "gaussian" else -shifted).sum())
    return product


@_difference
def _of_probability_product(p: Parameters, t: Rows) -> float:
    v, rho, d = p["sigma"] ** 2, p["rho"], len(t)
    distance = sum(u * u for u in t)
    return (2 * math.pi * v) ** (-rho * d) * (math.pi * v / rho) ** (d / 2) * math.exp(-rho * distance / (4 * v))
