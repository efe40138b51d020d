// Kernels from spectra against closed forms, and the waves they are made of.
#include "mercer/kernels/algebra/from_spectrum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kernels/gram_values.h"
#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/kernels/radial/sphere_wave.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

Samples random_samples(Index n, Index d) {
  RandomStream random(41, 0);
  testing::Points points(static_cast<std::size_t>(n), std::vector<double>(d));
  for (auto& point : points) {
    for (double& x : point) {
      x = random.normal();
    }
  }
  return testing::dense(points);
}

void expect_near_profile(const Matrix<double>& a, const Matrix<double>& b, double tolerance) {
  ASSERT_EQ(a.rows(), b.rows());
  for (Index i = 0; i < a.rows() * a.columns(); ++i) {
    EXPECT_NEAR(a.data()[i], b.data()[i], tolerance);
  }
}

TEST(FromSpectrum, OfAGaussianAndOfACauchyDensity) {
  const Samples points = testing::dense({{0}, {0.3}, {1.1}, {-2.4}, {4}});
  const double sigma = 0.8;
  const Kernel gaussian =
      from_spectrum([&](double w) { return sigma * std::exp(-sigma * sigma * w * w / 2); }, 12, 200);
  EXPECT_TRUE(gaussian.definiteness().is_positive());
  EXPECT_EQ(parse_kernel(gaussian.spec()), gaussian);
  const Matrix<double> k = testing::gram(gaussian, points);
  const Matrix<double> rbf = testing::gram("rbf(lengthscale=0.8)", points);
  // exp(−a|t|) has the density √(2/π) a/(a² + ω²), which decays slowly: the tail beyond the cutoff is what is missing.
  const Matrix<double> slow = testing::gram(
      from_spectrum([](double w) { return std::sqrt(2 / std::numbers::pi) / (1 + w * w); }, 2000, 20000), points);
  const Matrix<double> laplacian = testing::gram("laplacian(gamma=1)", points);
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 5; ++j) {
      EXPECT_NEAR(k(i, j), rbf(i, j), 1e-12);
      EXPECT_NEAR(slow(i, j), laplacian(i, j), 2 / (std::numbers::pi * 2000));
    }
  }
}

TEST(FromSpectrum, RefusesWhatIsNoDensity) {
  EXPECT_ERROR(from_spectrum([](double w) { return 1 - w; }, 2, 10), InvalidArgument, "at frequency");
  EXPECT_ERROR(from_spectrum([](double) { return 0.0; }, 2, 10), InvalidArgument,
               "from_spectrum: the density vanishes at every frequency up to the cutoff 2");
  EXPECT_ERROR(from_spectrum([](double) { return std::nan(""); }, 2, 10), InvalidArgument,
               "from_spectrum: the density is nan at frequency 0");
  EXPECT_ERROR(from_spectrum([](double) { return 1.0; }, 0, 10), InvalidArgument, "from_spectrum: cutoff = 0");
  EXPECT_ERROR(from_spectrum([](double) { return 1.0; }, 1, 0), InvalidArgument, "from_spectrum: points = 0");
  EXPECT_ERROR(from_radial_spectrum([](double w) { return 1 - w; }, 2, 10, 3), InvalidArgument, "at frequency");
  EXPECT_ERROR(from_radial_spectrum([](double) { return 1.0; }, 2, 10, 0), InvalidArgument,
               "from_radial_spectrum: dimension = 0");
  const auto flat = [](std::span<const double>) { return 1.0; };
  EXPECT_ERROR(from_spectrum("flat", flat, {}, 10), InvalidArgument, "from_spectrum: give a cutoff for each column");
  EXPECT_ERROR(from_spectrum("flat", flat, {1, 1, 1, 1, 1}, 10), InvalidArgument,
               "from_spectrum: 10 points on 5 columns make more than a million features");
  EXPECT_ERROR(from_spectrum(
                   "tilted", [](std::span<const double> w) { return w[0]; }, {1, 1}, 3),
               InvalidArgument, "at frequency");
}

// exp(−a r) in N dimensions has the density 2^(N/2) a Γ((N+1)/2)/√π (a² + ω²)^(−(N+1)/2).
double exponential_density(Index dimension, double a, double omega) {
  const auto n = static_cast<double>(dimension);
  return std::pow(2, n / 2) * a * std::tgamma((n + 1) / 2) / std::sqrt(std::numbers::pi) *
         std::pow(a * a + omega * omega, -(n + 1) / 2);
}

TEST(FromRadialSpectrum, OfAGaussianInAnyDimension) {
  for (const Index d : {1, 2, 3, 4, 9, 30}) {
    SCOPED_TRACE(d);
    const Samples samples = random_samples(8, d);
    const double sigma = 0.9;
    const Kernel k = from_radial_spectrum(
        [&](double w) { return std::pow(sigma, d) * std::exp(-sigma * sigma * w * w / 2); }, 16, 160, d);
    EXPECT_TRUE(k.definiteness().is_positive());
    EXPECT_EQ(k.definiteness().domain.largest_dimension, d);
    EXPECT_EQ(parse_kernel(k.spec()), k);
    expect_near_profile(testing::gram(k, samples), testing::gram("rbf(lengthscale=0.9)", samples), 1e-11);
  }
}

TEST(FromRadialSpectrum, OfTheSpectraOfExponentialMaternAndCauchy) {
  for (const Index d : {2, 3, 5}) {
    SCOPED_TRACE(d);
    const Samples samples = random_samples(8, d);
    // A spectrum that decays like ω^−(N+1): what lies beyond the cutoff is missing, at most its share of the diagonal.
    const auto slow = [&](double w) { return exponential_density(d, 1.0, w); };
    expect_near_profile(testing::gram(from_radial_spectrum(slow, 3000, 30000, d), samples),
                        testing::gram("exponential(lengthscale=1)", samples), 3.0 / 3000);
    // Matérn 5/2 of length scale 1: the power of the density is larger by 2 and its scale √5.
    const auto n = static_cast<double>(d);
    const double a = std::sqrt(5.0);
    const double height = std::pow(2, n / 2) * std::tgamma(2.5 + n / 2) / std::tgamma(2.5) * std::pow(a, 5);
    const auto smooth = [&](double w) { return height * std::pow(a * a + w * w, -(2.5 + n / 2)); };
    expect_near_profile(testing::gram(from_radial_spectrum(smooth, 400, 4000, d), samples),
                        testing::gram("matern(nu=2.5, lengthscale=1)", samples), 1e-9);
    // (1 + r²)^(−(N+1)/2) and exp(−ω) are a pair, the other way round.
    const double area = std::sqrt(std::numbers::pi) / (std::pow(2, n / 2) * std::tgamma((n + 1) / 2));
    const auto decaying = [&](double w) { return area * std::exp(-w); };
    expect_near_profile(
        testing::gram(from_radial_spectrum(decaying, 60, 400, d), samples),
        testing::gram("inverse_polynomial(lengthscale=1, dimension=" + std::to_string(d) + ")", samples), 1e-11);
  }
  // In three dimensions 1/(1 + r²) has the density √(π/2) exp(−ω)/ω.
  const Samples samples = random_samples(8, 3);
  expect_near_profile(
      testing::gram(
          from_radial_spectrum([](double w) { return std::sqrt(std::numbers::pi / 2) * std::exp(-w) / w; }, 45, 400, 3),
          samples),
      testing::gram("cauchy(lengthscale=1)", samples), 1e-11);
}

TEST(RadialSpectrum, NeedsOneWeightForEachFrequency) {
  EXPECT_ERROR(parse_kernel("radial_spectrum(frequencies=[1, 2], weights=[1, 2, 3])"), InvalidArgument,
               "radial_spectrum: 3 weights for 2 frequencies");
  EXPECT_ERROR(parse_kernel("radial_spectrum(frequencies=[1, 2])"), InvalidArgument,
               "radial_spectrum: 1 weights for 2 frequencies");
  EXPECT_ERROR(parse_kernel("radial_spectrum(frequencies=-1)"), InvalidArgument,
               "kernel spec: radial_spectrum: frequencies = -1");
  EXPECT_EQ(parse_kernel("radial_spectrum(frequencies=1..4)").spec(),
            "radial_spectrum(frequencies=1..4, weights=1, dimension=auto)");
}

TEST(FromSpectrum, OfADensityWithoutSymmetry) {
  // exp(−tᵀAt/2), A not diagonal, has the density |A|^−½ exp(−ωᵀA⁻¹ω/2).
  const double a = 1.5;
  const double b = 0.6;
  const double c = 0.9;
  const double determinant = a * c - b * b;
  const Kernel k = from_spectrum(
      "tilted",
      [&](std::span<const double> w) {
        return std::exp(-(c * w[0] * w[0] - 2 * b * w[0] * w[1] + a * w[1] * w[1]) / (2 * determinant)) /
               std::sqrt(determinant);
      },
      {11, 9}, 30);
  EXPECT_TRUE(k.definiteness().is_positive());
  const testing::Points points = {{0, 0}, {0.3, -0.7}, {1.2, 0.4}, {-0.5, 0.9}};
  const Matrix<double> gram = testing::gram(k, testing::dense(points));
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 4; ++j) {
      const double s = points[i][0] - points[j][0];
      const double t = points[i][1] - points[j][1];
      EXPECT_NEAR(gram(i, j), std::exp(-(a * s * s + 2 * b * s * t + c * t * t) / 2), 1e-12);
    }
  }
  EXPECT_ERROR(testing::gram(k, testing::dense({{0.0}, {1.0}})), InvalidArgument,
               "a spectral density over 2 columns for samples of 1");
}

TEST(FromEigenfunctions, OfTheCircleIsThePeriodicGaussian) {
  std::vector<Eigenfunction> waves;
  std::vector<double> eigenvalues;
  for (int n = 1; n <= 12; ++n) {
    waves.push_back([n](std::span<const double> x) { return std::cos(n * x[0]); });
    waves.push_back([n](std::span<const double> x) { return std::sin(n * x[0]); });
    eigenvalues.insert(eigenvalues.end(), 2, n > 10 ? INFINITY : std::exp(n * n * 0.25 / 2));
  }
  const Samples samples = random_samples(9, 1);
  expect_near_profile(testing::gram(from_eigenfunctions("circle", waves, eigenvalues), samples),
                      testing::gram("periodic_gaussian(lengthscale=0.5, terms=10)", samples), 1e-13);
  EXPECT_ERROR(from_eigenfunctions("none", {}, {}), InvalidArgument,
               "from_eigenfunctions: 0 eigenvalues for 0 functions");
  EXPECT_ERROR(from_eigenfunctions("few", waves, {1, 2}), InvalidArgument,
               "from_eigenfunctions: 2 eigenvalues for 24 functions");
  eigenvalues[3] = 0;
  EXPECT_ERROR(from_eigenfunctions("zero", waves, eigenvalues), InvalidArgument, "from_eigenfunctions: eigenvalue = 0");
}

TEST(SphereWave, IsTheMeanOfAPlaneWaveOverTheSphere) {
  // ∫ cos(z cos a) sin^(N−2) a da over 0 … π, over the same without the cosine; trapezoids.
  const auto mean = [](int dimension, double z) {
    constexpr int steps = 20000;
    double sum = 0;
    double top = 0;
    for (int i = 1; i < steps; ++i) {
      const double angle = std::numbers::pi * i / steps;
      const double weight = std::pow(std::sin(angle), dimension - 2);
      sum += weight * std::cos(z * std::cos(angle));
      top += weight;
    }
    return sum / top;
  };
  for (const int dimension : {3, 4, 5, 8, 11, 24, 25, 60, 131, 400}) {
    for (const double z : {0.0, 1e-5, 0.7, 2.5, 4.0, 9.0, 17.0, 25.0, 40.0, 80.0, 150.0, 300.0, 999.0}) {
      // In 3 dimensions the rule itself is off by its ends, (π/steps)²/12.
      EXPECT_NEAR(sphere_wave(dimension, z), mean(dimension, z), dimension == 3 ? 5e-8 : 5e-13)
          << dimension << " " << z;
    }
  }
  for (const double z : {0.3, 3.0, 3.5, 12.0, 500.0}) {
    EXPECT_NEAR(sphere_wave(1, z), std::cos(z), 1e-15);
    EXPECT_NEAR(sphere_wave(2, z), std::cyl_bessel_j(0, z), 1e-13);
    EXPECT_NEAR(sphere_wave(3, z), std::sin(z) / z, 1e-15);
  }
  EXPECT_EQ(sphere_wave(2, INFINITY), 0);
}

}  // namespace
}  // namespace mercer
