"""Frames of new rows: columns by name, levels that are new, names."""

import numpy as np
import pandas as pd
import pytest
from frame_helpers import PROGRAM, fitted_table, mixed, printed, quiet

from mercer._frames import table_samples
from mercer.svm import SVC


def test_columns_in_any_order():
    model, frame, _ = fitted_table()
    other = frame[["town", "age", "income", "job"]].assign(comment="new")
    np.testing.assert_array_equal(model.decision_function(other), model.decision_function(frame))


def test_a_column_that_the_model_uses_is_missing():
    model, frame, _ = fitted_table()
    with pytest.raises(ValueError, match=r"feature names should match.* missing here: age, town"):
        model.predict(frame[["job", "income"]])


def test_levels_that_are_new_are_counted_in_one_warning():
    model, frame, _ = fitted_table()
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


def test_words_where_numbers_were():
    model, frame, _ = fitted_table()
    other = frame.assign(age=["old", *frame["age"][1:].astype(str)])
    with pytest.raises(ValueError, match=r"row 0.*column 'age': 'old' is not a number"):
        model.predict(other)
    texts = frame.assign(age=[None if np.isnan(age) else str(age) for age in frame["age"]])
    np.testing.assert_array_equal(model.decision_function(texts), model.decision_function(frame))


def test_arrays_for_a_table():
    model, frame, _ = fitted_table()
    with pytest.raises(ValueError, match=r"fitted to a table of more than numbers \('job' is not\).*data frame"):
        model.predict(frame.to_numpy())


def test_one_row_and_no_row():
    model, frame, label = fitted_table()
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


def test_columns_twice_that_nobody_uses_do_not_matter():
    model, frame, _ = fitted_table()
    extra = pd.DataFrame(np.zeros((150, 2)), columns=["note", "note"])
    expected = model.decision_function(frame)
    np.testing.assert_array_equal(model.decision_function(pd.concat([frame, extra], axis=1)), expected)
    with pytest.raises(ValueError, match="'age' stands twice: rename one"):
        model.predict(pd.concat([frame, frame[["age"]]], axis=1))


def test_names_that_stand_twice():
    frame, label, _ = mixed()
    for names in (["age", "job", "age", "town"], ["1", "job", 1, "town"]):
        twice = frame.set_axis(names, axis=1)
        with pytest.raises((ValueError, TypeError), match=r"stands twice|feature names|unique column names"):
            SVC().fit(twice, label)


@pytest.mark.parametrize("words", [("true", "false"), ("TRUE", "FALSE")])
def test_truth_values_are_known_in_any_case(words):
    frame, label, _ = mixed()
    frame = frame.assign(member=frame["income"] > 50000)
    model = quiet(SVC(), frame, label)
    other = frame.assign(member=np.where(frame["member"], *words))
    np.testing.assert_array_equal(model.decision_function(other), model.decision_function(frame))
    back = quiet(SVC(), other, label)
    np.testing.assert_array_equal(back.decision_function(frame), back.decision_function(other))


def test_columns_without_a_name_are_called_after_their_places(tmp_path):
    frame, label, _ = mixed()
    nameless = frame.rename(columns={"income": "", "job": "work"})
    model = quiet(SVC(), nameless, label)
    assert "column 2" in model.coded_feature_names_
    model.save(tmp_path / "m.mercer")
    frame[["town", "age"]].assign(**{"column 2": frame["income"], "work": frame["job"]}).to_csv(tmp_path / "t.csv")
    assert SVC.load(tmp_path / "m.mercer").predict(nameless).tolist() == model.predict(nameless).tolist()
    if PROGRAM.exists():
        assert printed(tmp_path / "m.mercer", tmp_path / "t.csv") == model.predict(nameless).tolist()
    named = SVC(kernel="rbf()[2] + delta()[work]").fit(nameless, label)
    assert named._fitted.requested_kernel == 'rbf(gamma=scale)["column 2"] + delta()[work]'


def test_tables_of_constants():
    words = pd.DataFrame({"a": ["u"] * 6, "b": ["v"] * 6})
    with pytest.raises(ValueError, match=r"no column is left for the model; left out: a \(constant\), b \(constant\)"):
        SVC().fit(words, [0, 1] * 3)
    with pytest.warns(UserWarning, match=r"every column that is used holds one value \(c\)") as seen:
        SVC().fit(words.assign(c=3.0), [0, 1] * 3)
    assert any(warning.filename == __file__ for warning in seen)
