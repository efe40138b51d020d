"""Embedding and forecasts of series: against loops, for estimators of this package and of scikit-learn."""

import numpy as np
import pytest
from frame_helpers import needs_program, run
from sklearn.linear_model import LinearRegression

from mercer.kernel_ridge import KernelRidge
from mercer.series import embed, forecast


@pytest.mark.parametrize(("lags", "delay"), [(1, 1), (4, 1), (3, 5), (19, 1)])
def test_rows_are_the_past(lags, delay):
    z = np.random.default_rng(0).normal(size=20)
    X, y = embed(z, lags, delay)
    times = range(lags * delay, len(z))
    assert np.array_equal(X, [[z[t - k * delay] for k in range(1, lags + 1)] for t in times])
    assert np.array_equal(y, [z[t] for t in times])


def test_values_that_are_missing_leave_rows_out():
    z = np.arange(12.0)
    z[5] = np.nan
    X, y = embed(z, 2)
    assert y.tolist() == [2, 3, 4, 8, 9, 10, 11]
    assert np.isfinite(X).all()
    with pytest.raises(ValueError, match="values are missing everywhere"):
        embed(np.full(5, np.nan), 2)


@pytest.mark.parametrize("model", [KernelRidge(alpha=1e-11, kernel="linear"), LinearRegression(fit_intercept=False)])
def test_a_linear_recurrence_goes_on_exactly(model):
    z = 2 * np.cos(0.31 * np.arange(120) + 0.4)
    model.fit(*embed(z[:60], 2))
    ahead = forecast(model, z[:60], 60, 2)
    assert np.allclose(ahead, z[60:], rtol=0, atol=1e-5)


def test_a_forecast_is_its_loop():
    z = [0.3]
    for _ in range(80):
        z.append(3.6 * z[-1] * (1 - z[-1]))
    model = KernelRidge(alpha=1e-6, kernel="rbf", gamma=2).fit(*embed(z, 2, 3))
    longer = list(z)
    for value in forecast(model, z, 5, 2, 3):
        assert value == model.predict([[longer[-3], longer[-6]]])[0]
        longer.append(value)


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="too short to look 6 back"):
        embed(np.arange(6), 3, 2)
    for lags in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match=r"lags=.* must be a whole number, 1 or more"):
            embed(np.arange(6), lags)
    with pytest.raises(ValueError, match="delay=0 must be a whole number"):
        embed(np.arange(6), 1, 0)
    with pytest.raises(ValueError, match="must be one row of numbers"):
        embed(np.ones((4, 2)), 1)
    model = LinearRegression().fit(*embed(np.arange(6), 2))
    with pytest.raises(ValueError, match="ends after 1 values"):
        forecast(model, [1.0], 1, 2)
    with pytest.raises(ValueError, match="steps=0"):
        forecast(model, [1.0, 2.0], 0, 2)
    with pytest.raises(ValueError, match="is not finite: fill it in"):
        forecast(model, [1.0, np.nan], 1, 2)


@needs_program
def test_a_model_of_the_program_takes_rows_with_their_past(tmp_path):
    z = np.round(np.sin(0.4 * np.arange(60)), 6)
    file = tmp_path / "series.csv"
    file.write_text("y\n" + "".join(f"{float(value)!r}\n" for value in z))
    model = tmp_path / "m.mercer"
    run("fit", "ridge", str(file), "-t", "y", "--embed", "4,2", "-o", str(model), "-q")
    told = [float(line) for line in run("predict", str(model), str(file), "--forecast", "8").splitlines()[1:]]
    loaded = KernelRidge.load(model)
    assert np.allclose(forecast(loaded, z, 8, 4, 2), told, rtol=0, atol=1e-9)
