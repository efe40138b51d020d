// Kernels made from kernels, against their definitions computed pair by pair from the child's own values.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kernels/gram_values.h"
#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/algebra/custom.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/widths.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::cross;
using testing::dense;
using testing::diagonal;
using testing::gram;
using testing::Points;
using testing::smallest_eigenvalue;
using testing::value;

Points random_points(Index n, Index d, std::uint64_t seed) {
  RandomStream random(seed, 5);
  Points points(static_cast<std::size_t>(n), std::vector<double>(d));
  for (auto& point : points) {
    for (double& x : point) {
      x = random.normal();
    }
  }
  return points;
}

void expect_near(const Matrix<double>& a, const Matrix<double>& b, double tolerance) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.columns(), b.columns());
  for (Index i = 0; i < a.rows() * a.columns(); ++i) {
    EXPECT_NEAR(a.data()[i], b.data()[i], tolerance * std::max(1.0, std::abs(b.data()[i])));
  }
}

TEST(Exp, OfANegativeSquaredDistanceIsRbf) {
  const Samples points = dense(random_points(8, 3, 1));
  expect_near(gram("exp(0.5*negative_distance(beta=2, lengthscale=1))", points), gram("rbf(gamma=0.5)", points), 1e-12);
  EXPECT_TRUE(parse_kernel("exp(negative_distance())").definiteness().infinitely_divisible);
  EXPECT_FALSE(parse_kernel("exp(thin_plate())").definiteness().is_positive());
}

TEST(LogAndRoot, HaveTheirFormulas) {
  const Samples points = dense(random_points(6, 2, 2));
  const Matrix<double> k = gram("negative_distance(beta=2, lengthscale=1)", points);
  const Matrix<double> logs = gram("log(negative_distance(beta=2, lengthscale=1))", points);
  const Matrix<double> roots = gram("root(negative_distance(beta=2, lengthscale=1), exponent=0.3)", points);
  for (Index i = 0; i < 36; ++i) {
    EXPECT_NEAR(logs.data()[i], -std::log(1 - k.data()[i]), 1e-13);
    EXPECT_NEAR(roots.data()[i], -std::pow(-k.data()[i], 0.3), 1e-13);
  }
  // The square root of the squared distance is the distance.
  expect_near(gram("root(negative_distance(beta=2, lengthscale=1))", points),
              gram("negative_distance(beta=1, lengthscale=1)", points), 1e-12);
}

TEST(LogAndRoot, NeedAKernelWithoutPositiveValues) {
  EXPECT_ERROR(parse_kernel("log(rbf(gamma=1))"), InvalidArgument, "log needs a kernel without positive values");
  EXPECT_ERROR(parse_kernel("root(linear())"), InvalidArgument, "root needs a kernel without positive values");
  EXPECT_ERROR(parse_kernel("root(negative_distance(), exponent=1.5)"), InvalidArgument,
               "kernel spec: root: exponent = 1.5");
  const Definiteness d = parse_kernel("log(root(negative_distance()))").definiteness();
  EXPECT_EQ(d.kind, DefinitenessKind::conditional);
  EXPECT_EQ(d.order, 1);
  EXPECT_TRUE(d.nonpositive);
}

TEST(Normalize, IsTheCosineInFeatureSpace) {
  const Samples points = dense(random_points(7, 3, 3));
  const Matrix<double> k = gram("poly(degree=3, gamma=0.7, coef0=1.2)", points);
  const Matrix<double> n = gram("normalize(poly(degree=3, gamma=0.7, coef0=1.2))", points);
  for (Index i = 0; i < 7; ++i) {
    for (Index j = 0; j < 7; ++j) {
      EXPECT_NEAR(n(i, j), k(i, j) / std::sqrt(k(i, i) * k(j, j)), 1e-13);
    }
  }
}

TEST(Normalize, TestSamplesUseTheirOwnNorms) {
  const Points a = random_points(3, 2, 4);
  const Points b = random_points(4, 2, 5);
  const Matrix<double> n = cross(parse_kernel("normalize(linear())"), dense(a), dense(b));
  const auto dot = [](const std::vector<double>& x, const std::vector<double>& y) { return x[0] * y[0] + x[1] * y[1]; };
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_NEAR(n(static_cast<Index>(i), static_cast<Index>(j)),
                  dot(a[i], b[j]) / std::sqrt(dot(a[i], a[i]) * dot(b[j], b[j])), 1e-13);
    }
  }
}

TEST(Normalize, ZeroVectorsGiveZeroAndNothingIsNaN) {
  const Samples points = dense({{0, 0}, {1, 2}, {1e150, 1e150}});
  const Matrix<double> n = gram("normalize(linear())", points);
  EXPECT_EQ(n(0, 0), 0);
  EXPECT_EQ(n(0, 1), 0);
  for (Index i = 0; i < 9; ++i) {
    EXPECT_FALSE(std::isnan(n.data()[i]));
  }
  EXPECT_EQ(diagonal(parse_kernel("normalize(linear())"), points)[0], 0);
}

TEST(VersionSpace, IsTheAngleInFeatureSpaceAndWhatRandomPlanesSay) {
  const Points rows = random_points(6, 3, 3);
  const Samples points = dense(rows);
  const Matrix<double> c = gram("normalize(poly(degree=2, gamma=0.7, coef0=0.3))", points);
  const Matrix<double> v = gram("version_space(poly(degree=2, gamma=0.7, coef0=0.3))", points);
  for (Index i = 0; i < 6; ++i) {
    EXPECT_EQ(v(i, i), 1);
    for (Index j = 0; j < 6; ++j) {
      if (i != j) {
        EXPECT_NEAR(v(i, j), 1 - 2 * std::acos(c(i, j)) / std::numbers::pi, 1e-12);
      }
    }
  }
  // E[sgn⟨w, x⟩ sgn⟨w, z⟩] of normal w.
  const Matrix<double> linear = gram("version_space(linear())", points);
  RandomStream random(4, 1);
  double same = 0;
  constexpr int planes = 200000;
  for (int k = 0; k < planes; ++k) {
    double x = 0;
    double z = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double w = random.normal();
      x += w * rows[0][d];
      z += w * rows[1][d];
    }
    same += (x > 0) == (z > 0) ? 1.0 : -1.0;
  }
  EXPECT_NEAR(linear(0, 1), same / planes, 5 / std::sqrt(planes));
  EXPECT_EQ(gram("version_space(version_space(linear()))", points)(2, 2), 1);
}

TEST(VersionSpace, OfParallelOppositeAndZeroVectors) {
  const Matrix<double> v =
      gram("version_space(linear())", dense({{0, 0}, {1, 2}, {3, 6}, {-1, -2}, {1e150, 1e150}, {2, -1}}));
  EXPECT_EQ(v(0, 0), 0);
  EXPECT_EQ(v(0, 1), 0);
  EXPECT_EQ(v(1, 2), 1);
  EXPECT_EQ(v(1, 3), -1);
  EXPECT_NEAR(v(1, 5), 0, 1e-15);
  for (Index i = 0; i < 36; ++i) {
    EXPECT_TRUE(std::isfinite(v.data()[i]));
  }
}

TEST(Center, SubtractsTheMeansOfTheTrainingSamples) {
  const Points train = random_points(9, 2, 6);
  const Points test = random_points(4, 2, 7);
  const Matrix<double> k = gram("rbf(gamma=0.6)", dense(train));
  const Matrix<double> c = cross(parse_kernel("rbf(gamma=0.6)"), dense(test), dense(train));
  const Matrix<double> centered = gram("center(rbf(gamma=0.6))", dense(train));
  const Matrix<double> cross_centered = cross(parse_kernel("center(rbf(gamma=0.6))"), dense(test), dense(train));
  std::vector<double> mean(9, 0.0);
  double grand = 0;
  for (Index i = 0; i < 9; ++i) {
    for (Index j = 0; j < 9; ++j) {
      mean[i] += k(i, j) / 9;
      grand += k(i, j) / 81;
    }
  }
  for (Index i = 0; i < 9; ++i) {
    double sum = 0;
    for (Index j = 0; j < 9; ++j) {
      EXPECT_NEAR(centered(i, j), k(i, j) - mean[i] - mean[j] + grand, 1e-13);
      sum += centered(i, j);
    }
    EXPECT_NEAR(sum, 0, 1e-13);
  }
  for (Index i = 0; i < 4; ++i) {
    double own = 0;
    for (Index j = 0; j < 9; ++j) {
      own += c(i, j) / 9;
    }
    for (Index j = 0; j < 9; ++j) {
      EXPECT_NEAR(cross_centered(i, j), c(i, j) - own - mean[j] + grand, 1e-13);
    }
  }
  EXPECT_TRUE(parse_kernel("center(rbf())").node().depends_on_reference());
}

TEST(Center, OfTheLinearKernelCentersTheData) {
  Points points = random_points(300, 2, 8);  // more than one tile
  const Matrix<double> a = gram("center(linear())", dense(points));
  std::vector<double> mean(2, 0.0);
  for (const auto& p : points) {
    mean[0] += p[0] / 300;
    mean[1] += p[1] / 300;
  }
  for (auto& p : points) {
    p[0] -= mean[0];
    p[1] -= mean[1];
  }
  expect_near(a, gram("linear()", dense(points)), 1e-12);
}

TEST(Center, ContractionOfTestTilesIsTheGradient) {
  const Points train = random_points(6, 2, 9);
  const Points test = random_points(3, 2, 10);
  const auto objective = [&](double gamma) {
    const Kernel k = make_kernel("center", {}, {make_kernel("rbf", {{"gamma", ParameterValue::number(gamma)}})});
    const Matrix<double> c = cross(k, dense(test), dense(train));
    double sum = 0;
    for (Index i = 0; i < 18; ++i) {
      sum += static_cast<double>(i % 5 - 1) * c.data()[i];
    }
    return sum;
  };
  const PreparedKernel prepared(parse_kernel("center(rbf(gamma=0.6))"), dense(train), Precision::double_precision,
                                mercer::Run());
  const auto rows = prepared.prepare(dense(test), mercer::Run());
  Workspace workspace;
  TileContext<double> context(*rows, {0, 3}, prepared.reference(), {0, 6}, workspace);
  Matrix<double> q(3, 6);
  for (Index i = 0; i < 18; ++i) {
    q.data()[i] = static_cast<double>(i % 5 - 1);
  }
  std::vector<double> gradient(1, 0.0);
  prepared.kernel().node().contract(context, q.view(), gradient);
  EXPECT_NEAR(gradient[0], (objective(0.6 + 1e-5) - objective(0.6 - 1e-5)) / 2e-5, 1e-8);
}

TEST(Iterated, IsTheMeanOverTheTrainingSamples) {
  const Samples train = dense(random_points(300, 2, 31));
  const Samples test = dense(random_points(4, 2, 32));
  const Matrix<double> k = gram("rbf(gamma=0.4)", train);
  const Matrix<double> both = cross(parse_kernel("rbf(gamma=0.4)"), test, train);
  const Matrix<double> iterated = gram("iterated(rbf(gamma=0.4))", train);
  const Matrix<double> across = cross(parse_kernel("iterated(rbf(gamma=0.4))"), test, train);
  for (Index j = 0; j < 300; ++j) {
    for (Index i = 0; i < 4; ++i) {
      double own = 0;
      double other = 0;
      for (Index l = 0; l < 300; ++l) {
        own += k(i, l) * k(j, l) / 300;
        other += both(i, l) * k(j, l) / 300;
      }
      EXPECT_NEAR(iterated(i, j), own, 1e-14);
      EXPECT_NEAR(across(i, j), other, 1e-14);
    }
  }
}

TEST(Iterated, OfAnIndefiniteKernelIsPositive) {
  const Samples points = dense(random_points(30, 3, 33));
  EXPECT_LT(smallest_eigenvalue(gram("sigmoid(gamma=1, coef0=-2)", points)), -0.1);
  EXPECT_GT(smallest_eigenvalue(gram("iterated(sigmoid(gamma=1, coef0=-2))", points)), -1e-12);
  EXPECT_EQ(parse_kernel("iterated(sigmoid())").definiteness().kind, DefinitenessKind::positive);
}

TEST(Iterated, KeepsNoMoreThanItMay) {
  EXPECT_ERROR(gram("iterated(linear())", make_dense(std::vector<double>(16000, 1.0), 16000, 1)), InvalidArgument,
               "iterated: the kernel of 16000 samples with 16000 training samples has more");
}

TEST(FromCpd, FollowsItsDefinitionWithBothOrigins) {
  const Points train = {{1, 2}, {3, -1}, {0.5, 0.5}, {-0.5, 0.5}};
  for (const char* origin : {"zero", "mean"}) {
    Points with_point = train;
    with_point.push_back(std::string(origin) == "zero" ? std::vector<double>{0, 0} : std::vector<double>{1, 0.5});
    const Matrix<double> k = gram("negative_distance(beta=1.3, lengthscale=1)", dense(with_point));
    const Matrix<double> p =
        gram("from_cpd(negative_distance(beta=1.3, lengthscale=1), origin=" + std::string(origin) + ")", dense(train));
    for (Index i = 0; i < 4; ++i) {
      for (Index j = 0; j < 4; ++j) {
        EXPECT_NEAR(p(i, j), 0.5 * (k(i, j) - k(i, 4) - k(4, j) + k(4, 4)), 1e-13) << origin;
      }
    }
    EXPECT_GT(smallest_eigenvalue(p), -1e-13);
  }
  EXPECT_FALSE(parse_kernel("from_cpd(thin_plate())").definiteness().is_positive());
}

TEST(FromCpd, OfTheSquaredDistanceIsTheInnerProduct) {
  const Samples points = dense(random_points(6, 3, 11));
  expect_near(gram("from_cpd(negative_distance(beta=2, lengthscale=1))", points), gram("linear()", points), 1e-12);
}

TEST(FromCpd, StandsInsideOtherConstructions) {
  const Samples points = dense(random_points(6, 3, 12));
  const Matrix<double> a = gram("from_cpd(center(rbf(gamma=0.4)), origin=mean)", points);
  const Matrix<double> b = gram("from_cpd(rbf(gamma=0.4), origin=mean)", points);
  expect_near(a, b, 1e-12);  // centring changes nothing that differences can see
}

TEST(Conformal, MultipliesByAFunctionOfEachPoint) {
  const std::vector<double> x = {1, 2};
  const std::vector<double> y = {-0.5, 1};
  const double k = value("rbf(gamma=0.3)", x, y);
  EXPECT_NEAR(value("conformal(rbf(gamma=0.3), c=0.2)", x, y), std::exp(-0.2 * (5 + 1.25)) * k, 1e-14);
  EXPECT_NEAR(value("conformal(rbf(gamma=0.3), function=norm)", x, y), std::sqrt(5 * 1.25) * k, 1e-14);
  EXPECT_NEAR(value("conformal(linear(), function=inverse_norm)", x, y), value("normalize(linear())", x, y), 1e-14);
  EXPECT_EQ(value("conformal(linear(), function=inverse_norm)", {0, 0}, y), 0);
  EXPECT_ERROR(parse_kernel("conformal(linear(), function=norm, c=1)"), InvalidArgument,
               "conformal: c belongs to function=gaussian");
  // exp(−c‖x‖²) exp(2c x·y) exp(−c‖y‖²) is the Gaussian.
  EXPECT_NEAR(value("conformal(exp(0.6*linear()), c=0.3)", x, y), k, 1e-14);
}

TEST(Warp, TransformsTheInputs) {
  EXPECT_NEAR(value("warp(linear(), by=log1p)", {std::exp(1.0) - 1}, {1 - std::exp(2.0)}), -2, 1e-14);
  EXPECT_NEAR(value("warp(linear(), by=sqrt)", {4, 9}, {-16, 25}), -8 + 15, 1e-13);
  EXPECT_NEAR(value("warp(linear(), by=square)", {2}, {3}), 36, 1e-13);
  EXPECT_NEAR(value("warp(linear(), by=tanh)", {0.4}, {0.7}), std::tanh(0.4) * std::tanh(0.7), 1e-14);
  EXPECT_NEAR(value("warp(linear(), by=logistic)", {0}, {0}), 0.25, 1e-14);
  EXPECT_NEAR(value("warp(linear(), by=unit)", {3, 4}, {0, 2}), 0.8, 1e-14);
  EXPECT_EQ(value("warp(linear(), by=unit)", {0, 0}, {0, 2}), 0);
}

TEST(Warp, LogPolarCoordinatesMakeTurningAndScalingAShift) {
  const std::string spec = "warp(rbf(gamma=0.5)[0] * periodic(period=6.283185307179586)[1], by=log_polar)";
  const std::vector<double> x = {1, 0.4};
  const std::vector<double> y = {-0.3, 0.8};
  const auto moved = [](const std::vector<double>& p, double scale, double angle) {
    return std::vector<double>{scale * (std::cos(angle) * p[0] - std::sin(angle) * p[1]),
                               scale * (std::sin(angle) * p[0] + std::cos(angle) * p[1])};
  };
  EXPECT_NEAR(value(spec, x, y), value(spec, moved(x, 3, 2.5), moved(y, 3, 2.5)), 1e-13);
  EXPECT_ERROR(value(spec, {1, 2, 3}, {1, 2, 3}), InvalidArgument, "warp: by=log_polar takes two columns");
}

TEST(Warp, ResolvesWidthsOnTransformedData) {
  const Samples points = dense(random_points(20, 2, 13));
  const Kernel k = resolve_widths(parse_kernel("warp(rbf(), by=tanh)"), points, mercer::Run());
  Points warped = random_points(20, 2, 13);
  for (auto& p : warped) {
    for (double& x : p) {
      x = std::tanh(x);
    }
  }
  expect_near(gram(k, points), gram(resolve_widths(parse_kernel("rbf()"), dense(warped), mercer::Run()), dense(warped)),
              1e-12);
}

TEST(Transform, WhitensByTheCovariance) {
  const std::vector<double> x = {1, 2};
  const std::vector<double> y = {-0.5, 1};
  // Σ = [[2, 0.6], [0.6, 1]], Σ⁻¹ = [[1, −0.6], [−0.6, 2]]/1.64
  const double a = x[0] - y[0];
  const double b = x[1] - y[1];
  const double squared = (a * a - 1.2 * a * b + 2 * b * b) / 1.64;
  EXPECT_NEAR(value("transform(rbf(lengthscale=1), covariance=[2, 0.6, 0.6, 1])", x, y), std::exp(-squared / 2), 1e-14);
}

TEST(Transform, TakesAMetricAndAMatrix) {
  const std::vector<double> x = {1, 2, 3};
  const std::vector<double> y = {-1, 1, 0.5};
  // xᵀMy with the singular M = uuᵀ + vvᵀ, u = (1, 1, 0), v = (0, 1, −1)
  EXPECT_NEAR(value("transform(linear(), metric=[1, 1, 0, 1, 2, -1, 0, -1, 1])", x, y), 3 * 0 + (-1) * 0.5, 1e-13);
  EXPECT_NEAR(value("transform(linear(), matrix=[1, 1, 0, 0, 1, -1], rows=2)", x, y), 3 * 0 + (-1) * 0.5, 1e-13);
  EXPECT_ERROR(parse_kernel("transform(linear(), metric=[1, 2, 2, 1])"), InvalidArgument,
               "transform: metric must be symmetric and positive semidefinite");
  EXPECT_ERROR(parse_kernel("transform(linear(), metric=[1, 2, 0, 1])"), InvalidArgument,
               "transform: metric must be symmetric and positive semidefinite");
  EXPECT_ERROR(parse_kernel("transform(linear(), covariance=[1, 1, 1, 1])"), InvalidArgument,
               "transform: covariance is singular");
  EXPECT_ERROR(parse_kernel("transform(linear())"), InvalidArgument,
               "transform: give exactly one of matrix (with rows)");
  EXPECT_ERROR(value("transform(linear(), matrix=[1, 2], rows=1)", x, y), InvalidArgument,
               "transform: a matrix of 2 columns for samples of 3");
}

TEST(Features, AreThePolynomialKernel) {
  const Samples points = dense(random_points(7, 3, 14));
  expect_near(gram("features(degree=3)", points), gram("poly(degree=3, gamma=1, coef0=0)", points), 1e-12);
  expect_near(gram("features(degree=4, coef0=0.7)", points), gram("poly(degree=4, gamma=1, coef0=0.7)", points), 1e-12);
  EXPECT_ERROR(gram("features(degree=12)", dense(random_points(2, 30, 1))), InvalidArgument,
               "features: degree = 12 on 30 columns makes more than a million features");
}

TEST(Features, HaveTheWeightsOfTheMultinomialTheorem) {
  // k(x, y) is a polynomial in y; its coefficients are the squared weights times the monomials of x.
  // Degree 3 in 2 columns: weights² 1, 3, 3, 1.
  EXPECT_NEAR(value("features(degree=3)", {1, 0}, {1, 0}), 1, 1e-14);
  EXPECT_NEAR(value("features(degree=3)", {1, 1}, {1, -1}), 1 - 3 + 3 - 1, 1e-14);
  EXPECT_NEAR(value("features(degree=3)", {1, 1}, {1, 2}), 1 + 3 * 2 + 3 * 4 + 8, 1e-13);
}

TEST(Features, RefuseWhatCannotBeKept) {
  EXPECT_ERROR(parse_kernel("features(degree=65)"), InvalidArgument, "kernel spec: features: degree = 65");
  EXPECT_ERROR(parse_kernel("features(degree=2000000000)[0]"), InvalidArgument,
               "kernel spec: features: degree = 2e+09");
  EXPECT_NEAR(gram("features(degree=64)", dense({{1.0}, {0.5}}))(0, 1), std::pow(0.5, 64), 1e-30);
  // 400 000 features of 700 samples.
  EXPECT_ERROR(gram("features(degree=3)", make_dense(std::vector<double>(700 * 133, 1.0), 700, 133)), InvalidArgument,
               "features: 400995 features of 700 samples are more than 250 million numbers");
}

TEST(Features, AnyNumberOfThreadsGivesTheSameBits) {
  const Samples samples = make_dense(std::vector<double>(300 * 4, 0.3), 300, 4);
  const Kernel k = parse_kernel("features(degree=3, coef0=1)");
  const PreparedKernel one(k, samples, Precision::double_precision, mercer::Run({.threads = 1}));
  const PreparedKernel three(k, samples, Precision::double_precision, mercer::Run({.threads = 3}));
  std::vector<double> a(300);
  std::vector<double> b(300);
  k.node().diagonal(one.reference(), {0, 300}, a);
  k.node().diagonal(three.reference(), {0, 300}, b);
  EXPECT_EQ(a, b);
}

TEST(Changepoint, MixesTwoKernels) {
  const std::vector<double> x = {0.3, 1};
  const std::vector<double> y = {-0.4, 2};
  const auto s = [](double v) { return 1 / (1 + std::exp(-3 * (v - 1.2))); };
  const double k1 = value("rbf(gamma=0.5)", x, y);
  const double k2 = value("linear()", x, y);
  const double wanted = s(1) * k1 * s(2) + (1 - s(1)) * k2 * (1 - s(2));
  EXPECT_NEAR(value("changepoint(rbf(gamma=0.5), linear(), location=1.2, steepness=3, column=1)", x, y), wanted, 1e-14);
  // Far above the change only the first kernel is left, far below only the second.
  EXPECT_NEAR(value("changepoint(constant(value=2), constant(value=3), steepness=50)", {9}, {8}), 2, 1e-12);
  EXPECT_NEAR(value("changepoint(constant(value=2), constant(value=3), steepness=50)", {-9}, {-8}), 3, 1e-12);
  EXPECT_ERROR(value("changepoint(linear(), linear(), column=2)", x, y), InvalidArgument,
               "changepoint: column = 2: there are 2 numeric columns");
}

TEST(RbfOf, IsTheGaussianOfTheKernelDistance) {
  const Samples points = dense(random_points(6, 3, 15));
  expect_near(gram("rbf_of(linear(), gamma=0.4)", points), gram("rbf(gamma=0.4)", points), 1e-12);
  const Matrix<double> k = gram("matern(nu=1.5, lengthscale=2)", points);
  const Matrix<double> r = gram("rbf_of(matern(nu=1.5, lengthscale=2), gamma=0.7)", points);
  for (Index i = 0; i < 36; ++i) {
    EXPECT_NEAR(r.data()[i], std::exp(-0.7 * (2 - 2 * k.data()[i])), 1e-13);
  }
  // −‖x−y‖² has d² = 2‖x−y‖² on this scale.
  expect_near(gram("rbf_of(negative_distance(beta=2, lengthscale=1), gamma=0.2)", points),
              gram("rbf(gamma=0.4)", points), 1e-12);
}

TEST(Custom, FunctionsAndFeatureMapsAreKernels) {
  const Kernel f = from_function(
      "twice", [](std::span<const double> x, std::span<const double> y) { return 2 * (x[0] * y[0] + x[1] * y[1]); },
      Definiteness::positive());
  const Kernel g = from_feature_map(
      "squares",
      [](std::span<const double> x, std::span<double> out) {
        out[0] = x[0] * x[0];
        out[1] = x[1] * x[1];
        out[2] = std::numbers::sqrt2 * x[0] * x[1];
      },
      3);
  const Samples points = dense(random_points(7, 2, 16));
  expect_near(gram(f, points), gram("2*linear()", points), 1e-13);
  expect_near(gram(g, points), gram("poly(degree=2, gamma=1, coef0=0)", points), 1e-12);
  expect_near(gram(0.5 * f + make_kernel("normalize", {}, {g}), points),
              gram("linear() + normalize(linear()^2)", points), 1e-12);
  EXPECT_EQ(f.spec(), "twice()");
  EXPECT_EQ((0.5 * f).with_scale_parameters(std::vector<double>{0.25}).spec(), "0.25*twice()");
  EXPECT_FALSE(f.node().has_input_derivatives());
  EXPECT_ERROR(from_function("", nullptr, {}), InvalidArgument, "from_function: the function of kernel '' is empty");
  EXPECT_ERROR(from_feature_map("none", nullptr, 2), InvalidArgument,
               "from_feature_map: kernel 'none' needs a function and at least one feature");
}

}  // namespace
}  // namespace mercer
