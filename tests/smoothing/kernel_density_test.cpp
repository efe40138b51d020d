#include "mercer/smoothing/kernel_density.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/smoothing/bandwidth_rules.h"
#include "smoothing/density_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::normal_points;
using testing::positive_values;
using testing::sine_points;

KernelDensity density_of(SmoothingShape shape, Matrix<double> points, Bandwidth bandwidth,
                         std::vector<double> weights = {}, std::vector<double> scales = {},
                         std::vector<AxisBounds> bounds = {}) {
  return KernelDensity({.shape = shape,
                        .points = std::move(points),
                        .weights = std::move(weights),
                        .scales = std::move(scales),
                        .bandwidth = std::move(bandwidth),
                        .bounds = std::move(bounds)});
}

Bandwidth bandwidth_of(BandwidthForm form, Index d) {
  if (form == BandwidthForm::scalar) {
    return Bandwidth::scalar(0.5, d);
  }
  if (form == BandwidthForm::diagonal) {
    std::vector<double> widths = {0.4, 0.6, 0.5};
    widths.resize(d);
    return Bandwidth::diagonal(widths);
  }
  Matrix<double> h = Matrix<double>::filled(d, d, 0.08);
  for (Index j = 0; j < d; ++j) {
    h(j, j) = 0.2 + 0.05 * static_cast<double>(j);
  }
  return Bandwidth::full(h.view());
}

// ∫ p over a box by midpoints.
double integral(const KernelDensity& density, double low, double high, Index steps) {
  const Index d = density.dimension();
  Index nodes = 1;
  for (Index j = 0; j < d; ++j) {
    nodes *= steps;
  }
  Matrix<double> x(nodes, d);
  const double step = (high - low) / static_cast<double>(steps);
  for (Index k = 0; k < nodes; ++k) {
    Index rest = k;
    for (Index j = 0; j < d; ++j) {
      x(k, j) = low + step * (static_cast<double>(rest % steps) + 0.5);
      rest /= steps;
    }
  }
  double sum = 0;
  for (const double value : density.log_density(x.view(), {})) {
    sum += std::exp(value);
  }
  return sum * std::pow(step, static_cast<double>(d));
}

class EveryDensity : public ::testing::TestWithParam<SmoothingShape> {};

TEST_P(EveryDensity, IntegratesToOneForEveryFormOfBandwidth) {
  const bool sharp = GetParam() == SmoothingShape::boxcar;
  const bool heavy = GetParam() == SmoothingShape::exponential;
  const bool bounded = !std::isinf(SmoothingKernel(GetParam(), 1).support());
  const Index steps[] = {4000, 200, 40};
  const double bounds[] = {sharp ? 2e-3 : 1e-4, sharp ? 1e-2 : 1e-3, sharp ? 2e-2 : heavy ? 2e-2 : 2e-3};
  for (Index d = 1; d <= 3; ++d) {
    const double end = heavy ? (d == 3 ? 7.0 : 12.0) : 4.5;
    for (const BandwidthForm form : {BandwidthForm::scalar, BandwidthForm::diagonal, BandwidthForm::full}) {
      // Bounded kernels wide enough for the grid.
      const Bandwidth bandwidth = bandwidth_of(form, d).scaled(bounded ? 3 : 1);
      EXPECT_NEAR(
          integral(density_of(GetParam(), sine_points(4, d), bandwidth, {1, 2, 0.5, 1}), -end, end, steps[d - 1]), 1,
          bounds[d - 1])
          << d << word_of(form);
    }
    const Bandwidth scalar = Bandwidth::scalar(bounded ? 1.5 : 0.5, d);
    const std::vector<double> scales = {0.9, 1.1, 1.2, 1};
    EXPECT_NEAR(integral(density_of(GetParam(), sine_points(4, d), scalar, {}, scales), -end, end, steps[d - 1]), 1,
                2 * bounds[d - 1])
        << d;
  }
}

TEST_P(EveryDensity, ReflectsAndGoesAround) {
  AxisBounds half;
  half.lower = -1.2;
  AxisBounds interval;
  interval.lower = -1.2;
  interval.upper = 1.4;
  AxisBounds circle;
  circle.period = 2;
  for (const double width : {0.2, 1.5}) {  // narrower and wider than the axis
    const Bandwidth bandwidth = Bandwidth::scalar(width, 1);
    const double tolerance = GetParam() == SmoothingShape::boxcar ? 3e-3 : 2e-4;
    EXPECT_NEAR(integral(density_of(GetParam(), sine_points(9, 1), bandwidth, {}, {}, {interval}), -1.2, 1.4, 4000), 1,
                tolerance);
    EXPECT_NEAR(integral(density_of(GetParam(), sine_points(9, 1), bandwidth, {}, {}, {circle}), 0, 2, 4000), 1,
                tolerance);
    EXPECT_NEAR(integral(density_of(GetParam(), sine_points(9, 1), bandwidth, {}, {}, {half}), -1.2, 60, 60000), 1,
                tolerance);
  }
  // By the images themselves.
  const KernelDensity wrapped = density_of(GetParam(), sine_points(9, 1), Bandwidth::scalar(1.5, 1), {}, {}, {circle});
  const KernelDensity mirrored =
      density_of(GetParam(), sine_points(9, 1), Bandwidth::scalar(1.5, 1), {}, {}, {interval});
  const SmoothingKernel kernel(GetParam(), 1);
  const Matrix<double> points = sine_points(9, 1);
  for (const double x : {0.03, 0.6, 1.35}) {
    double around = 0;
    double mirror = 0;
    for (Index i = 0; i < 9; ++i) {
      for (int k = -60; k <= 60; ++k) {
        const double u = (x - points(i, 0) + 2 * k) / 1.5;
        const double v = (x - points(i, 0) + 5.2 * k) / 1.5;
        const double w = (x + points(i, 0) + 2.4 + 5.2 * k) / 1.5;
        around += kernel.value(u * u) / (9 * 1.5);
        mirror += (kernel.value(v * v) + kernel.value(w * w)) / (9 * 1.5);
      }
    }
    Matrix<double> at(1, 1);
    at(0, 0) = x;
    EXPECT_NEAR(wrapped.log_density(at.view(), {})[0], std::log(around), 1e-12);
    EXPECT_NEAR(mirrored.log_density(at.view(), {})[0], std::log(mirror), 1e-12);
    at(0, 0) = x - 14;  // seven times around
    EXPECT_NEAR(wrapped.log_density(at.view(), {})[0], std::log(around), 1e-11);
    EXPECT_EQ(mirrored.log_density(at.view(), {})[0], -std::numeric_limits<double>::infinity());
  }
}

TEST_P(EveryDensity, MarginalsAreIntegralsAndConditionalsAreRatios) {
  const KernelDensity density =
      density_of(GetParam(), sine_points(6, 2), bandwidth_of(BandwidthForm::diagonal, 2), {1, 2, 1, 3, 1, 1});
  Matrix<double> at(1, 1);
  const Index first[] = {0};
  for (const double x : {-0.3, 0.4}) {
    at(0, 0) = x;
    const double end = GetParam() == SmoothingShape::exponential ? 14 : 5;
    const int steps = 4000;
    Matrix<double> line(steps, 2);
    for (int k = 0; k < steps; ++k) {
      line(k, 0) = x;
      line(k, 1) = -end + 2 * end * (k + 0.5) / steps;
    }
    double sum = 0;
    for (const double value : density.log_density(line.view(), {})) {
      sum += std::exp(value) * 2 * end / steps;
    }
    const double marginal = density.marginal_log_density(first, at.view(), {})[0];
    EXPECT_NEAR(std::exp(marginal), sum, 3e-3 * sum);
    const std::vector<double> conditional = density.conditional_log_density(first, line.view(), {});
    const std::vector<double> joint = density.log_density(line.view(), {});
    double total = 0;
    for (std::size_t k = 0; k < joint.size(); ++k) {
      total += std::exp(conditional[k]) * 2 * end / steps;
      if (!std::isinf(joint[k])) {
        EXPECT_NEAR(conditional[k], joint[k] - marginal, 1e-12 * (1 + std::abs(joint[k])));
      }
    }
    EXPECT_NEAR(total, 1, 3e-3);
  }
}

TEST_P(EveryDensity, TheDistributionFunctionIsTheIntegral) {
  AxisBounds interval;
  interval.lower = -1.2;
  interval.upper = 1.4;
  for (const bool bounded : {false, true}) {
    const KernelDensity density =
        density_of(GetParam(), sine_points(30, 1), Bandwidth::scalar(0.4, 1), positive_values(30, 3),
                   positive_values(30, 4), bounded ? std::vector<AxisBounds>{interval} : std::vector<AxisBounds>{});
    const std::vector<double> ends = {-1.1, -0.2, 0.5, 1.3};
    const std::vector<double> values = density.cumulative(ends, {});
    for (std::size_t k = 1; k < ends.size(); ++k) {
      EXPECT_NEAR(values[k] - values[k - 1], integral(density, ends[k - 1], ends[k], 2000), 1e-3);
    }
    const std::vector<double> far = density.cumulative(std::vector<double>{-1e6, 1e6}, {});
    EXPECT_NEAR(far[0], 0, 1e-12);
    EXPECT_NEAR(far[1], 1, 1e-12);
  }
}

TEST_P(EveryDensity, DrawsFollowTheDensity) {
  const KernelDensity density =
      density_of(GetParam(), sine_points(5, 1), Bandwidth::scalar(0.4, 1), {1, 1, 5, 1, 0.1}, {1, 0.5, 1, 2, 1});
  const Matrix<double> draws = density.draw(20000, mercer::Run{{.seed = 5}});
  const std::vector<double> ends = {-0.6, 0.2, 0.9};
  const std::vector<double> cumulative = density.cumulative(ends, {});
  for (std::size_t k = 0; k < ends.size(); ++k) {
    Index below = 0;
    for (Index i = 0; i < draws.rows(); ++i) {
      below += draws(i, 0) <= ends[k] ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(below) / 20000, cumulative[k], 0.016);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, EveryDensity, ::testing::ValuesIn(radial_shapes),
                         [](const auto& tested) { return std::string(word_of(tested.param)); });

// scikit-learn 1.9, KernelDensity(bandwidth=0.7) in one and 1.3 in three dimensions, score_samples.
TEST(KernelDensityTest, ScikitLearnsValues) {
  struct Reference {
    SmoothingShape shape;
    double one[4];
    double three[3];
  };
  const Reference references[] = {
      {SmoothingShape::gaussian,
       {-2.0200928573677643, -1.0051043276823108, -1.0350411578753862, -1.4093309222668498},
       {-3.982318346579035, -4.379618432234221, -4.1061667037713185}},
      {SmoothingShape::epanechnikov,
       {-2.7127403279518085, -0.8649702439331133, -0.9025321825213046, -1.2102064401825974},
       {-2.684106649586131, -4.290805511815879, -2.813307621616322}},
      {SmoothingShape::boxcar,
       {-2.2335922215070942, -0.9343092373768336, -0.889857474806, -1.460402333273613},
       {-2.7303303754696455, -4.5220898446977005, -3.3434348483560545}},
      {SmoothingShape::triangle,
       {-2.929335257392135, -0.9041441206686871, -0.9632776296321457, -1.1664103454025763},
       {-2.741370379247803, -4.243971504134269, -2.687598059829533}},
      {SmoothingShape::cosine,
       {-2.775951568746975, -0.8690737593954703, -0.915308911807525, -1.1916642223625313},
       {-2.703906607338455, -4.263252894719345, -2.765557659497305}},
      {SmoothingShape::exponential,
       {-2.082317404272205, -1.1207437829589355, -1.1569899086596362, -1.4156814282284027},
       {-4.912884533466978, -5.268254082025964, -4.967238442293352}},
  };
  Matrix<double> one(4, 1);
  const double places[] = {-1.5, -0.2, 0.4, 1.1};
  std::copy_n(places, 4, one.data());
  Matrix<double> three(3, 3);
  const double rows[] = {0.1, 0.2, 0.3, -1, 0.5, -0.4, 0.8, -0.2, 0.1};
  std::copy_n(rows, 9, three.data());
  for (const Reference& reference : references) {
    const auto a =
        density_of(reference.shape, sine_points(40, 1), Bandwidth::scalar(0.7, 1)).log_density(one.view(), {});
    const auto b =
        density_of(reference.shape, sine_points(40, 3), Bandwidth::scalar(1.3, 3)).log_density(three.view(), {});
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(a[k], reference.one[k], 1e-12) << word_of(reference.shape);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(b[k], reference.three[k], 1e-12) << word_of(reference.shape);
    }
  }
}

// scipy.stats.gaussian_kde 1.17, logpdf.
TEST(KernelDensityTest, ScipysValues) {
  Matrix<double> places(5, 1);
  const double values[] = {-1.5, -0.2, 0.4, 1.1, 3.0};
  std::copy_n(values, 5, places.data());
  std::vector<double> counts;
  for (Index i = 0; i < 40; ++i) {
    counts.push_back(static_cast<double>(1 + i % 3));
  }
  const double plain[] = {-2.619114939499027, -0.9061357399587213, -0.9640564775168042, -1.2234189885532785,
                          -14.598744462237821};
  const double weighted[] = {-2.882054575069956, -0.920971396617485, -1.0800033665979905, -1.1042124609493764,
                             -18.366879032222336};
  const auto rule = [](const Matrix<double>& x, const std::vector<double>& w, BandwidthForm form) {
    return choose_bandwidth(BandwidthRule::silverman, form, SmoothingShape::gaussian, x.view(), w, {}).bandwidth;
  };
  const Matrix<double> x = sine_points(40, 1);
  const auto a = density_of(SmoothingShape::gaussian, sine_points(40, 1), rule(x, {}, BandwidthForm::diagonal))
                     .log_density(places.view(), {});
  const auto b =
      density_of(SmoothingShape::gaussian, sine_points(40, 1), rule(x, counts, BandwidthForm::diagonal), counts)
          .log_density(places.view(), {});
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_NEAR(a[k], plain[k], 1e-12);
    EXPECT_NEAR(b[k], weighted[k], 1e-12);
  }
  Matrix<double> two(3, 2);
  const double rows[] = {0.1, 0.2, -1, 0.5, 2, -2};
  std::copy_n(rows, 6, two.data());
  const double full[] = {-2.6013465041311425, -2.316419217175482, -24.383470555789614};
  const auto c =
      density_of(SmoothingShape::gaussian, sine_points(40, 2), rule(sine_points(40, 2), {}, BandwidthForm::full))
          .log_density(two.view(), {});
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(c[k], full[k], 1e-12);
  }
}

// N = 1 is the kernel itself; the variance is that of the samples and the kernel's.
TEST(KernelDensityTest, OnePointIsTheKernel) {
  const KernelDensity density = density_of(SmoothingShape::gaussian, sine_points(1, 2), Bandwidth::scalar(2, 2));
  Matrix<double> x(1, 2);
  x(0, 0) = 1e5;
  x(0, 1) = -3;
  const Matrix<double> point = sine_points(1, 2);
  const double squared = std::pow((x(0, 0) - point(0, 0)) / 2, 2) + std::pow((x(0, 1) - point(0, 1)) / 2, 2);
  EXPECT_NEAR(density.log_density(x.view(), {})[0], -squared / 2 - std::log(2 * std::numbers::pi * 4), 1e-5);
}

TEST(KernelDensityTest, LeavingOutIsFittingWithout) {
  const std::vector<double> weights = {1, 3, 0.4, 1, 1, 2, 1, 1};
  for (const SmoothingShape shape : {SmoothingShape::gaussian, SmoothingShape::epanechnikov}) {
    const KernelDensity density = density_of(shape, sine_points(8, 2), Bandwidth::scalar(1.1, 2), weights);
    const std::vector<double> without = density.log_density_without_own({});
    for (Index i = 0; i < 8; ++i) {
      std::vector<double> values;
      std::vector<double> kept;
      for (Index j = 0; j < 8; ++j) {
        const double weight = weights[j] - (i == j ? 1 : 0);
        if (weight > 0) {
          values.insert(values.end(), {sine_points(8, 2)(j, 0), sine_points(8, 2)(j, 1)});
          kept.push_back(weight);
        }
      }
      Matrix<double> rest(static_cast<Index>(kept.size()), 2);
      std::copy(values.begin(), values.end(), rest.data());
      const Matrix<double> all = sine_points(8, 2);
      const double expected = density_of(shape, std::move(rest), Bandwidth::scalar(1.1, 2), kept)
                                  .log_density(all.view().row_block({i, i + 1}), {})[0];
      EXPECT_NEAR(without[i], expected, 1e-12) << i;
    }
  }
}

TEST(KernelDensityTest, AdaptiveScalesFollowAbramson) {
  const KernelDensity pilot = density_of(SmoothingShape::gaussian, sine_points(12, 1), Bandwidth::scalar(0.5, 1));
  const std::vector<double> scales = adaptive_scales(pilot, 0.5, {});
  const std::vector<double> density = pilot.log_density(sine_points(12, 1).view(), {});
  double product = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    product += std::log(scales[i]);
    EXPECT_NEAR(std::log(scales[i]) + density[i] / 2, std::log(scales[0]) + density[0] / 2, 1e-12);
  }
  EXPECT_NEAR(product, 0, 1e-12);
}

TEST(KernelDensityTest, MarginalsOfAFullBandwidthAndOfBoundedAxes) {
  const KernelDensity full =
      density_of(SmoothingShape::gaussian, sine_points(10, 3), bandwidth_of(BandwidthForm::full, 3));
  const Index axes[] = {2, 0};
  Matrix<double> at(1, 2);
  at(0, 0) = 0.3;
  at(0, 1) = -0.2;
  double sum = 0;
  Matrix<double> line(2000, 3);
  for (Index k = 0; k < 2000; ++k) {
    line(k, 0) = -0.2;
    line(k, 2) = 0.3;
    line(k, 1) = -5 + 0.005 * (static_cast<double>(k) + 0.5);
  }
  for (const double value : full.log_density(line.view(), {})) {
    sum += 0.005 * std::exp(value);
  }
  EXPECT_NEAR(std::exp(full.marginal_log_density(axes, at.view(), {})[0]), sum, 1e-9);

  std::vector<AxisBounds> bounds(2);
  bounds[0].lower = -2;
  bounds[0].upper = 2;
  bounds[1].period = 3;
  for (const SmoothingShape shape : {SmoothingShape::gaussian, SmoothingShape::cosine}) {
    const KernelDensity bounded =
        density_of(shape, sine_points(10, 2), Bandwidth::diagonal({0.8, 0.9}), {}, {}, bounds);
    const Index second[] = {1};
    Matrix<double> place(1, 1);
    place(0, 0) = -1.1;
    double mass = 0;
    Matrix<double> across(2000, 2);
    for (Index k = 0; k < 2000; ++k) {
      across(k, 0) = -2 + 0.002 * (static_cast<double>(k) + 0.5);
      across(k, 1) = -1.1;
    }
    for (const double value : bounded.log_density(across.view(), {})) {
      mass += 0.002 * std::exp(value);
    }
    EXPECT_NEAR(std::exp(bounded.marginal_log_density(second, place.view(), {})[0]), mass, 1e-5);
  }
  EXPECT_ERROR(full.marginal_log_density(std::vector<Index>{0, 0}, at.view(), {}), InvalidArgument,
               "a marginal density is of different columns between 0 and 2");
  EXPECT_ERROR(full.marginal_log_density(std::vector<Index>{3, 0}, at.view(), {}), InvalidArgument,
               "a marginal density is of different columns between 0 and 2");
}

TEST(KernelDensityTest, DrawsStayInside) {
  std::vector<AxisBounds> bounds(3);
  bounds[0].lower = -1.3;
  bounds[1].lower = -2;
  bounds[1].upper = 2;
  bounds[2].period = 2;
  const KernelDensity density =
      density_of(SmoothingShape::exponential, sine_points(20, 3), Bandwidth::scalar(1, 3), {}, {}, bounds);
  const Matrix<double> draws = density.draw(2000, {});
  for (Index i = 0; i < 2000; ++i) {
    EXPECT_GE(draws(i, 0), -1.3);
    EXPECT_TRUE(draws(i, 1) >= -2 && draws(i, 1) <= 2);
    EXPECT_TRUE(draws(i, 2) >= 0 && draws(i, 2) < 2);
  }
}

TEST(KernelDensityTest, PartsThatDoNotFitAreRefused) {
  const Bandwidth one = Bandwidth::scalar(1, 1);
  EXPECT_ERROR(density_of(SmoothingShape::gaussian, Matrix<double>(0, 1), one), DataError,
               "a kernel density needs one point at least");
  EXPECT_ERROR(density_of(SmoothingShape::gaussian, sine_points(3, 2), one), InvalidArgument,
               "a bandwidth of 1 dimensions for points of 2");
  EXPECT_ERROR(density_of(SmoothingShape::gaussian, sine_points(3, 1), one, {1, 1}), InvalidArgument,
               "2 weights for 3 points");
  EXPECT_ERROR(density_of(SmoothingShape::gaussian, sine_points(3, 1), one, {1, 0, 1}), InvalidArgument,
               "weights must be positive and finite");
  Matrix<double> bad = sine_points(3, 1);
  bad(1, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_ERROR(density_of(SmoothingShape::gaussian, std::move(bad), one), DataError,
               "row 1, column 0 (counted from 0) is nan");
  AxisBounds ends;
  ends.lower = 0;
  EXPECT_ERROR(density_of(SmoothingShape::gaussian, sine_points(9, 1), one, {}, {}, {ends}), DataError,
               "row 3 (counted from 0) lies outside the ends of column 0 with");
  ends.upper = -1;
  EXPECT_ERROR(density_of(SmoothingShape::gaussian, sine_points(9, 1), one, {}, {}, {ends}), InvalidArgument,
               "upper = -1");
  ends.upper = 1;
  ends.period = 1;
  EXPECT_ERROR(density_of(SmoothingShape::gaussian, sine_points(9, 1), one, {}, {}, {ends}), InvalidArgument,
               "a periodic axis has no ends");
  std::vector<AxisBounds> circle(2);
  circle[0].period = 1;
  EXPECT_ERROR(
      density_of(SmoothingShape::gaussian, sine_points(9, 2), bandwidth_of(BandwidthForm::full, 2), {}, {}, circle),
      InvalidArgument, "bounded and periodic axes need form = scalar or diagonal");
  circle[0].period = 1e-4;
  EXPECT_ERROR(density_of(SmoothingShape::gaussian, sine_points(9, 2), Bandwidth::scalar(1, 2), {}, {}, circle)
                   .log_density(sine_points(2, 2).view(), {}),
               InvalidArgument, "times as wide as the axis is long");
  const KernelDensity plane = density_of(SmoothingShape::gaussian, sine_points(9, 2), Bandwidth::scalar(1, 2));
  EXPECT_ERROR(plane.cumulative(std::vector<double>{0}, {}), InvalidArgument,
               "a distribution function is there in one dimension only");
  EXPECT_ERROR(plane.log_density(sine_points(9, 3).view(), {}), DataError,
               "rows of 3 columns, where the density has 2");
}

// p(x) = (1/n) Σ_i Π_j [|x_j − x_ij| ≤ h_j] / (2h_j), and what follows from it.
TEST(KernelDensityTest, CubesAreCountedByColumns) {
  const Matrix<double> points = sine_points(60, 3);
  const std::vector<double> widths = {0.9, 0.7, 0.8};
  const std::vector<double> weights = positive_values(60, 4);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const auto share = [&](const std::vector<Index>& columns, std::span<const double> x) {
    double sum = 0;
    for (Index i = 0; i < 60; ++i) {
      double window = weights[i];
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const double h = widths[columns[c]];
        window *= std::abs(x[c] - points(i, columns[c])) <= h ? 1 / (2 * h) : 0;
      }
      sum += window;
    }
    return sum / total;
  };
  const Matrix<double> places = normal_points(200, 3, 9, 0.8);
  for (const SumMethod method : {SumMethod::exact, SumMethod::tree}) {
    const KernelDensity density({.shape = SmoothingShape::cube,
                                 .points = Matrix<double>::copy_of(points.view()),
                                 .weights = weights,
                                 .bandwidth = Bandwidth::diagonal(widths),
                                 .method = method,
                                 .relative_error = 0});
    const std::vector<double> values = density.log_density(places.view(), {});
    Index empty = 0;
    for (Index i = 0; i < 200; ++i) {
      const double exact = share({0, 1, 2}, places.view().row(i));
      EXPECT_NEAR(std::exp(values[i]), exact, 1e-12 * exact);
      empty += exact == 0 ? 1 : 0;
    }
    EXPECT_TRUE(empty > 5 && empty < 195) << empty;
    const std::vector<Index> kept = {2, 0};
    const Matrix<double> pairs = normal_points(50, 2, 10, 0.8);
    const std::vector<double> marginal = density.marginal_log_density(kept, pairs.view(), {});
    for (Index i = 0; i < 50; ++i) {
      const double exact = share(kept, pairs.view().row(i));
      EXPECT_NEAR(std::exp(marginal[i]), exact, 1e-12 * exact);
    }
    // Draws are inside, and as many in a corner as the density has there.
    const Matrix<double> draws = density.draw(4000, mercer::Run{{.seed = 3}});
    for (const double value : density.log_density(draws.view(), {})) {
      EXPECT_TRUE(std::isfinite(value));
    }
    const std::vector<GridAxis> axes = {{-2, 0.25, 17}, {-2, 0.25, 17}, {-2, 0.25, 17}};
    const GridDensity binned = density.on_grid(axes, GridMethod::transform, {});
    for (std::size_t k = 0; k < binned.values.size(); k += 37) {
      const auto node = static_cast<Index>(k);
      const std::vector<double> x = {-2 + 0.25 * static_cast<double>(node / 289),
                                     -2 + 0.25 * static_cast<double>(node / 17 % 17),
                                     -2 + 0.25 * static_cast<double>(node % 17)};
      EXPECT_LE(std::abs(binned.values[k] - share({0, 1, 2}, x)), binned.error_bounds[k] * (1 + 1e-9) + 1e-12) << k;
    }
  }
  // In one column the boxcar; with a matrix there are no columns to lie along.
  const KernelDensity cube = density_of(SmoothingShape::cube, sine_points(20, 1), Bandwidth::scalar(0.4, 1));
  const KernelDensity box = density_of(SmoothingShape::boxcar, sine_points(20, 1), Bandwidth::scalar(0.4, 1));
  EXPECT_EQ(cube.log_density(sine_points(20, 1).view(), {}), box.log_density(sine_points(20, 1).view(), {}));
  EXPECT_ERROR(density_of(SmoothingShape::cube, sine_points(9, 2), bandwidth_of(BandwidthForm::full, 2)),
               InvalidArgument, "edges along the columns");
}

TEST(KernelDensityTest, MarginalsOfFullBandwidthsIntegrateTheRest) {
  for (const SmoothingShape shape : radial_shapes) {
    const KernelDensity density = density_of(shape, sine_points(12, 3), bandwidth_of(BandwidthForm::full, 3),
                                             positive_values(12, 2), positive_values(12, 3));
    const std::vector<Index> kept = {2, 0};
    Matrix<double> place(1, 2);
    place(0, 0) = 0.3;
    place(0, 1) = -0.2;
    constexpr Index steps = 24000;
    constexpr double step = 40.0 / steps;
    Matrix<double> line(steps, 3);
    for (Index k = 0; k < steps; ++k) {
      line(k, 0) = -0.2;
      line(k, 1) = -20 + (static_cast<double>(k) + 0.5) * step;
      line(k, 2) = 0.3;
    }
    double sum = 0;
    for (const double value : density.log_density(line.view(), {})) {
      sum += std::exp(value) * step;
    }
    EXPECT_NEAR(std::exp(density.marginal_log_density(kept, place.view(), {})[0]), sum, 2e-3 * sum) << word_of(shape);
  }
}

}  // namespace
}  // namespace mercer
