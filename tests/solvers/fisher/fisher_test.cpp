#include "mercer/solvers/fisher/fisher.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "solvers/fisher_oracle.h"
#include "support/expect_error.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::closed_form;
using testing::five_classes;
using testing::five_points;
using testing::gaussian_gram;
using testing::random_classes;
using testing::scatters;

constexpr double tiny_noise = 1e-13;

struct Solved {
  Dense alpha;   // r × p
  Dense values;  // n × p, of mean 0
  FisherDirections directions;
};

Solved solve(const Dense& functions, const Dense& penalty, const ClassRows& rows, double lambda) {
  const Matrix<double> phi = functions.matrix();
  const Matrix<double> r = penalty.matrix();
  const ClassRegression regression =
      regress_on_functions(phi.view(), r.view(), rows, lambda, Leverages::skip, mercer::Run());
  Solved result;
  result.directions = fisher_directions(regression.fitted.view(), rows, tiny_noise, mercer::Run());
  result.alpha = Dense(regression.coefficients) * Dense(result.directions.combination);
  result.values = Dense(regression.fitted) * Dense(result.directions.combination);
  return result;
}

double objective_of(const Solved& solved, const ClassRows& rows) {
  return fisher_objective(rows, solved.directions.shares.front());
}

TEST(Fisher, GoldenValuesLinear) {
  const Dense x = five_points();
  const Dense k = x * x.transpose();
  const Solved solved = solve(k, Dense::identity(5), five_classes(), 1.0);
  const double golden[] = {-.0874316940, -.0437158470, .0218579235, .0437158470, .1311475410};
  const double values[] = {-4.0 / 3, -2.0 / 3, 1.0 / 3, 2.0 / 3, 2.0};
  const Dense raw = k * solved.alpha;
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(solved.alpha(i), golden[i], 1e-10);
    EXPECT_NEAR(raw(i), values[i], 1e-12);  // b = 0
  }
  EXPECT_NEAR(objective_of(solved, five_classes()), .9034608379, 1e-10);
}

TEST(Fisher, GoldenValuesGaussian) {
  const Dense k = gaussian_gram(five_points(), 0.5);
  const Solved solved = solve(k, Dense::identity(5), five_classes(), 1.0);
  const double golden[] = {-.8870434942, -.8161214694, .4330183020, .5985024992, .5507908553};
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(solved.alpha(i), golden[i], 1e-10);
  }
  EXPECT_NEAR(objective_of(solved, five_classes()), 1.1878709128, 1e-10);
  const auto means = scatters(k, five_classes()).class_means;
  EXPECT_NEAR(1 - solved.alpha.dot(means[1]), .2443733431, 1e-10);
  const auto dual = testing::dual_route(k, five_classes(), 1.0);
  EXPECT_NEAR(dual.offset, .2443733431, 1e-10);
  EXPECT_NEAR(dual.objective, 1.1878709128, 1e-10);
}

TEST(Fisher, RegressionIsTheClosedFormAndTheDualRoute) {
  for (const Index n : {6, 17, 40}) {
    for (const bool weighted : {false, true}) {
      const auto [x, rows] = random_classes(n, 3, 2, weighted, static_cast<std::uint64_t>(n));
      const Dense k = gaussian_gram(x, 0.3);
      for (const double lambda : {1e-2, 1.0, 50.0}) {
        for (const Dense& penalty : {Dense::identity(n), k}) {
          const Solved solved = solve(k, penalty, rows, lambda);
          const auto direct = closed_form(k, penalty, rows, lambda);
          EXPECT_LT((solved.alpha - direct.alpha).max_abs(), 1e-7 * direct.alpha.max_abs()) << n << " " << lambda;
          EXPECT_NEAR(objective_of(solved, rows), direct.objective, 1e-8 * direct.objective);
        }
        if (!weighted) {
          const auto dual = testing::dual_route(k, rows, lambda);
          const auto direct = closed_form(k, Dense::identity(n), rows, lambda);
          EXPECT_LT((dual.alpha - direct.alpha).max_abs(), 1e-8 * direct.alpha.max_abs());
          EXPECT_NEAR(dual.offset, direct.offset, 1e-8);
          EXPECT_NEAR(dual.objective, direct.objective, 1e-8 * direct.objective);
          EXPECT_NEAR(dual.multipliers(1) * rows.total(1), -dual.objective, 1e-7 * dual.objective);
          EXPECT_NEAR(dual.multipliers(0) * rows.total(0), dual.objective, 1e-7 * dual.objective);
        }
      }
    }
  }
}

TEST(Fisher, ClassMeansAreTwoApart) {
  const auto [x, rows] = random_classes(31, 2, 2, true, 5);
  const Solved solved = solve(gaussian_gram(x, 1.0), Dense::identity(31), rows, 0.1);
  const Matrix<double> means = rows.class_means(solved.values.matrix().view());
  EXPECT_NEAR(means(1, 0) - means(0, 0), 2, 1e-12);
}

TEST(Fisher, NoOtherDirectionIsBetter) {
  const auto [x, rows] = random_classes(25, 2, 3, true, 6);
  const Dense k = gaussian_gram(x, 0.5);
  const Solved solved = solve(k, k, rows, 0.3);
  const auto s = scatters(k, rows);
  const auto ratio = [&](const Dense& a) { return a.dot(s.between * a) / a.dot((s.within + 0.3 * k) * a); };
  const double best = ratio(solved.alpha.column(0));
  EXPECT_NEAR(best, solved.directions.shares[0] / (1 - solved.directions.shares[0]), 1e-7 * best);
  RandomStream random(1, 1);
  for (int trial = 0; trial < 200; ++trial) {
    Dense other(25, 1);
    for (Index i = 0; i < 25; ++i) {
      other(i) = random.normal();
    }
    EXPECT_LE(ratio(other), best);
    EXPECT_LE(ratio(solved.alpha.column(0) + 0.01 * solved.alpha.column(0).norm() * other), best * (1 + 1e-10));
  }
}

TEST(Fisher, SeveralClassesSolveTheGeneralizedEigenproblem) {
  for (const Index classes : {3, 5}) {
    const auto [x, rows] = random_classes(40, 5, classes, true, 7);
    const Dense k = gaussian_gram(x, 0.1);
    const double lambda = 0.5;
    const Solved solved = solve(k, Dense::identity(40), rows, lambda);
    ASSERT_EQ(solved.alpha.columns(), classes - 1);
    const auto s = scatters(k, rows);
    const Dense regularized = s.within + lambda * Dense::identity(40);
    const Dense gram = solved.alpha.transpose() * regularized * solved.alpha;
    // Orthogonal in N + λR, of squared length m − k.
    const double length = rows.total() - static_cast<double>(classes);
    for (Index a = 0; a < classes - 1; ++a) {
      const double j = solved.directions.shares[a];
      const Dense left = s.between * solved.alpha.column(a);
      const Dense right = (j / (1 - j)) * (regularized * solved.alpha.column(a));
      EXPECT_LT((left - right).max_abs(), 1e-7 * left.max_abs());
      for (Index b = 0; b < classes - 1; ++b) {
        EXPECT_NEAR(gram(a, b), a == b ? length : 0.0, 1e-6 * length);
      }
      EXPECT_TRUE(a == 0 || j <= solved.directions.shares[a - 1]);
    }
  }
}

TEST(Fisher, LinearFunctionsGiveTheLinearDiscriminant) {
  const auto [x, rows] = random_classes(60, 4, 2, false, 8);
  const auto s = scatters(x, rows);
  const Dense direction = s.within.solve(s.class_means[1] - s.class_means[0]);
  const Solved solved = solve(x, Dense::identity(4), rows, 0.0);
  const double cosine = solved.alpha.dot(direction) / (solved.alpha.norm() * direction.norm());
  EXPECT_NEAR(cosine, 1, 1e-12);
  // The kernel form, hardly penalised: w = Σ α_i x_i.
  const Solved kernel = solve(x * x.transpose(), Dense::identity(60), rows, 1e-6);
  const Dense w = x.transpose() * kernel.alpha;
  EXPECT_NEAR(w.dot(direction) / (w.norm() * direction.norm()), 1, 1e-9);
  // Linear maps and shifts of the inputs do not move the values without a penalty.
  Dense map = Dense::identity(4);
  map(0, 1) = 0.7;
  map(2, 2) = 30;
  const Solved moved = solve((x * map).shifted(5.0), Dense::identity(4), rows, 0.0);
  EXPECT_LT((moved.values - solved.values).max_abs(), 1e-9);
}

TEST(Fisher, SwappedClassesTurnTheDirection) {
  const auto [x, rows] = random_classes(21, 2, 2, true, 9);
  std::vector<std::int32_t> swapped;
  for (Index i = 0; i < 21; ++i) {
    swapped.push_back(static_cast<std::int32_t>(1 - rows.class_of(i)));
  }
  const ClassRows other(swapped, {rows.weights().begin(), rows.weights().end()});
  const Dense k = gaussian_gram(x, 0.5);
  const Solved a = solve(k, k, rows, 0.1);
  const Solved b = solve(k, k, other, 0.1);
  EXPECT_LT((a.alpha + b.alpha).max_abs(), 1e-7 * a.alpha.max_abs());
}

TEST(Fisher, LargePenaltiesLeaveTheDifferenceOfMeans) {
  const auto [x, rows] = random_classes(24, 2, 2, true, 10);
  const Dense k = gaussian_gram(x, 0.5);
  const auto means = scatters(k, rows).class_means;
  const Dense contrast = means[1] - means[0];
  const Solved solved = solve(k, Dense::identity(24), rows, 1e9);
  EXPECT_NEAR(solved.alpha.dot(contrast) / (solved.alpha.norm() * contrast.norm()), 1, 1e-12);
}

TEST(Fisher, WeightsAreRepetitions) {
  const auto [x, rows] = random_classes(15, 2, 3, false, 11);
  std::vector<std::int32_t> classes;
  std::vector<std::int32_t> repeated_classes;
  std::vector<double> weights;
  std::vector<Index> repeated;
  for (Index i = 0; i < 15; ++i) {
    const Index times = 1 + i % 3;
    classes.push_back(static_cast<std::int32_t>(rows.class_of(i)));
    weights.push_back(static_cast<double>(times));
    for (Index t = 0; t < times; ++t) {
      repeated.push_back(i);
      repeated_classes.push_back(classes.back());
    }
  }
  const Dense k = gaussian_gram(x, 0.5);
  const Dense tall = k.picked_rows(repeated);
  const Solved one = solve(k, k, ClassRows(classes, weights), 0.2);
  const Solved two = solve(tall, k, ClassRows(repeated_classes, std::vector<double>(repeated.size(), 1.0)), 0.2);
  EXPECT_LT((one.alpha - two.alpha).max_abs(), 1e-7 * one.alpha.max_abs());
}

TEST(Fisher, LeftOutValuesAreThoseOfRefits) {
  const Index n = 14;
  const auto [x, rows] = random_classes(n, 2, 3, true, 12);
  const Dense phi = gaussian_gram(x, 0.5).first_columns(6);
  const Dense penalty = gaussian_gram(x, 0.5).first(6, 6);
  const ClassRegression all =
      regress_on_functions(phi.matrix().view(), penalty.matrix().view(), rows, 0.3, Leverages::compute, mercer::Run());
  const Matrix<double> left_out = left_out_values(all.fitted.view(), all.leverages, rows);
  const auto offset = [](const Dense& functions, const ClassRows& of, const ClassRegression& fit, Index q) {
    // The weighted mean of y − Φa.
    const Dense raw = functions * Dense(fit.coefficients).column(q);
    double sum = 0;
    for (Index i = 0; i < of.size(); ++i) {
      sum += of.weight(i) * ((of.class_of(i) == q ? 1.0 : 0.0) - raw(i));
    }
    return sum / of.total();
  };
  for (Index out = 0; out < n; ++out) {
    std::vector<Index> kept;
    std::vector<std::int32_t> classes;
    std::vector<double> weights;
    for (Index i = 0; i < n; ++i) {
      if (i != out) {
        kept.push_back(i);
        classes.push_back(static_cast<std::int32_t>(rows.class_of(i)));
        weights.push_back(rows.weight(i));
      }
    }
    const ClassRows others(classes, weights);
    const Dense part = phi.picked_rows(kept);
    const ClassRegression refit =
        regress_on_functions(part.matrix().view(), penalty.matrix().view(), others, 0.3, Leverages::skip, {});
    for (Index q = 0; q < 3; ++q) {
      const double value = (phi.row(out) * Dense(refit.coefficients).column(q))(0) + offset(part, others, refit, q);
      EXPECT_NEAR(left_out(out, q) + rows.total(q) / rows.total(), value, 1e-9) << out << " " << q;
    }
  }
}

TEST(Fisher, RefusesWhatItCannotTellApart) {
  EXPECT_ERROR(ClassRows({0, 0}, {1, 1}), InvalidArgument, "a discriminant needs two classes at least");
  EXPECT_ERROR(ClassRows({0, 2}, {1, 1}), InvalidArgument, "a discriminant needs two classes at least");
  EXPECT_ERROR(ClassRows({0, 1}, {1, 0}), InvalidArgument, "row 1 (counted from 0) has class 1 and weight 0");
  EXPECT_ERROR(ClassRows({0, 1}, {1, std::numeric_limits<double>::quiet_NaN()}), InvalidArgument,
               "row 1 (counted from 0) has class 1 and weight nan");
  EXPECT_ERROR(ClassRows({0, 1}, {1}), InvalidArgument, "2 rows with 1 weights");
  const ClassRows rows({0, 1, 0, 1}, {1, 1, 1, 1});
  const Dense constant(4, 4, 1.0);
  EXPECT_ERROR(solve(constant, Dense::identity(4), rows, 1.0), NumericalError,
               "the classes have the same mean in the space of the kernel");
  EXPECT_ERROR(solve(constant, Dense::identity(4), rows, 0.0), NumericalError,
               "the scatter matrix is numerically singular at function 0");
  EXPECT_ERROR(solve(constant, Dense::identity(4), rows, -1.0), InvalidArgument, "lambda = -1");
}

TEST(Fisher, ThreadsGiveTheSameBits) {
  const auto [x, rows] = random_classes(700, 3, 3, true, 13);
  const Matrix<double> phi = gaussian_gram(x, 0.5).first_columns(40).matrix();
  const auto fitted = [&, &of = rows](int threads) {
    return regress_on_functions(phi.view(), {}, of, 0.1, Leverages::compute, mercer::Run{{.threads = threads}});
  };
  const ClassRegression one = fitted(1);
  for (const int threads : {2, 3}) {
    const ClassRegression more = fitted(threads);
    EXPECT_TRUE(testing::same_bits(one.fitted, more.fitted));
    EXPECT_EQ(one.leverages, more.leverages);
  }
}

}  // namespace
}  // namespace mercer
