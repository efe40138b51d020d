"""Tables that mix numbers, a category and a DNA sequence: from Python, and with the program's model files."""

import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

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
