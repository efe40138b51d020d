"""Kernels against their formulas, and what every Gram matrix obeys: symmetry, blocks, threads, prints, gradients."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from hypothesis import strategies as st

from hunt import data, engine
from hunt.oracles import kernel_algebra, kernel_formulas, kernel_objects, kernel_strings
from hunt.oracles.kernel_formulas import DOMAINS, names, text
from hunt.subjects import kernel_names, kernels
from hunt.verdict import Judge, NotApplicable
from mercer import _core
from mercer._samples import as_samples

CHECKS = ("formula", "formula", "formula", "algebra", "blocks", "threads", "single", "print", "definite")
OF_VECTORS = ("inputs", "storage")
# Kernels that are inner products of explicit features.
EXPLICIT = {
    "all_substrings",
    "bag_of_characters",
    "blended_spectrum",
    "bounded_subsequence",
    "edge_histogram",
    "fisher_markov",
    "gapped_kmer",
    "gappy_pair",
    "graphlets",
    "mismatch",
    "probability_product_strings",
    "pyramid_match",
    "set_intersection",
    "spectrum",
    "subtree",
    "tfidf",
    "vertex_histogram",
    "weighted_degree",
    "words",
}
# Kernels whose values among other samples are not those of the same samples alone.
OF_THE_SAMPLE = ("white", "precomputed", *(name for name, kind in kernel_objects.KINDS.items() if kind == "nodes"))


def subjects() -> list[str]:
    """All kernels."""
    return list(kernels())


def kind_of(name: str) -> str:
    """What samples a kernel takes."""
    if name in kernel_strings.DRAWN or name == "probability_product_hmm":
        return "strings"
    if name == "precomputed":
        return "matrix"
    return kernel_objects.KINDS.get(name, "vectors")


def checks_of(name: str, kind: str) -> list[str]:
    """The checks that apply to a kernel."""
    entry = kernels()[name]
    found = [*CHECKS, *(OF_VECTORS if kind == "vectors" else ())]
    if entry["most_children"] > 0 or any(parameter["role"] == "scale" for parameter in entry["parameters"]):
        found.append("parameters")
    if name in kernel_formulas.RADIAL:
        found.append("widths")
    if name in EXPLICIT:
        found += ["features", "features"]
    if name in ("precomputed", "probability_product_hmm"):
        found = [check for check in found if check != "formula"]
    return found


def draw(pick: Any, name: str) -> dict[str, Any]:
    """A kernel with parameters or one of the registry's examples, samples, and the check that they are tried by."""
    kind = kind_of(name)
    check = pick(st.sampled_from(checks_of(name, kind)))
    if name in ("tanimoto", "dice") and pick(st.booleans()):
        kind = "sets"
    facts: dict[str, Any] = {"check": check, "kind": kind}
    examples = [text for text in kernels()[name]["examples"] if name != "if_present" or "spectrum" not in text]
    drawable = kind == "vectors" or name in kernel_strings.DRAWN or name in kernel_objects.DRAWN
    if not drawable or (check not in ("formula", "widths") and pick(st.booleans())):
        samples = draw_samples(pick, kind, name, {}, check, 3)
        samples.pop("apart", None)
        return {**facts, "example": pick(st.sampled_from(examples)), **samples}
    columns = pick(st.integers(1, 4))
    if kind == "vectors":
        samples = draw_samples(pick, kind, name, {}, check, columns)
        facts["expression"] = draw_vectors(pick, name, columns, samples.get("unit", 1))
    elif kind == "strings":
        facts["expression"] = [name, kernel_strings.draw_parameters(pick, name), []]
        samples = draw_samples(pick, kind, name, facts["expression"][1], check, 0)
    else:
        facts["expression"] = kernel_objects.draw_expression(pick, name)
        samples = draw_samples(pick, kind, name, {}, check, 0)
    return {**facts, **samples}


def draw_vectors(pick: Any, name: str, columns: int, unit: float) -> list[Any]:
    """An expression whose outermost kernel is the given one."""
    if name in kernel_algebra.OF_ANY or name in kernel_algebra.OF_NEGATIVE:
        return kernel_algebra.draw_combined(pick, name, columns)
    if name in kernel_algebra.DENSITIES:
        return kernel_algebra.draw_density(pick, name, columns)
    leaf = kernel_formulas.draw_leaf(pick, name, columns, unit)
    if name == "local_image" and not leaf[1] and columns not in (1, 4):
        leaf[1]["width"] = columns
    return leaf


def draw_samples(
    pick: Any, kind: str, name: str, parameters: dict[str, Any], check: str, columns: int
) -> dict[str, Any]:
    """Samples of a kind: recipes of vectors, other things as they are."""
    if kind == "matrix":
        return {"rows": pick(st.integers(1, 8)), "seed": pick(st.integers(0, 999))}
    if kind == "strings":
        lengths = kernel_strings.LENGTHS if name in kernel_strings.CHEAP else (0,)
        return {"samples": kernel_strings.draw_strings(pick, name, parameters), "long": pick(st.sampled_from(lengths))}
    if kind != "vectors":
        return {"samples": kernel_objects.draw_objects(pick, kind)}
    apart = name in kernel_formulas.RADIAL and columns > 0 and name not in kernel_formulas.ONE_COLUMN
    plain = check in ("single", "definite", "parameters", "inputs") or name not in kernel_formulas.DRAWN
    large = check in ("blocks", "threads", "single", "storage") and pick(st.booleans())
    recipe = data.draw_inputs(pick, fewest=1, most=140 if large else 8, columns=1, plain=plain)
    recipe["columns"] = columns
    if check in ("parameters", "inputs"):  # no two values are equal: kernels may have kinks there
        recipe.update(shape="heavy" if recipe["shape"] == "heavy" else "normal", duplicates=0, constant_columns=0)
    if check == "single":
        recipe["near"] = False
    if check == "parameters":
        recipe.update(near=False, apart=pick(st.sampled_from((0, 1e-9, 1e-12, 1e-15))) if apart else 0)
    return recipe


# ---- Building ------------------------------------------------------------------------------------------------------


class Case:
    """The kernel and samples of a case."""

    def __init__(self, name: str, facts: dict[str, Any]) -> None:
        self.name, self.facts, self.kind = name, facts, facts["kind"]
        self.expression: list[Any] | None = facts.get("expression")
        self.text: str = facts["example"] if self.expression is None else text(self.expression)
        self.kernel = engine.called(_core.Kernel, self.text)
        self.queries: Any = None
        if self.kind == "vectors":
            self.rows, self.queries = self.within(data.build_inputs(facts)), self.within(data.build_queries(facts))
            if facts.get("apart") and len(self.rows) > 1:
                self.rows[0] = self.rows[-1] + facts["apart"] * np.arange(1, self.rows.shape[1] + 1)
        elif self.kind == "matrix":
            factor = np.random.default_rng(facts["seed"]).standard_normal((facts["rows"], facts["rows"]))
            self.rows = factor @ factor.T
        elif self.kind == "strings":
            self.rows = facts["samples"]
            if facts.get("long"):
                self.rows = kernel_strings.lengthened(self.rows, facts["long"], name in kernel_strings.ALIGNED)
        else:
            self.rows = kernel_objects.as_objects(self.kind, facts["samples"])
        self.samples = self.made(self.rows)
        if not len(self.samples):
            raise NotApplicable("no samples")
        self.resolved = engine.called(self.kernel.resolved, self.samples)

    def made(self, rows: Any) -> _core.Samples:
        """Samples of the core."""
        return engine.called(as_samples, rows)

    def within(self, rows: np.ndarray) -> np.ndarray:
        """Rows moved into the domain of the kernel."""
        domain = DOMAINS.get(self.name)
        if domain == "nonnegative":
            return np.abs(rows)
        if domain == "ball":
            return rows / (1.25 * np.linalg.norm(rows, axis=1, keepdims=True) + 1e-300)
        if domain == "tasks":
            unit = self.facts.get("unit", 1) or 1
            return np.abs(np.round(rows / unit - self.facts.get("offset", 0))) % 3
        if domain == "missing":
            rows = rows.copy()
            rows[1::3, 0] = np.nan
        return rows

    def gram(self, rows: Any, other: Any = None, **named: Any) -> np.ndarray:
        """Values of the engine."""
        left = self.samples if rows is self.rows else self.made(rows)
        right = None if other is None else (self.samples if other is self.rows else self.made(other))
        return np.asarray(engine.called(self.resolved.gram, left, right, **named))


def judge(name: str, facts: dict[str, Any], judge: Judge) -> None:
    """Try the case by its check."""
    case = Case(name, facts)
    judge.covers(*(f"kernel {one}" for one in kernel_names(case.text)))
    globals()[f"check_{facts['check']}"](case, judge)


# ---- Formulas ------------------------------------------------------------------------------------------------------


def check_formula(case: Case, judge: Judge) -> None:
    """The values are those of the documented formula."""
    if case.expression is None:
        raise NotApplicable("no formula is written here")
    if case.kind != "vectors":
        if case.kind == "strings":
            expected = kernel_strings.evaluate(case.name, case.expression[1], case.rows, case.rows, case.rows)
        else:
            expected = kernel_objects.evaluate(case.expression, case.kind, case.rows)
        if not np.isfinite(expected).all():
            raise NotApplicable("the formula has no finite values")
        judge.close("formula", case.gram(case.rows), expected, 1e-10, what=case.text)
        return
    for rows, other in ((case.rows, None), (case.queries, case.rows)):
        right = rows if other is None else other
        with np.errstate(all="ignore"):
            try:
                expected = kernel_formulas.evaluate(case.expression, rows, right, case.rows)
                allowed = kernel_formulas.allowed(case.expression, rows, right, case.rows, expected)
            except (OverflowError, ZeroDivisionError, ValueError) as error:
                raise NotApplicable(f"the formula: {error}") from error
        if not np.isfinite(expected).all() or not np.isfinite(allowed):
            raise NotApplicable("the formula has no finite values")
        found = case.gram(rows, other)
        close_within(judge, oracle_of(case, "formula"), found, expected, allowed, case.text)


def is_distance(kernel: _core.Kernel) -> bool:
    """Whether k(x,x) + k(y,y) - 2 k(x,y) is the square of a distance."""
    return kernel.definiteness.startswith(("positive definite", "conditionally positive definite of order 1"))


def close_within(judge: Judge, oracle: str, found: np.ndarray, expected: np.ndarray, allowed: float, what: str) -> None:
    """Agreement to an absolute bound."""
    scale = max(float(np.abs(expected).max(initial=0)), allowed, 1e-300)
    judge.close(oracle, found, expected, allowed / scale, size=scale, what=what)


def check_widths(case: Case, judge: Judge) -> None:
    """The widths that the data decide: scale, auto, median, ard."""
    if case.kind != "vectors" or len(case.rows) < 2 or np.isnan(case.rows).any():
        raise NotApplicable("no widths")
    x = case.rows
    d, centred = x.shape[1], case.rows - case.rows.mean()
    variance = float(np.mean((centred - centred.mean()) ** 2))
    distances = [float(((a - b) ** 2).sum()) for a, b in itertools.combinations(x, 2)]
    if variance <= 1e-20 * np.abs(x).max() ** 2 or min(distances) == 0:
        raise NotApplicable("constant or repeated rows")
    widths = {"scale": 1 / (d * variance), "auto": 1 / d, "median": 1 / float(np.median(distances))}
    exact = 1e-9 + 1e-14 * float(np.abs(x).max()) / np.sqrt(variance)
    for rule, gamma in widths.items():
        for template, expected in (("rbf(gamma={})", gamma), ("exponential(lengthscale={})", (2 * gamma) ** -0.5)):
            made = engine.called(_core.Kernel(template.format(rule)).resolved, case.samples)
            found = made.scale_parameters()[0]["value"]
            judge.close(f"widths_{rule}", found, expected, exact, what=template.format(rule))
    each = np.sqrt(d * x.var(axis=0) / 2)
    if (each > 1e-7 * np.abs(x).max(axis=0)).all():
        made = engine.called(_core.Kernel("rbf(lengthscale=ard)").resolved, case.samples)
        found = [parameter["value"] for parameter in made.scale_parameters()]
        judge.close("widths_ard", found, each, 1e-6, what="rbf(lengthscale=ard)")


def check_algebra(case: Case, judge: Judge) -> None:
    """Kernels made of this one and another are what NumPy makes of both matrices."""
    rows = np.nan_to_num(case.rows) if case.kind == "vectors" else case.rows
    first, other = case.text, OTHERS[case.kind]
    a, b = (np.asarray(engine.called(engine.called(_core.Kernel, one).gram, case.made(rows))) for one in (first, other))
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise NotApplicable("values that are not finite")
    own, mean, n = np.diag(a), a.mean(axis=0), len(a)
    top = float(np.abs(a).max(initial=0)) or 1.0
    factor = f"{1 / top:.6g}"
    with np.errstate(all="ignore"):
        root = np.sqrt(own)
        expected = {
            f"({first}) + ({other})": a + b,
            f"({first}) * ({other})": a * b,
            f"0.3*({first})": 0.3 * a,
            f"({first})^2": a**2,
            f"exp({factor}*({first}))": np.exp(float(factor) * a),
            f"poly({first}, degree=2, gamma=0.5, coef0=1)": (0.5 * a + 1) ** 2,
            f"rbf_of({first}, gamma={factor})": np.exp(-float(factor) * (own[:, None] + own[None, :] - 2 * a)),
            f"normalize({first})": np.where(np.outer(own, own) > 0, a / root[:, None] / root[None, :], 0.0),
            f"center({first})": a - mean[:, None] - mean[None, :] + a.mean(),
            f"iterated({first})": a @ a.T / n,
        }
    if case.name in OF_THE_SAMPLE or (own < 0).any():
        expected = dict(list(expected.items())[:6])
    for spec, values in expected.items():
        if spec.startswith("rbf_of") and not is_distance(case.kernel):
            continue
        # A kernel that is 0 but for the rounding of what cancels in it has no lengths.
        if not np.isfinite(values).all() or (spec.startswith("normalize") and own.min() < 1e-8 * size_of(case, a)):
            continue
        found = engine.called(engine.called(_core.Kernel, spec).gram, case.made(rows))
        size = top if spec.startswith("center") else 0.0
        # What cancels leaves rounding, whatever it is multiplied by.
        if size_of(case, a) > float(np.abs(a).max(initial=0)):
            size = size_of(case, a) * max(1.0, top, float(np.abs(b).max(initial=0)))
        judge.close("algebra", found, values, closeness(case), size=size, what=spec)


OTHERS = {
    "vectors": "laplacian(gamma=0.5)",
    "matrix": "precomputed()",
    "strings": "spectrum(k=1)",
    "trees": "subtree()",
    "sets": "set_intersection()",
    "bags": "mean_map(rbf(gamma=0.3))",
    "graphs": "vertex_histogram()",
    "nodes": "diffusion(beta=0.5)",
}


def check_features(case: Case, judge: Judge) -> None:
    """The inner products of the explicit features that linear models take are the kernel's values."""
    features = engine.called(_core.ExplicitMap, case.kernel, case.samples)
    values, columns, offsets, shape = engine.called(features.features, case.samples).to_python()
    rows = scipy.sparse.csr_matrix((values, columns, offsets), shape=shape)
    expected = case.gram(case.rows)
    size = size_of(case, expected)
    judge.close("features", (rows @ rows.T).toarray(), expected, closeness(case), size=size, what=case.text)


# ---- What every Gram matrix obeys ----------------------------------------------------------------------------------


def some_of(rows: Any, chosen: list[int]) -> Any:
    """Some of the samples."""
    return rows[chosen] if isinstance(rows, np.ndarray) else [rows[i] for i in chosen]


def size_of(case: Case, values: np.ndarray) -> float:
    """The size of what was summed up to the values, as far as the oracle knows it."""
    size = float(np.abs(values[np.isfinite(values)]).max(initial=0))
    parts = names(case.expression) if case.expression is not None else kernel_names(case.text)
    return max(size, 1.0) if parts & {"center", "from_cpd"} else size


def closeness(case: Case) -> float:
    """How far values may be off that are computed in another order."""
    found = kernel_names(case.text)
    close = 1e-5 if "root" in found else 1e-7 if found & {"arccos", "neural"} else 1e-9
    if case.kind == "vectors" and "cosine" in found:
        # The products of all kernels of a sum have one origin, from which a short row is as far as the others.
        lengths = np.linalg.norm(np.nan_to_num(np.asarray(case.rows, dtype=float)), axis=1)
        close = max(close, 16 * np.finfo(float).eps * float(lengths.max() / lengths[lengths > 0].min(initial=np.inf)))
    return close


def check_blocks(case: Case, judge: Judge) -> None:
    """Symmetric; the diagonal alone; a block of it is the matrix of the rows of the block."""
    whole = case.gram(case.rows)
    size = size_of(case, whole)
    judge.close("symmetric", whole, whole.T, 1e-13, size=size, what=f"the transposed matrix of {case.text}")
    diagonal = engine.called(case.resolved.diagonal, case.samples)
    judge.close("diagonal", diagonal, np.diag(whole), closeness(case), size=size, what=f"the diagonal of {case.text}")
    if kernel_names(case.text) & set(OF_THE_SAMPLE):
        return
    n = len(case.samples)
    first, second = list(range(0, n, 2)), list(range(n - 1, -1, -2))
    block = case.gram(some_of(case.rows, first), case.rows)
    judge.close("block", block, whole[first], closeness(case), size=size, what=f"rows of {case.text}")
    if not learns(case):
        block = case.gram(some_of(case.rows, first), some_of(case.rows, second))
        expected = whole[np.ix_(first, second)]
        judge.close("block", block, expected, closeness(case), size=size, what=f"a block of {case.text}")


def learns(case: Case) -> bool:
    """Whether values depend on more of the training samples than the text tells."""
    spec = case.resolved.spec
    named = kernel_names(case.text) & {"center", "iterated", "tfidf"}
    return bool(named) or "origin=mean" in spec or "=sample" in spec or ("salzberg" in spec and "scores" not in spec)


def check_threads(case: Case, judge: Judge) -> None:
    """The same bits for any number of threads."""
    for other in (None, case.rows):
        found = case.gram(case.rows, other, threads=3)
        judge.same("threads", found, case.gram(case.rows, other, threads=1), f"the matrix of {case.text}")


def check_single(case: Case, judge: Judge) -> None:
    """Single precision has about six digits."""
    double = case.gram(case.rows)
    if float(np.abs(double).max(initial=0)) > 1e30:
        raise NotApplicable("beyond single precision")
    single = case.gram(case.rows, float32=True)
    judge.holds("single", single.dtype == np.float32, f"{single.dtype} for single precision")
    size = max(size_of(case, double), float(np.finfo(np.float32).tiny))  # below it there are no digits
    tolerance = {1e-5: 3e-2, 1e-7: 1e-3}.get(closeness(case), 1e-4)
    if case.kind == "vectors" and case.expression is not None and len(case.rows) <= 8:
        allowed = kernel_formulas.allowed(case.expression, case.rows, case.rows, case.rows, double, 2.0**-23)
        if not np.isfinite(allowed):
            raise NotApplicable("rounding may do anything")
        tolerance = max(tolerance, allowed / size if size > 0 else 0.0)
    elif case.kind == "vectors" and case.expression is not None:
        raise NotApplicable("too many rows to tell what rounding may do")
    judge.close("single", single, double, tolerance, size=size, what=f"{case.text} in single precision")


def check_print(case: Case, judge: Judge) -> None:
    """What is printed parses back to the same kernel, to the last bit."""
    again = engine.called(_core.Kernel, case.kernel.spec)
    judge.same("print", again.spec, case.kernel.spec, f"the text of {case.text}")
    found = engine.called(engine.called(again.resolved, case.samples).gram, case.samples)
    judge.same("print", found, case.gram(case.rows), f"the matrix of {case.kernel.spec}")
    learnt = engine.called(_core.Kernel, case.resolved.spec)
    judge.same("print", learnt.spec, case.resolved.spec, f"the text of the resolved {case.text}")
    judge.holds("print", case.resolved.is_resolved, f"{case.resolved.spec} is not resolved")
    values = [parameter["value"] * (1 + 1 / 3e3) for parameter in case.resolved.scale_parameters()]
    if values:
        changed = engine.called(case.resolved.with_scale_parameters, values)
        found = [parameter["value"] for parameter in engine.called(_core.Kernel, changed.spec).scale_parameters()]
        judge.same("print", np.array(found), np.array(values), f"the numbers of {changed.spec}")


def check_definite(case: Case, judge: Judge) -> None:
    """No eigenvalue contradicts what the kernel says of itself."""
    claim = case.resolved.definiteness
    values = case.gram(case.rows)
    if not np.isfinite(values).all():
        raise NotApplicable("values that are not finite")
    basis = np.eye(len(values))
    if claim.startswith("conditionally positive definite of order 1"):
        basis = _orthogonal(np.ones((len(values), 1)))
    elif claim.startswith("conditionally"):
        degree = int(claim.split("order")[1].split()[0]) - 1
        basis = _orthogonal(_monomials(case.rows, degree))
    elif not claim.startswith("positive definite"):
        raise NotApplicable(f"no claim: {claim}")
    if basis.shape[1] == 0:
        raise NotApplicable("nothing is left")
    least = float(np.linalg.eigvalsh(basis.T @ (values + values.T) @ basis / 2).min())
    size = len(values) * size_of(case, values)
    judge.at_most("definite", -least, 1e-9 * size, f"minus the least eigenvalue of {case.text}, said to be {claim},")


def _orthogonal(columns: np.ndarray) -> np.ndarray:
    u, s, _ = np.linalg.svd(columns, full_matrices=True)
    return u[:, int((s > 1e-10 * s[0]).sum()) :]


def _monomials(x: np.ndarray, degree: int) -> np.ndarray:
    columns = [np.ones(len(x))]
    for n in range(1, degree + 1):
        columns += [
            np.prod(x[:, list(c)], axis=1) for c in itertools.combinations_with_replacement(range(x.shape[1]), n)
        ]
    return np.column_stack(columns)


# ---- Gradients -----------------------------------------------------------------------------------------------------


STEP = 1e-4  # of differences by an entry of a sample


def slope(function: Any, at: float, step: float) -> tuple[float, float]:
    """The derivative by differences, and how far it is to be trusted."""

    def central(h: float) -> float:
        return (function(at + h) - function(at - h)) / (2 * h)

    coarse, fine, finest = central(step), central(step / 2), central(step / 4)
    first, second = (4 * fine - coarse) / 3, (4 * finest - fine) / 3
    return second, abs(second - first)


def check_parameters(case: Case, judge: Judge) -> None:
    """Gradients by the parameters are those of differences."""
    parameters = case.resolved.scale_parameters()
    if not parameters:
        raise NotApplicable("no continuous parameters")
    n = len(case.samples)
    weights = np.random.default_rng(3).standard_normal((n, n))
    found = engine.called(case.resolved.contract, case.samples, weights)
    judge.holds("parameters", len(found) == len(parameters), f"{len(found)} slopes for {len(parameters)} parameters")
    twice = engine.called(case.resolved.contract, case.samples, weights, case.samples)
    values = [parameter["value"] for parameter in parameters]
    whole = case.gram(case.rows)
    size = max(float(np.abs(weights * whole).sum()), size_of(case, whole))
    what = f"slopes of {case.text} between the samples and themselves"
    judge.close("parameters", twice, found, 1e-8, size=size, what=what)
    for place, parameter in enumerate(parameters):
        if np.isinf(values[place]):  # a column that is switched off
            judge.close("parameters", found[place], 0.0, 0.0, what=f"{case.text} by {parameter['path']}")
        if np.isinf(values[place]) or values[place] == 0:
            continue

        def total(value: float, place: int = place) -> float:
            changed = case.resolved.with_scale_parameters([*values[:place], value, *values[place + 1 :]])
            return float((weights * engine.called(changed.gram, case.samples)).sum())

        step, rounding = 1e-3 * abs(values[place]), 0.0
        expected, error = slope(total, values[place], step)
        if case.facts.get("apart"):  # the matrix itself is too rough for differences where rows are nearly equal
            by_formula = [formula_total(case, parameter["path"], weights, seed) for seed in (None, 0, 1, 2)]
            (expected, error), *noisy = [slope(function, values[place], step) for function in by_formula]
            rounding = 20 * max(abs(one - expected) for one, _ in noisy)
        scale = max(abs(expected), size / abs(values[place]), 1e-6)
        if not error <= 1e-6 * scale or not np.isfinite(rounding):
            continue
        tolerance, what = 1e-5 + rounding / scale, f"{case.text} by {parameter['path']}"
        judge.close(oracle_of(case, "parameters"), found[place], expected, tolerance, size=scale, what=what)


def formula_total(case: Case, path: str, weights: np.ndarray, seed: int | None) -> Callable[[float], float]:
    """The weighted sum of the formula's values as a function of one parameter, with or without rounding."""
    name, parameters, _ = case.expression or ["", {}, []]
    key, _, place = path.rstrip("]").partition("[")

    def total(value: float) -> float:
        changed = {**parameters, key: value}
        if place:
            changed[key] = [*parameters[key][: int(place)], value, *parameters[key][int(place) + 1 :]]
        noise = None if seed is None else kernel_formulas.Noise(seed)
        return float(
            (weights * kernel_formulas.evaluate([name, changed, []], case.rows, case.rows, case.rows, noise)).sum()
        )

    return total


def oracle_of(case: Case, oracle: str) -> str:
    """A name of its own for what rbf_of says where there are no distances."""
    inside = case.name == "rbf_of" and case.expression is not None and case.expression[0] == "rbf_of"
    if inside and not is_distance(_core.Kernel(text(case.expression[2][0]))):
        return "rbf_of_indefinite"
    return oracle


def check_inputs(case: Case, judge: Judge) -> None:
    """Gradients by the samples are those of differences."""
    if case.kind != "vectors" or np.isnan(case.rows).any():
        raise NotApplicable("no vectors")
    x, y = case.queries, case.rows
    weights = np.random.default_rng(4).standard_normal((len(x), len(y)))
    found = engine.called(case.resolved.input_gradient, case.made(x), case.samples, weights)
    judge.holds("inputs", found.shape == x.shape, f"a gradient of shape {found.shape} for {x.shape}")
    values = case.gram(x, y)
    size = np.abs(weights * values).sum(axis=1)
    # What differences make of the rounding of values, or of what cancels in them.
    rounding = 8 * 2.0**-52 * size_of(case, values) * np.abs(weights).sum(axis=1) / STEP
    tolerance = 1e-5 if closeness(case) <= 1e-9 else 1e-4  # differences of values that are rough
    for i, j in itertools.product(range(3, len(x)), range(x.shape[1])):

        def total(value: float, i: int = i, j: int = j) -> float:
            row = x[i : i + 1].copy()
            row[0, j] = value
            return float((weights[i] * case.gram(row, y)[0]).sum())

        expected, error = slope(total, x[i, j], STEP)
        scale = max(abs(expected), float(size[i])) + float(rounding[i]) / tolerance
        if np.isfinite(expected) and error < 1e-6 * scale:
            judge.close(
                oracle_of(case, "inputs"),
                found[i, j],
                expected,
                tolerance,
                size=scale,
                what=f"{case.text} by x[{i}, {j}]",
            )


def check_storage(case: Case, judge: Judge) -> None:
    """Sparse, column by column or in single precision, the rows are the same."""
    if case.kind != "vectors" or np.isnan(case.rows).any():
        raise NotApplicable("no vectors")
    sparse = data.as_sparse(case.rows, case.facts["seed"])
    dense = sparse.toarray()
    expected = case.gram(dense)
    size = size_of(case, expected)
    close = closeness(case)
    judge.close("sparse", case.gram(sparse), expected, close, size=size, what=f"{case.text} of sparse rows")
    if not kernel_names(case.text) & set(OF_THE_SAMPLE):
        mixed = case.gram(sparse, dense)
        judge.close("sparse", mixed, expected, close, size=size, what=f"{case.text} of sparse and dense rows")
    found = case.gram(np.asfortranarray(dense))
    judge.close("column_order", found, expected, 1e-12, size=size, what=f"{case.text} of columns")
    short = dense.astype(np.float32)
    if np.isfinite(short).all():
        long = case.gram(short.astype(float))
        judge.close("float_rows", case.gram(short), long, close, size=size, what=f"{case.text} of float32 rows")
    empty = scipy.sparse.csr_matrix(dense.shape)
    judge.close("sparse", case.gram(empty), case.gram(empty.toarray()), close, size=size, what=f"{case.text} of zeros")
