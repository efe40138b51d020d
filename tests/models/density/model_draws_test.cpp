#include "mercer/models/density/model_draws.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/models/density/density_units.h"
#include "mercer/models/density/histogram.h"
#include "mercer/models/density/kde.h"
#include "mercer/models/density/knn_density.h"
#include "smoothing/density_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::normal_points;

// A model of samples that were scaled, as the program stores it.
template <class Fit>
StoredModel stored_model(const Samples& samples, Fit fit) {
  Scaling scaling = fit_scaling(parse_scaling("standard"), samples);
  return {.model = fit(TrainingData{scaling.apply(samples), {}}),
          .preparation = {.schema = schema_of(samples), .scaling = scaling}};
}

KdeOptions with_bandwidth(const DensityBandwidth& bandwidth) {
  KdeOptions options;
  options.bandwidth = bandwidth;
  return options;
}

Samples shifted_samples() {
  Matrix<double> points = normal_points(60, 2, 4);
  for (Index i = 0; i < points.rows(); ++i) {
    points(i, 0) = 100 + 20 * points(i, 0);
    points(i, 1) = 0.01 * (points(i, 1) + points(i, 0) / 20);
  }
  return make_dense(std::move(points));
}

double column_mean(const Matrix<double>& rows, Index column) {
  double sum = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    sum += rows(i, column);
  }
  return sum / static_cast<double>(rows.rows());
}

TEST(ModelDrawsTest, AreInTheUnitsOfTheFile) {
  const Samples samples = shifted_samples();
  const auto& rows = samples.as<DenseRows<double>>();
  double means[] = {0, 0};
  for (Index i = 0; i < 60; ++i) {
    means[0] += rows(i, 0) / 60;
    means[1] += rows(i, 1) / 60;
  }
  const StoredModel kde =
      stored_model(samples, [](const TrainingData& data) { return fit_kde(with_bandwidth(0.2), data); });
  const StoredModel histogram =
      stored_model(samples, [](const TrainingData& data) { return fit_histogram({.bins = 12}, data); });
  for (const StoredModel* stored : {&kde, &histogram}) {
    EXPECT_TRUE(has_draws(*stored->model));
    const Matrix<double> draws = draw_samples(*stored, {}, 5000, mercer::Run{});
    EXPECT_NEAR(column_mean(draws, 0), means[0], 2.5);
    EXPECT_NEAR(column_mean(draws, 1), means[1], 2e-3);
    // Where the first column is large, so is the second.
    const Matrix<double> right = draw_samples(*stored, {{0}, {117.0}}, 2000, mercer::Run{});
    EXPECT_EQ(right(5, 0), 117.0);
    EXPECT_GT(column_mean(right, 1), means[1] + 3e-3);
  }
  // The weights of the mixture, in units of the file.
  double weights = 0;
  double mean = 0;
  double spread = 0;
  for (Index i = 0; i < 60; ++i) {
    spread += (rows(i, 0) - means[0]) * (rows(i, 0) - means[0]) / 60;
  }
  for (Index i = 0; i < 60; ++i) {
    const double u = (117 - rows(i, 0)) / (0.2 * std::sqrt(spread));
    weights += std::exp(-u * u / 2);
    mean += std::exp(-u * u / 2) * rows(i, 1);
  }
  EXPECT_NEAR(column_mean(draw_samples(kde, {{0}, {117.0}}, 20000, mercer::Run{}), 1), mean / weights, 5e-4);
}

TEST(ModelDrawsTest, WhatCannotBeDrawnFromSaysSo) {
  const StoredModel neighbors =
      stored_model(shifted_samples(), [](const TrainingData& data) { return fit_knn_density({}, data); });
  EXPECT_FALSE(has_draws(*neighbors.model));
  EXPECT_ERROR(draw_samples(neighbors, {}, 1, mercer::Run{}), InvalidArgument,
               "a model knndensity is nothing to draw samples from");
  const StoredModel kde = stored_model(shifted_samples(), [](const TrainingData& data) { return fit_kde({}, data); });
  EXPECT_ERROR(draw_samples(kde, {}, -1, mercer::Run{}), InvalidArgument, "count = -1");
  EXPECT_ERROR(draw_samples(kde, {{2}, {0.0}}, 1, mercer::Run{}), InvalidArgument,
               "there is no column 2 among the 2 of the model");
  EXPECT_ERROR(draw_samples(kde, {{0}, {}}, 1, mercer::Run{}), InvalidArgument, "0 values for 1 columns that are held");
}

TEST(KdeBandwidthTest, AMatrixIsTakenByRows) {
  const Samples samples = make_dense(normal_points(30, 2, 5));
  const auto model = fit_kde(with_bandwidth(DensityBandwidth::parse("4, 1; 1, 9")), {samples, {}});
  Matrix<double> h(2, 2);
  h(0, 0) = 4;
  h(0, 1) = h(1, 0) = 1;
  h(1, 1) = 9;
  const Bandwidth wanted = Bandwidth::full(h.view());
  for (Index i = 0; i < 2; ++i) {
    for (Index j = 0; j < 2; ++j) {
      EXPECT_EQ(model->density().parts().bandwidth.factor()(i, j), wanted.factor()(i, j));
    }
  }
  EXPECT_EQ(DensityBandwidth(DensityBandwidth::SquaredWidths{{4, 1}, {1, 9}}).text(), "4,1;1,9");
  for (const char* wrong : {"4,1;1", "4,x;1,9", "4,1;1,9;2,2", ";", "4,1;1,inf"}) {
    EXPECT_ERROR(DensityBandwidth::parse(wrong), InvalidArgument, "must be a square matrix of numbers") << wrong;
  }
  EXPECT_ERROR(DensityBandwidth::parse("4,1;2,9"), InvalidArgument, "bandwidth = 4,1;2,9: must be a symmetric matrix");
  EXPECT_ERROR(fit_kde(with_bandwidth(DensityBandwidth::parse("4,1,1;1,9,1;1,1,8")), {samples, {}}), InvalidArgument,
               "a row and a column for each of the 2 columns");
  EXPECT_ERROR(fit_kde(with_bandwidth(DensityBandwidth::parse("1,2;2,1")), {samples, {}}), NumericalError,
               "the bandwidth matrix is not positive definite");
}

// A column of one value is no part of the density, but of the rows that are drawn.
TEST(ModelDrawsTest, ColumnsOfOneValueKeepIt) {
  const Samples samples = shifted_samples();
  const auto& rows = samples.as<DenseRows<double>>();
  Matrix<double> wide(60, 3);
  for (Index i = 0; i < 60; ++i) {
    wide(i, 0) = rows(i, 0);
    wide(i, 1) = 0.3;
    wide(i, 2) = rows(i, 1);
  }
  const auto fit = [](const TrainingData& data) { return fit_kde(with_bandwidth(BandwidthRule::silverman), data); };
  const StoredModel model = stored_model(make_dense(std::move(wide)), fit);
  const StoredModel alone = stored_model(samples, fit);
  const Matrix<double> drawn = draw_samples(model, {{2}, {0.01}}, 50, mercer::Run{{.seed = 7}});
  const Matrix<double> others = draw_samples(alone, {{1}, {0.01}}, 50, mercer::Run{{.seed = 7}});
  for (Index i = 0; i < 50; ++i) {
    EXPECT_EQ(drawn(i, 0), others(i, 0));
    EXPECT_EQ(drawn(i, 1), 0.3);
    EXPECT_EQ(drawn(i, 2), 0.01);
  }
  EXPECT_ERROR(draw_samples(model, {{1}, {0.3}}, 5, {}), InvalidArgument, "one value in all rows");
  EXPECT_NEAR(log_density_factor(model), log_density_factor(alone), 1e-12);
}

}  // namespace
}  // namespace mercer
