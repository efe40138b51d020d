#include "mercer/models/density/kde_classifier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/models/density/kde.h"
#include "mercer/models/model_state.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::random_matrix;
using testing::same_bits;

// Three clusters of different sizes.
TrainingData clusters(Index rows, std::uint64_t seed) {
  Matrix<double> x = random_matrix(rows, 2, seed);
  std::vector<std::string> labels;
  for (Index i = 0; i < rows; ++i) {
    const Index c = i % 6 == 0 ? 0 : i % 6 < 3 ? 1 : 2;
    x(i, 0) += 4 * static_cast<double>(c);
    labels.push_back(c == 0 ? "a" : c == 1 ? "b" : "c");
  }
  return {make_dense(std::move(x)), Targets::classes(labels, "kind"), {}};
}

TEST(KdeClassifierTest, IsBayesRuleOverDensities) {
  const TrainingData data = clusters(120, 3);
  for (const DensityPriors priors : {DensityPriors::frequency, DensityPriors::equal}) {
    KdeClassifierOptions options;
    options.priors = priors;
    options.relative_error = 0;
    const auto model = fit_kde_classifier(options, data);
    EXPECT_EQ(model->classes(), (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(model->output_names(), std::vector<std::string>{"kind"});
    const Samples test = clusters(60, 5).samples;
    const Matrix<double> probability = model->probabilities(test, {});
    const Matrix<double> predicted = model->predict(test, {});
    Matrix<double> joint(60, 3);
    for (Index c = 0; c < 3; ++c) {
      std::vector<Index> rows;
      for (Index i = 0; i < 120; ++i) {
        if (data.targets.columns()[0].labels.codes[i] == c) {
          rows.push_back(i);
        }
      }
      const auto density = fit_kde(options, {data.samples.select(rows), {}, {}});
      const Matrix<double> values = density->predict(test, {});
      for (Index i = 0; i < 60; ++i) {
        const double prior = priors == DensityPriors::equal ? 1.0 / 3 : static_cast<double>(rows.size()) / 120;
        joint(i, c) = prior * std::exp(values(i, 0));
      }
    }
    for (Index i = 0; i < 60; ++i) {
      const double sum = joint(i, 0) + joint(i, 1) + joint(i, 2);
      for (Index c = 0; c < 3; ++c) {
        EXPECT_NEAR(probability(i, c), joint(i, c) / sum, 1e-10);
        EXPECT_LE(probability(i, c), probability(i, static_cast<Index>(predicted(i, 0))));
      }
    }
  }
}

TEST(KdeClassifierTest, WeightsAreCopies) {
  TrainingData data = clusters(60, 9);
  std::vector<Index> repeated;
  for (Index i = 0; i < 60; ++i) {
    data.weights.push_back(static_cast<double>(i % 3));
    for (Index k = 0; k < i % 3; ++k) {
      repeated.push_back(i);
    }
  }
  const TrainingData copies{data.samples.select(repeated), data.targets.select(repeated), {}};
  const Samples test = clusters(30, 10).samples;
  const Matrix<double> a = fit_kde_classifier({}, data)->probabilities(test, {});
  const Matrix<double> b = fit_kde_classifier({}, copies)->probabilities(test, {});
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index c = 0; c < a.columns(); ++c) {
      EXPECT_NEAR(a(i, c), b(i, c), 1e-5);
    }
  }
}

TEST(KdeClassifierTest, FarFromEverythingThePriorsAnswer) {
  KdeClassifierOptions options;
  options.shape = SmoothingShape::epanechnikov;
  const auto model = fit_kde_classifier(options, clusters(60, 11));
  const Samples far = make_dense(Matrix<double>::filled(1, 2, 1e6));
  const Matrix<double> probability = model->probabilities(far, {});
  EXPECT_NEAR(probability(0, 0), 1.0 / 6, 1e-15);
  EXPECT_NEAR(probability(0, 2), 0.5, 1e-15);
  EXPECT_EQ(model->predict(far, {})(0, 0), 2);
  // Unbounded kernels know the class that reaches farthest.
  const Matrix<double> certain = fit_kde_classifier({}, clusters(60, 11))->probabilities(far, {});
  EXPECT_NEAR(std::max({certain(0, 0), certain(0, 1), certain(0, 2)}), 1, 1e-12);
}

TEST(KdeClassifierTest, AColumnOfOneValueChangesNothing) {
  const TrainingData data = clusters(120, 23);
  const auto widened = [](const Samples& samples, double value) {
    const auto& rows = samples.as<DenseRows<double>>();
    Matrix<double> wide(rows.rows, 3);
    for (Index i = 0; i < rows.rows; ++i) {
      wide(i, 0) = rows(i, 0);
      wide(i, 1) = value;
      wide(i, 2) = rows(i, 1);
    }
    return make_dense(std::move(wide));
  };
  const Samples test = clusters(60, 24).samples;
  for (const SmoothingShape shape : {SmoothingShape::gaussian, SmoothingShape::epanechnikov, SmoothingShape::cube}) {
    for (const BandwidthRule bandwidth : {BandwidthRule::silverman, BandwidthRule::normal, BandwidthRule::likelihood}) {
      KdeClassifierOptions options;
      options.shape = shape;
      options.bandwidth = bandwidth;
      const auto alone = fit_kde_classifier(options, data);
      const auto model = fit_kde_classifier(options, {widened(data.samples, 7), data.targets, {}});
      EXPECT_TRUE(same_bits(model->probabilities(widened(test, 2), {}), alone->probabilities(test, {})))
          << word_of(shape) << word_of(bandwidth);
      const auto again = kde_classifier_entry().load(state_of(*model), {});
      EXPECT_TRUE(same_bits(again->probabilities(widened(test, 2), {}), alone->probabilities(test, {})));
      ASSERT_FALSE(model->report().notes.empty());
      EXPECT_EQ(model->report().notes.front(), "column 1 (counted from 0) has one value and is left out");
    }
  }
}

TEST(KdeClassifierTest, ColumnsWithoutSpreadAndSingleSamplesDoNotStopIt) {
  Matrix<double> x = random_matrix(20, 3, 13);
  std::vector<std::string> labels;
  for (Index i = 0; i < 20; ++i) {
    labels.push_back(i == 0 ? "single" : i < 10 ? "left" : "right");
    x(i, 0) += i < 10 ? -5 : 5;
    x(i, 1) = 7;                     // the same everywhere
    x(i, 2) = i < 10 ? 0 : x(i, 2);  // the same inside a class
  }
  const Samples samples = make_dense(std::move(x));
  const auto model = fit_kde_classifier({}, {samples, Targets::classes(labels), {}});
  EXPECT_FALSE(model->report().notes.empty());
  const Matrix<double> probability = model->probabilities(samples, {});
  for (Index i = 0; i < 20; ++i) {
    for (Index c = 0; c < 3; ++c) {
      EXPECT_TRUE(probability(i, c) >= 0 && probability(i, c) <= 1);
    }
    if (i >= 10) {
      EXPECT_EQ(model->classes()[model->predict(samples, {})(i, 0)], "right");
    }
  }
  EXPECT_ERROR(fit_kde_classifier({}, {samples, Targets::classes(std::vector<std::string>(20, "x")), {}}), DataError,
               "kdec: all rows that count belong to one class ('x')");
}

}  // namespace
}  // namespace mercer
