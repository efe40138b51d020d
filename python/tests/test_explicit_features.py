"""Explicit features of kernels: scikit-learn's own vectors, kernel values, pipelines, pickles."""

import pickle
import unicodedata

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline

from mercer.kernel_approximation import ExplicitFeatures
from mercer.kernels import as_kernel
from mercer.svm import LinearSVC

TEXTS = ["the cat sat", "the dog sat on the cat", "a bird", "cat and bird", "dog"]
LABELS = ["cat", "dog", "bird", "cat", "dog"]


def test_tfidf_is_that_of_scikit_learn():
    ours = ExplicitFeatures("tfidf(counts=counts, idf=smooth)").fit(TEXTS)
    theirs = TfidfVectorizer().fit(TEXTS)
    order = [list(ours.get_feature_names_out()).index(word) for word in theirs.get_feature_names_out()]
    fresh = [*TEXTS, "the unknown bird", ""]
    np.testing.assert_allclose(ours.transform(fresh).toarray()[:, order], theirs.transform(fresh).toarray(), rtol=1e-13)


def test_words_of_every_script_are_those_of_scikit_learn():
    """Python's own tables of Unicode: letters and numbers in every script, one by one beside blanks and points."""
    old = unicodedata.ucd_3_2_0  # what every version of Python and of the tables knows
    characters = [chr(code) for code in range(0x21, 0x20000) if old.category(chr(code)) != "Cn"]
    known = [c for c in characters if unicodedata.category(c)[0] in "LNPSZ" and len(c.lower()) == 1 and c != "Σ"]
    texts = ["".join(f"{c}{c} x{c}y." for c in known[at : at + 500]) for at in range(0, len(known), 500)]
    ours = ExplicitFeatures("words()", named_features=None).fit(texts)
    theirs = CountVectorizer().fit(texts)
    assert sorted(ours.get_feature_names_out()) == sorted(theirs.get_feature_names_out())


def test_marks_emoji_and_punctuation():
    """Where the pattern of scikit-learn cuts words at their vowels, the tables of Unicode do not."""
    texts = ["यह हिन्दी है। और॥", "السلام، عليكم؟", "good😀morning 👍🏽", "e\u0301te\u0301 ÉTÉ"]
    words = ExplicitFeatures("words()").fit(texts).get_feature_names_out()
    assert set(words) == {"यह", "हिन्दी", "है", "और", "السلام", "عليكم", "good", "morning", "été"}


@pytest.mark.parametrize(
    "spec",
    ["subtree()", "normalize(subtree(leaves=count))", "fisher_markov(order=1)", "fisher_markov(information=sample)"],
)
def test_profiles_sum_to_the_decision(spec):
    trees = ["(S (N a) b)", "(S (N b) (V a))", "(S a b)", "(S (N a) (V a b))", "(T (N a))", "(S b)"]
    texts = trees if "subtree" in spec else ["AACA", "ACCA", "CCCA", "AAAC", "CACA", "AACC"]
    model = LinearSVC(kernel=spec, C=1, random_state=0).fit(texts, ["x", "y"] * 3)
    sums = [np.sum(profile) for profile in model.profile(texts)]
    np.testing.assert_allclose(sums, model.decision_function(texts) - model.intercept_, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("spec", ["normalize(spectrum(k=2))", "words(ngrams=2)", "tfidf() + 0.5*spectrum(k=3)"])
def test_inner_products_are_kernel_values(spec):
    rows = ExplicitFeatures(spec).fit_transform(TEXTS)
    np.testing.assert_allclose((rows @ rows.T).toarray(), as_kernel(spec)(TEXTS), rtol=1e-12, atol=1e-14)


def test_a_pipeline_learns_and_is_pickled():
    model = make_pipeline(ExplicitFeatures("tfidf()"), LinearSVC(C=10)).fit(TEXTS, LABELS)
    assert list(model.predict(TEXTS)) == LABELS
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(TEXTS), model.decision_function(TEXTS))
    assert again[0].feature_names_ == model[0].feature_names_


def test_errors_say_what_is_wrong():
    with pytest.raises(ValueError, match="no explicit features"):
        ExplicitFeatures("spectrum(k=2) + rbf(gamma=1)").fit(TEXTS)
    with pytest.raises(NotFittedError, match="This ExplicitFeatures instance is not fitted yet"):
        ExplicitFeatures().transform(TEXTS)
    with pytest.raises(ValueError, match="dtype"):
        ExplicitFeatures(dtype=int).fit(TEXTS)
    assert ExplicitFeatures(dtype=np.float32).fit_transform(TEXTS).dtype == np.float32


def test_names_of_parts_of_characters_can_be_read():
    features = ExplicitFeatures("spectrum(k=3)").fit(["naïve café", "x y z"])
    names = set(features.get_feature_names_out())
    assert {"x y", "ïv", "caf", "na\\xc3"} <= names
    assert all(name.isprintable() for name in names)


def test_fit_transform_is_fit_and_transform():
    for dtype in (np.float32, np.float64):
        at_once, later = (ExplicitFeatures("tfidf()", dtype=dtype) for _ in range(2))
        rows = at_once.fit_transform(TEXTS, LABELS)
        assert rows.dtype == dtype
        assert (rows != later.fit(TEXTS).transform(TEXTS)).nnz == 0
        assert at_once.feature_names_ == later.feature_names_


def test_names_may_be_few():
    every = ExplicitFeatures("words()").fit(TEXTS).feature_names_
    few = ExplicitFeatures("words()", named_features=2).fit(TEXTS)
    assert few.feature_names_[:3] == [*every[:2], "feature 2"]
    assert len(few.get_feature_names_out()) == few.n_features_out_ == len(every)
    assert ExplicitFeatures("words()", named_features=None).fit(TEXTS).feature_names_ == every
    with pytest.raises(ValueError, match="named_features"):
        ExplicitFeatures(named_features=-1).fit(TEXTS)
