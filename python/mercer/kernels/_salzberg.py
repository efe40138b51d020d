"""Log-odds of nucleotides from labelled strings, for the kernel ``Salzberg``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from mercer import _core
from mercer._samples import as_samples


def salzberg_scores(strings: Sequence[str], y: ArrayLike, positive: object) -> list[float]:
    """Log-odds of A, C, G, T at every place: how much more frequent in one class than in all strings.

    Kernels do not see labels, so the scores are made first and handed to the kernel.

    Parameters
    ----------
    strings : sequence of str
        DNA of one length.
    y : array-like
        The label of each string.
    positive : object
        The label of the true sites.

    Returns
    -------
    list of float
        Four numbers for the first place, four for the second, and so on.

    Examples
    --------
    >>> from mercer.kernels import Salzberg, salzberg_scores
    >>> scores = salzberg_scores(["ACG", "ACT", "TCG", "GGG"], [1, 1, 0, 0], positive=1)
    >>> len(scores)
    12
    >>> Salzberg(window=1, scores=scores)(["ACG"], ["ACG"]).shape
    (1, 1)
    """
    samples = as_samples(list(strings))
    labels = np.asarray(y)
    if labels.shape != (len(samples),):
        raise ValueError(f"{len(samples)} strings, but labels of shape {labels.shape}")
    return _core.salzberg_scores(samples, np.flatnonzero(labels == positive).tolist())
