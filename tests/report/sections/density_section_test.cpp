// Densities, features and clusters in reports, against sums and integrals written out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "mercer/report/make_report.h"
#include "mercer/report/sections/clusters_section.h"
#include "mercer/report/sections/density_map.h"
#include "mercer/report/sections/density_scores.h"
#include "mercer/report/sections/density_section.h"
#include "mercer/report/sections/features_section.h"
#include "mercer/report/sections/support_vectors.h"
#include "report/report_problem.h"

namespace mercer {
namespace {

using testing::report_problem;
using testing::ReportProblem;

double trapezoid(const std::vector<double>& x, const std::vector<double>& y) {
  double area = 0;
  for (std::size_t k = 1; k < x.size(); ++k) {
    area += (x[k] - x[k - 1]) * (y[k] + y[k - 1]) / 2;
  }
  return area;
}

TEST(DensitySection, CurvesHoldAllOfTheProbability) {
  for (const char* name : {"kde", "histogram"}) {
    for (const Index columns : {1, 3}) {
      const ReportProblem problem = report_problem(name, 200, columns, 2);
      const ReportInput input = problem.input(DataPart::training);
      const Report report = make_report(input, {});
      ASSERT_TRUE(report.density);
      ASSERT_EQ(report.density->curves.size(), static_cast<std::size_t>(columns));
      for (const DensityCurve& curve : report.density->curves) {
        EXPECT_NEAR(trapezoid(curve.x, curve.density), 1, 5e-3) << name;
        double bars = 0;
        for (std::size_t b = 0; b < curve.heights.size(); ++b) {
          bars += curve.heights[b] * (curve.edges[b + 1] - curve.edges[b]);
        }
        EXPECT_NEAR(bars, 1, 1e-12);
        EXPECT_EQ(curve.rug.size(), 200U);
      }
    }
  }
}

// A marginal of a product of normal kernels is the mean of one-dimensional ones.
TEST(DensitySection, MarginalsOfAKernelDensityAreMeansOfKernels) {
  const ReportProblem problem = report_problem("kde", 80, 2, 2, {{"bandwidth", "0.5,0.25"}});
  const Report report = make_report(problem.input(DataPart::test), {});
  for (const Index j : {0, 1}) {
    const DensityCurve& curve = report.density->curves[j];
    const double h = j == 0 ? 0.5 : 0.25;
    for (std::size_t k = 0; k < curve.x.size(); k += 37) {
      double sum = 0;
      for (Index i = 0; i < 80; ++i) {
        const double z = (curve.x[k] - std::get<1>(problem.training.samples.rows())(i, j)) / h;
        sum += std::exp(-z * z / 2) / (80 * h * std::sqrt(2 * std::numbers::pi));
      }
      EXPECT_NEAR(curve.density[k], sum, 1e-12);
    }
  }
}

TEST(DensitySection, CumulativeIsTheIntegralOfTheDensity) {
  const ReportProblem problem = report_problem("kde", 60, 1, 2);
  const Report report = make_report(problem.input(DataPart::test), {});
  const DensityCurve& curve = report.density->curves.front();
  ASSERT_EQ(curve.cumulative.size(), curve.x.size());
  double area = curve.cumulative.front();
  for (std::size_t k = 1; k < curve.x.size(); ++k) {
    area += (curve.x[k] - curve.x[k - 1]) * (curve.density[k] + curve.density[k - 1]) / 2;
    EXPECT_NEAR(curve.cumulative[k], area, 1e-4);
  }
}

// The same rows in other units: a density per centimetre is a hundredth of one per metre.
TEST(DensitySection, IsInTheUnitsOfTheFile) {
  for (const char* name : {"kde", "histogram", "knndensity"}) {
    for (const Index columns : {1, 2}) {
      ReportProblem problem = report_problem(name, 60, columns, 2);
      const Report plain = make_report(problem.input(DataPart::training), {});
      problem.stored.preparation.scaling.rule.kind = ScalingKind::standard;
      problem.stored.preparation.scaling.offset.assign(columns, 3.0);
      problem.stored.preparation.scaling.factor.assign(columns, 0.01);
      const Report scaled = make_report(problem.input(DataPart::training), {});
      const double shift = static_cast<double>(columns) * std::log(0.01);
      EXPECT_NEAR(scaled.metrics.front().metric.value, plain.metrics.front().metric.value + shift, 1e-9);
      EXPECT_NEAR(scaled.metrics.front().metric.baseline, plain.metrics.front().metric.baseline + shift, 1e-9);
      for (std::size_t j = 0; j < plain.density->curves.size(); ++j) {
        const DensityCurve& a = plain.density->curves[j];
        const DensityCurve& b = scaled.density->curves[j];
        EXPECT_NEAR(b.x[7], 100 * a.x[7] + 3, 1e-9);
        EXPECT_NEAR(b.density[7], a.density[7] / 100, 1e-9 * (1 + a.density[7]));
      }
      if (columns == 2) {
        EXPECT_NEAR(scaled.regions->value(50, 50), plain.regions->value(50, 50) * 1e-4, 1e-12);
      }
    }
  }
}

TEST(DensityMap, LinesHoldTheirShareOfTheRows) {
  const ReportProblem problem = report_problem("kde", 100, 2, 2);
  const Report report = make_report(problem.input(DataPart::training), {});
  ASSERT_TRUE(report.regions);
  ASSERT_EQ(report.regions->levels.size(), 4U);
  for (const DensityLevel& level : report.regions->levels) {
    const auto inside = std::ranges::count_if(report.regions->points.values,
                                              [&](double value) { return std::exp(value) >= level.level; });
    EXPECT_EQ(inside, std::lround(100 * level.share));
  }
  EXPECT_TRUE(density_levels({}).empty());
  EXPECT_TRUE(density_levels({0, 0}).empty());
  EXPECT_EQ(density_levels({std::numeric_limits<double>::infinity(), 2}).front().level, 2);
}

// With chosen axes a kernel density is summed over the others: its integral over the plane is 1 up to the tails.
TEST(DensityMap, OfChosenColumnsIsTheMarginal) {
  const ReportProblem problem = report_problem("kde", 60, 3, 2, {{"bandwidth", "0.2"}});
  ReportInput input = problem.input(DataPart::training);
  input.axes = {"0", "2"};
  const Report report = make_report(input, {});
  const RegionsSection& map = *report.regions;
  double sum = 0;
  for (Index k = 0; k < map.value.rows() * map.value.columns(); ++k) {
    sum += map.value.data()[k];
  }
  EXPECT_NEAR(sum * (map.x[1] - map.x[0]) * (map.y[1] - map.y[0]), 1, 0.01);
}

TEST(DensityScores, MeanBesideOneNormalDistribution) {
  const ReportProblem problem = report_problem("kde", 60, 1, 2);
  const ReportInput input = problem.input(DataPart::test);
  const Matrix<double> values = problem.stored.model->predict(problem.test.samples, {});
  double mean = 0;
  for (Index i = 0; i < 40; ++i) {
    mean += values(i, 0) / 40;
  }
  const auto& known = std::get<1>(problem.training.samples.rows());
  const auto& asked = std::get<1>(problem.test.samples.rows());
  double center = 0;
  double variance = 0;
  for (Index i = 0; i < 60; ++i) {
    center += known(i, 0) / 60;
  }
  for (Index i = 0; i < 60; ++i) {
    variance += std::pow(known(i, 0) - center, 2) / 60;
  }
  double normal = 0;
  for (Index i = 0; i < 40; ++i) {
    normal -= (std::log(2 * std::numbers::pi * variance) + std::pow(asked(i, 0) - center, 2) / variance) / 80;
  }
  const Report report = make_report(input, {});
  ASSERT_EQ(report.metrics.size(), 1U);
  EXPECT_EQ(report.metrics.front().metric.name, "mean log-density");
  EXPECT_NEAR(report.metrics.front().metric.value, mean, 1e-12);
  EXPECT_NEAR(report.metrics.front().metric.baseline, normal, 1e-10);
  ASSERT_EQ(report.baselines.size(), 1U);
  // A constant column has no normal density.
  const Samples flat = make_dense(Matrix<double>::filled(9, 1, 2.5));
  EXPECT_TRUE(std::isnan(normal_log_density(flat, flat, {})));
  // Neither have two columns of which one is twice the other.
  Matrix<double> line(60, 2);
  for (Index i = 0; i < 60; ++i) {
    line(i, 0) = known(i, 0);
    line(i, 1) = 2 * known(i, 0) + 0.1;
  }
  const Samples aligned = make_dense(std::move(line));
  EXPECT_TRUE(std::isnan(normal_log_density(aligned, aligned, {})));
}

// Refits without each row.
TEST(DensityScores, LeaveOneOutOnTheRowsOfTheFit) {
  const ReportProblem problem = report_problem("kde", 25, 2, 2, {{"bandwidth", "0.6"}});
  const Report report = make_report(problem.input(DataPart::training), {});
  ASSERT_EQ(report.metrics.size(), 2U);
  EXPECT_EQ(report.metrics[1].metric.name, "leave-one-out log-density");
  double mean = 0;
  for (Index i = 0; i < 25; ++i) {
    std::vector<Index> others;
    for (Index k = 0; k < 25; ++k) {
      if (k != i) {
        others.push_back(k);
      }
    }
    const std::vector<OptionSetting> settings = {{"bandwidth", "0.6"}};
    const auto model = find_model("kde").fit({}, settings, {problem.training.samples.select(others), Targets()}, {});
    const std::vector<Index> own = {i};
    mean += model->predict(problem.training.samples.select(own), {})(0, 0) / 25;
  }
  EXPECT_NEAR(report.metrics[1].metric.value, mean, 1e-9);
}

// Rows outside the bins are impossible to a histogram: counted, warned of, and not averaged.
TEST(DensityScores, RowsWithoutDensityAreCounted) {
  const ReportProblem problem = report_problem("histogram", 50, 1, 2);
  ReportInput input = problem.input(DataPart::test);
  Matrix<double> rows(4, 1);
  for (Index i = 0; i < 3; ++i) {
    rows(i, 0) = std::get<1>(problem.training.samples.rows())(i, 0);
  }
  rows(3, 0) = 1e6;
  input.samples = make_dense(std::move(rows));
  input.targets.reset();
  const Report report = make_report(input, {});
  EXPECT_EQ(report.density->zero, 1);
  ASSERT_EQ(report.metrics.size(), 2U);
  EXPECT_EQ(report.metrics[0].metric.name, "mean log-density where finite");
  EXPECT_TRUE(std::isnan(report.metrics[0].metric.baseline));
  EXPECT_DOUBLE_EQ(report.metrics[1].metric.value, 0.25);
  EXPECT_TRUE(std::ranges::any_of(
      report.warnings, [](const std::string& text) { return text.find("impossible") != std::string::npos; }));
}

TEST(FeaturesSection, PointsAreTheFirstTwoComponents) {
  const ReportProblem problem = report_problem("kpca", 40, 2, 3, {{"components", "5"}});
  const ReportInput input = problem.input(DataPart::test);
  const Report report = make_report(input, {});
  const FeaturesSection& section = *report.features;
  const Matrix<double> features = problem.stored.model->predict(problem.test.samples, {});
  ASSERT_EQ(section.components.size(), 5U);
  double shares = 0;
  for (const FeatureComponent& component : section.components) {
    EXPECT_GT(component.share, 0);
    shares += component.share;
  }
  EXPECT_LT(shares, 1 + 1e-9);
  for (Index i = 0; i < 40; ++i) {
    EXPECT_EQ(section.points.x[i], features(i, 0));
    EXPECT_EQ(section.points.y[i], features(i, 1));
  }
  EXPECT_EQ(section.target, "kind");
  EXPECT_EQ(section.points.classes.size(), 40U);
  EXPECT_EQ(section.maps.size(), 4U);
  // A node of a map is the feature of that point.
  const Samples node = make_dense(std::vector<double>{section.map_x[7], section.map_y[11]}, 1, 2);
  EXPECT_NEAR(section.maps[2].value(11, 7), problem.stored.model->predict(node, {})(0, 2), 1e-6);
}

TEST(FeaturesSection, OneComponentIsAHistogram) {
  const ReportProblem problem = report_problem("kpca", 40, 3, 3, {{"components", "1"}});
  const Report report = make_report(problem.input(DataPart::test), {});
  ASSERT_TRUE(report.features->histogram);
  EXPECT_TRUE(report.features->points.x.empty());
  EXPECT_TRUE(report.features->maps.empty());
  Index rows = 0;
  for (const std::vector<Index>& counts : report.features->histogram->counts) {
    for (const Index count : counts) {
      rows += count;
    }
  }
  EXPECT_EQ(rows, 40);
}

TEST(ClustersSection, SizesSpreadsAndLabels) {
  for (const char* name : {"kmeans", "kmedoids", "spectral"}) {
    const ReportProblem problem = report_problem(name, 50, 2, 3, {{"clusters", "4"}});
    const Report report = make_report(problem.input(DataPart::training), {});
    const ClustersSection& section = *report.clusters;
    const Matrix<double> clusters = problem.stored.model->predict(problem.training.samples, {});
    const Matrix<double> distances = problem.stored.model->decide(problem.training.samples, {});
    const std::vector<std::int32_t> labels = problem.training.targets.labels(0).codes;
    ASSERT_EQ(section.sizes.size(), 4U);
    for (Index c = 0; c < 4; ++c) {
      Index size = 0;
      double spread = 0;
      std::vector<Index> counts(3);
      for (Index i = 0; i < 50; ++i) {
        if (static_cast<Index>(clusters(i, 0)) == c) {
          ++size;
          spread += distances(i, c);
          ++counts[labels[i]];
        }
      }
      EXPECT_EQ(section.sizes[c], size);
      EXPECT_NEAR(section.spreads[c], spread / static_cast<double>(size), 1e-9);
      for (Index l = 0; l < 3; ++l) {
        EXPECT_EQ(section.by_label(c, l), counts[l]);
      }
    }
    EXPECT_EQ(report.regions->classes.size(), 4U);
    EXPECT_TRUE(report.warnings.empty()) << name;
  }
}

// Smoothers: the function is surer than an observation, and the rows of the fit are recognised.
TEST(FittedCurve, HasABandForTheFunction) {
  for (const char* name : {"loess", "nw", "gp"}) {
    const ReportProblem problem = report_problem(name, 60, 1, 2);
    const Report report = make_report(problem.input(DataPart::test), {});
    const FittedCurve& curve = *report.regression->curve;
    ASSERT_EQ(curve.mean_lower.size(), curve.x.size()) << name;
    for (std::size_t k = 0; k < curve.x.size(); ++k) {
      EXPECT_LE(curve.lower[k], curve.mean_lower[k]) << name;
      EXPECT_LE(curve.mean_lower[k], curve.mean[k]) << name;
      EXPECT_LE(curve.mean[k], curve.mean_upper[k]) << name;
      EXPECT_LE(curve.mean_upper[k], curve.upper[k]) << name;
    }
  }
}

TEST(TrainingRows, OfWindowsAreRecognized) {
  for (const char* name : {"kde", "knndensity", "nw", "loess"}) {
    const ReportProblem problem = report_problem(name, 60, 2, 2);
    EXPECT_EQ(match_training_rows(*problem.stored.model, problem.training.samples), RowMatch::equal) << name;
    EXPECT_EQ(match_training_rows(*problem.stored.model, problem.test.samples), RowMatch::unknown) << name;
  }
}

}  // namespace
}  // namespace mercer
