// nw and nwc: averages by their definition, bandwidths by leave-one-out, bands.
#include "mercer/models/smoothing/nadaraya_watson.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/models/model_state.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::random_matrix;
using testing::random_samples;
using testing::same_bits;

TrainingData waves(Index n, Index columns, double noise, std::uint64_t seed) {
  Matrix<double> x = random_matrix(n, columns, seed);
  Matrix<double> y = random_matrix(n, 1, seed + 1);
  for (Index i = 0; i < n; ++i) {
    y(i, 0) = std::sin(2 * x(i, 0)) + noise * y(i, 0);
  }
  return {make_dense(std::move(x)), Targets::numeric(y.view())};
}

TEST(NadarayaWatson, AveragesWithGivenBandwidths) {
  const TrainingData data = waves(30, 2, 0.1, 3);
  const auto model =
      fit_nadaraya_watson({.bandwidth = std::vector{0.5, 2.0}, .shape = SmoothingShape::epanechnikov}, data);
  const Matrix<double> y = data.targets.values();
  const auto& x = data.samples.as<DenseRows<double>>();
  const Matrix<double> values = model->predict(data.samples, {});
  for (Index q = 0; q < 30; ++q) {
    double total = 0;
    double sum = 0;
    for (Index i = 0; i < 30; ++i) {
      const double a = (x(q, 0) - x(i, 0)) / 0.5;
      const double b = (x(q, 1) - x(i, 1)) / 2;
      const double window = std::max(0.0, 1 - a * a - b * b);
      total += window;
      sum += window * y(i, 0);
    }
    EXPECT_NEAR(values(q, 0), sum / total, 1e-12);
  }
}

TEST(NadarayaWatson, CrossValidationFindsWhichColumnsMatter) {
  const auto model = fit_nadaraya_watson({}, waves(400, 2, 0.2, 5));
  const std::vector<double>& widths = model->parts().window.bandwidths;
  EXPECT_LT(widths[0], 0.5);
  EXPECT_GT(widths[1], 3);  // wider than the data: the second column is noise
  EXPECT_LT(model->report().objective, 0.06);
}

// Bandwidths are in the units of x, and what y is measured in does not move them.
TEST(NadarayaWatson, CrossValidationKnowsNoUnits) {
  const TrainingData data = waves(120, 2, 0.3, 6);
  const Matrix<double> y = data.targets.values();
  const auto base = fit_nadaraya_watson({}, data);
  for (const double unit : {1e-9, 1e-4, 1e4, 1e9}) {
    Matrix<double> scaled = Matrix<double>::copy_of(y.view());
    for (Index i = 0; i < scaled.rows(); ++i) {
      scaled(i, 0) *= unit;
    }
    const auto model = fit_nadaraya_watson({}, {data.samples, Targets::numeric(scaled.view())});
    const double error = base->report().objective;
    EXPECT_NEAR(model->report().objective / (unit * unit), error, 1e-6 * error) << unit;
  }
}

TEST(NadarayaWatson, AColumnOfOneValueChangesNoRule) {
  const TrainingData data = waves(100, 2, 0.3, 8);
  const auto& rows = data.samples.as<DenseRows<double>>();
  Matrix<double> wide = Matrix<double>::filled(100, 3, 4.0);
  for (Index i = 0; i < 100; ++i) {
    wide(i, 0) = rows(i, 0);
    wide(i, 1) = rows(i, 1);
  }
  const TrainingData more{make_dense(std::move(wide)), data.targets};
  for (const WindowRule rule : {WindowRule::normal, WindowRule::heuristic}) {
    for (const SmoothingShape shape : {SmoothingShape::gaussian, SmoothingShape::tricube, SmoothingShape::cube}) {
      const auto alone = fit_nadaraya_watson({.bandwidth = rule, .shape = shape}, data);
      const auto model = fit_nadaraya_watson({.bandwidth = rule, .shape = shape}, more);
      for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_EQ(model->parts().window.bandwidths[j], alone->parts().window.bandwidths[j])
            << word_of(rule) << word_of(shape);
      }
      EXPECT_TRUE(testing::same_bits(model->predict(more.samples, {}), alone->predict(data.samples, {})))
          << word_of(rule) << word_of(shape);
    }
  }
}

TEST(NadarayaWatson, NoBandwidthBeatsTheChosenOne) {
  for (const SmoothingShape shape : {SmoothingShape::gaussian, SmoothingShape::tricube}) {
    const TrainingData data = waves(150, 1, 0.3, 7);
    const auto model = fit_nadaraya_watson({.shape = shape}, data);
    const double chosen = model->parts().window.bandwidths.front();
    const auto error = [&](double width) {
      double sum = 0;
      const auto fixed = fit_nadaraya_watson({.bandwidth = width, .shape = shape}, data);
      for (Index i = 0; i < 150; ++i) {
        sum += fixed->parts().squared_residuals(i, 0);
      }
      return sum;
    };
    const double least = error(chosen);
    for (const double factor : {0.25, 0.5, 0.7, 1.4, 2.0, 4.0}) {
      EXPECT_GE(error(chosen * factor), least * 0.999) << word_of(shape) << factor;
    }
  }
}

TEST(NadarayaWatson, WeightsAreRepetitions) {
  TrainingData weighted = waves(40, 1, 0.2, 9);
  std::vector<Index> repeated;
  for (Index i = 0; i < 40; ++i) {
    weighted.weights.push_back(static_cast<double>(i % 3));
    for (Index k = 0; k < i % 3; ++k) {
      repeated.push_back(i);
    }
  }
  const TrainingData copies{weighted.samples.select(repeated), weighted.targets.select(repeated)};
  const Samples queries = random_samples(20, 1, 10);
  const Matrix<double> a = fit_nadaraya_watson({.bandwidth = 0.4}, weighted)->predict(queries, {});
  const Matrix<double> b = fit_nadaraya_watson({.bandwidth = 0.4}, copies)->predict(queries, {});
  for (Index q = 0; q < 20; ++q) {
    EXPECT_NEAR(a(q, 0), b(q, 0), 1e-12);
  }
}

TEST(NadarayaWatson, BandsHoldNewObservations) {
  const auto model = fit_nadaraya_watson({}, waves(500, 1, 0.3, 21));
  const TrainingData fresh = waves(1000, 1, 0.3, 31);
  const Matrix<double> bands =
      model->quantiles(fresh.samples, std::vector<double>{0.05, 0.95}, PredictionOf::observation, {});
  const Matrix<double> y = fresh.targets.values();
  int inside = 0;
  for (Index i = 0; i < 1000; ++i) {
    inside += y(i, 0) > bands(i, 0) && y(i, 0) < bands(i, 1) ? 1 : 0;
  }
  EXPECT_NEAR(inside / 1000.0, 0.9, 0.04);
}

TEST(NadarayaWatson, ClassesAreShares) {
  const Matrix<double> x = random_matrix(300, 2, 41);
  std::vector<std::string> labels;
  for (Index i = 0; i < 300; ++i) {
    labels.push_back(x(i, 0) * x(i, 1) > 0 ? "same" : x(i, 0) > 0 ? "right" : "left");
  }
  const TrainingData data{make_dense(Matrix<double>::copy_of(x.view())), Targets::classes(labels)};
  const auto model = fit_nadaraya_watson_classifier({}, data);
  const Matrix<double> shares = model->probabilities(data.samples, {});
  const Matrix<double> predicted = model->predict(data.samples, {});
  int right = 0;
  for (Index i = 0; i < 300; ++i) {
    EXPECT_NEAR(shares(i, 0) + shares(i, 1) + shares(i, 2), 1, 1e-12);
    right += model->classes()[predicted(i, 0)] == labels[i] ? 1 : 0;
  }
  EXPECT_GT(right, 280);
}

TEST(NadarayaWatson, OneClassIsEnough) {
  const Samples x = random_samples(6, 2, 31);
  const auto model = fit_nadaraya_watson_classifier({}, {x, Targets::classes(std::vector<std::string>(6, "only"))});
  const auto again = nadaraya_watson_classifier_entry().load(state_of(*model), {});
  EXPECT_EQ(again->probabilities(x, {})(5, 0), 1);
  ModelState none = state_of(*model);
  none.head.classes.clear();
  EXPECT_ERROR(nadaraya_watson_classifier_entry().load(std::move(none), {}), DataError,
               "a stored nwc model with no classes");
}

TEST(NadarayaWatson, StatesThatAreNoneAreRefused) {
  const auto model = fit_nadaraya_watson({}, waves(20, 2, 0.1, 3));
  const auto refused = [&](const char* name, double value, const char* words) {
    ModelState state = state_of(*model);
    state.parts.numbers.at(name)(0, 0) = value;
    EXPECT_ERROR(nadaraya_watson_entry().load(std::move(state), {}), DataError, words) << name;
  };
  refused("weights", 0, "'weights' holds 0");
  refused("bandwidths", -1, "'bandwidths' holds -1");
  refused("squared_residuals", -1, "'squared_residuals' holds -1");
  refused("points", std::nan(""), "'points' holds a number that is not finite");
  ModelState empty = state_of(*model);
  empty.parts.numbers["points"] = Matrix<double>(0, 2);
  EXPECT_ERROR(nadaraya_watson_entry().load(std::move(empty), {}), DataError, "a stored nw model with no points");
}

TEST(NadarayaWatson, KeepsItsTrainingPoints) {
  const TrainingData data = waves(20, 2, 0.1, 3);
  const auto points = offered<TrainingPoints>(*fit_nadaraya_watson({}, data))->training_points();
  EXPECT_TRUE(same_bits(points, random_matrix(20, 2, 3)));
}

TEST(NadarayaWatson, DegenerateDataAndBadOptions) {
  const TrainingData one = waves(1, 2, 0, 51);
  const auto model = fit_nadaraya_watson({}, one);
  EXPECT_NEAR(model->predict(random_samples(3, 2, 52), {})(1, 0), one.targets.values()(0, 0), 1e-12);
  const TrainingData same{make_dense(Matrix<double>::filled(5, 1, 2.0)), waves(5, 1, 1, 53).targets};
  EXPECT_TRUE(std::isfinite(fit_nadaraya_watson({}, same)->predict(same.samples, {})(0, 0)));
  NadarayaWatsonOptions options;
  const auto read = [&](const char* option, const char* text) {
    apply_settings<NadarayaWatsonOptions>("nwc", nadaraya_watson_option_table(),
                                          std::vector<OptionSetting>{{option, text}}, options);
  };
  for (const char* text : {"", "wide", "-1", "0", "1,x", "inf"}) {
    EXPECT_ERROR(read("bandwidth", text), InvalidArgument, "nwc: bandwidth = " + std::string(text)) << text;
  }
  EXPECT_ERROR(read("shape", "round"), InvalidArgument, "nwc: shape = round: must be one of gaussian");
  EXPECT_ERROR(fit_nadaraya_watson({.bandwidth = -1}, one), InvalidArgument, "bandwidth = -1");
  read("bandwidth", "1, 2,3");
  EXPECT_EQ(options.bandwidth.text(), "1, 2,3");
  EXPECT_ERROR(fit_nadaraya_watson(options, waves(10, 2, 0, 54)), InvalidArgument, "nw: 3 bandwidths for 2 columns");
}

}  // namespace
}  // namespace mercer
