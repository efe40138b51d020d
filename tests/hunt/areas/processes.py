"""Gaussian processes, feature maps, clusters and reduced sets against formulas in NumPy and scikit-learn."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from hunt.oracles import (
    process_clusters,
    process_compress,
    process_labels,
    process_maps,
    process_noise,
    process_peers,
    process_projections,
    process_regression,
)
from hunt.verdict import Judge

MODULES: dict[str, ModuleType] = {
    **{f"gp_{trial}": process_regression for trial in process_regression.TRIALS},
    "gp_likelihood": process_noise,
    **{f"gpc_{trial}": process_labels for trial in process_labels.TRIALS},
    **dict.fromkeys(process_projections.TRIALS, process_projections),
    **dict.fromkeys(process_maps.TRIALS, process_maps),
    **dict.fromkeys(process_clusters.TRIALS, process_clusters),
    "compress": process_compress,
    **{f"sklearn_{trial}": process_peers for trial in process_peers.TRIALS},
}


def subjects() -> list[str]:
    """Models, each with what is asked of it."""
    return list(MODULES)


def draw(pick: Any, subject: str) -> dict[str, Any]:
    """The facts of a case."""
    return dict(MODULES[subject].draw(pick, _trial(subject)))


def judge(subject: str, facts: dict[str, Any], judge: Judge) -> None:
    """Run the case."""
    MODULES[subject].judge(_trial(subject), facts, judge)


def _trial(subject: str) -> str:
    return subject.partition("_")[2] or subject
