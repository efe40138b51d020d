"""What is known not to hold, each with its reason and the page that documents it. Nothing is exempt silently."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hunt.data import build_inputs


@dataclass(frozen=True)
class Exemption:
    """Relations that some cases need not obey.

    Attributes
    ----------
    oracles : tuple of str
        The comparisons that may fail.
    applies : callable
        Given subject and facts, whether the case is exempt.
    reason, page : str
        Why, and where users read of it.
    """

    oracles: tuple[str, ...]
    applies: Callable[[str, dict[str, Any]], bool]
    reason: str
    page: str


def _of(*models: str) -> Callable[[str, dict[str, Any]], bool]:
    return lambda subject, facts: subject in models


def _with(setting: str, *values: str) -> Callable[[str, dict[str, Any]], bool]:
    return lambda subject, facts: facts.get("settings", {}).get(setting) in values


def _fewer_rows(subject: str, facts: dict[str, Any]) -> bool:
    """Whether a model takes some of the rows only, drawn by their numbers."""
    settings = facts.get("settings", {})
    return (
        any(settings.get(name, "0") != "0" for name in ("basis", "count"))
        or settings.get("prototypes", "data") != "data"
    )


def _has_many_solutions(subject: str, facts: dict[str, Any]) -> bool:
    """Whether functions of least squares may depend on each other on the rows."""
    columns = facts.get("columns", 1)
    functions = (columns + 1) * (columns + 2) // 2 if "quadratic" in str(facts.get("settings")) else columns + 1
    odd = any(facts.get(name) for name in ("collinear", "near", "constant_columns", "duplicates"))
    return subject == "leastsquares" and (odd or facts["rows"] <= functions or facts.get("shape") != "normal")


def _left_out(subject: str, facts: dict[str, Any]) -> bool:
    return subject == "kfd" and facts.get("settings", {}).get("calibration") != "training"


def _fits_exactly(subject: str, facts: dict[str, Any]) -> bool:
    """Whether least squares in given functions leave nothing but rounding of the rows."""
    columns = facts.get("columns", 1)
    functions = (columns + 1) * (columns + 2) // 2 if "quadratic" in str(facts.get("settings")) else columns + 1
    return subject == "leastsquares" and facts["rows"] <= functions


def _counts_dependent_functions(subject: str, facts: dict[str, Any]) -> bool:
    """Whether noise is estimated with a count of functions that several sets of them have."""
    settings = facts.get("settings", {})
    on_a_grid = facts.get("shape") in ("integers", "binary")
    return subject == "lapr" and "lambda" in settings and settings.get("noise", "0") == "0" and on_a_grid


def _turns_beyond_double(subject: str, facts: dict[str, Any]) -> bool:
    return DRAWN_FEATURES(subject, facts) and facts.get("unit", 1) * max(1, abs(facts.get("offset", 0))) >= 1e12


def _learnt_process(subject: str, facts: dict[str, Any]) -> bool:
    return subject in ("gp", "gpc") and facts.get("settings", {}).get("optimize") != "no"


DRAWN_FEATURES = _of("fourier", "sinks", "sketch", "chi2map", "mapridge", "maplogit", "mapsvc")
DRAWN_ROWS = _of("nystroem", "falkon", "falkonc", "kernelmap", "kfa", "pursuit")
CLUSTERS = _of("kmeans", "kmedoids", "spectral", "medoidc", "cover")
NEIGHBOURS = _of("knnc", "knnr", "knndensity")

ROWS_AND_PLACES = ("row_order", "column_order", "offset", "repetition", "deletion", "storage")

EXEMPTIONS: list[Exemption] = [
    Exemption(
        ("column_order", "offset", "input_units"),
        DRAWN_FEATURES,
        "features drawn at random turn with the columns",
        "docs/models/fourier.md",
    ),
    Exemption(
        (*ROWS_AND_PLACES, "input_units"),
        DRAWN_ROWS,
        "rows are chosen at random or one by one, by their numbers",
        "docs/models/nystroem.md",
    ),
    Exemption(
        ROWS_AND_PLACES, CLUSTERS, "centres begin at random rows, and ties go to the first", "docs/models/kmeans.md"
    ),
    Exemption(
        ("row_order", "offset", "repetition", "column_order"),
        NEIGHBOURS,
        "of equal distances the lower row number counts",
        "docs/models/knnc.md",
    ),
    Exemption(
        ("repetition",),
        _fits_exactly,
        "where as many functions as rows leave no error, the variance of errors is one of rounding",
        "docs/models/leastsquares.md",
    ),
    Exemption(
        ROWS_AND_PLACES,
        _counts_dependent_functions,
        "the number of functions in use, and so the noise, is that of one of several sets",
        "docs/models/lapr.md",
    ),
    Exemption(
        (*ROWS_AND_PLACES, "input_units"),
        _of("bayespoint"),
        "walks tell rounding apart: another rounding is another draw",
        "docs/models/bayespoint.md",
    ),
    Exemption(
        ("single", "float_rows", "block", "sparse", "formula"),
        _of("version_space"),
        "near an angle of 0 a rounding e of the cosine is one of the root of 2e in the angle",
        "docs/kernels/version_space.md",
    ),
    Exemption(("row_order",), _of("perceptron"), "rows are walked through in their order", "docs/models/perceptron.md"),
    Exemption(("repetition",), _of("loess"), "weights are precisions, as in R", "docs/models/loess.md"),
    Exemption(("repetition",), _left_out, "rows are left out one by one", "docs/models/kfd.md"),
    Exemption(("repetition",), _with("machine", "loo"), "copies of a row judge each other", "docs/models/lapc.md"),
    Exemption(ROWS_AND_PLACES, _fewer_rows, "prototypes are rows drawn by their numbers", "docs/models/l2vmr.md"),
    Exemption(
        ROWS_AND_PLACES,
        _with("form", "greedy", "sparse", "low_rank"),
        "rows are drawn, put into folds or found as pivots by their numbers",
        "docs/models/kfd.md",
    ),
    Exemption(
        ("front_scaled",),
        lambda subject, facts: facts.get("near", False) and facts.get("model") in ("kmeans", "kmedoids", "spectral"),
        "whether rows 1e-9 apart are one place hangs on the rounding of scaling",
        "docs/models/kmedoids.md",
    ),
    Exemption(
        ("memory",),
        lambda subject, facts: facts.get("model") in ("falkon", "falkonc"),
        "landmarks follow the memory",
        "docs/models/falkon.md",
    ),
    Exemption(
        ("memory",),
        lambda subject, facts: (
            facts.get("settings", {}).get("landmarks") in ("pivots", "greedy") and facts.get("memory", 0) < 1
        ),
        "landmarks are chosen from rows that are drawn where not all fit",
        "docs/models/nystroem.md",
    ),
    Exemption(
        ("memory",),
        lambda subject, facts: facts.get("model") == "mapsvc",
        "another solver, where features do not fit: each is right to its tolerance, and labels near 0 may differ",
        "docs/models/mapsvc.md",
    ),
    Exemption(
        ("row_order", "repetition", "deletion"),
        lambda subject, facts: "weight_rows" in facts.get("settings", {}),
        "weights of kernels are learnt on rows drawn by their numbers",
        "docs/models/mklsvc.md",
    ),
    Exemption(
        ("parameters",),
        lambda subject, facts: subject == "rbf_of" and "poly" in str(facts.get("expression")),
        "open: slopes of distances that are differences of large values keep their last digits",
        "docs/internals/hunt.md",
    ),
    Exemption(
        ("memory",),
        lambda subject, facts: facts.get("model") in ("lapr", "lapc"),
        "kernel functions follow the memory",
        "docs/models/lapr.md",
    ),
    Exemption(
        ("row_order", "storage"),
        _turns_beyond_double,
        "angles are sums whose rounding, 1e-16 of them, is a part of a turn",
        "docs/models/fourier.md",
    ),
    Exemption(
        ("row_order", "column_order", "offset", "input_units", "storage", "deletion"),
        lambda subject, facts: subject == "loess" and facts.get("near", False),
        "local polynomials through rows 1e-9 apart are as good as their differences",
        "docs/models/loess.md",
    ),
    Exemption(
        ("offset",),
        lambda subject, facts: subject == "loess" and facts.get("collinear", False) and facts["columns"] > 1,
        "columns that depend on each other but for their rounding: which slopes are rounding follows how far rows lie",
        "docs/models/loess.md",
    ),
    Exemption(
        (*ROWS_AND_PLACES, "single_row"),
        lambda subject, facts: subject == "kfd" and facts.get("unit", 1) != 1 and facts.get("kernel", "") != "",
        "values of a kernel a million times as wide as the rows lie apart differ in their last digits, and of one a "
        "million times as narrow not at all: directions are as good as each other",
        "docs/models/kfd.md",
    ),
    Exemption(
        ROWS_AND_PLACES,
        lambda subject, facts: (
            facts.get("settings", {}).get("parametric") == "linear" and facts["rows"] <= facts["columns"] + 1
        ),
        "more linear functions than rows: which of them are 0 depends on the order",
        "docs/models/ridge.md",
    ),
    Exemption(
        ("offset", "input_units"),
        _has_many_solutions,
        "of many solutions the one of least norm depends on units and origin",
        "docs/models/leastsquares.md",
    ),
    Exemption(
        ("offset",),
        lambda subject, facts: subject == "histogram" and not np.ptp(build_inputs(facts), axis=0).all(),
        "a bin of a constant column is as wide as its value needs",
        "docs/models/histogram.md",
    ),
    Exemption(
        ("row_order",), _with("candidates", *map(str, range(13))), "rows are tried in their order", "docs/models/rvr.md"
    ),
    Exemption(
        ("row_order", "repetition"),
        _with("rank", *map(str, range(13))),
        "pivots of low rank tie",
        "docs/models/kcca.md",
    ),
    Exemption(
        ("time",),
        _of("l1vmc", "l1vmr"),
        "open: paths over many nearly equal prototypes take long",
        "docs/internals/hunt.md",
    ),
    Exemption(("compress_gp_error",), _of("compress"), "of the standardised function", "docs/compress.md"),
    Exemption(("compress_gp_constant",), _of("compress"), "a gp has no constant", "docs/compress.md"),
    Exemption(
        ("cluster_numbers",),
        _of("kmeans", "kmedoids"),
        "by the values of rows that repeat or weigh",
        "docs/models/kmeans.md",
    ),
    Exemption(
        ("bins_without_middle",), _of("histogram"), "the width of scott, not one bin", "docs/models/histogram.md"
    ),
    Exemption(("rbf_of_indefinite",), _of("rbf_of"), "squared distances below 0 count as 0", "docs/kernels/rbf_of.md"),
    Exemption(
        ("pivots",), _of("nystroem", "kernelmap"), "pivots are found several at a time", "docs/models/nystroem.md"
    ),
    Exemption(
        ("gp_mean_function",),
        lambda subject, facts: abs(facts.get("offset", 0)) >= 1e3,
        "squares of columns far from 0 lose digits, with a warning",
        "docs/models/gp.md",
    ),
    Exemption(
        (*ROWS_AND_PLACES, "input_units"),
        _of("nw", "nwc"),
        "bandwidths end in one of several minima",
        "docs/models/nw.md",
    ),
    Exemption(
        (*ROWS_AND_PLACES, "input_units"), _of("rvr", "rvc"), "the evidence has several maxima", "docs/models/rvr.md"
    ),
    Exemption(
        (*ROWS_AND_PLACES, "input_units"),
        _of("kpca", "opca", "kcca"),
        "directions of equal variance are cut anywhere",
        "docs/models/kpca.md",
    ),
    Exemption(
        (*ROWS_AND_PLACES, "input_units"),
        _learnt_process,
        "parameters end in one of several maxima",
        "docs/models/gp.md",
    ),
]


def exemption_for(oracle: str, subject: str, facts: dict[str, Any]) -> Exemption | None:
    """Find the first exemption that covers the case."""
    for exemption in EXEMPTIONS:
        if oracle in exemption.oracles and exemption.applies(subject, facts):
            return exemption
    return None
