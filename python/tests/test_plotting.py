"""The displays: what they compute, and that it is drawn."""

import builtins
import json

import numpy as np
import pytest
import scipy.stats
import sklearn.gaussian_process
from sklearn.datasets import load_iris, make_moons
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402

from mercer.gaussian_process import GaussianProcessRegressor  # noqa: E402
from mercer.kernel_ridge import KernelRidge  # noqa: E402
from mercer.kernels import RBF  # noqa: E402
from mercer.plotting import (  # noqa: E402
    CoverageDisplay,
    DecisionRegionsDisplay,
    GramDisplay,
    PredictionIntervalDisplay,
    ProfileDisplay,
    RelevanceDisplay,
    TuningDisplay,
)
from mercer.plotting._support import bound_support  # noqa: E402
from mercer.svm import SVC, SVR, LinearSVC, NuSVC, OneClassSVM  # noqa: E402


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def moons():
    return make_moons(120, noise=0.25, random_state=0)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def curve():
    generator = np.random.default_rng(0)
    X = generator.uniform(0, 6, size=(60, 1))
    return X, np.sin(X[:, 0]) + 0.2 * generator.normal(size=60)


@pytest.fixture(scope="module")
def process(curve):
    return GaussianProcessRegressor("1*rbf(lengthscale=1)", alpha=0.04).fit(*curve)


# ---- Decision regions --------------------------------------------------------------------------------------------


def test_two_classes_have_regions_margins_and_rings(moons):
    X, y = moons
    model = SVC(C=2.0, tol=1e-8).fit(X, y)
    display = DecisionRegionsDisplay.from_estimator(model, X, y, grid_resolution=40)
    grid = np.column_stack([display.xx0.ravel(), display.xx1.ravel()])
    np.testing.assert_array_equal(display.regions.ravel(), model.predict(grid))
    np.testing.assert_allclose(display.values.ravel(), model.decision_function(grid))
    assert display.lines_.levels.tolist() == [-1, 0, 1]
    # The border lies where decision values vanish.
    border = np.vstack(list(display.lines_.allsegs[1]))
    assert np.abs(model.decision_function(border)).max() < 0.1
    margins = model.decision_function(X[model.support_]) * (2 * y[model.support_] - 1)
    np.testing.assert_array_equal(display.bound, margins < 1 - 1e-4)
    assert len(display.free_.get_offsets()) == np.sum(~display.bound) > 0
    assert len(display.bound_.get_offsets()) == np.sum(display.bound) > 0
    assert {tuple(place) for place in display.free_.get_offsets()} <= {tuple(row) for row in X}
    assert sum(len(points.get_offsets()) for points in display.points_) == 120
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()][:2] == ["0", "1"]
    assert display.ax_.get_xlim() == (display.xx0.min(), display.xx0.max())


def test_two_of_four_columns_of_three_classes(iris):
    X, y = iris
    model = SVC().fit(X, y)
    display = DecisionRegionsDisplay.from_estimator(model, X, y, columns=(2, 3), grid_resolution=25)
    assert display.values is None and display.lines_ is None
    grid = np.tile(np.median(X, axis=0), (625, 1))
    grid[:, 2], grid[:, 3] = display.xx0.ravel(), display.xx1.ravel()
    np.testing.assert_array_equal(display.regions.ravel(), model.predict(grid))
    assert len(np.unique(display.regions)) == 3
    assert display.ax_.get_xlabel() == "column 2" and display.ax_.get_ylabel() == "column 3"
    fixed = DecisionRegionsDisplay.from_estimator(
        model, X, y, columns=(2, 3), others=[5, 3, 0, 0], grid_resolution=25, ax=display.ax_
    )
    grid[:, :2] = [5, 3]
    np.testing.assert_array_equal(fixed.regions.ravel(), model.predict(grid))
    assert fixed.ax_ is display.ax_


def test_text_labels_frames_linear_machines_and_pipelines(moons):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    X, y = moons
    labels = np.where(y == 1, "upper", "lower")
    for frame in (pandas.DataFrame(X, columns=["left", "right"]), polars.DataFrame(X, schema=["left", "right"])):
        display = DecisionRegionsDisplay.from_estimator(
            LinearSVC().fit(frame, labels), frame, labels, grid_resolution=15
        )
        assert display.ax_.get_xlabel() == "left"
        assert display.support is None and display.free_ is None
        assert display.classes.tolist() == ["lower", "upper"]
    pipeline = make_pipeline(StandardScaler(), SVC()).fit(X, labels)
    assert DecisionRegionsDisplay.from_estimator(pipeline, X, grid_resolution=15).values.shape == (15, 15)


def test_outlier_detectors_have_a_border(moons):
    X = moons[0]
    model = OneClassSVM(nu=0.2, tol=1e-8).fit(X)
    display = DecisionRegionsDisplay.from_estimator(model, X, grid_resolution=60)
    assert display.classes.tolist() == [-1, 1] and display.lines_.levels.tolist() == [0]
    outside = model.decision_function(X)[model.support_] < -1e-6
    assert np.all(display.bound[outside]) and outside.any()


@pytest.mark.parametrize("weighted", [False, True])
def test_bounds_follow_weights_of_classes_and_rows(moons, weighted):
    X, y = moons
    weights = np.random.default_rng(3).uniform(0.5, 2, len(y)) if weighted else None
    model = SVC(C=0.7, tol=1e-8, class_weight={0: 1.0, 1: 3.0}).fit(X, y, sample_weight=weights)
    margins = model.decision_function(X[model.support_]) * (2 * y[model.support_] - 1)
    np.testing.assert_array_equal(bound_support(model, weights), margins < 1 - 1e-4)


def test_bounds_of_machines_with_nu(moons, iris):
    model = NuSVC(nu=0.4, tol=1e-8).fit(*moons)
    at_bound = bound_support(model)
    sizes = np.abs(model.dual_coef_[0])
    assert np.ptp(sizes[at_bound]) < 1e-5 * sizes.max() and sizes[~at_bound].max() < sizes.max()
    several = bound_support(NuSVC(nu=0.2).fit(*iris))
    assert several.any() and not several.all()


def test_what_has_no_regions_is_refused(moons, curve):
    X, y = moons
    model = SVC().fit(X, y)
    with pytest.raises(ValueError, match="two different columns of the 2"):
        DecisionRegionsDisplay.from_estimator(model, X, columns=(0, 2))
    with pytest.raises(ValueError, match="rows of the fit"):
        DecisionRegionsDisplay.from_estimator(model, X[:5])
    assert DecisionRegionsDisplay.from_estimator(model, X[:5], mark_support=False, grid_resolution=5).free_ is None
    regression = SVR().fit(X, y)
    with pytest.raises(TypeError, match="no classifier"):
        DecisionRegionsDisplay.from_estimator(regression, X)


# ---- Kernel matrices ---------------------------------------------------------------------------------------------


def test_gram_is_sorted_by_class(iris):
    X, y = iris
    mixed = np.random.default_rng(0).permutation(150)
    display = GramDisplay.from_kernel(RBF(gamma=0.5), X[mixed], y[mixed])
    np.testing.assert_array_equal(np.sort(y[mixed]), display.labels)
    np.testing.assert_array_equal(y[mixed][display.order], display.labels)
    expected = RBF(gamma=0.5)(X[mixed][display.order])
    np.testing.assert_allclose(display.matrix, expected, atol=1e-12)
    np.testing.assert_allclose(display.eigenvalues, np.linalg.eigvalsh(expected)[::-1], atol=1e-10)
    np.testing.assert_array_equal(display.image_.get_array(), display.matrix)
    shown = display.eigenvalues[: len(display.spectrum_.get_ydata())]
    np.testing.assert_allclose(display.spectrum_.get_ydata(), shown)
    assert [text.get_text() for text in display.axes_[0].get_yticklabels()] == ["0", "1", "2"]
    assert display.negative_ is None


def test_gram_of_an_estimator_with_many_rows(iris):
    X, y = iris
    display = GramDisplay.from_estimator(SVC(gamma="scale").fit(X, y), X, y, max_rows=30)
    assert display.matrix.shape == (30, 30) and len(np.unique(display.labels)) == 3
    expected = np.exp(-((X[display.order][:, None] - X[display.order][None]) ** 2).sum(-1) / (4 * X.var()))
    np.testing.assert_allclose(display.matrix, expected, atol=1e-6)
    with pytest.raises(ValueError, match="from_matrix"):
        GramDisplay.from_estimator(SVC(kernel="precomputed").fit(X @ X.T, y), X, y)


def test_gram_shows_negative_eigenvalues():
    matrix = np.diag([2.0, -1.0, 0.5])
    axes = plt.subplots(1, 2)[1]
    display = GramDisplay.from_matrix(matrix, ax=axes)
    assert display.eigenvalues.tolist() == [2, 0.5, -1]
    assert display.negative_.get_ydata().tolist() == [1]
    assert display.axes_[0] is axes[0] and display.axes_[1] is axes[1]
    with pytest.raises(ValueError, match="square"):
        GramDisplay.from_matrix(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="2 labels for 3 rows"):
        GramDisplay.from_matrix(matrix, [0, 1])


# ---- Intervals ---------------------------------------------------------------------------------------------------


def test_curve_with_bands(process, curve):
    X, y = curve
    display = PredictionIntervalDisplay.from_estimator(process, X, y, levels=(0.5, 0.9), resolution=50)
    grid = display.x[:, None]
    np.testing.assert_allclose(display.mean, process.predict(grid))
    np.testing.assert_allclose(display.lower[:, 1], process.predict_quantiles(grid, [0.05])[:, 0])
    np.testing.assert_allclose(display.upper[:, 0], process.predict_quantiles(grid, [0.75])[:, 0])
    assert np.all(display.lower[:, 1] < display.lower[:, 0])
    np.testing.assert_allclose(display.mean_.get_ydata(), display.mean)
    assert [band.get_label() for band in display.bands_] == ["90 %", "50 %"]
    ends = display.bands_[0].get_paths()[0].vertices[:, 1]
    assert ends.min() == pytest.approx(display.lower[:, 1].min()) and ends.max() == pytest.approx(
        display.upper[:, 1].max()
    )
    assert len(display.points_.get_offsets()) == 60
    with pytest.raises(ValueError, match="kind='actual_vs_predicted'"):
        display.covered()


def test_predicted_against_true_values(process, curve):
    X, y = curve
    display = PredictionIntervalDisplay.from_estimator(process, X, y, kind="actual_vs_predicted", levels=(0.5, 0.95))
    np.testing.assert_allclose(display.mean, process.predict(X))
    lower, upper = process.predict_quantiles(X, [0.025, 0.975]).T
    np.testing.assert_allclose(display.covered()[1], np.mean((y >= lower) & (y <= upper)))
    assert display.covered()[1] > display.covered()[0]
    np.testing.assert_allclose(display.points_.get_offsets(), np.column_stack([y, process.predict(X)]))
    bars = np.array(display.bands_[-1].get_segments())
    np.testing.assert_allclose(bars[:, :, 1], np.column_stack([lower, upper]))
    # Of several columns there is no curve.
    wide = np.column_stack([X, X**2])
    model = GaussianProcessRegressor("rbf(lengthscale=1)", optimizer=None, alpha=0.1).fit(wide, y)
    assert PredictionIntervalDisplay.from_estimator(model, wide, y).x is None
    with pytest.raises(ValueError, match="a curve needs one column"):
        PredictionIntervalDisplay.from_estimator(model, wide, y, kind="curve")
    with pytest.raises(ValueError, match="y is needed"):
        PredictionIntervalDisplay.from_estimator(model, wide)


def test_intervals_of_scikit_learn_and_of_anyone(curve):
    X, y = curve
    theirs = sklearn.gaussian_process.GaussianProcessRegressor(alpha=0.04).fit(X, y)
    display = PredictionIntervalDisplay.from_estimator(theirs, X, y, levels=(0.9,), resolution=20)
    mean, deviation = theirs.predict(display.x[:, None], return_std=True)
    np.testing.assert_allclose(display.upper[:, 0], mean + scipy.stats.norm.ppf(0.95) * deviation)
    with pytest.raises(TypeError, match="no predictive distribution"):
        PredictionIntervalDisplay.from_estimator(KernelRidge().fit(X, y), X, y)
    own = PredictionIntervalDisplay.from_predictions([0, 1, 2], [0, 1, 3], lower=[-1, 0, 2.5], upper=[1, 2, 4])
    assert own.covered().tolist() == [2 / 3] and own.ax_.get_xlabel() == "true value"
    with pytest.raises(ValueError, match="do not fit together"):
        PredictionIntervalDisplay.from_predictions([0, 1], [0, 1, 2], lower=[0, 0], upper=[1, 1])
    with pytest.raises(ValueError, match="between 0 and 1"):
        PredictionIntervalDisplay.from_estimator(theirs, X, y, levels=(95,))


def test_coverage(process):
    generator = np.random.default_rng(1)
    X = generator.uniform(0, 6, size=(400, 1))
    y = np.sin(X[:, 0]) + 0.2 * generator.normal(size=400)
    display = CoverageDisplay.from_estimator(process, X, y)
    assert np.abs(display.observed - display.nominal).max() < 0.1
    assert np.all(np.diff(display.observed) >= 0)
    np.testing.assert_array_equal(display.line_.get_ydata(), display.observed)
    edges = display.band_.get_paths()[0].vertices[:, 1]
    assert edges.max() == pytest.approx(scipy.stats.binom(400, 0.99).ppf(0.975) / 400)
    mean, deviation = process.predict(X, return_std=True)
    narrow = CoverageDisplay.from_predictions(y, mean, deviation / 10, levels=[0.5, 0.9])
    assert np.all(narrow.observed < narrow.nominal)
    with pytest.raises(ValueError, match="observations"):
        CoverageDisplay.from_predictions(y[:5], mean, deviation)


# ---- Relevances --------------------------------------------------------------------------------------------------


def test_relevances_are_inverse_length_scales():
    generator = np.random.default_rng(2)
    X = generator.normal(size=(80, 3))
    y = np.sin(2 * X[:, 1]) + 0.2 * X[:, 2]
    model = GaussianProcessRegressor("1*rbf(lengthscale=ard) + white(variance=0.01)").fit(X, y)
    display = RelevanceDisplay.from_estimator(model, names=["a", "b", "c"])
    found = model.kernel_.get_params()
    assert display.ranking() == ["b", "c", "a"]
    lengths = next(value for name, value in found.items() if name.endswith("lengthscale"))
    np.testing.assert_allclose(display.relevances, 1 / np.asarray(lengths, dtype=float))
    widths = [bar.get_width() for bar in display.bars_]
    np.testing.assert_allclose(widths, np.sort(display.relevances)[::-1])
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["b", "c", "a"]


def test_relevances_of_scikit_learn_kernels_and_of_columns():
    kernels = sklearn.gaussian_process.kernels
    generator = np.random.default_rng(2)
    X = generator.normal(size=(30, 2))
    model = GaussianProcessRegressor(kernels.RBF([1.0, 3.0]), optimizer=None, alpha=0.1).fit(X, X[:, 0])
    np.testing.assert_allclose(RelevanceDisplay.from_estimator(model).relevances, [1, 1 / 3])
    spec = "rbf(lengthscale=[1, inf])[age, bmi] + matern(nu=1.5, lengthscale=[2, 4])[0:2]"
    display = RelevanceDisplay.from_kernel(spec, names=["first", "second"])
    assert display.names == ["age (rbf)", "bmi (rbf)", "first (matern)", "second (matern)"]
    assert display.relevances.tolist() == [1, 0, 0.5, 0.25]
    with pytest.raises(ValueError, match="no length scale per column"):
        RelevanceDisplay.from_kernel("rbf(gamma=1)")
    with pytest.raises(ValueError, match="3 names of columns for 2"):
        RelevanceDisplay.from_kernel("rbf(lengthscale=[1, 2])", names=["a", "b", "c"])


# ---- Searches ----------------------------------------------------------------------------------------------------


def test_surface_of_a_grid_search(moons):
    grid = {
        "svc__C": [0.1, 1.0, 10.0],
        "svc__gamma": [0.01, 0.1, 1.0, 10.0],
        "svc__kernel": ["rbf", "laplacian(gamma=1)"],
    }
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=3).fit(*moons)
    display = TuningDisplay.from_search(search)
    assert display.names == ("svc__C", "svc__gamma") and display.logarithmic == (True, True)
    across, along, table = display.grid()
    assert across.tolist() == [0.1, 1, 10] and along.tolist() == [0.01, 0.1, 1, 10]
    results = search.cv_results_
    for column, C in enumerate(across):
        for row, gamma in enumerate(along):
            chosen = [
                score
                for point, score in zip(results["params"], results["mean_test_score"], strict=True)
                if point["svc__C"] == C and point["svc__gamma"] == gamma
            ]
            assert len(chosen) == 2 and table[row, column] == max(chosen)
    assert display.best_point()[2] == search.best_score_
    assert display.ax_.get_xscale() == "log"
    np.testing.assert_array_equal(display.surface_.get_array().reshape(4, 3), table)
    np.testing.assert_allclose(display.best_.get_offsets()[0], display.best_point()[:2])
    turned = TuningDisplay.from_search(results, x="gamma", y="C", plot=False)
    assert turned.names == ("svc__gamma", "svc__C")


def test_scattered_points_and_wrong_searches(moons):
    display = TuningDisplay(x=[1, 2, 3], y=[5, 4, 7], scores=[3, 1, np.nan], names=("a", "b"), higher_is_better=False)
    assert display.grid() is None and display.best_point() == (2, 4, 1)
    assert len(display.plot().surface_.get_offsets()) == 3
    search = GridSearchCV(SVC(), {"C": [1.0, 2.0]}, cv=3).fit(*moons)
    with pytest.raises(ValueError, match="two numeric parameters"):
        TuningDisplay.from_search(search)
    with pytest.raises(ValueError, match="no numeric parameter 'gamma'"):
        TuningDisplay.from_search(search, y="gamma")
    with pytest.raises(ValueError, match="cv_results_"):
        TuningDisplay.from_search(SVC())


def log_lines():
    axes = [
        {"name": "C", "in": "option", "simpler": "lower", "numbers": "real", "scale": "log", "lower": 1, "upper": 10},
        {
            "name": "gamma",
            "in": "kernel",
            "simpler": "lower",
            "numbers": "real",
            "scale": "log",
            "lower": 0.1,
            "upper": 1,
        },
    ]
    header = {"mercer_tune": 1, "model": "svc", "axes": axes, "metric": "accuracy", "better": "higher"}
    units = [
        {"round": 0, "fold": fold, "points": [[C, gamma] for C in (1, 10)], "scores": [0.5 + 0.1 * fold + gamma, score]}
        for fold in range(2)
        for gamma, score in ((0.1, 0.9), (1, None))
    ]
    halved = {"round": 0, "fold": 0, "fraction": 0.5, "points": [[1, 0.1]], "scores": [0.99]}
    nested = {"outer": 1, "round": 0, "fold": 0, "points": [[1, 0.1]], "scores": [0.99]}
    half_tried = {"round": 1, "fold": 0, "points": [[3, 0.1]], "scores": [1.0]}
    return [header, *units, halved, nested, half_tried, {"outer": 1, "score": 0.9, "chosen": [1, 0.1]}]


def test_surface_of_a_log(tmp_path):
    path = tmp_path / "m.tune.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in log_lines()) + '{"round": 0, "fo')
    display = TuningDisplay.from_log(path)
    across, along, table = display.grid()
    assert across.tolist() == [1, 10] and along.tolist() == [0.1, 1]
    np.testing.assert_allclose(table, [[0.65, 0.9], [1.55, np.nan]])
    assert display.metric == "accuracy" and display.logarithmic == (True, True)
    assert display.best_point() == (1, 1, 1.55)


def test_broken_logs_are_refused(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"other": 1}\n')
    with pytest.raises(ValueError, match="not the log of a search"):
        TuningDisplay.from_log(path)
    path.write_text("{\n")
    with pytest.raises(ValueError, match="line 1: this is no JSON"):
        TuningDisplay.from_log(path)
    path.write_text(json.dumps(log_lines()[0]) + "\n")
    with pytest.raises(ValueError, match="no point of the search"):
        TuningDisplay.from_log(path)
    with pytest.raises(FileNotFoundError, match=r"none\.jsonl"):
        TuningDisplay.from_log(tmp_path / "none.jsonl")


# ---- Without matplotlib ------------------------------------------------------------------------------------------


def test_matplotlib_is_needed_for_drawing_only(monkeypatch):
    find = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return find(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    display = RelevanceDisplay.from_kernel("rbf(lengthscale=[1, 2])", plot=False)
    with pytest.raises(ImportError, match=r"RelevanceDisplay.plot requires matplotlib.*pip install matplotlib"):
        display.plot()


# ---- Profiles ------------------------------------------------------------------------------------------------------


def test_profiles_show_what_the_model_looks_at():
    X = ["AAAAGATTACAAAA", "AAAAAAAAAAAAAA", "CCCCGATTACACCC", "CCCCCCCCCCCCCC"]
    model = LinearSVC(kernel="spectrum(k=4)").fit(X, ["site", "none", "site", "none"])
    display = ProfileDisplay.from_estimator(model, X, row=2)
    assert (display.sequence, display.name) == (X[2], "site")
    assert display.values.sum() + model.intercept_[0] == pytest.approx(model.decision_function(X)[2])
    assert [bar.get_height() for bar in display.bars_] == display.values.tolist()
    assert "".join(label.get_text() for label in display.ax_.get_xticklabels()) == X[2]
    assert ProfileDisplay.from_estimator(model, [X[2] * 20]).ax_.get_xlabel() == "position"
    with pytest.raises(ValueError, match="row=4"):
        ProfileDisplay.from_estimator(model, X, row=4)


def test_profiles_of_several_classes_and_columns():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": ["AC", "GT", "TT"] * 4, "b": ["CC", "GG", "AT"] * 4})
    model = LinearSVC(kernel="spectrum(k=1)[a] + spectrum(k=1)[b]").fit(frame, [0, 1, 2] * 4)
    display = ProfileDisplay.from_estimator(model, frame, row=1, machine=2, column="b", plot=False)
    assert display.sequence == "GG"
    np.testing.assert_array_equal(display.values, model.profile(frame, column="b")[1][:, 2])
    with pytest.raises(ValueError, match="machine=3"):
        ProfileDisplay.from_estimator(model, frame, machine=3)
