"""Kernels on sets, bags of vectors, trees, graphs and the nodes of one graph, by brute force."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import scipy.linalg
from hypothesis import strategies as st

from hunt.oracles import kernel_formulas

Parameters = dict[str, Any]
LAPLACIANS = ("plain", "normalized")
DRAWN: dict[str, list[dict[str, Any]]] = {
    "set_intersection": [{}],
    "subsets": [{"base": (2, 1, 1.3), "form": ("plain", "normalized")}],
    "tanimoto": [{}],
    "dice": [{}],
    "mean_map": [{"form": ("mean", "sum")}, {"form": ("mean", "sum"), "weights": (0,)}],
    "best_match": [{}],
    "pyramid_match": [{"side": (0.5, 0.1, 2), "origin": (-4, 0, -0.3), "levels": (1, 3, 6), "form": LAPLACIANS}],
    "probability_product_bags": [{"rho": (0.5, 1, 2), "ridge": (0.1, 1), "covariance": ("full", "diagonal")}],
    "subset_tree": [{"decay": (1, 0.4, 0.7)}],
    "subtree": [{"decay": (1, 0.5), "leaves": ("ignore", "count")}],
    "vertex_histogram": [{}],
    "edge_histogram": [{}],
    "shortest_path": [{"longest": (0, 1, 2)}],
    "weisfeiler_lehman": [{"h": (0, 1, 2, 3), "edge_labels": ("ignore", "use")}],
    "weisfeiler_lehman_edges": [{"h": (0, 1, 2), "edge_labels": ("ignore", "use")}],
    "graphlets": [{"size": (3, 4, 5), "kinds": ("connected", "all"), "values": ("counts", "frequencies")}],
    "random_walk": [
        {"decay": (0.5, 0.9), "edge_labels": ("ignore", "use")},
        {"decay": (0.03, 0.01), "walks": ("plain",), "edge_labels": ("ignore", "use")},
    ],
    "diffusion": [{"beta": (1, 0.3, 5), "laplacian": LAPLACIANS}],
    "regularized_laplacian": [{"sigma": (1, 0.3, 5), "laplacian": LAPLACIANS}],
    "p_step_walk": [{"p": (1, 3), "a": (2, 3)}, {"p": (2,), "a": (60,), "laplacian": ("plain",)}],
    "commute_time": [{"laplacian": LAPLACIANS}],
}
KINDS = {
    **dict.fromkeys(("set_intersection", "subsets"), "sets"),
    **dict.fromkeys(("mean_map", "best_match", "pyramid_match", "probability_product_bags"), "bags"),
    **dict.fromkeys(("subset_tree", "subtree"), "trees"),
    **dict.fromkeys(
        (
            "vertex_histogram",
            "edge_histogram",
            "shortest_path",
            "weisfeiler_lehman",
            "weisfeiler_lehman_edges",
            "graphlets",
            "random_walk",
        ),
        "graphs",
    ),
    **dict.fromkeys(("diffusion", "regularized_laplacian", "p_step_walk", "commute_time"), "nodes"),
}
CHILDREN = ("rbf", "linear", "exponential", "laplacian")


# ---- Drawing -------------------------------------------------------------------------------------------------------


def draw_objects(pick: Any, kind: str) -> list[Any]:
    """Draw a few samples of a kind, as JSON holds them."""
    if kind == "sets":
        one: Any = st.lists(st.integers(0, 6), max_size=5, unique=True)
    elif kind == "bags":
        number = st.sampled_from((0.0, 1.0, -1.0, 0.5, 0.3, 2.5))
        one = st.lists(st.lists(number, min_size=2, max_size=2), max_size=4)
    elif kind == "trees":
        leaf = st.sampled_from(("a", "b"))
        inner = st.recursive(
            leaf, lambda part: st.builds(_bracket, leaf, st.lists(part, min_size=1, max_size=3)), max_leaves=7
        )
        one = st.builds(_bracket, leaf, st.lists(inner, min_size=1, max_size=2))
    elif kind == "nodes":
        n = pick(st.integers(2, 6))
        weights = [pick(st.sampled_from((1.0, 0.0, 0.5, 2.0))) for _ in range(n * (n - 1) // 2)]
        matrix = np.zeros((n, n))
        matrix[np.triu_indices(n, 1)] = weights
        return list((matrix + matrix.T).tolist())
    else:
        labels, named = pick(st.booleans()), pick(st.booleans())
        return [_draw_graph(pick, labels, named) for _ in range(pick(st.integers(1, 4)))]
    return list(pick(st.lists(one, min_size=1, max_size=5)))


def _bracket(label: str, parts: list[str]) -> str:
    return f"({' '.join([label, *parts])})"


def _draw_graph(pick: Any, labels: bool, named: bool) -> dict[str, Any]:
    n = pick(st.integers(1, 6))
    pairs = list(itertools.combinations(range(n), 2))
    edges = [list(pair) for pair in pairs if pick(st.booleans())]
    if named:
        edges = [[*edge, pick(st.integers(0, 1))] for edge in edges]
    return {"nodes": [pick(st.integers(0, 2)) for _ in range(n)] if labels else n, "edges": edges}


def draw_expression(pick: Any, name: str) -> list[Any]:
    """Draw a kernel, with one of vectors inside where it takes one."""
    parameters = {key: pick(st.sampled_from(values)) for key, values in pick(st.sampled_from(DRAWN[name])).items()}
    parts = []
    if name in ("mean_map", "best_match"):
        parts = [kernel_formulas.draw_leaf(pick, pick(st.sampled_from(CHILDREN)), 1 if "weights" in parameters else 2)]
    return [name, parameters, parts]


def as_objects(kind: str, items: list[Any]) -> Any:
    """What Python users hold."""
    if kind == "sets":
        return [set(item) for item in items]
    if kind == "bags":
        return [np.array(item, dtype=float).reshape(-1, 2) for item in items]
    return np.array(items) if kind == "nodes" else items


# ---- Sets and bags -------------------------------------------------------------------------------------------------


def _subsets(p: Parameters, parts: Any, a: set[int], b: set[int]) -> float:
    return float(p["base"] ** (-len(a ^ b) / 2 if p["form"] == "normalized" else len(a & b)))


def _inner(parts: Any, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    train = np.vstack([a, b])
    return kernel_formulas.evaluate(parts[0], a, b, train)


def _mean_map(p: Parameters, parts: Any, a: np.ndarray, b: np.ndarray) -> float:
    if len(a) == 0 or len(b) == 0:
        return 0.0
    left, right = np.ones(len(a)), np.ones(len(b))
    if "weights" in p:
        left, right, a, b = a[:, 0], b[:, 0], a[:, 1:], b[:, 1:]
    total = float(left @ _inner(parts, a, b) @ right)
    if p["form"] == "sum":
        return total
    return total / float(left.sum() * right.sum()) if left.sum() * right.sum() != 0 else math.nan


def _best_match(p: Parameters, parts: Any, a: np.ndarray, b: np.ndarray) -> float:
    if len(a) == 0 or len(b) == 0:
        return 0.0
    values = _inner(parts, a, b)
    return float(values.max(axis=1).mean() + values.max(axis=0).mean()) / 2


def _pyramid_match(p: Parameters, parts: Any, a: np.ndarray, b: np.ndarray) -> float:
    total = before = 0.0
    for level in range(p["levels"]):
        side = p["side"] * 2**level
        left, right = (Counter(tuple(np.floor((v - p["origin"]) / side)) for v in bag) for bag in (a, b))
        matched = sum(min(count, right[cell]) for cell, count in left.items())
        total, before = total + 2.0**-level * (matched - before), matched
    if p["form"] == "normalized" and total > 0:
        total /= math.sqrt(len(a) * len(b))
    return total


def _overlap(p: Parameters, parts: Any, a: np.ndarray, b: np.ndarray) -> float:
    if len(a) == 0 or len(b) == 0:
        return 0.0
    rho, d, gaussians = p["rho"], a.shape[1], []
    for bag in (a, b):
        centred = bag - bag.mean(axis=0)
        covariance = centred.T @ centred / len(bag)
        if p["covariance"] == "diagonal":
            covariance = np.diag(np.diag(covariance))
        gaussians.append((bag.mean(axis=0), covariance + p["ridge"] * np.eye(d)))
    (m, s), (n, t) = gaussians
    # exp(-rho (u-m)' S^-1 (u-m) / 2) is a Gaussian of covariance S / rho but for its factor; two of them overlap in
    # the density of m - n under the sum of both covariances.
    factors = [
        np.linalg.det(2 * math.pi * c) ** (-rho / 2) * np.linalg.det(2 * math.pi * c / rho) ** 0.5 for c in (s, t)
    ]
    both = (s + t) / rho
    overlap = math.exp(-(m - n) @ np.linalg.solve(both, m - n) / 2) / math.sqrt(np.linalg.det(2 * math.pi * both))
    return factors[0] * factors[1] * overlap


# ---- Trees ---------------------------------------------------------------------------------------------------------

Tree = tuple[str, tuple[Any, ...]]


def parse_tree(text: str) -> Tree:
    """Read a tree in brackets."""
    tokens = text.replace("(", " ( ").replace(")", " ) ").split()

    def read(place: int) -> tuple[Tree, int]:
        if tokens[place] != "(":
            return (tokens[place], ()), place + 1
        label, place, parts = tokens[place + 1], place + 2, []
        while tokens[place] != ")":
            part, place = read(place)
            parts.append(part)
        return (label, tuple(parts)), place + 1

    return read(0)[0]


def _nodes(tree: Tree) -> list[Tree]:
    return [tree, *(node for part in tree[1] for node in _nodes(part))]


def _subset_tree(p: Parameters, parts: Any, a: str, b: str) -> float:
    def common(u: Tree, v: Tree) -> float:
        same = u[0] == v[0] and u[1] and [w[0] for w in u[1]] == [w[0] for w in v[1]]
        # A production says of each child whether it is a leaf as well: equal labels have equal or no productions.
        return p["decay"] * math.prod(1 + common(w, z) for w, z in zip(u[1], v[1], strict=True)) if same else 0.0

    return sum(common(u, v) for u in _nodes(parse_tree(a)) for v in _nodes(parse_tree(b)))


def _subtree(p: Parameters, parts: Any, a: str, b: str) -> float:
    left, right = Counter(_nodes(parse_tree(a))), Counter(_nodes(parse_tree(b)))
    total = 0.0
    for tree, count in left.items():
        if tree[1] or p["leaves"] == "count":
            total += p["decay"] ** sum(bool(node[1]) for node in _nodes(tree)) * count * right[tree]
    return total


# ---- Graphs --------------------------------------------------------------------------------------------------------


def _network(graph: dict[str, Any]) -> nx.Graph:
    made = nx.Graph()
    labels = [0] * graph["nodes"] if isinstance(graph["nodes"], int) else graph["nodes"]
    made.add_nodes_from((i, {"label": label}) for i, label in enumerate(labels))
    made.add_edges_from((edge[0], edge[1], {"label": edge[2] if len(edge) > 2 else 0}) for edge in graph["edges"])
    return made


def _labels(graph: nx.Graph) -> dict[int, Any]:
    return {v: graph.nodes[v]["label"] for v in graph}


def _edges(graph: nx.Graph, colours: dict[int, Any], named: bool) -> Counter[Any]:
    found: Counter[Any] = Counter()
    for u, v, label in graph.edges(data="label"):
        found[(*sorted((colours[u], colours[v]), key=repr), label if named else 0)] += 1
    return found


def _refined(graph: nx.Graph, colours: dict[int, Any], named: bool) -> dict[int, Any]:
    around = {v: [(colours[u], graph.edges[u, v]["label"] if named else 0) for u in graph[v]] for v in graph}
    return {v: (colours[v], tuple(sorted(around[v], key=repr))) for v in graph}


def _graph_features(name: str, p: Parameters, graph: nx.Graph) -> Counter[Any]:
    colours = _labels(graph)
    if name == "vertex_histogram":
        return Counter(colours.values())
    if name == "edge_histogram":
        return _edges(graph, colours, True)
    if name == "shortest_path":
        lengths = dict(nx.all_pairs_shortest_path_length(graph))
        return Counter(
            (*sorted((colours[u], colours[v])), lengths[u][v])
            for u, v in itertools.combinations(graph, 2)
            if v in lengths[u] and (p["longest"] == 0 or lengths[u][v] <= p["longest"])
        )
    if name == "graphlets":
        return _graphlets(p, graph)
    found: Counter[Any] = Counter()
    named = p["edge_labels"] == "use"
    for t in range(p["h"] + 1):
        counts = Counter(colours.values()) if name == "weisfeiler_lehman" else _edges(graph, colours, named)
        found.update({(t, key): count for key, count in counts.items()})
        colours = _refined(graph, colours, named)
    return found


def _graphlets(p: Parameters, graph: nx.Graph) -> Counter[Any]:
    found: Counter[Any] = Counter()
    for chosen in itertools.combinations(graph, p["size"]):
        part = graph.subgraph(chosen)
        if p["kinds"] == "connected" and not nx.is_connected(part):
            continue
        # Graphs of up to five vertices are told apart by degrees, triangles and the degrees of neighbours.
        triangles = nx.triangles(part)
        shape = sorted((part.degree(v), triangles[v], sorted(part.degree(u) for u in part[v])) for v in part)
        found[repr(shape)] += 1
    total = sum(found.values()) if p["values"] == "frequencies" else 1
    return Counter({key: count / total for key, count in found.items()})


def _random_walk(p: Parameters, graphs: tuple[nx.Graph, nx.Graph]) -> float:
    first, second = graphs
    pairs = [(u, v) for u in first for v in second if first.nodes[u]["label"] == second.nodes[v]["label"]]
    steps = np.zeros((len(pairs), len(pairs)))
    for (i, (u, v)), (j, (w, z)) in itertools.product(enumerate(pairs), repeat=2):
        if first.has_edge(u, w) and second.has_edge(v, z):
            if p["edge_labels"] == "use" and first.edges[u, w]["label"] != second.edges[v, z]["label"]:
                continue
            degrees = first.degree(u) * first.degree(w) * second.degree(v) * second.degree(z)
            steps[i, j] = 1 if p.get("walks") == "plain" else 1 / math.sqrt(degrees)
    return float(np.linalg.solve(np.eye(len(pairs)) - p["decay"] * steps, np.ones(len(pairs))).sum()) if pairs else 0.0


def _of_graphs(name: str, p: Parameters, a: dict[str, Any], b: dict[str, Any]) -> float:
    first, second = _network(a), _network(b)
    if name == "random_walk":
        return _random_walk(p, (first, second))
    left, right = _graph_features(name, p, first), _graph_features(name, p, second)
    return math.fsum(count * right[key] for key, count in left.items())


def of_nodes(name: str, p: Parameters, weights: np.ndarray) -> np.ndarray:
    """Kernels on the nodes of the graph with this matrix of weights."""
    degrees = weights.sum(axis=1)
    laplacian = np.diag(degrees) - weights
    if p.get("laplacian", "normalized" if name == "p_step_walk" else "plain") == "normalized":
        root = np.array([1 / math.sqrt(d) if d > 0 else 0.0 for d in degrees])
        laplacian = np.diag((degrees > 0).astype(float)) - root[:, None] * weights * root[None, :]
    if name == "diffusion":
        return scipy.linalg.expm(-p["beta"] * laplacian)
    if name == "regularized_laplacian":
        return np.linalg.inv(np.eye(len(weights)) + p["sigma"] ** 2 * laplacian)
    if name == "p_step_walk":
        return np.linalg.matrix_power(p["a"] * np.eye(len(weights)) - laplacian, p["p"])
    return np.linalg.pinv(laplacian, hermitian=True)


OF_PAIRS: dict[str, Callable[[Parameters, Any, Any, Any], float]] = {
    "set_intersection": lambda p, parts, a, b: float(len(a & b)),
    "subsets": _subsets,
    "tanimoto": lambda p, parts, a, b: len(a & b) / len(a | b) if a | b else 1.0,
    "dice": lambda p, parts, a, b: 2 * len(a & b) / (len(a) + len(b)) if a | b else 1.0,
    "mean_map": _mean_map,
    "best_match": _best_match,
    "pyramid_match": _pyramid_match,
    "probability_product_bags": _overlap,
    "subset_tree": _subset_tree,
    "subtree": _subtree,
}


def evaluate(expression: list[Any], kind: str, items: Any) -> np.ndarray:
    """The values of all pairs of samples, which ``as_objects`` made."""
    name, parameters, parts = expression
    if kind == "nodes":
        return of_nodes(name, parameters, items)
    if kind == "graphs":
        return np.array([[_of_graphs(name, parameters, a, b) for b in items] for a in items])
    return np.array([[OF_PAIRS[name](parameters, parts, a, b) for b in items] for a in items])
