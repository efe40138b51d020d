"""Densities, local regressions and tests of hypotheses, by brute force from their documentation and by peers."""

from __future__ import annotations

from typing import Any

from hunt.oracles import density_bayes, density_counts, density_estimates, density_hypotheses, density_smoothers
from hunt.verdict import Judge

SUBJECTS = {
    "kde": (density_estimates.draw_kde, density_estimates.judge_kde),
    "kdec": (density_estimates.draw_kde, density_bayes.judge_kdec),
    "histogram": (density_counts.draw_histogram, density_counts.judge_histogram),
    "knndensity": (density_counts.draw_neighbours, density_counts.judge_neighbours),
    "nw": (density_smoothers.draw_window, density_smoothers.judge_window),
    "nwc": (density_smoothers.draw_window, density_smoothers.judge_window),
    "loess": (density_smoothers.draw_loess, density_smoothers.judge_loess),
    "lowess": (density_smoothers.draw_lowess, density_smoothers.judge_lowess),
    "two_sample_test": (density_hypotheses.draw_two_sample, density_hypotheses.judge_two_sample),
    "independence_test": (density_hypotheses.draw_two_sample, density_hypotheses.judge_independence),
}


def subjects() -> list[str]:
    """Models and functions."""
    return list(SUBJECTS)


def draw(pick: Any, subject: str) -> dict[str, Any]:
    """The facts of a case."""
    return SUBJECTS[subject][0](pick, subject)


def judge(subject: str, facts: dict[str, Any], judge: Judge) -> None:
    """Compare."""
    SUBJECTS[subject][1](subject, facts, judge)
