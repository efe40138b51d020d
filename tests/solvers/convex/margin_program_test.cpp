// Linear programs of classifiers: coefficients of one sign, columns without a price, a margin that is found. The general
// interior point method knows none of these words and solves the same programmes, written out.
#include "mercer/solvers/convex/margin_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using Numbers = std::vector<double>;
constexpr double margin_infinity = std::numeric_limits<double>::infinity();

struct LabeledProgram {
  LabeledProgram(Index n, Index m, std::uint64_t seed, double noise = 0.8) : features(n, m) {
    RandomStream random(seed, 11);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < m; ++j) {
        features(i, j) = random.normal();
      }
      labels.push_back(i == 0 ? 1 : (i == 1 ? -1 : (features(i, 0) + noise * random.normal() > 0.3 ? 1 : -1)));
      weights.push_back(0.5 + random.uniform());
    }
  }
  Index rows() const { return features.rows(); }
  double total() const { return std::accumulate(weights.begin(), weights.end(), 0.0); }
  double largest_nu() const {
    double positive = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      positive += labels[i] > 0 ? weights[i] : 0;
    }
    return 2 * std::min(positive, total() - positive) / total();
  }
  CheckLosses losses() const { return hinge_losses(labels, weights); }
  MarginProgramSolution solve(double nu, LinearProgramOptions options = {.offset = ProgramOffset::free}) const {
    return solve_margin_program(features.view(), losses(), nu, options, mercer::Run());
  }
  Numbers margins(const LinearProgramSolution& solution) const {
    Numbers all;
    for (Index i = 0; i < rows(); ++i) {
      double f = solution.offset;
      for (Index j = 0; j < features.columns(); ++j) {
        f += features(i, j) * solution.coefficients[j];
      }
      all.push_back(labels[i] * f);
    }
    return all;
  }

  Matrix<double> features;
  Numbers labels, weights;
};

// (p, q, U's coefficients, ρ, ξ): coefficients p − q of price c, rows s_i f_i − t ρ + ξ_i ≥ d_i; Σ(p + q) = 1 where `is_nu`.
struct WrittenOutProgram {
  WrittenOutProgram(const Matrix<double>& features, const Matrix<double>& unpriced, const Numbers& signs,
                    const Numbers& weights, CoefficientSigns kind)
      : n(features.rows()), m(features.columns()), q(unpriced.columns()), size(2 * m + q + 1 + n) {
    range = Matrix<double>::filled(n, size, 0.0);
    program.linear.assign(size, 0.0);
    program.lower.assign(size, 0.0);
    program.upper.assign(size, margin_infinity);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < m; ++j) {
        range(i, j) = signs[i] * features(i, j);
        range(i, m + j) = -range(i, j);
      }
      for (Index k = 0; k < q; ++k) {
        range(i, 2 * m + k) = signs[i] * unpriced(i, k);
        program.lower[2 * m + k] = -margin_infinity;
      }
      range(i, 2 * m + q + 1 + i) = 1;
      program.linear[2 * m + q + 1 + i] = weights[i];
    }
    for (Index j = 0; j < m && kind == CoefficientSigns::nonnegative; ++j) {
      program.upper[m + j] = 0;
    }
  }
  double least(double price, double target) {
    for (Index j = 0; j < 2 * m; ++j) {
      program.linear[j] = price;
    }
    program.upper[2 * m + q] = 0;
    return solve(target);
  }
  double least_with_margin(double cost, double margin) {
    program.linear[2 * m + q] = -cost;
    sum = Matrix<double>::filled(1, size, 0.0);
    for (Index j = 0; j < 2 * m; ++j) {
      sum(0, j) = 1;
    }
    program.equality = sum.view();
    program.equality_values = {1};
    for (Index i = 0; i < n; ++i) {
      range(i, 2 * m + q) = -margin;
    }
    return solve(0);
  }
  double solve(double target) {
    program.range = range.view();
    program.range_lower.assign(n, target);
    const ConvexSolution solution = solve_convex_program(program, {.tolerance = 1e-9}, mercer::Run());
    EXPECT_EQ(solution.status, ProgramStatus::converged) << solution.message;
    return solution.primal;
  }

  Index n, m, q, size;
  Matrix<double> range, sum;
  ConvexProgram program;
};

TEST(LinearProgram, CoefficientsOfOneSign) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const LabeledProgram p(40, seed % 2 == 0 ? 12 : 60, seed);
    for (const ProgramOffset offset : {ProgramOffset::none, ProgramOffset::free}) {
      for (const double price : {0.01, 1.0, 4.0}) {
        const LinearProgramSolution solution =
            solve_linear_program(p.features.view(), p.losses(), Numbers(p.features.columns(), price),
                                 {.offset = offset, .signs = CoefficientSigns::nonnegative}, mercer::Run());
        EXPECT_EQ(solution.status, SolveStatus::converged);
        double objective = 0;
        const Numbers margins = p.margins(solution);
        double dual = 0;
        for (Index i = 0; i < p.rows(); ++i) {
          objective += p.weights[i] * std::max(0.0, 1 - margins[i]);
          dual += p.labels[i] * solution.multipliers[i];
        }
        for (Index j = 0; j < p.features.columns(); ++j) {
          EXPECT_GE(solution.coefficients[j], 0);
          objective += price * solution.coefficients[j];
          double asked = 0;
          for (Index i = 0; i < p.rows(); ++i) {
            asked += p.features(i, j) * solution.multipliers[i];
          }
          EXPECT_LE(asked, price * (1 + 1e-9));
        }
        EXPECT_NEAR(objective, solution.objective, 1e-10 * objective);
        EXPECT_NEAR(dual, objective, 1e-8 * objective);
        WrittenOutProgram exact(p.features,
                                Matrix<double>::filled(p.rows(), offset == ProgramOffset::free ? 1 : 0, 1.0), p.labels,
                                p.weights, CoefficientSigns::nonnegative);
        EXPECT_NEAR(objective, exact.least(price, 1), 1e-6 * objective) << seed << ' ' << price;
      }
    }
  }
}

// Several columns without a price, alone and beside the constant.
TEST(LinearProgram, ColumnsWithoutAPrice) {
  for (const std::uint64_t seed : {5U, 6U, 7U}) {
    const LabeledProgram p(40, 20, seed, 3);
    const LabeledProgram beside(40, 2, seed + 100);
    Matrix<double> with_ones = Matrix<double>::filled(40, 3, 1.0);
    for (Index i = 0; i < 40; ++i) {
      with_ones(i, 0) = beside.features(i, 0);
      with_ones(i, 1) = beside.features(i, 1);
    }
    for (const ProgramOffset offset : {ProgramOffset::none, ProgramOffset::free}) {
      for (const double price : {0.1, 2.0, 30.0}) {
        const LinearProgramSolution solution =
            solve_linear_program(p.features.view(), p.losses(), Numbers(20, price),
                                 {.offset = offset, .unpriced = beside.features.view()}, mercer::Run());
        EXPECT_EQ(solution.status, SolveStatus::converged);
        ASSERT_EQ(solution.unpriced.size(), 2U);
        WrittenOutProgram exact(p.features, offset == ProgramOffset::free ? with_ones : beside.features, p.labels,
                                p.weights, CoefficientSigns::any);
        const double expected = exact.least(price, 1);
        EXPECT_NEAR(solution.objective, expected, 1e-6 * expected) << seed << ' ' << price;
        for (Index k = 0; k < 2; ++k) {
          double balance = 0;
          for (Index i = 0; i < 40; ++i) {
            balance += solution.multipliers[i] * beside.features(i, k);
          }
          EXPECT_NEAR(balance, 0, 1e-8 * p.total());
        }
      }
    }
  }
  const LabeledProgram p(5, 2, 1);
  const Matrix<double> wrong = Matrix<double>::filled(4, 1, 1.0);
  EXPECT_ERROR(
      solve_linear_program(p.features.view(), p.losses(), Numbers(2, 1.0), {.unpriced = wrong.view()}, mercer::Run()),
      InvalidArgument, "columns without a price have 4 rows where the features have 5");
}

TEST(MarginProgram, IsTheProgramOfTheMargin) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const LabeledProgram p(40, seed == 3 ? 60 : 10, seed, seed == 3 ? 0.2 : 0.8);
    for (const CoefficientSigns signs : {CoefficientSigns::any, CoefficientSigns::nonnegative}) {
      for (const ProgramOffset offset : {ProgramOffset::none, ProgramOffset::free}) {
        const Matrix<double> ones = Matrix<double>::filled(40, offset == ProgramOffset::free ? 1 : 0, 1.0);
        WrittenOutProgram exact(p.features, ones, p.labels, p.weights, signs);
        for (const double share : {0.7, 0.9, 0.98}) {
          const double nu = share * (offset == ProgramOffset::free ? p.largest_nu() : 1.0);
          const MarginProgramSolution solution = p.solve(nu, {.offset = offset, .signs = signs});
          EXPECT_EQ(solution.program.status, SolveStatus::converged);
          EXPECT_LE(solution.program.gap, 1e-8 * std::abs(solution.program.objective));
          const double expected = exact.least_with_margin(nu * p.total(), 1) / p.total();
          EXPECT_NEAR(solution.program.objective, expected, 1e-7) << seed << ' ' << nu;
          // The value of the coefficients themselves, at a margin of 1 with Σ|a| = 1/ρ.
          const Numbers margins = p.margins(solution.program);
          double value = -nu * p.total();
          double size = 0;
          double below = 0;
          double not_above = 0;
          for (Index i = 0; i < 40; ++i) {
            value += p.weights[i] * std::max(0.0, 1 - margins[i]);
            below += margins[i] < 1 - 1e-9 ? p.weights[i] : 0;
            not_above += margins[i] <= 1 + 1e-9 ? p.weights[i] : 0;
          }
          for (const double a : solution.program.coefficients) {
            EXPECT_TRUE(signs == CoefficientSigns::any || a >= 0);
            size += std::abs(a);
          }
          EXPECT_NEAR(size * solution.rho, 1, 1e-12);
          EXPECT_NEAR(value * solution.rho / p.total(), solution.program.objective, 1e-9);
          EXPECT_LE(below, nu * p.total() * (1 + 1e-9));
          EXPECT_GE(not_above, nu * p.total() * (1 - 1e-9));
        }
      }
    }
  }
}

TEST(MarginProgram, NamesTheRangeOfNu) {
  const LabeledProgram p(40, 10, 4);
  const double largest = p.largest_nu();
  EXPECT_EQ(p.solve(largest).program.status, SolveStatus::converged);
  EXPECT_EQ(p.solve(largest * (1 - 1e-3)).program.status, SolveStatus::converged);
  EXPECT_ERROR(p.solve(largest * 1.001), InvalidArgument, "is not feasible for these classes");
  EXPECT_ERROR(p.solve(1e-3), NumericalError, "leaves no margin");
  EXPECT_ERROR(p.solve(0), InvalidArgument, "nu = 0");
  const Matrix<double> nothing = Matrix<double>::filled(40, 3, 0.0);
  EXPECT_ERROR(solve_margin_program(nothing.view(), p.losses(), 0.3, {.offset = ProgramOffset::free}, mercer::Run()),
               NumericalError, "leaves no margin");
}

// Separable rows have a margin at any ν, which tends to that of no slack at all.
TEST(MarginProgram, SmallNuOfSeparableRowsHasNoSlack) {
  const LabeledProgram p(30, 40, 5, 0);
  for (const double nu : {1e-3, 1e-2}) {
    const MarginProgramSolution solution = p.solve(nu);
    EXPECT_EQ(solution.program.status, SolveStatus::converged);
    for (const double margin : p.margins(solution.program)) {
      EXPECT_GE(margin, 1 - 1e-9);
    }
    EXPECT_NEAR(solution.program.objective, -nu * solution.rho, 1e-9 * nu * solution.rho);
  }
}

// Units of features and weights: the price has both, the machine none.
TEST(MarginProgram, UnitsAndCopies) {
  const LabeledProgram p(30, 8, 6);
  const MarginProgramSolution plain = p.solve(0.5);
  LabeledProgram scaled(30, 8, 6);
  for (Index i = 0; i < 30; ++i) {
    scaled.weights[i] *= 1e5;
    for (Index j = 0; j < 8; ++j) {
      scaled.features(i, j) *= 1e-7;
    }
  }
  const MarginProgramSolution other = scaled.solve(0.5);
  EXPECT_EQ(other.program.status, SolveStatus::converged);
  EXPECT_NEAR(other.price, plain.price * 1e-2, 1e-8 * plain.price * 1e-2);
  EXPECT_NEAR(other.rho, plain.rho * 1e-7, 1e-7 * plain.rho * 1e-7);
  LabeledProgram twice(60, 8, 6);
  for (Index i = 0; i < 30; ++i) {
    for (const Index row : {i, 30 + i}) {
      std::copy_n(p.features.view().row_data(i), 8, twice.features.view().row_data(row));
      twice.labels[row] = p.labels[i];
      twice.weights[row] = p.weights[i] / 2;
    }
  }
  EXPECT_NEAR(twice.solve(0.5).program.objective, plain.program.objective, 1e-9);
}

}  // namespace
}  // namespace mercer
