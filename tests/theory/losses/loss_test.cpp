// The laws of losses, over all of the list: slopes and curvature against finite differences, Fenchel and Young's equality,
// the integral of the density, convexity; and numbers of Schölkopf & Smola (2002), table 3.1.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/linalg/gauss_rule.h"
#include "mercer/theory/losses/loss_list.h"
#include "mercer/theory/losses/residual_losses.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

struct NamedLoss {
  std::string name;
  LossKind kind;
  LossParameters parameters = {};

  LossPointer make() const { return make_loss(kind, parameters); }
};

// Every kind but the table's (density_loss_test.cpp), those with parameters several times.
std::vector<NamedLoss> all_losses() {
  std::vector<NamedLoss> losses;
  for (const LossEntry& entry : loss_list()) {
    if (entry.kind == LossKind::density) {
      continue;
    }
    const std::string name(word_of(entry.kind));
    losses.push_back({name, entry.kind});
    for (const LossParameter parameter : entry.parameters) {
      switch (parameter) {
        case LossParameter::epsilon:
          losses.push_back({name + " epsilon 0", entry.kind, {.epsilon = 0}});
          losses.push_back({name + " epsilon 1.3", entry.kind, {.epsilon = 1.3}});
          break;
        case LossParameter::sigma:
          losses.push_back({name + " sigma 0.7", entry.kind, {.sigma = 0.7}});
          losses.push_back({name + " sigma 2.5", entry.kind, {.sigma = 2.5}});
          break;
        case LossParameter::exponent:
          losses.push_back({name + " exponent 1.3", entry.kind, {.exponent = 1.3}});
          losses.push_back({name + " exponent 4", entry.kind, {.exponent = 4}});
          losses.push_back({name + " exponent 1", entry.kind, {.exponent = 1}});
          break;
        case LossParameter::quantile:
          losses.push_back({name + " quantile 0.9", entry.kind, {.quantile = 0.9}});
          break;
      }
    }
  }
  return losses;
}

// Away from and at the kinks: 0, ±ε, ±σ, 1.
std::vector<double> points() {
  std::vector<double> result = {0, 0.1, -0.1, 1.3, -1.3, 0.7, -0.7, 2.5, -2.5, 1, -1};
  for (double x = -4.03; x < 4.2; x += 0.19) {
    result.push_back(x);
  }
  return result;
}

// A loss without a minimum is lower farther out than anywhere before.
TEST(Losses, AMinimumIsAsLowAsTheyGet) {
  for (const NamedLoss& named : all_losses()) {
    const LossPointer loss = named.make();
    double lowest = loss->value(0);
    for (double x = -40; x <= 40; x += 0.125) {
      lowest = std::min(lowest, loss->value(x));
    }
    EXPECT_EQ(loss->has_minimum(), std::min(loss->value(60), loss->value(-60)) >= lowest) << named.name;
  }
}

TEST(Losses, ListIsInTheOrderOfTheEnumAndSaysWhatTheLossIs) {
  const auto words = words_of(LossKind{});
  ASSERT_EQ(loss_list().size(), words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const LossEntry& entry = loss_list()[i];
    EXPECT_EQ(entry.kind, words[i].value);
    EXPECT_EQ(&loss_entry(entry.kind), &entry);
    EXPECT_FALSE(entry.formula.empty());
    if (entry.kind == LossKind::density) {
      continue;
    }
    const LossPointer loss = make_loss(entry.kind);
    EXPECT_EQ(loss->argument(), entry.argument) << words[i].text;
    EXPECT_EQ(loss->conjugate_form().has_value(), !entry.conjugate.empty()) << words[i].text;
    EXPECT_EQ(loss->conjugate_form().has_value(), loss->is_convex()) << words[i].text;
    EXPECT_EQ(loss->normalizer().has_value(), entry.argument == LossArgument::residual) << words[i].text;
  }
}

TEST(Losses, SlopesAreOneSidedDifferences) {
  constexpr double step = 1e-6;
  for (const NamedLoss& named : all_losses()) {
    const LossPointer loss = named.make();
    if (named.kind == LossKind::zero_one) {
      continue;
    }
    for (const double x : points()) {
      const double here = loss->value(x);
      const double right = (loss->value(x + step) - here) / step;
      const double left = (here - loss->value(x - step)) / step;
      const SlopeRange slopes = loss->slopes(x);
      // Half a step of the curvature, which is at most e⁴, and for powers below 2 a fraction of a power of the step.
      const double bound = named.name.ends_with("exponent 1.3") ? 0.02 : 1e-4;
      EXPECT_NEAR(slopes.right, right, bound) << named.name << " at " << x;
      EXPECT_NEAR(slopes.left, left, bound) << named.name << " at " << x;
      if (loss->is_smooth()) {
        EXPECT_EQ(slopes.left, slopes.right) << named.name << " at " << x;
      }
      if (loss->is_convex()) {
        EXPECT_LE(slopes.left, slopes.right) << named.name << " at " << x;
      }
      EXPECT_GE(here, 0) << named.name << " at " << x;
    }
  }
}

TEST(Losses, CurvatureIsTheDifferenceOfSlopes) {
  constexpr double step = 1e-6;
  for (const NamedLoss& named : all_losses()) {
    const LossPointer loss = named.make();
    for (const double x : points()) {
      const double right = (loss->slopes(x + step).left - loss->slopes(x).right) / step;
      const double left = (loss->slopes(x).left - loss->slopes(x - step).right) / step;
      const double curvature = loss->curvature(x);
      if (!std::isfinite(curvature)) {
        EXPECT_GT(std::max(left, right), 10) << named.name << " at " << x;
        continue;
      }
      if (named.name.ends_with("exponent 1.3") && std::abs(x) < 1e-3) {
        continue;
      }
      EXPECT_NEAR(curvature, std::max(left, right), 2e-4 * (1 + std::abs(curvature))) << named.name << " at " << x;
      EXPECT_TRUE(curvature >= 0 || !loss->is_convex()) << named.name << " at " << x;
    }
  }
}

// c(x) + c*(u) ≥ ux, with equality exactly where u is a slope at x.
TEST(Losses, FenchelAndYoung) {
  for (const NamedLoss& named : all_losses()) {
    const LossPointer loss = named.make();
    if (!loss->is_convex()) {
      EXPECT_ERROR((void)loss->conjugate(0), InvalidArgument, "convex conjugate");
      continue;
    }
    for (const double x : points()) {
      const SlopeRange slopes = loss->slopes(x);
      for (const double share : {0.0, 0.4, 1.0}) {
        const double u = slopes.left + share * (slopes.right - slopes.left);
        const double sum = loss->value(x) + loss->conjugate(u);
        EXPECT_NEAR(sum, u * x, 1e-12 * (1 + std::abs(u * x) + loss->value(x))) << named.name << " at " << x;
      }
      for (double u = -3; u < 3; u += 0.21) {
        EXPECT_GE(loss->value(x) + loss->conjugate(u), u * x - 1e-12) << named.name << " at " << x << " and " << u;
      }
    }
  }
}

TEST(Losses, ConjugatesDerivatives) {
  constexpr double step = 1e-5;
  for (const NamedLoss& named : all_losses()) {
    const LossPointer loss = named.make();
    const std::optional<LossConjugate> form = loss->conjugate_form();
    if (!form || !form->has_smooth_part) {
      continue;
    }
    for (double u = -2.93; u < 3; u += 0.2) {
      if (u - step <= form->lower || u + step >= form->upper) {
        continue;
      }
      const SmoothPart here = loss->conjugate_part(u);
      const SmoothPart above = loss->conjugate_part(u + step);
      const SmoothPart below = loss->conjugate_part(u - step);
      EXPECT_NEAR(here.slope, (above.value - below.value) / (2 * step), 1e-6 * (1 + std::abs(here.slope)))
          << named.name << " at " << u;
      EXPECT_NEAR(here.curvature, (above.slope - below.slope) / (2 * step), 1e-5 * (1 + here.curvature))
          << named.name << " at " << u;
    }
  }
}

double integral(const std::function<double(double)>& f, double lower, double upper, int pieces) {
  static const GaussRule rule = legendre_rule(24);
  double sum = 0;
  const double width = (upper - lower) / pieces;
  for (int i = 0; i < pieces; ++i) {
    for (std::size_t k = 0; k < rule.nodes.size(); ++k) {
      sum += width * rule.weights[k] * f(lower + width * (i + 0.5 + 0.5 * rule.nodes[k]));
    }
  }
  return sum;
}

TEST(Losses, DensitiesIntegrateToOne) {
  for (const NamedLoss& named : all_losses()) {
    const LossPointer loss = named.make();
    const std::optional<double> z = loss->normalizer();
    if (!z) {
      EXPECT_FALSE(loss->density(0.3).has_value());
      continue;
    }
    const auto weight = [&](double x) { return std::exp(-loss->value(x)); };
    // Kinks at multiples of 0.1 are ends of pieces; the slowest tail, of the quantile, is exp(−0.1 x).
    const double numeric = integral(weight, -500, 0, 5000) + integral(weight, 0, 500, 5000);
    EXPECT_NEAR(*z, numeric, 1e-9 * numeric) << named.name;
    EXPECT_NEAR(*loss->density(0.3), weight(0.3) / numeric, 1e-9) << named.name;
  }
}

// The numbers were computed in Python (scipy.integrate.quad of exp(−c)).
TEST(Losses, NormalizersOfTheTable) {
  EXPECT_NEAR(*make_loss(LossKind::huber, {.sigma = 0.7})->normalizer(), 2.6618556, 5e-8);
  EXPECT_NEAR(*make_loss(LossKind::polynomial, {.exponent = 4})->normalizer(), 2.5636934, 5e-8);
  EXPECT_NEAR(*make_loss(LossKind::epsilon_insensitive, {.epsilon = 0.4})->normalizer(), 2.8, 1e-14);
  EXPECT_NEAR(*make_loss(LossKind::laplace)->normalizer(), 2, 1e-14);
  EXPECT_NEAR(*make_loss(LossKind::squared)->normalizer(), std::sqrt(2 * std::numbers::pi), 1e-14);
  EXPECT_NEAR(*make_loss(LossKind::quantile, {.quantile = 0.25})->normalizer(), 16.0 / 3, 1e-13);
}

void expect_same(const Loss& a, const Loss& b, double scale_of_b, double bound) {
  for (const double x : points()) {
    EXPECT_NEAR(a.value(x), scale_of_b * b.value(x), bound) << x;
    EXPECT_NEAR(a.influence(x), scale_of_b * b.influence(x), bound) << x;
  }
}

TEST(Losses, Limits) {
  const LossPointer laplace = make_loss(LossKind::laplace);
  const LossPointer squared = make_loss(LossKind::squared);
  expect_same(*make_loss(LossKind::huber, {.sigma = 1e-9}), *laplace, 1, 1e-8);
  expect_same(*make_loss(LossKind::huber, {.sigma = 100}), *squared, 0.01, 1e-14);
  expect_same(*make_loss(LossKind::piecewise_polynomial, {.sigma = 0.8, .exponent = 2}),
              *make_loss(LossKind::huber, {.sigma = 0.8}), 1, 1e-14);
  expect_same(*make_loss(LossKind::polynomial, {.exponent = 2}), *squared, 1, 1e-14);
  expect_same(*make_loss(LossKind::polynomial, {.exponent = 1}), *laplace, 1, 0);
  expect_same(*make_loss(LossKind::epsilon_insensitive, {.epsilon = 0}), *laplace, 1, 0);
  expect_same(*make_loss(LossKind::quantile, {.quantile = 0.5}), *laplace, 0.5, 1e-15);
  expect_same(*make_loss(LossKind::squared_epsilon_insensitive, {.epsilon = 0}), *squared, 1, 0);
}

TEST(Losses, MarginsFarOut) {
  for (const LossKind kind : {LossKind::hinge, LossKind::squared_hinge, LossKind::logistic, LossKind::exponential,
                              LossKind::inverse_complementary_log_log}) {
    const LossPointer loss = make_loss(kind);
    EXPECT_NEAR(loss->value(800), 0, 1e-300) << word_of(kind);
    EXPECT_NEAR(loss->influence(800), 0, 1e-300) << word_of(kind);
    EXPECT_GT(loss->value(-1), loss->value(1)) << word_of(kind);
  }
  EXPECT_EQ(make_loss(LossKind::logistic)->value(-800), 800);
  EXPECT_EQ(make_loss(LossKind::logistic)->influence(-800), -1);
  const LossPointer bounded = make_loss(LossKind::inverse_complementary_log_log);
  EXPECT_EQ(bounded->value(-800), 1);
  EXPECT_EQ(bounded->influence(-800), 0);
  EXPECT_EQ(bounded->curvature(-800), 0);
  EXPECT_LT(bounded->curvature(-1), 0);
  EXPECT_GT(bounded->curvature(1), 0);
}

// Hinge, squared hinge and exponential are above the number of mistakes everywhere; logistic is ln 2 at a margin of 0, and above
// it only to the base 2.
TEST(Losses, AboveTheMistakes) {
  const LossPointer mistakes = make_loss(LossKind::zero_one);
  const LossPointer logistic = make_loss(LossKind::logistic);
  EXPECT_EQ(mistakes->value(-1e-12), 1);
  EXPECT_EQ(mistakes->value(0), 0);
  EXPECT_EQ(mistakes->value(2), 0);
  for (const double t : points()) {
    for (const LossKind kind : {LossKind::hinge, LossKind::squared_hinge, LossKind::exponential}) {
      EXPECT_GE(make_loss(kind)->value(t), mistakes->value(t)) << word_of(kind) << " " << t;
    }
    EXPECT_GE(logistic->value(t) / std::numbers::ln2, mistakes->value(t)) << t;
    // −ln P(y|f), P = 1/(1 + e^−t).
    EXPECT_NEAR(logistic->value(t), -std::log(1 / (1 + std::exp(-t))), 1e-13) << t;
  }
  EXPECT_NEAR(logistic->value(0), std::numbers::ln2, 1e-15);
  EXPECT_LT(logistic->value(-0.1), mistakes->value(-0.1));
}

// No observation pulls harder than by 1, on any side; at a kink every slope between its sides is one.
TEST(Losses, SlopesAreCapped) {
  for (const NamedLoss& named :
       {NamedLoss{"huber", LossKind::huber, {.sigma = 0.7}},
        NamedLoss{"piecewise polynomial", LossKind::piecewise_polynomial, {.sigma = 0.7, .exponent = 3}},
        NamedLoss{"tube", LossKind::epsilon_insensitive, {.epsilon = 0.7}}}) {
    const LossPointer loss = named.make();
    for (const double x : points()) {
      EXPECT_LE(std::abs(loss->influence(x)), 1) << named.name << " " << x;
    }
    EXPECT_EQ(loss->influence(1e9), 1) << named.name;
    EXPECT_EQ(loss->influence(-1e9), -1) << named.name;
  }
  const LossPointer tube = make_loss(LossKind::epsilon_insensitive, {.epsilon = 0.7});
  EXPECT_EQ(tube->slopes(0.7).left, 0);
  EXPECT_EQ(tube->slopes(0.7).right, 1);
  EXPECT_EQ(tube->slopes(-0.7).left, -1);
  EXPECT_EQ(tube->slopes(-0.7).right, 0);
  const LossPointer hinge = make_loss(LossKind::hinge);
  EXPECT_EQ(hinge->slopes(1).left, -1);
  EXPECT_EQ(hinge->slopes(1).right, 0);
}

TEST(Losses, ParametersThatMeanNothing) {
  EXPECT_ERROR(make_loss(LossKind::huber, {.sigma = 0}), InvalidArgument, "loss: sigma = 0");
  EXPECT_ERROR(make_loss(LossKind::polynomial, {.exponent = 0.5}), InvalidArgument, "loss: exponent = 0.5");
  EXPECT_ERROR(make_loss(LossKind::quantile, {.quantile = 1}), InvalidArgument, "loss: quantile = 1");
  EXPECT_ERROR(make_loss(LossKind::epsilon_insensitive, {.epsilon = -1}), InvalidArgument, "loss: epsilon = -1");
  EXPECT_ERROR(make_loss(LossKind::huber, {.sigma = std::numeric_limits<double>::quiet_NaN()}), InvalidArgument,
               "loss: sigma");
  EXPECT_ERROR(make_loss(LossKind::density), InvalidArgument, "table of residuals");
  EXPECT_ERROR(TubeLoss(make_loss(LossKind::hinge), 0.1), InvalidArgument, "even convex loss");
}

}  // namespace
}  // namespace mercer
