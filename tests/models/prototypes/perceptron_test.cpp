#include "mercer/models/prototypes/perceptron.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/expansion/expansion.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "mercer/models/prototypes/voted_perceptron.h"
#include "models/svm_blobs.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::accuracy;
using testing::Blobs;
using testing::blobs;
using testing::measure;
using testing::random_samples;
using testing::same_bits;

TEST(Perceptron, SeparatesWhatCanBeSeparated) {
  for (const int classes : {2, 4}) {
    for (const PerceptronClasses kind : {PerceptronClasses::one_vs_rest, PerceptronClasses::joint}) {
      const Blobs train = blobs(120, classes, 6.0, 1);
      const auto model = fit_perceptron(parse_kernel("linear()"),
                                        {.form = PerceptronForm::plain, .epochs = 2000, .classes = kind}, train.data);
      EXPECT_EQ(model->report().status, SolveStatus::converged);
      EXPECT_EQ(accuracy(train, model->predict(train.data.samples, {})), 1);
      EXPECT_EQ(measure(model->report(), "mistakes in the last pass"), 0);
    }
  }
}

TEST(Perceptron, ReportsThatItWasNotClean) {
  const Blobs train = blobs(80, 2, 0.3, 2);
  const auto model = fit_perceptron(parse_kernel("linear()"), {.epochs = 4}, train.data);
  EXPECT_EQ(model->report().status, SolveStatus::iteration_limit);
  EXPECT_EQ(model->report().iterations, 4);
  EXPECT_EQ(model->report().notes.size(), 1);
}

// One walk, in the order of the rows, with all functions kept: votes and averages by hand.
struct Walk {
  std::vector<std::vector<double>> functions;  // coefficients after every sample
  double scale = 1;                            // largest k(x, x) of an rbf kernel
};

Walk walk_by_hand(const testing::Dense& k, const std::vector<int>& classes, int epochs) {
  Walk walk;
  std::vector<double> alpha(classes.size(), 0.0);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (std::size_t i = 0; i < classes.size(); ++i) {
      double f = 0;
      for (std::size_t j = 0; j < classes.size(); ++j) {
        f += alpha[j] * (k(static_cast<Index>(j), static_cast<Index>(i)) + walk.scale);
      }
      const double y = classes[i] == 1 ? 1 : -1;
      alpha[i] += y * f <= 0 ? y : 0.0;
      walk.functions.push_back(alpha);
    }
  }
  return walk;
}

TEST(Perceptron, VotesAndAveragesAreThoseOfTheWholeWalk) {
  const Blobs train = blobs(40, 2, 0.8, 3);
  const Samples test = random_samples(30, 2, 4);
  const Kernel kernel = parse_kernel("rbf(gamma=0.7)");
  const Walk walk =
      walk_by_hand(testing::kernel_matrix(kernel, train.data.samples, train.data.samples), train.classes, 3);
  const auto kt = testing::kernel_matrix(kernel, test, train.data.samples);
  const auto fitted = [&](PerceptronForm form) {
    return fit_perceptron(kernel, {.form = form, .epochs = 3, .shuffle = false}, train.data);
  };
  const Matrix<double> plain = fitted(PerceptronForm::plain)->decide(test, {});
  const Matrix<double> averaged = fitted(PerceptronForm::averaged)->decide(test, {});
  const Matrix<double> voted = fitted(PerceptronForm::voted)->decide(test, {});
  for (Index t = 0; t < 30; ++t) {
    double votes = 0;
    double sum = 0;
    double f = 0;
    for (const std::vector<double>& alpha : walk.functions) {
      f = 0;
      for (std::size_t j = 0; j < alpha.size(); ++j) {
        f += alpha[j] * (kt(t, static_cast<Index>(j)) + walk.scale);
      }
      votes += f > 0 ? 1 : -1;
      sum += f;
    }
    const auto count = static_cast<double>(walk.functions.size());
    EXPECT_NEAR(plain(t, 0), f, 1e-11);
    EXPECT_NEAR(averaged(t, 0), sum / count, 1e-11);
    EXPECT_NEAR(voted(t, 0), votes / count, 1e-12);
  }
}

TEST(Perceptron, VotesOfSeveralClassesAreShares) {
  const Blobs train = blobs(90, 3, 2.0, 5);
  for (const PerceptronClasses kind : {PerceptronClasses::one_vs_rest, PerceptronClasses::joint}) {
    const auto model = fit_perceptron(parse_kernel("rbf(gamma=scale)"),
                                      {.form = PerceptronForm::voted, .epochs = 5, .classes = kind}, train.data);
    const Matrix<double> shares = model->decide(train.data.samples, {});
    ASSERT_EQ(shares.columns(), 3);
    for (Index i = 0; i < 90; ++i) {
      EXPECT_NEAR(shares(i, 0) + shares(i, 1) + shares(i, 2), 1, 1e-12);
    }
    EXPECT_GT(accuracy(train, model->predict(train.data.samples, {})), 0.9);
    const auto again = perceptron_entry().load(state_of(*model), {});
    EXPECT_TRUE(same_bits(again->decide(train.data.samples, {}), shares));
    EXPECT_EQ(model->expansion_form(), nullptr);
    EXPECT_TRUE(same_bits(model->decide(train.data.samples, mercer::Run{{.threads = 3}}), shares));
  }
}

TEST(Perceptron, BudgetsAreKept) {
  const Blobs train = blobs(300, 3, 1.5, 6);
  for (const BudgetPolicy policy : {BudgetPolicy::project, BudgetPolicy::oldest, BudgetPolicy::smallest}) {
    for (const Index budget : {1, 15}) {
      const auto model =
          fit_perceptron(parse_kernel("rbf(gamma=scale)"),
                         {.form = PerceptronForm::plain, .epochs = 3, .budget = budget, .policy = policy}, train.data);
      EXPECT_LE(model->expansion_form()->centers().size(), budget);
      EXPECT_LE(measure(model->report(), "centers"), static_cast<double>(budget));
    }
  }
  const auto averaged = fit_perceptron(parse_kernel("rbf(gamma=scale)"), {.epochs = 5, .budget = 30}, train.data);
  EXPECT_LE(averaged->expansion_form()->centers().size(), 30);
  EXPECT_GT(accuracy(train, averaged->predict(train.data.samples, {})), 0.7);
}

TEST(Perceptron, RefusesWhatMakesNoSense) {
  const Blobs train = blobs(20, 2, 1.0, 7);
  const Kernel kernel = parse_kernel("linear()");
  EXPECT_ERROR(fit_perceptron(kernel, {.form = PerceptronForm::voted, .budget = 5}, train.data), InvalidArgument,
               "perceptron: form = voted keeps every function that it went through");
  EXPECT_ERROR(fit_perceptron(kernel, {.budget = 5, .policy = BudgetPolicy::oldest}, train.data), InvalidArgument,
               "perceptron: policy = oldest with form = averaged");
  EXPECT_ERROR(fit_perceptron(kernel, {.epochs = 0}, train.data), InvalidArgument, "perceptron: epochs = 0");
  TrainingData weighted = train.data;
  weighted.weights.assign(20, 1.0);
  EXPECT_NO_THROW(fit_perceptron(kernel, {}, weighted));
  weighted.weights[3] = 0;
  EXPECT_NO_THROW(fit_perceptron(kernel, {}, weighted));
  weighted.weights[3] = 2;
  EXPECT_ERROR(fit_perceptron(kernel, {}, weighted), InvalidArgument,
               "perceptron: weights other than 0 and 1 are not possible");

  ModelState state = state_of(*fit_perceptron(kernel, {.form = PerceptronForm::voted}, train.data));
  state.parts.numbers.at("steps")(0, 1) = -1;
  EXPECT_ERROR(perceptron_entry().load(std::move(state), {}), DataError,
               "a stored perceptron model with a negative number of votes");
  state = state_of(*fit_perceptron(kernel, {.form = PerceptronForm::voted}, train.data));
  state.parts.integers.at("step_centers")(0, 0) = 1000000;
  EXPECT_ERROR(perceptron_entry().load(std::move(state), {}), DataError,
               "'step_centers' holds a number that is no index");
}

}  // namespace
}  // namespace mercer
