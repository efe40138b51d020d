"""Fits of the program that its checks share: any model of the registry, with drawn options, kernel and data."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hunt import data, engine
from hunt.coverage import names_of
from hunt.program import Place, Run, column_names, table_text
from hunt.subjects import draw_kernel, draw_options, kernel_names, models
from hunt.verdict import Judge, NotApplicable
from mercer import _core

WORDS = ("b", "a", "c d", "e,f")  # names of classes, not in their order


def draw_fit(
    pick: Any,
    *,
    tasks: tuple[str, ...] = (),
    names: tuple[str, ...] = (),
    fewest: int = 6,
    most: int = 14,
    kernel: bool = True,
    plain: bool = True,
    options: int = 2,
) -> dict[str, Any]:
    """Draw a model of some tasks (or of some names), its options, a kernel and data."""
    listed = names or [name for name, entry in models().items() if not tasks or entry["task"] in tasks]
    facts: dict[str, Any] = {"model": pick(st.sampled_from(sorted(listed)))}
    entry = models()[facts["model"]]
    facts.update(data.draw_inputs(pick, fewest=fewest, most=most, columns=3, plain=plain))
    facts.update(
        data.draw_classes(pick, most=3) if has_classes(facts["model"]) else data.draw_numbers(pick, plain=True)
    )
    facts["settings"] = draw_options(pick, facts["model"], most=options)
    facts["kernel"] = ""
    if kernel and entry["default_kernel"] and pick(st.booleans()):
        facts["kernel"] = draw_kernel(pick, width=1.0)
    return facts


def has_classes(model: str) -> bool:
    """Whether targets are classes."""
    return models()[model]["task"] == "classification"


def has_target(model: str) -> bool:
    """Whether a fit needs targets."""
    entry = models()[model]
    return entry["task"] in ("classification", "regression") or entry["takes_second_view"]


class Task:
    """The arrays of a case, and the flags of the fit of the program that is the same."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.facts = facts
        self.model = facts["model"]
        self.settings: dict[str, str] = facts["settings"]
        self.kernel = facts["kernel"] or models()[self.model]["default_kernel"]
        self.x = data.build_inputs(facts)
        self.queries = data.build_queries(facts)
        self.labels: list[str] = []
        self.y: np.ndarray | None = None
        if has_classes(self.model):
            codes = data.build_classes(facts, self.x)
            self.labels = [WORDS[code] for code in codes]
            self.classes = sorted(set(self.labels))
            self.y = np.array([self.classes.index(label) for label in self.labels])
        elif has_target(self.model):
            self.y = data.build_numbers(facts, self.x)
        self.weights = data.build_weights(facts, len(self.x)) if "weights" in facts else None

    def targets(self) -> dict[str, list[Any]]:
        """The columns of the table beside the inputs."""
        columns: dict[str, list[Any]] = {}
        if self.y is not None:
            columns["y"] = self.labels or self.y.tolist()
        if self.weights is not None:
            columns["w"] = self.weights.tolist()
        return columns

    def write(self, place: Place) -> None:
        """Write train.csv and new.csv."""
        place.write("train.csv", table_text(self.x, self.targets()))
        place.write("new.csv", table_text(self.queries, {}))

    def flags(self) -> list[str]:
        """MODEL DATA and the flags of a fit or a search."""
        flags = [self.model, "train.csv"]
        if self.y is not None:
            flags += ["-t", "y"]
        if self.weights is not None:
            flags += ["--weights", "w"]
        if models()[self.model]["default_kernel"]:
            flags += ["-k", self.kernel]
        flags += [word for name, value in self.settings.items() for word in ("-s", f"{name}={value}")]
        return flags

    def fit(self, place: Place, *extra: str, output: str = "m.mercer") -> Run:
        """Fit by the program."""
        return place.ask("fit", *self.flags(), "-o", output, *extra)

    def fit_here(self, x: np.ndarray | None = None, *, seed: int = 0) -> _core.FittedModel:
        """Fit by the engine below Python, to rows of one unnamed block."""
        x = self.x if x is None else x
        names = self.classes if self.labels else None
        return engine.fit(
            self.model, self.kernel, self.settings, x, self.y, weights=self.weights, names=names, seed=seed
        )

    def covers(self, judge: Judge) -> None:
        """Note what the case judges."""
        judge.covers(*names_of(self.model, self.settings))
        if models()[self.model]["default_kernel"]:
            judge.covers(*(f"kernel {name}" for name in kernel_names(self.kernel)))


def named(x: np.ndarray) -> _core.Samples:
    """Rows as a table with names, as models of the program want them."""
    return _core.Samples.table(_core.Samples.dense(x), column_names(x), [])


def loaded(place: Place, name: str = "m.mercer") -> _core.FittedModel:
    """The model of a file that the program has written."""
    return engine.called(_core.FittedModel.load, str(place.path / name))


def standardised(x: np.ndarray) -> np.ndarray:
    """Columns of mean 0 and deviation 1 (of n); constant columns are 0."""
    centred = x - x.mean(axis=0)
    deviation = np.sqrt((centred**2).mean(axis=0))
    size = np.abs(x).max(axis=0)
    if np.any((deviation > 0) & (deviation < 1e-7 * size)):
        raise NotApplicable("a column whose deviation is rounding")
    return centred / np.where(deviation > 0, deviation, 1.0)
