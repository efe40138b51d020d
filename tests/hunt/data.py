"""Data that people have and tests rarely use, as recipes of a few small numbers that shrink well.

A recipe is what JSON can hold; ``build_*`` turn it into arrays, the same ones every time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from hypothesis import strategies as st

Recipe = dict[str, Any]

SHAPES = ("normal", "integers", "binary", "heavy")
TARGETS = ("waves", "linear", "ties", "constant")
BALANCES = ("even", "rare")
WEIGHTS = ("none", "ones", "twos", "zeros", "fractions", "huge")


# ---- Inputs --------------------------------------------------------------------------------------------------------


def draw_inputs(draw: Any, *, fewest: int = 1, most: int = 30, columns: int = 5, plain: bool = False) -> Recipe:
    """Draw a recipe of vectors; ``plain``: without offsets and units, for kernels that depend on them."""
    recipe: Recipe = {
        "rows": draw(st.integers(fewest, most)),
        "columns": draw(st.integers(1, columns)),
        "seed": draw(st.integers(0, 999)),
        "shape": draw(st.sampled_from(SHAPES)),
        "duplicates": draw(st.sampled_from((0, 0, 1, 4))),
        "near": draw(st.booleans()),
        "constant_columns": draw(st.sampled_from((0, 0, 0, 1))),
        "collinear": draw(st.booleans()),
    }
    if not plain:
        recipe["offset"] = draw(st.sampled_from((0, 0, 0, 1e3, -1e6, 1e9)))
        recipe["unit"] = draw(st.sampled_from((1, 1, 1, 1e-6, 1e6)))
    return recipe


def build_inputs(recipe: Recipe) -> np.ndarray:
    """Rows of doubles."""
    n, d = recipe["rows"], recipe["columns"]
    random = np.random.default_rng(recipe["seed"])
    if recipe["shape"] == "integers":
        x = random.integers(-3, 4, (n, d)).astype(float)
    elif recipe["shape"] == "binary":
        x = random.integers(0, 2, (n, d)).astype(float)
    elif recipe["shape"] == "heavy":
        x = random.standard_t(2, (n, d))
    else:
        x = random.standard_normal((n, d))
    for _ in range(recipe["duplicates"]):
        x[random.integers(n)] = x[random.integers(n)]
    if recipe["near"] and n > 2:
        x[0] = x[-1] + 1e-9 * random.standard_normal(d)
    if recipe["collinear"] and d > 1:
        x[:, 0] = 2 * x[:, -1]
    x[:, : recipe["constant_columns"]] = 1.0
    return x * recipe.get("unit", 1) + recipe.get("offset", 0) * recipe.get("unit", 1)


def build_queries(recipe: Recipe) -> np.ndarray:
    """A few new rows of the same kind, and some of the old ones."""
    x = build_inputs(recipe)
    spread = x.std(axis=0) + (x.std() or 1.0) * 1e-3
    random = np.random.default_rng(recipe["seed"] + 1000)
    fresh = x[random.integers(len(x), size=4)] + 0.5 * spread * random.standard_normal((4, x.shape[1]))
    if recipe["shape"] in ("integers", "binary") and recipe["seed"] % 2:  # of the same kind: ties in distances
        fresh = np.column_stack([random.permutation(x[random.integers(len(x), size=4), c]) for c in range(x.shape[1])])
    return np.vstack([x[:3], fresh])


def as_sparse(x: np.ndarray, seed: int) -> Any:
    """Half of the entries gone, with an empty row and an empty column where there is room for them."""
    x = np.where(np.random.default_rng(seed).random(x.shape) < 0.5, x, 0.0)
    if len(x) > 3:
        x[1] = 0
    if x.shape[1] > 2:
        x[:, 1] = 0
    return scipy.sparse.csr_matrix(x)


# ---- Targets -------------------------------------------------------------------------------------------------------


def draw_numbers(draw: Any, *, plain: bool = False) -> Recipe:
    """Draw a recipe of targets of a regression."""
    recipe: Recipe = {
        "target": draw(st.sampled_from(TARGETS)),
        "noise": draw(st.sampled_from((0.1, 0.0, 1.0))),
    }
    if not plain:
        recipe["target_unit"] = draw(st.sampled_from((1, 1, 1e-4, 1e5)))
        recipe["target_offset"] = draw(st.sampled_from((0, 0, 100)))
    return recipe


def build_numbers(recipe: Recipe, x: np.ndarray) -> np.ndarray:
    """One number a row."""
    z = _standard(x)
    random = np.random.default_rng(recipe["seed"] + 1)
    if recipe["target"] == "linear":
        y = z @ np.linspace(1, -1, z.shape[1] + 1)[:-1]
    elif recipe["target"] == "ties":
        y = np.round(z[:, 0])
    elif recipe["target"] == "constant":
        y = np.full(len(z), 2.0)
    else:
        y = np.sin(2 * z[:, 0]) + 0.3 * z.sum(axis=1)
    y = y + recipe["noise"] * random.standard_normal(len(y)) * (recipe["target"] in ("linear", "waves"))
    return (y + recipe.get("target_offset", 0)) * recipe.get("target_unit", 1)


def draw_classes(draw: Any, *, most: int = 4) -> Recipe:
    """Draw a recipe of classes."""
    return {
        "classes": draw(st.integers(2, most)),
        "balance": draw(st.sampled_from(BALANCES)),
        "errors": draw(st.sampled_from((0.1, 0.0, 0.4))),
    }


def build_classes(recipe: Recipe, x: np.ndarray) -> np.ndarray:
    """The number of every row's class, from 0; every class occurs where there are rows enough."""
    z = _standard(x)
    k = min(recipe["classes"], len(z))
    random = np.random.default_rng(recipe["seed"] + 2)
    score = z[:, 0] + (z[:, 1] if z.shape[1] > 1 else 0)
    order = np.argsort(np.argsort(score, kind="stable"), kind="stable")
    parts = 6 if recipe["balance"] == "rare" else k
    y = np.minimum(order * parts // max(len(z), 1), k - 1)
    flipped = random.random(len(z)) < recipe["errors"]
    y = np.where(flipped, random.integers(0, k, len(z)), y)
    y[:k] = np.arange(k)
    return y.astype(np.int64)


def _standard(x: np.ndarray) -> np.ndarray:
    deviation = x.std(axis=0)
    return (x - x.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)


# ---- Weights -------------------------------------------------------------------------------------------------------


def draw_weights(draw: Any) -> Recipe:
    """Draw a recipe of weights of rows."""
    return {"weights": draw(st.sampled_from(WEIGHTS))}


def build_weights(recipe: Recipe, n: int) -> np.ndarray | None:
    """One weight a row, or None."""
    random = np.random.default_rng(recipe["seed"] + 3)
    kind = recipe.get("weights", "none")
    if kind == "none":
        return None
    if kind == "ones":
        return np.ones(n)
    if kind == "twos":
        return random.integers(1, 3, n).astype(float)
    if kind == "zeros":
        return random.integers(0, 3, n).astype(float)
    if kind == "huge":
        return np.where(random.random(n) < 0.2, 1e4, 1.0)
    return random.choice((0.25, 0.5, 1.0, 1.5), n)
