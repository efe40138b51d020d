// Support vector machines hold float kernel values where their error does not show, and double elsewhere; centres and
// coefficients are stored as they are, and sums run in double.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/expansion/expansion.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "mercer/models/svm/one_class.h"
#include "mercer/models/svm/svc.h"
#include "mercer/models/svm/svr.h"
#include "models/random_problem.h"
#include "models/report_measure.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::random_matrix;

SvcOptions cost_of(double C) {
  SvcOptions options;
  options.C = C;
  return options;
}

// Two classes that overlap: coefficients reach their bound.
TrainingData noisy_classes(Index rows, Index columns, double offset) {
  Matrix<double> x = random_matrix(rows, columns, 11);
  RandomStream random(12, 5);
  std::vector<std::string> labels;
  for (Index i = 0; i < rows; ++i) {
    labels.push_back(x(i, 0) + x(i, 1) + 0.8 * random.normal() > 0 ? "yes" : "no");
  }
  for (Index i = 0; i < rows * columns; ++i) {
    x.data()[i] += offset;
  }
  return {make_dense(std::move(x)), Targets::classes(labels)};
}

// Σ α exp(−γ‖z − x‖²) + b of what the model stores, distances from differences, all in long double.
double exact_value(const Expansion& f, double gamma, const Matrix<double>& x, Index row) {
  const Samples stored = to_dense<double>(f.centers());
  const auto& centers = stored.as<DenseRows<double>>();
  long double sum = f.parametric_coefficients()(0, 0);
  for (Index s = 0; s < centers.rows; ++s) {
    long double squared = 0;
    for (Index c = 0; c < centers.columns; ++c) {
      const long double difference = static_cast<long double>(centers(s, c)) - x(row, c);
      squared += difference * difference;
    }
    sum += f.coefficients()(s, 0) * std::exp(-gamma * squared);
  }
  return static_cast<double>(sum);
}

TEST(SvmPrecision, ValuesAtLargeBoundsAreThoseOfTheStoredFunction) {
  const TrainingData data = noisy_classes(300, 2, 0);
  const Matrix<double> query = random_matrix(500, 2, 13);
  for (const double cost : {1.0, 32768.0, 1e6}) {
    const auto model = fit_svc(parse_kernel("rbf(gamma=0.5)"), cost_of(cost), data, {});
    const Samples samples = make_dense(Matrix<double>::copy_of(query.view()));
    const Matrix<double> batch = model->decide(samples, {});
    double largest = 0;
    double alone = 0;
    for (Index i = 0; i < query.rows(); ++i) {
      const double exact = exact_value(*model->expansion_form(), 0.5, query, i);
      largest = std::max(largest, std::abs(std::abs(batch(i, 0)) - std::abs(exact)));
      if (i < 50) {
        alone = std::max(alone, std::abs(model->decide(samples.slice({i, i + 1}), {})(0, 0) - batch(i, 0)));
      }
    }
    EXPECT_LT(largest, 1e-3) << "C = " << cost;
    EXPECT_LT(alone, 1e-3) << "C = " << cost;
    EXPECT_EQ(model->expansion_form()->precision(),
              cost > 1 ? Precision::double_precision : Precision::single_precision);
  }
}

// Two rows at a distance of 1, far from the origin: float holds the kernel values exactly, and not what they differ by.
TEST(SvmPrecision, ABallFarFromTheOriginHasTheRadiusOfItsRows) {
  Matrix<double> x(2, 2);
  x(0, 0) = x(0, 1) = x(1, 0) = 1001;
  x(1, 1) = 1000;
  OneClassOptions options;
  options.nu = 0.5;
  const auto model = fit_svdd(parse_kernel("linear()"), options, {make_dense(std::move(x)), {}, {}}, {});
  EXPECT_EQ(model->report().status, SolveStatus::converged);
  EXPECT_NEAR(testing::measure(model->report(), "radius"), 0.5, 1e-3);
}

// The tolerance is in the targets' units where they are not standardised; float has no thousandth of 1e5.
TEST(SvmPrecision, LargeTargetsAreFittedToTheTolerance) {
  Matrix<double> x(30, 1);
  std::vector<double> y;
  for (Index i = 0; i < 30; ++i) {
    x(i, 0) = 0.5 * static_cast<double>(i);
    y.push_back(1e5 * std::sin(2 * x(i, 0)));
  }
  SvrOptions options;
  options.C = 1e6;
  options.epsilon = 0.1;
  options.standardize = false;
  const Samples samples = make_dense(Matrix<double>::copy_of(x.view()));
  const auto model = fit_svr(parse_kernel("rbf(gamma=5)"), options, {samples, Targets::numeric(y)}, {});
  ASSERT_EQ(model->report().status, SolveStatus::converged);
  ASSERT_EQ(model->expansion_form()->precision(), Precision::double_precision);
  const Matrix<double> f = model->predict(samples, {});
  double largest = 0;  // no coefficient is at its bound: no row is outside of the tube
  for (Index i = 0; i < 30; ++i) {
    largest = std::max(largest, std::abs(f(i, 0) - y[i]));
  }
  EXPECT_LT(largest, *options.epsilon + 2 * options.tolerance);
}

TEST(SvmPrecision, ChoiceIsStored) {
  const TrainingData data = noisy_classes(200, 2, 0);
  const auto model = fit_svc(parse_kernel("rbf(gamma=0.5)"), cost_of(32768), data, {});
  const auto again = find_model("svc").load(state_of(*model), {});
  EXPECT_EQ(again->expansion_form()->precision(), Precision::double_precision);
  // Centres are the training rows, to the bit.
  const auto& centers = again->expansion_form()->centers().as<DenseRows<double>>();
  const auto& rows = data.samples.as<DenseRows<double>>();
  const std::vector<Index>& numbers = dynamic_cast<const SvcModel&>(*again).support_rows();
  ASSERT_EQ(static_cast<Index>(numbers.size()), centers.rows);
  for (Index s = 0; s < centers.rows; ++s) {
    ASSERT_LT(numbers[s], rows.rows);
    EXPECT_EQ(centers(s, 0), rows(numbers[s], 0));
  }
  const auto precision_of = [](ModelState state) {
    return find_model("svc").load(std::move(state), {})->expansion_form()->precision();
  };
  // The first files of format 1 say nothing: what their options meant.
  ModelState before = state_of(*model);
  before.parts.words.erase("kernel_precision");
  EXPECT_EQ(precision_of(std::move(before)), Precision::single_precision);
  // Later ones, and those of format 2, have the bits as a number.
  for (const double bits : {32.0, 64.0, 16.0}) {
    before = state_of(*model);
    before.parts.words.erase("kernel_precision");
    before.parts.numbers.emplace("kernel_bits", Matrix<double>::filled(1, 1, bits));
    if (bits == 16) {
      EXPECT_ERROR(precision_of(std::move(before)), DataError, "'kernel_bits' is neither 32 nor 64");
    } else {
      EXPECT_EQ(precision_of(std::move(before)),
                bits == 32 ? Precision::single_precision : Precision::double_precision);
    }
  }
  before = state_of(*model);
  before.parts.words.at("kernel_precision") = "half";
  EXPECT_ERROR(precision_of(std::move(before)), DataError,
               "a stored svc model with 'kernel_precision' = 'half', which is none of");
}

TEST(SvmPrecision, TimeStamps) {
  Matrix<double> t(400, 1);
  Matrix<double> y(400, 1);
  for (Index i = 0; i < 400; ++i) {
    t(i, 0) = 1700000000.0 + static_cast<double>(i);
    y(i, 0) = std::sin(static_cast<double>(i) / 5);
  }
  const Samples samples = make_dense(Matrix<double>::copy_of(t.view()));
  const auto model = fit_svr(parse_kernel("rbf(gamma=0.1)"), {}, {samples, Targets::numeric(y.view())}, {});
  const Matrix<double> values = model->predict(samples, {});
  double squares = 0;
  for (Index i = 0; i < 400; ++i) {
    squares += (values(i, 0) - y(i, 0)) * (values(i, 0) - y(i, 0));
  }
  EXPECT_LT(squares / 400, 0.03 * 0.5);  // the variance of y is .5
}

// Kernels that see the origin are computed in double where the offset leaves float no digits.
TEST(SvmPrecision, DotProductsFarFromTheOrigin) {
  const TrainingData data = noisy_classes(150, 2, 1e5);
  SvcOptions checked;
  checked.verify = Precision::double_precision;
  for (const char* spec : {"poly(degree=2, gamma=1e-10, coef0=1)", "linear()"}) {
    const auto model = fit_svc(parse_kernel(spec), {}, data, {});
    const auto exact = fit_svc(parse_kernel(spec), checked, data, {});
    const Matrix<double> values = model->decide(data.samples, {});
    const Matrix<double> expected = exact->decide(data.samples, {});
    for (Index i = 0; i < values.rows(); ++i) {
      EXPECT_NEAR(values(i, 0), expected(i, 0), 1e-3) << spec;
    }
  }
}

TEST(SvmPrecision, NumbersBeyondFloatAreTakenInDouble) {
  Matrix<double> x = random_matrix(60, 2, 3);
  std::vector<std::string> labels;
  for (Index i = 0; i < 60; ++i) {
    labels.push_back(x(i, 0) > 0 ? "yes" : "no");
    x(i, 0) *= 1e45;
    x(i, 1) *= 1e45;
  }
  const TrainingData data{make_dense(std::move(x)), Targets::classes(labels)};
  const auto model = fit_svc(parse_kernel("rbf(lengthscale=1e45)"), cost_of(10), data, {});
  const Matrix<double> classes = model->predict(data.samples, {});
  Index wrong = 0;
  for (Index i = 0; i < 60; ++i) {
    wrong += model->classes()[classes(i, 0)] != labels[i] ? 1 : 0;
  }
  EXPECT_LE(wrong, 3);
}

}  // namespace
}  // namespace mercer
