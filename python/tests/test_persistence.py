"""Pickles, copies and model files."""

import copy
import functools
import io
import json
import os
import pickle
import zipfile

import joblib
import numpy as np
import pytest
import scipy.sparse
from estimator_list import ALL, REGRESSORS, called
from sklearn.base import clone
from sklearn.datasets import load_iris, make_regression
from sklearn.metrics.pairwise import rbf_kernel

from mercer import neighbors, smoothing, svm
from mercer._bundle import replace_file
from mercer._options import parameters_of
from mercer.decomposition import KernelPCA
from mercer.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from mercer.kernel_ridge import KernelRidge
from mercer.neighbors import ClassMeanClassifier
from mercer.svm import SVC

OPTIONS = {
    SVC: {"probability": True},
    KernelRidge: {"kernel": "rbf"},
    GaussianProcessClassifier: {"multi_class": "softmax"},
}


@pytest.fixture(params=ALL, ids=called)
def case(request):
    cls = request.param
    X, y = make_regression(60, 4, random_state=0) if cls in REGRESSORS else load_iris(return_X_y=True)
    return cls(**OPTIONS.get(cls, {})).fit(X, y), X


def outputs(model, X):
    names = ("predict", "decision_function", "predict_proba", "transform")
    return [getattr(model, name)(X) for name in names if hasattr(model, name)]


def assert_same(model, other, X):
    for a, b in zip(outputs(model, X), outputs(other, X), strict=True):
        np.testing.assert_array_equal(a, b)


def test_pickles_and_copies_predict_the_same_bits(case, tmp_path):
    model, X = case
    assert_same(model, pickle.loads(pickle.dumps(model)), X)
    assert_same(model, copy.deepcopy(model), X)
    joblib.dump(model, tmp_path / "model.joblib")
    assert_same(model, joblib.load(tmp_path / "model.joblib"), X)


def test_model_files_predict_the_same_bits(case, tmp_path):
    model, X = case
    model.save(tmp_path / "model.mercer")
    loaded = type(model).load(tmp_path / "model.mercer")
    assert_same(model, loaded, X)
    assert (tmp_path / "model.mercer").read_bytes() == model.to_bytes()
    assert_same(model, type(model).from_bytes(model.to_bytes()), X)
    assert loaded.n_features_in_ == X.shape[1]


def test_loaded_models_have_their_attributes(case):
    model, _ = case
    loaded = type(model).from_bytes(model.to_bytes())
    for name in ("support_", "dual_coef_", "intercept_", "coef_", "n_support_", "offset_", "classes_", "probA_"):
        if name in vars(model):
            np.testing.assert_allclose(getattr(loaded, name), getattr(model, name))


def test_loaded_models_have_their_parameters():
    X, y = load_iris(return_X_y=True)
    loaded = SVC.from_bytes(SVC(C=3, tol=1e-4, max_iter=5000, kernel="linear").fit(X, y).to_bytes())
    assert (loaded.C, loaded.tol, loaded.max_iter, loaded.kernel) == (3, 1e-4, 5000, "linear")
    np.testing.assert_array_equal(loaded.fit(X, y).predict(X), SVC(C=3, kernel="linear").fit(X, y).predict(X))


# The fit chooses a value for these, and a file holds the choice.
LEFT_TO_THE_FIT = (None, "auto", "automatic")


def test_parameters_of_the_engine_come_back_from_files(case):
    model, X = case
    loaded = type(model).from_bytes(model.to_bytes())
    for name in parameters_of(type(model)).options:
        given = getattr(model, name)
        assert given in LEFT_TO_THE_FIT or getattr(loaded, name) == given, name
    y = X[:, 0] if type(model) in REGRESSORS else load_iris(return_X_y=True)[1]
    loaded.fit(X, y)


@pytest.mark.parametrize(
    "model",
    [
        KernelPCA(n_components=10),
        KernelPCA(),
        svm.LinearSVC(fit_intercept=False),
        svm.LinearSVC(multi_class="crammer_singer", loss="hinge"),
        neighbors.NeighborsDensity(),
        neighbors.KernelDensity(kernel="tophat", algorithm="kd_tree"),
        smoothing.LocalRegression(degree=1),
    ],
    ids=repr,
)
def test_parameters_come_back_from_files_of_the_program(model):
    X, y = load_iris(return_X_y=True)
    model.fit(X[::3], y[::3])
    bare = type(model).from_bytes(model._fitted.to_bytes())  # as the program writes it: no parameters beside the model
    names = {"tophat": "boxcar"}
    for name in parameters_of(type(model)).options:
        given = getattr(model, name)
        assert given in LEFT_TO_THE_FIT or getattr(bare, name) == names.get(given, given), name
    for name in ("fit_intercept", "n_components", "multi_class"):
        assert getattr(bare, name, None) == getattr(model, name, None)
    bare.fit(X[::3], y[::3])


def test_labels_come_back_from_files():
    X, y = load_iris(return_X_y=True)
    for labels in (
        np.array(["x", "y", "z"]),
        np.array(["caf\udce9", "x", "\xe9"]),
        np.array([3, 5, 7]),
        np.array([1.0, 2.0, 5e9]),
    ):
        loaded = SVC.from_bytes(SVC().fit(X, labels[y]).to_bytes())
        np.testing.assert_array_equal(loaded.predict(X), SVC().fit(X, labels[y]).predict(X))
        np.testing.assert_array_equal(loaded.classes_, labels)


def test_precomputed_kernels_sparse_rows_and_functions():
    X, y = load_iris(return_X_y=True)
    gram = X @ X.T
    given = SVC(kernel="precomputed").fit(gram, y)
    np.testing.assert_array_equal(SVC.from_bytes(given.to_bytes()).predict(gram), given.predict(gram))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(given)).predict(gram), given.predict(gram))
    rows = scipy.sparse.csr_matrix(X)
    sparse = SVC().fit(rows, y)
    np.testing.assert_array_equal(SVC.from_bytes(sparse.to_bytes()).predict(rows), sparse.predict(rows))
    function = SVC(kernel=np.inner).fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(function)).predict(X), function.predict(X))


def test_a_file_of_another_model_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"'svc'.*'nusvc'"):
        SVC.from_bytes(svm.NuSVC(nu=0.3).fit(X, y).to_bytes())
    with pytest.raises(ValueError, match="no model file, or cut short"):
        SVC.from_bytes(b"not a model")


def assert_same_after_a_file(model, X, tmp_path, **options):
    model.save(tmp_path / "model.mercer")
    assert (tmp_path / "model.mercer").read_bytes() == model.to_bytes()
    loaded = type(model).load(tmp_path / "model.mercer", **options)
    assert_same(model, loaded, X)
    assert_same(model, type(model).from_bytes(loaded.to_bytes(), **options), X)
    return loaded


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_files_of_several_penalties(kernel, tmp_path):
    X, _ = load_iris(return_X_y=True)
    model = KernelRidge(alpha=[1, 0.1, 1, 3], kernel=kernel, parametric="constant").fit(X, X**2)
    loaded = assert_same_after_a_file(model, X, tmp_path)
    np.testing.assert_array_equal(loaded.alpha, [1, 0.1, 1, 3])
    for name in ("alpha_", "intercept_", "dual_coef_"):
        if hasattr(loaded, name):
            np.testing.assert_array_equal(getattr(loaded, name), getattr(model, name))
    assert hasattr(loaded, "dual_coef_") == (kernel == "rbf")
    np.testing.assert_array_equal(loaded.fit(X, X**2).predict(X), model.predict(X))
    with zipfile.ZipFile(tmp_path / "model.mercer") as archive:
        assert archive.namelist() == ["estimator.json", "model-1.mercer", "model-2.mercer", "model-3.mercer"]
        part = KernelRidge.from_bytes(archive.read("model-1.mercer"))
    np.testing.assert_array_equal(part.predict(X), model.predict(X)[:, 1])


def test_files_of_several_normalized_targets(tmp_path):
    X, _ = load_iris(return_X_y=True)
    model = GaussianProcessRegressor("rbf(lengthscale=1)", normalize_y=True, alpha=1).fit(X, 100 * X)
    loaded = assert_same_after_a_file(model, X, tmp_path)
    np.testing.assert_array_equal(loaded.predict(X, return_std=True)[1], model.predict(X, return_std=True)[1])
    np.testing.assert_array_equal(loaded.predict_quantiles(X), model.predict_quantiles(X))
    assert loaded.normalize_y
    assert loaded.alpha == 1


@pytest.mark.parametrize("multi_class", ["one_vs_rest", "one_vs_one"])
def test_files_of_binary_gaussian_processes(multi_class, tmp_path):
    X, y = load_iris(return_X_y=True)
    labels = np.array(["setosa", "versicolor", "virginica"])
    model = GaussianProcessClassifier("rbf(lengthscale=1)", multi_class=multi_class, optimizer=None).fit(X, labels[y])
    model.save(tmp_path / "model.mercer")
    loaded = GaussianProcessClassifier.load(tmp_path / "model.mercer")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    if multi_class == "one_vs_rest":
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(loaded.classes_, labels)
    assert (loaded.multi_class, loaded.n_features_in_, loaded.optimizer) == (multi_class, 4, None)
    assert loaded.log_marginal_likelihood() == model.log_marginal_likelihood()
    assert loaded.to_bytes() == model.to_bytes()
    np.testing.assert_array_equal(clone(loaded).fit(X, y).predict(X), model.fit(X, y).predict(X))


WITH_FUNCTIONS = [svm.SVC, svm.SVR, svm.OneClassSVM, svm.LeastSquaresSVC, KernelRidge, KernelPCA, ClassMeanClassifier]


@pytest.mark.parametrize("cls", WITH_FUNCTIONS, ids=called)
def test_files_of_kernels_that_are_functions(cls, tmp_path):
    X, y = load_iris(return_X_y=True)
    model = cls(kernel=np.inner).fit(X, y)
    loaded = assert_same_after_a_file(model, X, tmp_path, kernel=np.inner)
    assert loaded.kernel is np.inner
    assert loaded.n_features_in_ == 4
    with pytest.raises(ValueError, match=r"numpy\.inner.*kernel=.*pickle"):
        cls.load(tmp_path / "model.mercer")
    with pytest.raises(ValueError, match="holds its kernel"):
        SVC.from_bytes(SVC().fit(X, y).to_bytes(), kernel=np.inner)


def sparse_inner(x, y):
    return (x @ y.T).toarray()


def test_files_of_functions_of_sparse_rows_and_of_several_penalties(tmp_path):
    X, y = load_iris(return_X_y=True)
    rows = scipy.sparse.csr_matrix(X)
    assert_same_after_a_file(SVC(kernel=sparse_inner).fit(rows, y), rows, tmp_path, kernel=sparse_inner)
    model = KernelRidge(alpha=[1, 2, 1, 4], kernel=functools.partial(rbf_kernel, gamma=0.1)).fit(X, X)
    assert_same_after_a_file(model, X, tmp_path, kernel=functools.partial(rbf_kernel, gamma=0.1))


def repacked(data, change):
    """An archive with other members."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def test_damaged_archives_are_refused():
    X, y = load_iris(return_X_y=True)
    several = KernelRidge(alpha=[1, 0.1, 1, 3]).fit(X, X).to_bytes()
    function = KernelRidge(kernel=np.inner).fit(X, y).to_bytes()

    def header(members, **changes):
        members["estimator.json"] = json.dumps({**json.loads(members["estimator.json"]), **changes}).encode()

    def record(members, **changes):
        header(members, record={**json.loads(members["estimator.json"])["record"], **changes})

    def facts(members, **changes):
        record(members, facts={**json.loads(members["estimator.json"])["record"]["facts"], **changes})

    huge = (
        b"\x93NUMPY\x01\x00\x76\x00"
        + b"{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000, 1), }".ljust(117)
    )
    changes = [
        ("estimator.json is missing or damaged", lambda members: members.pop("estimator.json")),
        (r"it has \['model-3\.mercer'\]", lambda members: members.pop("model-2.mercer")),
        ("must hold model-1.mercer", lambda members: members.pop("model-1.mercer")),
        (
            "no model file, or cut short",
            lambda members: members.update({"model-2.mercer": members["model-2.mercer"][:100]}),
        ),
        (r"it has \['more\.txt'\]", lambda members: members.update({"more.txt": b"?"})),
        ("version 3; this reads", lambda members: header(members, version=3)),
        ("the archive is 'other'", lambda members: header(members, format="other")),
        ("cannot be made from a file of SVC", lambda members: record(members, estimator="SVC")),
        ("targets do not fit", lambda members: facts(members, targets=["0,2", "1,7", "3"])),
        ("'targets' must be a list of str", lambda members: facts(members, targets=3)),
        ("estimator.json is missing or damaged", lambda members: record(members, facts=None)),
        ("estimator.json is missing or damaged", lambda members: members.update({"estimator.json": b"[" * 100_000})),
    ]
    for words, change in changes:
        with pytest.raises(ValueError, match=words):
            KernelRidge.from_bytes(repacked(several, change))
    for content in (b"", huge + b"\n", function[:200]):
        with pytest.raises(ValueError, match=r"array 'rows\.npy' is damaged"):
            KernelRidge.from_bytes(repacked(function, lambda m, c=content: m.update({"rows.npy": c})), kernel=np.inner)
    with pytest.raises(ValueError, match="training rows are missing"):
        KernelRidge.from_bytes(repacked(function, lambda members: members.pop("rows.npy")), kernel=np.inner)
    for length in (5, 100, len(several) // 2, len(several) - 30):
        with pytest.raises(ValueError, match="the archive is damaged"):
            KernelRidge.from_bytes(several[:length])
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("estimator.json", b" " * 100_000)
    with pytest.raises(ValueError, match="without compression"):
        KernelRidge.from_bytes(stream.getvalue())


def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path):
    X, _ = load_iris(return_X_y=True)
    model = KernelRidge(alpha=[1, 0.1, 1, 3]).fit(X, X)
    (tmp_path / "model.mercer").mkdir()
    with pytest.raises(IsADirectoryError, match=r"model\.mercer"):
        model.save(tmp_path / "model.mercer")
    assert os.listdir(tmp_path) == ["model.mercer"]


def test_several_targets_come_back():
    X, _ = load_iris(return_X_y=True)
    model = KernelRidge(kernel="rbf").fit(X, X)
    np.testing.assert_array_equal(KernelRidge.from_bytes(model.to_bytes()).predict(X), model.predict(X))


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_replaced_archive_keeps_its_mode_through_a_link(tmp_path, mode):
    target, link = tmp_path / "real.mercer", tmp_path / "link.mercer"
    target.write_bytes(b"old")
    target.chmod(mode)
    link.symlink_to("real.mercer")
    replace_file(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == mode
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.mercer", "real.mercer"]


def test_a_new_archive_has_the_mode_of_the_mask(tmp_path):
    (tmp_path / "link").symlink_to("later")
    mask = os.umask(0o027)
    try:
        replace_file(tmp_path / "link", b"new")
    finally:
        os.umask(mask)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "later").stat().st_mode & 0o777 == 0o640


def test_an_archive_is_not_put_in_the_place_of_a_device_or_folder(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        replace_file(pipe, b"new")
        assert os.read(reader, 10) == b"new"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    with pytest.raises(IsADirectoryError):
        replace_file(tmp_path, b"new")
