"""The program: what it prints and writes, against Python, scikit-learn, NumPy, refits by hand, and itself."""

from __future__ import annotations

from typing import Any

from hunt.oracles import (
    program_decisions,
    program_estimates,
    program_fronts,
    program_kernels,
    program_labels,
    program_score,
    program_series,
    program_svm,
    program_tables,
    program_tune,
)
from hunt.verdict import Judge

CHECKS = {
    "fronts": program_fronts,
    "threads": program_fronts,
    "memory": program_fronts,
    "labels": program_labels,
    "tables": program_tables,
    "decisions": program_decisions,
    "score": program_score,
    "report": program_score,
    "series": program_series,
    "tune": program_tune,
    "inspect": program_estimates,
    "path": program_estimates,
    "compress": program_estimates,
    "gram": program_kernels,
    "sample": program_kernels,
    "weights": program_kernels,
    "svm": program_svm,
}


def subjects() -> list[str]:
    """The checks by name."""
    return list(CHECKS)


def draw(pick: Any, subject: str) -> dict[str, Any]:
    """The facts of a check."""
    return dict(getattr(CHECKS[subject], f"draw_{subject}")(pick))


def judge(subject: str, facts: dict[str, Any], judge: Judge) -> None:
    """Run the check."""
    getattr(CHECKS[subject], f"judge_{subject}")(facts, judge)
