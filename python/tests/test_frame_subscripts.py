"""Numbers in the subscripts of kernels: of a frame they count all of its columns, as they do those of a file."""

import numpy as np
import pandas as pd
import pytest
from frame_helpers import fitted_by_program, needs_program, printed

import mercer
from mercer.decomposition import KernelPCA
from mercer.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from mercer.kernel_ridge import KernelRidge
from mercer.kernels import as_kernel
from mercer.svm import SVC, SVR


def table(n=60):
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "word": generator.choice(list("pq"), n),
            "a": generator.normal(size=n),
            "other": generator.choice(list("rs"), n),
            "b": generator.normal(size=n),
        }
    )
    return frame, (frame["a"] + frame["b"] * (frame["word"] == "p")).to_numpy()


@needs_program
def test_numbers_count_the_columns_of_the_frame_and_of_the_file(tmp_path):
    frame, y = table()
    model = SVR(kernel="rbf()[1, 3] + delta()[0]").fit(frame, y)
    named = SVR(kernel="rbf()[a, b] + delta()[word]").fit(frame, y)
    np.testing.assert_array_equal(model.predict(frame), named.predict(frame))
    assert model._fitted.requested_kernel == "rbf(gamma=scale)[a, b] + delta()[word]"
    data, file = tmp_path / "t.csv", tmp_path / "m.mercer"
    frame.assign(y=y).to_csv(data, index=False)
    # The program counts for itself.
    of_program = KernelRidge(kernel="rbf(gamma=0.4)[1, 3] + delta()[0]", alpha=0.1).fit(frame, y)
    fitted_by_program(of_program, data, "y", file)
    np.testing.assert_allclose([float(text) for text in printed(file, data)], of_program.predict(frame), rtol=1e-6)
    model.save(file)
    np.testing.assert_allclose([float(text) for text in printed(file, data)], model.predict(frame), rtol=1e-9)


def test_columns_that_are_not_counted_are_not_asked_for():
    frame, y = table()
    model = SVR(kernel="rbf()[1, 3]").fit(frame, y)
    np.testing.assert_array_equal(model.predict(frame[["b", "a"]]), model.predict(frame))
    with pytest.raises(ValueError, match="missing here: b"):
        model.predict(frame[["a", "word"]])
    assert list(model.coded_feature_names_) == ["a", "b"]
    # What the kernel does not look at is not read, whatever it holds.
    np.testing.assert_array_equal(model.predict(frame.assign(word=[{"a"}, {"b"}] * 30, other=1j)), model.predict(frame))


def test_ranges_pass_over_nothing():
    frame, y = table()
    numbers = frame[["a", "b"]].assign(c=y)
    np.testing.assert_array_equal(
        SVR(kernel="rbf()[0:2]").fit(numbers, y).predict(numbers),
        SVR(kernel="rbf()[a, b]").fit(numbers, y).predict(numbers),
    )
    labelled = numbers.set_axis([5, 6, 7], axis=1)  # names that are numbers are no numbers of columns
    np.testing.assert_array_equal(
        SVR(kernel="rbf()[0:2]").fit(labelled, y).predict(labelled),
        SVR(kernel="rbf()[a, b]").fit(numbers, y).predict(numbers),
    )


def test_numbers_beyond_the_columns_are_refused():
    frame, y = table()
    with pytest.raises(ValueError, match=r"column subscript \[4\]: there are 4 columns, numbered from 0"):
        SVR(kernel="rbf()[4]").fit(frame, y)


def test_kernels_on_vectors_see_the_levels_of_categories_that_they_name():
    frame, y = table()
    alone = frame[["word", "a"]]
    expected = SVR(kernel="rbf(gamma=0.3)").fit(alone, y).predict(alone)
    for kernel in ("rbf(gamma=0.3)[0, 1]", "rbf(gamma=0.3)[word, a]"):
        np.testing.assert_allclose(SVR(kernel=kernel).fit(frame, y).predict(frame), expected, atol=1e-9)


def test_kernels_on_frames():
    frame, _ = table()
    by_number, by_name = as_kernel("rbf()[1] * delta()[2]"), as_kernel("rbf()[a] * delta()[other]")
    np.testing.assert_array_equal(by_number(frame), by_name(frame))
    np.testing.assert_array_equal(by_number(frame[:5], frame), by_name(frame[:5], frame))
    np.testing.assert_array_equal(by_number.diag(frame), by_name.diag(frame))
    assert by_number.resolved(frame).spec == by_name.resolved(frame).spec
    weights = np.ones((60, 60))
    resolved = by_name.resolved(frame)
    np.testing.assert_array_equal(
        as_kernel(resolved.spec.replace("[a]", "[1]")).gradient(frame, weights), resolved.gradient(frame, weights)
    )
    tests = [
        mercer.two_sample_test(frame[:30], frame[30:], kernel=kernel, permutations=50).statistic
        for kernel in ("rbf(gamma=1)[3]", "rbf(gamma=1)[b]")
    ]
    assert tests[0] == tests[1]


def test_other_estimators():
    frame, y = table()
    for by_number, by_name in (
        ("rbf(gamma=0.5)[3]", "rbf(gamma=0.5)[b]"),
        ("rbf()[1]*delta()[0]", "rbf()[a]*delta()[word]"),
    ):
        pairs = [
            (KernelPCA(n_components=2, kernel=kernel).fit(frame).transform(frame)) for kernel in (by_number, by_name)
        ]
        np.testing.assert_array_equal(*pairs)
        labels = np.arange(60) % 3
        classifiers = [
            GaussianProcessClassifier(kernel=kernel, optimizer=None).fit(frame, labels).predict_proba(frame)
            for kernel in (by_number, by_name)
        ]
        np.testing.assert_array_equal(*classifiers)

    def first(objective, start, bounds):
        return start, objective(start)[0]

    for optimizer in (first, None, "fmin_l_bfgs_b"):
        processes = [
            GaussianProcessRegressor(kernel=as_kernel(f"rbf(gamma=0.5)[{column}]"), alpha=0.1, optimizer=optimizer)
            .fit(frame, y)
            .predict(frame)
            for column in ("3", "b")
        ]
        np.testing.assert_array_equal(*processes)


def test_numbers_count_the_columns_of_arrays_as_before():
    frame, y = table()
    numbers = frame[["a", "b"]].to_numpy()
    model = SVC(kernel="rbf()[1]").fit(numbers, y > 0)
    assert model._fitted.requested_kernel == "rbf(gamma=scale)[1]"
