// Paths of classifiers on training data: the machines of svc at the same C, pairs of classes, weights.
#include "mercer/select/path/svc_model_path.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "models/svm_blobs.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::Blobs;
using testing::blobs;

TEST(SvcModelPath, IsTheModelAtEveryC) {
  Blobs three = blobs(60, 3, 1.2, 4);
  for (Index i = 0; i < 60; ++i) {
    three.data.weights.push_back(i == 7 ? 0.0 : 1.0 + static_cast<double>(i % 3));
  }
  SvcOptions options;
  options.class_weight = {{"b", 2}};
  options.tolerance = 1e-9;
  const Kernel kernel = parse_kernel("rbf(gamma=scale)");
  const SvcModelPath paths = svc_model_path(kernel, options, three.data, {.max_C = 20});
  ASSERT_EQ(paths.machines.size(), 3U);
  for (const double c : {0.01, 0.3, 4.0, 20.0}) {
    options.C = c;
    const auto model = fit_svc(kernel, options, three.data);
    EXPECT_EQ(paths.kernel.spec(), model->kernel().spec());
    const std::vector<std::string> names = model->decision_names();
    for (std::size_t m = 0; m < 3; ++m) {
      EXPECT_EQ(paths.machines[m].machine, names[m]);
      const SvcPathSolution solution = paths.machines[m].path.solution_at(c);
      EXPECT_NEAR(solution.offset, model->machine_facts()[m].offset, 1e-6);
      double sum = 0;
      double fitted = 0;
      for (const double beta : solution.coefficients) {
        sum += std::abs(beta);
      }
      for (Index s = 0; s < model->expansion().coefficients().rows(); ++s) {
        fitted += std::abs(model->expansion().coefficients()(s, static_cast<Index>(m)));
      }
      EXPECT_NEAR(sum, fitted, 1e-5 * fitted);
    }
  }
}

TEST(SvcModelPath, RefusesWhatDoesNotFit) {
  const Blobs two = blobs(60, 2, 1.2, 4);
  SvcOptions options;
  options.memory_mb = 0.01;
  EXPECT_ERROR(svc_model_path(parse_kernel("rbf()"), options, two.data, {}), InvalidArgument,
               "regularisation path: the kernel matrix of 60 rows needs 1 MB");
  const Blobs one = blobs(10, 1, 1, 1);
  EXPECT_ERROR(svc_model_path(parse_kernel("rbf()"), {}, one.data, {}), DataError,
               "svc: all rows that count belong to one class ('a')");
}

}  // namespace
}  // namespace mercer
