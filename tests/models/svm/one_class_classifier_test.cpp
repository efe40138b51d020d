// One machine per class: the machines are those of oneclass and svdd.
#include "mercer/models/svm/one_class_classifier.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "models/svm_blobs.h"
#include "support/expect_error.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

using testing::blobs;
using testing::measure;
using testing::same_bits;

TrainingData class_rows(const testing::Blobs& all, int c) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < all.classes.size(); ++i) {
    if (all.classes[i] == c) {
      rows.push_back(static_cast<Index>(i));
    }
  }
  return {all.data.samples.select(rows), {}, {}};
}

TEST(OneClassClassifier, ValuesAreDistancesToTheBoundariesOfItsMachines) {
  const testing::Blobs rows = blobs(90, 3, 3, 1);
  const Samples x = testing::random_samples(50, 2, 2);
  const Kernel kernel = parse_kernel("rbf(gamma=0.4)");
  for (const OneClassShape shape : {OneClassShape::plane, OneClassShape::ball}) {
    OneClassClassifierOptions options;
    options.nu = 0.1;
    options.tolerance = 1e-8;
    options.shape = shape;
    const auto model = fit_one_class_classifier(kernel, options, rows.data);
    EXPECT_GT(testing::accuracy(rows, model->predict(rows.data.samples, {})), 0.9);
    const Matrix<double> values = model->decide(x, {});
    ASSERT_EQ(values.columns(), 3);
    for (int c = 0; c < 3; ++c) {
      OneClassOptions own;
      own.nu = 0.1;
      own.tolerance = 1e-8;
      const bool plane = shape == OneClassShape::plane;
      const auto machine = (plane ? fit_one_class : fit_svdd)(kernel, own, class_rows(rows, c), {});
      const Matrix<double> f = machine->decide(x, {});
      const double radius = plane ? 0 : measure(*machine, "radius");
      const double norm = std::sqrt(squared_norm(machine->expansion(), {}).front());
      for (Index i = 0; i < 50; ++i) {
        const double expected = plane ? f(i, 0) / norm : radius - std::sqrt(radius * radius - f(i, 0));
        EXPECT_NEAR(values(i, c), expected, 1e-6);
      }
    }
    const auto again = find_model("oneclassc").load(state_of(*model), {});
    EXPECT_TRUE(same_bits(again->decide(x, {}), values));
  }
}

TEST(OneClassClassifier, AnswersWithNoneOutsideOfAllClasses) {
  const testing::Blobs rows = blobs(80, 4, 6, 3);
  OneClassClassifierOptions options;
  options.outside = OutsideAnswer::none;
  const auto careful = fit_one_class_classifier(parse_kernel("rbf(gamma=0.5)"), options, rows.data);
  options.outside = OutsideAnswer::nearest;
  const auto usual = fit_one_class_classifier(parse_kernel("rbf(gamma=0.5)"), options, rows.data);
  const Samples x = make_dense(std::vector<double>{6, 0, 0, 6, 0, 0, 100, 100}, 4, 2);
  const Matrix<double> answers = careful->predict(x, {});
  const Matrix<double> inside = careful->distances(x, {});
  EXPECT_EQ(answers(0, 0), 0);
  EXPECT_EQ(answers(1, 0), 1);
  EXPECT_EQ(answers(2, 0), -1);
  EXPECT_EQ(answers(3, 0), -1);
  const Matrix<double> nearest = usual->predict(x, {});
  for (Index i = 0; i < 4; ++i) {
    EXPECT_GE(nearest(i, 0), 0);
    double largest = inside(i, 0);
    for (Index c = 0; c < 4; ++c) {
      largest = std::max(largest, inside(i, c));
    }
    EXPECT_EQ(inside(i, static_cast<Index>(nearest(i, 0))), largest);
    EXPECT_EQ(answers(i, 0) < 0, largest < 0);
  }
}

TEST(OneClassClassifier, TwoClassesHaveOneValue) {
  const testing::Blobs rows = blobs(60, 2, 3, 4);
  const auto model = fit_one_class_classifier(parse_kernel("rbf(gamma=0.5)"), {}, rows.data);
  const Matrix<double> values = model->decide(rows.data.samples, {});
  const Matrix<double> inside = model->distances(rows.data.samples, {});
  const Matrix<double> answers = model->predict(rows.data.samples, {});
  ASSERT_EQ(values.columns(), 1);
  for (Index i = 0; i < 60; ++i) {
    EXPECT_EQ(values(i, 0), inside(i, 1) - inside(i, 0));
    EXPECT_EQ(answers(i, 0), values(i, 0) >= 0 ? 1 : 0);
  }
}

TEST(OneClassClassifier, AnotherClassLeavesTheOthersAlone) {
  const testing::Blobs rows = blobs(90, 3, 4, 5);
  std::vector<Index> first_two;
  for (Index i = 0; i < 90; ++i) {
    if (rows.classes[i] < 2) {
      first_two.push_back(i);
    }
  }
  const TrainingData fewer{rows.data.samples.select(first_two), rows.data.targets.select(first_two), {}};
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  const Matrix<double> two = fit_one_class_classifier(kernel, {}, fewer)->distances(rows.data.samples, {});
  const Matrix<double> three = fit_one_class_classifier(kernel, {}, rows.data)->distances(rows.data.samples, {});
  for (Index i = 0; i < 90; ++i) {
    EXPECT_NEAR(two(i, 0), three(i, 0), 1e-5);
    EXPECT_NEAR(two(i, 1), three(i, 1), 1e-5);
  }
}

TEST(OneClassClassifier, ARowPerClassAndWhatIsRefused) {
  const TrainingData two{
      make_dense(std::vector<double>{0, 1}, 2, 1), Targets::classes(std::vector<std::string>{"a", "b"}), {}};
  for (const OneClassShape shape : {OneClassShape::plane, OneClassShape::ball}) {
    OneClassClassifierOptions options;
    options.shape = shape;
    const auto model = fit_one_class_classifier(parse_kernel("rbf(gamma=1)"), options, two);
    EXPECT_EQ(model->predict(two.samples, {})(0, 0), 0);
    EXPECT_EQ(model->predict(two.samples, {})(1, 0), 1);
  }
  EXPECT_ERROR(fit_one_class_classifier(parse_kernel("center(rbf(gamma=1))"), {}, two), InvalidArgument,
               "depends on the rows of the fit as a set");
  const TrainingData one{two.samples, Targets::classes(std::vector<std::string>{"a", "a"}), {}};
  EXPECT_ERROR(fit_one_class_classifier(parse_kernel("rbf(gamma=1)"), {}, one), DataError, "belong to one class");
}

}  // namespace
}  // namespace mercer
