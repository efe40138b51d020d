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


def _learnt_process(subject: str, facts: dict[str, Any]) -> bool:
    return subject in ("gp", "gpc") and facts.get("settings", {}).get("optimize") != "no"


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
        for oracle in ("row_order", "repetition", "deletion", "column_order", "offset", "input_units", "storage")
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
        Exemption(
            oracle,
            _of("l1vmc", "l1vmr"),
            "open: another function for another order of equal prototypes",
            "docs/internals/hunt.md",
        )
        for oracle in ("row_order", "column_order", "offset", "repetition", "deletion", "storage")
    ),
    *(
        Exemption(
            oracle,
            _of("lapr", "lapc"),
            "open: which of equal rows is kept changes the spread",
            "docs/internals/hunt.md",
        )
        for oracle in ("row_order", "column_order", "offset", "repetition", "deletion", "storage")
    ),
    Exemption(
        "offset", _of("histogram"), "open: bins of a constant column are as wide as its size", "docs/internals/hunt.md"
    ),
    Exemption("compress_gp_error", _of("compress"), "of the standardised function", "docs/compress.md"),
    Exemption("compress_gp_constant", _of("compress"), "a gp has no constant", "docs/compress.md"),
    Exemption(
        "cluster_numbers",
        _of("kmeans", "kmedoids"),
        "by the values of rows that repeat or weigh",
        "docs/models/kmeans.md",
    ),
    Exemption("bins_without_middle", _of("histogram"), "the width of scott, not one bin", "docs/models/histogram.md"),
    Exemption("rbf_of_indefinite", _of("rbf_of"), "squared distances below 0 count as 0", "docs/kernels/rbf_of.md"),
    Exemption("pivots", _of("nystroem", "kernelmap"), "pivots are found several at a time", "docs/models/nystroem.md"),
    Exemption(
        "gp_mean_function",
        lambda subject, facts: abs(facts.get("offset", 0)) >= 1e3,
        "open: squares of columns far from 0 lose digits",
        "docs/internals/hunt.md",
    ),
    *(
        Exemption(oracle, _of(*names), reason, page)
        for names, reason, page in (
            (("nw", "nwc"), "bandwidths end in one of several minima", "docs/models/nw.md"),
            (("rvr", "rvc"), "the evidence has several maxima", "docs/models/rvr.md"),
            (("l2vmr", "l2vmc"), "open: two orders end at two maxima", "docs/internals/hunt.md"),
            (("kpca", "opca", "kcca"), "directions of equal variance are cut anywhere", "docs/models/kpca.md"),
            (("kfd",), "open: cuts by left-out values move with order and copies", "docs/internals/hunt.md"),
        )
        for oracle in ("row_order", "column_order", "offset", "input_units", "repetition", "deletion", "storage")
    ),
    # Open, and on the list of docs/internals/hunt.md.
    *(
        Exemption(
            oracle,
            lambda subject, facts: facts.get("kernel") in ("linear", "poly") and facts.get("offset", 0) != 0,
            "open: machines in float on rows far from the origin",
            "docs/internals/hunt.md",
        )
        for oracle in ("kkt", "kkt_tight", "boundary", "expansion", "prediction_rule", "nu")
    ),
    Exemption("prediction_rule", _of("medoidc"), "open: a value of 0 of nearly equal rows", "docs/internals/hunt.md"),
    Exemption("kkt_tight", _of("nusvr"), "open: large targets without standardize in float", "docs/internals/hunt.md"),
    Exemption("kpca_reconstruction", _of("kpca"), "open: nearly equal rows", "docs/internals/hunt.md"),
    Exemption("window", _of("nw", "nwc"), "open: means near 0 of windows far from all rows", "docs/internals/hunt.md"),
    Exemption(
        "time", _of("l1vmc", "l1vmr"), "open: paths of nearly equal prototypes take long", "docs/internals/hunt.md"
    ),
    *(
        Exemption(oracle, _of("loess"), "open: variances of as many parameters as rows", "docs/internals/hunt.md")
        for oracle in ("row_order", "column_order", "offset", "input_units", "storage", "target_units", "deletion")
    ),
    *(
        Exemption(oracle, _learnt_process, "parameters end in one of several maxima", "docs/models/gp.md")
        for oracle in ("row_order", "column_order", "offset", "input_units", "repetition", "deletion", "storage")
    ),
]


def exemption_for(oracle: str, subject: str, facts: dict[str, Any]) -> Exemption | None:
    """The first exemption that covers the case."""
    for exemption in EXEMPTIONS:
        if exemption.oracle == oracle and exemption.applies(subject, facts):
            return exemption
    return None
