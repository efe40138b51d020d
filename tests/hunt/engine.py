"""The engine under test, called below its estimators: any model of the registry by name, options as texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from hunt.subjects import models
from hunt.verdict import Finding, NotApplicable
from mercer import _core

# Words of a message that no user should ever see.
INTERNAL = ("internal", "basic_string", "vector::", "std::", "bad_alloc", "nan(ind)", "assert")


def samples(x: Any) -> _core.Samples:
    """Rows of an array, a sparse matrix, or a list of texts."""
    if isinstance(x, _core.Samples):
        return x
    if scipy.sparse.issparse(x):
        x = x.tocsr()
        return _core.Samples.csr(x.data.astype(float), x.indices, x.indptr, x.shape[1])
    if isinstance(x, list):
        return _core.Samples.strings(x)
    return _core.Samples.dense(x)


def refusal(error: Exception) -> Exception:
    """A clear message of the engine ends the case; anything else is found."""
    text = str(error)
    if not text or any(word in text for word in INTERNAL):
        return Finding("messages", f"{type(error).__name__} says {text!r}")
    return NotApplicable(text)


def called(function: Any, *arguments: Any, **named: Any) -> Any:
    """Call the engine; its refusals are no answers."""
    try:
        return function(*arguments, **named)
    except (ValueError, TypeError, ArithmeticError, MemoryError, KeyError) as error:
        raise refusal(error) from error


def fit(
    model: str,
    kernel: str,
    settings: dict[str, str],
    x: Any,
    y: np.ndarray | None,
    *,
    weights: np.ndarray | None = None,
    names: list[str] | None = None,
    prior: _core.FittedModel | None = None,
    groups: list[int] | None = None,
    threads: int = 1,
    seed: int = 0,
) -> _core.FittedModel:
    """Fit a model; integers in ``y`` are numbers of classes, which ``names`` may name."""
    entry = models()[model]
    arguments: dict[str, Any] = {"sample_weight": weights, "prior": prior, "threads": threads, "seed": seed}
    arguments["groups"] = groups
    if y is not None and entry["task"] == "classification":
        count = int(y.max()) + 1
        arguments["classes"] = names or [f"c{k}" for k in range(count)]
        y = y.astype(np.int32)
    if y is None and entry["takes_second_view"]:
        raise NotApplicable("a second view is needed")
    return called(_core.fit, model, kernel if entry["default_kernel"] else "", settings, samples(x), y, **arguments)


def answers(model: _core.FittedModel, x: Any, threads: int = 1) -> dict[str, np.ndarray]:
    """Everything that the model says of rows, by name."""
    rows = samples(x)
    found = {"predictions": called(model.predict, rows, threads=threads)}
    if model.decision_names:
        found["decision values"] = called(model.decide, rows, threads=threads)
    if model.has_probabilities:
        found["probabilities"] = called(model.probabilities, rows, threads=threads)
    if model.has_distribution:
        of = "function" if model.has_distribution_of("function") else "observation"
        mean, variance = called(model.moments, rows, of=of, threads=threads)
        found["means"], found["variances"] = mean, variance
    return found


def gram(kernel: str, x: Any, y: Any = None, **named: Any) -> np.ndarray:
    """The kernel matrix."""
    made = called(_core.Kernel, kernel)
    return called(made.gram, samples(x), None if y is None else samples(y), **named)
