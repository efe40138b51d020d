// Leave-one-out errors of fitted models against refitting them without every row in turn.
#include "mercer/select/estimates/exact_leave_one_out.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/spec.h"
#include "models/svm_blobs.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

const Kernel gaussian = parse_kernel("rbf(gamma=0.5)");

TrainingData curve(Index rows, std::uint64_t seed) {
  RandomStream random(seed, 77);
  Matrix<double> x(rows, 1);
  std::vector<double> y;
  for (Index i = 0; i < rows; ++i) {
    x(i, 0) = 4 * random.uniform();
    y.push_back(std::sin(2 * x(i, 0)) + 0.2 * random.normal());
  }
  return {make_dense(std::move(x)), Targets::numeric(y, "y")};
}

TrainingData without_row(const TrainingData& data, Index row) {
  std::vector<Index> rows;
  for (Index i = 0; i < data.samples.size(); ++i) {
    if (i != row) {
      rows.push_back(i);
    }
  }
  return {data.samples.select(rows), data.targets.select(rows)};
}

double refitted_rmse(const std::string& model, const Kernel& kernel, const std::vector<OptionSetting>& settings,
                     const TrainingData& data) {
  const Matrix<double> truth = data.targets.values();
  double squares = 0;
  for (Index i = 0; i < data.samples.size(); ++i) {
    const auto fitted = find_model(model).fit(kernel, settings, without_row(data, i), mercer::Run{});
    const std::vector<Index> row = {i};
    const double error = fitted->predict(data.samples.select(row), mercer::Run{})(0, 0) - truth(i, 0);
    squares += error * error / static_cast<double>(data.samples.size());
  }
  return std::sqrt(squares);
}

TEST(ExactLeaveOneOut, RidgeWithAChosenPenalty) {
  const TrainingData data = curve(25, 1);
  const std::vector<OptionSetting> chosen = {{"select", "gcv"}};
  const auto model = find_model("ridge").fit(gaussian, chosen, data, mercer::Run{});
  const ExactLeaveOneOut exact = exact_leave_one_out(*model, data, mercer::Run{});
  ASSERT_EQ(exact.measures.size(), 1U);
  double lambda = 0;
  for (const std::string& note : model->report().notes) {
    if (note.starts_with("lambda = ")) {
      lambda = std::stod(note.substr(9));
    }
  }
  ASSERT_GT(lambda, 0);
  EXPECT_NEAR(exact.measures[0].value, refitted_rmse("ridge", gaussian, {{"lambda", shortest(lambda)}}, data), 1e-8);
}

TEST(ExactLeaveOneOut, GaussianProcess) {
  const TrainingData data = curve(25, 2);
  // Without standardisation a refit has the same prior; its parameters are those that were learnt.
  const auto model = find_model("gp").fit(
      gaussian, std::vector<OptionSetting>{{"standardize", "no"}, {"restarts", "0"}}, data, mercer::Run{});
  const ExactLeaveOneOut exact = exact_leave_one_out(*model, data, mercer::Run{});
  ASSERT_EQ(exact.measures.size(), 2U);
  const double noise = testing::measure(model->report(), "noise variance");
  const std::vector<OptionSetting> fixed = {
      {"standardize", "no"}, {"optimize", "no"}, {"noise", shortest(noise) + "!"}};
  EXPECT_NEAR(exact.measures[0].value, refitted_rmse("gp", model->kernel(), fixed, data), 1e-6);
  // With it, too, the repeated fit is the model.
  const auto usual = find_model("gp").fit(gaussian, std::vector<OptionSetting>{{"restarts", "0"}}, data, mercer::Run{});
  EXPECT_EQ(exact_leave_one_out(*usual, data, mercer::Run{}).measures.size(), 2U);
}

TEST(ExactLeaveOneOut, LeastSquaresClassifier) {
  const testing::Blobs two = testing::blobs(40, 2, 1, 5);
  const auto model = find_model("lssvm").fit(gaussian, {}, two.data, mercer::Run{});
  const ExactLeaveOneOut exact = exact_leave_one_out(*model, two.data, mercer::Run{});
  ASSERT_FALSE(exact.measures.empty());
  double errors = 0;
  for (Index i = 0; i < 40; ++i) {
    const auto fitted = find_model("lssvm").fit(gaussian, {}, without_row(two.data, i), mercer::Run{});
    const std::vector<Index> row = {i};
    errors += fitted->predict(two.data.samples.select(row), mercer::Run{})(0, 0) != two.classes[i];
  }
  EXPECT_NEAR(exact.measures[0].value, errors / 40, 1e-12);
}

// An iteration has no inverse, but the same solution: its errors are those of the factorisation.
TEST(ExactLeaveOneOut, OfIterations) {
  const TrainingData data = curve(60, 3);
  const std::vector<OptionSetting> exact = {{"lambda", "0.1"}};
  std::vector<OptionSetting> iterative = exact;
  iterative.push_back({"method", "iterative"});
  const auto model = find_model("ridge").fit(gaussian, iterative, data, mercer::Run{});
  const auto same = find_model("ridge").fit(gaussian, exact, data, mercer::Run{});
  const ExactLeaveOneOut found = exact_leave_one_out(*model, data, mercer::Run{});
  ASSERT_EQ(found.measures.size(), 1U) << found.why_none;
  EXPECT_NEAR(found.measures[0].value, exact_leave_one_out(*same, data, mercer::Run{}).measures[0].value, 1e-9);
  EXPECT_ERROR(exact_leave_one_out(*model, curve(60, 4), mercer::Run{}), DataError, "predicts other values");

  const testing::Blobs two = testing::blobs(60, 2, 1, 6);
  const std::vector<OptionSetting> by_iteration = {{"method", "iterative"}};
  const auto lssvm = find_model("lssvm").fit(gaussian, by_iteration, two.data, mercer::Run{});
  EXPECT_FALSE(exact_leave_one_out(*lssvm, two.data, mercer::Run{}).measures.empty());

  iterative.push_back({"max_iterations", "1"});
  iterative.push_back({"tolerance", "1e-30"});
  const auto stopped = find_model("ridge").fit(gaussian, iterative, data, mercer::Run{});
  ASSERT_EQ(stopped->report().status, SolveStatus::iteration_limit);
  EXPECT_NE(exact_leave_one_out(*stopped, data, mercer::Run{}).why_none.find("max_iterations"), std::string::npos);
}

TEST(ExactLeaveOneOut, OtherModelsAndOtherData) {
  const TrainingData data = curve(25, 1);
  const auto svr = find_model("svr").fit(gaussian, {}, data, mercer::Run{});
  const ExactLeaveOneOut none = exact_leave_one_out(*svr, data, mercer::Run{});
  EXPECT_TRUE(none.measures.empty());
  EXPECT_FALSE(none.why_none.empty());
  const auto ridge = find_model("ridge").fit(gaussian, {}, data, mercer::Run{});
  EXPECT_ERROR(exact_leave_one_out(*ridge, curve(25, 9), mercer::Run{}), DataError,
               "this is not what the model was fitted to");
}

}  // namespace
}  // namespace mercer
