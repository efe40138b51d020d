// Convex programmes made of small integers by a formula that highs_answers.py has too, line by line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "mercer/linalg/blas.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/program/convex_program.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"
#include "mercer/solvers/convex/program/low_rank_quadratic.h"

namespace mercer::testing {

/// Knuth's MMIX generator; its upper bits are taken.
class OracleIntegers {
 public:
  explicit OracleIntegers(int seed) : state_(static_cast<std::uint64_t>(seed) * 2654435761U + 12345U) {
    for (int i = 0; i < 4; ++i) {
      between(0, 1);
    }
  }
  double between(int low, int high) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return low + static_cast<int>((state_ >> 33) % static_cast<std::uint64_t>(high - low + 1));
  }
  Matrix<double> matrix(Index rows, Index columns, int size) {
    Matrix<double> matrix(rows, columns);
    for (Index i = 0; i < rows * columns; ++i) {
      matrix.data()[i] = between(-size, size);
    }
    return matrix;
  }

 private:
  std::uint64_t state_;
};

/// Owns what its programme refers to.
struct OracleProgram {
  explicit OracleProgram(int seed) {
    OracleIntegers integers(seed);
    const int kind = seed % 3;
    const int flavour = seed / 3 % 5;
    const int n = 2 + static_cast<int>(integers.between(0, 14));
    const int equalities = static_cast<int>(integers.between(0, n / 3));
    const int ranges = static_cast<int>(integers.between(0, flavour == 2 ? 3 * n : n));
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> start(n);
    for (double& value : start) {
      value = integers.between(-2, 2);
    }
    program.lower.assign(n, -infinity);
    program.upper.assign(n, infinity);
    for (int j = 0; j < n; ++j) {
      const double bounds = integers.between(0, 4);
      if (bounds == 1 || bounds == 3) {
        program.lower[j] = start[j] - integers.between(0, 2);
      }
      if (bounds == 2 || bounds == 3) {
        program.upper[j] = start[j] + integers.between(0, 2);
      }
      if (bounds == 4 && flavour != 4) {
        program.lower[j] = program.upper[j] = start[j];
      }
    }
    equality = integers.matrix(equalities, n, 3);
    range = integers.matrix(ranges, n, 3);
    if (flavour == 1) {
      for (Matrix<double>* rows : {&equality, &range}) {
        for (Index i = 1; i < rows->rows(); ++i) {
          if (integers.between(0, 1) == 1) {
            for (Index j = 0; j < n; ++j) {
              (*rows)(i, j) = 2 * (*rows)(i - 1, j);
            }
          }
        }
      }
    }
    for (Index i = 0; i < equalities; ++i) {
      program.equality_values.push_back(dot(equality.view().row(i), start));
    }
    program.range_lower.assign(ranges, -infinity);
    program.range_upper.assign(ranges, infinity);
    for (int i = 0; i < ranges; ++i) {
      const double reached = dot(range.view().row(i), start);
      const double sides = integers.between(0, 2);
      if (sides != 1) {
        program.range_lower[i] = reached - integers.between(0, 3);
      }
      if (sides != 0) {
        program.range_upper[i] = reached + integers.between(0, 3);
      }
    }
    if (flavour == 3) {
      for (double& value : program.equality_values) {
        value += integers.between(-4, 4);
      }
      for (int i = 0; i < ranges; ++i) {
        const double shift = integers.between(-9, 9);
        program.range_lower[i] += shift;
        program.range_upper[i] += shift;
      }
    }
    const int rank = kind == 0 ? n : static_cast<int>(integers.between(1, std::max(1, n / 2)));
    factor = kind < 2 ? integers.matrix(n, rank, 2) : Matrix<double>(n, 0);
    program.linear.resize(n);
    for (double& value : program.linear) {
      value = integers.between(-3, 3);
    }
    if (flavour != 4) {
      std::fill(program.linear.begin(), program.linear.end(), 0.0);
      for (int j = 0; j < n; ++j) {
        const double size = integers.between(0, 3);
        program.linear[j] += program.lower[j] > -infinity ? size : program.upper[j] < infinity ? -size : 0;
      }
      for (Index i = 0; i < equalities; ++i) {
        axpy(integers.between(-2, 2), equality.view().row(i), program.linear);
      }
      for (Index i = 0; i < ranges; ++i) {
        const double size = integers.between(0, 2);
        axpy(program.range_lower[i] > -infinity ? size : -size, range.view().row(i), program.linear);
      }
    }
    program.equality = equality.view();
    program.range = range.view();
    if (kind == 0) {
      Matrix<double> q(n, n);
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
          q(i, j) = dot(factor.view().row(i), factor.view().row(j));
        }
      }
      program.quadratic = std::make_shared<DenseQuadratic>(std::move(q));
    } else if (kind == 1) {
      rows = std::make_unique<StoredFactorRows>(factor.view());
      program.quadratic = std::make_shared<LowRankQuadratic>(*rows);
    }
  }

  Matrix<double> equality;
  Matrix<double> range;
  Matrix<double> factor;
  std::unique_ptr<StoredFactorRows> rows;
  ConvexProgram program;
};

}  // namespace mercer::testing
