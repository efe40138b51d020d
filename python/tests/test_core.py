"""The compiled module: samples, kernels, models, files."""

import ast
import pathlib
import pickle
import re

import numpy as np
import pytest
import scipy.sparse

from mercer import NumericalError, _core


def gaussian(X, Y, gamma):
    return np.exp(-gamma * ((X[:, None, :] - Y[None, :, :]) ** 2).sum(axis=2))


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 4))
    return X, np.sin(X[:, 0]) + 0.3 * X[:, 1], rng.normal(size=(17, 4))


def test_gram_is_the_formula(data):
    X, _, Z = data
    kernel = _core.Kernel("rbf(gamma=0.3)")
    x, z = _core.Samples.dense(X), _core.Samples.dense(Z)
    assert np.allclose(kernel.gram(x), gaussian(X, X, 0.3), atol=1e-13)
    assert np.allclose(kernel.gram(z, x), gaussian(Z, X, 0.3), atol=1e-13)
    assert kernel.gram(x, float32=True).dtype == np.float32
    assert np.allclose(kernel.gram(x, float32=True), gaussian(X, X, 0.3), atol=1e-5)
    assert np.array_equal(kernel.diagonal(x), np.ones(60))


def test_symbolic_widths_come_from_the_reference(data):
    X, _, Z = data
    x, z = _core.Samples.dense(X), _core.Samples.dense(Z)
    gamma = 1 / (X.shape[1] * X.var())
    assert np.allclose(_core.Kernel("rbf()").gram(z, x), gaussian(Z, X, gamma), atol=1e-12)
    assert not _core.Kernel("rbf(gamma=scale)").is_resolved
    resolved = _core.Kernel("rbf(gamma=scale)").resolved(x)
    assert resolved.is_resolved
    assert resolved.scale_parameters()[0]["value"] == pytest.approx(gamma)


def test_contract_is_the_finite_difference(data):
    X, _, _ = data
    x = _core.Samples.dense(X)
    kernel = _core.Kernel("2*rbf(gamma=0.3) + poly(degree=2, gamma=0.1, coef0=1)")
    Q = np.random.default_rng(0).normal(size=(60, 60))
    Q = Q + Q.T
    values = [parameter["value"] for parameter in kernel.scale_parameters()]
    gradient = kernel.contract(x, Q)
    assert gradient.shape == (len(values),)
    for i, value in enumerate(values):
        step = 1e-6 * max(1.0, abs(value))
        up, down = list(values), list(values)
        up[i] += step
        down[i] -= step
        difference = kernel.with_scale_parameters(up).gram(x) - kernel.with_scale_parameters(down).gram(x)
        assert gradient[i] == pytest.approx((Q * difference).sum() / (2 * step), rel=1e-6)


def test_input_gradient_is_the_formula(data):
    X, _, Z = data
    Q = np.random.default_rng(1).normal(size=(17, 60))
    found = _core.Kernel("rbf(gamma=0.3)").input_gradient(_core.Samples.dense(Z), _core.Samples.dense(X), Q)
    weights = Q * gaussian(Z, X, 0.3)
    expected = -2 * 0.3 * (weights[:, :, None] * (Z[:, None, :] - X[None, :, :])).sum(axis=1)
    assert np.allclose(found, expected, atol=1e-11)


def test_wrong_shapes_of_weights(data):
    X, _, _ = data
    with pytest.raises(ValueError, match=r"shape \(3, 3\)"):
        _core.Kernel("linear()").contract(_core.Samples.dense(X), np.ones((3, 3)))


def test_ridge_is_the_normal_equations(data):
    X, y, Z = data
    settings = {"lambda": "0.5", "parametric": "none"}
    model = _core.fit("ridge", "rbf(gamma=0.3)", settings, _core.Samples.dense(X), y)
    alpha = np.linalg.solve(gaussian(X, X, 0.3) + 0.5 * np.eye(60), y)
    predictions = model.predict(_core.Samples.dense(Z))
    assert predictions.shape == (17, 1)
    assert np.allclose(predictions[:, 0], gaussian(Z, X, 0.3) @ alpha, atol=1e-10)
    assert model.name == "ridge"
    assert model.task == "regression"
    assert model.report["status"] == "converged"
    assert model.settings()["lambda"] == "0.5"
    assert np.allclose(model.arrays()["coefficients"][:, 0], alpha, atol=1e-10)


def test_several_outputs_are_one_each(data):
    X, y, Z = data
    x, z = _core.Samples.dense(X), _core.Samples.dense(Z)
    both = _core.fit("ridge", "rbf(gamma=0.3)", {}, x, np.column_stack([y, y**2])).predict(z)
    for column, target in enumerate([y, y**2]):
        single = _core.fit("ridge", "rbf(gamma=0.3)", {}, x, target).predict(z)
        assert np.allclose(both[:, column], single[:, 0], atol=1e-12)


def test_weights_are_repetitions(data):
    X, y, Z = data
    counts = np.random.default_rng(5).integers(0, 4, size=60)
    x = _core.Samples.dense(X)
    repeated = _core.Samples.dense(np.repeat(X, counts, axis=0))
    weighted = _core.fit("ridge", "rbf(gamma=0.3)", {}, x, y, sample_weight=counts.astype(float))
    plain = _core.fit("ridge", "rbf(gamma=0.3)", {}, repeated, np.repeat(y, counts))
    z = _core.Samples.dense(Z)
    assert np.allclose(weighted.predict(z), plain.predict(z), atol=1e-9)


def test_gp_moments_are_the_formula(data):
    X, y, Z = data
    settings = {"optimize": "no", "noise": "0.1", "standardize": "no"}
    x, z = _core.Samples.dense(X), _core.Samples.dense(Z)
    model = _core.fit("gp", "rbf(gamma=0.3)", settings, x, y)
    K, cross = gaussian(X, X, 0.3) + 0.1 * np.eye(60), gaussian(Z, X, 0.3)
    mean, variance = model.moments(z, "function")
    assert np.allclose(mean[:, 0], cross @ np.linalg.solve(K, y), atol=1e-9)
    covariance = gaussian(Z, Z, 0.3) - cross @ np.linalg.solve(K, cross.T)
    assert np.allclose(variance[:, 0], np.diag(covariance), atol=1e-9)
    assert np.allclose(model.covariance(z), covariance, atol=1e-9)
    assert np.allclose(model.moments(z, "observation")[1] - variance, 0.1, atol=1e-9)
    low, high = model.quantiles(z, [0.5, 0.975], "function").T
    assert np.allclose(low, mean[:, 0], atol=1e-9)
    assert np.allclose(high - low, 1.959963984540054 * np.sqrt(variance[:, 0]), atol=1e-8)
    truth = np.zeros((17, 1))
    spread = variance[:, 0] + 0.1
    density = -0.5 * np.log(2 * np.pi * spread) - mean[:, 0] ** 2 / (2 * spread)
    assert np.allclose(model.log_density(z, truth)[:, 0], density, atol=1e-8)
    draws = model.draws(z, 4000, "function", seed=1)
    assert np.array_equal(draws, model.draws(z, 4000, "function", seed=1))
    assert np.abs(draws.mean(axis=1) - mean[:, 0]).max() < 5 * np.sqrt(variance.max() / 4000)


def test_labels_and_codes_give_the_same_model(data):
    X, y, Z = data
    x, z = _core.Samples.dense(X), _core.Samples.dense(Z)
    codes = (y > 0).astype(np.int32)
    by_label = _core.fit("svc", "rbf(gamma=0.3)", {"C": "3"}, x, ["ab"[code] for code in codes])
    by_code = _core.fit("svc", "rbf(gamma=0.3)", {"C": "3"}, x, codes, classes=["a", "b"])
    assert by_label.classes == by_code.classes == ["a", "b"]
    assert np.array_equal(by_label.decide(z), by_code.decide(z))
    signs = by_code.decide(z)[:, 0] > 0
    assert np.array_equal(by_code.predict(z)[:, 0], signs.astype(float)) or np.array_equal(
        by_code.predict(z)[:, 0], (~signs).astype(float)
    )
    with pytest.raises(ValueError, match="class number 7"):
        _core.fit("svc", "linear()", {}, x, np.full(60, 7, dtype=np.int32), classes=["a", "b"])


def test_bytes_files_and_pickles_give_the_same_predictions(data, tmp_path):
    X, y, Z = data
    model = _core.fit("svr", "rbf(gamma=0.3)", {}, _core.Samples.dense(X), y)
    z = _core.Samples.dense(Z)
    path = str(tmp_path / "model.mercer")
    model.save(path)
    for copy in (
        _core.FittedModel.from_bytes(model.to_bytes()),
        _core.FittedModel.load(path),
        pickle.loads(pickle.dumps(model)),
    ):
        assert np.array_equal(copy.predict(z), model.predict(z))
        assert copy.to_bytes() == model.to_bytes()
    with pytest.raises(ValueError, match="the model's bytes"):
        _core.FittedModel.from_bytes(model.to_bytes()[:100])
    with pytest.raises(OSError, match="nowhere"):
        _core.FittedModel.load(str(tmp_path / "nowhere"))


def test_support_vectors_come_back(data):
    X, y, _ = data
    model = _core.fit("svr", "rbf(gamma=0.3)", {}, _core.Samples.dense(X), y)
    assert model.sample_set_names == ["centres"]
    assert model.arrays()["support_rows"].dtype == np.int64
    assert all(np.array_equal(model.array(name), values) for name, values in model.arrays().items())
    assert model.has_array("coefficients") and not model.has_array("centres")
    with pytest.raises(ValueError, match="a model svr has no array 'centres'"):
        model.array("centres")
    assert model.words()["kernel_precision"] in ("float", "double")
    centres = model.sample_set("centres")
    assert all(any(np.allclose(row, x, rtol=1e-6) for x in X) for row in centres)
    sparse = scipy.sparse.csr_matrix(np.where(np.abs(X) > 1, X, 0))
    model = _core.fit("svr", "rbf(gamma=0.3)", {}, _core.Samples.csr(sparse.data, sparse.indices, sparse.indptr, 4), y)
    values, indices, indptr, shape = model.sample_set("centres")
    rows = scipy.sparse.csr_matrix((values, indices, indptr), shape=shape).toarray()
    assert all(any(np.allclose(row, x, rtol=1e-6) for x in sparse.toarray()) for row in rows)


def test_same_bits_for_any_number_of_threads(data):
    X, y, Z = data
    x, z = _core.Samples.dense(X), _core.Samples.dense(Z)
    results = [_core.fit("gp", "rbf(lengthscale=1)", {}, x, y, threads=n, seed=4).predict(z) for n in (1, 2, 3)]
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


def test_errors_have_the_types_of_python(data):
    X, y, _ = data
    x = _core.Samples.dense(X)
    with pytest.raises(ValueError, match="Did you mean 'rbf'"):
        _core.Kernel("rbff()")
    with pytest.raises(ValueError, match="rigde"):
        _core.fit("rigde", "linear()", {}, x, y)
    with pytest.raises(ValueError, match="lamda"):
        _core.fit("ridge", "linear()", {"lamda": "1"}, x, y)
    with pytest.raises(ValueError, match="4"):
        _core.fit("ridge", "linear()", {}, x, y).predict(_core.Samples.dense(X[:, :3]))
    with pytest.raises(TypeError, match="y must be"):
        _core.fit("ridge", "linear()", {}, x, object())
    with pytest.raises(ValueError, match="observation"):
        _core.fit("gp", "rbf(gamma=1)", {}, x, y).moments(x, "both")
    assert issubclass(NumericalError, np.linalg.LinAlgError)
    assert issubclass(NumericalError, ArithmeticError)
    assert _core.NumericalError is NumericalError


def test_registries_describe_themselves():
    kernels = {entry["name"]: entry for entry in _core.kernel_registry()}
    assert kernels["rbf"]["parameters"][0]["name"] == "gamma"
    for entry in kernels.values():
        for example in entry["examples"]:
            assert _core.Kernel(example).spec == _core.Kernel(_core.Kernel(example).spec).spec
    models = {entry["name"]: entry for entry in _core.model_registry()}
    assert {"ridge", "svc", "svr", "gp"} <= set(models)
    assert models["gp"]["takes_noise"]
    assert all(option["meaning"] for entry in models.values() for option in entry["options"])


def stub_arguments(function):
    names = [argument.arg for argument in function.args.posonlyargs + function.args.args]
    return [name for name in names if name != "self"]


def compiled_arguments(function):
    signature = function.__doc__.splitlines()[0]
    inside = signature[signature.index("(") + 1 : signature.rindex(") ->")]
    names = re.findall(r"(?:^|, )\*?(\w+)(?=: |$|, )", re.sub(r"\[[^\[\]]*\]|\([^()]*\)", "", inside))
    return [name for name in names if name != "self"]


def compare_functions(stubs, owner):
    for stub in stubs:
        if isinstance(stub, ast.FunctionDef):
            found = getattr(owner, stub.name)
            if stub.name.startswith("__") or isinstance(found, property):
                continue
            assert compiled_arguments(found) == stub_arguments(stub), stub.name


def public_names(owner):
    return {name for name in vars(owner) if not name.startswith("_")}


def test_stubs_say_what_is_there():
    stubs = ast.parse(pathlib.Path(_core.__file__).with_name("_core.pyi").read_text()).body
    compare_functions(stubs, _core)
    classes = {stub.name: stub for stub in stubs if isinstance(stub, ast.ClassDef)}
    functions = {stub.name for stub in stubs if isinstance(stub, ast.FunctionDef)}
    assert functions | set(classes) == public_names(_core)
    for name in ("Samples", "Kernel", "FittedModel"):
        compare_functions(classes[name].body, getattr(_core, name))
        described = {stub.name for stub in classes[name].body if not stub.name.startswith("_")}
        assert described == public_names(getattr(_core, name))
