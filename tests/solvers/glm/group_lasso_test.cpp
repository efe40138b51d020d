// Elastic net and group lasso of generalized linear models: optimality group_conditions from their definition, finite
// differences of the losses, Newton's method on its own, numbers of scikit-learn.
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/solvers/glm/glm_net.h"
#include "mercer/solvers/glm/glm_newton.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

constexpr GlmFamily group_families[] = {GlmFamily::gaussian, GlmFamily::logistic, GlmFamily::poisson,
                                        GlmFamily::multinomial};

struct GlmData {
  Matrix<double> features;
  Matrix<double> values;
  std::vector<double> weights;
  GlmFamily family = GlmFamily::gaussian;

  GlmTargets targets() const { return {family, values.view(), weights}; }
};

GlmData random_glm(GlmFamily family, Index n, Index m, Index outputs, std::uint64_t seed) {
  RandomStream random(seed, 4);
  GlmData data{Matrix<double>(n, m), Matrix<double>::filled(n, outputs, 0.0), {}, family};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < m; ++j) {
      data.features(i, j) = random.normal();
    }
    data.weights.push_back(0.3 + 2 * random.uniform());
    const double f = 1.5 * data.features(i, 0) + random.normal();
    for (Index o = 0; o < outputs; ++o) {
      data.values(i, o) = family == GlmFamily::gaussian   ? f + random.normal()
                          : family == GlmFamily::logistic ? (f > 0 ? 1.0 : 0.0)
                          : family == GlmFamily::poisson  ? std::floor(std::exp(0.5 * f))
                                                          : 0.0;
    }
    if (family == GlmFamily::multinomial) {
      data.values(i, f > 0.7 ? 0 : f < -0.7 ? outputs - 1 : i % outputs) = 1;
    }
  }
  return data;
}

// The mean of a family, from its definition.
std::vector<double> mean_of(GlmFamily family, const std::vector<double>& f) {
  std::vector<double> m = f;
  double sum = 0;
  for (double& value : m) {
    value = family == GlmFamily::gaussian   ? value
            : family == GlmFamily::logistic ? 1 / (1 + std::exp(-value))
                                            : std::exp(value);
    sum += value;
  }
  for (double& value : m) {
    value = family == GlmFamily::multinomial ? value / sum : value;
  }
  return m;
}

// Minus the gradient of the loss by A ((M + 1) × C, offsets last).
Matrix<double> loss_slopes(const GlmData& data, const Matrix<double>& a, const std::vector<double>& b) {
  const Index m = data.features.columns();
  Matrix<double> g = Matrix<double>::filled(m + 1, a.columns(), 0.0);
  for (Index i = 0; i < data.values.rows(); ++i) {
    std::vector<double> f = b;
    for (Index j = 0; j < m; ++j) {
      for (Index c = 0; c < a.columns(); ++c) {
        f[c] += data.features(i, j) * a(j, c);
      }
    }
    const std::vector<double> mean = mean_of(data.family, f);
    const double w = data.weights.empty() ? 1.0 : data.weights[i];
    for (Index c = 0; c < a.columns(); ++c) {
      const double misfit = w * (data.values(i, c) - mean[c]);
      g(m, c) += misfit;
      for (Index j = 0; j < m; ++j) {
        g(j, c) += misfit * data.features(i, j);
      }
    }
  }
  return g;
}

double group_conditions(const GlmData& data, const ElasticNetPenalty& penalty, const Matrix<double>& a,
                        const std::vector<double>& b) {
  const Matrix<double> g = loss_slopes(data, a, b);
  double worst = 0;
  for (Index c = 0; c < a.columns(); ++c) {
    worst = std::max(worst, std::abs(g(a.rows(), c)));
  }
  for (Index j = 0; j < a.rows(); ++j) {
    double norm = 0;
    for (Index c = 0; c < a.columns(); ++c) {
      norm += a(j, c) * a(j, c);
    }
    norm = std::sqrt(norm);
    double rest = 0;
    for (Index c = 0; c < a.columns(); ++c) {
      const double u = g(j, c) - (norm > 0 ? (penalty.l2 + penalty.l1 / norm) * a(j, c) : 0.0);
      rest += u * u;
    }
    worst = std::max(worst, std::sqrt(rest) - (norm > 0 ? 0.0 : penalty.l1));
  }
  return worst;
}

TEST(GlmFamily, MeansAreSlopesAndConjugatesAreAttained) {
  for (const GlmFamily family : group_families) {
    Matrix<double> f(1, 3);
    Matrix<double> y = Matrix<double>::filled(1, 3, 1.0 / 3);
    f(0, 0) = 0.3, f(0, 1) = -1.2, f(0, 2) = 0.9;
    const GlmTargets targets{family, y.view(), {}};
    Matrix<double> mean = Matrix<double>::copy_of(f.view());
    glm_means(family, mean.view());
    for (Index c = 0; c < 3; ++c) {
      const double at = f(0, c);
      f(0, c) = at + 1e-5;
      const double above = glm_loss(targets, f.view());
      f(0, c) = at - 1e-5;
      const double below = glm_loss(targets, f.view());
      f(0, c) = at;
      EXPECT_NEAR((above - below) / 2e-5, mean(0, c) - y(0, c), 1e-8);
    }
    // φ(f) + φ*(m) = mᵀf: the loss of the own mean is 0.
    EXPECT_NEAR(glm_loss({family, mean.view(), {}}, f.view()), 0, 1e-12);
  }
}

TEST(GlmNet, MeetsTheOptimalityConditions) {
  RandomStream random(5, 5);
  for (std::uint64_t trial = 0; trial < 24; ++trial) {
    const GlmFamily family = group_families[trial % 4];
    const Index outputs = family == GlmFamily::multinomial ? 3 : trial % 8 == 0 ? 2 : 1;
    const auto n = static_cast<Index>(20 + random.below(30));
    const auto m = static_cast<Index>(1 + random.below(40));
    const GlmData data = random_glm(family, n, m, outputs, trial);
    GlmNet net(data.features.view(), data.targets(), NetIntercept::fitted, {});
    const double l1 = net.largest_l1() * std::pow(10.0, -0.2 - random.uniform());
    const ElasticNetPenalty penalty{l1, trial % 3 == 0 ? 0.3 * l1 : 0.0};
    const GlmNetSolution solution = net.solve(penalty, {.tolerance = 1e-11});
    EXPECT_EQ(solution.status, SolveStatus::converged) << trial;
    EXPECT_LT(group_conditions(data, penalty, solution.coefficients, solution.intercepts), 1e-4 * net.largest_l1())
        << trial;
    EXPECT_LE(solution.gap, 1e-10 * net.null_loss());
    EXPECT_LT(solution.violation, 1e-4 * net.largest_l1());
  }
}

TEST(GlmNet, LargestPenaltyIsWhereTheFirstFeatureEnters) {
  for (const GlmFamily family : group_families) {
    const GlmData data = random_glm(family, 40, 12, family == GlmFamily::multinomial ? 4 : 1, 9);
    GlmNet net(data.features.view(), data.targets(), NetIntercept::fitted, {});
    EXPECT_TRUE(net.solve({1.000001 * net.largest_l1(), 0}).active.empty());
    EXPECT_EQ(net.solve({0.99 * net.largest_l1(), 0}).active.size(), 1U);
  }
}

TEST(GlmNet, WeightsAreRepetitions) {
  GlmData once = random_glm(GlmFamily::multinomial, 20, 6, 3, 10);
  once.weights.assign(20, 1.0);
  GlmData again{Matrix<double>(30, 6), Matrix<double>(30, 3), {}, GlmFamily::multinomial};
  for (Index i = 0; i < 30; ++i) {
    const Index from = i % 20;
    for (Index j = 0; j < 6; ++j) {
      again.features(i, j) = once.features(from, j);
    }
    for (Index c = 0; c < 3; ++c) {
      again.values(i, c) = once.values(from, c);
    }
    once.weights[from] = i >= 20 ? 2.0 : 1.0;
  }
  GlmNet a(once.features.view(), once.targets(), NetIntercept::fitted, {});
  GlmNet b(again.features.view(), again.targets(), NetIntercept::fitted, {});
  const GlmNetSolution first = a.solve({1.0, 0.1}, {.tolerance = 1e-12});
  const GlmNetSolution second = b.solve({1.0, 0.1}, {.tolerance = 1e-12});
  for (Index j = 0; j < 6; ++j) {
    for (Index c = 0; c < 3; ++c) {
      EXPECT_NEAR(first.coefficients(j, c), second.coefficients(j, c), 1e-5);
    }
  }
}

TEST(GlmNewton, GradientIsZeroAtItsEnd) {
  for (const GlmFamily family : group_families) {
    const Index outputs = family == GlmFamily::multinomial ? 3 : 2;
    const GlmData data = random_glm(family, 50, 9, outputs, 11);
    const ElasticNetPenalty penalty{0, 0.7};
    const GlmNewtonSolution solution =
        glm_newton(data.features.view(), data.targets(), NetIntercept::fitted, penalty,
                   {Matrix<double>::filled(9, outputs, 0.0), std::vector<double>(outputs, 0.0)}, {1e-14, 50}, {});
    EXPECT_EQ(solution.status, SolveStatus::converged);
    EXPECT_LT(group_conditions(data, penalty, solution.point.coefficients, solution.point.intercepts), 1e-5);
    EXPECT_LE(solution.iterations, family == GlmFamily::gaussian ? 1 : 20);
  }
}

// Sixteen points on a line, Gaussian features of six of them: values of scikit-learn 1.x at tolerance 1e-14.
struct LineData {
  Matrix<double> features = Matrix<double>(16, 6);
  Matrix<double> sine = Matrix<double>(16, 1);
  Matrix<double> pair = Matrix<double>(16, 2);
  Matrix<double> binary = Matrix<double>(16, 1);
  Matrix<double> three = Matrix<double>::filled(16, 3, 0.0);
  Matrix<double> counts = Matrix<double>(16, 1);

  LineData() {
    for (Index i = 0; i < 16; ++i) {
      const double x = -3 + 6.0 * static_cast<double>(i) / 15;
      for (Index j = 0; j < 6; ++j) {
        const double d = x - (-3 + 18.0 * static_cast<double>(j) / 15);
        features(i, j) = std::exp(-0.5 * d * d);
      }
      sine(i, 0) = std::sin(x) + 0.1 * static_cast<double>((i * 7) % 5 - 2);
      pair(i, 0) = sine(i, 0);
      pair(i, 1) = std::cos(x);
      binary(i, 0) = i == 0 || (i * 5) % 7 < 3 || x > 1.5 ? 1.0 : 0.0;
      three(i, i < 5 ? 0 : i >= 11 ? 2 : (i * 5) % 3) = 1;
      counts(i, 0) = static_cast<double>((i * 3) % 4 + (x > 0 ? 2 : 0));
    }
  }
};

void expect_coefficients(const Matrix<double>& a, const std::vector<double>& expected, double bound) {
  // scikit-learn's order: one row per output.
  ASSERT_EQ(static_cast<std::size_t>(a.rows() * a.columns()), expected.size());
  for (Index j = 0; j < a.rows(); ++j) {
    for (Index c = 0; c < a.columns(); ++c) {
      EXPECT_NEAR(a(j, c), expected[c * a.rows() + j], bound) << j << " " << c;
    }
  }
}

TEST(GlmNet, AgreesWithScikitLearnOnKernelFeatures) {
  const LineData line;
  const auto fit = [&](GlmFamily family, const Matrix<double>& y, const ElasticNetPenalty& penalty) {
    return GlmNet(line.features.view(), {family, y.view(), {}}, NetIntercept::fitted, {})
        .solve(penalty, {.tolerance = 1e-13});
  };
  const GlmNetSolution lasso = fit(GlmFamily::gaussian, line.sine, {16 * 0.05, 0});
  expect_coefficients(lasso.coefficients, {0, -0.6014834286, 0, 0, 0.9053304504, 0}, 1e-8);
  EXPECT_NEAR(lasso.intercepts[0], -0.12206156678385478, 1e-8);
  const GlmNetSolution net = fit(GlmFamily::gaussian, line.sine, {16 * 0.05 * 0.4, 16 * 0.05 * 0.6});
  expect_coefficients(net.coefficients, {0, -0.5823772105, -0.2369202926, 0.3029772499, 0.7385669713, 0}, 1e-8);
  EXPECT_NEAR(net.intercepts[0], -0.09457472487429387, 1e-8);
  const GlmNetSolution pair = fit(GlmFamily::gaussian, line.pair, {16 * 0.05, 0});
  expect_coefficients(pair.coefficients,
                      {0, -0.2573944228, -0.5486340461, 0.6465171185, 0.6644915655, 0, 0, 0.0039425074, 0.9576497026,
                       0.994105538, -0.0084951269, 0},
                      1e-6);
  const GlmNetSolution binary = fit(GlmFamily::logistic, line.binary, {0.5, 0});
  expect_coefficients(binary.coefficients, {0, 0, 0, 0, 0, 1.8184994624}, 1e-6);
  EXPECT_NEAR(binary.intercepts[0], -0.1166391118, 1e-6);
}

TEST(GlmNewton, AgreesWithScikitLearnOnKernelFeatures) {
  const LineData line;
  const auto fit = [&](GlmFamily family, const Matrix<double>& y, double l2) {
    return glm_newton(line.features.view(), {family, y.view(), {}}, NetIntercept::fitted, {0, l2},
                      {Matrix<double>::filled(6, y.columns(), 0.0), std::vector<double>(y.columns(), 0.0)}, {1e-15, 50},
                      {})
        .point;
  };
  const GlmPoint ridge = fit(GlmFamily::gaussian, line.sine, 0.3);
  expect_coefficients(ridge.coefficients,
                      {0.0616903307, -0.6104901146, -0.4367592306, 0.5011481684, 0.8124037967, -0.0821775043}, 1e-8);
  EXPECT_NEAR(ridge.intercepts[0], -0.10575932261928019, 1e-8);
  const GlmPoint binary = fit(GlmFamily::logistic, line.binary, 0.5);
  expect_coefficients(binary.coefficients,
                      {-0.2465377542, -0.6487231493, -0.1909558916, -0.5936050634, 0.2191695328, 0.9264298393}, 1e-6);
  EXPECT_NEAR(binary.intercepts[0], 0.6039304877, 1e-6);
  const GlmPoint three = fit(GlmFamily::multinomial, line.three, 0.5);
  expect_coefficients(three.coefficients,
                      {0.8754679133, 0.6895841162, -0.2317753114, -0.2409133289, -0.5895328608, -0.5966550196,
                       -0.3014445915, 0.1119296981, 0.7270433584, 0.2899741461, -0.3585804849, -0.2801814919,
                       -0.5740233217, -0.8015138143, -0.495268047, -0.0490608173, 0.9481133457, 0.8768365114},
                      1e-5);
  EXPECT_NEAR(three.intercepts[1], -0.9515266398, 1e-5);
  const GlmPoint counts = fit(GlmFamily::poisson, line.counts, 16 * 0.05);
  expect_coefficients(counts.coefficients,
                      {-0.2057425211, -0.1649774962, -0.2465447477, 0.4136944409, 0.221001889, 0.3444589691}, 1e-7);
  EXPECT_NEAR(counts.intercepts[0], 0.7259970616582094, 1e-7);
}

TEST(GlmNet, RefusesWhatTheFamilyCannotHave) {
  GlmData data = random_glm(GlmFamily::poisson, 10, 3, 1, 12);
  data.values(4, 0) = -1;
  EXPECT_ERROR(GlmNet(data.features.view(), data.targets(), NetIntercept::fitted, {}), DataError,
               "the target of row 4 (counted from 0) is -1");
  data.values(4, 0) = 1;
  GlmNet net(data.features.view(), data.targets(), NetIntercept::fitted, {});
  EXPECT_ERROR(net.solve({0, 1}), InvalidArgument, "l1 = 0");
}

}  // namespace
}  // namespace mercer
