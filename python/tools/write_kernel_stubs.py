"""Writes python/mercer/kernels/__init__.pyi from the registry of kernels.

usage: write_kernel_stubs.py [--check]    --check writes nothing and fails where the file is not up to date
"""

from __future__ import annotations

import keyword
import pathlib
import sys

from mercer.kernels._library import CLASSES, public_names

TARGET = pathlib.Path(__file__).parent.parent / "mercer" / "kernels" / "__init__.pyi"

HEAD = """# Written by python/tools/write_kernel_stubs.py from the registry of kernels.
from mercer.kernels._convert import as_kernel as as_kernel
from mercer.kernels._convert import from_sklearn as from_sklearn
from mercer.kernels._kernel import Kernel as Kernel
from mercer.kernels._library import NamedKernel
from mercer.kernels._nodes import OnColumns as OnColumns
from mercer.kernels._nodes import Power as Power
from mercer.kernels._nodes import Product as Product
from mercer.kernels._nodes import Scaled as Scaled
from mercer.kernels._nodes import Sum as Sum
from mercer.kernels._salzberg import salzberg_scores as salzberg_scores
from mercer.kernels._text import Value
from mercer.kernels._text import bounded as bounded
from mercer.kernels._text import fixed as fixed
"""


def class_stub(kind: type) -> str:
    """The stub of one kernel's class."""
    required = kind._entry["fewest_children"]
    arguments = ["self"]
    arguments += [
        f"{name}: Kernel" if i < required else f"{name}: Kernel | None = None" for i, name in enumerate(kind._children)
    ]
    names = [name for name in [*kind._defaults, *kind._aliases] if not keyword.iskeyword(name)]
    if names:
        arguments += ["*", *(f"{name}: Value = ..." for name in names)]
    attributes = [f"    {name}: Value" for name in kind._defaults]
    body = "".join(f"        {argument},\n" for argument in arguments)
    init = f"    def __init__(\n{body}    ) -> None: ..."
    return "\n".join([f"class {kind.__name__}(NamedKernel):", *attributes, init])


def stubs() -> str:
    """The whole file."""
    classes = [class_stub(kind) for kind in CLASSES.values()]
    aliases = [f"{name} = {kind.__name__}" for name, kind in public_names().items() if name != kind.__name__]
    return HEAD + "\n" + "\n\n".join(classes) + "\n\n" + "\n".join(aliases) + "\n"


def main() -> int:
    """Writes the file, or compares it."""
    text = stubs()
    if "--check" in sys.argv[1:]:
        fresh = TARGET.exists() and TARGET.read_text() == text
        if not fresh:
            print(f"{TARGET} is not what the registry says; run {__file__}", file=sys.stderr)
        return 0 if fresh else 1
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
