#include "mercer/models/features/kcca.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::Dense;
using testing::random_matrix;
using testing::random_samples;

double correlation(const Dense& a, const Dense& b) {
  const Dense x = a.shifted(-a.mean());
  const Dense y = b.shifted(-b.mean());
  return x.dot(y) / (x.norm() * y.norm());
}

// With one numeric target and linear kernels the first correlation is the multiple correlation of least squares.
TEST(Kcca, LinearKernelsAndOneTargetAreLeastSquares) {
  const Matrix<double> x = random_matrix(80, 3, 3);
  Matrix<double> y = random_matrix(80, 1, 4);
  for (Index i = 0; i < 80; ++i) {
    y(i, 0) = 100 + 50 * (x(i, 0) - 2 * x(i, 1) + y(i, 0));
  }
  KccaOptions options;
  options.regularization = 1e-10;
  options.target_regularization = 0;
  const Samples samples = make_dense(Matrix<double>::copy_of(x.view()));
  const auto model = fit_kcca(parse_kernel("linear()"), options, {samples, Targets::numeric(y.view())});
  Dense design(80, 4, 1.0);
  design.set_block(0, 0, Dense(x.view()));
  const Dense fit = design * (design.transpose() * design).solve_positive(design.transpose() * Dense(y.view()));
  ASSERT_EQ(model->parts().values.size(), 1U);
  EXPECT_NEAR(model->parts().values[0], correlation(fit, Dense(y)), 1e-8);
  const Dense f = model->predict(samples, {});
  EXPECT_NEAR(std::abs(correlation(f, fit)), 1, 1e-8);
  EXPECT_NEAR(f.sum(), 0, 1e-8);
  EXPECT_NEAR(f.squared_norm() / 80, 1, 1e-8);
}

// Labels as a second view: the features separate the classes, as discriminants do.
TEST(Kcca, LabelsAreAView) {
  Matrix<double> x = random_matrix(90, 2, 5);
  std::vector<std::string> labels;
  for (Index i = 0; i < 90; ++i) {
    x(i, 0) = 0.3 * x(i, 0) + std::cos(2.0944 * static_cast<double>(i % 3));
    x(i, 1) = 0.3 * x(i, 1) + std::sin(2.0944 * static_cast<double>(i % 3));
    labels.push_back(std::string(1, static_cast<char>('a' + i % 3)));
  }
  const auto model = fit_kcca(parse_kernel("rbf(gamma=1)"), {}, {make_dense(std::move(x)), Targets::classes(labels)});
  ASSERT_EQ(model->output_names().size(), 2U);  // three classes span two dimensions
  EXPECT_GT(model->report().measures.back().value, 0.95);
}

TEST(Kcca, TargetKernelFindsACurve) {
  const Matrix<double> angle = random_matrix(200, 1, 6);
  Matrix<double> x(200, 2);
  Matrix<double> y(200, 1);
  for (Index i = 0; i < 200; ++i) {
    x(i, 0) = std::cos(angle(i, 0));
    x(i, 1) = std::sin(3 * angle(i, 0));
    y(i, 0) = angle(i, 0);
  }
  KccaOptions options;
  options.target_kernel = parse_kernel("rbf(gamma=median)");
  options.components = 3;
  const auto curved = fit_kcca(parse_kernel("linear()"), options,
                               {make_dense(Matrix<double>::copy_of(x.view())), Targets::numeric(y.view())});
  const auto straight = fit_kcca(parse_kernel("linear()"), {}, {make_dense(std::move(x)), Targets::numeric(y.view())});
  EXPECT_GT(curved->report().measures.back().value, straight->report().measures.back().value + 0.3);
}

TEST(Kcca, WeightsAreRepetitions) {
  const TrainingData all = testing::random_problem(20, 2, 2, 9);
  std::vector<double> weights;
  std::vector<Index> repeated;
  for (Index i = 0; i < 20; ++i) {
    weights.push_back(static_cast<double>(1 + i % 2));
    for (Index w = 0; w < 1 + i % 2; ++w) {
      repeated.push_back(i);
    }
  }
  const auto a = fit_kcca(parse_kernel("rbf(gamma=0.4)"), {}, {all.samples, all.targets, weights});
  const auto b =
      fit_kcca(parse_kernel("rbf(gamma=0.4)"), {}, {all.samples.select(repeated), all.targets.select(repeated)});
  ASSERT_EQ(a->parts().values.size(), 2U);
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_NEAR(a->parts().values[c], b->parts().values[c], 1e-8);
  }
}

TEST(Kcca, RefusesWhatDoesNotFit) {
  const Samples x = random_samples(10, 2, 1);
  const Targets constant = Targets::numeric(std::vector<double>(10, 1.0));
  EXPECT_ERROR(fit_kcca(parse_kernel("rbf(gamma=1)"), {}, {x, constant}), DataError,
               "kcca: the targets are all alike to linear()");
  EXPECT_ERROR(fit_kcca(parse_kernel("rbf(gamma=1)"), {}, {x, {}}), DataError, "10 samples with 0 targets");
  const TrainingData data = testing::random_problem(10, 2, 1, 2);
  KccaOptions options;
  const std::vector<OptionSetting> misspelled = {{"target_kernel", "rbg()"}};
  EXPECT_ERROR(apply_settings("kcca", kcca_option_table(), misspelled, options), InvalidArgument,
               "unknown kernel 'rbg'");
  options.target_kernel = parse_kernel("sigmoid(gamma=1)");
  EXPECT_ERROR(fit_kcca(parse_kernel("rbf(gamma=1)"), options, data), InvalidArgument,
               "kcca: target_kernel: the kernel sigmoid(gamma=1, coef0=0) is indefinite");
}

// What the user wrote is what a model file holds, spaces and defaults as they were.
TEST(Kcca, TargetKernelsAreKeptAsTheyWereWritten) {
  KccaOptions options;
  const std::vector<OptionSetting> written = {{"target_kernel", " rbf( gamma = median )"}};
  apply_settings("kcca", kcca_option_table(), written, options);
  EXPECT_EQ(options.target_kernel.kernel(), parse_kernel("rbf(gamma=median)"));
  const auto target_kernel = [](const KccaOptions& of) { return settings_of(kcca_option_table(), of)[3].value; };
  EXPECT_EQ(target_kernel(options), " rbf( gamma = median )");
  EXPECT_EQ(target_kernel({}), "linear()");
  options.target_kernel = parse_kernel("rbf(gamma=2)");
  EXPECT_EQ(target_kernel(options), "rbf(gamma=2)");
}

}  // namespace
}  // namespace mercer
