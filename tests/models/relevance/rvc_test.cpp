#include "mercer/models/relevance/rvc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "data/temporary_folder.h"
#include "mercer/base/error.h"
#include "mercer/data/files/data_file.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::random_matrix;
using testing::random_samples;
using testing::same_bits;

double error_rate(const FittedModel& model, const Samples& samples, const Targets& targets) {
  const Matrix<double> predicted = model.predict(samples, {});
  const ClassLabels truth = targets.labels(0, model.classes());
  double wrong = 0;
  for (Index i = 0; i < samples.size(); ++i) {
    wrong += predicted(i, 0) == truth.codes[i] ? 0 : 1;
  }
  return wrong / static_cast<double>(samples.size());
}

// U(0, 1) against U(.5, 1.5).
TrainingData two_uniforms(Index n, std::uint64_t seed) {
  RandomStream random(seed, 54);
  Matrix<double> x(n, 1);
  std::vector<std::string> labels;
  for (Index i = 0; i < n; ++i) {
    const bool second = i % 2 == 1;
    x(i, 0) = random.uniform() + (second ? 0.5 : 0.0);
    labels.emplace_back(second ? "right" : "left");
  }
  return {make_dense(std::move(x)), Targets::classes(labels)};
}

// The best rule errs in a quarter of the cases, and nothing can be said where the classes overlap.
TEST(Rvc, TwoUniforms) {
  const auto model = fit_rvc(parse_kernel("rbf(lengthscale=0.1)"), {}, two_uniforms(1000, 1));
  const TrainingData test = two_uniforms(4000, 2);
  EXPECT_NEAR(error_rate(*model, test.samples, test.targets), 0.25, 0.02);
  Matrix<double> overlap(81, 1);
  for (Index i = 0; i < 81; ++i) {
    overlap(i, 0) = 0.55 + 0.005 * static_cast<double>(i);
  }
  const Matrix<double> odds = model->decide(make_dense(std::move(overlap)), {});
  double mean = 0;
  for (Index i = 0; i < 81; ++i) {
    EXPECT_LT(std::abs(odds(i, 0)), 1.5);
    mean += std::abs(odds(i, 0)) / 81;
  }
  EXPECT_LT(mean, 0.5);
  Matrix<double> sure(2, 1);
  sure(0, 0) = 0.25;
  sure(1, 0) = 1.25;
  const Matrix<double> certain = model->decide(make_dense(std::move(sure)), {});
  EXPECT_LT(certain(0, 0), -3);
  EXPECT_GT(certain(1, 0), 3);
  EXPECT_LT(model->support_rows().size(), 30U);
}

struct Corners {
  TrainingData data;
  Matrix<double> points;
};

Corners corners(Index n, std::uint64_t seed) {
  Matrix<double> x = random_matrix(n, 2, seed);
  std::vector<std::string> labels;
  for (Index i = 0; i < n; ++i) {
    labels.emplace_back(x(i, 0) > 0.3 ? "east" : x(i, 1) > 0 ? "north" : "south");
  }
  Corners result;
  result.points = Matrix<double>::copy_of(x.view());
  result.data = {make_dense(std::move(x)), Targets::classes(labels)};
  return result;
}

TEST(Rvc, SeveralClasses) {
  const auto model = fit_rvc(parse_kernel("rbf(gamma=0.5)"), {}, corners(300, 1).data);
  const Corners test = corners(500, 2);
  EXPECT_LT(error_rate(*model, test.data.samples, test.data.targets), 0.08);
  const Matrix<double> probabilities = model->probabilities(test.data.samples, {});
  const Matrix<double> values = model->decide(test.data.samples, {});
  const Matrix<double> predicted = model->predict(test.data.samples, {});
  ASSERT_EQ(probabilities.columns(), 3);
  for (Index i = 0; i < 500; ++i) {
    EXPECT_NEAR(probabilities(i, 0) + probabilities(i, 1) + probabilities(i, 2), 1, 1e-12);
    for (Index c = 0; c < 3; ++c) {
      EXPECT_LE(values(i, c), values(i, static_cast<Index>(predicted(i, 0))));
    }
  }
}

// σ(f/√(1 + πv/8)) is the average of σ over N(f, v), to about a percent.
TEST(Rvc, ModeratedProbabilitiesAreAverages) {
  RvcOptions options;
  const TrainingData data = two_uniforms(60, 3);
  const Kernel kernel = parse_kernel("rbf(lengthscale=0.3)");
  const auto model = fit_rvc(kernel, options, data);
  options.moderate = false;
  const auto plain = fit_rvc(kernel, options, data);
  Matrix<double> x(40, 1);
  for (Index i = 0; i < 40; ++i) {
    x(i, 0) = -0.5 + 0.06 * static_cast<double>(i);
  }
  const Samples samples = make_dense(std::move(x));
  const Matrix<double> f = model->decide(samples, {});
  const Matrix<double> v = model->parts().functions.moments(samples, {}).variance;
  const Matrix<double> p = model->probabilities(samples, {});
  const Matrix<double> sharp = plain->probabilities(samples, {});
  for (Index i = 0; i < 40; ++i) {
    double average = 0;
    double total = 0;
    for (double z = -8; z <= 8; z += 0.01) {
      const double density = std::exp(-z * z / 2);
      total += density;
      average += density / (1 + std::exp(-f(i, 0) - z * std::sqrt(v(i, 0))));
    }
    EXPECT_NEAR(p(i, 1), average / total, 0.02);
    EXPECT_LE(std::abs(p(i, 1) - 0.5), std::abs(sharp(i, 1) - 0.5) + 1e-12);
    EXPECT_NEAR(sharp(i, 1), 1 / (1 + std::exp(-f(i, 0))), 1e-6);
  }
}

TEST(Rvc, WeightsAreRepetitions) {
  TrainingData data = two_uniforms(60, 5);
  std::vector<Index> repeated;
  for (Index i = 0; i < 60; ++i) {
    data.weights.push_back(static_cast<double>(i % 3));
    for (Index copy = 0; copy < i % 3; ++copy) {
      repeated.push_back(i);
    }
  }
  const Kernel kernel = parse_kernel("rbf(lengthscale=0.3)");
  const auto weighted = fit_rvc(kernel, {}, data);
  const auto copies = fit_rvc(kernel, {}, {data.samples.select(repeated), data.targets.select(repeated)});
  const Samples x = random_samples(20, 1, 5);
  const Matrix<double> a = weighted->decide(x, {});
  const Matrix<double> b = copies->decide(x, {});
  for (Index i = 0; i < 20; ++i) {
    EXPECT_NEAR(a(i, 0), b(i, 0), 1e-3 * (1 + std::abs(b(i, 0))));
  }
}

TEST(Rvc, ClassWeightsMoveTheBoundary) {
  const TrainingData data = two_uniforms(300, 6);
  RvcOptions options;
  options.class_weight = {{"right", 8}};
  const Kernel kernel = parse_kernel("rbf(lengthscale=0.3)");
  const auto heavy = fit_rvc(kernel, options, data);
  Matrix<double> middle(1, 1);
  middle(0, 0) = 0.75;
  EXPECT_NEAR(heavy->decide(make_dense(std::move(middle)), {})(0, 0), std::log(8), 0.7);
}

TEST(Rvc, DegenerateData) {
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  const std::vector<std::string> same = {"a", "a", "a"};
  EXPECT_ERROR(fit_rvc(kernel, {}, {random_samples(3, 2, 1), Targets::classes(same)}), DataError,
               "rvc: all rows that count belong to one class ('a')");
  // Two rows; and classes that no input tells apart: every answer is the share of the class.
  const std::vector<std::string> both = {"a", "b"};
  const auto two = fit_rvc(kernel, {}, {random_samples(2, 2, 1), Targets::classes(both)});
  EXPECT_TRUE(std::isfinite(two->decide(random_samples(1, 2, 2), {})(0, 0)));
  std::vector<std::string> labels(40, "a");
  std::fill_n(labels.begin(), 30, "b");
  const Samples constant = make_dense(Matrix<double>::filled(40, 2, 0.5));
  const auto blind = fit_rvc(kernel, {}, {constant, Targets::classes(labels)});
  EXPECT_NEAR(blind->probabilities(constant, {})(0, 1), 0.75, 0.06);
  EXPECT_TRUE(same_bits(rvc_entry().load(state_of(*blind), {})->probabilities(constant, {}),
                        blind->probabilities(constant, {})));
}

// Ripley's two mixtures: support vector machines err in about 10 % with tens of vectors (Tipping 2001: 10.6 % with 38).
TEST(Rvc, RipleysDataNeedFewVectors) {
  const std::string train_path = real_data("r-mass/synth.tr.csv");
  const std::string test_path = real_data("r-mass/synth.te.csv");
  if (train_path.empty() || test_path.empty()) {
    GTEST_SKIP() << "r-mass/synth.tr.csv is not there";
  }
  ReadOptions options;
  options.targets = {"yc"};
  const DataFile train = read_data(train_path, options, {});
  const DataFile test = read_data(test_path, options, {});
  const auto model = fit_rvc(parse_kernel("rbf(lengthscale=0.5)"), {}, {train.samples, *train.targets});
  const double rate = error_rate(*model, test.samples, *test.targets);
  EXPECT_LE(rate, 0.105);
  EXPECT_LE(model->support_rows().size(), 8U);
}

}  // namespace
}  // namespace mercer
