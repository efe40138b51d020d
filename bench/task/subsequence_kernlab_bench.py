#!/usr/bin/env python3
"""The normalised gap-weighted subsequence kernel of 200 documents beside R kernlab's, which calls it "sequence".

usage: subsequence_kernlab_bench.py STRING_KERNEL_BENCH    (build/bench/bench/string_kernel_bench)

Needs R with kernlab (Debian: r-cran-kernlab). Documents are random words. kernlab's time grows with the cube of their
length, so it is measured in full on short documents (60 to 100 characters); for documents of 300 to 600 characters it
computes three kernel values, and its time for the matrix is those times the number of pairs. Prints one JSON object per
task; ratio = ours / kernlab's time. `difference` is the relative difference of the sums of the values that both computed.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

DOCUMENTS = 200
SPEC = "normalize(subsequence(n=4, decay=0.5))"
SCRIPT = """
suppressMessages(library(kernlab))
x <- as.list(readLines(commandArgs(trailingOnly = TRUE)[1]))
kernel <- stringdot(length = 4, lambda = 0.5, type = "sequence", normalized = TRUE)
seconds <- system.time(k <- kernelMatrix(kernel, x))[["elapsed"]]
cat(seconds, sprintf("%.17g", sum(k)))
"""


def documents(draw, shortest, longest):
    """Sentences of a small random vocabulary, frequent words first."""
    words = ["".join(draw.choices("etaoinshrdlucmfwypvbgkjqxz", weights=range(26, 0, -1), k=draw.randint(2, 9)))
             for _ in range(2000)]
    weights = [1 / (rank + 5) for rank in range(len(words))]
    texts = []
    for _ in range(DOCUMENTS):
        length = draw.randint(shortest, longest)
        texts.append(" ".join(draw.choices(words, weights=weights, k=length))[:length])
    return texts


def run(command):
    """What a command printed."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def measure(program, folder, name, texts, compared):
    """Our Gram matrix of all texts; kernlab's, and ours again, of the compared ones."""
    everything, few = Path(folder) / "all.txt", Path(folder) / "few.txt"
    everything.write_text("\n".join(texts) + "\n")
    few.write_text("\n".join(compared) + "\n")
    script = Path(folder) / "kernlab.R"
    script.write_text(SCRIPT)
    ours = json.loads(run([program, str(everything), SPEC]))["ours_s"]
    total = json.loads(run([program, str(few), SPEC]))["sum"]
    seconds, peer_total = (float(number) for number in run(["Rscript", str(script), str(few)]).split())
    pairs, compared_pairs = (n * (n + 1) // 2 for n in (len(texts), len(compared)))
    peer = seconds * pairs / compared_pairs
    print(json.dumps({"bench": name, "ours_s": ours, "floor_s": round(peer, 3), "ratio": float(f"{ours / peer:.3g}"),
                      "difference": abs(total / peer_total - 1)}), flush=True)


def main() -> None:
    """Measures and prints."""
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        short = documents(draw, 60, 100)
        measure(sys.argv[1], folder, "gap-weighted gram of 200 documents of 60-100 characters / kernlab", short, short)
        long = documents(draw, 300, 600)
        middle = sorted(long, key=len)[DOCUMENTS // 2 : DOCUMENTS // 2 + 2]
        measure(sys.argv[1], folder, "gap-weighted gram of 200 documents of 300-600 characters / kernlab (3 pairs "
                "measured)", long, middle)


if __name__ == "__main__":
    main()
