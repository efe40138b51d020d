#include "mercer/models/prototypes/class_mean.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "models/svm_blobs.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::Blobs;
using testing::blobs;
using testing::random_samples;
using testing::same_bits;

TrainingData book_example() {
  return {make_dense(std::vector<double>{-1, 1, 0, 0.1, -0.1}, 5, 1),
          Targets::classes(std::vector<std::string>{"plus", "plus", "minus", "minus", "minus"})};
}

// Schölkopf & Smola (2002), (1.12) against (2.91): one example where they disagree.
TEST(ClassMean, MeanAndDistanceRulesDisagreeWhereTheBookSaysSo) {
  const Kernel kernel = parse_kernel("rbf(lengthscale=1)");
  const Samples point = make_dense(std::vector<double>{0.8}, 1, 1);
  const auto mean = fit_class_mean(kernel, {.rule = ClassMeanRule::mean}, book_example());
  const auto distance = fit_class_mean(kernel, {.rule = ClassMeanRule::distance}, book_example());
  EXPECT_EQ(mean->classes(), (std::vector<std::string>{"minus", "plus"}));
  EXPECT_NEAR(mean->expansion_form()->parametric_coefficients()(0, 0), 0.212858, 5e-7);
  EXPECT_EQ(distance->expansion_form()->parametric_coefficients()(0, 0), 0);
  EXPECT_NEAR(mean->decide(point, {})(0, 0), 0.0766, 5e-5);
  EXPECT_NEAR(distance->decide(point, {})(0, 0), -0.1362, 5e-5);
  EXPECT_EQ(mean->predict(point, {})(0, 0), 1);
  EXPECT_EQ(distance->predict(point, {})(0, 0), 0);
}

// Squared distances to class means, or their means over the class, from pairs of kernel values.
Matrix<double> class_distances(const Kernel& kernel, const Blobs& train, int classes, const Samples& test,
                               ClassMeanRule rule) {
  const auto k = testing::kernel_matrix(kernel, train.data.samples, train.data.samples);
  const auto kt = testing::kernel_matrix(kernel, test, train.data.samples);
  Matrix<double> result = Matrix<double>::filled(test.size(), classes, 0.0);
  for (int c = 0; c < classes; ++c) {
    std::vector<Index> members;
    for (Index i = 0; i < k.rows(); ++i) {
      if (train.classes[i] == c) {
        members.push_back(i);
      }
    }
    const auto m = static_cast<double>(members.size());
    for (Index t = 0; t < test.size(); ++t) {
      for (const Index i : members) {
        result(t, c) -= 2 * kt(t, i) / m;
        if (rule == ClassMeanRule::distance) {
          result(t, c) += k(i, i) / m;
          continue;
        }
        for (const Index j : members) {
          result(t, c) += k(i, j) / (m * m);
        }
      }
    }
  }
  return result;
}

TEST(ClassMean, PredictsTheNearestClass) {
  for (const int classes : {2, 4}) {
    for (const ClassMeanRule rule : {ClassMeanRule::mean, ClassMeanRule::distance}) {
      for (const char* spec : {"rbf(gamma=0.4)", "poly(degree=2, gamma=1, coef0=1)", "linear()"}) {
        const Blobs train = blobs(83, classes, 1.5, 3);
        const Samples test = random_samples(40, 2, 4);
        const Kernel kernel = parse_kernel(spec);
        const auto model = fit_class_mean(kernel, {.rule = rule}, train.data);
        const Matrix<double> expected = class_distances(kernel, train, classes, test, rule);
        const Matrix<double> values = model->decide(test, {});
        const Matrix<double> predicted = model->predict(test, {});
        for (Index t = 0; t < 40; ++t) {
          const auto row = expected.view().row(t);
          EXPECT_EQ(predicted(t, 0), static_cast<double>(std::min_element(row.begin(), row.end()) - row.begin()));
          if (classes == 2) {
            EXPECT_NEAR(values(t, 0), (expected(t, 0) - expected(t, 1)) / 2, 1e-10);
          } else {
            for (Index c = 0; c < classes; ++c) {
              EXPECT_NEAR(values(t, c), -expected(t, c) / 2, 1e-10);
            }
          }
        }
      }
    }
  }
}

TEST(ClassMean, ParzenComparesMeanKernelValues) {
  const Blobs train = blobs(50, 2, 1.0, 5);
  const Samples test = random_samples(10, 2, 6);
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  const Matrix<double> values = fit_class_mean(kernel, {.rule = ClassMeanRule::parzen}, train.data)->decide(test, {});
  const auto kt = testing::kernel_matrix(kernel, test, train.data.samples);
  for (Index t = 0; t < 10; ++t) {
    double sum = 0;
    for (Index i = 0; i < 50; ++i) {
      sum += (train.classes[i] == 1 ? 1 : -1) * kt(t, i) / 25;
    }
    EXPECT_NEAR(values(t, 0), sum, 1e-13);
  }
}

TEST(ClassMean, ConditionallyPositiveKernelsAreAllowed) {
  const Blobs train = blobs(40, 2, 3.0, 7);
  const auto model =
      fit_class_mean(parse_kernel("negative_distance(beta=1)"), {.rule = ClassMeanRule::distance}, train.data);
  EXPECT_GT(testing::accuracy(train, model->predict(train.data.samples, {})), 0.9);
  EXPECT_ERROR(fit_class_mean(parse_kernel("thin_plate(n=1)"), {}, train.data), InvalidArgument,
               "classmean: the kernel thin_plate(n=1) is conditionally positive definite of");
}

TEST(ClassMean, WeightsAreRepetitions) {
  const Blobs train = blobs(45, 3, 1.0, 8);
  TrainingData weighted = train.data;
  std::vector<Index> list;
  for (Index i = 0; i < 45; ++i) {
    weighted.weights.push_back(static_cast<double>((i / 3) % 3));
    list.insert(list.end(), static_cast<std::size_t>((i / 3) % 3), i);
  }
  const TrainingData repeated{train.data.samples.select(list), train.data.targets.select(list)};
  const Samples test = random_samples(20, 2, 9);
  for (const ClassMeanRule rule : {ClassMeanRule::mean, ClassMeanRule::distance, ClassMeanRule::parzen}) {
    for (const char* kernel : {"rbf(gamma=0.5)", "linear()"}) {
      const Matrix<double> a = fit_class_mean(parse_kernel(kernel), {.rule = rule}, weighted)->decide(test, {});
      const Matrix<double> b = fit_class_mean(parse_kernel(kernel), {.rule = rule}, repeated)->decide(test, {});
      for (Index i = 0; i < 20; ++i) {
        for (Index c = 0; c < 3; ++c) {
          EXPECT_NEAR(a(i, c), b(i, c), 1e-12);
        }
      }
    }
  }
}

TEST(ClassMean, ExpansionsCanBeExchanged) {
  const Blobs train = blobs(40, 3, 1.0, 10);
  const auto model = fit_class_mean(parse_kernel("rbf(gamma=0.5)"), {}, train.data);
  const Samples test = random_samples(20, 2, 11);
  const auto same = model->with_expansion(*model->expansion_form(), {});
  EXPECT_TRUE(same_bits(same->decide(test, {}), model->decide(test, {})));
  const auto other = fit_class_mean(parse_kernel("rbf(gamma=0.6)"), {}, train.data);
  EXPECT_ERROR(model->with_expansion(*other->expansion_form(), {}), InvalidArgument,
               "classmean: an expansion of 3 outputs with the kernel rbf(gamma=0.6)");
  // A linear kernel needs one centre per function only.
  EXPECT_EQ(fit_class_mean(parse_kernel("linear()"), {}, train.data)->expansion_form()->centers().size(), 3);
}

}  // namespace
}  // namespace mercer
