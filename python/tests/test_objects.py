"""Sets, bags of vectors and graphs as lists of what users hold."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from mercer import _core
from mercer._objects import objects_kind
from mercer._samples import as_samples
from mercer.kernel_ridge import KernelRidge
from mercer.kernels import as_kernel
from mercer.svm import SVC

TANIMOTO = as_kernel("tanimoto()")
LABELS = as_kernel("vertex_histogram()")


def jaccard(a, b):
    return len(a & b) / len(a | b) if a | b else 1.0


def random_sets(n=60, seed=0):
    """Sets of words; those of class 1 prefer other words than those of class 0."""
    generator = np.random.default_rng(seed)
    words = [f"word{number}" for number in range(20)]
    y = np.arange(n) % 2
    odds = np.where(np.arange(20) < 10, 0.6, 0.2)
    X = [
        {w for w, p in zip(words, odds if label else odds[::-1], strict=True) if generator.random() < p} for label in y
    ]
    return X, y


class Network:
    """A graph that behaves like one of networkx."""

    def __init__(self, nodes, edges, directed=False):
        self._nodes, self._edges, self._directed = nodes, edges, directed
        self.adj = None

    def nodes(self, data):
        assert data
        return list(self._nodes.items())

    def edges(self, data):
        assert data
        return self._edges

    def is_directed(self):
        return self._directed


def triangle(labels="aab"):
    return Network(
        {name: {"label": label} for name, label in zip("xyz", labels, strict=True)},
        [("x", "y", {}), ("y", "z", {}), ("z", "x", {})],
    )


# ---- Sets -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [list, tuple, lambda X: np.array(X, dtype=object)])
def test_sets_of_strings_are_what_they_share(form):
    X, _ = random_sets(12)
    X[3] = frozenset()
    expected = [[jaccard(a, b) for b in X] for a in X]
    assert as_samples(form(X)).kind == "sets"
    assert np.allclose(TANIMOTO(form(X)), expected, atol=1e-14)


def test_numbers_stand_for_themselves():
    assert as_samples([{3, 1}, {np.int64(7), 2.0, True}]).to_python() == [frozenset({1, 3}), frozenset({1, 2, 7})]
    large = as_samples([{-1}, {2**31}, {2**31 - 1}, {2**31 - 2}]).to_python()
    assert large[3] == {2**31 - 2} and all(0 <= member < 2**31 - 1 for row in large for member in row)


def test_members_of_any_stable_kind():
    X = [{"a", b"a", ("a", 1), 1.5, None}, {"a", ("a", 1)}, {("a", 2), b"a"}]
    assert np.allclose(TANIMOTO(X), [[jaccard(a, b) for b in X] for a in X])
    with pytest.raises(TypeError, match="no code that is the same in every process"):
        as_samples([{object()}])


def test_codes_are_the_same_in_every_process():
    code = "from mercer._samples import as_samples; print(sorted(*as_samples([{'a', 'b', ('c', 2)}]).to_python()))"
    here = str(sorted(*as_samples([{"a", "b", ("c", 2)}]).to_python()))
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": "1", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == here


def test_classifier_of_sets_lives_in_scikit_learn():
    X, y = random_sets()
    model = SVC(kernel="jaccard()", C=10).fit(X, y)
    assert model.score(X, y) > 0.9
    assert isinstance(model.support_vectors_, list) and model.support_vectors_[0] == X[model.support_[0]]
    for copy in (pickle.loads(pickle.dumps(model)), clone(model).fit(X, y)):
        assert np.array_equal(copy.decision_function(X), model.decision_function(X))
    assert cross_val_score(model, X, y, cv=5).mean() > 0.8
    search = GridSearchCV(SVC(kernel="jaccard()"), {"C": [0.1, 10]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.8
    assert np.array_equal(model.predict([{"no", "such", "words"}]), model.predict([{"neither"}]))


def test_model_files_keep_sets(tmp_path):
    X, y = random_sets()
    model = SVC(kernel="jaccard()", C=10).fit(X, y)
    model.save(tmp_path / "m.mercer")
    loaded = SVC.load(tmp_path / "m.mercer")
    assert np.array_equal(loaded.decision_function(X), model.decision_function(X))
    assert all(isinstance(row, frozenset) for row in loaded.support_vectors_)


def test_sets_in_a_frame():
    pandas = pytest.importorskip("pandas")
    X, y = random_sets()
    age = np.random.default_rng(1).normal(size=len(X))
    frame = pandas.DataFrame({"age": age, "tags": X})
    model = KernelRidge(kernel="rbf(gamma=0.5)[age] + jaccard()[tags]", alpha=0.1).fit(frame, y)
    scaled = age / age.std()  # a table is prepared as the program prepares a file
    expected = np.exp(-0.5 * (scaled[:, None] - scaled) ** 2) + TANIMOTO(X)
    solution = np.linalg.solve(expected + 0.1 * np.eye(len(y)), y)
    assert np.allclose(model.predict(frame), expected @ solution, atol=1e-9)


# ---- Bags -------------------------------------------------------------------------------------------------------


def test_bags_of_vectors():
    generator = np.random.default_rng(2)
    X = [generator.normal(size=(size, 3)) for size in (4, 1, 0, 7)]
    X[1] = X[1].astype(np.float32)
    X[3] = np.asfortranarray(X[3])
    assert as_samples(X).kind == "bags"
    means = [bag.mean(axis=0) if len(bag) else np.zeros(3) for bag in X]
    assert np.allclose(as_kernel("mean_map(linear())")(X), np.dot(means, np.transpose(means)), atol=1e-6)
    assert [bag.shape for bag in as_samples(X).to_python()] == [(4, 3), (1, 3), (0, 3), (7, 3)]
    with pytest.raises(ValueError, match="different lengths"):
        as_samples([np.ones((2, 3)), np.ones((2, 4))])
    with pytest.raises(ValueError, match="not finite"):
        as_kernel("mean_map(rbf(gamma=1))")([np.array([[np.nan, 1.0]])])


def test_bags_of_one_size_are_no_array():
    # Six clouds of equal size: NumPy would stack them.
    generator = np.random.default_rng(3)
    X = [generator.normal(size=(15, 2), loc=(label, 0)) for label in (0, 3, 0, 3, 0, 3)]
    y = np.array([0, 1, 0, 1, 0, 1])
    model = SVC(kernel="mean_map()").fit(X, y)
    assert np.array_equal(model.predict(X), y)
    assert "gamma=scale" not in model._fitted.kernel
    loaded = pickle.loads(pickle.dumps(model))
    assert np.array_equal(loaded.decision_function(X), model.decision_function(X))


# ---- Graphs -----------------------------------------------------------------------------------------------------


def test_forms_of_one_graph():
    adjacency = scipy.sparse.csr_matrix(np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]]))
    listed = {"nodes": ["a", "a", "b"], "edges": [[0, 1], [1, 2], [2, 0]]}
    forms = [triangle(), (adjacency, ["a", "a", "b"]), listed]
    assert objects_kind(forms) == "graphs"
    copies = as_samples(forms).to_python()
    assert copies[0] == copies[1] == copies[2]
    assert len(copies[0]["nodes"]) == 3 and len(copies[0]["edges"]) == 6
    # What comes back can go in again; hashes are numbers, which stand for themselves.
    assert as_samples(copies).to_python() == copies


def test_graphs_without_labels():
    X = [scipy.sparse.coo_matrix(np.ones((2, 2))), scipy.sparse.csc_array(np.zeros((1, 1))), {"nodes": 0, "edges": []}]
    loops, single, empty = as_samples(X).to_python()
    assert loops == {"nodes": 2, "edges": [[0, 0], [0, 1], [1, 0], [1, 1]], "directed": True}
    assert (single["nodes"], single["edges"], empty["nodes"]) == (1, [], 0)


def test_edge_labels_and_directions():
    network = Network({1: {}, 2: {}, 3: {}}, [(1, 2, {"label": 5}), (3, 3, {"label": 6})])
    assert as_samples([network]).to_python()[0]["edges"] == [[0, 1, 5], [1, 0, 5], [2, 2, 6]]
    arcs = Network({1: {}, 2: {}}, [(2, 1, {})], directed=True)
    assert as_samples([arcs]).to_python()[0]["edges"] == [[1, 0]]
    with pytest.raises(ValueError, match="two labels"):
        as_samples([Network({1: {}, 2: {}}, [(1, 2, {"label": 5}), (2, 1, {"label": 6})])])


def test_networkx_graphs():
    networkx = pytest.importorskip("networkx")
    graph = networkx.path_graph(4)
    networkx.set_node_attributes(graph, "C", "label")
    assert as_samples([graph, networkx.MultiDiGraph(graph)]).to_python()[0]["edges"][0] == [0, 1]


def test_graphs_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="square"):
        as_samples([scipy.sparse.csr_matrix(np.ones((2, 3)))])
    with pytest.raises(ValueError, match="1 of the 2 nodes"):
        as_samples([Network({1: {"label": 0}, 2: {}}, [])])
    with pytest.raises(ValueError, match="label all or none"):
        as_samples([triangle(), scipy.sparse.csr_matrix((2, 2))])
    with pytest.raises(ValueError, match="leaves the vertices"):
        as_samples([{"nodes": 2, "edges": [[0, 2]]}])
    with pytest.raises(ValueError, match="vertex labels"):
        as_samples([(scipy.sparse.csr_matrix((2, 2)), ["a"])])
    with pytest.raises(ValueError, match="pairs"):
        as_samples([{"nodes": 2, "edges": [[0]]}])
    for nodes in (2.5, -1, "ab"):
        with pytest.raises(ValueError, match="their number or the list of their labels"):
            as_samples([{"nodes": nodes, "edges": []}])
    for end in (1.5, 1.0, "1", True, 2**40, -1):
        with pytest.raises(ValueError, match="vertices are whole numbers"):
            as_samples([{"nodes": 2, "edges": [[0, end]]}])


def test_classifier_of_graphs():
    X = [triangle(labels) for labels in ("aab", "bba", "aaa", "bbb", "aba", "bab")]
    y = ["a", "b", "a", "b", "a", "b"]
    model = SVC(kernel="normalize(vertex_histogram())", C=100).fit(X, y)
    assert list(model.predict(X)) == y
    assert list(pickle.loads(pickle.dumps(model)).predict(X)) == y
    counts = np.array([[2, 1], [1, 2], [3, 0], [0, 3], [2, 1], [1, 2]])
    assert np.allclose(LABELS(X), counts @ counts.T)


# ---- What is none of these -----------------------------------------------------------------------------------------


def test_other_sequences_keep_their_meaning():
    for X in ([[1, 2], [3, 4]], np.eye(3), [], [{"nodes": 1}], [np.ones(3), np.ones(3)], "ab", None):
        assert objects_kind(X) is None
    assert objects_kind(["a", "b"]) == "strings"


def test_broken_arrays_are_refused():
    ones = np.ones(2, dtype=np.int32)
    for offsets in ([0, 3], [1, 2], [0, 2, 1, 2], []):
        with pytest.raises(ValueError, match="offsets"):
            _core.Samples.sets(ones, np.array(offsets, dtype=np.int64))
        with pytest.raises(ValueError, match="offsets"):
            _core.Samples.bags(np.ones((2, 1)), np.array(offsets, dtype=np.int64))
    with pytest.raises(ValueError, match="0 or greater"):
        _core.Samples.sets(-ones, np.array([0, 2]))
