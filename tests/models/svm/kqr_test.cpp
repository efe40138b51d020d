// Quantile regression as a model: optimality of every level, the interior point of riskr, shares below, what cannot be told
// apart, weights, several outputs.
#include "mercer/models/svm/kqr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "mercer/models/risk/risk_machine.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::same_bits;

constexpr double quantile_gamma = 0.5;
const Kernel quantile_gaussian = parse_kernel("rbf(gamma=0.5)");

struct Cone {
  Matrix<double> x;
  std::vector<double> y;
  TrainingData data;
};

// Noise that grows with x.
Cone noisy_cone(Index n, double scale, double shift, std::uint64_t seed) {
  RandomStream random(seed, 92);
  Cone cone{Matrix<double>(n, 1), {}, {}};
  for (Index i = 0; i < n; ++i) {
    cone.x(i, 0) = 4 * random.uniform();
    cone.y.push_back(shift + scale * (std::sin(2 * cone.x(i, 0)) + (0.1 + 0.3 * cone.x(i, 0)) * random.normal()));
  }
  cone.data = {make_dense(Matrix<double>::copy_of(cone.x.view())), Targets::numeric(cone.y, "height"), {}};
  return cone;
}

KqrOptions exact_options(std::vector<double> levels) {
  KqrOptions options;
  options.quantiles = std::move(levels);
  options.tolerance = 1e-8;
  options.verify = Precision::double_precision;
  return options;
}

std::vector<double> fitted_quantiles(const KqrModel& model, const Samples& samples) {
  const Matrix<double> values = model.quantiles(samples, model.fitted_levels(), PredictionOf::observation, {});
  return {values.data(), values.data() + values.rows() * values.columns()};
}

// The coefficients of a level, for all rows.
std::vector<double> coefficients_of(const KqrModel& model, Index level, Index rows) {
  std::vector<double> beta(rows, 0.0);
  const Expansion& expansion = model.parts().expansion;
  for (std::size_t s = 0; s < model.support_rows().size(); ++s) {
    beta[model.support_rows()[s]] = expansion.coefficients()(static_cast<Index>(s), level);
  }
  return beta;
}

TEST(Kqr, EveryLevelIsOptimal) {
  constexpr double rounding = 1e-12;  // of sums of coefficients, which bounds are known to
  const Cone cone = noisy_cone(120, 1, 3, 1);
  for (const double price : {0.05, 1.0, 100.0}) {
    KqrOptions options = exact_options({0.05, 0.25, 0.5, 0.9});
    options.C = price;
    options.standardize = false;
    const auto model = fit_kqr(quantile_gaussian, options, cone.data);
    EXPECT_EQ(model->report().status, SolveStatus::converged);
    double objective = 0;
    for (Index l = 0; l < 4; ++l) {
      const double level = options.quantiles.values()[l];
      const std::vector<double> beta = coefficients_of(*model, l, 120);
      const double offset = model->parts().expansion.parametric_coefficients()(0, l);
      double sum = 0;
      double norm = 0;
      double loss = 0;
      double linear = 0;
      for (Index i = 0; i < 120; ++i) {
        double f = 0;
        for (Index j = 0; j < 120; ++j) {
          const double distance = cone.x(i, 0) - cone.x(j, 0);
          f += beta[j] * std::exp(-quantile_gamma * distance * distance);
        }
        const double residual = cone.y[i] - f - offset;
        sum += beta[i];
        norm += beta[i] * f;
        linear += beta[i] * cone.y[i];
        loss += price * residual * (residual > 0 ? level : level - 1);
        // At a bound there is an error on its side; between them there is none.
        EXPECT_LE(beta[i], price * level);
        EXPECT_GE(beta[i], price * (level - 1));
        if (beta[i] < price * level * (1 - rounding)) {
          EXPECT_LE(residual, 1e-6) << i;
        }
        if (beta[i] > price * (level - 1) * (1 - rounding)) {
          EXPECT_GE(residual, -1e-6) << i;
        }
      }
      EXPECT_NEAR(sum, 0, 1e-11 * price);
      const double primal = norm / 2 + loss;
      EXPECT_NEAR(primal, linear - norm / 2, 1e-6 * primal) << price << " " << level;  // the duality gap
      objective += norm / 2 - linear;
    }
    EXPECT_NEAR(model->report().objective, objective, 1e-6 * std::abs(objective));
  }
}

TEST(Kqr, IsTheInteriorPointOfThePinballLoss) {
  const Cone cone = noisy_cone(90, 20, -7, 2);
  const std::vector<double> levels = {0.05, 0.3, 0.5, 0.95};
  for (const double price : {0.1, 3.0}) {
    KqrOptions options = exact_options(levels);
    options.C = price;
    options.crossing = Crossing::allowed;
    const auto model = fit_kqr(quantile_gaussian, options, cone.data);
    const std::vector<double> values = fitted_quantiles(*model, cone.data.samples);
    for (std::size_t l = 0; l < levels.size(); ++l) {
      RiskrOptions risk;
      risk.loss = LossKind::quantile;
      risk.quantile = levels[l];
      risk.C = price;
      risk.tolerance = 1e-10;
      const Matrix<double> other = fit_riskr(quantile_gaussian, risk, cone.data)->predict(cone.data.samples, {});
      for (Index i = 0; i < 90; ++i) {
        EXPECT_NEAR(values[i * levels.size() + l], other(i, 0), 20 * 1e-3) << price << " " << levels[l];
      }
    }
  }
}

// A start from the level before ends where a machine of one level does.
TEST(Kqr, LevelsDoNotDependOnTheOthers) {
  const Cone cone = noisy_cone(150, 1, 0, 3);
  KqrOptions options = exact_options({0.1, 0.5, 0.8, 0.97});
  options.crossing = Crossing::allowed;
  options.C = 10;
  const std::vector<double> values =
      fitted_quantiles(*fit_kqr(quantile_gaussian, options, cone.data), cone.data.samples);
  for (std::size_t l = 0; l < 4; ++l) {
    KqrOptions one = options;
    one.quantiles = std::vector<double>{options.quantiles.values()[l]};
    const Matrix<double> alone = fit_kqr(quantile_gaussian, one, cone.data)->predict(cone.data.samples, {});
    for (Index i = 0; i < 150; ++i) {
      EXPECT_NEAR(values[i * 4 + l], alone(i, 0), 1e-5) << l;
    }
  }
}

TEST(Kqr, TheShareBelowIsTheLevel) {
  const Cone cone = noisy_cone(200, 1, 0, 4);
  for (const double price : {0.02, 1.0, 50.0}) {
    KqrOptions options = exact_options({0.05, 0.25, 0.5, 0.75, 0.95});
    options.C = price;
    options.crossing = Crossing::allowed;
    const auto model = fit_kqr(quantile_gaussian, options, cone.data);
    const std::vector<double> values = fitted_quantiles(*model, cone.data.samples);
    for (std::size_t l = 0; l < 5; ++l) {
      const double level = options.quantiles.values()[l];
      double below = 0;
      double on = 0;
      for (Index i = 0; i < 200; ++i) {
        const double residual = cone.y[i] - values[i * 5 + l];
        below += residual < -1e-5 ? 1 : 0;
        on += std::abs(residual) <= 1e-5 ? 1 : 0;
      }
      EXPECT_LE(below, level * 200 + 1e-9) << price << " " << level;
      EXPECT_GE(below + on, level * 200 - 1e-9) << price << " " << level;
      EXPECT_LE(on, 100) << "the shares say nothing";
    }
  }
}

TEST(Kqr, LevelsDoNotCrossWhereTheyAreRearranged) {
  const Cone cone = noisy_cone(40, 1, 0, 5);
  KqrOptions options;
  options.quantiles = std::vector<double>{0.3, 0.4, 0.5, 0.6, 0.7};
  options.C = 100;
  RandomStream random(5, 93);
  Matrix<double> x(500, 1);
  for (Index i = 0; i < 500; ++i) {
    x(i, 0) = 8 * random.uniform() - 2;
  }
  const Samples queries = make_dense(std::move(x));
  const auto ordered = fit_kqr(quantile_gaussian, options, cone.data);
  options.crossing = Crossing::allowed;
  const auto fitted = fit_kqr(quantile_gaussian, options, cone.data);
  const std::vector<double> values = fitted_quantiles(*ordered, queries);
  std::vector<double> crossing = fitted_quantiles(*fitted, queries);
  const Matrix<double> middle = ordered->predict(queries, {});
  const Matrix<double> as_fitted = fitted->predict(queries, {});
  Index crossed = 0;
  for (std::size_t i = 0; i < 500; ++i) {
    const std::span<double> row(crossing.data() + i * 5, 5);
    EXPECT_EQ(as_fitted(static_cast<Index>(i), 0), row[2]);
    crossed += std::ranges::is_sorted(row) ? 0 : 1;
    std::ranges::sort(row);
    EXPECT_TRUE(std::equal(row.begin(), row.end(), values.begin() + static_cast<Index>(i) * 5));
    EXPECT_EQ(middle(static_cast<Index>(i), 0), values[i * 5 + 2]);
  }
  EXPECT_GT(crossed, 20) << "nothing was put in order";
}

TEST(Kqr, FollowsUnitsAndOriginOfTargets) {
  const Cone plain = noisy_cone(80, 1, 0, 6);
  const std::vector<double> a = fitted_quantiles(*fit_kqr(quantile_gaussian, {}, plain.data), plain.data.samples);
  for (const double scale : {1e-9, 1.0, 1e9}) {
    const Cone other = noisy_cone(80, scale, 50 * scale, 6);
    const std::vector<double> b = fitted_quantiles(*fit_kqr(quantile_gaussian, {}, other.data), other.data.samples);
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_NEAR(b[i] / scale, a[i] + 50, 2e-3);
    }
  }
}

TEST(Kqr, WeightsAreCopiesAndRowsOfWeightZeroAreNotThere) {
  const Cone cone = noisy_cone(40, 1, 0, 7);
  const KqrOptions options = exact_options({0.2, 0.5, 0.9});
  TrainingData weighted = cone.data;
  Matrix<double> x(60, 1);
  std::vector<double> y;
  for (Index i = 0; i < 40; ++i) {
    weighted.weights.push_back(static_cast<double>(i % 4));
    for (Index copy = 0; copy < i % 4; ++copy) {
      x(static_cast<Index>(y.size()), 0) = cone.x(i, 0);
      y.push_back(cone.y[i]);
    }
  }
  ASSERT_EQ(y.size(), 60U);
  const TrainingData repeated{make_dense(std::move(x)), Targets::numeric(y, "height"), {}};
  const std::vector<double> a = fitted_quantiles(*fit_kqr(quantile_gaussian, options, weighted), cone.data.samples);
  const std::vector<double> b = fitted_quantiles(*fit_kqr(quantile_gaussian, options, repeated), cone.data.samples);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], 1e-5);
  }
}

TEST(Kqr, EqualTargetsAreTheirOwnQuantiles) {
  for (const Index rows : {1, 2, 30}) {
    const Cone cone = noisy_cone(rows, 0, 7.25, 8);
    const auto model = fit_kqr(quantile_gaussian, {}, cone.data);
    EXPECT_EQ(model->report().status, SolveStatus::converged) << rows;
    const Cone queries = noisy_cone(20, 1, 0, 9);
    for (const double value : fitted_quantiles(*model, queries.data.samples)) {
      EXPECT_NEAR(value, 7.25, 1e-9) << rows;
    }
    const PredictiveMoments moments = model->moments(queries.data.samples, PredictionOf::observation, {});
    EXPECT_NEAR(moments.variance(0, 0), 0, 1e-12);
  }
}

// All at one place: quantiles of the numbers themselves.
TEST(Kqr, EqualRowsHaveTheQuantilesOfTheirTargets) {
  std::vector<double> y;
  for (Index i = 0; i < 21; ++i) {
    y.push_back(static_cast<double>((i * 8) % 21));
  }
  const TrainingData data{make_dense(Matrix<double>::filled(21, 2, 3.0)), Targets::numeric(y, "y"), {}};
  const auto model = fit_kqr(quantile_gaussian, exact_options({0.1, 0.5, 0.9}), data);
  const std::vector<double> values = fitted_quantiles(*model, data.samples);
  EXPECT_NEAR(values[0], 2, 1e-5);  // 2.1 of 21 below it
  EXPECT_NEAR(values[1], 10, 1e-5);
  EXPECT_NEAR(values[2], 18, 1e-5);
}

TEST(Kqr, SeveralOutputsAreMachinesOfTheirOwn) {
  const Cone first = noisy_cone(70, 1, 0, 10);
  Matrix<double> both(70, 2);
  std::vector<double> second;
  for (Index i = 0; i < 70; ++i) {
    second.push_back(10 * first.y[(i * 3) % 70]);
    both(i, 0) = first.y[i];
    both(i, 1) = second.back();
  }
  const KqrOptions options = exact_options({0.2, 0.6});
  const auto joint = fit_kqr(quantile_gaussian, options, {first.data.samples, Targets::numeric(both.view()), {}});
  const std::vector<double> values = fitted_quantiles(*joint, first.data.samples);
  const std::vector<double> a = fitted_quantiles(*fit_kqr(quantile_gaussian, options, first.data), first.data.samples);
  const std::vector<double> b = fitted_quantiles(
      *fit_kqr(quantile_gaussian, options, {first.data.samples, Targets::numeric(second), {}}), first.data.samples);
  const Matrix<double> predictions = joint->predict(first.data.samples, {});
  ASSERT_EQ(predictions.columns(), 2);
  for (std::size_t i = 0; i < 70; ++i) {
    for (std::size_t l = 0; l < 2; ++l) {
      EXPECT_NEAR(values[4 * i + l], a[2 * i + l], 1e-6);
      EXPECT_NEAR(values[4 * i + 2 + l], b[2 * i + l], 1e-5);
    }
    EXPECT_EQ(predictions(static_cast<Index>(i), 1), values[4 * i + 3]);  // 0.6 is nearer to a half
  }
  const auto again = kqr_entry().load(state_of(*joint), {});
  EXPECT_TRUE(same_bits(again->predict(first.data.samples, {}), predictions));
}

TEST(Kqr, DrawsHaveTheSharesOfTheLevels) {
  const Cone cone = noisy_cone(60, 1, 0, 11);
  const auto model = fit_kqr(quantile_gaussian, {}, cone.data);
  const std::vector<double> values = fitted_quantiles(*model, cone.data.samples);
  constexpr Index count = 4000;
  const Matrix<double> draws = model->draws(cone.data.samples, count, PredictionOf::observation, {});
  for (std::size_t l = 0; l < 5; ++l) {
    const double level = model->fitted_levels()[l];
    double below = 0;
    for (Index i = 0; i < 60; ++i) {
      for (Index c = 0; c < count; ++c) {
        below += draws(i, c) <= values[static_cast<std::size_t>(i) * 5 + l] ? 1 : 0;
      }
    }
    EXPECT_NEAR(below / (60.0 * count), level, 5 * std::sqrt(level * (1 - level) / (60.0 * count)));
  }
}

TEST(Kqr, LevelsAreReadInAnyOrder) {
  const QuantileLevels levels = QuantileLevels::parse({"kqr", "quantiles"}, "0.9, 0.1,0.5");
  EXPECT_EQ(levels.text(), "0.1,0.5,0.9");
  EXPECT_EQ(levels.middle(), 1);
  EXPECT_EQ(QuantileLevels({0.4, 0.6}).middle(), 0);
  EXPECT_EQ(QuantileLevels({0.9}).middle(), 0);
  EXPECT_EQ(QuantileLevels().text(), "0.05,0.25,0.5,0.75,0.95");
  for (const char* text : {"", "0", "1", "0.5,1", "-0.1", "0.5,0.5", "0.5,,0.6", "half", "nan", "0.1,inf"}) {
    EXPECT_ERROR(QuantileLevels::parse({"kqr", "quantiles"}, text), InvalidArgument,
                 "different numbers between 0 and 1");
  }
  EXPECT_ERROR(QuantileLevels({0.5, std::nan("")}), InvalidArgument, "different numbers between 0 and 1");
  EXPECT_ERROR(QuantileLevels(std::vector<double>{}), InvalidArgument, "different numbers between 0 and 1");
}

TEST(Kqr, RefusesWhatItCannotUse) {
  const Cone cone = noisy_cone(10, 1, 0, 12);
  KqrOptions options;
  options.C = 0;
  EXPECT_ERROR(fit_kqr(quantile_gaussian, options, cone.data), InvalidArgument, "C");
  TrainingData missing = cone.data;
  std::vector<double> y = cone.y;
  y[3] = std::nan("");
  missing.targets = Targets::numeric(y, "height");
  EXPECT_ERROR(fit_kqr(quantile_gaussian, {}, missing), DataError, "height");
  EXPECT_ERROR(fit_kqr(parse_kernel("thin_plate(lengthscale=1)"), {}, cone.data), InvalidArgument, "order");
}

}  // namespace
}  // namespace mercer
