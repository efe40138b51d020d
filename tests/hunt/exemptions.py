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


EXEMPTIONS: list[Exemption] = []


def exemption_for(oracle: str, subject: str, facts: dict[str, Any]) -> Exemption | None:
    """The first exemption that covers the case."""
    for exemption in EXEMPTIONS:
        if exemption.oracle == oracle and exemption.applies(subject, facts):
            return exemption
    return None
