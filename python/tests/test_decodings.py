"""Decodings of codes by brute force from decision values, and codes as arrays."""

import numpy as np
import pytest

from mercer.svm import SVC, NuSVC

CODE = np.array([[-1, -1, -1, -1, -1, -1], [-1, -1, -1, 1, 1, 1], [1, 1, 1, -1, -1, -1], [1, 1, 1, 1, 1, 1]])
SPARSE = np.array([[1, 1, 0, -1], [-1, 0, 1, -1], [0, -1, -1, 1], [1, -1, 1, 1]])


def blobs(seed=0, classes=4, rows=120):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=rows)
    return rng.normal(size=(rows, 2)) + 2 * np.column_stack([np.cos(y), np.sin(y)]), np.array(list("dabc"))[y]


LOSSES = {
    "hinge": lambda z, known: np.where(known, np.maximum(0, 1 - z), 0),
    "linear": lambda z, known: -z,
    "hamming": lambda z, known: np.where(known, (z < 0) | (z == 0), 0.5),
}


@pytest.mark.parametrize("cls", [SVC, NuSVC])
@pytest.mark.parametrize("code", [CODE, SPARSE])
@pytest.mark.parametrize("decoding", ["hinge", "linear", "hamming"])
def test_the_word_that_loses_least(cls, code, decoding):
    X, y = blobs()
    size = {"nu": 0.5} if cls is NuSVC else {}
    model = cls(multiclass="code", code=code, decoding=decoding, **size).fit(X, y)
    values = model.decision_function(X)
    assert values.shape == (len(X), code.shape[1])
    losses = np.array(
        [LOSSES[decoding](word * values, np.broadcast_to(word != 0, values.shape)).sum(axis=1) for word in code]
    )
    answers = [list(model.classes_).index(label) for label in model.predict(X)]
    chosen = losses[answers, np.arange(len(X))]
    np.testing.assert_allclose(chosen, losses.min(axis=0), rtol=1e-9, atol=1e-9)


def test_the_usual_decoding_is_the_hinge_and_words_are_the_array():
    X, y = blobs(1)
    usual = SVC(multiclass="code", code=CODE).fit(X, y)
    words = SVC(multiclass="code", code="------;---+++;+++---;++++++", decoding="hinge").fit(X, y)
    np.testing.assert_array_equal(usual.decision_function(X), words.decision_function(X))
    np.testing.assert_array_equal(usual.predict(X), words.predict(X))


def test_one_machine_per_class_by_linear_loss_is_one_against_the_rest():
    X, y = blobs(2)
    rest = SVC(multiclass="ovr").fit(X, y)
    for other in (
        SVC(multiclass="ovr", decoding="linear"),
        SVC(multiclass="code", code=2 * np.eye(4, dtype=int) - 1, decoding="linear"),
    ):
        np.testing.assert_array_equal(other.fit(X, y).predict(X), rest.predict(X))


@pytest.mark.parametrize("decoding", ["linear", "hamming"])
def test_files_keep_the_decoding(tmp_path, decoding):
    X, y = blobs(3)
    model = SVC(multiclass="code", code=CODE, decoding=decoding).fit(X, y)
    model.save(tmp_path / "m.mercer")
    loaded = SVC.load(tmp_path / "m.mercer")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.code, CODE)
    assert loaded.decoding == decoding


def test_what_cannot_be_is_said():
    X, y = blobs(4)
    with pytest.raises(ValueError, match="decoding = hamming needs multiclass = code or ovr"):
        SVC(decoding="hamming").fit(X, y)
    with pytest.raises(ValueError, match="decides by values"):
        SVC(multiclass="ovr", decoding="linear", probability=True).fit(X, y)
    with pytest.raises(ValueError, match="The 'decoding' parameter of SVC must be one of"):
        SVC(decoding="soft").fit(X, y)
    with pytest.raises(ValueError, match="code: a matrix of -1, 0 and 1 is needed"):
        SVC(multiclass="code", code=[[2, 1], [0, 1]]).fit(X, y)
    with pytest.raises(ValueError, match="3 words for 4 classes"):
        SVC(multiclass="code", code=CODE[:3]).fit(X, y)
