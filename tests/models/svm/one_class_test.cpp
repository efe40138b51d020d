// One-class machine and ball as models.
#include "mercer/models/svm/one_class.h"

#include <gtest/gtest.h>

#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "models/svm_blobs.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::measure;
using testing::same_bits;

const Kernel novelty_gaussian = parse_kernel("rbf(gamma=0.3)");

TrainingData cloud(Index n, std::uint64_t seed) { return {testing::random_samples(n, 2, seed), {}, {}}; }

Index outside(const FittedModel& model, const Samples& samples) {
  const Matrix<double> predicted = model.predict(samples, {});
  Index count = 0;
  for (Index i = 0; i < predicted.rows(); ++i) {
    EXPECT_TRUE(predicted(i, 0) == 1 || predicted(i, 0) == -1);
    count += predicted(i, 0) < 0 ? 1 : 0;
  }
  return count;
}

OneClassOptions with_nu(double nu, double tolerance = 1e-8) {
  OneClassOptions options;
  options.nu = nu;
  options.tolerance = tolerance;
  return options;
}

TEST(OneClass, HasTheNuProperty) {
  const TrainingData data = cloud(200, 1);
  for (const char* name : {"oneclass", "svdd"}) {
    for (const double nu : {0.03, 0.2, 0.6}) {
      for (const double tolerance : {1e-3, 1e-8}) {
        const auto fit = std::string(name) == "svdd" ? fit_svdd : fit_one_class;
        const auto model = fit(novelty_gaussian, with_nu(nu, tolerance), data, {});
        EXPECT_EQ(model->report().status, SolveStatus::converged);
        EXPECT_LE(measure(model->report(), "fraction outside"), nu + 1e-12) << name;
        EXPECT_GE(measure(model->report(), "fraction of support vectors"), nu - 1e-12) << name;
        // Rows on the boundary are inside for the accuracy of the solution.
        const Matrix<double> f = model->decide(data.samples, {});
        double below = 0;
        for (Index i = 0; i < 200; ++i) {
          below += f(i, 0) < -4 * tolerance ? 1 : 0;
        }
        EXPECT_LE(below / 200, nu + 1e-12) << name;
      }
    }
  }
}

TEST(OneClass, FarPointsAreOutsideAndTheMiddleIsInside) {
  const TrainingData data = cloud(150, 2);
  for (const auto fit : {fit_one_class, fit_svdd}) {
    const auto model = fit(novelty_gaussian, with_nu(0.1), data, {});
    EXPECT_EQ(outside(*model, make_dense(std::vector<double>{50.0, 50.0}, 1, 2)), 1);
    EXPECT_EQ(outside(*model, make_dense(std::vector<double>{0.0, 0.0}, 1, 2)), 0);
  }
}

TEST(OneClass, BallAndPlaneDrawTheSameBoundaryForConstantDiagonals) {
  const TrainingData data = cloud(120, 3);
  const Samples x = testing::random_samples(200, 2, 4);
  const double nu = 0.15;
  const Matrix<double> plane = fit_one_class(novelty_gaussian, with_nu(nu), data)->decide(x, {});
  const Matrix<double> ball = fit_svdd(novelty_gaussian, with_nu(nu), data)->decide(x, {});
  for (Index i = 0; i < 200; ++i) {
    EXPECT_NEAR(ball(i, 0), 2 * plane(i, 0) / (nu * 120), 1e-5);
  }
}

TEST(OneClass, TheBallIsABallForALinearKernel) {
  const TrainingData data = cloud(80, 5);
  const auto model = fit_svdd(parse_kernel("linear"), with_nu(0.01), data);  // hard: all inside
  const double radius = measure(model->report(), "radius");
  const auto& rows = data.samples.as<DenseRows<double>>();
  const Matrix<double> beta = Matrix<double>::copy_of(model->expansion().coefficients());
  std::array<double, 2> center{};
  for (Index i = 0; i < beta.rows(); ++i) {
    for (Index j = 0; j < 2; ++j) {
      center[j] += 0.5 * beta(i, 0) * rows(model->support_rows()[i], j);
    }
  }
  const Matrix<double> f = model->decide(data.samples, {});
  double farthest = 0;
  for (Index i = 0; i < 80; ++i) {
    const double squared = std::pow(rows(i, 0) - center[0], 2) + std::pow(rows(i, 1) - center[1], 2);
    EXPECT_NEAR(f(i, 0), radius * radius - squared, 1e-6);
    farthest = std::max(farthest, std::sqrt(squared));
  }
  EXPECT_NEAR(farthest, radius, 1e-6);
  EXPECT_NEAR(measure(model->report(), "norm of the centre"), std::hypot(center[0], center[1]), 1e-6);
}

TEST(OneClass, TheOutlierRateMovesTheBoundary) {
  const TrainingData data = cloud(100, 6);
  for (const auto fit : {fit_one_class, fit_svdd}) {
    for (const double tolerance : {1e-3, 1e-8}) {
      for (const double rate : {0.0, 0.07, 0.5, 1.0}) {
        OneClassOptions options = with_nu(1, tolerance);  // Parzen
        options.outlier_rate = rate;
        const auto model = fit(novelty_gaussian, options, data, {});
        EXPECT_EQ(outside(*model, data.samples), static_cast<Index>(std::lround(rate * 100)))
            << rate << " at " << tolerance;
        const auto again = find_model(model->name()).load(state_of(*model), {});
        EXPECT_TRUE(same_bits(again->decide(data.samples, {}), model->decide(data.samples, {})));
      }
    }
  }
}

// Rows in groups of equal ones, which a boundary cannot part, with weights or repeated.
TEST(OneClass, TheOutlierRateIsAShareOfTheWeightAndKeepsEqualRowsTogether) {
  const TrainingData distinct = cloud(40, 16);
  TrainingData weighted = distinct;
  std::vector<Index> list;
  double total = 0;
  for (Index i = 0; i < 40; ++i) {
    weighted.weights.push_back(static_cast<double>(1 + i % 7));
    total += weighted.weights.back();
    list.insert(list.end(), static_cast<std::size_t>(1 + i % 7), i);
  }
  const TrainingData repeated{distinct.samples.select(list), {}, {}};
  for (const auto fit : {fit_one_class, fit_svdd}) {
    for (const double nu : {1.0, 0.2}) {
      for (const double rate : {0.0, 0.1, 0.3, 0.55, 1.0}) {
        OneClassOptions options = with_nu(nu);
        options.outlier_rate = rate;
        const auto a = fit(novelty_gaussian, options, weighted, {});
        const Matrix<double> f = a->decide(distinct.samples, {});
        double below = 0;
        double next = std::numeric_limits<double>::infinity();  // the least value inside, and the weight there
        double weight = 0;
        for (Index i = 0; i < 40; ++i) {
          const double own = weighted.weights[i];
          below += f(i, 0) < 0 ? own : 0;
          if (f(i, 0) >= 0 && f(i, 0) < next) {
            next = f(i, 0);
            weight = own;
          }
        }
        EXPECT_LE(below, rate * total * (1 + 1e-9)) << nu << " " << rate;
        if (nu == 1 && rate < 1) {  // Parzen: no two values are equal, so that no other row would go outside
          EXPECT_GT(below + weight, rate * total) << rate;
        }
        EXPECT_NEAR(measure(a->report(), "fraction outside"), below / total, 1e-12) << nu << " " << rate;
        const auto b = fit(novelty_gaussian, options, repeated, {});
        EXPECT_NEAR(measure(b->report(), "fraction outside"),
                    static_cast<double>(outside(*b, repeated.samples)) / total, 1e-12)
            << nu << " " << rate;
        if (nu == 1) {
          EXPECT_NEAR(measure(b->report(), "fraction outside"), below / total, 1e-12) << rate;
        }
      }
    }
  }
}

TEST(OneClass, WeightsAreRepeatedRowsAndZeroRemovesThem) {
  const TrainingData data = cloud(60, 7);
  TrainingData weighted = data;
  std::vector<Index> list;
  for (Index i = 0; i < 60; ++i) {
    weighted.weights.push_back(static_cast<double>(i % 3));
    list.insert(list.end(), static_cast<std::size_t>(i % 3), i);
  }
  const TrainingData repeated{data.samples.select(list), {}, {}};
  for (const auto fit : {fit_one_class, fit_svdd}) {
    const Matrix<double> a = fit(novelty_gaussian, with_nu(0.2), weighted, {})->decide(data.samples, {});
    const Matrix<double> b = fit(novelty_gaussian, with_nu(0.2), repeated, {})->decide(data.samples, {});
    for (Index i = 0; i < 60; ++i) {
      EXPECT_NEAR(a(i, 0), b(i, 0), 1e-5);
    }
  }
}

TEST(OneClass, AnySizeOfData) {
  for (const Index n : {1, 2, 3}) {
    for (const auto fit : {fit_one_class, fit_svdd}) {
      const auto model = fit(novelty_gaussian, with_nu(0.5), cloud(n, 8), {});
      EXPECT_EQ(model->report().status, SolveStatus::converged);
      EXPECT_EQ(outside(*model, make_dense(std::vector<double>{90.0, 90.0}, 1, 2)), 1);
    }
  }
  const TrainingData equal{make_dense(Matrix<double>::filled(20, 2, 1.5)), {}, {}};
  for (const auto fit : {fit_one_class, fit_svdd}) {
    EXPECT_EQ(fit(novelty_gaussian, with_nu(0.1), equal, {})->report().status, SolveStatus::converged);
  }
}

TEST(OneClass, RefusesWrongOptionsAndData) {
  const TrainingData data = cloud(10, 9);
  for (const double wrong : {0.0, -0.5, 1.5, std::nan("")}) {
    const std::string words = ": nu = " + shortest(wrong) + ": must be a number above 0 and at most 1";
    EXPECT_ERROR(fit_one_class(novelty_gaussian, with_nu(wrong), data), InvalidArgument, "oneclass" + words);
    EXPECT_ERROR(fit_svdd(novelty_gaussian, with_nu(wrong), data), InvalidArgument, "svdd" + words);
  }
  OneClassOptions options = with_nu(0.5);
  options.outlier_rate = 1.5;
  EXPECT_ERROR(fit_one_class(novelty_gaussian, options, data), InvalidArgument, "outlier_rate = 1.5");
  TrainingData none = data;
  none.weights.assign(10, 0.0);
  EXPECT_ERROR(fit_svdd(novelty_gaussian, with_nu(0.5), none), DataError,
               "svdd: all weights are 0, no row is left to fit");
  EXPECT_ERROR(fit_one_class(novelty_gaussian, with_nu(0.5), {Samples(), {}, {}}), DataError,
               "oneclass: there are no rows to fit");
}

}  // namespace
}  // namespace mercer
