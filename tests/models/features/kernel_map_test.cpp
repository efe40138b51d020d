// kernelmap: inner products of its features are kernel values, and where not, Nyström's.
#include "mercer/models/features/kernel_map.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::Dense;
using testing::kernel_matrix;
using testing::random_samples;

std::unique_ptr<FeatureModel> fitted(const char* kernel, const Samples& samples, KernelMapOptions options) {
  return fit_kernel_map(parse_kernel(kernel), options, {samples, {}, {}, {}}, {});
}

TEST(KernelMap, InnerProductsOfTrainingSamplesAreKernelValues) {
  const Samples train = random_samples(30, 2, 1);
  const Samples test = random_samples(8, 2, 2);
  const auto model = fitted("rbf(gamma=0.5)", train, {.size = 0, .tolerance = 1e-14});
  const Dense a = model->predict(train, {});
  const Dense b = model->predict(test, {});
  EXPECT_LT((a * a.transpose() - kernel_matrix(model->kernel(), train, train)).max_abs(), 1e-9);
  // One of the two in the span is enough.
  EXPECT_LT((b * a.transpose() - kernel_matrix(model->kernel(), test, train)).max_abs(), 1e-6);
  // What the span leaves out is the residual.
  const Dense residual = model->decide(test, {});
  for (Index t = 0; t < 8; ++t) {
    EXPECT_NEAR(residual(t), 1 - b.row(t).squared_norm(), 1e-9);
  }
}

TEST(KernelMap, LandmarksGiveNystroemsKernel) {
  const Samples train = random_samples(60, 2, 3);
  const Samples test = random_samples(9, 2, 4);
  for (const KernelMapLandmarks choice : {KernelMapLandmarks::pivots, KernelMapLandmarks::random}) {
    const auto model = fitted("rbf(gamma=0.5)", train, {.size = 12, .landmarks = choice, .tolerance = 0});
    const std::vector<Index>& rows = model->parts().center_rows;
    ASSERT_EQ(rows.size(), 12U);
    const Samples z = train.select(rows);
    const Dense kz = kernel_matrix(model->kernel(), z, z);
    const Dense kt = kernel_matrix(model->kernel(), test, z);
    const Dense features = model->predict(test, {});
    EXPECT_LT((features * features.transpose() - kt * kz.solve(kt.transpose())).max_abs(), 1e-7) << word_of(choice);
  }
}

TEST(KernelMap, MoreLandmarksLeaveOutLess) {
  const Samples train = random_samples(80, 3, 5);
  double before = 1e300;
  for (const Index size : {5, 20, 60}) {
    const Dense left = fitted("rbf(gamma=0.2)", train, {.size = size})->decide(train, {});
    EXPECT_LT(left.mean(), before);
    before = left.mean();
  }
}

TEST(KernelMap, EmpiricalMapIsTheKernelItself) {
  const Samples train = random_samples(20, 2, 6);
  const Samples test = random_samples(5, 2, 7);
  // Any kernel will do.
  for (const char* kernel : {"rbf(gamma=1)", "sigmoid(gamma=1, coef0=-1)", "negative_distance()"}) {
    const auto model = fitted(kernel, train, {.size = 7, .whiten = false});
    const Samples z = train.select(model->parts().center_rows);
    EXPECT_LT((Dense(model->predict(test, {})) - kernel_matrix(model->kernel(), test, z)).max_abs(), 1e-12) << kernel;
    EXPECT_TRUE(model->decision_names().empty());
  }
}

TEST(KernelMap, IndefiniteKernelsKeepTheirPositivePart) {
  const auto model = fitted("sigmoid(gamma=1, coef0=-1)", random_samples(20, 2, 8), {.size = 0});
  bool said = false;
  for (const std::string& note : model->report().notes) {
    said = said || note.find("negative") != std::string::npos;
  }
  EXPECT_TRUE(said);
  for (const double value : model->parts().values) {
    EXPECT_GT(value, 0);
  }
}

TEST(KernelMap, RefusesBadOptions) {
  const Samples x = random_samples(5, 2, 9);
  EXPECT_ERROR(fitted("rbf(gamma=1)", x, {.size = -1}), InvalidArgument, "kernelmap: size = -1");
  EXPECT_ERROR(fitted("rbf(gamma=1)", x, {.tolerance = 1}), InvalidArgument, "kernelmap: tolerance = 1");
  EXPECT_ERROR(fitted("rbf(gamma=1)", Samples(), {}), DataError, "kernelmap: there are no rows to fit");
}

}  // namespace
}  // namespace mercer
