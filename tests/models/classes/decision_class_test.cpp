// A decision value of exactly 0, in every model that has one for two classes: the second class.
#include "mercer/models/classes/decision_class.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "mercer/kernels/spec.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/libsvm/libsvm_prediction.h"
#include "mercer/models/model_state.h"
#include "models/random_problem.h"

namespace mercer {
namespace {

TEST(DecisionClass, ZeroIsTheSecondClassAndTheFirstOfEqualsWins) {
  EXPECT_EQ(class_of_value(0.0), 1);
  EXPECT_EQ(class_of_value(-0.0), 1);
  EXPECT_EQ(class_of_value(-std::numeric_limits<double>::denorm_min()), 0);
  EXPECT_EQ(class_of_value(std::numeric_limits<double>::quiet_NaN()), 0);
  EXPECT_EQ(class_of_values(std::array{0.0}), 1);
  EXPECT_EQ(class_of_values(std::array{0.0, 2.0, 2.0}), 1);
}

TEST(DecisionClass, ACodeWhoseFirstClassIsPositiveFollows) {
  EXPECT_EQ(ClassCode::given(CodeWords::parse("+;-"), 2).decode(std::array{0.0}), 1);
  EXPECT_EQ(ClassCode::given(CodeWords::parse("-;+"), 2).decode(std::array{0.0}), 1);
}

// The same model with all its weights 0, so that its values are 0 as well.
ModelState without_weights(ModelState state) {
  for (auto& [name, array] : state.parts.numbers) {
    if (name == "coefficients" || name == "parametric" || name == "weights" || name == "offsets" ||
        name == "intercepts") {
      array = Matrix<double>::filled(array.rows(), array.columns(), 0.0);
    }
  }
  return state;
}

TEST(DecisionClass, EveryModelOfTwoClassesKeepsTheRule) {
  constexpr Index rows = 40;
  const Matrix<double> points = testing::random_matrix(rows, 2, 5);
  const Samples x = make_dense(Matrix<double>::copy_of(points.view()));
  std::vector<std::string> labels;
  for (Index i = 0; i < rows; ++i) {
    labels.emplace_back(points(i, 0) > 0 ? "yes" : "no");
  }
  std::vector<std::string> checked;
  for (const ModelEntry* const entry : model_registry()) {
    if (entry->task != Task::classification) {
      continue;
    }
    const auto model = entry->fit(kernel_for(*entry), {}, {x, Targets::classes(labels, "answer"), {}}, {});
    if (model->decision_names().size() != 1) {
      continue;  // votes, distances, densities: no value whose sign decides
    }
    const auto zero = entry->load(without_weights(state_of(*model)), {});
    const Matrix<double> values = zero->decide(x, {});
    const Matrix<double> predicted = zero->predict(x, {});
    for (Index i = 0; i < rows; ++i) {
      ASSERT_EQ(values(i, 0), 0) << entry->name;
      EXPECT_EQ(predicted(i, 0), 1) << entry->name;
    }
    checked.push_back(entry->name);
  }
  for (const char* const name : {"svc", "nusvc", "linearsvc", "lssvm", "klr", "l1vmc", "l2vmc", "perceptron", "falkonc",
                                 "rvc", "gpc", "kfd", "lapc", "mapsvc", "maplogit"}) {
    EXPECT_NE(std::ranges::find(checked, name), checked.end()) << name;
  }
}

TEST(DecisionClass, NoveltyAtZeroIsInsideForUsAndOutsideForLibsvm) {
  for (const char* const name : {"oneclass", "svdd"}) {
    const ModelEntry& entry = find_model(name);
    // A kernel without a diagonal part at 0: svdd's k(x, x) is 0 there.
    const auto model = entry.fit(parse_kernel("linear()"), {}, {testing::random_samples(30, 2, 6), {}, {}}, {});
    const auto zero = entry.load(without_weights(state_of(*model)), {});
    const Samples origin = make_dense(Matrix<double>::filled(1, 2, 0.0));
    ASSERT_EQ(zero->decide(origin, {})(0, 0), 0) << name;
    EXPECT_EQ(zero->predict(origin, {})(0, 0), 1) << name;
  }
  LibsvmModel peer;
  peer.type = LibsvmType::one_class;
  peer.classes = 2;
  EXPECT_EQ(libsvm_predictions(peer, Matrix<double>::filled(1, 1, 0.0).view()), std::vector<double>{-1});
}

}  // namespace
}  // namespace mercer
