"""What the package runs on, for bug reports."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys

from mercer import _core

_PACKAGES = ("numpy", "scipy", "scikit-learn", "joblib", "pandas", "polars")


def versions() -> dict[str, str]:
    """Versions of the package, of what it stands on, and the machine.

    Returns
    -------
    dict
    """
    found = dict(_core.versions())
    found["python"] = sys.version.replace("\n", " ")
    found["executable"] = sys.executable
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    found["machine"] = f"{platform.platform()}, {os.cpu_count()} cores"
    return found


def show_versions() -> None:
    """Prints the versions of the package and of what it stands on."""
    found = versions()
    width = max(map(len, found))
    for name, version in found.items():
        print(f"{name:>{width}}: {version}")
