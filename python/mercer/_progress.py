"""A progress bar on the standard error stream, for ``verbose=1``."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import TextIO


class ProgressBar:
    """Draws one line and redraws it, ten times a second at most; ends it with a line feed.

    Parameters
    ----------
    stream : TextIO, optional
        Default: ``sys.stderr``.
    clock : callable, default=time.monotonic
        The time in seconds.

    Examples
    --------
    >>> import io
    >>> screen = io.StringIO()
    >>> with ProgressBar(screen) as bar:
    ...     bar("solve", 5, 10)
    >>> screen.getvalue().split()
    ['solve', '[##########', ']', '50%']
    """

    WIDTH = 20
    INTERVAL = 0.1

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.clock = clock
        self.drawn_at = -math.inf
        self.drawn = ""

    def __call__(self, task: str, done: float, total: float) -> None:
        """Show how far a task is."""
        now = self.clock()
        finished = total > 0 and done >= total
        if now - self.drawn_at < self.INTERVAL and not finished:
            return
        line = self._line(task, done, total)
        if line == self.drawn:
            return
        self.stream.write("\r" + line.ljust(len(self.drawn)))
        self.stream.flush()
        self.drawn_at, self.drawn = now, line

    def _line(self, task: str, done: float, total: float) -> str:
        if total <= 0:
            return f"{task} {done:g}"
        share = min(1.0, max(0.0, done / total))
        bar = "#" * round(share * self.WIDTH)
        return f"{task} [{bar:<{self.WIDTH}}] {share:.0%}"

    def __enter__(self) -> ProgressBar:
        """Begin."""
        return self

    def __exit__(self, *error: object) -> None:
        """End the line."""
        if self.drawn:
            self.stream.write("\n")
            self.stream.flush()
