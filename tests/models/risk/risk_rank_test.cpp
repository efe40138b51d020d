// Risk machines on a kernel matrix of low rank: what full rank gives, what is left out, and many rows.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/risk/risk_machine.h"
#include "models/report_measure.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

const Kernel ranked_gaussian = parse_kernel("rbf(gamma=0.5)");

TrainingData ranked_curve(Index n, std::uint64_t seed) {
  RandomStream random(seed, 31);
  Matrix<double> x(n, 2);
  std::vector<double> y;
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = 2 * random.normal();
    x(i, 1) = random.normal();
    y.push_back(5 + std::sin(x(i, 0)) + 0.2 * x(i, 1) + 0.2 * random.normal());
  }
  return {make_dense(std::move(x)), Targets::numeric(std::move(y), "height"), {}};
}

TrainingData ranked_classes(Index n, std::uint64_t seed) {
  TrainingData data = ranked_curve(n, seed);
  std::vector<std::string> labels;
  for (const double value : data.targets.columns().front().values) {
    labels.emplace_back(value > 5.5 ? "c" : value > 4.5 ? "b" : "a");
  }
  data.targets = Targets::classes(labels);
  return data;
}

double largest_difference(const Matrix<double>& a, const Matrix<double>& b) {
  double largest = 0;
  for (Index i = 0; i < a.rows() * a.columns(); ++i) {
    largest = std::max(largest, std::abs(a.data()[i] - b.data()[i]));
  }
  return largest;
}

double left_out(const FittedModel& model) { return testing::measure(model.report(), "share of the kernel left out"); }

// Dual with and without sides, Newton's method.
TEST(RiskRank, FullRankIsTheWholeMatrix) {
  const TrainingData data = ranked_curve(50, 1);
  for (const LossKind loss : {LossKind::squared, LossKind::huber, LossKind::epsilon_insensitive, LossKind::laplace,
                              LossKind::quantile, LossKind::polynomial}) {
    for (const ParametricPart part : {ParametricPart::none, ParametricPart::constant, ParametricPart::linear}) {
      RiskrOptions options;
      options.loss = loss;
      options.parametric = part;
      options.tolerance = 1e-8;
      const auto exact = fit_riskr(ranked_gaussian, options, data);
      options.rank = 50;
      const auto ranked = fit_riskr(ranked_gaussian, options, data);
      EXPECT_EQ(ranked->report().status, SolveStatus::converged) << word_of(loss);
      EXPECT_LT(left_out(*ranked), 1e-10);
      EXPECT_LT(largest_difference(ranked->predict(data.samples, {}), exact->predict(data.samples, {})), 2e-3)
          << word_of(loss) << " " << part.text();
      EXPECT_NEAR(ranked->report().objective, exact->report().objective, 1e-6 * exact->report().objective)
          << word_of(loss);
    }
  }
}

TEST(RiskRank, FullRankOfClasses) {
  const TrainingData data = ranked_classes(60, 2);
  for (const LossKind loss : {LossKind::logistic, LossKind::hinge, LossKind::squared_hinge, LossKind::exponential}) {
    RiskcOptions options;
    options.loss = loss;
    options.tolerance = 1e-8;
    const auto exact = fit_riskc(ranked_gaussian, options, data);
    options.rank = 1000;
    const auto ranked = fit_riskc(ranked_gaussian, options, data);
    EXPECT_EQ(ranked->report().status, SolveStatus::converged) << word_of(loss);
    EXPECT_NEAR(ranked->report().objective, exact->report().objective, 1e-6 * exact->report().objective)
        << word_of(loss);
    EXPECT_LT(largest_difference(ranked->decide(data.samples, {}), exact->decide(data.samples, {})), 2e-3)
        << word_of(loss);
  }
}

// The machine of rank k is the whole machine of the kernel k(x, P) K_PP⁻¹ k(P, x'), whose features are kernel values.
TEST(RiskRank, TheModelHasThePivotsAlone) {
  const TrainingData data = ranked_curve(200, 3);
  RiskrOptions options;
  options.loss = LossKind::huber;
  double before = 1;
  for (const Index rank : {2, 8, 32}) {
    options.rank = rank;
    const auto model = fit_riskr(ranked_gaussian, options, data);
    EXPECT_EQ(model->report().status, SolveStatus::converged);
    EXPECT_LE(model->expansion_form()->centers().size(), rank);
    EXPECT_LT(left_out(*model), before);
    before = left_out(*model);
    // The function at the rows is the one whose norm and risk the report says.
    EXPECT_EQ(testing::measure(model->report(), "rank of the kernel matrix"), static_cast<double>(rank));
  }
}

TEST(RiskRank, ManyRowsInSeconds) {
  const TrainingData data = ranked_curve(20000, 4);
  for (const LossKind loss : {LossKind::huber, LossKind::epsilon_insensitive}) {
    RiskrOptions options;
    options.loss = loss;
    options.rank = 100;
    const auto model = fit_riskr(ranked_gaussian, options, data);
    EXPECT_EQ(model->report().status, SolveStatus::converged) << word_of(loss);
    const Matrix<double> values = model->predict(data.samples, {});
    double squares = 0;
    for (Index i = 0; i < values.rows(); ++i) {
      squares += std::pow(values(i, 0) - data.targets.columns().front().values[static_cast<std::size_t>(i)], 2);
    }
    EXPECT_NEAR(std::sqrt(squares / 20000), 0.2, 0.01) << word_of(loss);  // the noise
  }
}

// Rows that are few, equal, or far apart in size.
TEST(RiskRank, OddInput) {
  RiskrOptions options;
  options.rank = 10;
  const TrainingData equal{
      make_dense(std::vector<double>{1, 1, 1, 1}, 4, 1), Targets::numeric(std::vector<double>{1, 2, 3, 4}), {}};
  const auto constant = fit_riskr(ranked_gaussian, options, equal);
  EXPECT_EQ(constant->report().status, SolveStatus::converged);
  EXPECT_EQ(testing::measure(constant->report(), "rank of the kernel matrix"), 1);
  const TrainingData one{make_dense(std::vector<double>{1}, 1, 1), Targets::numeric(std::vector<double>{7}), {}};
  EXPECT_NEAR(fit_riskr(ranked_gaussian, options, one)->predict(one.samples, {})(0, 0), 7, 1e-6);
  const TrainingData curve = ranked_curve(40, 5);
  const auto scaled = fit_riskr(parse_kernel("1e8 * rbf(gamma=0.5)"), options, curve);
  EXPECT_TRUE(std::isfinite(scaled->report().objective));
  EXPECT_ERROR(fit_riskr(parse_kernel("negative_distance()"), options, curve), InvalidArgument,
               "positive definite only beside functions");
  options.rank = -1;
  EXPECT_ERROR(fit_riskr(ranked_gaussian, options, curve), InvalidArgument, "rank");
}

TEST(RiskRank, TheSameBitsForAnyNumberOfThreads) {
  const TrainingData data = ranked_curve(300, 6);
  RiskrOptions options;
  options.rank = 40;
  const auto one = fit_riskr(ranked_gaussian, options, data, mercer::Run({.threads = 1}));
  const auto three = fit_riskr(ranked_gaussian, options, data, mercer::Run({.threads = 3}));
  EXPECT_EQ(largest_difference(one->predict(data.samples, {}), three->predict(data.samples, {})), 0);
}

}  // namespace
}  // namespace mercer
