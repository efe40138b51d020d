"""Frames as tables: every column is used, coded as the program codes files; missing values; both kinds of frames."""

import datetime
import pickle
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import svm as peer
from sklearn.base import clone
from sklearn.gaussian_process import kernels as gaussian
from sklearn.impute import SimpleImputer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from mercer._frames import frame_columns, frame_matrix, is_matrix, table_samples
from mercer.cluster import KernelKMeans
from mercer.decomposition import KernelPCA
from mercer.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from mercer.kernel_ridge import KernelRidge
from mercer.kernels import RBF, Linear, as_kernel
from mercer.linear_model import KernelLogisticRegression
from mercer.neighbors import KernelDensity, KernelDensityClassifier
from mercer.smoothing import LocalRegression, NadarayaWatsonClassifier, NadarayaWatsonRegressor
from mercer.svm import SVC, SVR, LinearSVC, OneClassSVM

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "release" / "mercer"
needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")


def mixed(n=150, seed=0):
    """Rows of numbers, categories and both with gaps; two classes and a number that depend on all of them."""
    generator = np.random.default_rng(seed)
    age = generator.normal(40, 12, n).round(1)
    income = generator.integers(10, 90, n) * 1000
    job = generator.choice(["clerk", "nurse", "pilot", "cook"], n).astype(object)
    town = generator.choice(["Paris", "Rome", "Oslo"], n).astype(object)
    score = 0.1 * (age - 40) + np.where(job == "nurse", 2.0, 0.0) - np.where(town == "Rome", 1.5, 0.0)
    age[generator.random(n) < 0.1] = np.nan
    job[generator.random(n) < 0.08] = None
    frame = pd.DataFrame({"age": age, "job": job, "income": income, "town": town})
    label = np.where(score + generator.normal(0, 0.3, n) > 0, "yes", "no")
    return frame, label, score


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def printed(file, table, *flags, column=-1):
    return [line.split(",")[column] for line in run("predict", file, table, *flags).splitlines()[1:]]


def fitted_by_program(estimator, table, target, file):
    """The model of the program with the settings of a fitted estimator."""
    model = estimator._fitted
    settings = [f"{name}={value}" for name, value in model.settings().items() if value]
    flags = [part for setting in settings for part in ("--set", setting)]
    run("fit", model.name, table, "--target", target, "-k", model.requested_kernel, *flags, "-q", "-o", file)
    return file


def quiet(estimator, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return estimator.fit(X, y)


# ---- The same as the program -------------------------------------------------------------------------------------

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


# ---- What the columns become -------------------------------------------------------------------------------------


def coded(frame, y=None, **parameters):
    """The columns that a linear machine sees of a frame, and their names."""
    target = np.arange(len(frame)) % 2 if y is None else y
    model = quiet(SVC(kernel="linear()", **parameters), frame, target)
    return model._prepared(frame).to_python()[0], list(model.coded_feature_names_), model


def test_every_column_is_coded():
    frame, label, _ = mixed()
    values, names, model = coded(frame, label)
    levels = ["job is missing", *(f"job={job}" for job in ("clerk", "cook", "nurse", "pilot"))]
    assert names == [
        "age",
        "income",
        "age is missing",
        *levels,
        *(f"town={town}" for town in ("Oslo", "Paris", "Rome")),
    ]
    assert model.n_features_in_ == 4
    assert model.feature_names_in_.tolist() == ["age", "job", "income", "town"]
    assert model.coef_.shape == (1, len(names))
    gaps = frame["age"].isna().to_numpy()
    filled = frame["age"].fillna(frame["age"].median()).to_numpy()
    np.testing.assert_allclose(values[:, 0], (filled - filled.mean()) / filled.std(), atol=1e-12)
    np.testing.assert_array_equal(values[:, 2], gaps)
    jobs = pd.get_dummies(frame["job"].fillna(""), dtype=float).to_numpy()
    np.testing.assert_array_equal(values[:, 3:8], jobs)
    np.testing.assert_allclose(
        model.decision_function(frame), values @ model.coef_[0] + model.intercept_[0], rtol=1e-6, atol=1e-8
    )


def with_gaps(values):
    return [None if place == 3 else value for place, value in enumerate(values)]


# Columns that hold the same numbers, and one that is missing.
NUMBERS = [1.0, 0.0, 1.0, None, 0.0, 0.0, 1.0, 0.0]
SAME_NUMBERS = {
    "float": lambda: pd.Series([np.nan if value is None else value for value in NUMBERS]),
    "object": lambda: pd.Series(NUMBERS, dtype=object),
    "object of NaN": lambda: pd.Series([1, 0, 1, np.nan, 0, 0, 1, 0], dtype=object),
    "object of NA": lambda: pd.Series([1, 0, 1, pd.NA, 0, 0, 1, 0], dtype=object),
    "Int64": lambda: pd.array([1, 0, 1, pd.NA, 0, 0, 1, 0], dtype="Int64"),
    "Float64": lambda: pd.array([1, 0, 1, pd.NA, 0, 0, 1, 0], dtype="Float64"),
    "boolean": lambda: pd.array([True, False, True, pd.NA, False, False, True, False], dtype="boolean"),
    "object of bool": lambda: pd.Series([True, False, True, None, False, False, True, False], dtype=object),
    "texts": lambda: pd.Series(["1", "0", "1.0", None, "0", "0", " 1", "+0"], dtype=object),
    "string": lambda: pd.array(["1", "0", "1.0", pd.NA, "0", "0", " 1", "+0"], dtype="string"),
    "int64[pyarrow]": lambda: pd.array([1, 0, 1, None, 0, 0, 1, 0], dtype="int64[pyarrow]"),
    "bool[pyarrow]": lambda: pd.array([True, False, True, None, False, False, True, False], dtype="bool[pyarrow]"),
    "sparse": lambda: pd.arrays.SparseArray([1.0, 0, 1, np.nan, 0, 0, 1, 0], fill_value=0.0),
}


@pytest.mark.parametrize("form", SAME_NUMBERS)
def test_numbers_in_every_form(form):
    if "pyarrow" in form:
        pytest.importorskip("pyarrow", exc_type=ImportError)
    frame = pd.DataFrame({"x": SAME_NUMBERS[form](), "z": [1.0, 2, 3, 4, 5, 6, 7, 8]})
    assert is_matrix(frame)
    np.testing.assert_array_equal(frame_matrix(frame)[:, 0], np.array(NUMBERS, dtype=float))
    kept = frame.assign(kind=list("ababbaab"))
    values, names, _ = coded(kept)
    if "bool" in form:  # words of a file
        truths = ["x is missing", "x=False", "x=True"]
        assert names == ["z", *truths, "kind=a", "kind=b"]
        np.testing.assert_array_equal(values[:, 3], [value == 1 for value in NUMBERS])
    else:
        assert names == ["x", "z", "x is missing", "kind=a", "kind=b"]
        np.testing.assert_array_equal(values[:, 2], [value is None for value in NUMBERS])
    model = SVC().fit(frame, np.arange(8) % 2)
    expected = SVC().fit(pd.DataFrame({"x": SAME_NUMBERS["float"](), "z": frame["z"]}), np.arange(8) % 2)
    np.testing.assert_array_equal(model.decision_function(frame), expected.decision_function(frame))


# Columns that hold the same categories, and one that is missing.
LEVELS = ["b", "a", "b", None, "a", "c", "b", "a"]
SAME_CATEGORIES = {
    "object": lambda: pd.Series(LEVELS, dtype=object),
    "NaN": lambda: pd.Series([np.nan if level is None else level for level in LEVELS], dtype=object),
    "str": lambda: pd.Series(LEVELS),
    "string": lambda: pd.array(LEVELS, dtype="string"),
    "category": lambda: pd.Categorical(LEVELS),
    "ordered": lambda: pd.Categorical(LEVELS, categories=["c", "b", "a", "unused"], ordered=True),
    "blanks": lambda: pd.Series(["b ", " a", "b", "", "a", "c", "b", "a"], dtype=object),
    "a word for it": lambda: pd.Series(["b", "a", "b", "NA", "a", "c", "b", "a"], dtype=object),
}


@pytest.mark.parametrize("form", SAME_CATEGORIES)
def test_categories_in_every_form(form):
    frame = pd.DataFrame({"x": SAME_CATEGORIES[form](), "z": np.arange(8.0)})
    values, names, model = coded(frame)
    assert names == ["z", "x is missing", "x=a", "x=b", "x=c"]
    np.testing.assert_array_equal(values[:, 1:], [[level == one for one in (None, "a", "b", "c")] for level in LEVELS])
    for other in SAME_CATEGORIES.values():
        again = frame.assign(x=other())
        np.testing.assert_array_equal(model.decision_function(again), model.decision_function(frame))


def test_a_category_of_numbers_is_a_category():
    frame = pd.DataFrame({"floor": pd.Categorical([1, 2, 3, 1, 2, 3]), "z": np.arange(6.0)})
    _, names, model = coded(frame)
    assert names == ["z", "floor=1", "floor=2", "floor=3"]
    plain = frame.assign(floor=[1, 2, 3, 1, 2, 3])
    for other in (plain, plain.assign(floor=plain["floor"].astype(float)), plain.assign(floor=list("123123"))):
        np.testing.assert_array_equal(model.decision_function(other), model.decision_function(frame))


def test_dates_are_days():
    dates = ["2020-01-01", "2020-01-02", "1969-12-31", None, "2020-02-01"]
    days = [18262.0, 18263.0, -1.0, np.nan, 18293.0]
    half = pd.Timedelta(hours=12)
    forms = {
        "datetime": (pd.to_datetime(pd.Series(dates)), days),
        "seconds": (pd.to_datetime(pd.Series(dates)).astype("datetime64[s]"), days),
        "noon": (pd.to_datetime(pd.Series(dates)) + half, np.array(days) + 0.5),
        "zone": ((pd.to_datetime(pd.Series(dates)) + half).dt.tz_localize("Etc/GMT-2"), np.array(days) + 10 / 24),
        "period": (pd.Series(pd.PeriodIndex(dates, freq="D")), days),
        "date": (
            pd.Series([None if day is None else datetime.date.fromisoformat(day) for day in dates], dtype=object),
            days,
        ),
        "length": (pd.to_timedelta([24, 36, -24, None, 0], unit="h"), [1, 1.5, -1, np.nan, 0]),
        "time of day": (
            pd.Series([datetime.time(13, 30), datetime.time(0), None, datetime.time(1, 0, 36), datetime.time(6)]),
            [13.5, 0, np.nan, 1.01, 6],
        ),
    }
    for name, (values, expected) in forms.items():
        (column,) = frame_columns(pd.DataFrame({"when": values}))
        assert column.kind == "dates", name
        np.testing.assert_allclose(column.numbers, expected, rtol=1e-12, err_msg=name)
    frame = pd.DataFrame({"when": forms["noon"][0], "z": np.arange(5.0)})
    values, names, _ = coded(frame)
    assert names == ["when", "z", "when is missing"]
    assert values[:, :2].std(axis=0) == pytest.approx(1)


def test_texts_that_are_dates_or_grouped_numbers():
    frame, _, score = mixed(60)
    days = pd.date_range("2019-12-25", periods=60, freq="3D")
    dates = frame.assign(day=days.strftime("%Y-%m-%d"), price=[f"{1000 + 37 * row:,}" for row in range(60)])
    numbers = frame.assign(day=days, price=[1000 + 37 * row for row in range(60)])
    model = KernelRidge(kernel="rbf(gamma=0.1)").fit(dates, score)
    expected = KernelRidge(kernel="rbf(gamma=0.1)").fit(numbers, score)
    assert list(model.coded_feature_names_) == list(expected.coded_feature_names_)
    for X in (dates, numbers):
        np.testing.assert_allclose(model.predict(X), expected.predict(numbers), rtol=1e-12)
    # Who was fitted to numbers takes dates as texts, too; a comma in numbers nobody has told it of.
    np.testing.assert_allclose(
        expected.predict(dates.assign(price=numbers["price"])), expected.predict(numbers), rtol=1e-12
    )
    with pytest.raises(ValueError, match="column 'price': '1,000' is not a number"):
        expected.predict(dates)
    assert not is_matrix(dates[["day"]])


def test_a_slip_among_numbers_is_told():
    frame, label, _ = mixed()
    slip = frame.assign(income=frame["income"].astype(object) + 0.5 + np.arange(150))
    slip.loc[4, "income"] = "1o00"
    with pytest.raises(ValueError, match=r"row 4 .*column 'income': '1o00' is not a number, but 149 of the 150 values"):
        SVC().fit(slip, label)


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


def test_columns_that_tell_nothing_are_left_out_and_named():
    frame, label, _ = mixed()
    more = frame.assign(
        name=[f"person {row}" for row in range(len(frame))],
        note=[f"{'word ' * 20}{row // 2}" for row in range(len(frame))],
        unit="kg",
        one=1.0,
        nothing=np.nan,
        none=None,
    )
    said = (
        r"SVC: left out: one \(constant\), nothing \(empty\), none \(empty\), name \(unique\), note \(text\), "
        r"unit \(constant\)"
    )
    with pytest.warns(UserWarning, match=said) as seen:
        model = SVC().fit(more, label)
    assert len(seen) == 1
    assert seen[0].filename == __file__
    np.testing.assert_array_equal(model.decision_function(more), SVC().fit(frame, label).decision_function(frame))
    # What is left out is not asked for.
    np.testing.assert_array_equal(model.predict(frame), model.predict(more))
    assert model.n_features_in_ == 10
    assert list(model.feature_names_in_) == list(more.columns)
    assert "left out: one (constant)" in model.fit_report_["columns"]


def test_one_warning_where_a_fit_is_several_models():
    frame, _, score = mixed()
    with pytest.warns(UserWarning, match="left out: unit") as seen:
        KernelRidge(kernel="rbf", alpha=[1.0, 2.0]).fit(frame.assign(unit="kg"), np.column_stack([score, -score]))
    assert len(seen) == 1


def test_nothing_is_said_where_all_is_used():
    frame, label, _ = mixed()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SVC().fit(frame, label).predict(frame)


def test_columns_of_words_that_the_kernel_names_are_texts():
    frame, label, _ = mixed(60)
    frame = frame.assign(sequence=["ACGT" * (1 + row % 3) for row in range(60)])
    model = SVC(kernel="spectrum(k=2)[sequence]").fit(frame, label)
    expected = (
        SVC(kernel="spectrum(k=2)").fit(list(frame["sequence"]), label).decision_function(list(frame["sequence"]))
    )
    np.testing.assert_allclose(model.decision_function(frame), expected, rtol=1e-9)
    # Nobody looks at the others.
    np.testing.assert_array_equal(model.predict(frame[["sequence"]]), model.predict(frame))
    with pytest.raises(ValueError, match="column 'sequence' holds None in row 1 where texts are expected"):
        SVC(kernel="spectrum(k=2)[sequence]").fit(frame.assign(sequence=["A", None] * 30), label)


# ---- Missing values ----------------------------------------------------------------------------------------------


def test_numbers_are_filled_as_by_an_imputer():
    frame, label, score = mixed()
    numbers = frame[["age", "income"]].assign(income=frame["income"] / 1e4)
    imputer = SimpleImputer(strategy="median", add_indicator=True)
    np.testing.assert_allclose(
        SVC().fit(numbers, label).decision_function(numbers),
        make_pipeline(imputer, peer.SVC()).fit(numbers, label).decision_function(numbers),
        atol=2e-3,
    )
    np.testing.assert_allclose(
        SVR(tol=1e-6).fit(numbers, score).predict(numbers),
        make_pipeline(imputer, peer.SVR(tol=1e-6)).fit(numbers, score).predict(numbers),
        atol=1e-4,
    )


def test_a_complete_frame_of_numbers_is_a_matrix_as_before():
    frame, label, _ = mixed()
    numbers = frame[["income"]].assign(age=frame["age"].fillna(0), one=1.0)
    model, plain = SVC().fit(numbers, label), SVC().fit(numbers.to_numpy(), label)
    np.testing.assert_array_equal(model.decision_function(numbers), plain.decision_function(numbers.to_numpy()))
    np.testing.assert_array_equal(model.support_vectors_, plain.support_vectors_)
    assert list(model.coded_feature_names_) == ["income", "age", "one"]
    # Gaps in new rows are filled by the median of the training rows.
    gaps = numbers.assign(age=np.nan)
    filled = numbers.assign(age=numbers["age"].median())
    np.testing.assert_array_equal(model.decision_function(gaps), model.decision_function(filled))


def test_arrays_with_gaps_are_refused():
    frame, label, _ = mixed()
    numbers = frame[["age", "income"]]
    for X in (numbers.to_numpy(), numbers.to_numpy().astype(object)):
        with pytest.raises(ValueError, match="NaN"):
            SVC().fit(X, label)
    for model in (SVC().fit(numbers, label), SVC().fit(numbers.fillna(0), label)):
        with pytest.raises(ValueError, match="NaN"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an array has no names
            model.predict(numbers.to_numpy())
    fitted_to_array = SVC().fit(numbers.fillna(0).to_numpy(), label)
    with pytest.raises(ValueError, match="NaN"), pytest.warns(UserWarning, match="fitted without feature names"):
        fitted_to_array.predict(numbers)


@pytest.mark.parametrize("bad", [np.inf, -np.inf])
def test_infinity_is_refused(bad):
    frame, label, _ = mixed()
    frame.loc[3, "age"] = bad
    with pytest.raises(ValueError, match=r"infin|inf"):
        SVC().fit(frame[["age", "income"]], label)
    with pytest.raises(ValueError, match=rf"column 'age' holds {bad} in row 3 "):
        SVC().fit(frame, label)


def test_a_column_without_values_in_a_frame_of_numbers():
    frame, label, _ = mixed()
    numbers = frame[["age"]].fillna(0)
    model = SVC(gamma=0.1).fit(numbers.assign(empty=np.nan), label)
    expected = SVC(gamma=0.1).fit(numbers, label)
    assert model.n_features_in_ == 2
    np.testing.assert_allclose(
        model.decision_function(numbers.assign(empty=np.nan)), expected.decision_function(numbers), rtol=1e-12
    )


def test_folds_without_gaps_are_fitted_as_the_others():
    frame, label, _ = mixed()
    numbers = frame[["age", "income"]].fillna({"age": 40})
    gap = numbers.copy()
    gap.loc[7, "age"] = np.nan
    with_gap = SVC().fit(gap, label)
    for model, columns in ((SVC().fit(numbers, label), 2), (with_gap, 3)):
        values = model._prepared(numbers.to_numpy()).to_python()
        values = values[0] if isinstance(values, tuple) else values
        np.testing.assert_array_equal(values[:, :2], numbers)  # units are kept
        assert values.shape[1] == columns
    scores = cross_val_score(SVC(), gap, label, cv=5)
    assert np.isfinite(scores).all()


def test_weights_count_rows():
    frame, label, _ = mixed(60)
    counts = np.arange(60) % 3
    repeated = frame.iloc[np.repeat(np.arange(60), counts)]
    model = SVC(gamma=0.1).fit(frame, label, sample_weight=counts)
    expected = SVC(gamma=0.1).fit(repeated, np.repeat(label, counts))
    np.testing.assert_allclose(model.decision_function(frame), expected.decision_function(frame), atol=5e-3)
    ridge = KernelRidge(kernel="rbf(gamma=0.1)").fit(frame, np.arange(60.0), sample_weight=counts)
    again = KernelRidge(kernel="rbf(gamma=0.1)").fit(repeated, np.repeat(np.arange(60.0), counts))
    np.testing.assert_allclose(ridge.predict(frame), again.predict(frame), rtol=1e-8)
    # Weights of classes are no counts.
    balanced = SVC(class_weight={"yes": 5}).fit(frame, label)
    np.testing.assert_array_equal(
        balanced._prepared(frame).to_python()[0], SVC().fit(frame, label)._prepared(frame).to_python()[0]
    )


# ---- New rows ----------------------------------------------------------------------------------------------------


@pytest.fixture
def fitted():
    frame, label, _ = mixed()
    return SVC().fit(frame, label), frame, label


def test_columns_in_any_order(fitted):
    model, frame, _ = fitted
    other = frame[["town", "age", "income", "job"]].assign(comment="new")
    np.testing.assert_array_equal(model.decision_function(other), model.decision_function(frame))


def test_a_column_that_the_model_uses_is_missing(fitted):
    model, frame, _ = fitted
    with pytest.raises(ValueError, match=r"feature names should match.* missing here: age, town"):
        model.predict(frame[["job", "income"]])


def test_levels_that_are_new_are_counted_in_one_warning(fitted):
    model, frame, _ = fitted
    other = frame.assign(job=["baker", "smith"] * 75, town=["Bonn", *frame["town"][1:]])
    said = r"rows with levels that the training rows did not have.*: job 150 \(baker, smith\), town 1 \(Bonn\)"
    with pytest.warns(UserWarning, match=said) as seen:
        model.predict(other)
    assert len(seen) == 1
    # They count as none of the levels.
    values = model._fitted.preparation.apply(table_samples(frame.iloc[:1], seen=model._fitted.preparation)).to_python()[
        0
    ]
    with pytest.warns(UserWarning, match="town 1"):
        changed = table_samples(frame.iloc[:1].assign(town="Bonn"), seen=model._fitted.preparation)
    unknown = model._fitted.preparation.apply(changed).to_python()[0]
    np.testing.assert_array_equal(unknown[0, -3:], 0)
    np.testing.assert_array_equal(unknown[0, :-3], values[0, :-3])


def test_words_where_numbers_were(fitted):
    model, frame, _ = fitted
    other = frame.assign(age=["old", *frame["age"][1:].astype(str)])
    with pytest.raises(ValueError, match=r"row 0.*column 'age': 'old' is not a number"):
        model.predict(other)
    texts = frame.assign(age=[None if np.isnan(age) else str(age) for age in frame["age"]])
    np.testing.assert_array_equal(model.decision_function(texts), model.decision_function(frame))


def test_arrays_for_a_table(fitted):
    model, frame, _ = fitted
    with pytest.raises(ValueError, match=r"fitted to a table of more than numbers \('job' is not\).*data frame"):
        model.predict(frame.to_numpy())


def test_one_row_and_no_row(fitted):
    model, frame, label = fitted
    np.testing.assert_allclose(model.decision_function(frame[:1]), model.decision_function(frame)[:1], rtol=1e-9)
    for X, y in ((frame[:0], label[:0]), (frame[[]], label)):
        with pytest.raises(ValueError, match=r"minimum of|at least|required"):
            SVC().fit(X, y)


def test_names_that_are_no_strings():
    frame, label, _ = mixed()
    numbered = frame.set_axis(range(4), axis=1)
    model = SVC().fit(numbered, label)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 4
    assert list(model.coded_feature_names_[:3]) == ["0", "2", "0 is missing"]
    expected = SVC().fit(frame, label).decision_function(frame)
    np.testing.assert_array_equal(model.decision_function(numbered), expected)
    np.testing.assert_array_equal(model.decision_function(numbered[[3, 2, 1, 0]]), expected)
    again = SVC.from_bytes(model.to_bytes())
    assert not hasattr(again, "feature_names_in_")
    np.testing.assert_array_equal(again.decision_function(numbered), expected)


def test_names_that_stand_twice():
    frame, label, _ = mixed()
    for names in (["age", "job", "age", "town"], ["1", "job", 1, "town"]):
        twice = frame.set_axis(names, axis=1)
        with pytest.raises((ValueError, TypeError), match=r"stands twice|feature names|unique column names"):
            SVC().fit(twice, label)


# ---- With the rest of scikit-learn -------------------------------------------------------------------------------


def test_persistence_and_clones(fitted):
    model, frame, label = fitted
    expected = model.decision_function(frame)
    for again in (pickle.loads(pickle.dumps(model)), SVC.from_bytes(model.to_bytes()), clone(model).fit(frame, label)):
        np.testing.assert_array_equal(again.decision_function(frame), expected)
        assert again.n_features_in_ == 4
        assert list(again.feature_names_in_) == list(frame.columns)
        assert list(again.coded_feature_names_) == list(model.coded_feature_names_)
        assert again.fit_report_["columns"] == model.fit_report_["columns"]


def test_in_pipelines_and_folds():
    frame, label, _ = mixed(240)
    model = SVC(C=2)
    scores = cross_val_score(model, frame, label, cv=4)
    assert scores.mean() > 0.85
    assert scores.mean() > cross_val_score(model, frame[["age", "income"]], label, cv=4).mean() + 0.1
    older = FunctionTransformer(lambda X: X.assign(age=X["age"] + 1))
    assert cross_val_score(make_pipeline(older, model), frame, label, cv=4).mean() == pytest.approx(
        scores.mean(), abs=0.02
    )
    features = make_pipeline(KernelPCA(n_components=5, kernel="rbf").set_output(transform="pandas"), SVC())
    assert features.fit(frame, label).score(frame, label) > 0.8
    assert list(features[0].transform(frame).columns) == [f"kernelpca{number}" for number in range(5)]


@pytest.mark.parametrize(
    "estimator",
    [
        KernelLogisticRegression(kernel="rbf(gamma=0.1)"),
        GaussianProcessClassifier(kernel="rbf(gamma=0.1)", optimizer=None),
        LinearSVC(),
        SVC(kernel="linear", probability=True),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_other_classifiers(estimator):
    frame, label, _ = mixed()
    assert estimator.fit(frame, label).score(frame, label) > 0.85
    if hasattr(estimator, "coef_"):
        assert estimator.coef_.shape[-1] == len(estimator.coded_feature_names_)
    numbers = frame[["age", "income"]].assign(income=frame["income"] / 1e4)
    assert clone(estimator).fit(numbers, label).predict(numbers).shape == (150,)


def test_other_models():
    frame, _, score = mixed()
    for X in (frame, frame[["age", "income"]].assign(income=frame["income"] / 1e4)):
        assert KernelKMeans(n_clusters=3, kernel="rbf(gamma=0.1)").fit(X).predict(X).shape == (150,)
        assert OneClassSVM(nu=0.1).fit(X).predict(X).shape == (150,)
        features = KernelPCA(n_components=3, kernel="rbf", gamma=0.1, fit_inverse_transform=True).fit(X)
        assert features.inverse_transform(features.transform(X)).shape == (150, len(features.coded_feature_names_))
        several = GaussianProcessClassifier(kernel="rbf(gamma=0.1)", optimizer=None).fit(X, np.arange(150) % 3)
        assert several.predict_proba(X).shape == (150, 3)
        process = GaussianProcessRegressor(kernel=gaussian.RBF(2.0), alpha=0.5, optimizer=None).fit(X, score)
        assert process.log_marginal_likelihood(process.kernel_.theta) == pytest.approx(
            process.log_marginal_likelihood_value_
        )
        assert process.L_.shape == (150, 150)
        assert process.sample_y(X[:5], 3).shape == (5, 3)


@pytest.mark.parametrize("cls", [NadarayaWatsonClassifier, KernelDensityClassifier])
def test_classifiers_without_kernels(cls):
    frame, label, _ = mixed()
    model = cls(bandwidth=0.8).fit(frame, label)
    assert model.score(frame, label) > 0.8
    again = cls.from_bytes(model.to_bytes())
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))


@pytest.mark.parametrize("model", [NadarayaWatsonRegressor(bandwidth=0.8), LocalRegression(span=0.9, degree=1)])
def test_smoothers(model):
    frame, _, score = mixed()
    two = frame[["age", "town"]]
    assert model.fit(two, score).score(two, score) > 0.3
    assert model.fit(frame[["age"]], score).predict(frame[["age"]]).shape == (150,)


def test_densities_are_of_numbers():
    frame, _, _ = mixed()
    with pytest.raises(ValueError, match="could not convert string to float"):
        KernelDensity().fit(frame)
    with pytest.raises(ValueError, match="NaN"):
        KernelDensity().fit(frame[["age"]])


def test_kernels_see_every_column():
    frame, _, _ = mixed(20)
    dummies = np.hstack(
        [
            frame["age"].isna().to_numpy()[:, None],
            pd.get_dummies(frame["job"].fillna("")).to_numpy(),
            pd.get_dummies(frame["town"]).to_numpy(),
        ]
    ).astype(float)
    numbers = frame[["age", "income"]].fillna(frame["age"].median()).to_numpy()
    rows = np.hstack([numbers, dummies])
    np.testing.assert_allclose(Linear()(frame), rows @ rows.T)
    np.testing.assert_allclose(Linear()(frame[:5], frame), rows[:5] @ rows.T)
    assert (as_kernel("hamming()")(frame).diagonal() > 0).all()
    assert RBF(gamma="scale").resolved(frame).spec != RBF(gamma="scale").resolved(frame[["age"]].fillna(0)).spec


# ---- polars ------------------------------------------------------------------------------------------------------


def polars_forms(frame):
    pl = pytest.importorskip("polars")
    plain = {name: [None if pd.isna(value) else value for value in frame[name]] for name in frame}
    yield "String", pl.DataFrame(plain)
    yield "Categorical", pl.DataFrame(plain).with_columns(pl.col("job", "town").cast(pl.Categorical))
    jobs, towns = pl.Enum(["clerk", "nurse", "pilot", "cook", "unused"]), pl.Enum(["Paris", "Rome", "Oslo"])
    yield "Enum", pl.DataFrame(plain).with_columns(pl.col("job").cast(jobs), pl.col("town").cast(towns))
    yield "Object", pl.DataFrame(plain, schema_overrides={"job": pl.Object})


def test_polars_gives_the_same(fitted):
    model, frame, label = fitted
    for name, other in polars_forms(frame):
        again = SVC().fit(other, label)
        assert list(again.coded_feature_names_) == list(model.coded_feature_names_), name
        assert list(again.feature_names_in_) == list(frame.columns), name
        for X in (frame, other):
            np.testing.assert_array_equal(again.decision_function(X), model.decision_function(frame), err_msg=name)
        reversed_values = model.decision_function(other[::-1])
        np.testing.assert_allclose(reversed_values, model.decision_function(frame)[::-1], rtol=1e-9, atol=1e-12)


def test_numbers_and_dates_of_polars():
    pl = pytest.importorskip("polars")
    day = datetime.date(2020, 1, 1)
    noon = datetime.datetime(2020, 1, 1, 12)
    forms = {
        "Int8": (pl.Series([1, None, 0], dtype=pl.Int8), [1, np.nan, 0]),
        "Boolean": (pl.Series([True, None, False]), [1, np.nan, 0]),
        "Float32": (pl.Series([1.5, None, 0], dtype=pl.Float32), [1.5, np.nan, 0]),
        "Decimal": (pl.Series(["1.5", None, "0"]).cast(pl.Decimal(10, 2)), [1.5, np.nan, 0]),
        "Null": (pl.Series([None, None, None]), [np.nan] * 3),
        "String": (pl.Series(["1.5", None, "0"]), [1.5, np.nan, 0]),
        "Date": (pl.Series([day, None, datetime.date(1970, 1, 2)]), [18262, np.nan, 1]),
        "Datetime": (pl.Series([noon, None, datetime.datetime(1970, 1, 2)]), [18262.5, np.nan, 1]),
        "zone": (
            pl.Series([noon, None, noon]).dt.replace_time_zone("Etc/GMT-2"),
            [18262 + 10 / 24, np.nan, 18262 + 10 / 24],
        ),
        "Duration": (pl.Series([datetime.timedelta(hours=36), None, datetime.timedelta(0)]), [1.5, np.nan, 0]),
        "Time": (pl.Series([datetime.time(13, 30), None, datetime.time(0)]), [13.5, np.nan, 0]),
    }
    for name, (values, expected) in forms.items():
        frame = pl.DataFrame({"x": values, "z": [1.0, 2.0, 3.0]})
        np.testing.assert_allclose(frame_matrix(frame)[:, 0], expected, rtol=1e-12, err_msg=name)
        model = quiet(SVC(), frame.with_columns(kind=pl.Series(["a", "b", "a"])), [0, 1, 0])
        assert model.n_features_in_ == 3, name
    numbers = pl.DataFrame({"x": [1.0, None, 3.0, 4.0], "z": [1, 2, 3, 5]})
    pandas = pd.DataFrame({"x": [1.0, np.nan, 3.0, 4.0], "z": [1, 2, 3, 5]})
    target = [0.0, 1.0, 3.0, 2.0]
    np.testing.assert_array_equal(
        SVR().fit(numbers, target).predict(numbers), SVR().fit(pandas, target).predict(pandas)
    )


# ---- Sparse frames -----------------------------------------------------------------------------------------------


def test_sparse_frames():
    generator = np.random.default_rng(0)
    dense = np.where(generator.random((40, 6)) < 0.3, generator.normal(size=(40, 6)), 0)
    frame = pd.DataFrame(dense, columns=list("abcdef"))
    sparse = frame.astype(pd.SparseDtype("float64", 0.0))
    y = (dense.sum(axis=1) > 0).astype(int)
    expected = SVC().fit(frame, y).decision_function(frame)
    model = SVC().fit(sparse, y)
    np.testing.assert_allclose(model.decision_function(sparse), expected, atol=1e-5)
    assert list(model.feature_names_in_) == list("abcdef")
    mixed_kinds = sparse.assign(kind=["x", "y"] * 20)
    plain = frame.assign(kind=["x", "y"] * 20)
    np.testing.assert_array_equal(
        SVC().fit(mixed_kinds, y).decision_function(mixed_kinds), SVC().fit(plain, y).decision_function(plain)
    )


# ---- Numbers in arrays of objects and texts ----------------------------------------------------------------------


def test_arrays_of_numbers_in_other_forms():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(30, 2)).round(3)
    y = (X[:, 0] > 0).astype(int)
    expected = SVC().fit(X, y).decision_function(X)
    for other in (X.astype(object), X.astype(str), X.astype(str).astype(object), X.astype(str).tolist()):
        np.testing.assert_allclose(SVC().fit(other, y).decision_function(other), expected, rtol=1e-12)
        np.testing.assert_allclose(peer.SVC().fit(other, y).decision_function(other), expected, atol=2e-3)
    with pytest.raises(ValueError, match="could not convert string to float"):
        SVC().fit(np.array([["1", "x"], ["2", "3"]], dtype=object), [0, 1])


# ---- Slips -------------------------------------------------------------------------------------------------------


def test_a_frame_of_which_nothing_is_left_is_refused():
    frame = pd.DataFrame({"note": [f"note {i}" for i in range(20)], "kind": ["c"] * 20})
    for columns in (["note", "kind"], ["note"], ["kind"]):
        with pytest.raises(ValueError, match="no column of the frame holds numbers or categories.*" + columns[0]):
            SVC().fit(frame[columns], ["p", "q"] * 10)
    SVC(kernel="spectrum(k=2)[note]").fit(frame, ["p", "q"] * 10)


def test_kernels_on_ranges_of_names():
    frame = pd.DataFrame({"a": [1.0, 2, 4] * 4, "b": [2.0, 3, 1, 5] * 3, "c": [0.5, 1, 9, 4] * 3})
    y = ["p", "q", "q"] * 4
    ranges, listed = "linear()[a:b]", "linear()[a, b]"
    np.testing.assert_allclose(as_kernel(ranges)(frame), as_kernel(listed)(frame), rtol=1e-12)
    np.testing.assert_allclose(
        SVC(kernel=ranges).fit(frame, y).decision_function(frame),
        SVC(kernel=listed).fit(frame, y).decision_function(frame),
        rtol=1e-6,
    )
