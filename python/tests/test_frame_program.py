"""Frames of pandas and CSV files of the program: models give the same on both."""

import datetime
import warnings

import numpy as np
import pandas as pd
import pytest
from frame_helpers import ROOT, fitted_by_program, mixed, needs_program, printed, run
from sklearn.base import clone

from mercer.gaussian_process import GaussianProcessRegressor
from mercer.kernel_ridge import KernelRidge
from mercer.svm import SVC, SVR, LinearSVC

ESTIMATORS = {
    "svc": SVC(C=2),
    "svr": SVR(C=2),
    "gp": GaussianProcessRegressor(kernel="rbf(gamma=0.2)", alpha=0.1, optimizer=None, normalize_y=True),
    "ridge": KernelRidge(kernel="rbf(gamma=0.2)", alpha=0.5),
    "ridge of categories": KernelRidge(kernel="rbf(gamma=0.2)[age] + delta()[job]*linear()[income]", alpha=0.5),
    "svc of matches": SVC(kernel="rbf(gamma=0.2)*hamming()"),
    "linear svc": LinearSVC(dual=True),
}


def answers_of(estimator, X):
    return estimator.decision_function(X) if hasattr(estimator, "decision_function") else estimator.predict(X)


@needs_program
@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_program_gives_the_same_on_the_csv(tmp_path, name):
    frame, label, score = mixed()
    estimator = clone(ESTIMATORS[name])
    classifies = hasattr(estimator, "decision_function")
    y = label if classifies else score
    estimator.fit(frame, y)
    table, file = tmp_path / "table.csv", tmp_path / "model.mercer"
    frame.assign(y=y).to_csv(table, index=False)
    flags = ["--decision"] if classifies else []
    expected = answers_of(estimator, frame)
    # A model of the program, asked by both; the model of Python, asked by the program.
    fitted_by_program(estimator, table, "y", file)
    np.testing.assert_allclose([float(value) for value in printed(file, table, *flags)], expected, rtol=1e-5, atol=1e-6)
    loaded = type(estimator).load(file)
    np.testing.assert_allclose(answers_of(loaded, frame), expected, rtol=1e-5, atol=1e-6)
    estimator.save(file)
    np.testing.assert_allclose([float(value) for value in printed(file, table, *flags)], expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(answers_of(type(estimator).load(file), frame), expected)


@needs_program
@pytest.mark.parametrize("kernel", ["rbf(gamma=scale)", "linear()"])
def test_patients(tmp_path, kernel):
    patients = ROOT / "examples" / "data" / "patients.csv"
    frame = pd.read_csv(patients)
    X, y = frame.drop(columns="outcome"), frame["outcome"]
    with pytest.warns(UserWarning, match=r"SVC: left out: sequence \(unique\)"):
        model = SVC(kernel=kernel).fit(X, y)
    file = fitted_by_program(model, patients, "outcome", tmp_path / "m.mercer")
    expected = [float(value) for value in printed(file, patients, "--decision")]
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-5, atol=1e-6)
    assert printed(file, patients, column=0) == list(model.predict(X))
    assert model.fit_report_["columns"].startswith("4 columns: 2 numbers, 1 category (2 levels); missing: bmi ")


@needs_program
def test_a_frame_of_numbers_with_gaps_is_that_of_the_program_without_scaling(tmp_path):
    frame, _, score = mixed()
    numbers = frame[["age", "income"]].assign(income=frame["income"] / 1e4)
    model = SVR().fit(numbers, score)
    table, file = tmp_path / "table.csv", tmp_path / "m.mercer"
    numbers.assign(y=score).to_csv(table, index=False)
    settings = [
        part for name, value in model._fitted.settings().items() if value for part in ("--set", f"{name}={value}")
    ]
    kernel = model._fitted.requested_kernel
    run("fit", "svr", table, "-t", "y", "--scale", "none", "-k", kernel, *settings, "-q", "-o", file)
    expected = [float(value) for value in printed(file, table)]
    np.testing.assert_allclose(model.predict(numbers), expected, rtol=1e-5, atol=1e-6)
    model.save(file)
    printed_now = [float(value) for value in printed(file, table, "-t", "y", column=0)]
    np.testing.assert_allclose(printed_now, model.predict(numbers), rtol=1e-9)


@needs_program
def test_truth_values_and_dates_of_a_file(tmp_path):
    frame, _, score = mixed(60)
    when = pd.date_range("2019-12-25", periods=60, freq="53h")
    frame = frame.assign(member=frame["age"].fillna(0) > 40, day=when.normalize(), moment=when)
    table, file = tmp_path / "table.csv", tmp_path / "m.mercer"
    frame.assign(y=score).to_csv(table, index=False)
    model = KernelRidge(kernel="rbf(gamma=0.1)", alpha=0.1).fit(frame, score)
    file = fitted_by_program(model, table, "y", file)
    kinds = {name: kind for name, kind, _ in KernelRidge.load(file)._fitted.schema}
    assert [kinds[name] for name in ("member", "day", "moment")] == ["categorical", "numeric", "numeric"]
    expected = [float(value) for value in printed(file, table)]
    np.testing.assert_allclose(model.predict(frame), expected, rtol=1e-6)
    np.testing.assert_allclose(KernelRidge.load(file).predict(frame), expected, rtol=1e-9)
    texts = pd.read_csv(table).drop(columns="y")  # dates are texts now
    np.testing.assert_allclose(KernelRidge.load(file).predict(texts), expected, rtol=1e-9)
    model.save(file)
    np.testing.assert_allclose([float(value) for value in printed(file, table)], expected, rtol=1e-6)


LEVELS = {
    "floats": [1.0, 2.5, 3.0],
    "integers": [1, 2, 3],
    "extremes": [1e20, 2.0, 3e-7],
    "days": list(pd.to_datetime(["2020-01-01", "2020-01-02", "2021-05-05"])),
    "moments": list(pd.to_datetime(["2020-01-01 00:00", "2020-01-02 12:30", "2021-05-05 00:00"])),
    "dates": [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2), datetime.date(2021, 5, 5)],
    "truth values": [True, False, True],
}


@needs_program
@pytest.mark.parametrize("name", LEVELS)
def test_levels_that_are_no_words(tmp_path, name):
    frame, _, score = mixed(60)
    frame = frame[["income"]].assign(level=pd.Categorical(LEVELS[name] * 20))
    table, file = tmp_path / "table.csv", tmp_path / "m.mercer"
    frame.assign(y=score).to_csv(table, index=False)
    model = KernelRidge(kernel="rbf(gamma=0.1)", alpha=0.1).fit(frame, score)
    run("fit", "ridge", table, "-t", "y", "--categorical", "level", "-q", "-o", file)
    assert list(KernelRidge.load(file).coded_feature_names_) == list(model.coded_feature_names_)
    model.save(file)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rows in (frame, frame.assign(level=LEVELS[name] * 20)):
            np.testing.assert_allclose([float(value) for value in printed(file, table)], model.predict(rows), rtol=1e-9)


@needs_program
@pytest.mark.parametrize("kernel", ["rbf(gamma=0.2)[income, member]", "linear()[member] + rbf(gamma=0.2)[income]"])
def test_truth_values_that_a_kernel_on_vectors_names(tmp_path, kernel):
    frame, _, score = mixed(60)
    frame = frame.assign(member=[True, False, False] * 20)
    table, file = tmp_path / "table.csv", tmp_path / "m.mercer"
    frame.assign(y=score).to_csv(table, index=False)
    model = KernelRidge(kernel=kernel, alpha=0.1).fit(frame, score)
    fitted_by_program(model, table, "y", file)
    np.testing.assert_allclose([float(value) for value in printed(file, table)], model.predict(frame), rtol=1e-6)
    np.testing.assert_allclose(KernelRidge.load(file).predict(frame), model.predict(frame), rtol=1e-6)


@needs_program
def test_parts_of_dates(tmp_path):
    frame, _, score = mixed(60)
    frame = frame.assign(when=pd.date_range("2019-12-25", periods=60, freq="53h"))
    table, file = tmp_path / "table.csv", tmp_path / "m.mercer"
    frame.assign(y=score).to_csv(table, index=False)
    run("fit", "ridge", table, "-t", "y", "--dates", "parts", "-q", "-o", file)
    model = KernelRidge.load(file)
    assert "when_weekday" in list(model.coded_feature_names_)
    np.testing.assert_allclose(model.predict(frame), [float(value) for value in printed(file, table)], rtol=1e-6)
    with pytest.raises(ValueError, match="missing here: when"):
        model.predict(frame.drop(columns="when"))
