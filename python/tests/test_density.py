"""Densities against scikit-learn's, against sums and integrals, and against what defines them."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import scipy.stats
import sklearn.neighbors
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV

from mercer.neighbors import HistogramDensity, KernelDensity, KernelDensityClassifier, NeighborsDensity
from mercer.svm import SVC

THEIR_KERNELS = ("gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine")
OUR_KERNELS = (*THEIR_KERNELS, "boxcar", "triangle", "biweight", "tricube", "cube")
# Its constant for the cosine in two dimensions lacks a term: the density integrates to 1 - 2/π.
THEIR_COSINE = np.log(1 - 2 / np.pi)


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(300, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0.3], [0, 0, 0.7]])


@pytest.mark.parametrize("kernel", THEIR_KERNELS)
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_values_are_those_of_scikit_learn(rows, kernel, columns):
    rng = np.random.default_rng(1)
    X, queries = rows[:, :columns], rng.normal(size=(60, columns))
    for weights in (None, rng.uniform(0.2, 3, len(X))):
        for bandwidth in (0.4, 1.0, "scott", "silverman"):
            ours = KernelDensity(bandwidth=bandwidth, kernel=kernel).fit(X, sample_weight=weights)
            theirs = sklearn.neighbors.KernelDensity(bandwidth=bandwidth, kernel=kernel).fit(X, sample_weight=weights)
            assert ours.bandwidth_ == pytest.approx(theirs.bandwidth_, rel=1e-12)
            log_density = theirs.score_samples(queries)
            shift = THEIR_COSINE if (kernel, columns) == ("cosine", 2) else 0
            # Where the density is 0 theirs is what rounding left.
            seen = log_density > np.log(1e-9)
            np.testing.assert_allclose(ours.score_samples(queries[seen]), log_density[seen] - shift, atol=1e-8)
            assert (np.exp(ours.score_samples(queries)[~seen]) < 1e-8).all()
            assert ours.score(queries[seen]) == pytest.approx(ours.score_samples(queries[seen]).sum())


@pytest.mark.parametrize("kernel", OUR_KERNELS)
def test_densities_integrate_to_one(kernel, rows):
    grid = np.linspace(-7, 7, 281)
    X = np.stack(np.meshgrid(grid, grid), -1).reshape(-1, 2)
    density = KernelDensity(bandwidth=[0.5, 0.9], kernel=kernel).fit(rows[:50, :2])
    assert np.exp(density.score_samples(X)).sum() * (grid[1] - grid[0]) ** 2 == pytest.approx(1, abs=5e-3)


def test_a_cube_counts_by_columns_and_a_tophat_by_distance(rows):
    X, queries, widths = rows[:, :2], rows[:50, :2] + 0.2, np.array([0.5, 0.9])
    away = np.abs(queries[:, None] - X) / widths
    for kernel, inside, volume in (
        ("cube", away.max(axis=2) <= 1, 4),
        ("tophat", np.square(away).sum(axis=2) <= 1, np.pi),
    ):
        density = KernelDensity(bandwidth=widths, kernel=kernel).fit(X)
        want = inside.mean(axis=1) / (volume * widths.prod())
        np.testing.assert_allclose(np.exp(density.score_samples(queries)), want, rtol=1e-12)
    with pytest.raises(ValueError, match="edges along the columns"):
        KernelDensity(bandwidth=[[1, 0.5], [0.5, 1]], kernel="cube").fit(X)


def test_full_matrices_and_rules_are_those_of_scipy(rows):
    theirs = scipy.stats.gaussian_kde(rows.T)
    queries = rows[:20] + 0.3
    for ours in (
        KernelDensity(bandwidth=theirs.covariance),
        KernelDensity(bandwidth="scott", form="full"),
    ):
        ours.fit(rows)
        np.testing.assert_allclose(ours.score_samples(queries), theirs.logpdf(queries.T), rtol=1e-9)
        np.testing.assert_allclose(ours.bandwidth_, theirs.covariance, rtol=1e-9)
    one = KernelDensity(bandwidth=[[0.25]]).fit(rows[:, :1])
    assert one.bandwidth_ == 0.5


def test_rules_choose_widths(rows):
    deviations = rows.std(axis=0, ddof=1)
    factor = (len(rows) * 5 / 4) ** (-1 / 7)
    density = KernelDensity(bandwidth="silverman", form="diagonal").fit(rows)
    np.testing.assert_allclose(density.bandwidth_, factor * deviations)
    np.testing.assert_allclose(
        KernelDensity(bandwidth="scott", form="scalar").fit(rows).bandwidth_,
        len(rows) ** (-1 / 7) * np.sqrt(np.mean(deviations**2)),
    )
    spread = 1.4826 * np.median(np.abs(rows - np.median(rows, axis=0)), axis=0)
    np.testing.assert_allclose(KernelDensity(bandwidth="normal").fit(rows).bandwidth_, factor * spread, rtol=1e-3)
    for rule in ("likelihood", "least_squares"):
        chosen = KernelDensity(bandwidth=rule).fit(rows)
        np.testing.assert_allclose(chosen.bandwidth_ / density.bandwidth_, (chosen.bandwidth_ / density.bandwidth_)[0])
    few = rows[:80]
    likely = KernelDensity(bandwidth="likelihood").fit(few)
    scores = [
        sum(
            KernelDensity(bandwidth=factor * likely.bandwidth_).fit(np.delete(few, i, 0)).score(few[i : i + 1])
            for i in range(80)
        )
        for factor in (0.9, 1, 1.1)
    ]
    assert max(scores) == scores[1]
    two = np.concatenate([np.random.default_rng(3).normal(c, 1, 500) for c in (-8, 8)])[:, None]
    assert KernelDensity(bandwidth="isj").fit(two).bandwidth_ < 0.5


def test_grid_search_over_the_width(rows):
    widths = {"bandwidth": [0.2, 0.4, 0.8, 3.0]}
    ours = GridSearchCV(KernelDensity(), widths).fit(rows)
    theirs = GridSearchCV(sklearn.neighbors.KernelDensity(), widths).fit(rows)
    assert ours.best_params_ == theirs.best_params_
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], rtol=1e-9)


def test_errors_are_bounded_as_asked():
    X = np.random.default_rng(2).normal(size=(5000, 2))
    exact = np.exp(KernelDensity(bandwidth=0.3).fit(X).score_samples(X[:500]))
    relative = np.exp(KernelDensity(bandwidth=0.3, rtol=1e-3, algorithm="kd_tree").fit(X).score_samples(X[:500]))
    absolute = np.exp(KernelDensity(bandwidth=0.3, atol=1e-3, algorithm="ball_tree").fit(X).score_samples(X[:500]))
    assert (np.abs(relative / exact - 1) <= 1e-3).all()
    assert (np.abs(absolute - exact) <= 1e-3).all()


@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov", "exponential"])
def test_distribution_function_marginals_and_conditionals(kernel, rows):
    one = KernelDensity(bandwidth=0.4, kernel=kernel).fit(rows[:40, :1])
    for x in (-0.7, 0.2, 1.5):
        grid = np.linspace(-20, x, 40001)
        below = np.trapezoid if hasattr(np, "trapezoid") else np.trapz
        mass = below(np.exp(one.score_samples(grid[:, None])), grid)
        assert one.cdf([[x]])[0] == pytest.approx(mass, abs=1e-6)
    assert one.cdf([[-40.0], [40.0]]) == pytest.approx([0, 1], abs=1e-12)

    density = KernelDensity(bandwidth=[0.5, 0.7, 0.6], kernel=kernel).fit(rows[:60])
    marginal = density.marginal([2, 0])
    grid = np.linspace(-8, 8, 3201)
    whole = np.column_stack([np.full_like(grid, 0.3), grid, np.full_like(grid, -0.2)])
    mass = np.exp(density.score_samples(whole)).sum() * (grid[1] - grid[0])
    assert np.exp(marginal.score_samples([[-0.2, 0.3]])[0]) == pytest.approx(mass, rel=1e-4)
    given = density.conditional([0, 2], [0.3, -0.2])
    assert given.columns == (1,)
    assert np.exp(given.score_samples(grid[:, None])).sum() * (grid[1] - grid[0]) == pytest.approx(1, abs=1e-4)
    want = density.score_samples(whole) - marginal.score([[-0.2, 0.3]])
    np.testing.assert_allclose(given.score_samples(grid[:, None]), want, atol=1e-10)


def test_draws_follow_the_density(rows):
    for density in (KernelDensity(bandwidth=0.3, kernel="linear"), HistogramDensity(bins=[6, 5, 4])):
        density.fit(rows)
        drawn = density.sample(20000, random_state=0)
        assert drawn.shape == (20000, 3)
        np.testing.assert_allclose(drawn.mean(axis=0), rows.mean(axis=0), atol=0.06)
        np.testing.assert_array_equal(drawn, density.sample(20000, random_state=0))
        assert (density.sample(3) != density.sample(3)).any()
    one = KernelDensity(bandwidth=0.5, kernel="tophat").fit(rows[:, :1])
    below = one.cdf(one.sample(20000, random_state=1))  # uniform
    assert scipy.stats.kstest(below, "uniform").pvalue > 1e-3


def test_conditional_and_marginal_draws(rows):
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    density = KernelDensity(bandwidth=[0.4, 0.6, 0.5]).fit(frame)
    weights = np.exp(-(((0.4 - rows[:, 1]) / 0.6) ** 2) / 2)
    weights /= weights.sum()
    want = weights @ rows[:, [0, 2]]
    drawn = density.conditional("b", 0.4).sample(20000, random_state=0)
    np.testing.assert_allclose(drawn.mean(axis=0), want, atol=0.05)
    marginal = density.marginal(["c", "a"])
    assert marginal.columns == (2, 0)
    np.testing.assert_array_equal(marginal.sample(10, random_state=5), density.sample(10, random_state=5)[:, [2, 0]])


def test_ends_circles_and_adaptive_widths():
    X = np.random.default_rng(4).exponential(size=(200, 1))
    density = KernelDensity(bandwidth=0.2, lower=0).fit(X)
    grid = np.linspace(0, 15, 6001)[:, None]
    reflected = sklearn.neighbors.KernelDensity(bandwidth=0.2).fit(np.concatenate([X, -X]))
    np.testing.assert_allclose(density.score_samples(grid[:3000]), reflected.score_samples(grid[:3000]) + np.log(2))
    assert density.score_samples([[-0.1]])[0] == -np.inf
    assert (density.sample(1000, random_state=0) >= 0).all()
    angle = KernelDensity(bandwidth=[20, 0.3], period=[360, None]).fit(np.column_stack([[350.0, 5], [0, 1]]))
    near = angle.score_samples([[0, 0.5], [360, 0.5], [180, 0.5]])
    assert near[0] == pytest.approx(near[1]) and near[0] > near[2] + 10
    wide = KernelDensity(bandwidth=0.2, adaptive=0.5).fit(X)
    assert (
        wide.score_samples([[X.max() + 1]])[0] > KernelDensity(bandwidth=0.2).fit(X).score_samples([[X.max() + 1]])[0]
    )


def test_models_are_files_with_their_parameters(rows, tmp_path):
    models = [
        KernelDensity(bandwidth=[0.2, 0.3, 0.4], kernel="tophat", lower=[-9, None, -9]),
        KernelDensity(bandwidth=np.diag([1.0, 2, 3]) + 0.1, rtol=1e-4),
        KernelDensity(bandwidth="silverman", form="scalar", adaptive=0.5),
        HistogramDensity(bins=[3, 4, 5]),
        HistogramDensity(),
        NeighborsDensity(),
        NeighborsDensity(7),
    ]
    for model in models:
        model.fit(rows)
        model.save(tmp_path / "m.mercer")
        for loaded in (type(model).load(tmp_path / "m.mercer"), pickle.loads(pickle.dumps(model))):
            np.testing.assert_array_equal(loaded.score_samples(rows), model.score_samples(rows))
            refitted = type(model)(**loaded.get_params()).fit(rows)
            np.testing.assert_array_equal(refitted.score_samples(rows), model.score_samples(rows))
    assert KernelDensity.from_bytes(models[0].to_bytes()).lower == [-9, None, -9]
    with pytest.raises(ValueError, match="kde"):
        KernelDensity.from_bytes(models[3].to_bytes())


def test_weights_are_copies(rows):
    weights = np.arange(300) % 4
    copies = np.repeat(rows, weights, axis=0)
    for make in (
        lambda: KernelDensity(bandwidth="silverman", form="full"),
        lambda: KernelDensity(bandwidth=0.3),
        lambda: HistogramDensity(bins=4),
        lambda: NeighborsDensity(9),
    ):
        weighted, repeated = make().fit(rows, sample_weight=weights), make().fit(copies)
        np.testing.assert_allclose(weighted.score_samples(rows), repeated.score_samples(rows), rtol=1e-9)


def test_histograms_and_neighbours_count(rows):
    X = rows[:, :2]
    histogram = HistogramDensity(bins=[5, 7]).fit(X)
    values, first, second = np.histogram2d(X[:, 0], X[:, 1], bins=[5, 7], density=True)
    np.testing.assert_allclose(histogram.bin_edges_[0], first)
    np.testing.assert_allclose(histogram.bin_edges_[1], second)
    middles = np.stack(np.meshgrid((first[1:] + first[:-1]) / 2, (second[1:] + second[:-1]) / 2, indexing="ij"), -1)
    np.testing.assert_allclose(np.exp(histogram.score_samples(middles.reshape(-1, 2))), values.ravel(), rtol=1e-9)
    edges = np.histogram_bin_edges(X[:, 0], "sturges")
    np.testing.assert_allclose(HistogramDensity("sturges").fit(X[:, :1]).bin_edges_[0], edges)

    density = NeighborsDensity(12).fit(X)
    queries = X[:30] + 0.05
    radius = np.sort(np.linalg.norm(queries[:, None] - X, axis=2), axis=1)[:, 11]
    np.testing.assert_allclose(np.exp(density.score_samples(queries)), 12 / (300 * np.pi * radius**2))
    assert NeighborsDensity().fit(X).n_neighbors_ == 17


def test_the_classifier_is_bayes_rule():
    X, y = load_iris(return_X_y=True)
    labels = np.array(["setosa", "versicolor", "virginica"])[y]
    model = KernelDensityClassifier(bandwidth=0.4, rtol=0, priors="equal").fit(X, labels)
    logs = np.column_stack([KernelDensity(bandwidth=0.4).fit(X[y == c]).score_samples(X) for c in range(3)])
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    np.testing.assert_allclose(model.predict_proba(X), shares / shares.sum(axis=1, keepdims=True), atol=1e-10)
    np.testing.assert_allclose(model.class_prior_, 1 / 3)
    np.testing.assert_array_equal(model.predict(X), model.classes_[logs.argmax(axis=1)])
    for bandwidth in ("silverman", "likelihood", [0.3, 0.3, 0.3, 0.1]):
        assert KernelDensityClassifier(bandwidth).fit(X, y).score(X, y) > 0.95
    loaded = KernelDensityClassifier.from_bytes(model.to_bytes())
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert (loaded.priors, loaded.bandwidth) == ("equal", 0.4)
    with np.errstate(divide="raise"):
        assert model.predict_log_proba(X[:1])[0, 2] < -20


def test_sparse_rows_and_frames(rows):
    density = KernelDensity(bandwidth=0.5).fit(rows)
    sparse = KernelDensity(bandwidth=0.5).fit(scipy.sparse.csr_matrix(rows))
    np.testing.assert_array_equal(sparse.score_samples(rows), density.score_samples(scipy.sparse.csr_matrix(rows)))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"bandwidth": 0}, "bandwidth"),
        ({"bandwidth": -1.0}, "bandwidth"),
        ({"bandwidth": "sillyman"}, "silverman"),
        ({"bandwidth": [0.1, 0.2]}, "3 columns"),
        ({"bandwidth": [0.1, -0.2, 1]}, "bandwidth"),
        ({"bandwidth": np.eye(2)}, "3 columns"),
        ({"bandwidth": np.eye(3) + np.triu(np.ones((3, 3)), 1)}, "symmetric"),
        ({"bandwidth": np.ones((3, 3))}, "positive definite"),
        ({"bandwidth": None}, "bandwidth"),
        ({"kernel": "rbf"}, "epanechnikov"),
        ({"metric": "manhattan"}, "Euclidean"),
        ({"metric_params": {"p": 1}}, "metric_params"),
        ({"algorithm": "brute"}, "kd_tree"),
        ({"rtol": -1}, "rtol"),
        ({"leaf_size": 0}, "leaf_size"),
        ({"form": "round"}, "diagonal"),
        ({"lower": "zero"}, "lower"),
        ({"lower": [0, 0]}, "3 columns"),
        ({"lower": 10}, "outside"),
        ({"bandwidth": "isj"}, "one dimension|one column"),
    ],
)
def test_wrong_parameters_are_explained(parameters, words, rows):
    with pytest.raises((ValueError, ArithmeticError), match=words):
        KernelDensity(**parameters).fit(rows)


def test_wrong_asks_are_explained(rows):
    density = KernelDensity(bandwidth=0.5, kernel="tophat").fit(rows)
    with pytest.raises(ValueError, match="one column"):
        density.cdf(rows)
    with pytest.raises(ValueError, match="from 0 to 2"):
        density.marginal([0, 3])
    with pytest.raises(ValueError, match="different"):
        density.marginal([0, 0])
    with pytest.raises(ValueError, match="no names"):
        density.marginal("age")
    with pytest.raises(ValueError, match="all columns"):
        density.conditional([0, 1, 2], [0, 0, 0])
    with pytest.raises(ValueError, match="one finite number"):
        density.conditional([0, 1], [0.0])
    assert np.isnan(density.conditional(0, 99).score_samples([[0.0, 0.0]])[0])
    with pytest.raises(ValueError, match="density is 0"):
        density.conditional(0, 99).sample()
    with pytest.raises(ValueError, match="2"):
        density.marginal([0, 1]).score_samples(rows)
    with pytest.raises(ValueError, match="n_samples"):
        density.sample(0)
    with pytest.raises(ValueError, match="bins"):
        HistogramDensity(bins=0).fit(rows)
    with pytest.raises(ValueError, match="n_neighbors"):
        NeighborsDensity(0).fit(rows)
    with pytest.raises(ValueError, match="301"):
        NeighborsDensity(301).fit(rows)
    with pytest.raises(ValueError, match="same value everywhere"):
        KernelDensity(bandwidth="normal").fit(np.ones((5, 1)))
    with pytest.raises(ValueError, match="KernelDensity holds"):
        KernelDensity.from_bytes(SVC().fit(rows, rows[:, 0] > 0).to_bytes())


@pytest.mark.parametrize("form", ["scalar", "diagonal", "full"])
def test_columns_of_one_value_are_left_out(rows, form):
    wide = np.insert(rows, 1, 7.0, axis=1)
    alone = KernelDensity(bandwidth="silverman", form=form).fit(rows)
    density = KernelDensity(bandwidth="silverman", form=form).fit(wide)
    np.testing.assert_array_equal(density.score_samples(wide), alone.score_samples(rows))
    assert any("left out" in note for note in density.fit_report_["notes"])
    np.testing.assert_allclose(
        density.marginal([3, 0]).score_samples(rows[:, [2, 0]]), alone.marginal([2, 0]).score_samples(rows[:, [2, 0]])
    )
    drawn = density.sample(5, random_state=0)
    np.testing.assert_array_equal(drawn, np.insert(alone.sample(5, random_state=0), 1, 7.0, axis=1))
    with pytest.raises(ValueError, match="one value in all rows"):
        density.marginal([1]).score_samples([[7.0]])


def test_a_column_of_one_value_does_not_change_classes():
    X, y = load_iris(return_X_y=True)
    wide = np.insert(X, 2, 1.5, axis=1)
    want = KernelDensityClassifier().fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(KernelDensityClassifier().fit(wide, y).predict_proba(wide), want)
