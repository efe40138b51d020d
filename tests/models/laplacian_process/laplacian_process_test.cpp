// Laplacian processes: priors and samples, the mode under every noise, its spread, and both models.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/laplacian_process/lapc.h"
#include "mercer/models/laplacian_process/laplacian_map.h"
#include "mercer/models/laplacian_process/laplacian_prior.h"
#include "mercer/models/laplacian_process/lapr.h"
#include "mercer/models/laplacian_process/price_selection.h"
#include "models/random_problem.h"
#include "models/report_measure.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::measure;
using testing::random_matrix;
using testing::random_samples;
using testing::random_sparse;
using testing::random_weights;

using Numbers = std::vector<double>;

Matrix<double> kernel_matrix(const Kernel& kernel, const Samples& x, const Samples& z) {
  const auto prepared = std::make_shared<const PreparedKernel>(kernel, z, Precision::double_precision, mercer::Run());
  Matrix<double> k(x.size(), z.size());
  CrossGram<double>(prepared, x, mercer::Run()).evaluate(k.view(), mercer::Run());
  return k;
}

struct SincRows {
  explicit SincRows(Index n, double noise = 0.1, std::uint64_t seed = 1) : x(n, 1) {
    RandomStream random(seed, 3);
    for (Index i = 0; i < n; ++i) {
      x(i, 0) = 20 * random.uniform() - 10;
      truth.push_back(std::sin(x(i, 0)) / x(i, 0));
      y.push_back(truth.back() + noise * random.normal());
    }
  }
  Samples samples() const { return make_dense(Matrix<double>::copy_of(x.view())); }
  TrainingData data() const { return {samples(), Targets::numeric(y)}; }
  Matrix<double> x;
  Numbers truth, y;
};

Index used_in(const Numbers& coefficients) {
  return std::count_if(coefficients.begin(), coefficients.end(), [](double a) { return a != 0; });
}

double integral(const std::function<double(double)>& f, double from, double to) {
  const int steps = 20000;
  double sum = 0;
  for (int i = 0; i < steps; ++i) {
    sum += f(from + (i + 0.5) * (to - from) / steps) * (to - from) / steps;
  }
  return sum;
}

TEST(CoefficientPriors, NormalizersAndShapes) {
  const auto mass = [](CoefficientPrior prior, double scale) {
    return integral([&](double a) { return std::exp(-coefficient_penalty(prior, a, scale)); }, -40, 40);
  };
  EXPECT_NEAR(std::exp(log_normalizer(CoefficientPrior::laplacian, 1)), 2, 1e-14);
  for (const double scale : {0.5, 1.0, 3.0}) {
    for (const CoefficientPrior prior :
         {CoefficientPrior::laplacian, CoefficientPrior::weight_decay, CoefficientPrior::relevance}) {
      EXPECT_NEAR(std::exp(log_normalizer(prior, scale)), mass(prior, scale), 1e-4);
    }
    EXPECT_TRUE(std::isinf(log_normalizer(CoefficientPrior::selection, scale)));
    // Midpoints against chords, on one side of 0: selection lies above, the others on or below.
    for (const double a : {0.1, 0.7, 2.0}) {
      const auto bend = [&](CoefficientPrior prior) {
        return coefficient_penalty(prior, 2 * a, scale) -
               (coefficient_penalty(prior, a, scale) + coefficient_penalty(prior, 3 * a, scale)) / 2;
      };
      EXPECT_GT(bend(CoefficientPrior::selection), 0);
      EXPECT_NEAR(bend(CoefficientPrior::laplacian), 0, 1e-14);
      EXPECT_LT(bend(CoefficientPrior::weight_decay), 0);
      EXPECT_LT(bend(CoefficientPrior::relevance), 0);
      EXPECT_NEAR(coefficient_penalty(CoefficientPrior::selection, -a, scale), 1 - std::exp(-scale * a), 1e-15);
    }
  }
  EXPECT_ERROR(coefficient_penalty(CoefficientPrior::selection, 1, 0), InvalidArgument, "scale of a prior = 0");
}

TEST(CoefficientPriors, OfValuesIsThatOfTheirCoefficients) {
  const Samples x = random_samples(6, 2, 1);
  for (const char* spec : {"rbf(gamma=0.5)", "sigmoid(gamma=1, coef0=0.3)"}) {
    const auto k = kernel_matrix(parse_kernel(spec), x, x);
    const Numbers a = {1, -2, 0.5, 0, 3, -0.1};
    Numbers y(6, 0.0);
    double laplacian = 0;
    double selection = 0;
    for (Index i = 0; i < 6; ++i) {
      for (Index j = 0; j < 6; ++j) {
        y[i] += k(i, j) * a[j];
      }
      laplacian += 2 * std::abs(a[i]);
      selection += 1 - std::exp(-2 * std::abs(a[i]));
    }
    EXPECT_NEAR(values_penalty(k.view(), y, CoefficientPrior::laplacian, 2), laplacian, 1e-8);
    EXPECT_NEAR(values_penalty(k.view(), y, CoefficientPrior::selection, 2), selection, 1e-8);
  }
  const auto singular = Matrix<double>::filled(2, 2, 1.0);
  EXPECT_ERROR(values_penalty(singular.view(), Numbers{1, 2}, CoefficientPrior::laplacian, 1), NumericalError,
               "the kernel matrix of 2 rows is singular within rounding");
  EXPECT_ERROR(values_penalty(singular.view(), Numbers{1}, CoefficientPrior::laplacian, 1), InvalidArgument,
               "a kernel matrix of 2 by 2 for 1 values");
}

TEST(LaplacianPrior, SamplesHaveTheCovarianceOfTheirKernelFunctions) {
  const Samples basis = random_samples(5, 2, 2);
  const Samples x = random_samples(3, 2, 3);
  const Index draws = 100000;
  const double lambda = 1.5;
  const Kernel kernel = parse_kernel("sigmoid(gamma=1, coef0=0.5)");
  const Matrix<double> f = draw_laplacian_process(kernel, basis, x, lambda, draws, mercer::Run{{.seed = 4}});
  const auto k = kernel_matrix(kernel, x, basis);
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j <= i; ++j) {
      double expected = 0;
      for (Index b = 0; b < 5; ++b) {
        expected += 2 / (lambda * lambda) * k(i, b) * k(j, b);
      }
      double sum = 0;
      double squares = 0;
      for (Index d = 0; d < draws; ++d) {
        sum += f(i, d) * f(j, d);
        squares += f(i, d) * f(j, d) * f(i, d) * f(j, d);
      }
      const auto count = static_cast<double>(draws);
      const double error = std::sqrt((squares / count - sum * sum / count / count) / count);
      EXPECT_NEAR(sum / count, expected, 4 * error);
    }
  }
}

// 1/√m times the sum tends to a Gaussian process: the covariance is exact for the sampled basis, the kurtosis tends to 3.
TEST(LaplacianPrior, TendsToItsEquivalentGaussianProcess) {
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  const Samples x = random_samples(2, 1, 5);
  const Index draws = 20000;
  double last_excess = 10;
  for (const Index m : {2, 12, 150}) {
    const Samples basis = random_samples(m, 1, 6);
    const Matrix<double> covariance = equivalent_covariance(kernel, basis, x, x, 2, mercer::Run());
    const Matrix<double> f = draw_laplacian_process(kernel, basis, x, 1, draws, mercer::Run{{.seed = 7}});
    double second = 0;
    double fourth = 0;
    double cross = 0;
    for (Index d = 0; d < draws; ++d) {
      const double a = f(0, d) / std::sqrt(static_cast<double>(m));
      const double b = f(1, d) / std::sqrt(static_cast<double>(m));
      second += a * a / static_cast<double>(draws);
      fourth += a * a * a * a / static_cast<double>(draws);
      cross += a * b / static_cast<double>(draws);
    }
    EXPECT_NEAR(second / covariance(0, 0), 1, 0.08);
    EXPECT_NEAR(cross, covariance(0, 1), 0.08 * std::sqrt(covariance(0, 0) * covariance(1, 1)));
    const double excess = fourth / second / second - 3;
    EXPECT_LT(excess, last_excess);
    last_excess = excess;
  }
  EXPECT_LT(std::abs(last_excess), 0.2);
}

// The pictures of figure 16.7 as numbers: 400 points of the unit square, how rough samples are, and where they vary.
TEST(LaplacianPrior, KernelsOrderTheRoughnessOfSamples) {
  RandomStream random(8);
  Matrix<double> points(400, 2);
  for (Index i = 0; i < 800; ++i) {
    points.data()[i] = random.uniform();
  }
  const Samples basis = make_dense(std::move(points));
  Matrix<double> line(101, 2);
  for (Index i = 0; i < 101; ++i) {
    line(i, 0) = static_cast<double>(i) / 100;
    line(i, 1) = 0.5;
  }
  const Samples x = make_dense(std::move(line));
  // The mean square of second differences, relative to that of the values.
  const auto roughness = [&](const char* spec) {
    const Matrix<double> f = draw_laplacian_process(parse_kernel(spec), basis, x, 1, 20, mercer::Run());
    double differences = 0;
    double values = 0;
    for (Index d = 0; d < 20; ++d) {
      for (Index i = 1; i < 100; ++i) {
        differences += std::pow(f(i - 1, d) - 2 * f(i, d) + f(i + 1, d), 2);
        values += f(i, d) * f(i, d);
      }
    }
    return differences / values;
  };
  EXPECT_LT(100 * roughness("rbf(gamma=5)"), roughness("exponential(lengthscale=0.1)"));
  // tanh(10 x'x + 1) saturates far from the origin: there samples hardly change any more.
  const Matrix<double> f =
      draw_laplacian_process(parse_kernel("sigmoid(gamma=10, coef0=1)"), basis, x, 1, 50, mercer::Run());
  double near = 0;
  double far = 0;
  for (Index d = 0; d < 50; ++d) {
    near += std::pow(f(20, d) - f(0, d), 2);
    far += std::pow(f(100, d) - f(80, d), 2);
  }
  EXPECT_GT(near, 10 * far);
}

// The conditions of optimality, whatever K is: |K_jᵀ(y − Ka)| ≤ ρ, with equality and the sign of a_j where it is not 0.
void expect_lasso_conditions(const Matrix<double>& k, const Numbers& y, const Numbers& weights, const LaplacianMap& map,
                             const Numbers& prices) {
  const Numbers f = process_values(k.view(), map.coefficients, map.offset);
  for (Index j = 0; j < k.columns(); ++j) {
    double slope = 0;
    for (Index i = 0; i < k.rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      slope += k(i, j) * weights[at] * (y[at] - f[at]);
    }
    const auto at = static_cast<std::size_t>(j);
    const double a = map.coefficients[at];
    EXPECT_LE(std::abs(slope), prices[at] * (1 + 1e-5));
    if (a != 0) {
      EXPECT_NEAR(slope, std::copysign(prices[at], a), 1e-5 * prices[at]);
    }
  }
}

TEST(LaplacianMap, GaussianNoiseIsTheLasso) {
  const SincRows rows(50);
  for (const char* spec : {"rbf(gamma=0.3)", "sigmoid(gamma=0.1, coef0=-1)"}) {
    for (const Index columns : {50, 13}) {
      const Samples basis = columns == 50 ? rows.samples() : random_samples(columns, 1, 9);
      const Matrix<double> k = kernel_matrix(parse_kernel(spec), rows.samples(), basis);
      const Numbers weights = random_weights(50, 10);
      LaplacianMapProblem problem{.features = k.view(), .targets = rows.y, .weights = weights};
      problem.offset = ProcessOffset::none;
      const double price = 0.05;
      const LaplacianMap map = laplacian_map(problem, price, 0, mercer::Run());
      expect_lasso_conditions(k, rows.y, weights, map, Numbers(static_cast<std::size_t>(columns), price));
      EXPECT_GT(used_in(map.coefficients), 0);
      EXPECT_NEAR(map.gap, 0, 1e-8);
      // All coefficients are 0 exactly where no column asks for more than the price.
      double largest = 0;
      for (Index j = 0; j < columns; ++j) {
        double slope = 0;
        for (Index i = 0; i < 50; ++i) {
          slope += k(i, j) * weights[i] * rows.y[i];
        }
        largest = std::max(largest, std::abs(slope));
      }
      EXPECT_EQ(used_in(laplacian_map(problem, largest * (1 + 1e-9), 0, mercer::Run()).coefficients), 0);
      EXPECT_GT(used_in(laplacian_map(problem, largest * (1 - 1e-6), 0, mercer::Run()).coefficients), 0);
    }
  }
}

TEST(LaplacianMap, ConcavePriorsNeverRiseAndEndStationary) {
  const SincRows rows(60, 0.15);
  const Matrix<double> k = kernel_matrix(parse_kernel("rbf(gamma=0.3)"), rows.samples(), rows.samples());
  for (const ProcessLoss loss :
       {ProcessLoss::gaussian, ProcessLoss::laplacian, ProcessLoss::insensitive, ProcessLoss::hinge}) {
    Numbers targets = rows.y;
    if (loss == ProcessLoss::hinge) {
      for (double& y : targets) {
        y = y > 0.1 ? 1 : -1;
      }
    }
    const LaplacianMapProblem problem{.features = k.view(), .targets = targets, .loss = loss, .tube = 0.1};
    const double price = loss == ProcessLoss::gaussian ? 0.05 : 0.5;
    const LaplacianMap plain = laplacian_map(problem, price, 0, mercer::Run());
    for (const double concavity : {0.5, 5.0}) {
      const LaplacianMap map = laplacian_map(problem, price, concavity, mercer::Run());
      for (std::size_t r = 1; r < map.objectives.size(); ++r) {
        EXPECT_LT(map.objectives[r], map.objectives[r - 1]);
      }
      EXPECT_GT(map.objectives.size(), 1u);
      EXPECT_EQ(map.objectives.back(), map.objective);
      EXPECT_LE(used_in(map.coefficients), used_in(plain.coefficients));
      double penalty = 0;
      Numbers prices;
      for (const double a : map.coefficients) {
        penalty += price * (1 - std::exp(-concavity * std::abs(a))) / concavity;
        prices.push_back(price * std::exp(-concavity * std::abs(a)));
      }
      EXPECT_NEAR(map.objective, map.loss + penalty, 1e-10);
      if (loss == ProcessLoss::gaussian) {
        // At a fixed point the conditions hold with the prices of the linearisation there, which moves ever less.
        const Numbers f = process_values(k.view(), map.coefficients, map.offset);
        for (std::size_t j = 0; j < prices.size(); ++j) {
          double slope = 0;
          for (std::size_t i = 0; i < f.size(); ++i) {
            slope += k(static_cast<Index>(i), static_cast<Index>(j)) * (targets[i] - f[i]);
          }
          EXPECT_LE(std::abs(slope), prices[j] + 2e-3 * price);
        }
      }
    }
  }
}

// Aᵀ x = b by elimination: small and independent of the library.
Numbers solve_dense(std::vector<Numbers> a, Numbers b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) {
        a[i][j] -= factor * a[k][j];
      }
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) {
      b[k] -= a[k][j] * b[j];
    }
    b[k] /= a[k][k];
  }
  return b;
}

TEST(Lapr, ModeAndVariancesAreTheClosedFormOnTheSupport) {
  const SincRows rows(40);
  const Samples x = random_samples(7, 1, 11);
  for (const bool intercept : {false, true}) {
    LaprOptions options;
    options.lambda = 4;
    options.noise = 0.01;
    options.intercept = intercept;
    TrainingData data = rows.data();
    data.weights = random_weights(40, 12);
    const auto model = fit_lapr(parse_kernel("rbf(gamma=0.2)"), options, data, mercer::Run());
    const Samples& centers = model->parts().expansion.centers();
    const auto m = static_cast<std::size_t>(centers.size());
    ASSERT_GT(m, 2u);
    const auto k = kernel_matrix(model->kernel(), rows.samples(), centers);
    const std::size_t order = m + (intercept ? 1 : 0);
    std::vector<Numbers> products(order, Numbers(order, 0.0));
    Numbers right(order, 0.0);
    const auto entry = [&](Index i, std::size_t j) { return j < m ? k(i, static_cast<Index>(j)) : 1.0; };
    for (std::size_t a = 0; a < order; ++a) {
      for (Index i = 0; i < 40; ++i) {
        const double w = data.weights[i];
        right[a] += w * entry(i, a) * rows.y[i];
        for (std::size_t b = 0; b < order; ++b) {
          products[a][b] += w * entry(i, a) * entry(i, b);
        }
      }
      if (a < m) {
        right[a] -= 0.01 * 4 * std::copysign(1.0, model->parts().expansion.coefficients()(static_cast<Index>(a), 0));
      }
    }
    const Numbers mode = solve_dense(products, right);
    for (std::size_t a = 0; a < m; ++a) {
      EXPECT_NEAR(mode[a], model->parts().expansion.coefficients()(static_cast<Index>(a), 0), 1e-5);
    }
    const PredictiveMoments y = model->moments(x, PredictionOf::observation, mercer::Run());
    const PredictiveMoments f = model->moments(x, PredictionOf::function, mercer::Run());
    const auto at = kernel_matrix(model->kernel(), x, centers);
    for (Index i = 0; i < 7; ++i) {
      Numbers beta;
      for (std::size_t a = 0; a < order; ++a) {
        beta.push_back(a < m ? at(i, static_cast<Index>(a)) : 1.0);
      }
      const Numbers solved = solve_dense(products, beta);
      double quadratic = 0;
      for (std::size_t a = 0; a < order; ++a) {
        quadratic += beta[a] * solved[a];
      }
      EXPECT_NEAR(y.variance(i, 0), 0.01 * (1 + quadratic), 1e-8);
      EXPECT_NEAR(f.variance(i, 0), 0.01 * quadratic, 1e-8);
      EXPECT_GE(y.variance(i, 0), 0.01);
    }
  }
}

TEST(Lapr, EmptySupportHasTheVarianceOfTheNoise) {
  const SincRows rows(20);
  LaprOptions options;
  options.lambda = 1e6;
  options.noise = 0.04;
  options.intercept = false;
  const auto model = fit_lapr(parse_kernel("rbf(gamma=0.2)"), options, rows.data(), mercer::Run());
  const PredictiveMoments y = model->moments(rows.samples(), PredictionOf::observation, mercer::Run());
  for (Index i = 0; i < 20; ++i) {
    EXPECT_EQ(y.mean(i, 0), 0);
    EXPECT_EQ(y.variance(i, 0), 0.04);
  }
}

TEST(Lapr, DrawsHaveTheMoments) {
  const SincRows rows(60);
  LaprOptions options;
  options.lambda = 3;
  const auto model = fit_lapr(parse_kernel("rbf(gamma=0.2)"), options, rows.data(), mercer::Run());
  const Samples x = random_samples(4, 1, 13);
  const Index count = 40000;
  for (const PredictionOf of : {PredictionOf::function, PredictionOf::observation}) {
    const PredictiveMoments moments = model->moments(x, of, mercer::Run());
    const Matrix<double> draws = model->draws(x, count, of, mercer::Run{{.seed = 3}});
    const Matrix<double> quantiles = model->quantiles(x, Numbers{0.025, 0.975}, of, mercer::Run());
    for (Index i = 0; i < 4; ++i) {
      double mean = 0;
      double square = 0;
      double inside = 0;
      for (Index d = 0; d < count; ++d) {
        mean += draws(i, d) / static_cast<double>(count);
        square += draws(i, d) * draws(i, d) / static_cast<double>(count);
        inside += draws(i, d) > quantiles(i, 0) && draws(i, d) < quantiles(i, 1) ? 1.0 / static_cast<double>(count) : 0;
      }
      EXPECT_NEAR(mean, moments.mean(i, 0), 4 * std::sqrt(moments.variance(i, 0) / static_cast<double>(count)));
      EXPECT_NEAR((square - mean * mean) / moments.variance(i, 0), 1, 0.05);
      EXPECT_NEAR(inside, 0.95, 0.006);
    }
  }
  const auto truth = Matrix<double>::filled(4, 1, 0.3);
  const PredictiveMoments y = model->moments(x, PredictionOf::observation, mercer::Run());
  const Matrix<double> density = model->log_density(x, truth.view(), mercer::Run());
  for (Index i = 0; i < 4; ++i) {
    const double z = (0.3 - y.mean(i, 0)) / std::sqrt(y.variance(i, 0));
    EXPECT_NEAR(std::exp(density(i, 0)), std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi * y.variance(i, 0)),
                1e-12);
  }
}

TEST(Lapr, DefaultsFindFunctionAndNoise) {
  const SincRows rows(200);
  const auto model = fit_lapr(parse_kernel("rbf(gamma=0.3)"), {}, rows.data(), mercer::Run());
  const Matrix<double> f = model->predict(rows.samples(), mercer::Run());
  double error = 0;
  for (Index i = 0; i < 200; ++i) {
    error += std::pow(f(i, 0) - rows.truth[i], 2) / 200;
  }
  EXPECT_LT(std::sqrt(error), 0.05);
  EXPECT_NEAR(std::sqrt(model->parts().noise.front()), 0.1, 0.02);
  EXPECT_LT(measure(*model, "kernel functions"), 40);
  // What was found, given: the same model.
  LaprOptions given;
  given.lambda = model->parts().lambda.front();
  given.noise = model->parts().noise.front();
  const auto again = fit_lapr(parse_kernel("rbf(gamma=0.3)"), given, rows.data(), mercer::Run());
  const Matrix<double> g = again->predict(rows.samples(), mercer::Run());
  for (Index i = 0; i < 200; ++i) {
    EXPECT_NEAR(f(i, 0), g(i, 0), 1e-5);
  }
}

TEST(Lapr, NoiseAgreesWithItsResidualsWhereLambdaIsGiven) {
  const SincRows rows(100);
  LaprOptions options;
  options.lambda = 5;
  const auto model = fit_lapr(parse_kernel("rbf(gamma=0.3)"), options, rows.data(), mercer::Run());
  const Matrix<double> f = model->predict(rows.samples(), mercer::Run());
  double squares = 0;
  for (Index i = 0; i < 100; ++i) {
    squares += std::pow(f(i, 0) - rows.y[i], 2);
  }
  const double estimate = squares / (100 - 1 - measure(*model, "kernel functions"));
  EXPECT_NEAR(model->parts().noise.front(), estimate, 1e-6 * estimate);
  // And the mode is the one of this noise.
  options.noise = model->parts().noise.front();
  const auto fixed = fit_lapr(parse_kernel("rbf(gamma=0.3)"), options, rows.data(), mercer::Run());
  const Matrix<double> g = fixed->predict(rows.samples(), mercer::Run());
  for (Index i = 0; i < 100; ++i) {
    EXPECT_NEAR(f(i, 0), g(i, 0), 1e-5);
  }
}

// The estimate falls by a step where a coefficient leaves, and no noise agrees with its own residuals: the noise is the
// place of the step, whatever the last digits of the rows are.
TEST(Lapr, NoiseStandsAtTheStepThatItsEstimateJumpsOver) {
  const std::vector<double> rows = {0.12573022, -0.13210486, 0.10490012, 0.10490012, 0.10490012};
  const std::vector<double> values = {0.72, -0.31, 0.05, 0.38, 0.21};
  std::vector<double> noises;
  for (const double step : {0.0, 4.0, 1e-9}) {
    Matrix<double> x(5, 1);
    for (Index i = 0; i < 5; ++i) {
      x(i, 0) = rows[i] + step;
    }
    for (const double lambda : {0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2}) {
      const auto model = fit_lapr(parse_kernel("rbf(gamma=105.8)"), {.lambda = lambda},
                                  {make_dense(Matrix<double>::copy_of(x.view())), Targets::numeric(values)});
      noises.push_back(model->parts().noise.front());
    }
  }
  for (std::size_t k = 0; k < 7; ++k) {
    EXPECT_NEAR(noises[7 + k], noises[k], 1e-5 * noises[k]) << k;
    EXPECT_NEAR(noises[14 + k], noises[k], 1e-5 * noises[k]) << k;
  }
}

TEST(Lapr, RobustNoiseIsNotMovedByOutliers) {
  SincRows rows(120, 0.05);
  for (std::size_t i = 0; i < 120; i += 10) {
    rows.y[i] += 5;
  }
  const auto error = [&](ProcessLoss likelihood) {
    LaprOptions options;
    options.likelihood = likelihood;
    const auto model = fit_lapr(parse_kernel("rbf(gamma=0.3)"), options, rows.data(), mercer::Run());
    EXPECT_EQ(model->has_distribution(), likelihood == ProcessLoss::gaussian);
    const Matrix<double> f = model->predict(rows.samples(), mercer::Run());
    double sum = 0;
    for (Index i = 0; i < 120; ++i) {
      sum += std::pow(f(i, 0) - rows.truth[i], 2) / 120;
    }
    return std::sqrt(sum);
  };
  const double gaussian = error(ProcessLoss::gaussian);
  EXPECT_LT(error(ProcessLoss::laplacian), 0.25 * gaussian);
  EXPECT_LT(error(ProcessLoss::insensitive), 0.5 * gaussian);
}

// The tube that ν finds: the fraction outside, the same function by its epsilon, copies of rows, and no tube for ν = 1.
TEST(Lapr, NuFindsTheTube) {
  const SincRows rows(150, 0.2);
  const Kernel kernel = parse_kernel("rbf(gamma=0.3)");
  const auto options = [](double nu) {
    LaprOptions all;
    all.likelihood = ProcessLoss::insensitive;
    all.lambda = 0.5;
    all.noise = 2;  // b = 1: C of the form with 1/n is 1/lambda
    all.nu = nu;
    return all;
  };
  double wider = std::numeric_limits<double>::infinity();
  for (const double nu : {0.05, 0.2, 0.5, 0.8}) {
    const auto model = fit_lapr(kernel, options(nu), rows.data(), mercer::Run());
    const double epsilon = measure(*model, "epsilon");
    const Matrix<double> f = model->predict(rows.samples(), mercer::Run());
    double outside = 0;
    double touching = 0;
    double loss = nu * epsilon * 150;
    for (Index i = 0; i < 150; ++i) {
      const double r = std::abs(rows.y[i] - f(i, 0));
      outside += r > epsilon + 1e-7 ? 1 : 0;
      touching += r > epsilon - 1e-7 ? 1 : 0;
      loss += std::max(0.0, r - epsilon);
    }
    EXPECT_LE(outside, nu * 150);
    EXPECT_GE(touching, nu * 150);
    EXPECT_LT(epsilon, wider);
    wider = epsilon;
    const ConstMatrixView<double> a = model->parts().expansion.coefficients();
    for (Index j = 0; j < a.rows(); ++j) {
      loss += 0.5 * std::abs(a(j, 0));
    }
    EXPECT_NEAR(model->report().objective, loss, 1e-8 * loss);
    EXPECT_LT(measure(*model, "duality gap"), 1e-7 * loss);
    LaprOptions given = options(nu);
    given.nu.reset();
    given.epsilon = epsilon;
    const auto same = fit_lapr(kernel, given, rows.data(), mercer::Run());
    EXPECT_NEAR(same->report().objective + nu * epsilon * 150, loss, 1e-7 * loss);
  }
  LaprOptions none = options(1);
  none.nu.reset();
  none.epsilon = 0;
  const auto one = fit_lapr(kernel, options(1), rows.data(), mercer::Run());
  const auto absolute = fit_lapr(kernel, none, rows.data(), mercer::Run());
  EXPECT_EQ(measure(*one, "epsilon"), 0);
  EXPECT_EQ(one->predict(rows.samples(), mercer::Run())(3, 0), absolute->predict(rows.samples(), mercer::Run())(3, 0));
}

// With few rows outside of the tube all coefficients are 0 over a wide range of prices: no reason to stop there.
TEST(Lapr, CrossValidationGoesOnBehindThePlateauOfASmallNu) {
  for (const std::uint64_t seed : {0U, 1U, 2U}) {
    RandomStream random(seed, 41);
    Matrix<double> x(60, 2);
    Numbers y;
    for (Index i = 0; i < 60; ++i) {
      x(i, 0) = random.normal();
      x(i, 1) = random.normal();
      y.push_back(std::sin(2 * x(i, 0)));
    }
    const Samples rows = make_dense(std::move(x));
    for (const double nu : {0.02, 0.1, 0.4}) {
      LaprOptions options;
      options.likelihood = ProcessLoss::insensitive;
      options.nu = nu;
      const auto model = fit_lapr(parse_kernel("rbf(gamma=0.5)"), options, {rows, Targets::numeric(y)}, mercer::Run());
      const Matrix<double> f = model->predict(rows, mercer::Run());
      double sum = 0;
      for (Index i = 0; i < 60; ++i) {
        sum += (f(i, 0) - y[i]) * (f(i, 0) - y[i]);
      }
      EXPECT_LT(std::sqrt(sum / 60), 0.2) << seed << " " << nu;  // the targets spread by 0.7
    }
  }
}

TEST(Lapr, NuWithWeightsPricesAndDegenerateRows) {
  const SincRows rows(40);
  const Kernel kernel = parse_kernel("rbf(gamma=0.3)");
  LaprOptions options;
  options.likelihood = ProcessLoss::insensitive;
  options.nu = 0.3;
  TrainingData weighted = rows.data();
  std::vector<Index> numbers;
  for (Index i = 0; i < 40; ++i) {
    weighted.weights.push_back(static_cast<double>(i % 3));
    numbers.insert(numbers.end(), static_cast<std::size_t>(i % 3), i);
  }
  LaprOptions priced = options;
  priced.lambda = 1;
  priced.noise = 2;
  const TrainingData repeated{rows.samples().select(numbers), Targets::numeric(rows.y).select(numbers)};
  const auto one = fit_lapr(kernel, priced, weighted, mercer::Run());
  const auto two = fit_lapr(kernel, priced, repeated, mercer::Run());
  EXPECT_NEAR(one->report().objective, two->report().objective, 1e-8 * one->report().objective);
  EXPECT_NEAR(measure(*one, "epsilon"), measure(*two, "epsilon"), 1e-7);
  // The price by cross-validation, and the noise.
  const auto chosen = fit_lapr(kernel, options, rows.data(), mercer::Run());
  EXPECT_GT(measure(*chosen, "epsilon"), 0);
  EXPECT_GT(chosen->parts().noise[0], 0);
  EXPECT_LT(measure(*chosen, "kernel functions"), 40);
  priced.prior = ProcessPrior::concave;
  EXPECT_LE(measure(*fit_lapr(kernel, priced, rows.data(), mercer::Run()), "kernel functions"), 40);
  const auto constant =
      fit_lapr(kernel, options, {random_samples(9, 2, 17), Targets::numeric(Numbers(9, -2))}, mercer::Run());
  EXPECT_EQ(measure(*constant, "epsilon"), 0);
  EXPECT_NEAR(constant->predict(random_samples(2, 2, 18), mercer::Run())(1, 0), -2, 1e-9);
  const auto single =
      fit_lapr(kernel, options, {random_samples(1, 2, 17), Targets::numeric(Numbers{3})}, mercer::Run());
  EXPECT_NEAR(single->predict(random_samples(2, 2, 18), mercer::Run())(0, 0), 3, 1e-9);
  const Samples x = random_samples(3, 2, 19);
  const Targets y = Targets::numeric(Numbers{1, 2, 3});
  options.epsilon = 0.1;
  EXPECT_ERROR(fit_lapr(kernel, options, {x, y}, mercer::Run()), InvalidArgument,
               "nu finds the tube that epsilon gives");
  options.epsilon.reset();
  options.nu = 0;
  EXPECT_ERROR(fit_lapr(kernel, options, {x, y}, mercer::Run()), InvalidArgument, "lapr: nu = 0");
  options.nu = 1.5;
  EXPECT_ERROR(fit_lapr(kernel, options, {x, y}, mercer::Run()), InvalidArgument, "lapr: nu = 1.5");
  EXPECT_ERROR(fit_lapr(kernel, {.nu = 0.5}, {x, y}, mercer::Run()), InvalidArgument,
               "lapr: nu belongs to likelihood=insensitive");
}

TEST(Lapr, WeightsAreRepetitions) {
  const SincRows rows(30);
  TrainingData weighted = rows.data();
  weighted.weights.assign(30, 1.0);
  std::vector<Index> numbers;
  for (Index i = 0; i < 30; ++i) {
    const int times = static_cast<int>(i % 3);
    weighted.weights[i] = times;
    numbers.insert(numbers.end(), static_cast<std::size_t>(times), i);
  }
  const TrainingData repeated{rows.samples().select(numbers), Targets::numeric(rows.y).select(numbers)};
  const Samples x = random_samples(20, 1, 14);
  for (const ProcessLoss likelihood : {ProcessLoss::gaussian, ProcessLoss::laplacian, ProcessLoss::insensitive}) {
    LaprOptions options;
    options.likelihood = likelihood;
    options.lambda = 4;
    options.noise = 0.02;
    if (likelihood == ProcessLoss::insensitive) {
      options.epsilon = 0.05;
    }
    const auto one = fit_lapr(parse_kernel("rbf(gamma=0.3)"), options, weighted, mercer::Run());
    const auto two = fit_lapr(parse_kernel("rbf(gamma=0.3)"), options, repeated, mercer::Run());
    const Matrix<double> f = one->predict(x, mercer::Run());
    const Matrix<double> g = two->predict(x, mercer::Run());
    for (Index i = 0; i < 20; ++i) {
      EXPECT_NEAR(f(i, 0), g(i, 0), 1e-4) << word_of(likelihood);
    }
  }
}

TEST(Lapr, AnySamplesAnyKernelAnyShape) {
  const Numbers y = {1, 2, 1.5, 2.5, 0.3};
  const std::vector<std::string> texts = {"abab", "bbba", "abba", "bbbb", "aaaa"};
  LaprOptions options;
  options.lambda = 0.5;
  options.noise = 0.01;
  // A table: the kernel sees the columns that it names.
  const Samples table = make_table(Table(random_samples(5, 3, 14), {"a", "b", "c"}, {{"word", make_strings(texts)}}));
  const auto of_table =
      fit_lapr(parse_kernel("rbf(gamma=1)[a, c]"), options, {table, Targets::numeric(y)}, mercer::Run());
  EXPECT_GT(of_table->parts().expansion.centers().size(), 1);
  const Matrix<double> values_at = of_table->predict(table, mercer::Run());
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(values_at(i, 0), y[i], 0.1);
  }
  // Sparse rows and indefinite kernels are welcome, outputs are independent.
  const Matrix<double> values = random_matrix(40, 2, 15);
  const Samples sparse = random_sparse(40, 6, 0.5, 16);
  const Kernel tanh = parse_kernel("sigmoid(gamma=0.5, coef0=-0.5)");
  const auto both = fit_lapr(tanh, options, {sparse, Targets::numeric(values.view())}, mercer::Run());
  Numbers second;
  for (Index i = 0; i < 40; ++i) {
    second.push_back(values(i, 1));
  }
  const auto alone = fit_lapr(tanh, options, {sparse, Targets::numeric(second)}, mercer::Run());
  const PredictiveMoments m = both->moments(sparse, PredictionOf::observation, mercer::Run());
  const PredictiveMoments n = alone->moments(sparse, PredictionOf::observation, mercer::Run());
  for (Index i = 0; i < 40; ++i) {
    EXPECT_NEAR(m.mean(i, 1), n.mean(i, 0), 1e-9);
    EXPECT_NEAR(m.variance(i, 1), n.variance(i, 0), 1e-7 * n.variance(i, 0));
  }
  // Kernel functions of some rows only.
  const SincRows rows(80);
  options.basis = 15;
  const auto few = fit_lapr(parse_kernel("rbf(gamma=0.3)"), options, rows.data(), mercer::Run());
  EXPECT_LE(few->parts().expansion.centers().size(), 15);
  options.basis = 80;
  options.memory_mb = 0.01;
  EXPECT_ERROR(fit_lapr(parse_kernel("rbf(gamma=0.3)"), options, rows.data(), mercer::Run()), InvalidArgument,
               "lapr: a matrix of 80 rows and 80 kernel functions does not fit into the");
  options.basis = 0;
  EXPECT_LE(
      fit_lapr(parse_kernel("rbf(gamma=0.3)"), options, rows.data(), mercer::Run())->parts().expansion.centers().size(),
      8);
  // Kernels that keep all their centres.
  options = {};
  const auto centered = fit_lapr(parse_kernel("center(rbf(gamma=0.3))"), options, rows.data(), mercer::Run());
  EXPECT_TRUE(centered->has_distribution());
  EXPECT_EQ(centered->moments(rows.samples(), PredictionOf::function, mercer::Run()).variance.rows(), 80);
}

TEST(Lapr, SmallConstantAndUnusableData) {
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  for (const ProcessLoss likelihood : {ProcessLoss::gaussian, ProcessLoss::laplacian, ProcessLoss::insensitive}) {
    LaprOptions options;
    options.likelihood = likelihood;
    const auto one = fit_lapr(kernel, options, {random_samples(1, 2, 17), Targets::numeric(Numbers{3})}, mercer::Run());
    EXPECT_NEAR(one->predict(random_samples(2, 2, 18), mercer::Run())(0, 0), 3, 1e-9);
    const auto constant =
        fit_lapr(kernel, options, {random_samples(9, 2, 17), Targets::numeric(Numbers(9, -2))}, mercer::Run());
    EXPECT_NEAR(constant->predict(random_samples(2, 2, 18), mercer::Run())(1, 0), -2, 1e-9);
    // The same point over and over: its mean, or its median.
    const auto equal =
        fit_lapr(kernel, options,
                 {make_dense(Matrix<double>::filled(4, 2, 1.0)), Targets::numeric(Numbers{0, 1, 1, 2})}, mercer::Run());
    EXPECT_NEAR(equal->predict(make_dense(Matrix<double>::filled(1, 2, 1.0)), mercer::Run())(0, 0), 1, 1e-6);
  }
  const Samples x = random_samples(3, 2, 19);
  EXPECT_ERROR(fit_lapr(kernel, {}, {x, Targets::numeric(Numbers{1, NAN, 2})}, mercer::Run()), DataError,
               "the target of row 1 (counted from 0) is nan");
  EXPECT_ERROR(fit_lapr(kernel, {}, {x, Targets::numeric(Numbers{1, 2})}, mercer::Run()), DataError,
               "3 samples with 2 targets");
  EXPECT_ERROR(fit_lapr(kernel, {}, {x, Targets::numeric(Numbers{1, 2, 3}), {1, -1, 1}}, mercer::Run()), DataError,
               "the weight of row 1 (counted from 0) is -1");
  EXPECT_ERROR(fit_lapr(kernel, {.epsilon = 0.1}, {x, Targets::numeric(Numbers{1, 2, 3})}, mercer::Run()),
               InvalidArgument, "lapr: epsilon belongs to likelihood=insensitive");
  EXPECT_ERROR(fit_lapr(kernel, {.concavity = 1}, {x, Targets::numeric(Numbers{1, 2, 3})}, mercer::Run()),
               InvalidArgument, "lapr: concavity belongs to prior=concave");
  EXPECT_ERROR(fit_lapr(kernel, {.lambda = -1}, {x, Targets::numeric(Numbers{1, 2, 3})}, mercer::Run()),
               InvalidArgument, "lapr: lambda = -1");
  EXPECT_ERROR(
      fit_lapr(kernel, {.likelihood = ProcessLoss::hinge}, {x, Targets::numeric(Numbers{1, 2, 3})}, mercer::Run()),
      InvalidArgument, "lapr: likelihood = hinge: must be one of gaussian, laplacian, insensitive");
}

struct Rings {
  explicit Rings(Index n) : x(n, 2) {
    RandomStream random(21);
    for (Index i = 0; i < n; ++i) {
      const int c = static_cast<int>(i % 3);
      const double angle = 2 * std::numbers::pi * random.uniform();
      const double radius = 1 + c + 0.15 * random.normal();
      x(i, 0) = radius * std::cos(angle);
      x(i, 1) = radius * std::sin(angle);
      three.push_back(std::string(1, static_cast<char>('a' + c)));
      two.push_back(c == 1 ? "in" : "out");
    }
  }
  Samples samples() const { return make_dense(Matrix<double>::copy_of(x.view())); }
  Matrix<double> x;
  std::vector<std::string> two, three;
};

double error_rate(const FittedModel& model, const Samples& samples, const std::vector<std::string>& truth) {
  const Matrix<double> predicted = model.predict(samples, mercer::Run());
  double wrong = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const auto c = static_cast<std::size_t>(predicted(static_cast<Index>(i), 0));
    wrong += model.classes()[c] == truth[i] ? 0.0 : 1.0;
  }
  return wrong / static_cast<double>(truth.size());
}

TEST(Lapc, SeparatesWithFewKernelFunctions) {
  const Rings rings(150);
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  const auto two = fit_lapc(kernel, {}, {rings.samples(), Targets::classes(rings.two)}, mercer::Run());
  EXPECT_LT(error_rate(*two, rings.samples(), rings.two), 0.05);
  EXPECT_LT(measure(*two, "kernel functions"), 50);
  EXPECT_LT(measure(*two, "duality gap"), 1e-7);
  const auto three = fit_lapc(kernel, {}, {rings.samples(), Targets::classes(rings.three)}, mercer::Run());
  EXPECT_LT(error_rate(*three, rings.samples(), rings.three), 0.05);
  EXPECT_EQ(three->decision_names().size(), 3u);
  LapcOptions options;
  options.prior = ProcessPrior::concave;
  const auto concave = fit_lapc(kernel, options, {rings.samples(), Targets::classes(rings.two)}, mercer::Run());
  EXPECT_LE(measure(*concave, "kernel functions"), measure(*two, "kernel functions"));
  EXPECT_LT(error_rate(*concave, rings.samples(), rings.two), 0.05);
  options = {};
  options.select = LapcSelection::cross_validation;
  options.select_rows = 90;
  options.folds = 3;
  const auto chosen = fit_lapc(parse_kernel("sigmoid(gamma=0.5, coef0=-1)"), options,
                               {rings.samples(), Targets::classes(rings.two)}, mercer::Run());
  EXPECT_GT(measure(*chosen, "lambda"), 0);
  EXPECT_LT(error_rate(*chosen, rings.samples(), rings.two), 0.34);
}

// The functions are the optimum of the objective: no coefficient and no offset nearby is better.
TEST(Lapc, ObjectiveHasNoBetterNeighbor) {
  const Rings rings(60);
  LapcOptions options;
  options.lambda = 0.7;
  const auto model =
      fit_lapc(parse_kernel("rbf(gamma=1)"), options, {rings.samples(), Targets::classes(rings.two)}, mercer::Run());
  const Expansion& f = model->parts().expansion;
  const auto k = kernel_matrix(f.kernel(), rings.samples(), f.centers());
  const auto objective = [&](Index changed, double by) {
    double sum = 0;
    for (Index i = 0; i < 60; ++i) {
      double value = f.parametric_coefficients()(0, 0) + (changed == k.columns() ? by : 0.0);
      for (Index j = 0; j < k.columns(); ++j) {
        value += k(i, j) * (f.coefficients()(j, 0) + (j == changed ? by : 0.0));
      }
      sum += std::max(0.0, 1 - (rings.two[i] == "out" ? value : -value));
    }
    for (Index j = 0; j < k.columns(); ++j) {
      sum += 0.7 * std::abs(f.coefficients()(j, 0) + (j == changed ? by : 0.0));
    }
    return sum;
  };
  const double best = objective(-1, 0);
  EXPECT_NEAR(best, model->report().objective, 1e-9 * best);
  for (Index j = 0; j <= k.columns(); ++j) {
    for (const double by : {-1e-3, 1e-3}) {
      EXPECT_GE(objective(j, by), best * (1 - 1e-9));
    }
  }
}

TEST(Lapc, WeightsAreRepetitionsAndBadLabelsAreRefused) {
  const Rings rings(40);
  std::vector<Index> numbers;
  TrainingData weighted{rings.samples(), Targets::classes(rings.two)};
  for (Index i = 0; i < 40; ++i) {
    weighted.weights.push_back(static_cast<double>(i % 3));
    numbers.insert(numbers.end(), static_cast<std::size_t>(i % 3), i);
  }
  const TrainingData repeated{rings.samples().select(numbers), Targets::classes(rings.two).select(numbers)};
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  const auto one = fit_lapc(kernel, {}, weighted, mercer::Run());
  const auto two = fit_lapc(kernel, {}, repeated, mercer::Run());
  EXPECT_NEAR(one->report().objective, two->report().objective, 1e-7);
  const Matrix<double> f = one->decide(rings.samples(), mercer::Run());
  const Matrix<double> g = two->decide(rings.samples(), mercer::Run());
  for (Index i = 0; i < 40; ++i) {
    EXPECT_NEAR(f(i, 0), g(i, 0), 1e-6);
  }
  EXPECT_ERROR(
      fit_lapc(kernel, {}, {rings.samples(), Targets::classes(std::vector<std::string>(40, "a"))}, mercer::Run()),
      DataError, "lapc: all rows that count belong to one class ('a')");
  EXPECT_ERROR(fit_lapc(kernel, {.lambda = 0}, weighted, mercer::Run()), InvalidArgument, "lapc: lambda = 0");
}

TEST(PriceSelection, PureNoiseWantsNoCoefficients) {
  const Matrix<double> y = random_matrix(80, 1, 31);
  const auto k = kernel_matrix(parse_kernel("rbf(gamma=5)"), random_samples(80, 2, 32), random_samples(80, 2, 32));
  LaplacianMapProblem problem{.features = k.view(), .targets = {y.data(), 80}};
  for (const ProcessLoss loss : {ProcessLoss::gaussian, ProcessLoss::laplacian}) {
    problem.loss = loss;
    const PriceChoice choice = choose_price(problem, {}, mercer::Run());
    EXPECT_LE(used_in(laplacian_map(problem, choice.price, 0, mercer::Run()).coefficients), 5);
  }
  EXPECT_ERROR(choose_price(problem, {.folds = 1}, mercer::Run()), InvalidArgument, "folds = 1");
}

}  // namespace
}  // namespace mercer
