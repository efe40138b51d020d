"""The areas of the hunt.

An area is a module with
    ``subjects()``               what it can judge, by name: models, kernels, commands,
    ``draw(draw, subject)``      the facts of a case, drawn by Hypothesis: what JSON can hold, simplest values first,
    ``judge(subject, facts, judge)``   runs the case and compares; Finding, or NotApplicable.
"""

from __future__ import annotations

import importlib
from types import ModuleType

NAMES = ("kernels", "relations", "machines", "processes", "densities", "program", "files", "tables")


def area(name: str) -> ModuleType:
    """The module of an area."""
    return importlib.import_module(f"hunt.areas.{name}")
