"""Models that were fitted to a frame of numbers, in files: columns have names there, in the program too."""

import pickle
import subprocess

import numpy as np
import pandas as pd
import pytest
from frame_helpers import PROGRAM, needs_program, printed

from mercer import compress
from mercer.gaussian_process import GaussianProcessRegressor
from mercer.kernel_ridge import KernelRidge
from mercer.neighbors import KernelDensity
from mercer.smoothing import LocalRegression, NadarayaWatsonRegressor
from mercer.svm import SVC, SVR, LinearSVR


def numbers(n=80):
    """Rows of numbers, truth values and gaps, and a target."""
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "a": generator.normal(size=n),
            "b": 3 * generator.normal(size=n) + 1,
            "flag": generator.random(n) > 0.5,
            "c": generator.integers(0, 9, n),
        }
    )
    frame.loc[3:6, "a"] = np.nan
    return frame, (frame["b"] - frame["c"] + 2 * frame["flag"]).to_numpy()


def write_in_another_order(frame, file):
    """A CSV file of the frame with its columns in another order, and words beside them."""
    names = list(frame.columns)[::-1]
    frame.assign(word="some words")[[names[0], "word", *names[1:]]].to_csv(file, index=False)
    return file


MODELS = {
    "svr": SVR(),
    "linear svr": LinearSVR(dual=True),
    "ridge": KernelRidge(kernel="rbf(gamma=0.2)", alpha=0.1),
    "gp": GaussianProcessRegressor(kernel="rbf()", alpha=0.1, optimizer=None),
    "loess": LocalRegression(span=0.9, degree=1),
    "nw": NadarayaWatsonRegressor(bandwidth=0.8),
}


@needs_program
@pytest.mark.parametrize("name", MODELS)
def test_the_program_finds_columns_by_name(tmp_path, name):
    frame, y = numbers()
    model = MODELS[name].fit(frame, y)
    file, table = tmp_path / "m.mercer", write_in_another_order(frame, tmp_path / "t.csv")
    model.save(file)
    answers = [float(text) for text in printed(file, table)]
    np.testing.assert_allclose(answers, model.predict(frame), rtol=1e-9, atol=1e-12)
    # Whoever reads the file goes on as the one who wrote it.
    again = type(model).load(file)
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    assert again.to_bytes() == model.to_bytes()
    for estimator in (model, again, pickle.loads(pickle.dumps(model))):
        assert list(estimator.coded_feature_names_) == ["a", "b", "flag", "c", "a is missing"]
        with pytest.raises(ValueError, match="must be in the same order as they were in fit"):
            estimator.predict(frame[["c", "a", "b", "flag"]])


@needs_program
def test_classifiers_densities_and_sparse_frames(tmp_path):
    frame, y = numbers()
    file, table = tmp_path / "m.mercer", write_in_another_order(frame, tmp_path / "t.csv")
    plain = frame[["b", "c"]]
    sparse = plain.astype(pd.SparseDtype("float64", 0.0))
    density = KernelDensity().fit(plain)
    density.save(file)
    np.testing.assert_allclose([float(text) for text in printed(file, table)], density.score_samples(plain), rtol=1e-9)
    again = KernelDensity.load(file)
    np.testing.assert_array_equal(again.score_samples(plain), density.score_samples(plain))
    one = plain[["b"]].to_numpy()
    np.testing.assert_array_equal(again.marginal("b").score_samples(one), density.marginal("b").score_samples(one))
    for rows in (plain, sparse):
        machine = SVC().fit(rows, y > 0)
        machine.save(file)
        decisions = [float(text) for text in printed(file, table, "--decision")]
        np.testing.assert_allclose(decisions, machine.decision_function(rows), rtol=1e-6, atol=1e-9)
        small = compress(machine, 20)
        small.save(file)
        decisions = [float(text) for text in printed(file, table, "--decision")]
        np.testing.assert_allclose(decisions, small.decision_function(rows), rtol=1e-6, atol=1e-9)


@needs_program
def test_models_of_arrays_go_by_position(tmp_path):
    frame, y = numbers()
    plain = frame[["b", "c"]]
    file, table = tmp_path / "m.mercer", tmp_path / "t.csv"
    unnamed = {"array": plain.to_numpy(), "numbered": plain.set_axis([7, 8], axis=1)}
    plain.set_axis(["x", "y"], axis=1).to_csv(table, index=False)
    for name, rows in unnamed.items():
        model = SVR().fit(rows, y)
        model.save(file)
        np.testing.assert_allclose(
            [float(text) for text in printed(file, table)], model.predict(rows), rtol=1e-9, err_msg=name
        )


@needs_program
def test_a_column_that_is_not_there_is_named(tmp_path):
    frame, y = numbers()
    file, table = tmp_path / "m.mercer", tmp_path / "t.csv"
    SVR().fit(frame, y).save(file)
    frame.drop(columns="c").to_csv(table, index=False)
    outcome = subprocess.run([PROGRAM, "predict", file, table], capture_output=True, text=True)
    assert outcome.returncode == 3
    assert "column 'c' is missing" in outcome.stderr


@needs_program
def test_lengths_of_time_are_read_as_pandas_writes_them(tmp_path):
    frame, y = numbers()
    seconds = np.random.default_rng(1).integers(-(10**6), 10**6, len(frame))
    rows = pd.DataFrame({"wait": pd.to_timedelta(seconds, unit="s"), "kind": ["p", "q"] * 40})
    rows.loc[3, "wait"] = pd.NaT
    model = KernelRidge(kernel="rbf(gamma=0.5)").fit(rows, y)
    file, table = tmp_path / "m.mercer", write_in_another_order(rows, tmp_path / "t.csv")
    model.save(file)
    np.testing.assert_allclose([float(text) for text in printed(file, table)], model.predict(rows), rtol=1e-9)


def test_files_of_before_have_no_names_of_columns():
    frame, y = numbers()
    plain = frame[["b", "c"]]
    old = SVR().fit(plain.to_numpy(), y)
    old.feature_names_in_ = np.array(["b", "c"], dtype=object)
    model = SVR.from_bytes(old.to_bytes())
    assert not model._fitted.feature_names
    np.testing.assert_array_equal(model.predict(plain), SVR().fit(plain, y).predict(plain))
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(plain[["c", "b"]])
