// svr and svc with functions beside the kernel: the conditions of the optimum from the stored numbers, the standard machine
// where the constant is all, splines of order 2 and 3, weights, classes, prices, refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/expansion/parametric_functions.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/svm/svc.h"
#include "mercer/models/svm/svr.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::random_matrix;
using testing::random_samples;

// Two columns in [-1, 1], a constant third; y has a plane, a wave and noise; every fifth label is noise.
struct SplineData {
  Samples samples;
  std::vector<double> y;
  std::vector<std::string> labels;

  TrainingData numbers() const { return {samples, Targets::numeric(y, "y"), {}}; }
  TrainingData classes() const { return {samples, Targets::classes(labels), {}}; }
};

SplineData spline_data(Index n, std::uint64_t seed) {
  RandomStream random(seed, 12);
  Matrix<double> x(n, 3);
  SplineData data;
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = 2 * random.uniform() - 1;
    x(i, 1) = 2 * random.uniform() - 1;
    x(i, 2) = 7;
    const double f = 3 + 2 * x(i, 0) - x(i, 1) + std::sin(4 * x(i, 0)) + 0.3 * random.normal();
    data.y.push_back(f);
    data.labels.push_back((f > 3) == (random.uniform() < 0.85) ? "high" : "low");
  }
  data.samples = make_dense(std::move(x));
  return data;
}

Matrix<double> function_values(const Expansion& f, const Samples& samples) {
  const ParametricFunctions functions(f.parametric_part(), samples);
  Matrix<double> values(samples.size(), functions.count());
  functions.values({0, samples.size()}, values.view());
  return values;
}

std::vector<double> coefficients_by_row(const Expansion& f, const std::vector<Index>& rows, Index output, Index n) {
  std::vector<double> beta(static_cast<std::size_t>(n), 0.0);
  for (std::size_t s = 0; s < rows.size(); ++s) {
    beta[rows[s]] = f.coefficients()(static_cast<Index>(s), output);
  }
  return beta;
}

// Σ β_i ψ_p(x_i) = 0 to rounding.
void expect_equalities(const Expansion& f, const std::vector<double>& beta, const Samples& samples,
                       const std::string& what) {
  const Matrix<double> psi = function_values(f, samples);
  for (Index p = 0; p < psi.columns(); ++p) {
    double sum = 0;
    double size = 0;
    for (Index i = 0; i < psi.rows(); ++i) {
      sum += beta[i] * psi(i, p);
      size += std::abs(beta[i] * psi(i, p));
    }
    EXPECT_LE(std::abs(sum), 1e-14 * size) << what << " function " << p;
  }
}

SvrOptions svr_options(const std::string& parametric) {
  SvrOptions options;
  options.parametric = ParametricPart::parse(parametric);
  options.standardize = false;
  options.C = 3;
  options.epsilon = 0.2;
  return options;
}

void expect_optimal(const SvrModel& model, const SplineData& data, double C, double epsilon, const std::string& what) {
  EXPECT_EQ(model.report().status, SolveStatus::converged) << what;
  const auto n = static_cast<Index>(data.y.size());
  const std::vector<double> beta = coefficients_by_row(model.expansion(), model.support_rows(), 0, n);
  const Matrix<double> f = model.predict(data.samples, {});
  expect_equalities(model.expansion(), beta, data.samples, what);
  for (Index i = 0; i < n; ++i) {
    const double rest = data.y[i] - f(i, 0);
    const double out = beta[i] == 0 ? std::abs(rest) : std::copysign(1.0, beta[i]) * rest;
    EXPECT_LE(std::abs(beta[i]), C) << what;
    if (std::abs(beta[i]) < C) {
      EXPECT_LE(out, epsilon + 1e-7) << what << " row " << i;
    }
    if (beta[i] != 0) {
      EXPECT_GE(out, epsilon - 1e-7) << what << " row " << i;
    }
  }
}

TEST(SemiparametricSvr, IsOptimalForEveryPart) {
  const SplineData data = spline_data(120, 1);
  struct Case {
    std::string kernel;
    std::string parametric;
  };
  for (const Case& c : {Case{"rbf(gamma=2)", "none"}, Case{"rbf(gamma=2)", "linear[0, 1]"},
                        Case{"rbf(gamma=2)", "quadratic"}, Case{"rbf(gamma=2)", "periodic(period=1.5, harmonics=2)[0]"},
                        Case{"thin_plate(n=1)[0, 1]", "linear[0, 1]"}, Case{"thin_plate(n=2)[0, 1]", "quadratic[0, 1]"},
                        Case{"negative_distance()", "linear"}, Case{"linear()", "linear"}}) {
    const auto model = fit_svr(parse_kernel(c.kernel), svr_options(c.parametric), data.numbers());
    expect_optimal(*model, data, 3, 0.2, c.kernel + " beside " + c.parametric);
  }
}

// Functions that depend on the constant, as a constant column does, are none: the interior point on the constant alone.
TEST(SemiparametricSvr, WithTheConstantAloneIsTheUsualMachine) {
  const SplineData data = spline_data(150, 2);
  for (const std::string kernel : {"rbf(gamma=2)", "negative_distance()"}) {
    SvrOptions usual = svr_options("constant");
    usual.tolerance = 1e-9;
    const auto expected = fit_svr(parse_kernel(kernel), usual, data.numbers());
    const auto model = fit_svr(parse_kernel(kernel), svr_options("linear[2]"), data.numbers());
    const Samples x = random_samples(40, 3, 5);
    const Matrix<double> a = model->predict(data.samples, {});
    const Matrix<double> b = expected->predict(data.samples, {});
    for (Index i = 0; i < a.rows(); ++i) {
      EXPECT_NEAR(a(i, 0), b(i, 0), 1e-6) << kernel;
    }
    EXPECT_NEAR(model->report().objective, expected->report().objective, 1e-8 * std::abs(expected->report().objective));
  }
}

TEST(SemiparametricSvr, FunctionsAddedToTheTargetsChangeTheirCoefficientsAlone) {
  SplineData data = spline_data(90, 3);
  const auto plain = fit_svr(parse_kernel("rbf(gamma=2)"), svr_options("linear[0, 1]"), data.numbers());
  const auto& x = data.samples.as<DenseRows<double>>();
  for (Index i = 0; i < 90; ++i) {
    data.y[i] += 5 - 40 * x(i, 0) + 30 * x(i, 1);
  }
  const auto moved = fit_svr(parse_kernel("rbf(gamma=2)"), svr_options("linear[0, 1]"), data.numbers());
  ASSERT_EQ(moved->support_rows(), plain->support_rows());
  const Expansion& a = plain->expansion();
  const Expansion& b = moved->expansion();
  for (Index s = 0; s < a.centers().size(); ++s) {
    EXPECT_NEAR(a.coefficients()(s, 0), b.coefficients()(s, 0), 1e-7);
  }
  const std::array<double, 3> added = {5, -40, 30};
  for (Index p = 0; p < 3; ++p) {
    EXPECT_NEAR(b.parametric_coefficients()(p, 0), a.parametric_coefficients()(p, 0) + added[p], 1e-6);
  }
}

TEST(SemiparametricSvr, WeightsAreCopies) {
  const SplineData data = spline_data(40, 4);
  TrainingData weighted = data.numbers();
  std::vector<Index> copies;
  for (Index i = 0; i < 40; ++i) {
    const Index count = i % 3;
    weighted.weights.push_back(static_cast<double>(count));
    copies.insert(copies.end(), static_cast<std::size_t>(count), i);
  }
  std::vector<double> y;
  for (const Index i : copies) {
    y.push_back(data.y[i]);
  }
  SvrOptions options = svr_options("linear[0, 1]");
  options.standardize = true;
  const auto a = fit_svr(parse_kernel("rbf(gamma=2)"), options, weighted);
  const auto b =
      fit_svr(parse_kernel("rbf(gamma=2)"), options, {data.samples.select(copies), Targets::numeric(y, "y"), {}});
  const Matrix<double> ours = a->predict(data.samples, {});
  const Matrix<double> theirs = b->predict(data.samples, {});
  for (Index i = 0; i < 40; ++i) {
    EXPECT_NEAR(ours(i, 0), theirs(i, 0), 1e-6);
  }
}

// Units of the target: standardised targets, with and without a constant that takes the mean up.
TEST(SemiparametricSvr, FollowsTheUnitsOfTheTarget) {
  SplineData data = spline_data(60, 5);
  for (const std::string part : {"none", "linear[0, 1]"}) {
    SvrOptions options = svr_options(part);
    options.standardize = true;
    options.epsilon = {};
    const auto plain = fit_svr(parse_kernel("rbf(gamma=2)"), options, data.numbers());
    SplineData scaled = data;
    for (double& y : scaled.y) {
      y *= 1e6;
    }
    const auto other = fit_svr(parse_kernel("rbf(gamma=2)"), options, scaled.numbers());
    const Matrix<double> a = plain->predict(data.samples, {});
    const Matrix<double> b = other->predict(data.samples, {});
    for (Index i = 0; i < 60; ++i) {
      EXPECT_NEAR(1e6 * a(i, 0), b(i, 0), 1) << part;
    }
  }
}

// A price on their coefficients: small, they are free; large, they are gone; between, some are 0.
TEST(SemiparametricSvr, APriceOnTheFunctionsTakesSomeOut) {
  const SplineData data = spline_data(100, 6);
  const auto fitted = [&](const std::string& part, double price) {
    SvrOptions options = svr_options(part);
    options.parametric_l1 = price;
    return fit_svr(parse_kernel("rbf(gamma=2)"), options, data.numbers());
  };
  const auto free = fitted("linear[0, 1]", 0);
  const auto cheap = fitted("linear[0, 1]", 1e-7);
  const auto dear = fitted("linear[0, 1]", 1e6);
  const auto constant = fitted("constant", 0);
  const Matrix<double> f_free = free->predict(data.samples, {});
  const Matrix<double> f_cheap = cheap->predict(data.samples, {});
  const Matrix<double> f_dear = dear->predict(data.samples, {});
  const Matrix<double> f_constant = constant->predict(data.samples, {});
  for (Index i = 0; i < 100; ++i) {
    EXPECT_NEAR(f_cheap(i, 0), f_free(i, 0), 1e-4);
    EXPECT_NEAR(f_dear(i, 0), f_constant(i, 0), 2e-3);
  }
  EXPECT_EQ(dear->expansion().parametric_coefficients()(1, 0), 0);
  EXPECT_EQ(dear->expansion().parametric_coefficients()(2, 0), 0);
  // The dual of a price: |Σ βψ| is at most the price, and it where the coefficient is not 0.
  const double price = 3;
  const auto priced = fitted("quadratic[0, 1]", price);
  EXPECT_EQ(priced->report().status, SolveStatus::converged);
  const Expansion& f = priced->expansion();
  const std::vector<double> beta = coefficients_by_row(f, priced->support_rows(), 0, 100);
  const Matrix<double> psi = function_values(f, data.samples);
  Index zeros = 0;
  for (Index p = 1; p < psi.columns(); ++p) {
    double sum = 0;
    for (Index i = 0; i < 100; ++i) {
      sum += beta[i] * psi(i, p);
    }
    const double coefficient = f.parametric_coefficients()(p, 0);
    EXPECT_LE(std::abs(sum), price * (1 + 1e-8)) << p;
    zeros += coefficient == 0 ? 1 : 0;
    if (coefficient != 0) {
      EXPECT_NEAR(sum, std::copysign(price, coefficient), 1e-7) << p;
    }
  }
  EXPECT_GT(zeros, 0);
  EXPECT_LT(zeros, 5);
}

SvcOptions svc_options(const std::string& parametric) {
  SvcOptions options;
  options.parametric = ParametricPart::parse(parametric);
  options.C = 2;
  return options;
}

void expect_optimal(const SvcModel& model, const SplineData& data, double C, const std::string& what) {
  EXPECT_EQ(model.report().status, SolveStatus::converged) << what;
  const auto n = static_cast<Index>(data.labels.size());
  const std::vector<double> beta = coefficients_by_row(model.expansion(), model.support_rows(), 0, n);
  const Matrix<double> f = model.decide(data.samples, {});
  expect_equalities(model.expansion(), beta, data.samples, what);
  for (Index i = 0; i < n; ++i) {
    const double sign = data.labels[i] == model.classes()[1] ? 1 : -1;
    const double side = model.code()(0, 1) * sign;
    const double margin = side * f(i, 0);
    EXPECT_GE(side * beta[i], 0) << what;
    if (std::abs(beta[i]) < C) {
      EXPECT_GE(margin, 1 - 1e-7) << what << " row " << i;
    }
    if (beta[i] != 0) {
      EXPECT_LE(margin, 1 + 1e-7) << what << " row " << i;
    }
  }
  const MachineFacts& facts = model.machine_facts().front();
  EXPECT_NEAR(facts.primal, facts.dual, 1e-7 * facts.primal) << what;
}

TEST(SemiparametricSvc, IsOptimalForEveryPart) {
  const SplineData data = spline_data(120, 7);
  struct Case {
    std::string kernel;
    std::string parametric;
  };
  for (const Case& c :
       {Case{"rbf(gamma=2)", "none"}, Case{"rbf(gamma=2)", "linear"}, Case{"thin_plate(n=1)[0, 1]", "linear[0, 1]"},
        Case{"thin_plate(n=2)[0, 1]", "quadratic[0, 1]"}, Case{"rbf(gamma=2)", "periodic(period=2)[1] + linear[0]"}}) {
    const auto model = fit_svc(parse_kernel(c.kernel), svc_options(c.parametric), data.classes());
    expect_optimal(*model, data, 2, c.kernel + " beside " + c.parametric);
  }
}

TEST(SemiparametricSvc, WithTheConstantAloneIsTheUsualMachine) {
  const SplineData data = spline_data(150, 8);
  SvcOptions usual = svc_options("constant");
  usual.tolerance = 1e-9;
  const auto expected = fit_svc(parse_kernel("rbf(gamma=2)"), usual, data.classes());
  const auto model = fit_svc(parse_kernel("rbf(gamma=2)"), svc_options("linear[2]"), data.classes());
  const Matrix<double> a = model->decide(data.samples, {});
  const Matrix<double> b = expected->decide(data.samples, {});
  for (Index i = 0; i < a.rows(); ++i) {
    EXPECT_NEAR(a(i, 0), b(i, 0), 1e-6);
  }
}

// Three classes by pairs and against the rest, weights of classes, probabilities from held-out folds.
TEST(SemiparametricSvc, SeveralClasses) {
  SplineData data = spline_data(150, 9);
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    data.labels[i] = data.y[i] < 2 ? "low" : data.y[i] < 4 ? "middle" : "high";
  }
  for (const Multiclass multiclass : {Multiclass::one_vs_one, Multiclass::one_vs_rest}) {
    SvcOptions options = svc_options("linear[0, 1]");
    options.multiclass = multiclass;
    options.class_weight = ClassWeights::parse("balanced");
    options.probability = true;
    const auto model = fit_svc(parse_kernel("thin_plate(n=1)[0, 1]"), options, data.classes());
    EXPECT_EQ(model->report().status, SolveStatus::converged);
    EXPECT_EQ(model->expansion().parametric_coefficients().rows(), 3);
    EXPECT_EQ(model->expansion().parametric_coefficients().columns(), 3);
    const Matrix<double> answers = model->predict(data.samples, {});
    Index right = 0;
    for (Index i = 0; i < 150; ++i) {
      right += model->classes()[static_cast<std::size_t>(answers(i, 0))] == data.labels[i] ? 1 : 0;
    }
    EXPECT_GT(right, 110);
    const mercer::Run two{{.threads = 2}};
    const auto again = fit_svc(parse_kernel("thin_plate(n=1)[0, 1]"), options, data.classes(), two);
    EXPECT_TRUE(testing::same_bits(model->decide(data.samples, {}), again->decide(data.samples, {})));
  }
}

// Where the functions alone separate the classes, the kernel has nothing to do.
TEST(SemiparametricSvc, FunctionsThatSeparateLeaveNothingToTheKernel) {
  SplineData data = spline_data(60, 10);
  const auto& x = data.samples.as<DenseRows<double>>();
  for (Index i = 0; i < 60; ++i) {
    data.labels[i] = x(i, 0) + x(i, 1) > 0 ? "high" : "low";
  }
  const auto model = fit_svc(parse_kernel("rbf(gamma=2)"), svc_options("linear[0, 1]"), data.classes());
  EXPECT_EQ(model->report().status, SolveStatus::converged);
  EXPECT_TRUE(model->support_rows().empty());
  const Matrix<double> answers = model->predict(data.samples, {});
  for (Index i = 0; i < 60; ++i) {
    EXPECT_EQ(model->classes()[static_cast<std::size_t>(answers(i, 0))], data.labels[i]);
  }
}

TEST(SemiparametricMachines, WhatTheyDoNotDoTheySay) {
  const SplineData data = spline_data(30, 11);
  const Kernel plate = parse_kernel("thin_plate(n=1)");
  EXPECT_ERROR(fit_svr(plate, svr_options("constant"), data.numbers()), InvalidArgument, "order 1");
  EXPECT_ERROR(fit_svr(plate, svr_options("linear[0]"), data.numbers()), InvalidArgument, "set parametric=linear");
  EXPECT_ERROR(fit_svr(parse_kernel("negative_distance()"), svr_options("none"), data.numbers()), InvalidArgument,
               "set parametric=constant");
  EXPECT_ERROR(fit_svr(parse_kernel("sigmoid()"), svr_options("linear"), data.numbers()), InvalidArgument,
               "can have negative eigenvalues");
  SvrOptions priced = svr_options("linear");
  priced.parametric_l1 = 1;
  EXPECT_ERROR(fit_svr(plate, priced, data.numbers()), InvalidArgument, "leave out parametric_l1");
  priced.parametric = ParametricPart::constant;
  EXPECT_ERROR(fit_svr(parse_kernel("rbf()"), priced, data.numbers()), InvalidArgument,
               "parametric_l1 = 1 is a price on functions beside the constant");
  SvrOptions small = svr_options("linear");
  small.memory_mb = 0.001;
  EXPECT_ERROR(fit_svr(parse_kernel("rbf(gamma=1)"), small, data.numbers()), InvalidArgument,
               "whole matrix of 30 rows");
  SvcOptions squared = svc_options("linear");
  squared.slack = SvcSlack::squared;
  EXPECT_ERROR(fit_svc(parse_kernel("rbf(gamma=1)"), squared, data.classes()), InvalidArgument, "needs slack = linear");
  SvcOptions joint = svc_options("linear");
  joint.multiclass = Multiclass::weston_watkins;
  EXPECT_ERROR(fit_svc(parse_kernel("rbf(gamma=1)"), joint, data.classes()), InvalidArgument,
               "machines of two classes");
  EXPECT_ERROR(fit_svr(parse_kernel("rbf(gamma=1)"), svr_options("linear[5]"), data.numbers()), InvalidArgument,
               "3 numeric columns");
}

TEST(SemiparametricMachines, OneRowRepeatedRowsAndEqualTargets) {
  const SplineData data = spline_data(1, 12);
  const auto one = fit_svr(parse_kernel("rbf(gamma=1)"), svr_options("linear"), data.numbers());
  EXPECT_NEAR(one->predict(data.samples, {})(0, 0), data.y[0], 0.2 + 1e-6);
  SplineData repeated = spline_data(30, 13);
  std::vector<Index> twice;
  for (Index i = 0; i < 30; ++i) {
    twice.insert(twice.end(), {i, i});
  }
  repeated.samples = repeated.samples.select(twice);
  std::vector<double> y;
  for (const Index i : twice) {
    y.push_back(repeated.y[i]);
  }
  repeated.y = y;
  const auto model = fit_svr(parse_kernel("thin_plate(n=1)[0, 1]"), svr_options("linear[0, 1]"), repeated.numbers());
  expect_optimal(*model, repeated, 3, 0.2, "repeated rows");
  SplineData equal = spline_data(20, 14);
  std::ranges::fill(equal.y, 4.0);
  SvrOptions options = svr_options("linear");
  options.standardize = true;
  const auto flat = fit_svr(parse_kernel("rbf(gamma=1)"), options, equal.numbers());
  EXPECT_TRUE(flat->support_rows().empty());
  for (Index i = 0; i < 20; ++i) {
    EXPECT_NEAR(flat->predict(equal.samples, {})(i, 0), 4, 0.2 + 1e-6);
  }
}

// A constant column says what the free constant says: it changes no answer, and its price is not paid.
TEST(SemiparametricMachines, ConstantColumnsArePricedForNothing) {
  const Matrix<double> random = random_matrix(12, 1, 225);
  Matrix<double> with(12, 2);
  std::vector<double> y;
  std::vector<std::string> labels;
  for (Index i = 0; i < 12; ++i) {
    with(i, 0) = random(i, 0);
    with(i, 1) = 0.1;
    y.push_back(random(i, 0) + 0.3 * std::sin(static_cast<double>(7 * i)));
    labels.emplace_back(y.back() > 0.2 ? "p" : "q");
  }
  const Samples alone = make_dense(Matrix<double>::copy_of(random.view()));
  const Samples both = make_dense(std::move(with));
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  SvrOptions regression;
  regression.C = 10;
  regression.standardize = false;
  regression.parametric = ParametricPart::linear;
  regression.parametric_l1 = 1;
  const auto expected = fit_svr(kernel, regression, {alone, Targets::numeric(y, "y")});
  const auto found = fit_svr(kernel, regression, {both, Targets::numeric(y, "y")});
  EXPECT_EQ(found->report().status, SolveStatus::converged);
  SvcOptions classes;
  classes.C = 10;
  classes.parametric = ParametricPart::linear;
  classes.parametric_l1 = 1;
  const auto wanted = fit_svc(kernel, classes, {alone, Targets::classes(labels)});
  const auto got = fit_svc(kernel, classes, {both, Targets::classes(labels)});
  EXPECT_EQ(got->report().status, SolveStatus::converged);
  const Matrix<double> a = expected->predict(alone, {});
  const Matrix<double> b = found->predict(both, {});
  const Matrix<double> c = wanted->decide(alone, {});
  const Matrix<double> d = got->decide(both, {});
  for (Index i = 0; i < 12; ++i) {
    EXPECT_NEAR(a(i, 0), b(i, 0), 1e-6) << i;
    EXPECT_NEAR(c(i, 0), d(i, 0), 1e-5) << i;
  }
}

// Equal targets without a tube: the constant goes through all of them.
TEST(SemiparametricMachines, EqualTargetsAreTheConstant) {
  Matrix<double> x(9, 1);
  for (Index i = 0; i < 9; ++i) {
    x(i, 0) = static_cast<double>(i);
  }
  const Samples samples = make_dense(std::move(x));
  for (const double price : {0.0, 0.1, 10.0}) {
    SvrOptions options;
    options.epsilon = 0;
    options.parametric = ParametricPart::quadratic;
    options.parametric_l1 = price;
    const auto model =
        fit_svr(parse_kernel("rbf(gamma=1)"), options, {samples, Targets::numeric(std::vector<double>(9, 3.0), "y")});
    EXPECT_EQ(model->report().status, SolveStatus::converged) << price;
    const Matrix<double> values = model->predict(samples, {});
    for (Index i = 0; i < 9; ++i) {
      EXPECT_NEAR(values(i, 0), 3, 1e-12) << price;
    }
  }
}

}  // namespace
}  // namespace mercer
