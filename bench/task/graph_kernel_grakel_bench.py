#!/usr/bin/env python3
"""The Weisfeiler-Lehman Gram matrix (h = 5) of a TU graph set beside GraKeL's, in one run.

usage: graph_kernel_grakel_bench.py GRAPH_KERNEL_BENCH FOLDER     (build/bench/bench/graph_kernel_bench …/NCI1)

Prints one JSON object. ratio = ours / GraKeL's time: below 1 we are faster. Reading the files is not timed on either
side. Both matrices hold whole numbers, so their traces and sums must be equal.
"""

import gzip
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from grakel import Graph
from grakel.kernels import VertexHistogram, WeisfeilerLehman

DEPTH = 5


def column(folder: Path, name: str) -> list[list[int]]:
    """The numbers of one file of the set, by line."""
    path = next(folder.glob(f"*_{name}.txt*"))
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else path.open()
    with opened as lines:
        return [[int(part) for part in line.split(",")] for line in lines]


def graphs_of(folder: Path) -> list[Graph]:
    """The set as GraKeL wants it."""
    graph_of = [line[0] for line in column(folder, "graph_indicator")]
    labels = [line[0] for line in column(folder, "node_labels")]
    edges = [{} for _ in range(max(graph_of) + 1)]
    vertex_labels = [{} for _ in range(max(graph_of) + 1)]
    for vertex, graph in enumerate(graph_of, start=1):
        vertex_labels[graph][vertex] = labels[vertex - 1]
        edges[graph][vertex] = {}
    for a, b in column(folder, "A"):
        edges[graph_of[a - 1]][a][b] = 1.0
        edges[graph_of[a - 1]][b][a] = 1.0
    return [Graph(edges[g], node_labels=vertex_labels[g]) for g in range(1, len(edges))]


def main() -> None:
    """Measures and prints."""
    folder = Path(sys.argv[2])
    output = subprocess.run([sys.argv[1], str(folder), str(DEPTH)], check=True, capture_output=True, text=True)
    ours = json.loads(output.stdout.splitlines()[0])
    graphs = graphs_of(folder)
    start = time.perf_counter()
    gram = WeisfeilerLehman(n_iter=DEPTH, base_graph_kernel=VertexHistogram).fit_transform(graphs)
    seconds = time.perf_counter() - start
    print(
        json.dumps(
            {
                "bench": f"weisfeiler_lehman h={DEPTH} Gram of {folder.name} ({len(graphs)} graphs) / GraKeL",
                "ours_s": ours["ours_s"],
                "floor_s": round(seconds, 3),
                "ratio": round(ours["ours_s"] / seconds, 5),
                "times_faster": round(seconds / ours["ours_s"], 1),
                "same_trace": bool(np.trace(gram) == ours["trace"]),
                "same_sum": bool(gram.sum() == ours["sum"]),
            }
        )
    )


if __name__ == "__main__":
    main()
