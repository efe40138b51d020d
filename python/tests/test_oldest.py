"""The versions that the tests are run with are those that the package declares."""

import pathlib
import re

import pytest

TESTS = pathlib.Path(__file__).parent


def test_the_oldest_versions_are_the_declared_ones():
    project = TESTS.parent.parent / "pyproject.toml"
    if not project.exists():
        pytest.skip("the tests stand alone")
    declared = re.search(r"^dependencies = \[(.*)\]", project.read_text(), re.MULTILINE).group(1)
    minima = dict(re.findall(r'"([\w-]+)>=([\d.]+)"', declared))
    pinned = dict(re.findall(r"^([\w-]+)==([\d.]+)", (TESTS / "oldest.txt").read_text(), re.MULTILINE))
    assert minima and minima.items() <= pinned.items()
