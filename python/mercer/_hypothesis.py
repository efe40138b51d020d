"""Tests of hypotheses by kernels: two samples, and independence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from mercer import _core
from mercer._frames import stacked_frames
from mercer._parameters import seed_of, thread_count
from mercer._samples import as_samples, coded_samples, is_frame, is_objects, is_strings, kernel_of
from mercer.kernels import as_kernel

MEDIAN_RBF = "rbf(gamma=median)"


@dataclass(frozen=True)
class HypothesisTest:
    """What a test says.

    Attributes
    ----------
    statistic : float
        MMD² or HSIC.
    p_value : float
        Probability of a statistic as large as this where the hypothesis is true.
    threshold : float
        The hypothesis is rejected where the statistic is above it.
    rejected : bool
        Whether ``p_value`` is at most the level.
    null : dict
        How the statistic would be spread: kind ('permutation' or 'normal'), count, mean, deviation.
    kernel : str
        With its width as it was chosen.
    target_kernel : str or None
        That of the second view, for independence.
    left_out : int
        Rows that the statistic does not use.
    notes : list of str
        What else there is to say.
    """

    statistic: float
    p_value: float
    threshold: float
    rejected: bool
    null: dict[str, Any]
    kernel: str
    target_kernel: str | None = None
    left_out: int = 0
    notes: tuple[str, ...] = ()


def two_sample_test(
    X: Any,
    Y: Any,
    *,
    kernel: Any = MEDIAN_RBF,
    statistic: str = "quadratic",
    permutations: int = 1000,
    level: float = 0.05,
    block_size: int = 0,
    memory_mb: float = 512,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> HypothesisTest:
    """Test whether two samples are of one distribution, by the distance of their means in feature space (MMD).

    Parameters
    ----------
    X, Y : array-like, sparse matrix, data frame or list of strings
        The samples: rows of the same kind, as many of each as there are. An array of one dimension is one column.
    kernel : str or Kernel, default='rbf(gamma=median)'
        A spec or an object of ``mercer.kernels``; widths are those of both samples together.
    statistic : {'quadratic', 'block', 'linear'}, default='quadratic'
        Over all pairs, judged by permutations; or over blocks or pairs of neighbours, judged by a normal distribution,
        for very many rows.
    permutations : int, default=1000
        Of 'quadratic', all judged in one pass over the kernel matrix.
    level : float, default=0.05
        Probability of rejecting a hypothesis that is true.
    block_size : int, default=0
        Rows of each sample in a block; 0: the square root of their number.
    memory_mb : float, default=512
        For permutations, and for the kernel matrix.
    random_state : int, RandomState instance or None, default=None
        Seed of permutations; None is 0.
    n_jobs : int, optional
        Threads. None: all cores, or OMP_NUM_THREADS.

    Returns
    -------
    HypothesisTest

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> rng = np.random.default_rng(0)
    >>> mercer.two_sample_test(rng.normal(size=100), rng.normal(1, size=100)).rejected
    True
    """
    compiled = kernel_of(_core.Kernel(as_kernel(kernel).spec), X)
    found = _core.two_sample_test(
        compiled,
        *_views(compiled, X, Y),
        statistic=statistic,
        permutations=permutations,
        level=level,
        block_size=block_size,
        memory_mb=memory_mb,
        threads=thread_count(n_jobs),
        seed=seed_of(random_state),
    )
    return HypothesisTest(**{**found, "notes": tuple(found["notes"])})


def independence_test(
    X: Any,
    y: Any,
    *,
    kernel: Any = MEDIAN_RBF,
    target_kernel: Any = None,
    permutations: int = 1000,
    level: float = 0.05,
    memory_mb: float = 2048,
    rank: int = 200,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> HypothesisTest:
    """Test whether two views of the same rows know nothing of each other, by their cross-covariance (HSIC).

    Parameters
    ----------
    X : array-like, sparse matrix, data frame or list of strings
        The first view. An array of one dimension is one column.
    y : array-like, sparse matrix, data frame or list of labels
        The second view of the same rows.
    kernel : str or Kernel, default='rbf(gamma=median)'
        On X: a spec or an object of ``mercer.kernels``.
    target_kernel : str or Kernel, optional
        On y. None: 'rbf(gamma=median)' for numbers, whether they are equal for labels.
    permutations : int, default=1000
        How many random orders the statistic is judged by.
    level : float, default=0.05
        Probability of rejecting independence where it holds.
    memory_mb : float, default=2048
        For both kernel matrices; beyond it low-rank factors take their place.
    rank : int, default=200
        Of these factors.
    random_state : int, RandomState instance or None, default=None
        Seed of permutations; None is 0.
    n_jobs : int, optional
        Threads. None: all cores, or OMP_NUM_THREADS.

    Returns
    -------
    HypothesisTest

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> x = np.random.default_rng(0).normal(size=150)
    >>> mercer.independence_test(x, x**2).rejected
    True
    """
    labels = is_labels(y)
    chosen = ("delta()" if labels else MEDIAN_RBF) if target_kernel is None else target_kernel
    compiled = kernel_of(_core.Kernel(as_kernel(kernel).spec), X)
    target = kernel_of(_core.Kernel(as_kernel(chosen).spec), y)
    found = _core.independence_test(
        compiled,
        _view(compiled, X),
        target,
        _labels(y) if labels and target_kernel is None else _view(target, y),
        permutations=permutations,
        level=level,
        memory_mb=memory_mb,
        rank=rank,
        threads=thread_count(n_jobs),
        seed=seed_of(random_state),
    )
    return HypothesisTest(**{**found, "notes": tuple(found["notes"])})


def _views(kernel: _core.Kernel, X: Any, Y: Any) -> tuple[_core.Samples, _core.Samples]:
    """Two samples; frames are coded together, so that levels which one of them has alone count."""
    if not (is_frame(X) and is_frame(Y)):
        return _view(kernel, X), _view(kernel, Y)
    both = _view(kernel, stacked_frames(X, Y))
    rows = np.arange(both.size, dtype=np.int64)
    return both.select(rows[: len(X)]), both.select(rows[len(X) :])


def _view(kernel: _core.Kernel, X: Any) -> _core.Samples:
    if is_frame(X) or is_objects(X) or scipy.sparse.issparse(X):
        return coded_samples(kernel, X)[0]
    array = np.asarray(X)
    samples = as_samples(array.reshape(-1, 1) if array.ndim == 1 else array)
    samples.require_finite()
    return samples


def is_labels(y: Any) -> bool:
    """Whether a view is one column of labels."""
    if is_frame(y) or scipy.sparse.issparse(y):
        return False
    return is_strings(y) or np.asarray(y).dtype.kind == "b"


def _labels(y: Any) -> _core.Samples:
    levels, codes = np.unique(np.asarray(y), return_inverse=True)
    return _core.Samples.categories(codes.astype(np.int32), [str(level) for level in levels])
