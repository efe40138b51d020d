// Values of the radial kernels against closed forms, the golden values of the specification, and tables computed with
// 40 digits (Bessel functions).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "kernels/kernel_values.h"
#include "mercer/base/error.h"
#include "mercer/kernels/radial/bessel_k.h"
#include "mercer/kernels/registry.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::is_definite_on;
using testing::kernel_gram;
using testing::kernel_value;
using testing::kernel_values;
using testing::pair_derivatives;
using testing::Points;

// k at distance r on the line, and at the same distance in three dimensions.
void expect_at(const std::string& spec, double r, double expected) {
  const double tolerance = 1e-13 * std::max(1.0, std::abs(expected));
  EXPECT_NEAR(kernel_value(spec, {0.0}, {r}), expected, tolerance) << spec << " at " << r;
  EXPECT_NEAR(kernel_value<float>(spec, {0.0}, {r}), expected, 2e-6 * std::max(1.0, std::abs(expected)))
      << spec << " at " << r << " in single precision";
}
void expect_in_space(const std::string& spec, double r, double expected) {
  expect_at(spec, r, expected);
  EXPECT_NEAR(kernel_value(spec, {1, 2, 3}, {1 + r / 3, 2 - 2 * r / 3, 3 + 2 * r / 3}), expected,
              1e-12 * std::max(1.0, std::abs(expected)))
      << spec << " at " << r << " in space";
}

struct BesselCase {
  double order;
  double z;
  double value;
};

TEST(BesselK, AgreesWithFortyDigits) {
  const std::vector<BesselCase> cases = {{0.1, 1e-13, 0.99754370705100077},
                                         {0.1, 1e-6, 0.93830071069622569},
                                         {0.1, 0.01, 0.61072273291110269},
                                         {0.1, 0.7, 0.12562161773059987},
                                         {0.1, 1.99, 0.024277931461318799},
                                         {0.1, 2.01, 0.023712191559023521},
                                         {0.1, 9, 1.2439362629005854e-5},
                                         {0.1, 60, 4.1769124588270344e-28},
                                         {0.1, 500, 1.4578511394683926e-219},
                                         {0.8, 1e-13, 1.0},
                                         {0.8, 1e-6, 0.99999999959282168},
                                         {0.8, 0.01, 0.9990990614957873},
                                         {0.8, 0.7, 0.66151974661963445},
                                         {0.8, 1.99, 0.22522146829382456},
                                         {0.8, 2.01, 0.22127575127277174},
                                         {0.8, 9, 0.00030115072957248992},
                                         {0.8, 60, 3.7102535851026827e-26},
                                         {0.8, 500, 5.6865192526812102e-217},
                                         {1, 1e-13, 1.0},
                                         {1, 1e-6, 0.99999999999278428},
                                         {1, 0.01, 0.99973894118296248},
                                         {1, 0.7, 0.73519847471904257},
                                         {1, 1.99, 0.2820179476285786},
                                         {1, 2.01, 0.27746216341160741},
                                         {1, 9, 0.00048273314741506751},
                                         {1, 60, 8.5537921591026259e-26},
                                         {1, 500, 1.9981559692730017e-216},
                                         {1.000001, 1e-13, 1.0},
                                         {1.000001, 1e-6, 0.99999999999278438},
                                         {1.000001, 0.01, 0.99973894255847135},
                                         {1.000001, 0.7, 0.73519878777910703},
                                         {1.000001, 1.99, 0.28201822430185592},
                                         {1.000001, 2.01, 0.27746243745529102},
                                         {1.000001, 9, 0.00048273420300631328},
                                         {1.000001, 60, 8.5538263310720263e-26},
                                         {1.000001, 500, 1.9981681594078844e-216},
                                         {2, 1e-13, 1.0},
                                         {2, 1e-6, 0.99999999999975},
                                         {2, 0.01, 0.99997500341947053},
                                         {2, 0.7, 0.89702584039824245},
                                         {2, 1.99, 0.51032121246947425},
                                         {2, 2.01, 0.50472659784708794},
                                         {2, 9, 0.002543426322151667},
                                         {2, 60, 2.6305540345974203e-24},
                                         {2, 500, 5.0103835710899711e-214},
                                         {3.3, 1e-13, 1.0},
                                         {3.3, 1e-6, 0.9999999999998913},
                                         {3.3, 0.01, 0.99998913053929486},
                                         {3.3, 0.7, 0.94905643897539658},
                                         {3.3, 1.99, 0.67959493819657771},
                                         {3.3, 2.01, 0.6747488171345421},
                                         {3.3, 9, 0.0095942969486457291},
                                         {3.3, 60, 8.636480839595476e-23},
                                         {3.3, 500, 2.4631497090271001e-211},
                                         {7.5, 1e-13, 1.0},
                                         {7.5, 1e-6, 0.99999999999996154},
                                         {7.5, 0.01, 0.99999615385489509},
                                         {7.5, 0.7, 0.98136183583388038},
                                         {7.5, 1.99, 0.86045752210253485},
                                         {7.5, 2.01, 0.85788328215233282},
                                         {7.5, 9, 0.074596775927113543},
                                         {7.5, 60, 2.8799319092919699e-19},
                                         {7.5, 500, 4.3558909687448407e-204},
                                         {20.25, 1e-13, 1.0},
                                         {20.25, 1e-6, 0.99999999999998701},
                                         {20.25, 0.01, 0.99999870129959082},
                                         {20.25, 0.7, 0.99365767058501608},
                                         {20.25, 1.99, 0.94993882622603862},
                                         {20.25, 2.01, 0.94895517902538122},
                                         {20.25, 9, 0.35921381297233926},
                                         {20.25, 60, 2.5927424034354895e-13},
                                         {20.25, 500, 1.6987076336036888e-187},
                                         {150, 1e-13, 1.0},
                                         {150, 1e-6, 0.99999999999999832},
                                         {150, 0.01, 0.99999983221477927},
                                         {150, 0.7, 0.99917819250141646},
                                         {150, 1.99, 0.99337771070276095},
                                         {150, 2.01, 0.99324438640665144},
                                         {150, 9, 0.87297905371768942},
                                         {150, 60, 0.0026763995853898825},
                                         {150, 500, 5.0507801774324273e-110},
                                         {0, 1e-6, 13.931442073626419},
                                         {0, 0.7, 0.66051985991510155},
                                         {0, 2.01, 0.11250436099872802}};
  for (const BesselCase& c : cases) {
    EXPECT_NEAR(scaled_matern(c.order, c.z) * std::exp(-c.z) / c.value, 1, 3e-14) << c.order << " " << c.z;
    const double log_value = std::log(c.value);
    EXPECT_NEAR(MaternTable(c.order).log_value(c.z), log_value, 1e-14 + 2e-15 * std::abs(log_value))
        << c.order << " " << c.z;
  }
}

TEST(BesselK, TableFollowsTheFunctionOnEveryInterval) {
  for (const double order : {0.0, 0.3, 1.0, 4.7, 30.0, 200.0}) {
    const MaternTable table(order);
    for (double z = 1e-14; z < 2000; z *= 1.137) {
      const double expected = std::log(scaled_matern(order, z)) - z;
      EXPECT_NEAR(table.log_value(z), expected, 2e-14 + 2e-15 * std::abs(expected)) << order << " " << z;
    }
    EXPECT_EQ(std::exp(table.log_value(5000)), 0);
  }
}

TEST(Matern, ClosedForms) {
  for (const double r : {0.0, 1e-9, 0.3, 1.7, 12.0}) {
    const double s = r / 0.8;
    expect_in_space("matern(nu=0.5, lengthscale=0.8)", r, std::exp(-s));
    expect_in_space("matern(nu=1.5, lengthscale=0.8)", r, (1 + std::sqrt(3.0) * s) * std::exp(-std::sqrt(3.0) * s));
    expect_in_space("matern(nu=2.5, lengthscale=0.8)", r,
                    (1 + std::sqrt(5.0) * s + 5 * s * s / 3) * std::exp(-std::sqrt(5.0) * s));
    expect_in_space("matern(nu=inf, lengthscale=0.8)", r, std::exp(-s * s / 2));
    // 7/2 has a closed form too, but goes through the table.
    const double z = std::sqrt(7.0) * s;
    expect_in_space("matern(nu=3.5, lengthscale=0.8)", r, (1 + z + 2 * z * z / 5 + z * z * z / 15) * std::exp(-z));
  }
  expect_in_space("matern(nu=3.3, lengthscale=1)", 9 / std::sqrt(6.6), 0.0095942969486457291);
  expect_in_space("matern(nu=0.1, lengthscale=2)", 2 * 0.7 / std::sqrt(0.2), 0.12562161773059987);
}

TEST(Matern, TableAndClosedFormsAgreeInAllDerivatives) {
  // Orders next to the closed ones take the other path.
  for (const double nu : {0.5, 1.5, 2.5}) {
    const std::string exact = "matern(lengthscale=1.3, nu=" + std::to_string(nu) + ")";
    const std::string table = "matern(lengthscale=1.3, nu=" + std::to_string(nu + 1e-6) + ")";
    const auto a = pair_derivatives(exact, {0.4, 1}, {1, -0.2});
    const auto b = pair_derivatives(table, {0.4, 1}, {1, -0.2});
    EXPECT_NEAR(a.value, b.value, 1e-5);
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR(a.dx[j], b.dx[j], 1e-5) << nu;
    }
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_NEAR(a.mixed[j], b.mixed[j], 1e-4) << nu;
    }
  }
}

TEST(Matern, RefusesOrdersBeyondItsTable) {
  EXPECT_ERROR(parse_kernel("matern(nu=201)"), InvalidArgument, "kernel spec: matern: nu = 201");
  EXPECT_ERROR(parse_kernel("matern(nu=0)"), InvalidArgument, "kernel spec: matern: nu = 0");
  EXPECT_NO_THROW(parse_kernel("matern(nu=0.5..3)"));
}

TEST(Radial, ValuesOnTheLineAndInSpace) {
  for (const double r : {0.0, 0.2, 1.0, 3.7}) {
    const double s = r / 1.6;
    expect_in_space("exponential(lengthscale=1.6)", r, std::exp(-s));
    expect_in_space("power_exponential(lengthscale=1.6, beta=1.3)", r, std::exp(-std::pow(s, 1.3)));
    expect_in_space("power_exponential(lengthscale=1.6, beta=2)", r, std::exp(-s * s));
    expect_in_space("power_exponential(lengthscale=1.6, beta=0)", r, std::exp(-1.0));
    expect_in_space("rq(lengthscale=1.6, alpha=0.7)", r, std::pow(1 + s * s / 1.4, -0.7));
    expect_in_space("rq(lengthscale=1.6, alpha=1e9)", r, std::exp(-s * s / 2) * (1 + s * s * s * s / 8e9));
    expect_in_space("cauchy(lengthscale=1.6)", r, 1 / (1 + s * s));
    expect_in_space("inverse_multiquadric(c=0.6)", r, 1 / std::sqrt(r * r + 0.36));
    expect_in_space("inverse_multiquadric(lengthscale=1.6)", r, 1 / std::sqrt(s * s + 1));
    expect_in_space("multiquadric(c=0.6)", r, -std::sqrt(r * r + 0.36));
    expect_in_space("multiquadric(lengthscale=1.6, c=2)", r, -std::sqrt(s * s + 4));
    expect_in_space("inverse_quadratic(a=0.6)", r, 1 / (r * r + 0.36));
    expect_in_space("negative_distance()", r, -r);
    expect_in_space("negative_distance(beta=1.4)", r, -std::pow(r, 1.4));
    expect_in_space("negative_distance(beta=2, lengthscale=1.6)", r, -s * s);
    expect_in_space("negative_distance(beta=0)", r, r > 0 ? -1 : 0);
    expect_in_space("log_distance(lengthscale=1.6, beta=1.2)", r, -std::log1p(std::pow(s, 1.2)));
    expect_in_space("thin_plate()", r, r > 0 ? r * r * std::log(r) : 0);
    expect_in_space("thin_plate(n=2)", r, r > 0 ? -std::pow(r, 4) * std::log(r) : 0);
    expect_in_space("inverse_polynomial(lengthscale=1.6, dimension=4)", r, std::pow(1 + s * s, -2.5));
  }
}

TEST(Radial, DimensionComesFromTheData) {
  const Samples three = testing::points({{0, 1, 2}, {3, 4, 5}});
  const auto resolved = [&](const char* spec) {
    return resolve_widths(parse_kernel(spec), three, mercer::Run()).spec();
  };
  EXPECT_EQ(resolved("inverse_polynomial(lengthscale=2)"), "inverse_polynomial(lengthscale=2, dimension=3)");
  EXPECT_EQ(resolved("wendland(lengthscale=2)"), "wendland(lengthscale=2, smoothness=1, dimension=3)");
  EXPECT_EQ(resolved("ball_spline(lengthscale=2)[0, 1]"), "ball_spline(lengthscale=2, order=1, dimension=2)[0, 1]");
  EXPECT_EQ(resolved("wendland(lengthscale=2, dimension=7)"), "wendland(lengthscale=2, smoothness=1, dimension=7)");
  EXPECT_ERROR(parse_kernel("wendland(dimension=scale)"), InvalidArgument, "kernel spec: wendland: dimension = scale");
}

TEST(Radial, CompactSupportsStretchTheWidthOfTheData) {
  const Samples samples = testing::points({{0.0}, {2.0}});  // variance 1: l = sqrt(1/2)
  const Kernel wendland = resolve_widths(parse_kernel("wendland()"), samples, mercer::Run());
  EXPECT_NEAR(wendland.node().parameters().number("lengthscale"), 4 * std::sqrt(0.5), 1e-15);
  const Kernel ball = resolve_widths(parse_kernel("ball_spline()"), samples, mercer::Run());
  EXPECT_NEAR(ball.node().parameters().number("lengthscale"), 2 * std::sqrt(0.5), 1e-15);
  const Kernel smooth = resolve_widths(parse_kernel("ball_spline(order=7)"), samples, mercer::Run());
  EXPECT_NEAR(smooth.node().parameters().number("lengthscale"), std::sqrt(0.5), 1e-15);
}

TEST(Wendland, PolynomialsOfThreeDimensions) {
  for (const double r : {0.0, 0.1, 0.5, 0.93, 1.0, 1.5}) {
    const double q = std::max(0.0, 1 - r);
    expect_in_space("wendland(smoothness=0, dimension=3, lengthscale=1)", r, q * q);
    expect_in_space("wendland(smoothness=1, dimension=3, lengthscale=1)", r, std::pow(q, 4) * (4 * r + 1));
    expect_in_space("wendland(smoothness=2, dimension=3, lengthscale=1)", r,
                    std::pow(q, 6) * (35 * r * r + 18 * r + 3) / 3);
    expect_in_space("wendland(smoothness=3, dimension=3, lengthscale=1)", r,
                    std::pow(q, 8) * (32 * r * r * r + 25 * r * r + 8 * r + 1));
    expect_at("wendland(smoothness=0, dimension=1, lengthscale=1)", r, q);
    expect_at("wendland(smoothness=1, dimension=1, lengthscale=1)", r, std::pow(q, 3) * (3 * r + 1));
    expect_at("wendland(smoothness=2, dimension=1, lengthscale=1)", r, std::pow(q, 5) * (8 * r * r + 5 * r + 1));
    EXPECT_NEAR(kernel_value("wendland(smoothness=1, dimension=200, lengthscale=1)", {0.0}, {r}),
                std::pow(q, 103) * (103 * r + 1), 1e-13);
  }
}

TEST(Wendland, RefusesMoreColumnsThanItsDimension) {
  const std::vector<double> x = {0, 0, 0, 0};
  EXPECT_FALSE(is_definite_on("wendland(dimension=3, lengthscale=1)", x));
  EXPECT_FALSE(is_definite_on("wendland(dimension=1, lengthscale=1)", {0, 0}));
  EXPECT_EQ(kernel_value("wendland(dimension=1, lengthscale=1)", {0, 0}, {0, 0}), 1)
      << "its formula holds all the same";
  // 2 and 3 dimensions share their polynomials; a column of infinite length scale does not count.
  EXPECT_EQ(kernel_value("wendland(dimension=2, lengthscale=1)", {0, 0, 0}, {0, 0, 0}), 1);
  EXPECT_TRUE(is_definite_on("wendland(dimension=3, lengthscale=[1, 1, inf, 1])", x));
  EXPECT_EQ(parse_kernel("wendland(dimension=4)").definiteness().domain.largest_dimension, 5);
  EXPECT_ERROR(parse_kernel("wendland(smoothness=4)"), InvalidArgument, "kernel spec: wendland: smoothness = 4");
}

TEST(Sobolev, GoldenValuesAndDomain) {
  EXPECT_NEAR(kernel_value("sobolev(lengthscale=1)", {0.0}, {0.5}), 0.9063055, 5e-8);
  EXPECT_NEAR(kernel_value("sobolev(lengthscale=2)", {1.0}, {-2.4}), 0.4499284, 5e-8);
  expect_at("sobolev(lengthscale=1)", 0, 1);
  EXPECT_FALSE(is_definite_on("sobolev(lengthscale=1)", {0, 0}));
  EXPECT_TRUE(is_definite_on("sobolev(lengthscale=1)", {0}));
  EXPECT_TRUE(is_definite_on("sobolev(lengthscale=[inf, 1])", {0, 0})) << "a column that is off is none";
  EXPECT_NEAR(kernel_value("sobolev(lengthscale=[inf, 1])", {7, 0}, {-3, 0.5}), 0.9063055, 5e-8);
}

TEST(Sobolev, SpectrumIsOneOverOnePlusSquarePlusFourthPower) {
  // 2 ∫ k(t) cos(ωt) dt over t > 0 is proportional to 1/(1+ω²+ω⁴); trapezoids up to t = 60.
  const auto spectrum = [](double omega) {
    double sum = 0.5;
    for (int i = 1; i < 60000; ++i) {
      const double t = i * 1e-3;
      sum += std::exp(-std::sqrt(3.0) / 2 * t) * (std::cos(t / 2) + std::sqrt(3.0) * std::sin(t / 2)) *
             std::cos(omega * t);
    }
    return sum;
  };
  for (const double omega : {0.5, 1.0, 2.0}) {
    EXPECT_NEAR(spectrum(omega) / spectrum(0), 1 / (1 + omega * omega + std::pow(omega, 4)), 1e-6);
  }
}

// A point is at no distance of itself, whatever the power. The power exponential kernel is constant then.
TEST(NegativeDistance, PowerZeroTellsEqualPointsFromOthers) {
  const Points x = {{1e3, 0.1}, {1e3, 0.1}, {1e3, 0.2}, {-7, 3}};
  for (const auto& rows : {x, Points{{0, 0}, {0, 0}, {1e-9, 0}, {5, 5}}}) {
    const Matrix<double> k = testing::kernel_values("negative_distance(beta=0)", rows, rows);
    const Matrix<float> single = testing::kernel_values<float>("negative_distance(beta=0)", rows, rows);
    const Matrix<double> constant = testing::kernel_values("power_exponential(beta=0, lengthscale=1)", rows, rows);
    for (Index i = 0; i < 4; ++i) {
      for (Index j = 0; j < 4; ++j) {
        const bool same = rows[i] == rows[j];
        EXPECT_EQ(k(i, j), same ? 0 : -1) << i << " " << j;
        EXPECT_EQ(single(i, j), same ? 0 : -1) << i << " " << j;
        EXPECT_NEAR(constant(i, j), std::exp(-1.0), 1e-15) << i << " " << j;
      }
    }
  }
}

TEST(Radial, DefinitenessIsComputedFromTheParameters) {
  const auto of = [](const char* spec) { return parse_kernel(spec).definiteness(); };
  EXPECT_EQ(of("thin_plate(n=1)").order, 2);
  EXPECT_EQ(of("thin_plate(n=3)").order, 4);
  EXPECT_EQ(of("negative_distance()").order, 1);
  EXPECT_TRUE(of("negative_distance()").nonpositive);
  EXPECT_TRUE(of("multiquadric()").nonpositive);
  EXPECT_EQ(of("log_distance()").order, 1);
  EXPECT_TRUE(of("matern()").infinitely_divisible);
  EXPECT_FALSE(of("wendland(dimension=3)").infinitely_divisible);
  EXPECT_EQ(of("sobolev()").domain.largest_dimension, 1);
  EXPECT_ERROR(parse_kernel("power_exponential(beta=2.1)"), InvalidArgument,
               "kernel spec: power_exponential: beta = 2.1");
  EXPECT_ERROR(parse_kernel("negative_distance(beta=2.1)"), InvalidArgument,
               "kernel spec: negative_distance: beta = 2.1");
  EXPECT_ERROR(parse_kernel("log_distance(beta=0)"), InvalidArgument, "kernel spec: log_distance: beta = 0");
}

TEST(ThinPlate, NeedsLinearFunctionsBesideIt) {
  // Σα = 0 alone does not make the form positive; Σα = Σαx = 0 does.
  const Points x = {{0, 0}, {4, 0}, {0, 4}, {4, 4}, {2, 1}, {1, 3}};
  const Dense gram = kernel_gram("thin_plate()", x);
  const auto smallest = [&](Index terms) {
    Dense polynomials(6, 3);
    for (Index i = 0; i < 6; ++i) {
      const std::vector<double>& point = x[i];
      polynomials.set_row(i, Dense::of_rows({{1, point[0], point[1]}}));
    }
    const Dense q = polynomials.first_columns(terms).orthogonal_factor();
    const Dense free = q.block(0, terms, 6, 6 - terms);
    return (free.transpose() * gram * free).eigenvalues()(0);
  };
  EXPECT_LT(smallest(1), -1);
  EXPECT_GT(smallest(3), 1e-3);
}

TEST(Radial, NoNotANumberFromFiniteInput) {
  const Points x = {{0, 0, 0}, {0, 0, 0}, {1e-160, 0, 0}, {1e-30, 1, 2}, {1e6, -1e6, 3}, {1e60, 0, -1e60}};
  for (const KernelEntry* entry : kernel_registry()) {
    if (entry->input != KernelInput::vectors || entry->make == nullptr) {
      continue;
    }
    for (const std::string& spec : entry->examples) {
      const auto domain = parse_kernel(spec).definiteness().domain;
      const bool radial = entry->formula.find("|x-y|") != std::string::npos && !domain.nonnegative;
      if (!radial || spec.find('[') != std::string::npos) {
        continue;
      }
      const Matrix<double> k = kernel_gram(spec, x);
      for (Index i = 0; i < 36; ++i) {
        EXPECT_TRUE(std::isfinite(k.data()[i]) || entry->name == "thin_plate") << spec << " " << i;
      }
      for (std::size_t j = 1; j < 5; ++j) {
        const auto pair = pair_derivatives(spec, x[0], x[j]);
        for (const double value : pair.mixed) {
          EXPECT_TRUE(std::isfinite(value)) << spec << " " << j;
        }
      }
    }
  }
}

}  // namespace
}  // namespace mercer
