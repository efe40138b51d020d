"""mercer.kernels: text, operators, parameters, values, scikit-learn's kernels."""

import copy
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.gaussian_process import kernels as sk

import mercer.kernels
from mercer import _core
from mercer.kernels import (
    RBF,
    Constant,
    Gaussian,
    Kernel,
    Linear,
    Matern,
    Normalize,
    Poly,
    White,
    as_kernel,
    bounded,
    fixed,
    from_sklearn,
    salzberg_scores,
)

EXAMPLES = [example for entry in _core.kernel_registry() for example in entry["examples"]]


@pytest.fixture
def X():
    return np.random.default_rng(1).normal(size=(15, 3))


@pytest.mark.parametrize("spec", EXAMPLES)
def test_text_and_repr_come_back(spec):
    kernel = as_kernel(spec)
    assert kernel.spec == _core.Kernel(spec).spec
    assert str(kernel) == kernel.spec
    assert eval(repr(kernel), vars(mercer.kernels).copy()) == kernel
    for twin in (clone(kernel), copy.deepcopy(kernel), pickle.loads(pickle.dumps(kernel))):
        assert twin == kernel
        assert twin is not kernel
        assert hash(twin) == hash(kernel)


def test_every_kernel_has_a_class_with_a_page():
    for entry in _core.kernel_registry():
        if entry["name"] in ("sum", "product", "scale", "power", "columns"):
            continue
        kind = mercer.kernels._library.CLASSES[entry["name"]]
        assert getattr(mercer.kernels, kind.__name__) is kind
        assert entry["formula"] in kind.__doc__
    assert Gaussian is RBF


def test_operators(X):
    a, b = RBF(gamma=0.5), Linear()
    A, B = a(X), b(X)
    assert np.allclose((a + b)(X), A + B)
    assert np.allclose((a * b)(X), A * B)
    assert np.allclose((a**2)(X), A**2)
    for two in (2 * a, a * 2, np.float64(2) * a):
        assert np.allclose(two(X), 2 * A)
    for shifted in (a + 3, 3 + a):
        assert np.allclose(shifted(X), A + 3)
    assert np.allclose((2 * (a + b) * a)(X), 2 * (A + B) * A)
    assert np.allclose((a + b * a**3)[0:2](X), (a + b * a**3)(X[:, :2]))
    for wrong, error, words in (
        (lambda: a + {}, TypeError, "unsupported operand"),
        (lambda: a * None, TypeError, "unsupported operand"),
        (lambda: a ** "x y", ValueError, "expected a number, found 'x'"),
        (lambda: list(a), TypeError, "not iterable"),
    ):
        with pytest.raises(error, match=words):
            str(wrong())


def test_repr_keeps_the_grouping():
    a, b, c = RBF(gamma=1), Linear(), Constant(value=2)
    for kernel in (a + (b + c), (a + b) * c, a * (b * c), (a * b) ** 2, (a**2) ** 3, 2 * (a + b), (2 * a)[0], a[1][0]):
        again = eval(repr(kernel), vars(mercer.kernels).copy())
        assert repr(again) == repr(kernel)
        assert again.get_params().keys() == kernel.get_params().keys()


def test_columns(X):
    kernel = RBF(gamma=0.5)
    for columns, chosen in [(0, [0]), ([2, 0], [2, 0]), (slice(0, 2), [0, 1]), ((0, slice(1, 3)), [0, 1, 2])]:
        assert np.allclose(kernel[columns](X), kernel(X[:, chosen]))
    assert kernel["body mass", 'a"b'].spec == r'rbf(gamma=0.5)["body mass", "a\"b"]'
    assert as_kernel(kernel["body mass", 'a"b'].spec) == kernel["body mass", 'a"b']
    for wrong, words in (([], "a kernel on no columns"), (slice(0, 4, 2), "without a step")):
        with pytest.raises(ValueError, match=words):
            str(kernel[wrong])


def test_parameters_are_reached_by_name():
    kernel = 0.5 * RBF(gamma=0.1) + Normalize(Poly(degree=2))
    params = kernel.get_params()
    assert params["k1__scale"] == 0.5
    assert params["k1__kernel__gamma"] == 0.1
    assert params["k2__kernel__degree"] == 2
    kernel.set_params(k1__kernel__gamma=7.0, k2__kernel=Linear())
    assert kernel.spec == "0.5*rbf(gamma=7) + normalize(linear())"
    with pytest.raises(ValueError, match="no parameter 'gama'"):
        RBF().set_params(gama=1)
    with pytest.raises(TypeError, match="no parameter 'gama'"):
        RBF(gama=1)
    with pytest.raises(TypeError, match="by name"):
        RBF(1.0)
    with pytest.raises(TypeError, match="two values"):
        RBF(length_scale=1, lengthscale=2)
    assert RBF(length_scale=2.0) == RBF(lengthscale=2.0)
    assert RBF().set_params(length_scale=3.0).lengthscale == 3.0
    shared = RBF(gamma=1.0)
    clone(shared + shared).set_params(k1__gamma=2.0)
    assert shared.gamma == 1.0


def test_values_are_checked_when_they_are_used():
    with pytest.raises(ValueError, match="gamma = -1"):
        str(RBF(gamma=-1.0))


def test_numbers_keep_every_digit():
    for value in (0.1, 1 / 3, 1e-300, 123456789.123456789, 1e22, np.float32(0.1), np.pi):
        assert RBF(gamma=value).parameters[0]["value"] == float(value)


def test_bounds_and_fixed_parameters():
    (learnt,) = RBF(lengthscale=bounded(1.0, 0.1, 10.0)).parameters
    assert (learnt["value"], learnt["bounds"], learnt["fixed"]) == (1.0, (0.1, 10.0), False)
    (constant,) = RBF(lengthscale=fixed(2.0)).parameters
    assert (constant["value"], constant["fixed"]) == (2.0, True)
    assert [p["value"] for p in RBF(lengthscale=[1.0, 2.0]).parameters] == [1.0, 2.0]


def test_resolved_widths(X):
    assert RBF(gamma="scale").resolved(X).gamma == pytest.approx(1 / (3 * X.var()))
    assert RBF(gamma="auto").resolved(X).gamma == pytest.approx(1 / 3)


def test_gradients_are_finite_differences(X):
    Q = np.random.default_rng(2).normal(size=(15, 15))
    step = 1e-6
    difference = RBF(gamma=0.5 + step)(X) - RBF(gamma=0.5 - step)(X)
    assert RBF(gamma=0.5).gradient(X, Q) == pytest.approx([(Q * difference).sum() / (2 * step)], rel=1e-6)
    Y, Q = X[:4] + 1, Q[:, :4]
    difference = RBF(gamma=0.5 + step)(X, Y) - RBF(gamma=0.5 - step)(X, Y)
    assert RBF(gamma=0.5).gradient(X, Q, Y) == pytest.approx([(Q * difference).sum() / (2 * step)], rel=1e-6)
    moved = X.copy()
    moved[3, 1] += step
    change = (Q * (RBF(gamma=0.5)(moved, Y) - RBF(gamma=0.5)(X, Y))).sum() / step
    assert RBF(gamma=0.5).input_gradient(X, Y, Q)[3, 1] == pytest.approx(change, rel=1e-4)


def test_definiteness():
    assert RBF().is_positive_definite
    assert not as_kernel("sigmoid(gamma=1)").is_positive_definite
    assert RBF().known_definiteness == "positive definite"


def test_white_is_about_identity(X):
    assert np.array_equal(White(variance=2)(X), 2 * np.eye(15))
    assert np.array_equal(White(variance=2)(X, X.copy()), np.zeros((15, 15)))


SKLEARN = [
    sk.RBF(0.7),
    sk.RBF([0.5, 1.0, 2.0], (0.1, 10)),
    sk.ConstantKernel(2.0) * sk.RBF(0.5),
    sk.RBF(0.5) * sk.ConstantKernel(2.0, "fixed"),
    sk.ConstantKernel(3.0),
    sk.Matern(1.3, nu=0.5),
    sk.Matern(1.3, nu=1.5),
    sk.Matern([1.0, 2.0, 3.0], nu=2.5),
    sk.Matern(1.3, nu=np.inf),
    sk.Matern(1.3, nu=0.8),
    sk.RationalQuadratic(0.8, 2.5),
    sk.DotProduct(1.5),
    sk.DotProduct(1.5) ** 2 + sk.WhiteKernel(0.3),
    (sk.RBF(1.0) + sk.Matern(2.0)) * sk.RationalQuadratic(),
    sk.PairwiseKernel(gamma=0.4, metric="rbf"),
    sk.PairwiseKernel(gamma=0.4, metric="laplacian"),
    sk.PairwiseKernel(metric="linear"),
    sk.PairwiseKernel(gamma=0.2, metric="poly", pairwise_kernels_kwargs={"degree": 2}),
    sk.PairwiseKernel(gamma=0.2, metric="sigmoid"),
    sk.PairwiseKernel(metric="cosine"),
]


@pytest.mark.parametrize("kernel", SKLEARN, ids=str)
def test_scikit_learns_kernels_have_the_same_values(kernel, X):
    ours = from_sklearn(kernel)
    assert as_kernel(kernel) == ours
    assert np.allclose(ours(X), kernel(X), atol=1e-10)
    assert np.allclose(ours(X, X[:4] + 1), kernel(X, X[:4] + 1), atol=1e-10)
    assert np.allclose(ours.diag(X), kernel.diag(X), atol=1e-10)


def test_periodic_kernels_of_scikit_learn():
    line = np.linspace(0, 5, 20)[:, None]
    kernel = sk.ExpSineSquared(1.2, 2.3)
    assert np.allclose(from_sklearn(kernel, n_features=1)(line), kernel(line), atol=1e-12)
    with pytest.raises(ValueError, match="3 columns"):
        from_sklearn(2.0 * kernel, n_features=3)


def test_bounds_of_scikit_learn():
    kernel = from_sklearn(sk.ConstantKernel(2.0, "fixed") * sk.RBF(0.5, (0.1, 10.0)) + sk.DotProduct(2.0, (1.0, 3.0)))
    scale, length, offset = kernel.parameters
    assert scale["fixed"]
    assert length["bounds"] == (0.1, 10.0)
    assert (offset["value"], offset["bounds"]) == (4.0, (1.0, 9.0))
    with pytest.raises(ValueError, match="differ between columns"):
        from_sklearn(sk.RBF([1.0, 2.0], [(0.1, 10.0), (0.1, 20.0)]))


def test_gradients_of_scikit_learn(X):
    kernel = sk.ConstantKernel(2.0) * sk.RBF([0.5, 1.0, 2.0])
    _, expected = kernel(X, eval_gradient=True)
    Q = np.random.default_rng(5).normal(size=(15, 15))
    found = from_sklearn(kernel).gradient(X, Q)
    # Theirs are by the logarithms of the parameters.
    assert np.allclose(found * np.exp(kernel.theta), np.einsum("ij,ijp->p", Q, expected), atol=1e-9)


def test_what_is_no_kernel():
    class Own(sk.RBF):
        pass

    for wrong, error, words in (
        (3.0, TypeError, "3.0 is no kernel"),
        (RBF, TypeError, "RBF'> is no kernel"),
        ("rbf(", ValueError, "found the end"),
        (Own(), ValueError, "no counterpart"),
    ):
        with pytest.raises(error, match=words):
            as_kernel(wrong)
    with pytest.raises(ValueError, match="no counterpart"):
        from_sklearn(sk.CompoundKernel([sk.RBF()]))
    assert isinstance(as_kernel("rbf"), Kernel)
    assert RBF() != 3
    assert Matern() != RBF()


def test_stubs_are_what_the_registry_says():
    tool = pathlib.Path(__file__).parent.parent / "tools" / "write_kernel_stubs.py"
    subprocess.run([sys.executable, tool, "--check"], check=True)


def test_salzberg_scores_are_log_odds_with_counts_plus_one():
    strings, y = ["ACG", "ACT", "TCG", "GGG"], ["site", "site", "no", "no"]
    scores = np.reshape(salzberg_scores(strings, y, "site"), (3, 4))
    # At the first place A stands in 2 of 2 sites and in 2 of 4 strings; every count is one more.
    np.testing.assert_allclose(scores[0, 0], np.log((2 + 1) / (2 + 4)) - np.log((2 + 1) / (4 + 4)))
    np.testing.assert_allclose(scores[2, 3], np.log((1 + 1) / (2 + 4)) - np.log((1 + 1) / (4 + 4)))
    with pytest.raises(ValueError, match="labels of shape"):
        salzberg_scores(strings, y[:3], "site")
