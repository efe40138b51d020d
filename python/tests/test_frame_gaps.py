"""Missing values of frames, and frames of numbers alone."""

import warnings

import numpy as np
import pytest
from frame_helpers import mixed
from sklearn import svm as peer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from mercer.kernel_ridge import KernelRidge
from mercer.svm import SVC, SVR


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
    expected = SVC().fit(numbers, label)
    for empty in (np.nan, None):
        with pytest.warns(UserWarning, match=r"SVC: left out: empty \(empty\). Without"):
            model = SVC().fit(numbers.assign(empty=empty), label)
        assert model.n_features_in_ == 2
        assert list(model.coded_feature_names_) == ["age"]
        assert model.fit_report_["columns"] == "2 columns: 1 number; left out: empty (empty)"
        for estimator in (model, SVC.from_bytes(model.to_bytes())):
            for value in (np.nan, 1.0, True, "word"):
                rows = numbers.assign(empty=value)
                np.testing.assert_array_equal(estimator.decision_function(rows), expected.decision_function(numbers))
    # Constants stay.
    constant = SVC(kernel="linear").fit(numbers.assign(one=1.0), label)
    assert constant.coef_.shape == (1, 2)
    # Without any other column there would be no model.
    alone = SVC().fit(numbers[["age"]].assign(age=np.nan), label)
    assert alone.predict(numbers).shape == (150,)


def test_gaps_are_reported_by_name():
    frame, label, _ = mixed()
    numbers = frame[["income", "age"]]
    missing = frame["age"].isna().sum()
    assert SVC().fit(numbers, label).fit_report_["columns"] == f"2 columns: 2 numbers; missing: age {missing}"


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
