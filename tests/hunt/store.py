"""Cases as files: one JSON object each, small enough to read, replayed as they are."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Case:
    """What one trial is made of.

    Attributes
    ----------
    area, subject : str
        Which oracles judge it, and what is judged.
    facts : dict
        Everything that was drawn; what JSON can hold.
    """

    area: str
    subject: str
    facts: dict[str, Any]

    def text(self) -> str:
        """At most twelve lines: a line for each fact, as many to a line as that takes."""
        lines = [f'{{"area": {json.dumps(self.area)}, "subject": {json.dumps(self.subject)}']
        facts = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in sorted(self.facts.items())]
        step = -(-len(facts) // 9) or 1
        parts = [", ".join(facts[k : k + step]) for k in range(0, len(facts), step)]
        return ",\n ".join([lines[0], '"facts": {' + ",\n  ".join(parts)]) + "}}\n"

    def variant(self) -> str:
        """What findings of one oracle are told apart by beside their subject."""
        return str(self.facts.get("attack", self.facts.get("kind", "")))

    def key(self, oracle: str) -> tuple[str, ...]:
        """What makes two findings one: the first of them is shrunk and told, the others are counted."""
        return (self.area, self.subject, oracle, self.variant())

    def name(self) -> str:
        """A file name that tells what it is and is no other case's."""
        digest = hashlib.blake2b(self.text().encode(), digest_size=4).hexdigest()
        return f"{self.area}-{self.subject}-{digest}.json"


def save(case: Case, folder: Path, comment: str = "") -> Path:
    """Write a case; what was found stands beside it in a text of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / case.name()
    path.write_text(case.text())
    if comment:
        path.with_suffix(".txt").write_text(comment + "\n")
    return path


def load(path: Path) -> Case:
    """Read a case; ValueError where it is none."""
    content = json.loads(path.read_text())
    if not isinstance(content, dict) or set(content) != {"area", "subject", "facts"}:
        raise ValueError(f"{path}: a case has area, subject and facts")
    return Case(content["area"], content["subject"], content["facts"])
