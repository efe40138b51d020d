#include "mercer/models/ridge/lssvm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "mercer/models/ridge/ridge.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::random_matrix;
using testing::random_samples;
using testing::same_bits;

// Classes by a noisy rule on two columns.
TrainingData blobs(Index n, Index classes, double spread, std::uint64_t seed) {
  Matrix<double> x = random_matrix(n, 2, seed);
  std::vector<std::string> labels;
  for (Index i = 0; i < n; ++i) {
    const Index c = i % classes;
    const double angle = 2 * std::acos(-1.0) * static_cast<double>(c) / static_cast<double>(classes);
    x(i, 0) = 2 * std::cos(angle) + spread * x(i, 0);
    x(i, 1) = 2 * std::sin(angle) + spread * x(i, 1);
    labels.push_back("class" + std::to_string(c));
  }
  return {make_dense(std::move(x)), Targets::classes(labels, "kind")};
}

Index errors(const LssvmModel& model, const TrainingData& data) {
  const Matrix<double> predicted = model.predict(data.samples, {});
  const ClassLabels truth = data.targets.labels(0, model.classes());
  Index wrong = 0;
  for (Index i = 0; i < predicted.rows(); ++i) {
    wrong += predicted(i, 0) == truth.codes[i] ? 0 : 1;
  }
  return wrong;
}

// The same as ridge on ±1 targets, one output per class.
TEST(Lssvm, IsRidgeOnCodes) {
  for (const Index classes : {2, 4}) {
    for (const std::string spec : {"rbf(gamma=0.5)", "linear()", "negative_distance()"}) {
      TrainingData data = blobs(61, classes, 1.0, 3);
      data.weights = testing::random_weights(61, 4);
      const auto model = fit_lssvm(parse_kernel(spec), {.C = 4.0}, data);
      const Index outputs = classes == 2 ? 1 : classes;
      Matrix<double> codes = Matrix<double>::filled(61, outputs, -1.0);
      for (Index i = 0; i < 61; ++i) {
        if (classes > 2) {
          codes(i, i % classes) = 1;
        } else {
          codes(i, 0) = i % 2 == 1 ? 1 : -1;
        }
      }
      TrainingData numbers = data;
      numbers.targets = Targets::numeric(codes.view());
      const auto ridge = fit_ridge(parse_kernel(spec), {.lambda = 0.25}, numbers);
      const Samples x = random_samples(20, 2, 5);
      const Matrix<double> values = model->decide(x, {});
      EXPECT_TRUE(same_bits(values, ridge->predict(x, {}))) << spec;
      const Matrix<double> predicted = model->predict(x, {});
      for (Index i = 0; i < 20; ++i) {
        const std::span<const double> row = std::as_const(values).view().row(i);
        const auto best = classes == 2 ? (row[0] > 0 ? 1 : 0) : std::max_element(row.begin(), row.end()) - row.begin();
        EXPECT_EQ(predicted(i, 0), static_cast<double>(best));
      }
      EXPECT_EQ(static_cast<Index>(model->decision_names().size()), outputs);
      EXPECT_EQ(static_cast<Index>(model->classes().size()), classes);
      EXPECT_EQ(model->output_names(), std::vector<std::string>{"kind"});
    }
  }
}

TEST(Lssvm, SeparatesBlobs) {
  for (const Index classes : {2, 3, 5}) {
    const TrainingData train = blobs(200, classes, 0.4, 7);
    const TrainingData test = blobs(400, classes, 0.4, 8);
    for (const PenaltyChoice select :
         {PenaltyChoice::none, PenaltyChoice::leave_one_out, PenaltyChoice::leave_one_out_errors,
          PenaltyChoice::generalized_cross_validation}) {
      for (const bool probability : {false, true}) {
        const auto model =
            fit_lssvm(parse_kernel("rbf(gamma=0.5)"), {.select = select, .probability = probability}, train);
        EXPECT_LE(errors(*model, test), classes == 5 ? 30 : 4) << classes << word_of(select) << probability;
      }
    }
  }
}

// The chosen C against brute force: leave every row out, refit, count.
TEST(Lssvm, FewestErrorsByRefits) {
  const TrainingData data = blobs(30, 3, 1.5, 9);
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  const auto model = fit_lssvm(kernel, {.select = PenaltyChoice::leave_one_out_errors}, data);
  const auto rate = [&](double c) {
    Index wrong = 0;
    for (Index left_out = 0; left_out < 30; ++left_out) {
      std::vector<Index> rows;
      for (Index i = 0; i < 30; ++i) {
        if (i != left_out) {
          rows.push_back(i);
        }
      }
      const auto refit = fit_lssvm(kernel, {.C = c}, {data.samples.select(rows), data.targets.select(rows)});
      const std::vector<Index> one = {left_out};
      wrong += refit->predict(data.samples.select(one), {})(0, 0) == static_cast<double>(left_out % 3) ? 0 : 1;
    }
    return static_cast<double>(wrong) / 30;
  };
  const auto& measures = model->report().measures;
  ASSERT_EQ(measures.front().name, "path leave-one-out error rate");
  EXPECT_NEAR(measures.front().value, rate(*model->parts().options.C), 1e-12);
  for (const double c : {1e-2, 1.0, 1e2, 1e4}) {
    EXPECT_LE(measures.front().value, rate(c) + 1.0 / 30 + 1e-12) << c;
  }
}

TEST(Lssvm, ProbabilitiesAreCalibrated) {
  for (const Index classes : {2, 3}) {
    const auto model =
        fit_lssvm(parse_kernel("rbf(gamma=0.5)"), {.select = PenaltyChoice::leave_one_out, .probability = true},
                  blobs(600, classes, 1.6, 11));
    const TrainingData test = blobs(3000, classes, 1.6, 12);
    ASSERT_TRUE(model->has_probabilities());
    const Matrix<double> p = model->probabilities(test.samples, {});
    const Matrix<double> predicted = model->predict(test.samples, {});
    // In every tenth of probability the share of positives must be about that probability.
    std::vector<double> expected(10, 0.0);
    std::vector<double> seen(10, 0.0);
    std::vector<double> count(10, 0.0);
    for (Index i = 0; i < 3000; ++i) {
      double total = 0;
      for (Index c = 0; c < classes; ++c) {
        EXPECT_GE(p(i, c), 0);
        EXPECT_LE(p(i, c), p(i, static_cast<Index>(predicted(i, 0))));
        total += p(i, c);
        const auto bin = static_cast<std::size_t>(std::min(9.0, std::floor(10 * p(i, c))));
        expected[bin] += p(i, c);
        seen[bin] += i % classes == c ? 1 : 0;
        ++count[bin];
      }
      EXPECT_NEAR(total, 1, 1e-12);
    }
    for (std::size_t b = 0; b < 10; ++b) {
      if (count[b] > 100) {
        EXPECT_NEAR(seen[b] / count[b], expected[b] / count[b], 0.12) << classes << " bin " << b;
      }
    }
  }
}

// Platt on the training values of a flexible machine would be far too sure; leave-one-out values are honest.
TEST(Lssvm, LabelsWithoutMeaningGiveProbabilitiesNearOneHalf) {
  const Matrix<double> noise = random_matrix(200, 1, 13);
  std::vector<std::string> labels;
  for (Index i = 0; i < 200; ++i) {
    labels.push_back(noise(i, 0) > 0 ? "yes" : "no");
  }
  const TrainingData data{random_samples(200, 3, 14), Targets::classes(labels)};
  const auto model = fit_lssvm(parse_kernel("rbf(gamma=2)"), {.C = 1e4, .probability = true}, data);
  const Matrix<double> p = model->probabilities(random_samples(200, 3, 15), {});
  double surest = 0;
  for (Index i = 0; i < 200; ++i) {
    surest = std::max(surest, std::abs(p(i, 0) - 0.5));
  }
  EXPECT_LT(surest, 0.35);
  // It fits its own rows nonetheless: the values there are ±1.
  EXPECT_NEAR(std::abs(model->decide(data.samples, {})(0, 0)), 1, 0.05);
}

TEST(Lssvm, ClassWeightsAndSampleWeights) {
  // 9 : 1 overlapping classes: balanced weights move the boundary towards the frequent class.
  const Index n = 300;
  Matrix<double> x = random_matrix(n, 1, 17);
  std::vector<std::string> labels;
  for (Index i = 0; i < n; ++i) {
    x(i, 0) += i % 10 == 0 ? 1.0 : -1.0;
    labels.push_back(i % 10 == 0 ? "rare" : "common");
  }
  const TrainingData data{make_dense(std::move(x)), Targets::classes(labels)};
  const auto count_rare = [&](const LssvmOptions& options) {
    const auto model = fit_lssvm(parse_kernel("linear()"), options, data);
    const Matrix<double> predicted = model->predict(data.samples, {});
    return std::count(predicted.data(), predicted.data() + n, 1.0);
  };
  const auto plain = count_rare({});
  EXPECT_GT(count_rare({.class_weight = ClassWeights::balanced()}), plain + 10);
  EXPECT_GT(count_rare({.class_weight = {{"rare", 5}}}), plain + 5);
  EXPECT_ERROR(count_rare({.class_weight = {{"none", 5}}}), InvalidArgument, "class_weight: there is no class 'none'");
  // A weight of 2 is the row twice.
  TrainingData weighted = blobs(20, 3, 1.0, 19);
  std::vector<Index> rows;
  for (Index i = 0; i < 20; ++i) {
    weighted.weights.push_back(static_cast<double>(i % 3));
    rows.insert(rows.end(), static_cast<std::size_t>(i % 3), i);
  }
  // Rows of weight 0 take the first class with them only if it has no others: 20 rows of 3 classes, i % 3 is the class.
  const auto a = fit_lssvm(parse_kernel("rbf(gamma=1)"), {.C = 2.0}, weighted);
  const auto b = fit_lssvm(parse_kernel("rbf(gamma=1)"), {.C = 2.0},
                           {weighted.samples.select(rows), weighted.targets.select(rows)});
  EXPECT_EQ(a->classes(), (std::vector<std::string>{"class1", "class2"}));
  const Samples points = random_samples(10, 2, 20);
  const Matrix<double> fa = a->decide(points, {});
  const Matrix<double> fb = b->decide(points, {});
  for (Index i = 0; i < 10; ++i) {
    EXPECT_NEAR(fa(i, 0), fb(i, 0), 1e-10);
  }
}

TEST(Lssvm, SurvivesItsState) {
  for (const Index classes : {2, 3}) {
    const auto model = fit_lssvm(parse_kernel("rbf(gamma=scale)"),
                                 {.select = PenaltyChoice::generalized_cross_validation, .probability = true},
                                 blobs(60, classes, 1.0, 21));
    const auto loaded = lssvm_entry().load(state_of(*model), {});
    const auto* again = dynamic_cast<const LssvmModel*>(loaded.get());
    ASSERT_NE(again, nullptr);
    const Samples x = random_samples(15, 2, 22);
    EXPECT_TRUE(same_bits(again->predict(x, {}), model->predict(x, {})));
    EXPECT_TRUE(same_bits(again->decide(x, {}), model->decide(x, {})));
    EXPECT_TRUE(same_bits(again->probabilities(x, {}), model->probabilities(x, {})));
    EXPECT_EQ(*again->parts().options.C, *model->parts().options.C);
    ModelState damaged = state_of(*model);
    damaged.head.classes.push_back("another");
    EXPECT_ERROR(lssvm_entry().load(std::move(damaged), {}), DataError, "'coefficients' is ");
    damaged = state_of(*model);
    damaged.parts.numbers.at("sigmoids") = Matrix<double>::filled(7, 2, 0.0);
    EXPECT_ERROR(lssvm_entry().load(std::move(damaged), {}), DataError, "'sigmoids' is 7 by 2 where the model needs");
    damaged = state_of(*model);
    damaged.parts.numbers.at("sigmoids")(0, 0) = std::nan("");
    EXPECT_ERROR(lssvm_entry().load(std::move(damaged), {}), DataError, "'sigmoids' holds a number that is not finite");
  }
}

TEST(Lssvm, RefusesWhatItCannotDo) {
  const TrainingData data = blobs(20, 2, 1.0, 23);
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  EXPECT_ERROR(fit_lssvm(kernel, {.C = 0.0}, data), InvalidArgument, "lssvm: C = 0");
  EXPECT_ERROR(fit_lssvm(kernel, {.C = 1.0, .select = PenaltyChoice::leave_one_out}, data), InvalidArgument,
               "lssvm: select = loo chooses C");
  EXPECT_ERROR(fit_lssvm(parse_kernel("sigmoid(gamma=0.1)"), {}, data), InvalidArgument,
               "lssvm: the kernel sigmoid(gamma=0.1, coef0=0) is indefinite");
  EXPECT_ERROR(fit_lssvm(parse_kernel("thin_plate(lengthscale=1)"), {}, data), InvalidArgument,
               "lssvm: the kernel thin_plate(lengthscale=1, n=1) is conditionally positive");
  EXPECT_ERROR(fit_lssvm(kernel, {.memory_mb = 0.001}, data), InvalidArgument,
               "lssvm: the iteration with 20 rows needs");
  const std::vector<std::string> one(20, "a");
  EXPECT_ERROR(fit_lssvm(kernel, {}, {data.samples, Targets::classes(one)}), DataError,
               "lssvm: all rows that count belong to one class ('a')");
  EXPECT_ERROR(fit_lssvm(kernel, {}, data)->probabilities(data.samples, {}), InvalidArgument,
               "lssvm has no class probabilities");
  // Two rows, one of each class: the least there can be.
  const std::vector<Index> two = {0, 1};
  const auto smallest = fit_lssvm(kernel, {}, {data.samples.select(two), data.targets.select(two)});
  EXPECT_EQ(smallest->predict(data.samples.select(two), {})(1, 0), 1);
}

TEST(Lssvm, SameBitsForAnyNumberOfThreads) {
  const TrainingData data = blobs(600, 3, 1.0, 25);
  const Samples x = random_samples(300, 2, 26);
  const LssvmOptions options{.select = PenaltyChoice::leave_one_out_errors, .select_rows = 300, .probability = true};
  const auto one = fit_lssvm(parse_kernel("rbf(gamma=1)"), options, data, mercer::Run{{.threads = 1}});
  const auto three = fit_lssvm(parse_kernel("rbf(gamma=1)"), options, data, mercer::Run{{.threads = 3}});
  EXPECT_TRUE(same_bits(one->probabilities(x, {}), three->probabilities(x, {})));
}

}  // namespace
}  // namespace mercer
