"""What is known not to hold, each with its reason and the page that documents it. Nothing is exempt silently."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Exemption:
    """One relation that some cases need not obey.

    Attributes
    ----------
    oracle : str
        The comparison that may fail.
    applies : callable
        Given subject and facts, whether the case is exempt.
    reason, page : str
        Why, and where users read of it.
    """

    oracle: str
    applies: Callable[[str, dict[str, Any]], bool]
    reason: str
    page: str


def _of(*models: str) -> Callable[[str, dict[str, Any]], bool]:
    return lambda subject, facts: subject in models


def _with(setting: str, *values: str) -> Callable[[str, dict[str, Any]], bool]:
    return lambda subject, facts: facts.get("settings", {}).get(setting) in values


DRAWN_FEATURES = _of("fourier", "sinks", "sketch", "chi2map", "mapridge", "maplogit", "mapsvc")
DRAWN_ROWS = _of("nystroem", "falkon", "falkonc", "kernelmap", "kfa", "pursuit")
CLUSTERS = _of("kmeans", "kmedoids", "spectral", "medoidc")
NEIGHBOURS = _of("knnc", "knnr", "knndensity")

EXEMPTIONS: list[Exemption] = [
    *(
        Exemption(oracle, DRAWN_FEATURES, "features drawn at random turn with the columns", "docs/models/fourier.md")
        for oracle in ("column_order", "offset", "input_units")
    ),
    *(
        Exemption(
            oracle, DRAWN_ROWS, "rows are chosen at random or one by one, by their numbers", "docs/models/nystroem.md"
        )
        for oracle in ("row_order", "repetition", "deletion", "column_order", "offset")
    ),
    *(
        Exemption(oracle, CLUSTERS, "centres begin at random rows, and ties go to the first", "docs/models/kmeans.md")
        for oracle in ("row_order", "repetition", "deletion", "column_order", "offset", "storage")
    ),
    *(
        Exemption(oracle, NEIGHBOURS, "of equal distances the lower row number counts", "docs/models/knnc.md")
        for oracle in ("row_order", "offset", "repetition", "column_order")
    ),
    Exemption("row_order", _of("perceptron"), "rows are walked through in their order", "docs/models/perceptron.md"),
    Exemption("repetition", _of("loess"), "weights are precisions, as in R", "docs/models/loess.md"),
    Exemption("repetition", _with("calibration", "training"), "leaves rows out one by one", "docs/models/kfd.md"),
    Exemption(
        "row_order", _with("candidates", *map(str, range(13))), "rows are tried in their order", "docs/models/rvr.md"
    ),
    Exemption("row_order", _with("rank", *map(str, range(13))), "pivots of low rank tie", "docs/models/kcca.md"),
    Exemption("repetition", _with("rank", *map(str, range(13))), "pivots of low rank tie", "docs/models/kcca.md"),
    *(
        Exemption(oracle, _of("l1vmc", "l1vmr"), "equal prototypes have several optima", "docs/models/l1vmc.md")
        for oracle in ("row_order", "column_order", "offset", "repetition", "deletion", "storage")
    ),
    *(
        Exemption(oracle, _of("lapr", "lapc"), "of equal rows one is kept, with its spread", "docs/models/lapr.md")
        for oracle in ("row_order", "column_order", "offset", "repetition", "deletion", "storage")
    ),
    Exemption(
        "offset", _of("histogram"), "bins of a constant column are as wide as its size", "docs/models/histogram.md"
    ),
]


def exemption_for(oracle: str, subject: str, facts: dict[str, Any]) -> Exemption | None:
    """The first exemption that covers the case."""
    for exemption in EXEMPTIONS:
        if exemption.oracle == oracle and exemption.applies(subject, facts):
            return exemption
    return None
