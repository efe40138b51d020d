"""Kernels on strings by brute force: features are counted, occurrences listed, paths summed one by one."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

Parameters = dict[str, Any]
Symbols = list[Any]  # None: a symbol that the alphabet does not know

ALPHABETS = {
    "dna": {**{c: c for c in "ACGT"}, **{c.lower(): c for c in "ACGT"}, "U": "T", "u": "T"},
    "protein": {**{c: c for c in "ACDEFGHIKLMNPQRSTVWY"}, **{c.lower(): c for c in "ACDEFGHIKLMNPQRSTVWY"}},
}
LETTERS = {"dna": "ACGTacNu", "protein": "ARNWarX-", "bytes": "AB \té", "words": "ab  ", "texts": "ab ,_1Éé"}
COMPLEMENT = {"A": "T", "C": "G", "G": "C", "T": "A"}

THREE = ("bytes", "dna", "protein")
FOUR = (*THREE, "words")
STRANDS = ("no", "yes")
COUNTS = ("counts", "presence")
WINDOWS = {"window": (1, 0, 2, 3), "d1": (1, 2, 3), "d2": (1, 2)}
DRAWN: dict[str, list[dict[str, Any]]] = {
    "bag_of_characters": [{"alphabet": THREE, "counts": COUNTS}],
    "spectrum": [{"k": (1, 2, 3, 9), "alphabet": FOUR, "counts": COUNTS, "reverse_complement": STRANDS}],
    "blended_spectrum": [
        {"k": (1, 2, 3), "decay": (1, 0.5), "alphabet": FOUR, "counts": COUNTS, "reverse_complement": STRANDS},
        {"weights": ([1], [0, 1, 0.5]), "alphabet": FOUR, "reverse_complement": STRANDS},
    ],
    "all_substrings": [
        {"decay": (1, 0.5), "alphabet": FOUR},
        {"decay": (1, 0.5), "min_length": (1, 2), "max_length": (2, 3), "alphabet": FOUR},
        {"weights": ([1], [0, 1, 0.5]), "alphabet": FOUR},
    ],
    "mismatch": [
        {"k": (2, 1, 3, 4), "m": (1, 0, 2), "reverse_complement": STRANDS},
        {"k": (2, 1, 3), "m": (1, 0), "alphabet": ("protein",)},
        {"k": (1, 2), "m": (1, 0), "alphabet": ("bytes",)},
    ],
    "gappy_pair": [
        {
            "k": (1, 2),
            "gap": (0, 1, 3),
            "order": ("kept", "any"),
            "distance": ("kept", "any"),
            "alphabet": FOUR,
            "reverse_complement": STRANDS,
            "counts": COUNTS,
        }
    ],
    "gapped_kmer": [{"l": (2, 3, 4), "k": (1, 2), "alphabet": THREE, "reverse_complement": STRANDS}],
    "weighted_degree": [{"degree": (1, 2, 3, 5), "alphabet": THREE}, {"weights": ([1, 0, 2],), "alphabet": THREE}],
    "weighted_degree_shifts": [{"degree": (1, 2, 3), "shift": (0, 1, 3, 20), "alphabet": FOUR}],
    "subsequence": [
        {
            "n": (1, 2, 3),
            "decay": (1, 0.5),
            "lengths": ("exactly", "up_to"),
            "weighting": ("span", "excess"),
            "form": ("plain", "normalized"),
            "alphabet": FOUR,
        },
        {"n": (3,), "decay": (1, 0.7), "weights": ([0, 1, 2],), "weighting": ("span", "excess"), "alphabet": FOUR},
    ],
    "bounded_subsequence": [
        {"n": (1, 2, 3), "decay": (1, 0.5), "max_gap": (0, 1, 3), "weighting": ("span", "excess"), "alphabet": FOUR}
    ],
    "oligo": [{"k": (1, 2, 3), "sigma": (1, 0.3, 5, "inf"), "alphabet": FOUR, "reverse_complement": STRANDS}],
    "local_alignment": [
        {
            "beta": (0.5, 1, 0.1),
            "scores": ("identity",),
            "match": (1, 2),
            "mismatch": (-1, 0),
            "gap_open": (11, 1, 0),
            "gap_extend": (1, 0),
            "form": ("normalized", "plain", "logarithm"),
            "alphabet": FOUR,
        }
    ],
    "locality_improved": [{**WINDOWS, "alphabet": THREE}, {"window": (1,), "weights": ([2, 0.5],), "alphabet": THREE}],
    "codon_improved": [{**WINDOWS, "window": (3, 2, 5), "codon_weight": (0.25, 0, 0.5), "alphabet": THREE}],
    "salzberg": [{**WINDOWS, "scores": ([0.4, -0.2, 0, -0.3, 1.1, -0.7, -0.7, 0.1],)}],
    "words": [{"ngrams": (1, 2, 3), "min_length": (1, 2), "counts": ("counts", "presence", "log")}],
    "tfidf": [
        {
            "ngrams": (1, 2),
            "min_length": (1, 2),
            "counts": ("log", "counts", "presence"),
            "idf": ("plain", "smooth"),
            "min_df": (1, 2),
            "max_df": (1, 0.6),
        }
    ],
    "probability_product_strings": [{"k": (1, 2, 3), "rho": (0.5, 1, 2)}],
    "fisher_markov": [
        {
            "order": (0,),
            "symbols": ([65, 67, 71, 84],),
            "transitions": ([0.1, 0.2, 0.3, 0.4],),
            "visits": (7, 1),
            "information": ("plain", "fisher", "sample"),
        },
        {
            "order": (1,),
            "symbols": ([65, 67],),
            "transitions": ([0.1, 0.9, 0.5, 0.5], [1, 2, 3, 4]),
            "visits": ([1, 2],),
            "information": ("plain", "fisher", "sample"),
        },
    ],
    "hmm_pair": [
        {
            "states": (2,),
            "symbols": ([65, 67, 71, 84],),
            "initial": ([0.6, 0.4], 1),
            "transitions": ([0.9, 0.1, 0.2, 0.8],),
            "emissions": ([0.4, 0.1, 0.1, 0.4, 0.1, 0.4, 0.3, 0.2],),
            "values": ("normalized", "probability"),
        }
    ],
    "fisher_hmm": [
        {
            "states": (2,),
            "symbols": ([65, 67, 71, 84],),
            "initial": ([0.6, 0.4], 1),
            "transitions": ([0.9, 0.1, 0.2, 0.8],),
            "emissions": ([0.4, 0.1, 0.1, 0.4, 0.1, 0.4, 0.3, 0.2],),
            "length": (7,),
            "information": ("plain",),
        }
    ],
}
ALIGNED = {"weighted_degree", "locality_improved", "codon_improved", "salzberg", "hmm_pair"}
# Where brute force is cheap, strings may be longer than the words and blocks of fast code; 0: as they were drawn.
CHEAP = set(DRAWN) - {"subsequence", "bounded_subsequence", "local_alignment", "salzberg", "hmm_pair", "fisher_hmm"}
LENGTHS = (0, 0, 65, 64, 130)
DNA_ONLY = {"salzberg", "fisher_markov", "hmm_pair", "fisher_hmm", "probability_product_hmm"}


def draw_parameters(pick: Any, name: str) -> Parameters:
    """Draw the parameters of a kernel."""
    chosen = pick(st.sampled_from(DRAWN[name]))
    parameters = {key: pick(st.sampled_from(values)) for key, values in chosen.items()}
    if parameters.get("alphabet", "dna") != "dna":
        parameters.pop("reverse_complement", None)
    if name == "codon_improved":
        parameters["window"] = max(parameters["window"], 1)
    return parameters


def draw_strings(pick: Any, name: str, parameters: Parameters) -> list[str]:
    """Draw a few short strings of the kernel's alphabet, with symbols that it does not know and empty ones."""
    letters = LETTERS[parameters.get("alphabet", "dna" if name == "mismatch" else "bytes")]
    if name in ("words", "tfidf"):
        letters = LETTERS["texts"]
    if name in DNA_ONLY:
        letters = "ACGT" if name != "salzberg" else "ACGTaN"
    if name == "fisher_markov":
        letters = "ACGTx"
    if name in ALIGNED:
        length = 2 if "scores" in parameters else pick(st.integers(1, 8))
        one = st.text(letters, min_size=length, max_size=length)
        if letters == LETTERS["bytes"]:  # one length in bytes
            one = st.text("AB \t", min_size=length, max_size=length)
    else:
        one = st.text(letters, max_size=6 if name == "fisher_hmm" else 10)  # paths double with every symbol
    return list(pick(st.lists(one, min_size=1, max_size=5)))


def lengthened(strings: list[str], length: int, aligned: bool) -> list[str]:
    """As many long strings of the same symbols, nine of ten of them the same in all strings; of one length or not."""
    random = np.random.default_rng(length)
    letters = sorted(set("".join(strings))) or ["A"]
    base = random.choice(letters, length)
    found = []
    for place in range(len(strings)):
        mixed = np.where(random.random(length) < 0.9, base, random.choice(letters, length))
        found.append("".join(mixed[: length if aligned else length - place]))
    return found


def symbols_of(string: str, alphabet: str) -> Symbols:
    """The symbols of a string."""
    if alphabet == "words":
        return list(string.split())
    if alphabet == "bytes":
        return list(string.encode())
    return [ALPHABETS[alphabet].get(c) for c in string]


def _symbols(p: Parameters, string: str) -> Symbols:
    return symbols_of(string, p.get("alphabet", "bytes"))


def _known(window: Any) -> bool:
    return None not in window


def _opposite(window: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(COMPLEMENT[c] for c in reversed(window))


def _windows(symbols: Symbols, k: int) -> list[tuple[int, tuple[Any, ...]]]:
    found = [(i, tuple(symbols[i : i + k])) for i in range(len(symbols) - k + 1)]
    return [(i, window) for i, window in found if _known(window)]


def _one_strand(p: Parameters, window: tuple[Any, ...]) -> tuple[Any, ...]:
    return min(window, _opposite(window)) if p.get("reverse_complement") == "yes" else window


Features = dict[Any, float]


def _product(x: Features, y: Features) -> float:
    return math.fsum(value * y[key] for key, value in x.items() if key in y)


def _present(p: Parameters, counts: Features) -> Features:
    return dict.fromkeys(counts, 1.0) if p.get("counts") == "presence" else counts


def _spectrum(p: Parameters, string: str, k: int) -> Features:
    return _present(p, Counter(_one_strand(p, window) for _, window in _windows(_symbols(p, string), k)))


def _weighted_spectra(p: Parameters, string: str) -> Features:
    weights = p.get("weights")
    if weights is None:
        longest = p["k"] if "k" in p else p.get("max_length", len(string.encode()) + 1)
        weights = [p["decay"] ** n * (n >= p.get("min_length", 1)) for n in range(1, longest + 1)]
    found: Features = {}
    for n, weight in enumerate(weights, start=1):
        found.update({key: math.sqrt(weight) * count for key, count in _spectrum(p, string, n).items()})
    return found


def _mismatch(p: Parameters, string: str) -> Features:
    alphabet = p.get("alphabet", "dna")
    letters: Any = range(256) if alphabet == "bytes" else sorted(set(ALPHABETS[alphabet].values()))
    found: Counter[Any] = Counter()
    for _, window in _windows(symbols_of(string, alphabet), p["k"]):
        near = set()
        for places in itertools.combinations(range(p["k"]), min(p["m"], p["k"])):
            for changed in itertools.product(letters, repeat=len(places)):
                other = list(window)
                for place, letter in zip(places, changed, strict=True):
                    other[place] = letter
                near.add(tuple(other))
        found.update(_one_strand(p, other) for other in near)
    return found


def _gappy_pair(p: Parameters, string: str) -> Features:
    symbols, k = _symbols(p, string), p["k"]
    found: Counter[Any] = Counter()
    for gap in range(p["gap"] + 1):
        for i in range(len(symbols) - 2 * k - gap + 1):
            s, t = tuple(symbols[i : i + k]), tuple(symbols[i + k + gap : i + 2 * k + gap])
            if not _known(s + t):
                continue
            same = {(s, t)}
            if p.get("reverse_complement") == "yes":
                same |= {(_opposite(b), _opposite(a)) for a, b in same}
            if p["order"] == "any":
                same |= {(b, a) for a, b in same}
            found[(min(same), gap if p["distance"] == "kept" else 0)] += 1
    return _present(p, found)


def _gapped_kmer(p: Parameters, string: str) -> Features:
    length = p["l"]
    found: Counter[Any] = Counter()
    for _, window in _windows(_symbols(p, string), length):
        for places in itertools.combinations(range(length), min(p["k"], length)):
            shown = tuple(c if i in places else "" for i, c in enumerate(window))
            if p.get("reverse_complement") == "yes":
                shown = min(shown, tuple(COMPLEMENT.get(c, "") for c in reversed(shown)))
            found[shown] += 1
    return found


def _subsequences(p: Parameters, string: str, n: int) -> Features:
    symbols, found = _symbols(p, string), Counter[Any]()
    for places in itertools.combinations(range(len(symbols)), n):
        chosen = tuple(symbols[i] for i in places)
        span = places[-1] - places[0] + 1
        if _known(chosen) and span - n <= p.get("max_gap", 1000):
            found[chosen] += p["decay"] ** (span - n if p["weighting"] == "excess" else span)
    return found


def _all_subsequences(p: Parameters, string: str) -> Features:
    last = p["n"]
    weights = p.get("weights") or [1.0 if n == last or p["lengths"] == "up_to" else 0.0 for n in range(1, last + 1)]
    found: Features = {}
    for n, weight in enumerate(weights, start=1):
        found.update({key: math.sqrt(weight) * v for key, v in _subsequences(p, string, n).items() if weight > 0})
    return found


def words_of(string: str, shortest: int) -> list[str]:
    """Words as the page of ``words`` tells."""
    return [word for word in re.findall(r"\w+", string.lower()) if len(word) >= shortest]


def _words(p: Parameters, string: str) -> Features:
    found = words_of(string, p["min_length"])
    counts: Counter[Any] = Counter()
    for n in range(1, p["ngrams"] + 1):
        counts.update(tuple(found[i : i + n]) for i in range(len(found) - n + 1))
    if p["counts"] == "log":
        return {key: math.log(1 + count) for key, count in counts.items()}
    return _present(p, counts)


def _shares(p: Parameters, string: str) -> Features:
    counts = _spectrum({}, string, p["k"])
    return {key: (count / sum(counts.values())) ** p["rho"] for key, count in counts.items()}


FEATURES: dict[str, Callable[[Parameters, str], Features]] = {
    "bag_of_characters": lambda p, s: _spectrum(p, s, 1),
    "spectrum": lambda p, s: _spectrum(p, s, p["k"]),
    "blended_spectrum": _weighted_spectra,
    "all_substrings": _weighted_spectra,
    "mismatch": _mismatch,
    "gappy_pair": _gappy_pair,
    "gapped_kmer": _gapped_kmer,
    "subsequence": _all_subsequences,
    "bounded_subsequence": lambda p, s: _subsequences(p, s, p["n"]),
    "words": _words,
    "probability_product_strings": _shares,
}


# ---- Pairs ---------------------------------------------------------------------------------------------------------


def _weighted_degree(p: Parameters, a: str, b: str) -> float:
    x, y = _symbols(p, a), _symbols(p, b)
    degree = p.get("degree") or len(p["weights"])
    weights = p.get("weights") or [2 * (degree - n + 1) / (degree * (degree + 1)) for n in range(1, degree + 1)]
    total = 0.0
    for n, weight in enumerate(weights, start=1):
        shift = p.get("shift", 0)
        for i in range(len(x) - n + 1):
            for j in range(max(0, i - shift), min(len(y) - n, i + shift) + 1):
                if x[i : i + n] == y[j : j + n] and _known(x[i : i + n]):
                    total += weight * (1 if i == j else 1 / (2 * (abs(i - j) + 1)))
    return total


def _oligo(p: Parameters, a: str, b: str) -> float:
    left, right = (
        [(i, _one_strand(p, window)) for i, window in _windows(_symbols(p, string), p["k"])] for string in (a, b)
    )
    width = 4 * float(p["sigma"]) ** 2
    return math.fsum(math.exp(-((i - j) ** 2) / width) for i, one in left for j, other in right if one == other)


def _alignments(p: Parameters, a: str, b: str) -> float:
    x, y = _symbols(p, a), _symbols(p, b)

    def gap(n: int) -> float:
        return math.exp(-p["beta"] * (p["gap_open"] + (n - 1) * p["gap_extend"])) if n > 0 else 1.0

    ending: dict[tuple[int, int], float] = {}
    for i, j in itertools.product(range(len(x)), range(len(y))):
        matched = x[i] == y[j] and x[i] is not None
        before = sum(v * gap(i - k - 1) * gap(j - m - 1) for (k, m), v in ending.items() if k < i and m < j)
        ending[i, j] = math.exp(p["beta"] * p["match" if matched else "mismatch"]) * (1 + before)
    return 1 + math.fsum(ending.values())


def _local_alignment(p: Parameters, a: str, b: str) -> float:
    value = _alignments(p, a, b)
    if p["form"] == "logarithm":
        return math.log(value) / p["beta"]
    return value / math.sqrt(_alignments(p, a, a) * _alignments(p, b, b)) if p["form"] == "normalized" else value


def _window_powers(p: Parameters, length: int, matched: Callable[[int, int], float]) -> float:
    reach, codon = p["window"], p.get("codon_weight", 0)
    weights = p.get("weights") or [reach + 1 - j for j in range(reach + 1)]
    total = 0.0
    for middle in range(length):
        inner = 0.0
        for i, j in itertools.product(range(-reach, reach + 1), repeat=2):
            inside = 0 <= middle + i < length and 0 <= middle + j < length
            factor = {0: 1.0, 3: codon}.get(abs(i - j), 0.0)
            if inside and factor > 0:
                inner += math.sqrt(weights[abs(i)] * weights[abs(j)]) * factor * matched(middle + i, middle + j)
        total += inner ** p.get("d1", 2)
    return total ** p.get("d2", 1)


def _locality(p: Parameters, a: str, b: str) -> float:
    x, y = _symbols(p, a), _symbols(p, b)
    return _window_powers(p, len(x), lambda i, j: float(x[i] == y[j] and x[i] is not None))


def _salzberg(p: Parameters, a: str, b: str) -> float:
    def score(string: str, i: int) -> float:
        symbol = ALPHABETS["dna"].get(string[i])
        return 0.0 if symbol is None else p["scores"][4 * i + "ACGT".index(symbol)]

    return _window_powers(p, len(a), lambda i, j: score(a, i) * score(b, j))


class Hidden:
    """A hidden Markov model: paths are listed one by one."""

    def __init__(self, p: Parameters) -> None:
        n, m = p["states"], len(p["symbols"])
        self.states, self.symbols = n, p["symbols"]
        start = np.array(p["initial"] if isinstance(p["initial"], list) else [p["initial"]] * n, dtype=float)
        steps, letters = np.array(p["transitions"]).reshape(n, n), np.array(p["emissions"]).reshape(n, m)
        self.start = start / start.sum()
        self.steps = steps / steps.sum(axis=1, keepdims=True)
        self.letters = letters / letters.sum(axis=1, keepdims=True)

    def paths(self, length: int) -> Any:
        """Every path with its probability."""
        for path in itertools.product(range(self.states), repeat=length):
            yield path, self.start[path[0]] * math.prod(self.steps[u, v] for u, v in itertools.pairwise(path))

    def emitted(self, path: tuple[int, ...], string: str) -> float:
        """The probability of a string on a path."""
        return math.prod(self.letters[u, self.symbols.index(ord(c))] for u, c in zip(path, string, strict=True))

    def pair(self, a: str, b: str) -> float:
        """The probability that one path emits both."""
        if not a:
            return 1.0
        return math.fsum(w * self.emitted(path, a) * self.emitted(path, b) for path, w in self.paths(len(a)))

    def scores(self, string: str) -> np.ndarray:
        """The gradient of the log-probability by all logits."""
        start, steps, letters = np.zeros(self.states), np.zeros_like(self.steps), np.zeros_like(self.letters)
        if not string:
            return np.concatenate([start, steps.ravel(), letters.ravel()])
        total = 0.0
        for path, weight in self.paths(len(string)):
            weight *= self.emitted(path, string)
            total += weight
            start += weight * (np.eye(self.states)[path[0]] - self.start)
            for u, v in itertools.pairwise(path):
                steps[u] += weight * (np.eye(self.states)[v] - self.steps[u])
            for u, c in zip(path, string, strict=True):
                letters[u] += weight * (np.eye(len(self.symbols))[self.symbols.index(ord(c))] - self.letters[u])
        return np.concatenate([start, steps.ravel(), letters.ravel()]) / total


def _hmm_pair(p: Parameters, a: str, b: str) -> float:
    model = Hidden(p)
    value = model.pair(a, b)
    return value if p["values"] == "probability" else value / math.sqrt(model.pair(a, a) * model.pair(b, b))


PAIRS: dict[str, Callable[[Parameters, str, str], float]] = {
    "weighted_degree": _weighted_degree,
    "weighted_degree_shifts": _weighted_degree,
    "oligo": _oligo,
    "local_alignment": _local_alignment,
    "locality_improved": _locality,
    "codon_improved": _locality,
    "salzberg": _salzberg,
    "hmm_pair": _hmm_pair,
    "fisher_hmm": lambda p, a, b: float(Hidden(p).scores(a) @ Hidden(p).scores(b)),
}


# ---- Of all strings ------------------------------------------------------------------------------------------------


def _tfidf(p: Parameters, x: list[str], y: list[str], train: list[str]) -> np.ndarray:
    n, documents = len(train), Counter(key for string in train for key in _words(p, string))

    def features(string: str) -> Features:
        found = {}
        for key, value in _words(p, string).items():
            df = documents.get(key, 0)
            if df >= max(p["min_df"], 1) and df <= p["max_df"] * n:
                found[key] = value * (
                    math.log((1 + n) / (1 + df)) + 1 if p["idf"] == "smooth" else math.log(n / (1 + df))
                )
        length = math.sqrt(sum(value**2 for value in found.values()))
        return {key: value / length for key, value in found.items()} if length > 0 else {}

    return np.array([[_product(features(a), features(b)) for b in y] for a in x])


def _markov_scores(p: Parameters, string: str) -> tuple[np.ndarray, np.ndarray]:
    symbols, order = [chr(code) for code in p["symbols"]], p["order"]
    contexts = list(itertools.product(symbols, repeat=order))
    table = np.array(p["transitions"], dtype=float).reshape(len(contexts), len(symbols))
    table = table / table.sum(axis=1, keepdims=True)
    counts = np.zeros_like(table)
    for i in range(len(string) - order):
        context, symbol = tuple(string[i : i + order]), string[i + order]
        if context in contexts and symbol in symbols:
            counts[contexts.index(context), symbols.index(symbol)] += 1
    return counts / table, table


def _counts(p: Parameters, strings: list[str]) -> np.ndarray:
    return np.array([np.multiply(*_markov_scores(p, string)) for string in strings])


def _against(table: np.ndarray, visits: np.ndarray, counts: np.ndarray) -> np.ndarray:
    expected = counts.sum(axis=2, keepdims=True) * table
    return ((counts - expected) / np.sqrt(table * visits[:, None])).reshape(len(counts), -1)


def _fisher_markov(p: Parameters, x: list[str], y: list[str], train: list[str]) -> np.ndarray:
    left, right = (np.array([_markov_scores(p, s)[0].ravel() for s in rows]) for rows in (x, y))
    if p["information"] == "plain":
        return left @ right.T
    table = _markov_scores(p, "")[1]
    visits = np.array(p["visits"] if isinstance(p["visits"], list) else [p["visits"]] * len(table), dtype=float)
    # Probabilities sum to 1: counts weigh against what the chain expects after as many visits.
    left, right, scores = (_against(table, visits, _counts(p, rows)) for rows in (x, y, train))
    if p["information"] == "sample":
        information = scores.T @ scores / len(train)
        if not information.any():
            return np.zeros((len(x), len(y)))
        information += 1e-3 * np.mean(np.diag(information)) * np.eye(len(information))
        return left @ np.linalg.solve(information, right.T)
    return left @ right.T


def evaluate(name: str, p: Parameters, x: list[str], y: list[str], train: list[str]) -> np.ndarray:
    """The values of all pairs of strings."""
    if name == "tfidf":
        return _tfidf(p, x, y, train)
    if name == "fisher_markov":
        return _fisher_markov(p, x, y, train)
    if name in PAIRS:
        return np.array([[PAIRS[name](p, a, b) for b in y] for a in x])
    left, right = [FEATURES[name](p, s) for s in x], [FEATURES[name](p, s) for s in y]
    values = np.array([[_product(a, b) for b in right] for a in left])
    if p.get("form") == "normalized":
        own = np.outer([math.sqrt(_product(a, a)) for a in left], [math.sqrt(_product(b, b)) for b in right])
        values = np.where(own > 0, values / np.where(own > 0, own, 1), 0.0)
    return values
