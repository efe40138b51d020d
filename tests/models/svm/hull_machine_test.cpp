// nusvc by reduced convex hulls, and svc in its coefficients: the machines they are documented to be.
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/svm/svc.h"
#include "models/report_measure.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::measure;

struct TwoClouds {
  explicit TwoClouds(Index n) : x(n, 2) {
    RandomStream random(3, 23);
    for (Index i = 0; i < n; ++i) {
      labels.push_back(i % 3 == 0 ? "a" : "b");
      x(i, 0) = (i % 3 == 0 ? -0.8 : 0.8) + random.normal();
      x(i, 1) = random.normal();
    }
  }
  TrainingData data() const { return {samples(), Targets::classes(labels)}; }
  Samples samples() const { return make_dense(Matrix<double>::copy_of(x.view())); }

  Matrix<double> x;
  std::vector<std::string> labels;
};

void expect_same_values(const SvcModel& one, const SvcModel& other, const Samples& samples, double tolerance) {
  const Matrix<double> f = one.decide(samples, mercer::Run());
  const Matrix<double> g = other.decide(samples, mercer::Run());
  for (Index i = 0; i < f.rows(); ++i) {
    for (Index m = 0; m < f.columns(); ++m) {
      EXPECT_NEAR(f(i, m), g(i, m), tolerance);
    }
  }
}

TEST(HullMachine, IsNuSvcAndKnowsItsDistance) {
  const TwoClouds clouds(60);  // 20 and 40
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  NuSvcOptions by_hull;
  by_hull.tolerance = 1e-8;
  by_hull.hull = 0.08;
  NuSvcOptions by_nu = by_hull;
  by_nu.hull = {};
  by_nu.nu = 2 / (0.08 * 60);
  const auto model = fit_nusvc(kernel, by_hull, clouds.data(), mercer::Run());
  expect_same_values(*model, *fit_nusvc(kernel, by_nu, clouds.data(), mercer::Run()), clouds.samples(), 1e-6);
  // The nearest points: coefficients are multiples of their shares, which sum to 1 in each class.
  const Expansion& f = model->expansion();
  double positive = 0;
  double squared = 0;
  const Matrix<double> values = f.values(f.centers(), mercer::Run());
  for (Index c = 0; c < f.centers().size(); ++c) {
    positive += std::max(0.0, f.coefficients()(c, 0));
    squared += f.coefficients()(c, 0) * (values(c, 0) - f.parametric_coefficients()(0, 0));
  }
  EXPECT_NEAR(measure(*model, "distance of the hulls"), std::sqrt(squared) / positive, 1e-6);
}

TEST(HullMachine, WholeHullsAreAHardMargin) {
  TwoClouds clouds(45);
  for (Index i = 0; i < 45; ++i) {
    clouds.x(i, 0) += i % 3 == 0 ? -4 : 4;
  }
  const Kernel kernel = parse_kernel("rbf(gamma=0.1)");
  NuSvcOptions whole;
  whole.tolerance = 1e-8;
  whole.hull = 1;
  SvcOptions hard;
  hard.tolerance = 1e-8;
  hard.slack = SvcSlack::none;
  const auto model = fit_nusvc(kernel, whole, clouds.data(), mercer::Run());
  const auto margin = fit_svc(kernel, hard, clouds.data(), mercer::Run());
  expect_same_values(*model, *margin, clouds.samples(), 1e-5);
  EXPECT_NEAR(measure(*model, "distance of the hulls"), 2 * measure(*margin, "margin"), 1e-6);
}

TEST(HullMachine, SaysWhatIsNotFeasible) {
  const TwoClouds clouds(60);
  NuSvcOptions options;
  options.hull = 0.04;
  EXPECT_ERROR(
      fit_nusvc(parse_kernel("rbf(gamma=0.5)"), options, clouds.data(), mercer::Run()), InvalidArgument,
      "nusvc: hull = 0.04: no sample may count for more than 0.04 in its hull, and those of the lighter class come "
      "to less than 1 then: the bound must be 0.05 at least");
  options.hull = 1;
  EXPECT_ERROR(fit_nusvc(parse_kernel("linear()"), options, clouds.data(), mercer::Run()), NumericalError,
               "nusvc: hull = 1, and these reduced hulls meet");
  options.hull = 0;
  EXPECT_ERROR(fit_nusvc(parse_kernel("linear()"), options, clouds.data(), mercer::Run()), InvalidArgument, "hull = 0");
}

TEST(PrimalFormulation, IsTheSameMachine) {
  const TwoClouds clouds(60);
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  SvcOptions dual;
  dual.tolerance = 1e-8;
  dual.C = 2;
  SvcOptions primal = dual;
  primal.formulation = SvcFormulation::primal;
  const auto by_dual = fit_svc(kernel, dual, clouds.data(), mercer::Run());
  const auto by_primal = fit_svc(kernel, primal, clouds.data(), mercer::Run());
  EXPECT_EQ(by_primal->report().status, SolveStatus::converged);
  expect_same_values(*by_primal, *by_dual, clouds.samples(), 1e-4);
  EXPECT_NEAR(measure(*by_primal, "primal value"), measure(*by_dual, "primal value"), 1e-6);
  EXPECT_NEAR(measure(*by_primal, "dual value"), measure(*by_dual, "dual value"), 1e-6);
  primal.slack = SvcSlack::squared;
  EXPECT_ERROR(fit_svc(kernel, primal, clouds.data(), mercer::Run()), InvalidArgument, "formulation = primal needs");
  primal.slack = SvcSlack::linear;
  primal.memory_mb = 0.01;
  EXPECT_ERROR(fit_svc(kernel, primal, clouds.data(), mercer::Run()), InvalidArgument, "formulation = primal stores");
  primal.memory_mb = 0;
  EXPECT_ERROR(fit_svc(parse_kernel("negative_distance()"), primal, clouds.data(), mercer::Run()), InvalidArgument,
               "needs a positive definite kernel");
}

}  // namespace
}  // namespace mercer
