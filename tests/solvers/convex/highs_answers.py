#!/usr/bin/env python3
"""Answers of HiGHS (PyPI: highspy) to the convex programmes of oracle_programs.h.

They are made of small integers by the same formula in both languages. Writes highs_answers.txt beside this file; run it
by hand when the formula changes:

    pip install highspy numpy && python3 tests/solvers/convex/highs_answers.py
"""

from pathlib import Path

import highspy
import numpy as np

PROGRAMS = 250
INFINITY = float("inf")


class Integers:
    """A linear congruential generator of 64 bits (Knuth's MMIX); its upper bits are taken."""

    def __init__(self, seed):
        self.state = (seed * 2654435761 + 12345) % 2**64
        for _ in range(4):
            self.between(0, 1)

    def between(self, low, high):
        """Give the next number of low, ..., high."""
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return low + (self.state >> 33) % (high - low + 1)

    def matrix(self, rows, columns, size):
        """Give the next rows x columns numbers of -size, ..., size."""
        return np.array(
            [[self.between(-size, size) for _ in range(columns)] for _ in range(rows)], dtype=float
        ).reshape(rows, columns)


class Program:
    """Kinds: dense, low-rank, no Q. Flavours: 0 bounded, 1 degenerate, 2 many rows, 3 any right sides, 4 any c."""

    def __init__(self, seed):
        integers = Integers(seed)
        self.kind, flavour = seed % 3, seed // 3 % 5
        n = 2 + integers.between(0, 14)
        equalities = integers.between(0, n // 3)
        ranges = integers.between(0, 3 * n if flavour == 2 else n)
        start = np.array([integers.between(-2, 2) for _ in range(n)], dtype=float)
        self.lower, self.upper = np.full(n, -INFINITY), np.full(n, INFINITY)
        for j in range(n):
            bounds = integers.between(0, 4)
            if bounds in (1, 3):
                self.lower[j] = start[j] - integers.between(0, 2)
            if bounds in (2, 3):
                self.upper[j] = start[j] + integers.between(0, 2)
            if bounds == 4 and flavour != 4:
                self.lower[j] = self.upper[j] = start[j]
        self.equality = integers.matrix(equalities, n, 3)
        self.range = integers.matrix(ranges, n, 3)
        if flavour == 1:
            for rows in (self.equality, self.range):
                for i in range(1, len(rows)):
                    if integers.between(0, 1) == 1:
                        rows[i] = 2 * rows[i - 1]
        self.values = self.equality @ start
        reached = self.range @ start
        self.range_lower, self.range_upper = np.full(ranges, -INFINITY), np.full(ranges, INFINITY)
        for i in range(ranges):
            sides = integers.between(0, 2)
            if sides != 1:
                self.range_lower[i] = reached[i] - integers.between(0, 3)
            if sides != 0:
                self.range_upper[i] = reached[i] + integers.between(0, 3)
        if flavour == 3:
            for i in range(equalities):
                self.values[i] += integers.between(-4, 4)
            for i in range(ranges):
                shift = integers.between(-9, 9)
                self.range_lower[i] += shift
                self.range_upper[i] += shift
        rank = n if self.kind == 0 else integers.between(1, max(1, n // 2))
        self.factor = integers.matrix(n, rank, 2) if self.kind < 2 else np.zeros((n, 0))
        self.linear = np.array([integers.between(-3, 3) for _ in range(n)], dtype=float)
        if flavour != 4:  # multipliers of the right signs: bounded from below
            self.linear = np.zeros(n)
            for j in range(n):
                up, down = self.lower[j] > -INFINITY, self.upper[j] < INFINITY
                size = integers.between(0, 3)
                self.linear[j] += size if up else -size if down else 0
            for i in range(equalities):
                self.linear += integers.between(-2, 2) * self.equality[i]
            for i in range(ranges):
                size = integers.between(0, 2)
                self.linear += (size if self.range_lower[i] > -INFINITY else -size) * self.range[i]


def answer(program):
    """Give the status and the objective that HiGHS ends with."""
    n = len(program.linear)
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    for tolerance in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        solver.setOptionValue(tolerance, 1e-10)
    solver.setOptionValue("presolve", "off")
    model = highspy.HighsModel()
    lp = model.lp_
    rows = np.vstack([program.equality, program.range])
    lp.num_col_, lp.num_row_ = n, len(rows)
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = program.linear, program.lower, program.upper
    lp.row_lower_ = np.concatenate([program.values, program.range_lower])
    lp.row_upper_ = np.concatenate([program.values, program.range_upper])
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.arange(len(rows) + 1, dtype=np.int32) * n
    lp.a_matrix_.index_ = np.tile(np.arange(n, dtype=np.int32), len(rows))
    lp.a_matrix_.value_ = rows.ravel()
    if program.kind < 2:
        q = program.factor @ program.factor.T
        starts, indices, numbers = [0], [], []
        for j in range(n):
            indices += range(j, n)
            numbers += list(q[j:, j])
            starts.append(len(indices))
        model.hessian_.dim_ = n
        model.hessian_.format_ = highspy.HessianFormat.kTriangular
        model.hessian_.start_ = np.array(starts, dtype=np.int32)
        model.hessian_.index_ = np.array(indices, dtype=np.int32)
        model.hessian_.value_ = np.array(numbers, dtype=float)
    solver.setOptionValue("time_limit", 20.0)
    solver.passModel(model)
    solver.run()
    status = solver.modelStatusToString(solver.getModelStatus()).lower().replace(" ", "_")
    return status, solver.getInfo().objective_function_value


def main():
    """Write the answers to all programmes."""
    lines = [f"# HiGHS {highspy.Highs().version()}: seed, status, objective; by highs_answers.py"]
    for seed in range(PROGRAMS):
        status, objective = answer(Program(seed))
        lines.append(f"{seed} {status} {objective:.12g}" if status == "optimal" else f"{seed} {status} 0")
    Path(__file__).with_name("highs_answers.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
