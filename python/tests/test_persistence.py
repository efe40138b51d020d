"""Pickles, copies and model files."""

import copy
import pickle

import joblib
import numpy as np
import pytest
import scipy.sparse
from estimator_list import ALL, REGRESSORS, called
from sklearn.datasets import load_iris, make_regression

from mercer import svm
from mercer.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from mercer.kernel_ridge import KernelRidge
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
    names = ("predict", "decision_function", "predict_proba")
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
    assert (loaded.C, loaded.tol, loaded.max_iter, loaded.kernel) == (3, 1e-4, 5000, "linear()")
    np.testing.assert_array_equal(loaded.fit(X, y).predict(X), SVC(C=3, kernel="linear").fit(X, y).predict(X))


def test_labels_come_back_from_files():
    X, y = load_iris(return_X_y=True)
    for labels in (np.array(["x", "y", "z"]), np.array([3, 5, 7]), np.array([1.0, 2.0, 5e9])):
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
    with pytest.raises(ValueError, match="pickle"):
        function.to_bytes()


def test_a_file_of_another_model_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"'svc'.*'nusvc'"):
        SVC.from_bytes(svm.NuSVC(nu=0.3).fit(X, y).to_bytes())
    with pytest.raises((ValueError, OSError)):
        SVC.from_bytes(b"not a model")


def test_files_that_cannot_hold_a_model_say_so():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="softmax"):
        GaussianProcessClassifier().fit(X, y).to_bytes()
    with pytest.raises(ValueError, match="pickle"):
        GaussianProcessRegressor("rbf(lengthscale=1)", normalize_y=True, alpha=1).fit(X, X).to_bytes()


def test_several_targets_come_back():
    X, _ = load_iris(return_X_y=True)
    model = KernelRidge(kernel="rbf").fit(X, X)
    np.testing.assert_array_equal(KernelRidge.from_bytes(model.to_bytes()).predict(X), model.predict(X))
