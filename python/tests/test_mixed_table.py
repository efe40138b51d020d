"""Tables that mix numbers, a category and a DNA sequence: from Python, and with the program's model files."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from mercer._samples import as_samples
from mercer.gaussian_process import GaussianProcessClassifier
from mercer.kernel_ridge import KernelRidge
from mercer.svm import SVC

ROOT = Path(__file__).resolve().parents[2]
PATIENTS = ROOT / "examples" / "data" / "patients.csv"
PROGRAM = ROOT / "build" / "release" / "mercer"
KERNEL = (
    "normalize(spectrum(k=4))[sequence] + 0.5*rbf(gamma=0.01)[age] + if_present(rbf(gamma=0.1))[bmi] + 0.2*delta()[sex]"
)


@pytest.fixture
def patients():
    frame = pd.read_csv(PATIENTS)
    frame["sex"] = frame["sex"].astype("category")
    return frame.drop(columns="outcome"), frame["outcome"]


def test_a_frame_of_all_kinds_is_learnt(patients):
    X, y = patients
    scores = cross_val_score(SVC(kernel=KERNEL, C=10), X, y, cv=5)
    assert scores.mean() > 0.75
    model = SVC(kernel=KERNEL, C=10).fit(X, y)
    assert (clone(model).fit(X, y).predict(X) == model.predict(X)).all()


def test_several_models_take_it(patients):
    X, y = patients
    truth = (y == "ill").to_numpy() * 2.0 - 1
    assert np.mean(np.sign(KernelRidge(kernel=KERNEL, alpha=0.1).fit(X, truth).predict(X)) == truth) > 0.95
    assert GaussianProcessClassifier(kernel=KERNEL, optimizer=None).fit(X, y).score(X, y) > 0.9


def test_polars_gives_the_same(patients):
    polars = pytest.importorskip("polars")
    X, y = patients
    other = polars.from_pandas(X.assign(sex=X["sex"].astype(str))).with_columns(
        polars.col("sex").cast(polars.Categorical)
    )
    expected = SVC(kernel=KERNEL, C=10).fit(X, y).decision_function(X)
    found = SVC(kernel=KERNEL, C=10).fit(other, y).decision_function(other)
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")
@pytest.mark.parametrize("command", ["fit", "tune"])
def test_a_model_of_the_program_predicts_the_same_here(patients, tmp_path, command):
    X, _ = patients
    file = tmp_path / "m.mercer"
    kernel = KERNEL.replace("gamma=0.01", "gamma=0.1..10") if command == "tune" else KERNEL
    subprocess.run(
        [PROGRAM, command, "svc", PATIENTS, "--target", "outcome", "-k", kernel, "--set", "C=10", "-q", "-o", file],
        check=True,
        capture_output=True,
    )
    printed = subprocess.run([PROGRAM, "predict", file, PATIENTS], check=True, capture_output=True, text=True).stdout
    expected = [line.split(",")[0] for line in printed.splitlines()[1:]]
    model = SVC.load(file)
    assert list(model.predict(X)) == expected
    assert list(model.predict(X[["sequence", "sex", "bmi", "age"]])) == expected


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")
def test_a_numeric_table_of_the_program_takes_frames_and_arrays(tmp_path):
    iris = ROOT / "examples" / "data" / "iris.csv"
    file = tmp_path / "iris.mercer"
    subprocess.run(
        [PROGRAM, "fit", "svc", iris, "--target", "species", "-q", "-o", file], check=True, capture_output=True
    )
    frame = pd.read_csv(iris).drop(columns="species")
    model = SVC.load(file)
    from_frame = model.predict(frame)
    assert (model.predict(frame[frame.columns[::-1]]) == from_frame).all()
    assert (model.predict(frame.to_numpy()) == from_frame).all()
    with pytest.raises(ValueError, match="missing here: petal_width"):
        model.predict(frame.drop(columns="petal_width"))


def test_columns_are_chosen_by_name(patients, tmp_path):
    X, y = patients
    model = SVC(kernel=KERNEL, C=10).fit(X, y)
    model.save(tmp_path / "m.mercer")
    other = X[["sequence", "sex", "bmi", "age"]].assign(comment="new", weight=1.0)
    for fitted in (model, SVC.load(tmp_path / "m.mercer")):
        np.testing.assert_array_equal(fitted.decision_function(other), model.decision_function(X))
        with pytest.raises(ValueError, match=r"feature names should match.*missing here: bmi, sex"):
            fitted.predict(X.drop(columns=["sex", "bmi"]))


def test_a_matrix_with_names_is_checked_as_in_scikit_learn(patients):
    X, y = patients
    numbers = X[["age"]].assign(double=2 * X["age"])
    model = SVC().fit(numbers, y)
    for other in (numbers[["double", "age"]], numbers.assign(more=1.0), numbers.assign(more="text")):
        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(other)


def word_sets(n=80):
    generator = np.random.default_rng(0)
    words = np.array(["red", "round", "small", "heavy", "old", "3", "café"])
    rows = [{str(word) for word in words[generator.random(7) < 0.4]} for _ in range(n)]
    return rows, ["yes" if ("red" in row) != ("old" in row) else "no" for row in rows]


def answers(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[1:]


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_sets_of_words_of_the_program(tmp_path, form):
    rows, labels = word_sets()
    new = [*rows[:30], {"never", "seen", "red"}, {"never", "old"}, set()]

    def write(name, rows, labels):
        pairs = list(zip(rows, labels, strict=True))
        if form == "csv":
            lines = ["tags,label", *(f"{';'.join(sorted(row))},{label}" for row, label in pairs)]
        else:
            lines = [json.dumps({"tags": sorted(row), "label": label}) for row, label in pairs]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return tmp_path / name

    train, test = write(f"train.{form}", rows, labels), write(f"test.{form}", new, ["yes"] * len(new))
    file = tmp_path / "m.mercer"
    sets = ["--sets", "tags"] if form == "csv" else []
    kernel = ["-k", "jaccard()", "--set", "C=10"]
    subprocess.run(
        [PROGRAM, "fit", "svc", train, "--target", "label", *sets, *kernel, "-q", "-o", file],
        check=True,
        capture_output=True,
    )
    expected = [float(line.split(",")[-1]) for line in answers([PROGRAM, "predict", file, test, "--decision"])]
    model = SVC.load(file)
    for X in (new, pd.DataFrame({"tags": new})):
        np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-9, atol=1e-12)
    assert model.score(rows, labels) > 0.9
    support = [row["tags"] for row in model.support_vectors_]
    assert set(support) <= {frozenset(row) for row in rows}
    with pytest.raises(ValueError, match="3 of type int where the model was fitted on words"):
        model.predict([{3}])


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")
def test_graphs_of_words_of_the_program(tmp_path):
    generator = np.random.default_rng(1)
    graphs = []
    for _ in range(60):
        nodes = [str(label) for label in generator.choice(["C", "N", "O"], size=4)]
        edges = [[i, j, str(generator.choice(["single", "double"]))] for i in range(4) for j in range(i)]
        graphs.append({"nodes": nodes, "edges": edges})
    labels = ["yes" if graph["nodes"].count("C") > 1 else "no" for graph in graphs]
    train, file = tmp_path / "graphs.jsonl", tmp_path / "m.mercer"
    lines = [json.dumps({"g": graph, "label": label}) for graph, label in zip(graphs, labels, strict=True)]
    train.write_text("\n".join(lines) + "\n")
    kernel = ["-k", "weisfeiler_lehman()"]
    subprocess.run(
        [PROGRAM, "fit", "svc", train, "--target", "label", *kernel, "-q", "-o", file], check=True, capture_output=True
    )
    expected = [float(line.split(",")[-1]) for line in answers([PROGRAM, "predict", file, train, "--decision"])]
    model = SVC.load(file)
    np.testing.assert_allclose(model.decision_function(graphs), expected, rtol=1e-9)
    centers = [row["g"] for row in model.support_vectors_]
    assert all(set(graph["nodes"]) <= {"C", "N", "O"} for graph in centers)
    np.testing.assert_allclose(
        model.decision_function(centers)[0],
        model.decision_function([graphs[model.support_[0]]])[0],
        rtol=1e-9,
    )


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")
def test_the_program_takes_sets_of_words_of_a_frame(tmp_path):
    rows, labels = word_sets()
    frame = pd.DataFrame({"tags": rows})
    model = SVC(kernel="jaccard()[tags]", C=10).fit(frame, labels)
    new = [*rows[:30], {"never", "seen", "red"}, set()]
    data, file = tmp_path / "new.jsonl", tmp_path / "m.mercer"
    data.write_text("\n".join(json.dumps({"tags": sorted(row)}) for row in new) + "\n", encoding="utf-8")
    model.save(file)
    printed = [float(line.split(",")[-1]) for line in answers([PROGRAM, "predict", file, data, "--decision"])]
    loaded = SVC.load(file)
    for X in (new, pd.DataFrame({"tags": new})):
        np.testing.assert_allclose(model.decision_function(X), printed, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    assert loaded.support_vectors_[0]["tags"] == frozenset(frame["tags"].iloc[model.support_[0]])


def test_words_in_a_frame_are_never_merged():
    known, pair = {}, None
    for number in range(200_000):
        (code,) = as_samples([{f"w{number}"}]).to_python()[0]
        if code in known:
            pair = {known[code]}, {f"w{number}"}
            break
        known[code] = f"w{number}"
    assert pair is not None  # the hash of lists merges these two
    frame, y = pd.DataFrame({"tags": [*pair] * 4}), [0.0, 1.0] * 4
    assert KernelRidge(kernel="jaccard()[tags]", alpha=1e-6).fit(frame, y).predict(frame)[:2] == pytest.approx(
        [0, 1], abs=1e-3
    )
    numbers = pd.DataFrame({"tags": [{1, 2}, {3}] * 4})
    assert KernelRidge(kernel="jaccard()[tags]", alpha=1e-6).fit(numbers, y).score(numbers, y) > 0.99


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")
def test_missing_categories_are_one_level_and_if_present_sees_them(tmp_path):
    sex = ["f", None, "m", None, "f", "m"]
    target = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    frame = pd.DataFrame({"sex": pd.Categorical(sex)})
    texts = tmp_path / "table.csv"
    pd.DataFrame({"sex": ["" if value is None else value for value in sex], "y": target}).to_csv(texts, index=False)
    for kernel in ("delta()[sex]", "if_present(delta(), weight=0.25)[sex]"):
        equal = np.array([[a == b for b in sex] for a in sex], dtype=float)
        if "if_present" in kernel:
            missing = np.array([value is None for value in sex])
            equal[np.ix_(missing, missing)] = 0.25
        expected = equal @ np.linalg.solve(equal + np.eye(6), target)
        np.testing.assert_allclose(KernelRidge(alpha=1, kernel=kernel).fit(frame, target).predict(frame), expected)
        model = tmp_path / "model.mercer"
        subprocess.run(
            [PROGRAM, "fit", "ridge", texts, "--target", "y", "-k", kernel, "--set", "lambda=1", "-q", "-o", model],
            check=True,
            capture_output=True,
        )
        printed = subprocess.run([PROGRAM, "predict", model, texts], check=True, capture_output=True, text=True).stdout
        answers = [float(line.split(",")[0]) for line in printed.splitlines()[1:]]
        np.testing.assert_allclose(KernelRidge.load(model).predict(frame), answers)
        assert answers[1] == answers[3] != answers[2]
