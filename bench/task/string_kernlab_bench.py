#!/usr/bin/env python3
"""Gram matrices of substring kernels beside R kernlab's stringdot: 3000 random DNA sequences of length 200.

usage: string_kernlab_bench.py STRING_KERNEL_BENCH [ROWS [KERNEL]]    (build/bench/bench/string_kernel_bench)

Needs R with kernlab (Debian: r-cran-kernlab). Prints one JSON object per kernel. ratio = ours / kernlab's time: below 1
we are faster. `difference` is the relative difference of the sums of all entries; kernlab counts the end of a string as
one more symbol, and so does our side here.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

LENGTH = 200
KERNELS = [
    ("spectrum(k=6)", 'stringdot(length=6, type="spectrum", normalized=FALSE)'),
    ("blended_spectrum(k=6)", 'stringdot(length=6, type="boundrange", normalized=FALSE)'),
    ("all_substrings(decay=1)", 'stringdot(type="constant", normalized=FALSE)'),
]
SCRIPT = """
suppressMessages(library(kernlab))
arguments <- commandArgs(trailingOnly = TRUE)
x <- as.list(readLines(arguments[1]))
kernel <- eval(parse(text = arguments[2]))
seconds <- system.time(k <- kernelMatrix(kernel, x))[["elapsed"]]
cat(seconds, sprintf("%.17g", sum(k)))
"""


def main() -> None:
    """Measures and prints."""
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 3000
    chosen = [pair for pair in KERNELS if len(sys.argv) <= 3 or pair[0] == sys.argv[3]]
    if not chosen:
        sys.exit(f"no kernel {sys.argv[3]!r}; there are {[pair[0] for pair in KERNELS]}")
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        strings = Path(folder) / "strings.txt"
        strings.write_text("".join("".join(draw.choices("ACGT", k=LENGTH)) + "\n" for _ in range(rows)))
        script = Path(folder) / "kernlab.R"
        script.write_text(SCRIPT)
        for ours_spec, peer_spec in chosen:
            ours = json.loads(
                subprocess.run(
                    [sys.argv[1], "--end", str(strings), ours_spec], check=True, capture_output=True, text=True
                ).stdout
            )
            peer = subprocess.run(
                ["Rscript", str(script), str(strings), peer_spec], check=True, capture_output=True, text=True
            ).stdout.split()
            seconds, total = float(peer[0]), float(peer[1])
            print(
                json.dumps(
                    {
                        "bench": f"gram of {rows} strings of length {LENGTH}, {ours_spec} / kernlab",
                        "ours_s": ours["ours_s"],
                        "floor_s": seconds,
                        "ratio": round(ours["ours_s"] / seconds, 6),
                        "difference": abs(ours["sum"] / total - 1),
                    }
                ),
                flush=True,
            )


if __name__ == "__main__":
    main()
