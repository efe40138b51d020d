// Ridge with functions beside the kernel against the bordered system [K + λW⁻¹ Ψ; Ψᵀ 0] solved whole, by pivoted LU.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "mercer/base/error.h"
#include "mercer/expansion/parametric_functions.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/parametric_basis.h"
#include "mercer/models/required_definiteness.h"
#include "mercer/models/ridge/ridge.h"
#include "models/random_problem.h"
#include "support/dense.h"
#include "support/expect_error.h"
#include "support/random_matrix.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::kernel_matrix;
using testing::random_matrix;
using testing::random_problem;
using testing::random_samples;
using testing::random_weights;

Dense functions_of(const ParametricPart& part, const Samples& samples) {
  const ParametricFunctions functions(part, samples);
  Matrix<double> values(samples.size(), functions.count());
  functions.values({0, samples.size()}, values.view());
  return Dense(values);
}

struct Bordered {
  Dense predictions;
  Dense beta;
};

Bordered bordered(const Kernel& kernel, const TrainingData& data, double lambda, const ParametricPart& part,
                  const Samples& x) {
  const Index n = data.samples.size();
  const Dense psi = functions_of(part, data.samples);
  const Index q = psi.columns();
  Dense system(n + q, n + q);
  system.set_block(0, 0, kernel_matrix(kernel, data.samples, data.samples));
  for (Index i = 0; i < n; ++i) {
    system(i, i) += lambda / (data.weights.empty() ? 1.0 : data.weights[i]);
  }
  system.set_block(0, n, psi);
  system.set_block(n, 0, psi.transpose());
  Dense right(n + q, data.targets.outputs());
  right.set_block(0, 0, data.targets.values());
  const Dense solution = system.solve(right);
  const Dense beta = solution.block(n, 0, q, right.columns());
  return {kernel_matrix(kernel, x, data.samples) * solution.first(n, right.columns()) + functions_of(part, x) * beta,
          beta};
}

double difference(const Matrix<double>& a, const Dense& b) { return (Dense(a) - b).max_abs(); }

TEST(RidgeParametric, ThinPlateSplinesAreTheBorderedSystem) {
  struct Case {
    std::string kernel;
    std::string part;
    double bound;  // the conditions of the two systems differ by what r⁴ ln r is larger than r² ln r
  };
  for (const Case& c : {Case{"thin_plate(lengthscale=1, n=1)", "linear", 1e-10},
                        Case{"thin_plate(lengthscale=1, n=2)", "quadratic", 1e-10},
                        Case{"thin_plate(lengthscale=1, n=1)", "quadratic", 1e-10},
                        Case{"rbf(gamma=1) + thin_plate(lengthscale=1, n=1)", "linear", 1e-10}}) {
    for (const double lambda : {1e-3, 0.2}) {
      for (const bool weighted : {false, true}) {
        TrainingData data = random_problem(80, 2, 2, 31);
        if (weighted) {
          data.weights = random_weights(80, 5);
        }
        const Samples x = random_samples(25, 2, 32);
        const ParametricPart part = ParametricPart::parse(c.part);
        const auto model = fit_ridge(parse_kernel(c.kernel), {.lambda = lambda, .parametric = part}, data);
        const Bordered expected = bordered(parse_kernel(c.kernel), data, lambda, part, x);
        const double size = std::max(1.0, expected.predictions.max_abs());
        EXPECT_LT(difference(model->predict(x, {}), expected.predictions), c.bound * size) << c.kernel << lambda;
        EXPECT_LT((Dense(model->parts().expansion.parametric_coefficients()) - expected.beta).max_abs(),
                  c.bound * std::max(1.0, expected.beta.max_abs()))
            << c.kernel << lambda;
      }
    }
  }
}

TEST(RidgeParametric, WavesAndSomeColumnsAreTheBorderedSystem) {
  const TrainingData data = random_problem(70, 3, 1, 41);
  const Samples x = random_samples(15, 3, 42);
  for (const std::string text :
       {"linear[1]", "periodic(period=0.8)[0]", "linear[0, 2] + periodic(period=2, harmonics=2)[1]", "quadratic[2]"}) {
    const ParametricPart part = ParametricPart::parse(text);
    const Kernel kernel = parse_kernel("rbf(gamma=2)");
    const auto model = fit_ridge(kernel, {.lambda = 0.3, .parametric = part, .form = RidgeForm::dual}, data);
    EXPECT_LT(difference(model->predict(x, {}), bordered(kernel, data, 0.3, part, x).predictions), 1e-9) << text;
  }
}

TEST(RidgeParametric, FunctionsAddedToTheTargetsChangeTheirCoefficientsAlone) {
  const TrainingData data = random_problem(60, 2, 1, 51);
  for (const std::string text : {"linear", "quadratic", "periodic(period=1.7)"}) {
    const ParametricPart part = ParametricPart::parse(text);
    const Dense psi = functions_of(part, data.samples);
    Dense beta(psi.columns(), 1);
    for (Index p = 0; p < beta.rows(); ++p) {
      beta(p) = 1.0 + static_cast<double>(p);
    }
    const Dense moved = Dense(data.targets.values()) + psi * beta;
    const RidgeOptions options{.lambda = 0.1, .parametric = part};
    const Kernel kernel = parse_kernel("rbf(gamma=1)");
    const auto plain = fit_ridge(kernel, options, data);
    const auto other = fit_ridge(kernel, options, {data.samples, Targets::numeric(moved.matrix().view())});
    const Expansion& a = plain->parts().expansion;
    const Expansion& b = other->parts().expansion;
    EXPECT_LT((Dense(b.coefficients()) - Dense(a.coefficients())).max_abs(), 1e-9 * beta.max_abs()) << text;
    EXPECT_LT((Dense(b.parametric_coefficients()) - Dense(a.parametric_coefficients()) - beta).max_abs(), 1e-8) << text;
  }
}

TEST(RidgeParametric, KernelsOfAnOrderNeedItsPolynomials) {
  const Samples samples = random_samples(12, 3, 61);
  struct Case {
    std::string kernel;
    std::string part;
    bool is_covered;
  };
  for (const Case& c :
       {Case{"negative_distance()", "none", false}, Case{"negative_distance()", "constant", true},
        Case{"negative_distance()", "periodic(period=1)", true}, Case{"thin_plate(n=1)", "constant", false},
        Case{"thin_plate(n=1)", "linear", true}, Case{"thin_plate(n=1)", "linear[0, 1]", false},
        Case{"thin_plate(n=1)", "linear[0] + linear[2, 1]", true}, Case{"thin_plate(n=1)", "quadratic", true},
        Case{"thin_plate(n=1)", "periodic(period=1)", false}, Case{"thin_plate(n=2)", "linear", false},
        Case{"thin_plate(n=2)", "quadratic", true},
        Case{"thin_plate(n=2)", "quadratic[0] + quadratic[1] + quadratic[2]", false},
        Case{"thin_plate(n=1)[0, 1]", "linear[0, 1]", true}, Case{"thin_plate(n=1)[0, 1]", "linear[1, 2]", false},
        Case{"2*thin_plate(n=1)[1] + rbf() + negative_distance()", "linear[1]", true},
        Case{"thin_plate(n=3)", "quadratic", false}, Case{"rbf()", "none", true},
        Case{"sigmoid()", "quadratic", false}}) {
    EXPECT_EQ(covers(ParametricPart::parse(c.part), parse_kernel(c.kernel), samples), c.is_covered)
        << c.kernel << " beside " << c.part;
  }
  const TrainingData data = random_problem(20, 2, 1, 62);
  EXPECT_ERROR(fit_ridge(parse_kernel("thin_plate(n=1)"), {}, data), InvalidArgument, "set parametric=linear");
  EXPECT_ERROR(fit_ridge(parse_kernel("thin_plate(n=2)"), {.parametric = ParametricPart::linear}, data),
               InvalidArgument, "set parametric=quadratic");
  EXPECT_ERROR(fit_ridge(parse_kernel("thin_plate(n=3)"), {.parametric = ParametricPart::quadratic}, data),
               InvalidArgument, "Use a kernel of order 3 or less");
}

// A constant column, a repeated one, more functions than rows: the fit is that of the functions that do not depend on
// others, and the report says so.
TEST(RidgeParametric, DependentFunctionsAreLeftOutAndSaidSo) {
  const TrainingData data = random_problem(30, 2, 1, 71);
  const auto& x = data.samples.as<DenseRows<double>>();
  Matrix<double> wide(30, 4);
  for (Index i = 0; i < 30; ++i) {
    wide(i, 0) = x(i, 0);
    wide(i, 1) = 1e3;
    wide(i, 2) = x(i, 1);
    wide(i, 3) = x(i, 0);
  }
  const Samples samples = make_dense(std::move(wide));
  const RidgeOptions options{.lambda = 0.1, .parametric = ParametricPart::linear};
  const auto plain = fit_ridge(parse_kernel("rbf(gamma=1)[0, 1]"), options, data);
  const auto other =
      fit_ridge(parse_kernel("rbf(gamma=1)[0, 2]"), options, {.samples = samples, .targets = data.targets});
  EXPECT_LT(difference(other->predict(samples, {}), Dense(plain->predict(data.samples, {}))), 1e-9);
  const auto notes = other->report().note_texts();
  EXPECT_TRUE(std::ranges::any_of(notes, [](const std::string& note) {
    return note.find("2 of the 5 parametric functions depend on the others") != std::string::npos;
  }));
  EXPECT_TRUE(plain->report().notes.empty());

  const TrainingData few = random_problem(4, 3, 1, 72);
  const auto quadratic = fit_ridge(parse_kernel("rbf(gamma=1)"), {.parametric = ParametricPart::quadratic}, few);
  EXPECT_LT(difference(quadratic->predict(few.samples, {}), Dense(few.targets.values())), 1e-9);
}

// Columns of all sizes are as independent as columns of one.
TEST(RidgeParametric, TheBasisDoesNotDependOnUnits) {
  const Samples samples = random_samples(25, 3, 81);
  Matrix<double> scaled(25, 3);
  const std::array<double, 3> sizes = {1e-30, 1, 1e40};
  for (Index i = 0; i < 25; ++i) {
    for (Index j = 0; j < 3; ++j) {
      scaled(i, j) = sizes[j] * samples.as<DenseRows<double>>()(i, j);
    }
  }
  for (const ParametricPart part : {ParametricPart::linear, ParametricPart::quadratic}) {
    const ParametricBasis basis(make_dense(Matrix<double>::copy_of(scaled.view())), part);
    EXPECT_EQ(basis.q().columns(), part == ParametricPart(ParametricPart::linear) ? 4 : 10);
    EXPECT_EQ(basis.dependence(), "");
  }
}

// Fig 4.10 of Schölkopf & Smola (2002): y = x on ten points of [1/2, 3/2], a constant and the kernel xx'. Fitted one after
// the other, the constant takes what is the kernel's, and w ends near 1/13; fitted together, f(x) = x.
TEST(RidgeParametric, BackfittingOnceIsNoJointFit) {
  Matrix<double> x(10, 1);
  for (Index i = 0; i < 10; ++i) {
    x(i, 0) = 0.5 + (static_cast<double>(i) + 0.5) / 10;
  }
  const Samples samples = make_dense(Matrix<double>::copy_of(x.view()));
  const Kernel kernel = parse_kernel("linear()");
  const auto slope = [](const RidgeModel& model) { return (*model.parts().expansion.linear_weights())(0, 0); };
  const auto constant = [](const RidgeModel& model) { return model.parts().expansion.parametric_coefficients()(0, 0); };

  const auto first = fit_ridge(kernel, {.lambda = 1e15}, {samples, Targets::numeric(x.view())});
  EXPECT_NEAR(constant(*first), 1, 1e-9);
  Matrix<double> rest(10, 1);
  const Matrix<double> fitted = first->predict(samples, {});
  for (Index i = 0; i < 10; ++i) {
    rest(i, 0) = x(i, 0) - fitted(i, 0);
  }
  const auto second = fit_ridge(kernel, {.lambda = 1e-10, .parametric = ParametricPart::none},
                                {samples, Targets::numeric(rest.view())});
  EXPECT_NEAR(slope(*second), 0.07621, 5e-6);

  const auto joint = fit_ridge(kernel, {.lambda = 1e-10}, {samples, Targets::numeric(x.view())});
  EXPECT_NEAR(slope(*joint), 1, 1e-8);
  EXPECT_NEAR(constant(*joint), 0, 1e-8);
}

// What `intercept` and `linear_part` said before `parametric` is read from old files, and is no option any more.
TEST(RidgeParametric, OlderSettingsAreRead) {
  const auto read = [](std::vector<OptionSetting> settings) {
    RidgeOptions options;
    apply_settings<RidgeOptions>("ridge", ridge_option_table(), settings, options);
    return options.parametric.text();
  };
  EXPECT_EQ(read({{"intercept", "yes"}, {"linear_part", "no"}}), "constant");
  EXPECT_EQ(read({{"intercept", "no"}, {"linear_part", "no"}}), "none");
  EXPECT_EQ(read({{"intercept", "yes"}, {"linear_part", "yes"}}), "linear");
  EXPECT_EQ(read({{"linear_part", "yes"}, {"intercept", "yes"}}), "linear");
  EXPECT_EQ(read({{"parametric", "linear[2]"}}), "linear[2]");
  for (const OptionDescription& option : find_model("ridge").options) {
    EXPECT_NE(option.name, "intercept");
    EXPECT_NE(option.name, "linear_part");
  }
  EXPECT_ERROR(read({{"parametric", "liner"}}), InvalidArgument, "ridge: parametric: ");
}

// Far from the origin a column that depends on another is its multiple to the rounding of its own values only.
TEST(RidgeParametric, DependentColumnsFarFromTheOriginAreSeen) {
  for (const double offset : {0.0, 1e3, 1e6}) {
    Matrix<double> x(30, 3);
    const Matrix<double> random = random_matrix(30, 2, 21);
    for (Index i = 0; i < 30; ++i) {
      x(i, 0) = offset + random(i, 0);
      x(i, 1) = offset + random(i, 1);
      x(i, 2) = 0.3 * x(i, 0) - 0.7 * x(i, 1);
    }
    const TrainingData data = {make_dense(std::move(x)), Targets::numeric(random_matrix(30, 1, 22).view())};
    const ParametricBasis basis(data.samples, ParametricPart::linear);
    EXPECT_EQ(basis.q().columns(), 3) << offset;
    const auto model = fit_ridge(parse_kernel("rbf(gamma=0.5)"), {.parametric = ParametricPart::linear}, data);
    EXPECT_LT(Dense(model->expansion_form()->parametric_coefficients()).first(4).max_abs(), 10 * (1 + offset))
        << offset;
  }
}

}  // namespace
}  // namespace mercer
