"""Data of every kind on its way into the core."""

import gc
import pickle
import sys

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from mercer import _core
from mercer._samples import as_matrix, as_samples, column_names
from mercer.kernel_ridge import KernelRidge
from mercer.kernels import RBF, Delta, Linear, as_kernel
from mercer.svm import SVC


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(20, 5))


def big_endian(X):
    return X.astype(">f8")


def reversed_view(X):
    return X[::-1].copy()[::-1]


def wide_view(X):
    return np.hstack([X, X])[:, :5]


def every_second(X):
    return np.repeat(X, 2, axis=0)[::2]


@pytest.mark.parametrize(
    "form", [np.asfortranarray, big_endian, reversed_view, wide_view, every_second, np.ndarray.tolist]
)
def test_any_layout_is_the_same_matrix(X, form):
    assert np.allclose(Linear()(form(X)), X @ X.T, atol=1e-12)


def test_integers_and_booleans_are_numbers():
    X = np.arange(12).reshape(4, 3)
    assert np.array_equal(Linear()(X), (X @ X.T).astype(float))
    assert np.array_equal(Linear()(X > 5), ((X > 5).astype(float) @ (X > 5).astype(float).T))


def test_float32_stays_float32(X):
    single = X.astype(np.float32)
    assert as_matrix(single) is single
    assert np.allclose(Linear()(single), X @ X.T, atol=1e-4)


@pytest.mark.parametrize("order", ["C", "F"])
def test_no_copy_of_what_can_be_seen(X, order):
    array = np.array(X, order=order)
    samples = as_samples(array)
    before = Linear()(samples)[0, 0]
    array[0] *= 2
    assert Linear()(samples)[0, 0] == pytest.approx(4 * before)


def test_arrays_live_as_long_as_their_samples(X):
    array = X.copy()
    references = sys.getrefcount(array)
    samples = as_samples(array)
    assert sys.getrefcount(array) > references
    model = _core.fit("ridge", "rbf(gamma=1)", {}, samples, X[:, 0].copy())
    del samples
    gc.collect()
    assert sys.getrefcount(array) > references
    del model
    gc.collect()
    assert sys.getrefcount(array) == references


def test_read_only_memory_maps(X, tmp_path):
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert np.allclose(Linear()(mapped), X @ X.T, atol=1e-12)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_sparse_equals_dense(X, form, dtype):
    dense = np.where(np.abs(X) > 1, np.round(3 * X), 0).astype(dtype)
    sparse = scipy.sparse.csr_matrix(dense).asformat(form)
    assert as_samples(sparse).kind == "sparse"
    assert np.allclose(RBF(gamma=0.1)(sparse), RBF(gamma=0.1)(dense.astype(float)), atol=1e-6)


def test_sparse_indices_of_64_bits_and_sparse_arrays(X):
    sparse = scipy.sparse.csr_array(np.where(np.abs(X) > 1, X, 0))
    wide = scipy.sparse.csr_array(sparse)
    wide.indices = wide.indices.astype(np.int64)
    wide.indptr = wide.indptr.astype(np.int64)
    assert np.array_equal(Linear()(wide), Linear()(sparse))
    assert np.allclose(Linear()(sparse), (sparse @ sparse.T).toarray(), atol=1e-12)


def test_unsorted_and_repeated_entries_leave_the_matrix_alone():
    matrix = scipy.sparse.csr_matrix(
        (np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2]), np.array([0, 3, 3])), shape=(2, 4)
    )
    assert np.array_equal(Linear()(matrix), [[20.0, 0.0], [0.0, 0.0]])
    assert matrix.indices.tolist() == [2, 0, 2]


def test_broken_sparse_arrays_are_refused():
    data, indices = np.ones(2), np.array([0, 9], dtype=np.int32)
    with pytest.raises(ValueError, match="column number 9 is not in"):
        _core.Samples.csr(data, indices, np.array([0, 1, 2], dtype=np.int32), 3)
    with pytest.raises(ValueError, match="indptr"):
        _core.Samples.csr(data, indices, np.array([0, 1, 5], dtype=np.int32), 10)
    with pytest.raises(ValueError, match="offsets must not decrease"):
        _core.Samples.csr(data, indices, np.array([0, 2, 1], dtype=np.int32), 10)
    with pytest.raises(ValueError, match="32-bit"):
        _core.Samples.csr(data, np.array([0, 2**40]), np.array([0, 1, 2]), 2**41)


def test_strings():
    for strings in (
        ["ACG", "T", ""],
        ("ACG", "T", ""),
        np.array(["ACG", "T", ""]),
        np.array(["ACG", "T", ""], dtype=object),
    ):
        samples = as_samples(strings)
        assert (samples.kind, samples.size) == ("strings", 3)
        assert samples.to_python() == ["ACG", "T", ""]
    assert as_samples(["naïve", "日本"]).to_python() == ["naïve", "日本"]


def test_bytes_that_are_no_utf8_come_back():
    latin = b"caf\xe9".decode("utf-8", "surrogateescape")
    assert as_samples([latin, "x"]).to_python() == [latin, "x"]
    assert np.array_equal(as_kernel("spectrum(k=1)")([latin, "\udce9"]), [[4, 1], [1, 1]])
    with pytest.raises(ValueError, match=r"text 1 .* lone surrogate"):
        as_samples(["x", "\ud800"])


def mixed_sequences():
    pandas = pytest.importorskip("pandas")
    graph = {"nodes": 2, "edges": [[0, 1]]}
    yield ["ACGT", None], "X holds None in row 1 where texts are expected, as in row 0 .* NoneType"
    yield np.array(["ACGT", "A", np.nan], dtype=object), "X holds nan in row 2 where texts .* float"
    yield [None, "ACGT"], "X holds None in row 0 where texts are expected, as in row 1"
    yield ["ACGT", b"A"], "in row 1 where texts .* bytes"
    yield [b"A", b"C"], "bytes in row 0 .* decode"
    yield [{1}, None], "X holds None in row 1 where sets"
    yield [{1}, "a"], "X holds 'a' in row 1 where sets .* str"
    yield [graph, [0, 1]], "in row 1 where graphs .* list"
    yield [np.ones((2, 2)), None], "None in row 1 where matrices"
    yield pandas.Series(["A", pandas.NA], dtype="string"), "X holds <NA> in row 1 where texts .* NAType"
    yield pandas.DataFrame({"tags": [{1}, {2}, None]}), "column 'tags' holds None in row 2 where sets"
    if hasattr(np.dtypes, "StringDType"):
        yield np.array(["A", None], dtype=np.dtypes.StringDType(na_object=None)), "X holds None in row 1 where texts"


def test_rows_of_another_kind_are_named():
    for X, message in mixed_sequences():
        with pytest.raises(ValueError, match=message):
            as_samples(X)
        with pytest.raises(ValueError, match=message):
            SVC(kernel="spectrum(k=1)").fit(X, np.arange(len(X)) % 2)


def test_names_make_columns_of_arrays(X):
    samples = as_samples(X, names=list("abcde"))
    assert np.allclose(Linear()["b", "d"](samples), X[:, [1, 3]] @ X[:, [1, 3]].T, atol=1e-12)


def frames(X):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    kinds = ["red", "green", "blue", "red"] * 5
    columns = {"age": X[:, 0], "count": np.arange(20), "old": X[:, 0] > 0, "note": [f"n{i}" for i in range(20)]}
    return (
        pandas.DataFrame(columns | {"color": pandas.Categorical(kinds)}),
        polars.DataFrame(columns | {"color": polars.Series(kinds, dtype=polars.Categorical)}),
        polars.DataFrame(columns | {"color": polars.Series(kinds, dtype=polars.Enum(["blue", "green", "red"]))}),
    )


def test_frames_with_mixed_columns(X):
    kinds = np.array(["red", "green", "blue", "red"] * 5)
    same = (kinds[:, None] == kinds[None, :]).astype(float)
    numbers = np.column_stack([X[:, 0], np.arange(20), X[:, 0] > 0])
    for frame in frames(X):
        samples = as_samples(frame)
        assert (samples.kind, samples.size) == ("table", 20)
        assert column_names(frame) == list(frame.columns)
        plain, truths = numbers[:, :2], [numbers[:, 2] == 0, numbers[:, 2] == 1]
        assert np.allclose(Linear()["age", "count"](frame), plain @ plain.T, atol=1e-9)
        # Truth values have a column per level, as words of a file.
        named = np.column_stack([plain, *truths]).astype(float)
        assert np.allclose(Linear()["age", "count", "old"](frame), named @ named.T, atol=1e-9)
        # Without a subscript every column: colors have one per level, too; notes all differ.
        levels = np.column_stack([*truths, *(kinds == kind for kind in np.unique(kinds))])
        everything = np.column_stack([numbers[:, :2], levels]).astype(float)
        assert np.allclose(Linear()(frame), everything @ everything.T, atol=1e-9)
        assert np.array_equal(Delta()["color"](frame), same)
        gaussian = np.exp(-0.5 * (X[:, None, 0] - X[None, :, 0]) ** 2)
        assert np.allclose((RBF(gamma=0.5)["age"] * Delta()["color"])(frame), gaussian * same, atol=1e-12)


def test_frames_may_change_order_and_levels_at_prediction(X):
    pandas = pytest.importorskip("pandas")
    frame = frames(X)[0]
    kernel = (RBF(gamma=0.5)["age"] + Delta()["color"]).spec
    model = _core.fit("ridge", kernel, {}, as_samples(frame), X[:, 1].copy())
    other = frame[frame.columns[::-1]].copy()
    other["color"] = pandas.Categorical(frame["color"].astype(str), categories=["zinc", "red", "green", "blue"])
    assert np.array_equal(model.predict(as_samples(frame.copy())), model.predict(as_samples(other)))
    assert model.feature_names == ["age", "count", "old", "note", "color"]
    with pytest.raises(ValueError, match="'color' is missing"):
        model.predict(as_samples(frame.drop(columns="color")))


def test_frames_of_whole_numbers():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2, 3], "b": [True, False, True], "c": pandas.Categorical(["x", "y", "x"])})
    numbers, names, others = as_samples(frame).to_python()
    np.testing.assert_array_equal(numbers, [[1], [2], [3]])
    assert names == ["a"]
    assert [name for name, _ in others] == ["b", "c"]
    numbers, names, others = as_samples(frame, kernel="linear()[a, b]").to_python()
    assert names == ["a"]
    assert [name for name, _ in others] == ["b"]
    single = pandas.DataFrame({"a": np.array([1, 2], dtype=np.float32), "b": np.array([3, 4], dtype=np.float32)})
    assert as_samples(single).to_python()[0].dtype == np.float32


def test_numeric_frames_without_copies_and_with_missing_values():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, np.nan], "b": [3.0, 4.0]})
    with pytest.raises(ValueError, match=r"NaN|nan"):
        as_samples(frame).require_finite()
    with pytest.raises(ValueError, match="column 'c' holds None in row 1"):
        as_samples(pandas.DataFrame({"c": ["x", None]}, dtype=object), kernel="spectrum(k=1)")


@pytest.mark.parametrize("bad", [np.zeros(3), np.zeros((2, 2, 2)), 3.0])
def test_other_shapes_are_refused(bad):
    with pytest.raises(ValueError, match="Expected 2D array"):
        as_samples(bad)


def test_complex_numbers_are_refused():
    with pytest.raises(ValueError, match="Complex data not supported"):
        as_samples(np.zeros((2, 2), dtype=complex))


def test_selected_rows(X):
    samples = as_samples(X)
    chosen = samples.select(np.array([3, 3, 0]))
    assert np.allclose(Linear()(chosen), X[[3, 3, 0]] @ X[[3, 3, 0]].T, atol=1e-12)
    with pytest.raises(ValueError, match="row number 20 is outside the 20 samples"):
        samples.select(np.array([20]))


def test_empty_samples():
    assert Linear()(np.empty((0, 3))).shape == (0, 0)
    assert Linear()(np.empty((0, 3)), np.ones((2, 3))).shape == (0, 2)


def mixed_frames():
    """The same rows with numbers, truth values, categories and texts, in every kind of frame."""
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    generator = np.random.default_rng(5)
    age = generator.normal(size=60)
    color = generator.choice(["red", "green", "blue"], 60)
    note = generator.choice(["yes", "no", "naïve 日本"], 60)
    numbers = {"age": age, "size": generator.integers(0, 5, 60), "old": age > 0.5}
    given = {
        "pandas": pandas.DataFrame(numbers | {"color": pandas.Categorical(color), "note": note}),
        "pandas, object": pandas.DataFrame(numbers | {"color": pandas.Categorical(color), "note": note.astype(object)}),
        "pandas, string": pandas.DataFrame(
            numbers | {"color": pandas.Categorical(color), "note": pandas.array(note, dtype="string")}
        ),
        "polars": polars.DataFrame(numbers | {"color": polars.Series(color, dtype=polars.Categorical), "note": note}),
        "polars, enum": polars.DataFrame(
            numbers | {"color": polars.Series(color, dtype=polars.Enum(["blue", "green", "red"])), "note": note}
        ),
    }
    return given, np.where((color == "red") ^ (age > 0), "in", "out"), age


@pytest.mark.parametrize("kernel", ["rbf(gamma=1)[age]*delta()[color]", "rbf(gamma=1)[age, size] + delta()[color]"])
def test_mixed_frames_give_the_same_models(kernel):
    given, labels, target = mixed_frames()
    plain = given["pandas"]
    for estimator, y in ((SVC(kernel=kernel, C=10), labels), (KernelRidge(kernel=kernel), target)):
        expected = clone(estimator).fit(plain, y).predict(plain)
        for name, frame in given.items():
            model = clone(estimator).fit(frame, y)
            assert model.feature_names_in_.tolist() == ["age", "size", "old", "color", "note"], name
            np.testing.assert_array_equal(model.predict(frame), expected, err_msg=name)
            # Fitted to one kind of frame, asked about another; the levels of a part may be fewer.
            np.testing.assert_array_equal(model.predict(plain), expected, err_msg=name)
            few = model.predict(frame[:7])
            assert np.array_equal(few, expected[:7]) if y is labels else np.allclose(few, expected[:7], rtol=1e-12), (
                name
            )
            again = pickle.loads(pickle.dumps(model))
            np.testing.assert_array_equal(again.predict(frame), expected, err_msg=name)


def test_mixed_frames_in_cross_validation():
    given, labels, _ = mixed_frames()
    model = SVC(kernel="rbf(gamma=1)[age]*delta()[color]", C=10)
    scores = {name: cross_val_score(model, frame, labels, cv=4) for name, frame in given.items()}
    assert min(score.mean() for score in scores.values()) > 0.85
    for name, score in scores.items():
        np.testing.assert_array_equal(score, scores["pandas"], err_msg=name)


def test_words_are_categories_or_texts_as_kernels_name_them():
    for name, frame in mixed_frames()[0].items():
        content = as_samples(frame)
        assert content.kind == "table", name
        note = np.array(frame["note"].to_list())
        assert np.array_equal(Delta()["note"](frame), note[:, None] == note), name
        counts = as_kernel("spectrum(k=1)")
        assert np.array_equal(counts["note"](frame), counts(list(note))), name
        # Different levels are two apart in squared distance.
        assert np.allclose(RBF(gamma=1)["note"](frame), np.where(note[:, None] == note, 1, np.exp(-2))), name


def test_missing_texts_and_categories():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    levels = ["red", None, "red", "blue"]
    for frame in (
        pandas.DataFrame({"color": pandas.Categorical(levels)}),
        polars.DataFrame({"color": polars.Series(levels, dtype=polars.Categorical)}),
    ):
        assert Delta()["color"](frame)[0].tolist() == [1, 0, 1, 0]
        assert Delta()["color"](frame)[1].tolist() == [0, 1, 0, 0]
    for frame in (pandas.DataFrame({"note": ["a", None]}), polars.DataFrame({"note": ["a", None]})):
        assert Delta()["note"](frame).tolist() == [[1, 0], [0, 1]]
        with pytest.raises(ValueError, match=r"column 'note' holds .* in row 1 where texts are expected"):
            as_kernel("spectrum(k=1)[note]")(frame)
