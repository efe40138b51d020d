"""Tests of hypotheses: statistics by brute force, level and power."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.metrics.pairwise import rbf_kernel

import mercer


@pytest.fixture(scope="module")
def rng():
    return np.random.default_rng(0)


def test_statistics_by_brute_force(rng):
    X, Y = rng.normal(size=(30, 2)), rng.normal(0.5, size=(20, 2))
    k = {name: rbf_kernel(a, b, gamma=0.3) for name, a, b in (("xx", X, X), ("yy", Y, Y), ("xy", X, Y))}
    want = (k["xx"].sum() - 30) / (30 * 29) + (k["yy"].sum() - 20) / (20 * 19) - 2 * k["xy"].mean()
    found = mercer.two_sample_test(X, Y, kernel="rbf(gamma=0.3)", permutations=100)
    assert found.statistic == pytest.approx(want)
    assert found.kernel == "rbf(gamma=0.3)"
    assert found.rejected == (found.p_value <= 0.05)
    Z = rng.normal(size=(30, 1))
    centre = np.eye(30) - 1 / 30
    hsic = np.trace(k["xx"] @ centre @ rbf_kernel(Z, gamma=0.5) @ centre) / 30**2
    found = mercer.independence_test(X, Z, kernel="rbf(gamma=0.3)", target_kernel="rbf(gamma=0.5)", permutations=50)
    assert found.statistic == pytest.approx(hsic)
    assert (found.kernel, found.target_kernel) == ("rbf(gamma=0.3)", "rbf(gamma=0.5)")


@pytest.mark.parametrize("statistic", ["quadratic", "block", "linear"])
def test_level_and_power_of_two_samples(statistic, rng):
    options = {"statistic": statistic, "permutations": 200}
    null = [mercer.two_sample_test(*rng.normal(size=(2, 60, 2)), **options).rejected for _ in range(100)]
    assert np.mean(null) < 0.13
    far = [mercer.two_sample_test(rng.normal(size=(300, 2)), rng.normal(1, size=(300, 2)), **options) for _ in range(5)]
    assert all(test.rejected and test.p_value < 0.01 for test in far)


def test_level_and_power_of_independence(rng):
    x = rng.normal(size=150)
    assert mercer.independence_test(x, x**2 + 0.1 * rng.normal(size=150)).rejected
    null = [mercer.independence_test(*rng.normal(size=(2, 40)), permutations=200).rejected for _ in range(100)]
    assert np.mean(null) < 0.13
    labels = np.where(x > 0, "right", "left")
    test = mercer.independence_test(x, labels)
    assert test.rejected and test.target_kernel == "delta()"
    assert mercer.independence_test(x, (x > 0)).rejected


def test_samples_of_any_kind(rng):
    frames = [
        pd.DataFrame({"x": rng.normal(size=50), "kind": pd.Categorical(rng.choice(list(kinds), 50), list("abc"))})
        for kinds in ("ab", "bc", "bc")
    ]
    kernel = "rbf(gamma=1)[x] * delta()[kind]"
    assert mercer.two_sample_test(*frames[:2], kernel=kernel).rejected
    assert not mercer.two_sample_test(*frames[1:], kernel=kernel).rejected
    X = scipy.sparse.random(60, 8, 0.3, format="csr", random_state=0)
    assert not mercer.two_sample_test(X[:30], X[30:]).rejected


def test_the_same_seed_gives_the_same_answer(rng):
    X, Y = rng.normal(size=(2, 50, 2))
    first = mercer.two_sample_test(X, Y, random_state=3)
    assert first == mercer.two_sample_test(X, Y, random_state=3, n_jobs=1)
    assert first.p_value != mercer.two_sample_test(X, Y, random_state=4).p_value


def test_words(rng):
    X = rng.normal(size=(20, 2))
    with pytest.raises(ValueError, match="statistic"):
        mercer.two_sample_test(X, X, statistic="cubic")
    with pytest.raises(ValueError, match="level"):
        mercer.two_sample_test(X, X, level=2)
    with pytest.raises(ValueError, match="finite"):
        mercer.two_sample_test(X, X * np.nan)
    with pytest.raises(ValueError, match="views of 20 and 19 samples"):
        mercer.independence_test(X, X[:-1])
