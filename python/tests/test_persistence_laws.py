"""Laws of model files, over all estimators: what is saved comes back, and nothing else is taken."""

import copy
import functools
import inspect
import json
import random
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from estimator_list import ALL, CLASSIFIERS, NEED_TARGETS, REGRESSORS, called
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from mercer import _core, kernels
from mercer._options import parameters_of
from mercer._record import FRONT, decode, encode
from mercer._rules import Limits, Words, WordsOrNumber
from mercer.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from mercer.kernel_ridge import KernelRidge
from mercer.linear_model import KernelPerceptron
from mercer.neighbors import KernelDensity
from mercer.svm import SVC

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "io" / "golden"
X, NUMBERS = (part[::5] for part in load_iris(return_X_y=True))
OUTPUTS = ("predict", "decision_function", "predict_proba", "transform", "score_samples")
pytestmark = pytest.mark.filterwarnings("ignore")


def fitted(cls, labels=NUMBERS, **parameters):
    y = X[:, 0] if cls in REGRESSORS else labels
    model = cls(**parameters)
    return model.fit(X, y) if cls in NEED_TARGETS else model.fit(X)


@functools.cache
def one_fit(cls):
    return fitted(cls)


def outputs(model):
    found = {name: getattr(model, name)(X) for name in OUTPUTS if hasattr(model, name)}
    return {name: values.toarray() if scipy.sparse.issparse(values) else values for name, values in found.items()}


def assert_same_outputs(model, other):
    wanted, found = outputs(model), outputs(other)
    assert wanted.keys() == found.keys()
    for name, values in wanted.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)
        assert np.asarray(found[name]).dtype == np.asarray(values).dtype


def assert_same_parameters(model, other):
    wanted, found = (one.get_params(deep=False) for one in (model, other))
    assert wanted.keys() == found.keys()
    for name, value in wanted.items():
        assert json.dumps(encode(found[name])) == json.dumps(encode(value)), name
        assert type(found[name]) is type(value), name


def loaded(model, **options):
    return type(model).from_bytes(model.to_bytes(), **options)


# ---- Attributes --------------------------------------------------------------------------------------------------


# What no file holds, and whose.
NOT_IN_FILES = {
    "shape_fit_": "the number of training rows",
    "X_fit_": "training rows",
    "X_train_": "training rows",
    "y_train_": "their targets",
    "labels_": "of training rows",
    "gamma_": "of KernelPCA: 1 / n_features where gamma is None",
    "dual_coef_": "of KernelRidge in its primal form, which has weights of columns",
    "fit_report_": "of GaussianProcessClassifier, whose models have each its own",
}


def attributes(model):
    return {name: value for name, value in vars(model).items() if name.endswith("_") and not name.startswith("_")}


def assert_same_attribute(found, wanted, name):
    if isinstance(wanted, list):
        assert len(found) == len(wanted), name
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one, other, err_msg=name)
    elif scipy.sparse.issparse(wanted):
        assert (found != wanted).nnz == 0, name
    else:
        np.testing.assert_array_equal(found, wanted, err_msg=name)


@pytest.mark.parametrize("cls", ALL, ids=called)
def test_fitted_attributes_come_back_the_same(cls):
    model = one_fit(cls)
    before, after = attributes(model), attributes(loaded(model))
    assert before.keys() - after.keys() <= NOT_IN_FILES.keys()
    # A report says how long the fit took; kernels of processes come back as the engine has them.
    for name in (before.keys() & after.keys()) - {"fit_report_", "kernel_"}:
        assert_same_attribute(after[name], before[name], name)


# ---- Labels ------------------------------------------------------------------------------------------------------

LABELS = {
    "texts of digits": np.array(["01", "02", "10"]),
    "leading zeros": np.array(["007", "07", "7"]),
    "numbers as texts": np.array(["01", "1", "1.0"]),
    "truth values": np.array([False, True, True]),
    "words of truth": np.array(["True", "False", "true"]),
    "blanks": np.array(["", " ", "a "], dtype=object),
    "unicode": np.array(["caf\udce9", "\xe9", "日本"]),
    "wide texts": np.array(["a", "b", "c"], dtype="<U9"),
    "objects": np.array(["a", "bb", "c"], dtype=object),
    "ends in NUL": np.array(["a", "bb", "a\0"], dtype=object),
    "int8": np.array([-1, 0, 7], dtype=np.int8),
    "big endian": np.array([1, 2, 3], dtype=">i4"),
    "uint8": np.array([1, 2, 255], dtype=np.uint8),
    "large integers": np.array([-(2**63), 2**53 + 1, 2**63 - 1]),
    "uint64": np.array([1, 2**63 + 1, 2**64 - 1], dtype=np.uint64),
    "float32": np.array([-1, 0, 2], dtype=np.float32),
    "float64": np.array([-0.0, 5e9, 2.0**53]),
    "float16": np.array([1, 2, 3], dtype=np.float16),
    "categories": pd.Categorical(["x", "y", "z"]),
    "strings of pandas": pd.array(["1", "02", "z"], dtype="string"),
    "nullable integers": pd.array([1, 2, 3], dtype="Int64"),
}


def labels_of_rows(labels):
    chosen = labels[NUMBERS]
    return pd.Series(chosen) if isinstance(labels, pd.api.extensions.ExtensionArray) else chosen


def assert_same_classes(model, other):
    assert other.classes_.dtype == model.classes_.dtype
    assert other.classes_.tolist() == model.classes_.tolist()
    assert [type(label) for label in other.classes_.tolist()] == [type(label) for label in model.classes_.tolist()]


@pytest.mark.parametrize("cls", CLASSIFIERS, ids=called)
def test_labels_of_every_kind_come_back(cls):
    for name, labels in LABELS.items():
        if name == "ends in NUL" and cls is GaussianProcessClassifier:
            continue  # scikit-learn's OneVsRestClassifier does not tell them apart
        model = fitted(cls, labels_of_rows(labels))
        other = loaded(model)
        assert_same_classes(model, other)
        np.testing.assert_array_equal(other.predict(X), model.predict(X), err_msg=name)
        if hasattr(model, "class_weight_"):
            np.testing.assert_array_equal(other.class_weight_, model.class_weight_)


@pytest.mark.parametrize("multi_class", ["one_vs_rest", "one_vs_one"])
def test_labels_come_back_from_archives(multi_class):
    for name, labels in LABELS.items():
        if name == "ends in NUL":
            continue
        y = labels_of_rows(labels)
        model = GaussianProcessClassifier("rbf(gamma=1)", multi_class=multi_class, optimizer=None, n_jobs=1).fit(X, y)
        other = loaded(model)
        assert_same_classes(model, other)
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        assert_same_parameters(model, other)
        if hasattr(model, "_binary"):
            assert all(part.n_jobs == 1 for part in other._binary.estimators_)


def as_the_program_writes(texts, kind):
    """A file without a record."""
    codes = np.ascontiguousarray(NUMBERS, dtype=np.int32)
    model = _core.fit("svc", "rbf(gamma=1)", {}, _core.Samples.dense(X), codes, classes=texts, label_kind=kind)
    return model.to_bytes()


@pytest.mark.parametrize(
    ("kind", "texts", "wanted"),
    [
        ("text", ["01", "1", "1.0"], np.array(["01", "1", "1.0"])),
        ("integer", ["-1", "2", "10"], np.array([-1, 2, 10])),
        ("integer", ["1", "2", str(2**64 - 1)], np.array([1, 2, 2**64 - 1], dtype=np.uint64)),
        ("integer", ["1", "2", str(2**70)], np.array([1, 2, 2**70], dtype=object)),
        ("real", ["0.5", "1", "5e+09"], np.array([0.5, 1, 5e9])),
    ],
)
def test_labels_of_the_program_are_read_by_their_kind(kind, texts, wanted):
    model = SVC.from_bytes(as_the_program_writes(texts, kind))
    assert model.classes_.dtype == wanted.dtype
    assert model.classes_.tolist() == wanted.tolist()


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("integer", ["1", "x", "2"]),
        ("integer", ["1", "+1", "2"]),
        ("real", ["1", "nan", "2"]),
        ("boolean", ["0", "1", "2"]),
    ],
)
def test_labels_that_are_not_of_their_kind_are_refused(kind, texts):
    with pytest.raises(ValueError, match="label"):
        SVC.from_bytes(as_the_program_writes(texts, kind))


def test_labels_that_no_file_can_hold_are_refused():
    days = np.array(["2020-01-01", "2021-01-01", "2022-01-01"], dtype="M8[D]")
    model = SVC().fit(X, days[NUMBERS])
    assert (model.predict(X) == days[NUMBERS]).mean() > 0.9
    with pytest.raises(ValueError, match=r"datetime64.*pickle"):
        model.to_bytes()
    with pytest.raises(ValueError, match="decode it as UTF-8"):
        SVC().fit(X, np.array(["\udcc3\udca9", "\xe9", "c"], dtype=object)[NUMBERS])


# ---- Parameters --------------------------------------------------------------------------------------------------

OTHERS = {
    "class_weight": {0: 2.0, 1: 1, 2: np.float64(0.5)},
    "random_state": 7,
    "n_jobs": 2,
    "verbose": 2,
    "kernel_params": {"gamma": 0.5},
    "alpha": np.array([0.5, 2.0]),
    "priors": (0.2, 0.3, 0.5),
    "lower": [0, None, -np.inf, np.nan],
    "optimizer": None,
}


def other_value(cls, name, default):
    """A value of a parameter that is not its default, from what the class says of it."""
    rule = parameters_of(cls).rules.get(name)
    if isinstance(rule, Words | WordsOrNumber):
        return next((word for word in rule.words if word != default), default)
    if isinstance(rule, Limits):
        candidates = [default + 1 if default else 1, 0.25, 2, 1, 3, None]
        return next(value for value in candidates if rule.hold(value) and value != default)
    if isinstance(default, bool):
        return not default
    return OTHERS.get(name, f"other {name}" if isinstance(default, str) else 3.5)


@pytest.mark.parametrize("cls", ALL, ids=called)
def test_every_parameter_comes_back(cls):
    model = copy.copy(one_fit(cls))
    signature = inspect.signature(cls.__init__).parameters
    # A prior is part of the fit itself (test_prior.py).
    own = {name: p.default for name, p in signature.items() if name not in ("self", "prior")}
    others = {name: other_value(cls, name, default) for name, default in own.items()}
    for name, value in others.items():
        only_word = len(getattr(parameters_of(cls).rules.get(name), "words", ())) == 1
        assert only_word or json.dumps(encode(value)) != json.dumps(encode(signature[name].default)), name
    model.set_params(**others)
    assert_same_parameters(model, loaded(model))


@pytest.mark.parametrize("cls", ALL, ids=called)
def test_outputs_come_back_and_clones_fit_the_same_model(cls):
    model = one_fit(cls)
    other = loaded(model)
    assert_same_parameters(model, other)
    assert_same_outputs(model, other)
    y = X[:, 0] if cls in REGRESSORS else NUMBERS
    again = clone(other).fit(X, y)
    assert again.to_bytes() == model.to_bytes() == other.to_bytes()


@pytest.mark.parametrize("cls", ALL, ids=called)
def test_the_same_fit_gives_the_same_bytes_for_any_number_of_threads(cls):
    model = fitted(cls, n_jobs=2)
    assert model.set_params(n_jobs=None).to_bytes() == one_fit(cls).to_bytes()


def test_shapes_and_ties_of_decisions_come_back():
    for parameters in ({"decision_function_shape": "ovo"}, {"break_ties": True}, {"probability": True}):
        model = SVC(kernel="linear", gamma="auto", **parameters).fit(X, NUMBERS)
        assert_same_outputs(model, loaded(model))
        assert loaded(model).kernel == "linear"


KERNELS = [
    "rbf(gamma=0.5)",
    kernels.RBF(gamma=0.5) + 2 * kernels.Linear(),
    ConstantKernel(2.0, "fixed") * RBF([1.0, 2.0, 1.0, 2.0], (1e-3, 1e3)) + WhiteKernel(0.1),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_kernels_come_back_as_they_were_given(kernel):
    model = GaussianProcessRegressor(kernel, alpha=0.1).fit(X, X[:, 0])
    other = loaded(model)
    assert type(other.kernel) is type(kernel)
    assert other.kernel == kernel
    np.testing.assert_array_equal(other.predict(X), model.predict(X))


def test_generators_come_back_in_their_state():
    model = KernelPerceptron(random_state=np.random.RandomState(3)).fit(X, NUMBERS)
    other = loaded(model)
    assert other.random_state.randint(1000, size=5).tolist() == model.random_state.randint(1000, size=5).tolist()


def test_parameters_that_no_file_can_hold_are_refused():
    def optimizer(function, start, bounds):
        return start, function(start)[0]

    model = GaussianProcessRegressor("rbf(lengthscale=1)", optimizer=optimizer).fit(X, X[:, 0])
    with pytest.raises(ValueError, match=r"optimizer=.*function.*Pickle"):
        model.to_bytes()
    loaded(model.set_params(optimizer=None))
    with pytest.raises(ValueError, match="'C' parameter"):
        SVC().fit(X, NUMBERS).set_params(C=-1).to_bytes()


def test_functions_take_the_parameters_of_the_file():
    def function(x, y, scale):
        return scale * np.asarray(x) @ np.asarray(y).T

    model = KernelRidge(kernel=function, kernel_params={"scale": 2.0}).fit(X, X[:, 0])
    other = loaded(model, kernel=function)
    assert other.kernel is function
    assert other.kernel_params == {"scale": 2.0}
    np.testing.assert_array_equal(other.predict(X), model.predict(X))


# ---- Names and shapes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", ALL, ids=called)
def test_names_of_columns_come_back(cls):
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    y = X[:, 0] if cls in REGRESSORS else NUMBERS
    model = cls().fit(frame, y) if cls in NEED_TARGETS else cls().fit(frame)
    other = loaded(model)
    assert other.n_features_in_ == model.n_features_in_ == 4
    np.testing.assert_array_equal(other.feature_names_in_, model.feature_names_in_)


def test_targets_of_one_column_keep_their_shape():
    model = KernelRidge(kernel="rbf").fit(X, X[:, :1])
    assert loaded(model).predict(X).shape == model.predict(X).shape == (len(X), 1)


def test_densities_of_named_columns_take_arrays():
    table = _core.Samples.table(_core.Samples.dense(X), ["a", "b", "c", "d"], [])
    model = KernelDensity.from_bytes(_core.fit("kde", "", {"bandwidth": "0.5"}, table).to_bytes())
    plain = KernelDensity.from_bytes(_core.fit("kde", "", {"bandwidth": "0.5"}, _core.Samples.dense(X)).to_bytes())
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    for rows in (X, frame, frame[["d", "c", "b", "a"]]):
        np.testing.assert_array_equal(model.score_samples(rows), plain.score_samples(X))
    others = X[:, 1:]
    wanted = plain.conditional(0, 5.0).score_samples(others)
    np.testing.assert_array_equal(model.conditional("a", 5.0).score_samples(others), wanted)


# ---- Files of version 1 ------------------------------------------------------------------------------------------

BY_MODEL = {cls._stored_model or cls._model: cls for cls in reversed(ALL)}
FIRST_FILES = sorted([*GOLDEN.glob("*.v1.mercer"), *(GOLDEN / "v1").glob("*.mercer")])


@pytest.mark.parametrize("path", FIRST_FILES, ids=lambda path: path.name)
def test_files_of_version_1_are_read(path):
    stored = _core.FittedModel.load(str(path))
    if stored.name not in BY_MODEL:
        pytest.skip(f"{stored.name} has no estimator")
    model = BY_MODEL[stored.name].load(path)
    assert stored.label_kind is None
    assert model._fitted.name == stored.name
    if stored.columns == 0 or len(stored.feature_names) > stored.columns or model._fitted_choice.given:
        return
    rows = np.abs(np.random.default_rng(0).normal(size=(3, stored.columns)))
    for name in ("predict", "transform", "score_samples"):
        if hasattr(model, name):
            assert len(getattr(model, name)(rows)) == 3


def test_there_are_files_of_version_1():
    assert len(FIRST_FILES) > 20


# ---- Hostile files -----------------------------------------------------------------------------------------------

ODD = [None, True, -1, 10**30, 1.5, "", "x", "<U99999999", "|O", ">f8", [], {}, {"float": "nan"}, {"tuple": 3}, [[1]]]
ODD += [
    {"array": ["<f8", [10**12], []]},
    {"array": ["<U9999999", [9], [""] * 9]},
    {"kernel": "no"},
    {"dict": [[[], 1]]},
]
ODD += [
    {"function": "given"},
    {"sklearn": ["Sum", {"k1": 1, "k2": 2}]},
    {"random_state": [1]},
    {"scalar": ["<i1", 300]},
]


def places(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in items:
        yield from places(item, (*path, name))


def mutated(record, generator):
    """The record with one place changed, left out or renamed."""
    changed = copy.deepcopy(record)
    *path, last = generator.choice([place for place in places(changed) if place])
    inner = functools.reduce(lambda part, name: part[name], path, changed)
    how = generator.randrange(4)
    if how == 0 and isinstance(inner, dict):
        del inner[last]
    elif how == 1 and isinstance(inner, dict):
        inner["other"] = inner.pop(last)
    else:
        inner[last] = copy.deepcopy(generator.choice(ODD))
    return changed


HOSTILE = {
    "svc": lambda: SVC(class_weight={"": 2.0}, random_state=np.int64(3)).fit(X, LABELS["blanks"][NUMBERS]),
    "ridge": lambda: KernelRidge(alpha=np.array([0.5]), kernel="rbf").fit(X, X[:, :1]),
    "gp": lambda: GaussianProcessRegressor(KERNELS[2], alpha=0.1).fit(X, X[:, 0]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_changed_record_is_refused_or_taken_as_it_is(name):
    model = HOSTILE[name]()
    record, generator = json.loads(model._record().text()), random.Random(5)
    taken = 0
    for _ in range(300):
        changed = mutated(record, generator)
        data = model._fitted.to_bytes({FRONT: json.dumps(changed)})
        try:
            other = type(model).from_bytes(data)
        except ValueError:
            continue
        taken += 1
        # Parameters that a file does not name are those of files of before.
        found = json.loads(other._record().text())
        found["parameters"] = {name: found["parameters"][name] for name in changed["parameters"]}
        assert found == changed
    assert 0 < taken < 200


def test_files_of_before_lack_later_parameters():
    model = SVC(C=3, tol=1e-4, class_weight={0: 2.0}).fit(X, NUMBERS)
    record = json.loads(model._record().text())
    for name in ("shrinking", "C", "class_weight"):
        del record["parameters"][name]
    other = SVC.from_bytes(model._fitted.to_bytes({FRONT: json.dumps(record)}))
    # What the model says, where it says anything.
    assert (other.shrinking, other.C, other.tol) == (True, 3, 1e-4)
    np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))
    record["parameters"]["later"] = 1
    with pytest.raises(ValueError, match="later: not the parameters of SVC"):
        SVC.from_bytes(model._fitted.to_bytes({FRONT: json.dumps(record)}))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"version": NaN}',
        "[" * 100_000,
        '{"a": 1, "a": 2}',
        '{"a": 1e999}',
        "\udce9",
        "9" * 9999,
    ],
)
def test_a_text_that_is_no_record_is_refused(text):
    data = one_fit(SVC)._fitted.to_bytes({FRONT: text.encode("utf-8", "surrogateescape").decode("latin-1")})
    with pytest.raises(ValueError, match="description of the estimator is damaged"):
        SVC.from_bytes(data)


def test_values_come_back():
    values = [
        0,
        -0.0,
        1.5,
        np.inf,
        "\udce9",
        (1, [2, {"a": None, True: 1.0}]),
        np.float32(0.1),
        np.str_("a"),
        np.bool_(True),
    ]
    values += [np.array([[1, 2]], dtype=">i2"), np.array(["a", None], dtype=object), np.array([np.nan]), {1: 2, "1": 3}]
    for value in values:
        found = decode(json.loads(json.dumps(encode(value))))
        assert type(found) is type(value)
        np.testing.assert_equal(found, value)
    with warnings.catch_warnings(), pytest.raises(TypeError, match="nested too deeply"):
        endless = []
        endless.append(endless)
        encode(endless)
