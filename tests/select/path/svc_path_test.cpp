// The regularisation path against separate fits of high accuracy, the KKT conditions, and closed forms.
#include "mercer/select/path/svc_path.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "select/estimates/machine_problems.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::clouds;
using testing::kernel_matrix;
using testing::KernelKind;
using testing::LabeledPoints;

struct PathCase {
  const char* name;
  Index rows;
  Index positive;
  Index columns;
  double distance;
  KernelKind kind;
  Index repeated;        ///< rows that are copies of others
  double weight_spread;  ///< weights from 1 to 1 + this
  double rounded = 0;    ///< coordinates on a grid of this width: many ties
};

struct PathProblem {
  Matrix<double> kernel;
  std::vector<double> signs;
  std::vector<double> weights;
};

PathProblem make(const PathCase& given, std::uint64_t seed) {
  LabeledPoints points = clouds(given.rows, given.positive, given.columns, given.distance, seed);
  RandomStream random(seed, 9);
  for (Index r = 0; r < given.repeated; ++r) {
    const auto from = static_cast<std::size_t>(random.below(static_cast<std::uint64_t>(given.rows)));
    const auto to = static_cast<std::size_t>(random.below(static_cast<std::uint64_t>(given.rows)));
    points.x[to] = points.x[from];  // with the same or with the other label
  }
  for (auto& row : points.x) {
    for (double& x : row) {
      x = given.rounded > 0 ? given.rounded * std::round(x / given.rounded) : x;
    }
  }
  PathProblem problem{kernel_matrix(points.x, given.kind, 0.7), points.signs, {}};
  for (Index i = 0; i < given.rows; ++i) {
    problem.weights.push_back(1 + given.weight_spread * random.uniform());
  }
  return problem;
}

std::vector<double> decisions(const Matrix<double>& k, const std::vector<double>& beta, double offset) {
  std::vector<double> f(beta.size(), offset);
  for (std::size_t i = 0; i < f.size(); ++i) {
    for (std::size_t j = 0; j < f.size(); ++j) {
      f[i] += k(static_cast<Index>(i), static_cast<Index>(j)) * beta[j];
    }
  }
  return f;
}

class Paths : public ::testing::TestWithParam<PathCase> {};

// Feasible, and every row on its side of the margin: then the solution is optimal, whatever found it.
void expect_optimal(const PathProblem& problem, const SvcPathSolution& solution, double c) {
  const std::vector<double> f = decisions(problem.kernel, solution.coefficients, solution.offset);
  double sum = 0;
  double size = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double alpha = problem.signs[i] * solution.coefficients[i];
    const double bound = c * problem.weights[i];
    sum += solution.coefficients[i];
    size += alpha;
    ASSERT_GE(alpha, 0);
    ASSERT_LE(alpha, bound * (1 + 1e-12));
    const double margin = problem.signs[i] * f[i];
    const double slip = 1e-7;
    if (alpha < bound * (1 - 1e-7)) {
      EXPECT_GE(margin, 1 - slip) << "row " << i << " C " << c;
    }
    if (alpha > bound * 1e-7) {
      EXPECT_LE(margin, 1 + slip) << "row " << i << " C " << c;
    }
  }
  EXPECT_NEAR(sum, 0, 1e-10 * (1 + size));
}

TEST_P(Paths, EqualSeparateFitsAtFiftyValues) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const PathProblem problem = make(GetParam(), seed);
    const DenseGram<double> gram(Matrix<double>::copy_of(problem.kernel.view()));
    const SvcPath path = svc_path(gram, problem.signs, problem.weights, {.max_C = 200}, mercer::Run{});
    std::vector<double> start;
    for (int step = 0; step < 50; ++step) {
      const double c = 0.002 * std::pow(1e5, step / 49.0);
      const SvcPathSolution solution = path.solution_at(c);
      expect_optimal(problem, solution, c);
      std::vector<double> bounds = problem.weights;
      for (double& bound : bounds) {
        bound *= c;
      }
      const SvmDual dual = solve_c_svc(gram, problem.signs, bounds, {.tolerance = 1e-8}, mercer::Run{});
      // w is unique: f without offset; the offset is where some row is free.
      const std::vector<double> f = decisions(problem.kernel, solution.coefficients, 0);
      double objective = 0;
      bool unique_offset = false;
      for (std::size_t i = 0; i < f.size(); ++i) {
        EXPECT_NEAR(f[i], dual.values[i], 1e-5) << "C " << c;
        const double alpha = problem.signs[i] * dual.coefficients[i];
        unique_offset = unique_offset || (alpha > 1e-6 * bounds[i] && alpha < (1 - 1e-6) * bounds[i]);
        objective += 0.5 * solution.coefficients[i] * f[i] - problem.signs[i] * solution.coefficients[i];
      }
      EXPECT_NEAR(objective, dual.objective, 1e-9 * (1 + std::abs(dual.objective)));
      if (unique_offset) {
        EXPECT_NEAR(solution.offset, dual.offset, 1e-5) << "C " << c;
      }
      if (::testing::Test::HasFailure()) {
        return;
      }
    }
  }
}

TEST_P(Paths, PointsAreTheMachinesThere) {
  const PathProblem problem = make(GetParam(), 5);
  const DenseGram<double> gram(Matrix<double>::copy_of(problem.kernel.view()));
  const SvcPath path = svc_path(gram, problem.signs, problem.weights, {.max_C = 50}, mercer::Run{});
  ASSERT_FALSE(path.points().empty());
  EXPECT_GE(path.end(), 50);
  EXPECT_NEAR(path.points().back().C, 50, 1e-9);
  double before = 0;
  for (const SvcPathPoint& point : path.points()) {
    EXPECT_GE(point.C, before);
    before = point.C;
    const SvcPathSolution solution = path.solution_at(point.C);
    const std::vector<double> f = decisions(problem.kernel, solution.coefficients, solution.offset);
    double primal = 0;
    double norm = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
      norm += solution.coefficients[i] * (f[i] - solution.offset);
      primal += point.C * problem.weights[i] * std::max(0.0, 1 - problem.signs[i] * f[i]);
    }
    EXPECT_NEAR(point.squared_norm, norm, 1e-7 * (1 + norm));
    EXPECT_NEAR(point.objective, primal + norm / 2, 1e-7 * (1 + primal));
    EXPECT_NEAR(point.offset, solution.offset, 1e-7 * (1 + std::abs(solution.offset)));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Paths,
                         ::testing::Values(PathCase{"balanced", 40, 20, 2, 2, KernelKind::gaussian, 0, 0},
                                           PathCase{"unbalanced", 40, 9, 2, 1.5, KernelKind::gaussian, 0, 0},
                                           PathCase{"more positive", 36, 29, 3, 1.5, KernelKind::gaussian, 0, 0},
                                           PathCase{"linear", 40, 20, 3, 1.5, KernelKind::linear, 0, 0},
                                           PathCase{"linear unbalanced", 40, 8, 2, 1.5, KernelKind::linear, 0, 0},
                                           PathCase{"repeated", 40, 20, 2, 1.5, KernelKind::gaussian, 20, 0},
                                           PathCase{"repeated linear", 40, 14, 2, 1.5, KernelKind::linear, 20, 0},
                                           PathCase{"weighted", 30, 12, 2, 1.5, KernelKind::gaussian, 4, 1},
                                           PathCase{"grid", 40, 16, 2, 2, KernelKind::linear, 0, 0, 1},
                                           PathCase{"grid gaussian", 40, 20, 2, 2, KernelKind::gaussian, 0, 0, 0.5},
                                           PathCase{"separable", 30, 15, 2, 12, KernelKind::linear, 0, 0},
                                           PathCase{"one against many", 25, 1, 2, 2, KernelKind::gaussian, 0, 0}));

TEST(Path, TwoPointsInClosedForm) {
  // x = ∓1, linear: w = 2C up to C = 1/2, then 1 for ever.
  const DenseGram<double> gram(kernel_matrix({{-1}, {1}}, KernelKind::linear));
  const std::vector<double> signs = {-1, 1};
  const std::vector<double> weights = {1, 1};
  const SvcPath path = svc_path(gram, signs, weights, {}, mercer::Run{});
  EXPECT_EQ(path.end(), std::numeric_limits<double>::infinity());
  for (const double c : {0.01, 0.3, 0.5, 0.7, 1e6}) {
    const SvcPathSolution solution = path.solution_at(c);
    EXPECT_NEAR(solution.coefficients[1], std::min(c, 0.5), 1e-12) << c;
    EXPECT_NEAR(solution.coefficients[0], -std::min(c, 0.5), 1e-12) << c;
    EXPECT_NEAR(solution.offset, 0, 1e-12);
  }
  ASSERT_EQ(path.events().size(), 2U);
  EXPECT_NEAR(path.events()[0].C, 0.5, 1e-12);
  EXPECT_EQ(path.events()[0].kind, PathEventKind::to_margin);
}

TEST(Path, SeparableDataEndWithTheHardMargin) {
  const LabeledPoints points = clouds(20, 8, 2, 14, 4);
  const DenseGram<double> gram(kernel_matrix(points.x, KernelKind::linear));
  const SvcPath path = svc_path(gram, points.signs, std::vector<double>(20, 1.0), {}, mercer::Run{});
  EXPECT_EQ(path.end(), std::numeric_limits<double>::infinity());
  const SvcPathSolution last = path.solution_at(1e8);
  const SvmDual hard =
      solve_c_svc(gram, points.signs, std::vector<double>(20, 1e8), {.tolerance = 1e-10}, mercer::Run{});
  const std::vector<double> f = decisions(kernel_matrix(points.x, KernelKind::linear), last.coefficients, last.offset);
  for (std::size_t i = 0; i < f.size(); ++i) {
    EXPECT_NEAR(f[i], hard.values[i] + hard.offset, 1e-6);
  }
}

TEST(Path, Degenerate) {
  const std::vector<double> ones(4, 1.0);
  const std::vector<double> signs = {1, -1, 1, -1};
  // All rows equal: w = 0 for every C, nothing ever moves.
  const DenseGram<double> equal(Matrix<double>::filled(4, 4, 1.0));
  const SvcPath path = svc_path(equal, signs, ones, {}, mercer::Run{});
  EXPECT_TRUE(path.events().empty());
  EXPECT_NEAR(path.solution_at(3).coefficients[0], 3, 1e-12);
  // The same with more of one class.
  const std::vector<double> more = {1, -1, 1, 1};
  const SvcPath second = svc_path(equal, more, ones, {}, mercer::Run{});
  const SvcPathSolution solution = second.solution_at(2);
  EXPECT_NEAR(solution.coefficients[1], -2, 1e-12);
  EXPECT_NEAR(solution.offset, 1, 1e-9);
  EXPECT_ERROR(svc_path(equal, ones, ones, {}, mercer::Run{}), InvalidArgument,
               "regularisation path: there must be rows of both classes");
  EXPECT_ERROR(svc_path(equal, signs, std::vector<double>{1, 1, 1, 0}, {}, mercer::Run{}), InvalidArgument,
               "regularisation path: weight of row 3 = 0");
  EXPECT_ERROR(svc_path(equal, signs, std::vector<double>{1, 1}, {}, mercer::Run{}), InvalidArgument,
               "regularisation path: 4 signs and 2 weights for 4 rows");
  EXPECT_ERROR(svc_path(equal, signs, ones, {.max_C = 0}, mercer::Run{}), InvalidArgument,
               "regularisation path: max_C = 0");
  EXPECT_ERROR((void)path.solution_at(0), InvalidArgument, "regularisation path: C = 0");
  const LabeledPoints points = clouds(20, 8, 2, 1, 4);
  const DenseGram<double> gram(kernel_matrix(points.x, KernelKind::gaussian));
  const SvcPath cut = svc_path(gram, points.signs, std::vector<double>(20, 1.0), {.max_C = 2}, mercer::Run{});
  EXPECT_NO_THROW((void)cut.solution_at(2));
  EXPECT_ERROR((void)cut.solution_at(2.1), InvalidArgument, "regularisation path: C = 2.1");
}

}  // namespace
}  // namespace mercer
