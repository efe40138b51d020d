// Kernels that compare coordinates, against closed forms, published values and brute force. (Laws that hold for every
// kernel are in laws_test.cpp.)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/gram_values.h"
#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/data/columns.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/widths.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::cross;
using testing::dense;
using testing::gram;
using testing::Points;
using testing::smallest_eigenvalue;
using testing::value;

constexpr double pi = std::numbers::pi;

Points random_points(Index n, Index d, std::uint64_t seed, bool nonnegative = false) {
  RandomStream random(seed, 3);
  Points points(static_cast<std::size_t>(n), std::vector<double>(d));
  for (auto& point : points) {
    for (double& x : point) {
      x = nonnegative ? 2 * random.uniform() : 2 * random.normal();
    }
  }
  return points;
}

// Compares every pair of random points with a formula.
template <class F>
void expect_formula(std::string_view spec, Index d, bool nonnegative, F formula) {
  const Points points = random_points(9, d, 41, nonnegative);
  const Matrix<double> k = gram(spec, dense(points));
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < points.size(); ++j) {
      const double wanted = formula(points[i], points[j]);
      EXPECT_NEAR(k(static_cast<Index>(i), static_cast<Index>(j)), wanted, 1e-12 * std::max(1.0, std::abs(wanted)))
          << spec;
    }
  }
}

using Vector = std::vector<double>;

TEST(Laplacian, IsTheExponentialOfTheCityBlockDistance) {
  expect_formula("laplacian(gamma=0.3)", 4, false, [](const Vector& x, const Vector& y) {
    double sum = 0;
    for (std::size_t c = 0; c < x.size(); ++c) {
      sum += std::abs(x[c] - y[c]);
    }
    return std::exp(-0.3 * sum);
  });
}

TEST(Laplacian, TakesOneOverTheColumnsAsWidth) {
  const Kernel k = resolve_widths(parse_kernel("laplacian()"), dense(random_points(5, 4, 1)), mercer::Run());
  EXPECT_EQ(k.spec(), "laplacian(gamma=0.25)");
}

TEST(Periodic, IsPerCoordinateAndRepeats) {
  expect_formula("periodic(period=[1.5, 2], lengthscale=[0.8, 1.3])", 2, false, [](const Vector& x, const Vector& y) {
    const double s0 = std::sin(pi * (x[0] - y[0]) / 1.5) / 0.8;
    const double s1 = std::sin(pi * (x[1] - y[1]) / 2) / 1.3;
    return std::exp(-2 * (s0 * s0 + s1 * s1));
  });
  EXPECT_NEAR(value("periodic(period=1.5)", {0.2}, {0.2 + 15}), 1, 1e-12);
  EXPECT_NEAR(value("periodic(period=1.5)", {0.2}, {0.2 + 0.75}), std::exp(-2), 1e-12);
}

TEST(Periodic, RefusesListsOfAnotherLength) {
  EXPECT_ERROR(value("periodic(period=[1, 2])", {1, 2, 3}, {0, 0, 0}), InvalidArgument,
               "periodic: period is a list of 2 numbers for 3 columns");
}

TEST(LocallyPeriodic, IsPeriodicTimesRbf) {
  const Samples points = dense(random_points(7, 2, 2));
  const Matrix<double> a = gram("locally_periodic(period=1.2, lengthscale=0.7, gamma=0.3)", points);
  const Matrix<double> b = gram("periodic(period=1.2, lengthscale=0.7) * rbf(gamma=0.3)", points);
  for (Index i = 0; i < 49; ++i) {
    EXPECT_NEAR(a.data()[i], b.data()[i], 1e-13);
  }
}

TEST(SpectralMixture, SumsItsComponents) {
  expect_formula("spectral_mixture(weights=[0.7, 0.2], means=[0.1, 0.2, 0.3, 0.4], variances=[0.01, 0.02])", 2, false,
                 [](const Vector& x, const Vector& y) {
                   const double a = x[0] - y[0];
                   const double b = x[1] - y[1];
                   const auto factor = [](double t, double m, double v) {
                     return std::exp(-2 * pi * pi * t * t * v) * std::cos(2 * pi * t * m);
                   };
                   return 0.7 * factor(a, 0.1, 0.01) * factor(b, 0.2, 0.01) +
                          0.2 * factor(a, 0.3, 0.02) * factor(b, 0.4, 0.02);
                 });
  EXPECT_ERROR(value("spectral_mixture(weights=[1, 1], means=[1, 2, 3])", {0, 0}, {1, 1}), InvalidArgument,
               "spectral_mixture: means is a list of 3 numbers");
}

TEST(SpectralMixture, OneComponentAtZeroIsRbf) {
  // exp(−2π²t²v) = exp(−t²/(2ℓ²)) with ℓ = 1/(2π√v)
  const double v = 0.03;
  const Points points = random_points(6, 3, 4);
  const Matrix<double> a = gram("spectral_mixture(weights=1, means=0, variances=0.03)", dense(points));
  const Kernel rbf = make_kernel("rbf", {{"gamma", ParameterValue::number(2 * pi * pi * v)}});
  const Matrix<double> b = gram(rbf, dense(points));
  for (Index i = 0; i < 36; ++i) {
    EXPECT_NEAR(a.data()[i], b.data()[i], 1e-13);
  }
}

TEST(Histograms, HaveTheirFormulas) {
  const auto chi2 = [](const Vector& x, const Vector& y) {
    double sum = 0;
    for (std::size_t c = 0; c < x.size(); ++c) {
      sum += (x[c] - y[c]) * (x[c] - y[c]) / (x[c] + y[c]);
    }
    return sum;
  };
  expect_formula("chi2(gamma=0.6)", 3, true,
                 [&](const Vector& x, const Vector& y) { return std::exp(-0.6 * chi2(x, y)); });
  // 2xy/(x+y) = (x+y)/2 − (x−y)²/(2(x+y))
  expect_formula("additive_chi2()", 3, true, [&](const Vector& x, const Vector& y) {
    double sum = 0;
    for (std::size_t c = 0; c < x.size(); ++c) {
      sum += (x[c] + y[c]) / 2;
    }
    return sum - chi2(x, y) / 2;
  });
  expect_formula("histogram_intersection()", 3, true, [](const Vector& x, const Vector& y) {
    double sum = 0;
    for (std::size_t c = 0; c < x.size(); ++c) {
      sum += std::min(x[c], y[c]);
    }
    return sum;
  });
}

TEST(Histograms, EmptyBinsCountNothing) {
  EXPECT_EQ(value("chi2(gamma=1)", {0, 0}, {0, 0}), 1);
  EXPECT_DOUBLE_EQ(value("chi2(gamma=1)", {0, 1}, {0, 3}), std::exp(-1.0));
  EXPECT_EQ(value("additive_chi2()", {0, 0}, {0, 5}), 0);
}

// An infinite length scale switches a column off: the kernel is that of the other columns.
TEST(InfiniteLengthscale, SwitchesAColumnOff) {
  const Points points = random_points(7, 3, 12);
  const std::vector<std::pair<const char*, const char*>> pairs = {
      {"bspline(order=3, lengthscale=[1.5, inf, 2])", "bspline(order=3, lengthscale=[1.5, 2])[0, 2]"},
      {"bspline(order=1, lengthscale=inf)", "constant()"},
      {"periodic(period=[1, 3, 2], lengthscale=[1, inf, 0.8])", "periodic(period=[1, 2], lengthscale=[1, 0.8])[0, 2]"},
      {"rbf(lengthscale=[1.5, inf, 2])", "rbf(lengthscale=[1.5, 2])[0, 2]"},
      {"matern(lengthscale=[1.5, inf, 2])", "matern(lengthscale=[1.5, 2])[0, 2]"},
      {"wendland(dimension=3, lengthscale=[9, inf, 8])", "wendland(dimension=3, lengthscale=[9, 8])[0, 2]"}};
  for (const auto& [with_infinite, without] : pairs) {
    const Matrix<double> a = gram(with_infinite, dense(points));
    const Matrix<double> b = gram(without, dense(points));
    for (Index i = 0; i < a.rows() * a.columns(); ++i) {
      EXPECT_NEAR(a.data()[i], b.data()[i], 1e-14) << with_infinite;
    }
  }
}

TEST(Histograms, RefuseNegativeValuesAndSayWhere) {
  for (const char* spec : {"chi2()", "additive_chi2()"}) {
    EXPECT_ERROR(value(spec, {1, 2}, {3, -0.5}), DataError, "row 1, column 1 (counted from 0) is -0.5");
    EXPECT_TRUE(parse_kernel(spec).definiteness().domain.nonnegative);
  }
}

// Their formulas hold for all numbers, their definiteness for x ≥ 0.
TEST(Histograms, SplinesAndMinimaLoseTheirDefinitenessBelowZero) {
  EXPECT_EQ(value("intersection()", {1, 2}, {3, -0.5}), 0.5);
  EXPECT_NEAR(value("spline()", {1}, {-0.5}), 1 - 0.5 + 0.25 * (0.75 - 0.5 / 3), 1e-15);
  const Samples inside = testing::dense({{1, 2}, {3, 0.5}});
  const Samples outside = testing::dense({{1, 2}, {3, -0.5}});
  for (const char* spec : {"intersection()", "spline()", "normalize(spline()[1]) + rbf(gamma=1)"}) {
    EXPECT_TRUE(definiteness_on(parse_kernel(spec), inside, mercer::Run()).is_positive()) << spec;
    const Definiteness lost = definiteness_on(parse_kernel(spec), outside, mercer::Run());
    EXPECT_EQ(lost.kind, DefinitenessKind::indefinite) << spec;
    EXPECT_NE(to_string(lost).find(" (counted from 0) is -0.5, and "), std::string::npos) << to_string(lost);
  }
  EXPECT_LT(testing::smallest_eigenvalue(gram("spline()", testing::dense({{-1}, {-2}, {-3}}))), -0.1)
      << "indefinite there";
}

TEST(Anova, IsTheElementarySymmetricFunction) {
  const double g = 0.7;
  const auto factor = [&](double x, double y) { return std::exp(-g * (x - y) * (x - y)); };
  expect_formula("anova(degree=2, gamma=0.7)", 4, false, [&](const Vector& x, const Vector& y) {
    double sum = 0;
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = a + 1; b < 4; ++b) {
        sum += factor(x[a], y[a]) * factor(x[b], y[b]);
      }
    }
    return sum;
  });
  expect_formula("anovadot(degree=3, gamma=0.7)", 4, false, [&](const Vector& x, const Vector& y) {
    double sum = 0;
    for (std::size_t a = 0; a < 4; ++a) {
      sum += factor(x[a], y[a]);
    }
    return sum * sum * sum;
  });
}

TEST(Anova, OfAllColumnsIsTheProductAndOfTooManyIsRefused) {
  const Samples points = dense(random_points(6, 3, 5));
  const Matrix<double> a = gram("anova(degree=3, gamma=0.4)", points);
  const Matrix<double> b = gram("rbf(gamma=0.4)", points);
  for (Index i = 0; i < 36; ++i) {
    EXPECT_NEAR(a.data()[i], b.data()[i], 1e-13);
  }
  EXPECT_ERROR(gram("anova(degree=4)", points), InvalidArgument, "anova: degree = 4 with 3 columns");
}

TEST(Spline, HasTheValuesOfItsIntegral) {
  EXPECT_NEAR(value("spline()", {1}, {2}), 23.0 / 6, 1e-14);
  // 1 + xy + ∫_0^min (x−t)(y−t) dt by the midpoint rule
  expect_formula("spline()", 2, true, [](const Vector& x, const Vector& y) {
    double product = 1;
    for (std::size_t c = 0; c < 2; ++c) {
      const double low = std::min(x[c], y[c]);
      // Simpson's rule is exact for quadratics.
      const auto f = [&](double t) { return (x[c] - t) * (y[c] - t); };
      product *= 1 + x[c] * y[c] + low / 6 * (f(0) + 4 * f(low / 2) + f(low));
    }
    return product;
  });
}

// The alternating closed form, exact enough for small orders.
double b_spline_closed(int n, double t) {
  double sum = 0;
  double binomial = 1;
  for (int j = 0; j <= n + 1; ++j) {
    const double u = t + 0.5 * (n + 1) - j;
    sum += (j % 2 == 0 ? 1 : -1) * binomial * (u > 0 ? std::pow(u, n) : 0.0);
    binomial *= static_cast<double>(n + 1 - j) / (j + 1);
  }
  return sum / std::tgamma(n + 1);
}

TEST(BSpline, HasTheKnownValues) {
  const auto b = [](int n, double t) {
    return value("bspline(order=" + std::to_string(n) + ", lengthscale=1)", {0}, {t});
  };
  EXPECT_NEAR(b(1, 0), 1, 1e-15);
  EXPECT_NEAR(b(2, 0), 0.75, 1e-15);
  EXPECT_NEAR(b(3, 0), 2.0 / 3, 1e-15);
  EXPECT_NEAR(b(3, 1), 1.0 / 6, 1e-15);
  EXPECT_NEAR(b(3, -1), 1.0 / 6, 1e-15);
  EXPECT_NEAR(b(5, 0), 0.55, 1e-15);
  for (int n = 1; n <= 7; ++n) {
    for (double t = -5; t <= 5; t += 0.17) {
      EXPECT_NEAR(b(n, t), b_spline_closed(n, t), 1e-12) << n << " " << t;
    }
  }
  EXPECT_EQ(b(3, 2), 0);
  EXPECT_GT(b(41, 0), 0);                                 // the closed form has lost all digits here
  EXPECT_NEAR(b(41, 0), std::sqrt(6 / (pi * 42)), 2e-3);  // central limit theorem: variance (n+1)/12
}

TEST(BSpline, OddOrdersArePositiveAndEvenOnesAreNot) {
  Points line;
  for (int i = 0; i < 24; ++i) {
    line.push_back({0.35 * i});
  }
  EXPECT_NEAR(smallest_eigenvalue(gram("bspline(order=2, lengthscale=1)", dense(line))), -0.055, 1e-3);
  EXPECT_GT(smallest_eigenvalue(gram("bspline(order=3, lengthscale=1)", dense(line))), -1e-13);
  EXPECT_EQ(parse_kernel("bspline(order=2)").definiteness().kind, DefinitenessKind::indefinite);
  EXPECT_TRUE(parse_kernel("bspline(order=5)").definiteness().is_positive());
  EXPECT_ERROR(parse_kernel("bspline(order=200)"), InvalidArgument, "kernel spec: bspline: order = 200");
}

TEST(Dirichlet, HasTheKnownValues) {
  EXPECT_NEAR(value("dirichlet(order=10)", {0}, {0.7}), 2.553725, 1e-6);
  EXPECT_NEAR(value("dirichlet(order=10)", {0}, {0}), 21, 0);
  EXPECT_NEAR(value("dirichlet(order=10)", {0}, {2 * pi}), 21, 1e-9);
  double sum = 1;
  for (int j = 1; j <= 10; ++j) {
    sum += 2 * std::cos(j * 0.7);
  }
  EXPECT_NEAR(value("dirichlet(order=10, period=3)", {1}, {1 + 0.7 * 3 / (2 * pi)}), sum, 1e-12);
}

TEST(Dirichlet, HasRankTwiceItsOrderPlusOne) {
  const Matrix<double> k = gram("dirichlet(order=2)", dense(random_points(20, 1, 6)));
  const Dense e = Dense(k).eigenvalues();
  EXPECT_GT(e(15), 1e-3);
  EXPECT_LT(std::abs(e(14)), 1e-12);
}

TEST(Periodized, GaussianAgreesInBothFormsAndWithTheFourierKernel) {
  EXPECT_NEAR(value("periodized(lengthscale=0.8)", {0}, {1.3}), 0.26705184, 5e-9);
  // = σ/√(2π) (1 + 2·periodic_gaussian) for the period 2π
  for (const double sigma : {0.3, 0.8, 2.0, 6.2, 6.4, 9.0}) {
    const std::string s = std::to_string(sigma);
    const double wound = value("periodized(lengthscale=" + s + ")", {0}, {1.3});
    const double series = value("periodic_gaussian(lengthscale=" + s + ")", {0}, {1.3});
    EXPECT_NEAR(wound, sigma / std::sqrt(2 * pi) * (1 + 2 * series), 1e-12 * std::max(1.0, wound)) << sigma;
  }
}

TEST(Periodized, LaplacianHasItsClosedForm) {
  EXPECT_NEAR(value("periodized(base=laplacian, lengthscale=1, period=2)", {0}, {0.6}), 0.91990408, 5e-9);
  double sum = 0;
  for (int n = -200; n <= 200; ++n) {
    sum += std::exp(-std::abs(-3.7 + 2.5 * n) / 0.9);
  }
  EXPECT_NEAR(value("periodized(base=laplacian, lengthscale=0.9, period=2.5)", {0}, {3.7}), sum, 1e-12);
}

TEST(PeriodicGaussian, TruncatesAndRescales) {
  const double t = 1.1;
  EXPECT_NEAR(value("periodic_gaussian(lengthscale=0.5, terms=2)", {0}, {t}),
              std::exp(-0.125) * std::cos(t) + std::exp(-0.5) * std::cos(2 * t), 1e-14);
  EXPECT_NEAR(value("periodic_gaussian(lengthscale=0.5, rescale=unit)", {0}, {0}), 1, 1e-14);
  EXPECT_NEAR(value("periodic_gaussian(lengthscale=0.5, rescale=unit)", {0}, {pi}), 0, 1e-14);
}

Samples color_table() {
  std::vector<Table::Column> others;
  others.push_back({"colour", make_categories({0, 1, 0, -1, -1}, {"red", "green"})});
  others.push_back({"size", make_categories({0, 0, 0, 0, 0}, {"small"})});
  return make_table(Table(make_dense(std::vector<double>{1, 1, 2, 1, 1}, 5, 1), {"width"}, std::move(others)));
}

TEST(Hamming, CountsDifferencesAndUnknownLevelsEqualNothing) {
  const Matrix<double> k = gram("hamming(gamma=0.5)", color_table());
  EXPECT_DOUBLE_EQ(k(0, 0), 1);
  EXPECT_DOUBLE_EQ(k(0, 1), std::exp(-0.5));
  EXPECT_DOUBLE_EQ(k(0, 2), std::exp(-0.5));
  EXPECT_DOUBLE_EQ(k(1, 2), std::exp(-1.0));
  EXPECT_DOUBLE_EQ(k(3, 4), std::exp(-0.5));
  EXPECT_DOUBLE_EQ(k(3, 3), std::exp(-0.5));
  EXPECT_GT(smallest_eigenvalue(k), -1e-14);
  EXPECT_EQ(testing::diagonal(parse_kernel("hamming(gamma=0.5)"), color_table())[3], k(3, 3));
}

TEST(Delta, ComparesValuesOfOneColumnOrAll) {
  const Matrix<double> all = gram("delta()", color_table());
  const Matrix<double> color = gram("delta()[colour]", color_table());
  const Matrix<double> two = gram("delta()[colour, size]", color_table());
  EXPECT_EQ(all(0, 2), 0);
  EXPECT_EQ(color(0, 2), 1);
  EXPECT_EQ(two(0, 2), 1);
  EXPECT_EQ(color(0, 1), 0);
  EXPECT_EQ(color(3, 3), 0);
  EXPECT_EQ(color(3, 4), 0);
}

TEST(Delta, MatchesLevelsByName) {
  const Samples train = make_categories({0, 1}, {"red", "green"});
  const Samples test = make_categories({0, 1, 2}, {"green", "blue", "red"});
  const Matrix<double> k = cross(parse_kernel("delta()"), test, train);
  EXPECT_EQ(k(0, 0), 0);
  EXPECT_EQ(k(0, 1), 1);
  EXPECT_EQ(k(1, 0) + k(1, 1), 0);
  EXPECT_EQ(k(2, 0), 1);
}

TEST(Delta, RefusesTextsAmongItsColumns) {
  const Samples table = make_table(Table(make_dense(std::vector<double>{1, 1}, 2, 1), {"width"},
                                         {{"note", make_strings(std::vector<std::string>{"warm", "cold"})}}));
  EXPECT_NO_THROW(gram("delta()[width]", table));
  EXPECT_ERROR(gram("delta()[width, note]", table), InvalidArgument, "'note'");
}

TEST(White, KnowsTheSampleNotItsValue) {
  const Samples points = dense({{1, 2}, {1, 2}, {3, 4}});
  const Matrix<double> k = gram("white(variance=0.3)", points);
  EXPECT_EQ(k(0, 0), 0.3);
  EXPECT_EQ(k(0, 1), 0);
  const Matrix<double> other = cross(parse_kernel("white(variance=0.3)"), dense({{1, 2}}), points);
  EXPECT_EQ(other(0, 0), 0);
  const std::vector<Index> rows = {2, 0};
  const Matrix<double> subset = cross(parse_kernel("white(variance=0.3)"), points.select(rows), points);
  EXPECT_EQ(subset(0, 2), 0.3);
  EXPECT_EQ(subset(0, 0), 0);
  EXPECT_EQ(subset(1, 0), 0.3);
}

TEST(Constant, IsWhatANumberInASumStandsFor) {
  EXPECT_EQ(value("constant(value=0.7)", {1}, {2}), 0.7);
  EXPECT_DOUBLE_EQ(value("linear() + 0.5", {1}, {2}), 2.5);
  EXPECT_ERROR(parse_kernel("constant(value=-1)"), InvalidArgument, "kernel spec: constant: value = -1");
}

TEST(Coregion, IsTheCovarianceOfTasks) {
  const Samples tasks = dense({{0}, {2}, {1}, {2}});
  const Matrix<double> k = gram("coregion(tasks=3, rank=2, W=[1, 2, 3, 4, 5, 6], kappa=[0.1, 0.2, 0.3])", tasks);
  EXPECT_DOUBLE_EQ(k(0, 0), 5.1);
  EXPECT_DOUBLE_EQ(k(0, 1), 17);
  EXPECT_DOUBLE_EQ(k(1, 3), 61.3);
  EXPECT_DOUBLE_EQ(k(2, 1), 39);
  const Matrix<double> named = gram("coregion(tasks=2, W=[1, 2], kappa=0.5)", make_categories({1, 0}, {"a", "b"}));
  EXPECT_DOUBLE_EQ(named(0, 0), 4.5);
  EXPECT_DOUBLE_EQ(named(0, 1), 2);
  EXPECT_ERROR(gram("coregion(tasks=2)", tasks), DataError,
               "coregion: row 1 has task 2; tasks are whole numbers from 0 to 1");
  const Matrix<double> any = gram("coregion(W=2, kappa=0.5)", tasks);
  EXPECT_DOUBLE_EQ(any(1, 3), 4.5);
  EXPECT_DOUBLE_EQ(any(0, 1), 4);
  EXPECT_ERROR(gram("coregion(tasks=3)", dense({{0.5}})), DataError,
               "coregion: row 0 has task 0.5; tasks are whole numbers from 0 to 2");
  EXPECT_ERROR(gram("coregion(tasks=3)", dense({{0, 1}})), InvalidArgument,
               "coregion takes one column that numbers the tasks");
  EXPECT_ERROR(parse_kernel("coregion(tasks=3, W=[1, 2])"), InvalidArgument, "coregion: W is a list of 2 numbers");
}

TEST(RankOne, IsAProductOfOneFeature) {
  EXPECT_DOUBLE_EQ(value("rank_one(column=1)", {1, 2}, {3, 4}), 8);
  EXPECT_DOUBLE_EQ(value("rank_one(function=norm)", {3, 4}, {6, 8}), 50);
  EXPECT_DOUBLE_EQ(value("rank_one(function=linear, weights=[1, -1])", {3, 4}, {6, 8}), 2);
  EXPECT_ERROR(value("rank_one(column=2)", {1, 2}, {3, 4}), InvalidArgument,
               "rank_one: column = 2: there are 2 columns");
  EXPECT_ERROR(parse_kernel("rank_one(function=linear)"), InvalidArgument,
               "rank_one: weights belong to function=linear");
}

TEST(Precomputed, ReadsTheColumnOfTheTrainingSample) {
  const Samples train = dense({{4, 1, 2}, {1, 5, 3}, {2, 3, 6}});
  const Kernel k = parse_kernel("precomputed()");
  const Matrix<double> all = gram(k, train);
  EXPECT_EQ(all(1, 2), 3);
  EXPECT_EQ(testing::diagonal(k, train)[2], 6);
  // Support vectors: rows 2 and 0 of the training matrix.
  const std::vector<Index> rows = {2, 0};
  const Samples support = train.select(rows);
  const Matrix<double> small = gram(k, support);
  EXPECT_EQ(small(0, 0), 6);
  EXPECT_EQ(small(0, 1), 2);
  EXPECT_EQ(small(1, 1), 4);
  const Matrix<double> test = cross(k, dense({{7, 8, 9}}), support);
  EXPECT_EQ(test(0, 0), 9);
  EXPECT_EQ(test(0, 1), 7);
}

TEST(Precomputed, ReadsTransposedTilesAndRefusesTestAgainstTest) {
  const Samples train = dense({{4, 1}, {1, 5}});
  const PreparedKernel prepared(parse_kernel("precomputed()"), train, Precision::double_precision, mercer::Run());
  const auto test = prepared.prepare(dense({{7, 8}}), mercer::Run());
  Workspace workspace;
  TileContext<double> transposed(prepared.reference(), {0, 2}, *test, {0, 1}, workspace);
  Matrix<double> k(2, 1);
  prepared.kernel().node().tile(transposed, k.view());
  EXPECT_EQ(k(0, 0), 7);
  EXPECT_EQ(k(1, 0), 8);
  TileContext<double> unknown(*test, {0, 1}, *test, {0, 1}, workspace);
  EXPECT_ERROR(prepared.kernel().node().tile(unknown, k.view().block(0, 0, 1, 1)), InvalidArgument,
               "precomputed: values between two samples that are not training samples are");
}

TEST(Precomputed, TakesLibsvmSerialNumbers) {
  const Kernel k = parse_kernel("precomputed(ids=first_column)");
  // Support vectors 3 and 1 as a model file keeps them: whole rows, numbered in front.
  const Samples support = dense({{3, 2, 3, 6}, {1, 4, 1, 2}});
  EXPECT_EQ(gram(k, support)(0, 1), 2);
  EXPECT_EQ(gram(k, support)(0, 0), 6);
  EXPECT_EQ(cross(k, dense({{0, 7, 8, 9}}), support)(0, 0), 9);
}

TEST(Precomputed, RefusesWhatIsNotAKernelMatrix) {
  EXPECT_ERROR(gram("precomputed()", dense({{1, 2}, {2, 1}, {0, 0}})), DataError,
               "precomputed: training row 2 is sample 2");
  EXPECT_ERROR(gram("precomputed()", dense({{1, 2}, {3, 1}})), DataError, "precomputed: the matrix is not symmetric");
  EXPECT_FALSE(parse_kernel("precomputed(definiteness=indefinite)").definiteness().is_positive());
}

TEST(Cyclic, IsAFunctionOfTheStepsAround) {
  const std::string spec = "cyclic(values=[5, 3, 1, 1, 3])";
  EXPECT_EQ(value(spec, {0}, {4}), 3);
  EXPECT_EQ(value(spec, {-1}, {1}), 1);
  EXPECT_EQ(value(spec, {12}, {2}), 5);
  EXPECT_EQ(value(spec, {0, 1}, {1, 3}), 3 * 1) << "columns are factors";
  EXPECT_ERROR(value(spec, {0.5}, {1}), DataError, "cyclic needs whole numbers");
  EXPECT_ERROR(parse_kernel("cyclic(values=[1, 0.5, 0.4])"), InvalidArgument,
               "cyclic: values[1] = 0.5 and values[2] = 0.4 must be equal");
}

TEST(Cyclic, IsPositiveWhereTheFourierTransformIs) {
  // The eigenvalues of the circulant matrix are the coefficients: 1 + 2 h cos(2 pi m/6), at least 1 - 2 h.
  EXPECT_EQ(parse_kernel("cyclic(values=[1, 0.5, 0, 0, 0, 0.5])").definiteness().kind, DefinitenessKind::positive);
  EXPECT_EQ(parse_kernel("cyclic(values=[1, 0.51, 0, 0, 0, 0.51])").definiteness().kind, DefinitenessKind::indefinite);
  const Samples circle = dense({{0}, {1}, {2}, {3}, {4}, {5}});
  EXPECT_NEAR(smallest_eigenvalue(gram("cyclic(values=[1, 0.51, 0, 0, 0, 0.51])", circle)), -0.02, 1e-12);
  EXPECT_NEAR(smallest_eigenvalue(gram("cyclic(values=[1, 0.4, 0, 0, 0, 0.4])", circle)), 0.2, 1e-12);
}

}  // namespace
}  // namespace mercer
