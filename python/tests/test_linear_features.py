"""Linear machines on the explicit features of kernels: the kernel's machine, names, weights, profiles, files."""

import pickle
import subprocess
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from mercer.kernels import RBF, Spectrum
from mercer.svm import SVC, LinearSVC, LinearSVR

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "release" / "mercer"


def sequences(n=80, seed=0):
    """Random DNA; those of class 1 hold the word GATTACA."""
    generator = np.random.default_rng(seed)
    texts = ["".join(generator.choice(list("ACGT"), size=30)) for _ in range(n)]
    y = np.arange(n) % 2
    return [text[:10] + "GATTACA" + text[17:] if label else text for text, label in zip(texts, y, strict=True)], y


@pytest.mark.parametrize("kernel", ["spectrum(k=3)", "normalize(weighted_degree(degree=4))"])
def test_it_is_the_machine_of_the_kernel(kernel):
    X, y = sequences()
    linear = LinearSVC(loss="hinge", kernel=kernel, intercept="exact", tol=1e-9, max_iter=100000).fit(X, y)
    machine = SVC(kernel=kernel, tol=1e-9).fit(X, y)
    fresh, _ = sequences(20, seed=1)
    np.testing.assert_allclose(linear.decision_function(fresh), machine.decision_function(fresh), atol=1e-3)


def test_it_lives_in_scikit_learn():
    X, y = sequences(120)
    model = LinearSVC(kernel=Spectrum(k=4), C=0.1)
    assert cross_val_score(model, X, y, cv=4).mean() > 0.9
    model.fit(X, y)
    for other in (pickle.loads(pickle.dumps(model)), clone(model).fit(X, y)):
        np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))


def test_weights_have_names(tmp_path):
    X, y = sequences(200)
    model = LinearSVC(kernel="spectrum(k=4)").fit(X, np.where(y, "site", "none"))
    names = [name for name, _ in model.top_features(6)]
    assert len({"GATT", "ATTA", "TTAC", "TACA"} & set(names)) >= 3
    assert model.coef_.shape == (1, len(model.feature_names_))
    assert model.top_features(1)[0] == (model.feature_names_[0], model.coef_[0, 0])
    model.save(tmp_path / "m.mercer")
    loaded = LinearSVC.load(tmp_path / "m.mercer")
    assert loaded.top_features() == model.top_features()
    assert loaded.kernel.startswith("spectrum(k=4")
    np.testing.assert_array_equal(loaded.fit(X, y).predict(X), y)


def test_values_are_weights_times_counts():
    X, y = sequences()
    model = LinearSVC(kernel="spectrum(k=2)").fit(X, y)
    counts = [[sum(x.startswith(name, at) for at in range(len(x))) for name in model.feature_names_] for x in X]
    np.testing.assert_allclose(np.array(counts) @ model.coef_[0] + model.intercept_, model.decision_function(X))


def test_profiles_sum_to_values():
    X, y = sequences()
    model = LinearSVC(kernel="spectrum(k=3)").fit(X, y)
    profiles = model.profile(X)
    assert [len(profile) for profile in profiles] == [len(text) for text in X]
    np.testing.assert_allclose([p.sum() for p in profiles] + model.intercept_, model.decision_function(X))
    assert profiles[1][10:17].sum() > np.abs(profiles[1][17:]).sum() / 2
    assert model.profile(["AC"])[0].tolist() == [0, 0]


def test_profiles_are_by_character():
    model = LinearSVC(kernel="spectrum(k=2)").fit(["naïve", "café", "plain", "text"], [1, 1, 0, 0])
    for text, profile in zip(["naïve", "日本"], model.profile(["naïve", "日本"]), strict=True):
        assert profile.shape == (len(text),)
        assert profile.sum() + model.intercept_[0] == pytest.approx(model.decision_function([text])[0])


def test_several_classes_and_targets():
    X, y = sequences(90)
    three = np.where(np.arange(90) % 3 == 0, 2, y)
    model = LinearSVC(kernel="spectrum(k=2)").fit(X, three)
    assert model.coef_.shape == (3, len(model.feature_names_))
    assert model.profile(X[:2])[0].shape == (30, 3)
    values = [profile.sum(axis=0) for profile in model.profile(X[:5])] + model.intercept_
    np.testing.assert_allclose(values, model.decision_function(X[:5]))
    assert model.top_features(3, machine=2) != model.top_features(3, machine=1)
    with pytest.raises(ValueError, match="machine=3: there are 3"):
        model.top_features(machine=3)
    target = np.array([text.count("A") for text in X], dtype=float)
    regression = LinearSVR(kernel="spectrum(k=1)", C=100).fit(X, target)
    assert regression.score(X, target) > 0.99
    assert regression.top_features(1)[0][0] == "A"
    assert regression.coef_.shape == regression.feature_names_.shape


def test_tables_sets_and_graphs():
    pandas = pytest.importorskip("pandas")
    X, y = sequences()
    frame = pandas.DataFrame({"age": np.arange(80.0) / 80, "first": X, "second": X[::-1]})
    model = LinearSVC(kernel="spectrum(k=3)[first] + spectrum(k=2)[second] + linear()[age]").fit(frame, y)
    assert {"age", "first:GAT", "second:GA"} <= set(model.feature_names_)
    assert len(model.profile(frame, column="second")[0]) == 30
    with pytest.raises(ValueError, match="'first', 'second'"):
        model.profile(frame)
    sets = [{1, 2} if label else {2, 3} for label in y]
    machine = LinearSVC(kernel="set_intersection()").fit(sets, y)
    assert machine.score(sets, y) == 1
    with pytest.raises(ValueError, match="need a kernel on sequences"):
        machine.profile(sets)
    graphs = [{"nodes": [0, 1] if label else [1, 1], "edges": [[0, 1]]} for label in y]
    assert LinearSVC(kernel="weisfeiler_lehman()").fit(graphs, y).score(graphs, y) == 1


def test_vectors_have_names_too():
    pandas = pytest.importorskip("pandas")
    X = np.random.default_rng(0).normal(size=(50, 3))
    y = X[:, 1] > 0
    assert LinearSVC().fit(X, y).top_features(1)[0][0] == "x1"
    assert LinearSVC().fit(pandas.DataFrame(X, columns=list("abc")), y).top_features(1)[0][0] == "b"


def test_other_kernels_are_refused():
    _, y = sequences(20)
    with pytest.raises(ValueError, match="explicit features"):
        LinearSVC(kernel=RBF(gamma=1)).fit(np.eye(20), y)
    for kernel in ("precomputed", np.inner):
        with pytest.raises(ValueError, match="takes kernels with explicit features"):
            LinearSVC(kernel=kernel).fit(np.eye(20), y)
    with pytest.raises(ValueError, match="need a kernel on sequences"):
        LinearSVC().fit(np.eye(20), y).profile(np.eye(20))


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")
def test_a_model_of_the_program_has_names(tmp_path):
    X, y = sequences()
    X[0] = "caf\udce9" + X[0]  # Latin-1
    data, file = tmp_path / "data.csv", tmp_path / "m.mercer"
    lines = [f"{text},{'site' if label else 'none'}" for text, label in zip(X, y, strict=True)]
    data.write_bytes("\n".join(["sequence,kind", *lines]).encode("utf-8", "surrogateescape"))
    command = [PROGRAM, "fit", "linearsvc", data, "--target", "kind", "--text", "sequence", "-k", "spectrum(k=3)"]
    subprocess.run([*command, "-q", "-o", file], check=True, capture_output=True)
    printed = subprocess.run([PROGRAM, "weights", file, "--json"], check=True, capture_output=True, text=True).stdout
    model = LinearSVC.load(file)
    names = [name for name, _ in model.top_features(5)]
    assert all(f'"{name}"' in printed for name in names)
    assert model.score(X, np.where(y, "site", "none")) > 0.9
    assert "af\\xe9" in model.feature_names_
    assert len(model.profile(X)[0]) == len(X[0])
