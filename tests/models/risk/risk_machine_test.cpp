// Machines with any loss as models: special cases against the machines that solve them otherwise, brute force, what is
// said of solutions, weights, files, inputs that mean nothing.
#include "mercer/models/risk/risk_machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/kernel_machine/klr.h"
#include "mercer/models/model_state.h"
#include "mercer/models/ridge/ridge.h"
#include "mercer/models/svm/svc.h"
#include "mercer/models/svm/svr.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

const Kernel risk_gaussian = parse_kernel("rbf(gamma=0.5)");

struct RiskCurve {
  std::vector<double> y;
  TrainingData data;
};

RiskCurve risk_curve(Index n, double scale, double shift, std::uint64_t seed) {
  RandomStream random(seed, 17);
  RiskCurve curve;
  Matrix<double> x(n, 2);
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = 2 * random.normal();
    x(i, 1) = random.normal();
    curve.y.push_back(shift + scale * (std::sin(x(i, 0)) + 0.2 * x(i, 1) + 0.2 * random.normal()));
  }
  curve.data = {make_dense(std::move(x)), Targets::numeric(curve.y, "height"), {}};
  return curve;
}

TrainingData risk_classes(Index n, Index classes, std::uint64_t seed) {
  RandomStream random(seed, 18);
  Matrix<double> x(n, 2);
  std::vector<std::string> labels;
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = 2 * random.normal();
    x(i, 1) = random.normal();
    const double value = std::sin(x(i, 0)) + 0.5 * random.normal();
    labels.emplace_back(classes == 2 ? (value > 0.2 ? "b" : "a") : value > 0.5 ? "c" : value > -0.5 ? "b" : "a");
  }
  return {make_dense(std::move(x)), Targets::classes(labels), {}};
}

void expect_close(const Matrix<double>& a, const Matrix<double>& b, double bound, const std::string& what) {
  ASSERT_EQ(a.rows(), b.rows()) << what;
  ASSERT_EQ(a.columns(), b.columns()) << what;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index o = 0; o < a.columns(); ++o) {
      EXPECT_NEAR(a(i, o), b(i, o), bound) << what << ", row " << i;
    }
  }
}

RiskrOptions with_loss(LossKind loss) {
  RiskrOptions options;
  options.loss = loss;
  options.tolerance = 1e-9;
  return options;
}

RiskcOptions with_margin(LossKind loss) {
  RiskcOptions options;
  options.loss = loss;
  options.tolerance = 1e-9;
  return options;
}

TEST(Riskr, SquaredLossIsRidge) {
  const RiskCurve curve = risk_curve(50, 1, 3, 1);
  for (const ParametricPart part : {ParametricPart::none, ParametricPart::constant, ParametricPart::linear}) {
    for (const double c : {0.1, 5.0}) {
      RiskrOptions options = with_loss(LossKind::squared);
      options.C = c;
      options.standardize = false;
      options.parametric = part;
      RidgeOptions ridge;
      ridge.lambda = 1 / c;
      ridge.parametric = part;
      const auto model = fit_riskr(risk_gaussian, options, curve.data);
      EXPECT_EQ(model->report().status, SolveStatus::converged);
      expect_close(model->predict(curve.data.samples, {}),
                   fit_ridge(risk_gaussian, ridge, curve.data)->predict(curve.data.samples, {}), 1e-6,
                   "C " + std::to_string(c));
    }
  }
}

// Thin plates are positive beside the linear functions only: the same function as ridge's.
TEST(Riskr, ConditionallyPositiveKernels) {
  const RiskCurve curve = risk_curve(40, 1, 0, 2);
  for (const auto& [spec, part] : {std::pair{"thin_plate(lengthscale=1)", ParametricPart::linear},
                                   std::pair{"negative_distance()", ParametricPart::constant}}) {
    RiskrOptions options = with_loss(LossKind::squared);
    options.standardize = false;
    options.parametric = part;
    RidgeOptions ridge;
    ridge.lambda = 0.5;
    ridge.parametric = part;
    const Kernel kernel = parse_kernel(spec);
    const auto model = fit_riskr(kernel, options, curve.data);
    EXPECT_EQ(model->report().status, SolveStatus::converged) << spec;
    expect_close(model->predict(curve.data.samples, {}),
                 fit_ridge(kernel, ridge, curve.data)->predict(curve.data.samples, {}), 1e-6, spec);
    options.loss = LossKind::epsilon_insensitive;
    options.tolerance = 1e-6;
    EXPECT_EQ(fit_riskr(kernel, options, curve.data)->report().status, SolveStatus::converged) << spec;
  }
  EXPECT_ERROR(fit_riskr(parse_kernel("thin_plate(lengthscale=1)"), with_loss(LossKind::huber), curve.data),
               InvalidArgument, "conditionally positive");
  EXPECT_ERROR(fit_riskr(parse_kernel("sigmoid(gamma=0.1)"), with_loss(LossKind::huber), curve.data), InvalidArgument,
               "is indefinite");
}

TEST(Riskr, EpsilonInsensitiveIsSvr) {
  const RiskCurve curve = risk_curve(60, 20, 100, 3);
  for (const double epsilon : {0.5, 4.0}) {
    RiskrOptions options = with_loss(LossKind::epsilon_insensitive);
    options.epsilon = epsilon;
    options.C = 3;
    SvrOptions svr;
    svr.epsilon = epsilon;
    svr.C = 3;
    svr.tolerance = 1e-9;
    svr.verify = Precision::double_precision;
    const auto model = fit_riskr(risk_gaussian, options, curve.data);
    const auto peer = fit_svr(risk_gaussian, svr, curve.data);
    EXPECT_EQ(model->report().status, SolveStatus::converged);
    expect_close(model->predict(curve.data.samples, {}), peer->predict(curve.data.samples, {}), 2e-4,
                 "epsilon " + std::to_string(epsilon));
    // Rows inside of the tube are no part of it.
    EXPECT_EQ(model->parts().expansion.centers().size(), peer->expansion().centers().size());
  }
}

TEST(Riskc, HingeAndSquaredHingeAreSvc) {
  const TrainingData data = risk_classes(60, 2, 4);
  for (const LossKind loss : {LossKind::hinge, LossKind::squared_hinge}) {
    RiskcOptions options = with_margin(loss);
    options.C = 1.5;
    SvcOptions svc;
    svc.C = 1.5;
    svc.slack = loss == LossKind::hinge ? SvcSlack::linear : SvcSlack::squared;
    svc.tolerance = 1e-9;
    svc.verify = Precision::double_precision;
    const auto model = fit_riskc(risk_gaussian, options, data);
    EXPECT_EQ(model->report().status, SolveStatus::converged);
    EXPECT_FALSE(model->has_probabilities());
    expect_close(model->decide(data.samples, {}), fit_svc(risk_gaussian, svc, data)->decide(data.samples, {}), 1e-5,
                 std::string(word_of(loss)));
  }
}

TEST(Riskc, LogisticIsKernelLogisticRegression) {
  const TrainingData data = risk_classes(60, 2, 5);
  RiskcOptions options = with_margin(LossKind::logistic);
  options.C = 0.7;
  KlrOptions klr;
  klr.lambda = 1 / 0.7;
  const auto model = fit_riskc(risk_gaussian, options, data);
  const auto peer = fit_klr(risk_gaussian, klr, data);
  expect_close(model->decide(data.samples, {}), peer->decide(data.samples, {}), 1e-5, "values");
  expect_close(model->probabilities(data.samples, {}), peer->probabilities(data.samples, {}), 1e-5, "probabilities");
}

// With a kernel of zeros the constant alone is left: the quantile of the targets.
TEST(Riskr, QuantilesAreCrossedByTheirShare) {
  const RiskCurve curve = risk_curve(101, 3, 10, 6);
  for (const double level : {0.1, 0.5, 0.9}) {
    RiskrOptions options = with_loss(LossKind::quantile);
    options.quantile = level;
    const auto model = fit_riskr(risk_gaussian, options, curve.data);
    const Matrix<double> f = model->predict(curve.data.samples, {});
    double below = 0;
    double at = 0;
    for (Index i = 0; i < 101; ++i) {
      const double residual = f(i, 0) - curve.y[static_cast<std::size_t>(i)];
      at += std::abs(residual) < 1e-5 ? 1 : 0;
      below += residual >= 1e-5 ? 1 : 0;
    }
    // Targets below f are at most that share, with those on it at least.
    EXPECT_LE(below / 101, level + 1e-9) << level;
    EXPECT_GE((below + at) / 101, level - 1e-9) << level;
    RiskrOptions narrow = options;
    narrow.C = 1e-7;
    std::vector<double> sorted = curve.y;
    std::ranges::sort(sorted);
    const double quantile = sorted[static_cast<std::size_t>(101 * level)];
    EXPECT_NEAR(fit_riskr(risk_gaussian, narrow, curve.data)->predict(curve.data.samples, {})(0, 0), quantile, 0.02)
        << level;
  }
}

TEST(Riskr, HubersLimits) {
  const RiskCurve curve = risk_curve(50, 1, 0, 7);
  RiskrOptions options = with_loss(LossKind::huber);
  options.standardize = false;
  options.sigma = 1e-6;
  const Matrix<double> steep = fit_riskr(risk_gaussian, options, curve.data)->predict(curve.data.samples, {});
  expect_close(steep,
               fit_riskr(
                   risk_gaussian,
                   [] {
                     RiskrOptions laplace = with_loss(LossKind::laplace);
                     laplace.standardize = false;
                     return laplace;
                   }(),
                   curve.data)
                   ->predict(curve.data.samples, {}),
               1e-4, "laplace");
  options.sigma = 1000;
  options.C = 2 * 1000;
  RiskrOptions squared = with_loss(LossKind::squared);
  squared.standardize = false;
  expect_close(fit_riskr(risk_gaussian, options, curve.data)->predict(curve.data.samples, {}),
               fit_riskr(risk_gaussian, squared, curve.data)->predict(curve.data.samples, {}), 1e-6, "squared");
  RiskrOptions piecewise = with_loss(LossKind::piecewise_polynomial);
  piecewise.exponent = 2;
  piecewise.sigma = 0.4;
  options = with_loss(LossKind::huber);
  options.sigma = 0.4;
  expect_close(fit_riskr(risk_gaussian, options, curve.data)->predict(curve.data.samples, {}),
               fit_riskr(risk_gaussian, piecewise, curve.data)->predict(curve.data.samples, {}), 1e-6, "piecewise");
}

// An outlier moves the squared loss, not losses with a bounded influence.
TEST(Riskr, DensitiesOfHeavyTailsForgetAnOutlier) {
  const RiskCurve clean = risk_curve(60, 1, 0, 8);
  RiskCurve spoilt = clean;
  spoilt.y[10] += 50;
  spoilt.data.targets = Targets::numeric(spoilt.y, "height");
  RiskrOptions student = with_loss(LossKind::density);
  student.standardize = false;
  student.density =
      NoiseDensity(tabulate_density([](double x) { return std::pow(1 + x * x / 0.12, -2.0); }, -60, 60, 1201));
  const auto before = fit_riskr(risk_gaussian, student, clean.data);
  const auto after = fit_riskr(risk_gaussian, student, spoilt.data);
  EXPECT_EQ(after->report().status, SolveStatus::converged);
  ASSERT_FALSE(after->report().notes.empty());
  EXPECT_NE(after->report().notes.front().text.find("not convex: a local minimum"), std::string::npos);
  double moved = 0;
  double moved_squared = 0;
  RiskrOptions squared = with_loss(LossKind::squared);
  squared.standardize = false;
  const auto squared_before = fit_riskr(risk_gaussian, squared, clean.data)->predict(clean.data.samples, {});
  const auto squared_after = fit_riskr(risk_gaussian, squared, spoilt.data)->predict(clean.data.samples, {});
  const auto values_before = before->predict(clean.data.samples, {});
  const auto values_after = after->predict(clean.data.samples, {});
  for (Index i = 0; i < 60; ++i) {
    moved = std::max(moved, std::abs(values_after(i, 0) - values_before(i, 0)));
    moved_squared = std::max(moved_squared, std::abs(squared_after(i, 0) - squared_before(i, 0)));
  }
  EXPECT_LT(moved, 0.3);
  EXPECT_GT(moved_squared, 5);
}

// A normal density's table is the squared loss, whatever the units.
TEST(Riskr, ATableIsInTheUnitsOfTheTarget) {
  const RiskCurve curve = risk_curve(40, 200, 1000, 9);
  RiskrOptions table = with_loss(LossKind::density);
  // Of standard deviation 100: ½(ξ/100)², which in units of the targets' deviation s is (s/100)² times ½ξ².
  table.density = NoiseDensity(tabulate_density([](double x) { return std::exp(-x * x / 20000); }, -1000, 1000, 401));
  table.C = 3;
  const auto model = fit_riskr(risk_gaussian, table, curve.data);
  const double unit = model->parts().units.front();
  RiskrOptions squared = with_loss(LossKind::squared);
  squared.C = 3 * unit * unit / 10000;
  const Matrix<double> expected = fit_riskr(risk_gaussian, squared, curve.data)->predict(curve.data.samples, {});
  expect_close(model->predict(curve.data.samples, {}), expected, 0.05, "normal noise");
  EXPECT_NEAR(model->loss(0)->value(50), 0.125, 1e-6);
  EXPECT_EQ(model->loss_kind(), LossKind::density);
}

TEST(Riskr, DegenerateInputs) {
  for (const LossEntry& entry : loss_list()) {
    if (entry.argument != LossArgument::residual || entry.kind == LossKind::density) {
      continue;
    }
    const std::string name(word_of(entry.kind));
    Matrix<double> x(8, 1);
    for (Index i = 0; i < 8; ++i) {
      x(i, 0) = static_cast<double>(i / 2);
    }
    const Samples samples = make_dense(std::move(x));
    const std::vector<double> equal(8, 1e6);
    const auto model = fit_riskr(risk_gaussian, with_loss(entry.kind), {samples, Targets::numeric(equal, "y"), {}});
    EXPECT_EQ(model->report().status, SolveStatus::converged) << name;
    EXPECT_NEAR(model->predict(samples, {})(3, 0), 1e6, 1e-3) << name;
    const std::vector<Index> first{0};
    const std::vector<double> one{5.0};
    const auto single =
        fit_riskr(risk_gaussian, with_loss(entry.kind), {samples.select(first), Targets::numeric(one, "y"), {}});
    EXPECT_NEAR(single->predict(samples, {})(7, 0), 5, 1e-6) << name;
    // Rows that repeat with other targets.
    const std::vector<double> mixed{1, 2, 2, 3, 1, 5, 0, 0};
    EXPECT_EQ(
        fit_riskr(risk_gaussian, with_loss(entry.kind), {samples, Targets::numeric(mixed, "y"), {}})->report().status,
        SolveStatus::converged)
        << name;
  }
}

TEST(Riskr, ScaleOfTargetsChangesNothingButTheScale) {
  const RiskCurve small = risk_curve(40, 1e-5, 0, 11);
  const RiskCurve large = risk_curve(40, 1e5, 0, 11);
  for (const LossEntry& entry : loss_list()) {
    if (entry.argument != LossArgument::residual || entry.kind == LossKind::density) {
      continue;
    }
    const Matrix<double> a =
        fit_riskr(risk_gaussian, with_loss(entry.kind), small.data)->predict(small.data.samples, {});
    Matrix<double> b = fit_riskr(risk_gaussian, with_loss(entry.kind), large.data)->predict(large.data.samples, {});
    for (Index i = 0; i < b.rows(); ++i) {
      b(i, 0) *= 1e-10;
    }
    expect_close(a, b, 1e-10, std::string(word_of(entry.kind)));
  }
}

TEST(Risk, WeightsAreCopies) {
  const RiskCurve curve = risk_curve(30, 1, 0, 12);
  TrainingData weighted = curve.data;
  std::vector<Index> rows;
  for (Index i = 0; i < 30; ++i) {
    const Index count = i % 3;
    weighted.weights.push_back(static_cast<double>(count));
    rows.insert(rows.end(), static_cast<std::size_t>(count), i);
  }
  const TrainingData copied{curve.data.samples.select(rows), curve.data.targets.select(rows), {}};
  for (const LossKind loss :
       {LossKind::huber, LossKind::quantile, LossKind::squared_epsilon_insensitive, LossKind::polynomial}) {
    expect_close(fit_riskr(risk_gaussian, with_loss(loss), weighted)->predict(curve.data.samples, {}),
                 fit_riskr(risk_gaussian, with_loss(loss), copied)->predict(curve.data.samples, {}), 1e-5,
                 std::string(word_of(loss)));
  }
}

TEST(Riskc, EveryLossTellsThreeClassesApart) {
  const TrainingData data = risk_classes(90, 3, 13);
  for (const LossEntry& entry : loss_list()) {
    if (entry.argument != LossArgument::margin || entry.kind == LossKind::zero_one) {
      continue;
    }
    const auto model = fit_riskc(risk_gaussian, with_margin(entry.kind), data);
    const Matrix<double> predicted = model->predict(data.samples, {});
    double right = 0;
    const ClassLabels labels = data.targets.labels();
    for (Index i = 0; i < 90; ++i) {
      right += predicted(i, 0) == labels.codes[static_cast<std::size_t>(i)] ? 1 : 0;
    }
    EXPECT_GT(right / 90, 0.6) << word_of(entry.kind);
    EXPECT_EQ(model->has_probabilities(), entry.kind == LossKind::logistic || entry.kind == LossKind::exponential);
    if (model->has_probabilities()) {
      const Matrix<double> shares = model->probabilities(data.samples, {});
      EXPECT_NEAR(shares(4, 0) + shares(4, 1) + shares(4, 2), 1, 1e-14);
    }
  }
}

TEST(Risk, SaysWhatIsWrong) {
  const RiskCurve curve = risk_curve(10, 1, 0, 14);
  RiskrOptions options = with_loss(LossKind::squared);
  options.epsilon = 0.1;
  EXPECT_ERROR(fit_riskr(risk_gaussian, options, curve.data), InvalidArgument,
               "riskr: epsilon is no part of loss = squared");
  options = with_loss(LossKind::density);
  EXPECT_ERROR(fit_riskr(risk_gaussian, options, curve.data), InvalidArgument, "needs a table of residuals");
  options = with_loss(LossKind::huber);
  options.density = NoiseDensity::parse("-1:0.2, 0:0.4, 1:0.2");
  EXPECT_ERROR(fit_riskr(risk_gaussian, options, curve.data), InvalidArgument, "set loss=density");
  options = with_loss(LossKind::hinge);
  EXPECT_ERROR(fit_riskr(risk_gaussian, options, curve.data), InvalidArgument, "riskr: loss = hinge: must be one of");
  EXPECT_ERROR(NoiseDensity::parse("-1:0.2,0"), InvalidArgument, "'0' is not residual:density");
  EXPECT_EQ(NoiseDensity::parse("residual,density\n-1,0.2\n0 , 0.4\r\n\n1\t0.25\n").text(), "-1:0.2,0:0.4,1:0.25");
  EXPECT_EQ(NoiseDensity::parse("-1;0.2\n0;0.4\n1;0.25").text(), "-1:0.2,0:0.4,1:0.25");
  EXPECT_ERROR(NoiseDensity::parse("-1,0.2\n0,x\n1,0.2"), InvalidArgument, "'0,x' is not a line of a residual");
  EXPECT_EQ(NoiseDensity::parse(" ").text(), "");
  EXPECT_ERROR(NoiseDensity::parse("-1:0.2,0:0.5,1:-1"), InvalidArgument, "row 3 has the density -1");
  EXPECT_EQ(NoiseDensity::parse(" -1 : 0.2,0:0.4,1:0.25").text(), "-1:0.2,0:0.4,1:0.25");
  const std::vector<std::string> same(10, "a");
  EXPECT_ERROR(fit_riskc(risk_gaussian, {}, {curve.data.samples, Targets::classes(same), {}}), DataError,
               "belong to one class ('a')");
}

}  // namespace
}  // namespace mercer
