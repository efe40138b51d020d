// Points and multipliers against their conditions: right ones pass, each wrong one fails for its own reason; bounds from
// weak duality; the duals of linear and quadratic programmes as programmes, and the three ways in which a pair can end.
#include "mercer/solvers/convex/program/optimality.h"
#include "mercer/solvers/convex/program/program_proofs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/interior/log_barrier.h"
#include "mercer/solvers/convex/interior/predictor_corrector.h"
#include "solvers/convex/oracle_programs.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::OracleProgram;

// min ½x₁² + x₂²: x₁ + x₂ = 1, x₂ ≥ ½ has x = (½, ½), y = ½, z₂ = ½.
struct SmallProgram {
  SmallProgram() {
    rows = Matrix<double>::filled(1, 2, 1.0);
    Matrix<double> q = Matrix<double>::filled(2, 2, 0.0);
    q(0, 0) = 1;
    q(1, 1) = 2;
    program.quadratic = std::make_shared<DenseQuadratic>(std::move(q));
    program.linear = {0, 0};
    program.equality = rows.view();
    program.equality_values = {1};
    program.lower = {-std::numeric_limits<double>::infinity(), 0.5};
  }
  Matrix<double> rows;
  ConvexProgram program;
  ConvexPoint point{{0.5, 0.5}, {0.5}, {}, {0, 0.5}};
};

TEST(Optimality, TellsWhichConditionFails) {
  const SmallProgram small;
  const OptimalityReport right = check_optimality(small.program, small.point, {});
  EXPECT_EQ(right.worst(), 0);
  EXPECT_EQ(right.primal, 0.375);
  EXPECT_EQ(right.dual, 0.375);
  ConvexPoint infeasible = small.point;
  infeasible.x = {0.6, 0.5};
  EXPECT_NEAR(check_optimality(small.program, infeasible, {}).feasibility, 0.1, 1e-12);  // against b = 1
  ConvexPoint outside = small.point;
  outside.x = {0.6, 0.4};
  EXPECT_GT(check_optimality(small.program, outside, {}).feasibility, 0.05);
  ConvexPoint slack = small.point;
  slack.x = {0.25, 0.75};
  EXPECT_GT(check_optimality(small.program, slack, {}).relative_gap, 0.1);
  EXPECT_EQ(check_optimality(small.program, slack, {}).feasibility, 0);
  ConvexPoint unbalanced = small.point;
  unbalanced.equality_multipliers = {0.4};
  EXPECT_NEAR(check_optimality(small.program, unbalanced, {}).stationarity, 0.1 / 1.9, 1e-12);
  ConvexPoint wrong_sign = small.point;  // z₁ > 0, but x₁ has no lower bound
  wrong_sign.bound_multipliers = {0.1, 0.5};
  EXPECT_GT(check_optimality(small.program, wrong_sign, {}).stationarity, 0.01);
  ConvexPoint short_point = small.point;
  short_point.x = {1};
  EXPECT_ERROR(check_optimality(small.program, short_point, {}), InvalidArgument, "one number");
}

// (6.62): multipliers of the right signs with exact stationarity bound the optimum from any feasible point.
TEST(Optimality, GapBoundsTheOptimum) {
  const SmallProgram small;
  for (const double x2 : {0.5, 0.6, 0.8, 1.5}) {
    const double x1 = 1 - x2;
    // Stationarity in x₁ asks for y = x₁; in x₂ for z = 2x₂ − y.
    const double z = 2 * x2 - x1;
    const ConvexPoint point{{x1, x2}, {x1}, {}, {0, z}};
    const OptimalityReport report = check_optimality(small.program, point, {});
    EXPECT_NEAR(report.primal, x1 * x1 / 2 + x2 * x2, 1e-15);
    EXPECT_GE(report.primal, 0.375 - 1e-15);
    EXPECT_LE(report.dual, 0.375 + 1e-15);
    EXPECT_NEAR(report.dual, report.primal - z * (x2 - 0.5), 1e-15);
    EXPECT_LE(report.stationarity, 1e-15);
    EXPECT_GE(report.gap, report.primal - report.dual - 1e-15);
  }
}

TEST(Optimality, RejectsWrongProofs) {
  const SmallProgram small;
  EXPECT_EQ(check_farkas(small.program, {{0}, {}}, {}).margin, 0);
  EXPECT_GT(check_farkas(small.program, {{1}, {}}, {}).violation, 0.5);  // x₁ is free
  EXPECT_EQ(check_ray(small.program, std::vector<double>{0, 0}, {}).violation, 1);
  EXPECT_GE(check_ray(small.program, std::vector<double>{1, -1}, {}).violation, 0.5);
}

// min cᵀx, Ax + d ≤ 0 and its dual max dᵀα, Aᵀα + c = 0, α ≥ 0 (6.65)-(6.71): both optimal with one value, or one
// infeasible and the other unbounded, or both infeasible (theorem 6.30).
TEST(Optimality, LinearProgramsAndTheirDuals) {
  int ends[3] = {0, 0, 0};
  for (int seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    testing::OracleIntegers integers(seed);
    const auto n = static_cast<Index>(1 + integers.between(0, 3));
    const auto m = static_cast<Index>(1 + integers.between(0, 5));
    const Matrix<double> a = integers.matrix(m, n, seed % 4 == 0 ? 1 : 3);
    std::vector<double> c(n);
    std::vector<double> d(m);
    for (double& value : c) {
      value = integers.between(-2, 2);
    }
    for (double& value : d) {
      value = integers.between(-3, 3);
    }
    ConvexProgram primal;
    primal.linear = c;
    primal.range = a.view();
    for (const double value : d) {
      primal.range_upper.push_back(-value);
    }
    const Matrix<double> transposed = Dense(a).transpose().matrix();
    ConvexProgram dual;
    dual.equality = transposed.view();
    for (const double value : c) {
      dual.equality_values.push_back(-value);
    }
    for (const double value : d) {
      dual.linear.push_back(-value);
    }
    dual.lower.assign(m, 0.0);
    const ConvexSolution first = solve_convex_program(primal, {}, {});
    const ConvexSolution second = solve_convex_program(dual, {}, {});
    if (first.status == ProgramStatus::converged) {
      ASSERT_EQ(second.status, ProgramStatus::converged);
      EXPECT_NEAR(first.primal, -second.primal, 1e-6 * (1 + std::abs(first.primal)));
      ++ends[0];
    } else if (first.status == ProgramStatus::unbounded) {
      EXPECT_EQ(second.status, ProgramStatus::infeasible);
      ++ends[1];
    } else {
      ASSERT_EQ(first.status, ProgramStatus::infeasible);
      EXPECT_TRUE(second.status == ProgramStatus::unbounded || second.status == ProgramStatus::infeasible);
      ++ends[2];
    }
  }
  EXPECT_GT(ends[0], 20);
  EXPECT_GT(ends[1], 10);
  EXPECT_GT(ends[2], 10);
}

// min ½xᵀKx + cᵀx, Ax + d ≤ 0: the dual value −½αᵀAK⁻¹Aᵀα + (dᵀ − cᵀK⁻¹Aᵀ)α − ½cᵀK⁻¹c and x = −K⁻¹(c + Aᵀα) (6.72).
TEST(Optimality, QuadraticProgramAndItsDual) {
  for (int seed = 0; seed < 20; ++seed) {
    testing::OracleIntegers integers(seed);
    const Index n = 4;
    const Index m = 3;
    const Dense factor = integers.matrix(n, n, 2);
    const Dense k = factor * factor.transpose() + Dense::identity(n);
    const Dense a = integers.matrix(m, n, 3);
    const Dense c = integers.matrix(n, 1, 3);
    const Dense d = integers.matrix(m, 1, 3) + Dense(m, 1, -3);  // x = 0 is feasible
    const Matrix<double> rows = a.matrix();
    ConvexProgram primal;
    primal.quadratic = std::make_shared<DenseQuadratic>(k.matrix());
    ConvexProgram dual;
    const Dense inverse_rows = k.solve(a.transpose());
    const Dense inverse_c = k.solve(c);
    const Dense square = a * inverse_rows;
    dual.quadratic = std::make_shared<DenseQuadratic>((0.5 * (square + square.transpose())).matrix());
    const Dense linear = a * inverse_c - d;
    for (Index j = 0; j < n; ++j) {
      primal.linear.push_back(c(j));
    }
    primal.range = rows.view();
    for (Index i = 0; i < m; ++i) {
      primal.range_upper.push_back(-d(i));
      dual.linear.push_back(linear(i));
    }
    dual.lower.assign(m, 0.0);
    const ConvexSolution first = solve_convex_program(primal, {.tolerance = 1e-10}, {});
    const ConvexSolution second = solve_convex_program(dual, {.tolerance = 1e-10}, {});
    ASSERT_EQ(first.status, ProgramStatus::converged);
    ASSERT_EQ(second.status, ProgramStatus::converged);
    EXPECT_NEAR(first.primal, -second.primal - 0.5 * c.dot(inverse_c), 1e-7 * (1 + std::abs(first.primal)));
    const Dense x = -1.0 * (inverse_c + inverse_rows * Dense(second.point.x));
    EXPECT_LE((x - Dense(first.point.x)).max_abs(), 1e-5);
  }
}

TEST(LogBarrier, FindsTheOptimaOfTheInteriorPoint) {
  int compared = 0;
  for (int seed = 0; seed < 60; ++seed) {
    if (seed / 3 % 5 == 1) {
      continue;  // degenerate ones may have no point inside of all bounds
    }
    SCOPED_TRACE(seed);
    const OracleProgram oracle(seed);
    const ConvexSolution exact = solve_convex_program(oracle.program, {}, {});
    const ConvexSolution plain = solve_by_log_barrier(oracle.program, {}, {});
    if (plain.status == ProgramStatus::converged) {
      ASSERT_EQ(exact.status, ProgramStatus::converged);
      EXPECT_LE(check_optimality(oracle.program, plain.point, {}).worst(), 1e-8);
      EXPECT_NEAR(plain.primal, exact.primal, 1e-7 * (1 + std::abs(exact.primal)));
      EXPECT_GE(plain.iterations, exact.iterations);
      ++compared;
    }
  }
  EXPECT_GE(compared, 20);
  EXPECT_ERROR(solve_by_log_barrier({}, {.reduction = 1}, {}), InvalidArgument, "between 0 and 1");
}

// f₀ + aξ + ½bξ²: (6.35) with its sign.
TEST(PredictorCorrector, HelpsWhereTheConditionSays) {
  int helps = 0;
  for (double f0 = -3.05; f0 < 3; f0 += 0.1) {
    for (double b = -3.05; b < 3; b += 0.1) {
      const double a = 0.9;
      const auto value = [&](double step) { return f0 + a * step + b * step * step / 2; };
      const auto step =
          predict_and_correct(f0, [&](double right) { return right / a; }, [&](double at) { return b * at * at / 2; });
      EXPECT_NEAR(f0 + a * step.predictor, 0, 1e-12);
      const double gain = std::abs(value(step.predictor)) - std::abs(value(step.corrector));
      if (std::abs(gain) > 1e-9) {
        EXPECT_EQ(gain > 0, corrector_helps(f0, a, b)) << f0 << " " << b;
        helps += gain > 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(helps, 100);
}

// The ends of −2 − 2√2 < b f₀/a² < 2√2 − 2, each met from both sides; the bound that is often printed, 2 − 2√2 from above alone,
// is none.
TEST(PredictorCorrector, HelpsBetweenTwoEnds) {
  const double root = std::sqrt(2.0);
  const auto leaves_less = [](double share) {
    const double a = -1.7;
    const double f0 = 0.6;
    const double b = share * a * a / f0;
    const auto rest = [&](double at) { return b * at * at / 2; };
    const auto step = predict_and_correct(f0, [&](double right) { return right / a; }, rest);
    const auto left = [&](double at) { return std::abs(f0 + a * at + rest(at)); };
    EXPECT_NEAR(left(step.predictor), std::abs(f0 * share / 2), 1e-12 * (1 + std::abs(share)));
    EXPECT_EQ(corrector_helps(f0, a, b), left(step.corrector) < left(step.predictor)) << share;
    return corrector_helps(f0, a, b);
  };
  for (const auto& [outside, inside] :
       {std::pair{-2 - 2 * root - 1e-6, -2 - 2 * root + 1e-6}, std::pair{2 * root - 2 + 1e-6, 2 * root - 2 - 1e-6}}) {
    EXPECT_FALSE(leaves_less(outside));
    EXPECT_TRUE(leaves_less(inside));
  }
  EXPECT_TRUE(leaves_less(0.5));    // above 2 − 2√2
  EXPECT_FALSE(leaves_less(-5.0));  // below it
  EXPECT_FALSE(corrector_helps(0, 1, 1));
  EXPECT_FALSE(corrector_helps(1, 1, 0));
}

}  // namespace
}  // namespace mercer
