"""Tables as people have them: their coding by hand, frames of Python, dresses that may not matter, and broken ones."""

from __future__ import annotations

from typing import Any

from hunt.oracles import (
    table_answers,
    table_broken,
    table_folds,
    table_frames,
    table_machines,
    table_many,
    table_relations,
)
from hunt.verdict import Judge

CHECKS = {
    "design": table_answers,
    "frames": table_frames,
    "matrix": table_frames,
    "changes": table_relations,
    "classes": table_machines,
    "levels": table_many,
    "parts": table_many,
    "weights": table_many,
    "broken": table_broken,
    "folds": table_folds,
    "scored": table_folds,
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
