"""Samples that are no vectors: lists of strings, of sets, of bags of vectors, of graphs.

Members of sets and labels of graphs may be numbers, strings, bytes and tuples of these. Whole numbers from 0 to 2**31-1
stand for themselves; everything else is coded by a hash of 31 bits that is the same in every process, so that a model
knows a member again when it predicts. Two of N different strings share a code with probability about N**2 / 2**32: 1 in
4000 for a thousand of them, 1 in 43 for ten thousand. Number the members yourself where that is too much. In a column
of a frame words are numbered by a list instead, which the model keeps, as the program does.
"""

from __future__ import annotations

import hashlib
import reprlib
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from mercer._core import Samples

_LARGEST = 2**31 - 2
_LABEL = "label"


def objects_kind(X: Any, subject: str = "X") -> str | None:
    """Tell the kind of a sequence of things that are no vectors.

    Parameters
    ----------
    X : object
        What a user gave.
    subject : str, default="X"
        What messages call it.

    Returns
    -------
    str or None
        ``"strings"``, ``"sets"``, ``"bags"`` or ``"graphs"``, None for anything else.

    Raises
    ------
    ValueError
        Where some items are of such a kind and others are not; it names the first that differs.
    """
    if isinstance(X, np.ndarray):
        if X.ndim != 1 or X.dtype.kind not in "OSTU":
            return None
        if X.dtype.kind == "U":
            return "strings" if X.size > 0 else None
    elif not isinstance(X, (list, tuple)) and not _is_series(X):
        return None
    kinds = [_kind_of(item) for item in X]
    found = set(kinds)
    if len(found) <= 1 and "bytes" not in found:
        return found.pop() if found else None
    raise ValueError(f"{subject} holds {_first_stranger(list(X), kinds)}")


_PLURALS = {"strings": "texts", "sets": "sets", "bags": "matrices of numbers", "graphs": "graphs"}


def _first_stranger(items: list[Any], kinds: list[str | None]) -> str:
    """Say which row is the first that is not of the kind of the others."""
    expected = next((kind for kind in kinds if kind in _PLURALS), None)
    if expected is None:
        row = kinds.index("bytes")
        return f"bytes in row {row} (counted from 0) where texts are expected: decode them, as item.decode('latin-1')"
    row = next(row for row, kind in enumerate(kinds) if kind != expected)
    return (
        f"{reprlib.repr(items[row])} in row {row} where {_PLURALS[expected]} are expected, as in row "
        f"{kinds.index(expected)} (counted from 0); it is of type {type(items[row]).__name__}. Leave such rows out, or "
        "fill them in."
    )


def object_samples(X: Iterable[Any], kind: str, words: Sequence[str] | None = None) -> Samples:
    """Make samples of the core from a sequence of one kind.

    Parameters
    ----------
    X : sequence
        The items.
    kind : str
        As ``objects_kind`` names it.
    words : sequence of str, optional
        Members of sets and labels of graphs are words whose numbers are their places here; words that are not here get
        numbers beyond.

    Returns
    -------
    Samples
    """
    items = list(X)
    if kind == "strings":
        return Samples.strings(items)
    if kind == "bags":
        return _bags(items)
    codes = _WordCodes(words) if words else _Codes()
    return _sets(items, codes) if kind == "sets" else _graphs(items, codes)


def words_of(X: Iterable[Any], kind: str) -> list[str]:
    """List the words that members of sets and labels of graphs are, in order; empty unless all of them are strings."""
    found: set[Any] = set()
    if kind == "sets":
        found = set().union(*X)
    elif kind == "graphs":
        for part in map(_parts_of, X):
            found.update(part.labels or (), part.edge_labels or ())
    return sorted(str(word) for word in found) if all(isinstance(word, str) for word in found) else []


def object_array(items: Sequence[Any]) -> NDArray[Any]:
    """Give an array of one dimension whatever its items are."""
    array = np.empty(len(items), dtype=object)
    for place, item in enumerate(items):
        array[place] = item
    return array


def _is_series(X: Any) -> bool:
    return type(X).__module__.partition(".")[0] in ("pandas", "polars") and type(X).__name__ == "Series"


def _kind_of(item: Any) -> str | None:
    if isinstance(item, str):
        return "strings"
    if item is None or isinstance(item, (list, int, float)):
        return None
    if isinstance(item, bytes):
        return "bytes"
    if isinstance(item, (set, frozenset)):
        return "sets"
    if isinstance(item, np.ndarray):
        return "bags" if item.ndim == 2 and item.dtype.kind in "biuf" else None
    if _is_network(item) or scipy.sparse.issparse(item):
        return "graphs"
    if isinstance(item, tuple) and len(item) == 2 and scipy.sparse.issparse(item[0]):
        return "graphs"
    return "graphs" if isinstance(item, dict) and {"nodes", "edges"} <= item.keys() else None


def _is_network(item: Any) -> bool:
    """Whether it is a graph of networkx, or behaves like one."""
    return all(hasattr(item, name) for name in ("nodes", "edges", "adj", "is_directed"))


# ---- Codes ------------------------------------------------------------------------------------------------------


def _bytes_of(value: Any) -> bytes:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return b"s" + value.encode("utf-8", "surrogatepass")
    if isinstance(value, bytes):
        return b"b" + value
    if isinstance(value, int):
        return b"i" + str(int(value)).encode()
    if isinstance(value, float):
        return b"f" + repr(value).encode()
    if value is None:
        return b"n"
    if isinstance(value, tuple):
        parts = [_bytes_of(part) for part in value]
        return b"t" + b"".join(len(part).to_bytes(8, "little") + part for part in parts)
    raise TypeError(
        f"{value!r} of type {type(value).__name__} has no code that is the same in every process: members of sets and "
        "labels of graphs are numbers, strings, bytes or tuples of these"
    )


class _Codes(dict[Any, int]):
    """The numbers that members of sets, or labels, have; each is computed once."""

    def __missing__(self, value: Any) -> int:
        if isinstance(value, (float, np.floating)) and float(value).is_integer():
            value = int(value)  # equal to that member of a set
        if isinstance(value, (int, np.integer)) and 0 <= value <= _LARGEST:
            code = int(value)
        else:
            digest = hashlib.blake2b(_bytes_of(value), digest_size=4).digest()
            code = min(int.from_bytes(digest, "little") & 0x7FFFFFFF, _LARGEST)
        self[value] = code
        return code


class _WordCodes(dict[Any, int]):
    """Places in a list of words; others get numbers beyond it, in the order in which they come."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__((word, place) for place, word in enumerate(words))
        self._example = words[0]

    def __missing__(self, value: Any) -> int:
        if not isinstance(value, str):
            raise ValueError(
                f"{value!r} of type {type(value).__name__} where the model was fitted on words such as "
                f"{self._example!r}: write members of sets and labels of graphs as they were there"
            )
        self[value] = code = len(self)
        return code


def _offsets(sizes: Iterable[int]) -> NDArray[np.int64]:
    return np.cumsum([0, *sizes], dtype=np.int64)


# ---- Kinds ------------------------------------------------------------------------------------------------------


def _sets(sets: list[Any], codes: dict[Any, int]) -> Samples:
    members = np.fromiter((codes[member] for member in chain.from_iterable(sets)), dtype=np.int32)
    return Samples.sets(members, _offsets(len(members) for members in sets))


def _bags(bags: list[Any]) -> Samples:
    # An empty bag says nothing of the dimension, whatever its shape.
    columns = {bag.shape[1] for bag in bags if len(bag) > 0}
    if len(columns) > 1:
        raise ValueError(f"The bags hold vectors of different lengths: {sorted(columns)}")
    full = [np.asarray(bag, dtype=np.float64) for bag in bags if len(bag) > 0]
    points = np.concatenate(full) if full else np.empty((0, bags[0].shape[1] if bags else 0))
    return Samples.bags(np.ascontiguousarray(points), _offsets(len(bag) for bag in bags))


class _GraphParts:
    """One graph: the number of its vertices, its edges in both directions, and labels where it has them."""

    def __init__(self, vertices: int, edges: Any, labels: Any = None, edge_labels: Any = None) -> None:
        self.vertices = vertices
        self.edges: NDArray[np.int32] = np.asarray(edges, dtype=np.int32).reshape(-1, 2)
        self.labels: list[Any] | None = labels
        self.edge_labels: list[Any] | None = edge_labels
        if labels is not None and len(labels) != vertices:
            raise ValueError(f"A graph of {vertices} vertices has {len(labels)} vertex labels")


def _graphs(graphs: list[Any], codes: dict[Any, int]) -> Samples:
    parts = [_parts_of(graph) for graph in graphs]
    edges = np.concatenate([part.edges for part in parts]) if parts else np.empty((0, 2), dtype=np.int32)
    return Samples.graphs(
        _offsets(part.vertices for part in parts),
        np.ascontiguousarray(edges),
        _offsets(len(part.edges) for part in parts),
        _all_labels("vertices", [(part.vertices, part.labels) for part in parts], codes),
        _all_labels("edges", [(len(part.edges), part.edge_labels) for part in parts], codes),
    )


def _all_labels(what: str, graphs: list[tuple[int, Any]], codes: dict[Any, int]) -> NDArray[np.int32] | None:
    # A graph without vertices (edges) has no labels to show.
    shown = [labels for count, labels in graphs if count > 0]
    if all(labels is None for labels in shown):
        return None
    if any(labels is None for labels in shown):
        raise ValueError(f"Some graphs label their {what} and some do not: label all or none")
    return np.fromiter((codes[label] for labels in shown for label in labels), dtype=np.int32)


def _parts_of(graph: Any) -> _GraphParts:
    if isinstance(graph, dict):
        return _listed_parts(graph)
    if isinstance(graph, tuple):
        return _adjacency_parts(graph[0], list(graph[1]))
    return _adjacency_parts(graph, None) if scipy.sparse.issparse(graph) else _network_parts(graph)


def _adjacency_parts(matrix: Any, labels: list[Any] | None) -> _GraphParts:
    rows, columns = matrix.shape
    if rows != columns:
        raise ValueError(f"An adjacency matrix is square, this one is {rows}x{columns}")
    entries = scipy.sparse.coo_matrix(matrix)
    used = entries.data != 0
    return _GraphParts(rows, np.column_stack([entries.row[used], entries.col[used]]), labels)


def _network_parts(graph: Any) -> _GraphParts:
    nodes = list(graph.nodes(data=True))
    places = {node: place for place, (node, _) in enumerate(nodes)}
    ends = [(places[u], places[v]) for u, v, _ in graph.edges(data=True)]
    edge_labels = _attributes("edges", [attributes for _, _, attributes in graph.edges(data=True)])
    labels = _attributes("nodes", [attributes for _, attributes in nodes])
    return _both_ways(len(nodes), ends, labels, edge_labels, directed=graph.is_directed())


def _attributes(what: str, items: list[Any]) -> list[Any] | None:
    missing = sum(_LABEL not in attributes for attributes in items)
    if missing == len(items):
        return None
    if missing > 0:
        raise ValueError(f"{missing} of the {len(items)} {what} of a graph have no attribute {_LABEL!r}")
    return [attributes[_LABEL] for attributes in items]


def _listed_parts(graph: dict[str, Any]) -> _GraphParts:
    nodes, edges = graph["nodes"], list(graph["edges"])
    counted = isinstance(nodes, (int, np.integer))
    if not (counted and nodes >= 0) and not isinstance(nodes, (list, tuple, np.ndarray)):
        raise ValueError(f"The nodes of a graph are their number or the list of their labels, not {nodes!r}")
    lengths = {len(edge) for edge in edges}
    if lengths - {2, 3} or len(lengths) > 1:
        raise ValueError("The edges of a graph are all pairs [from, to], or all triples [from, to, label]")
    labels = [edge[2] for edge in edges] if lengths == {3} else None
    ends = [(_vertex(edge[0], edge), _vertex(edge[1], edge)) for edge in edges]
    directed = bool(graph.get("directed", False))
    vertices = int(nodes) if counted else len(nodes)
    return _both_ways(vertices, ends, None if counted else list(nodes), labels, directed=directed)


def _vertex(value: Any, edge: Any) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not 0 <= value <= _LARGEST:
        raise ValueError(f"The edge {edge!r} has the end {value!r}: vertices are whole numbers from 0 on")
    return int(value)


def _both_ways(
    vertices: int, ends: list[tuple[int, int]], labels: Any, edge_labels: list[Any] | None, *, directed: bool
) -> _GraphParts:
    if not directed:
        back = [place for place, (u, v) in enumerate(ends) if u != v]
        edge_labels = None if edge_labels is None else edge_labels + [edge_labels[place] for place in back]
        ends = ends + [(ends[place][1], ends[place][0]) for place in back]
    return _GraphParts(vertices, ends, labels, edge_labels)
