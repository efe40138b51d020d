// The evidence of a Gaussian process classifier against the fit, and its gradient against differences.
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/kernels/spec.h"
#include "mercer/models/gp/gpc.h"
#include "models/svm_blobs.h"

namespace mercer {
namespace {

using testing::Blobs;
using testing::blobs;

GpcOptions fixed(GpcInference inference) {
  GpcOptions options;
  options.inference = inference;
  options.optimize = false;
  return options;
}

const char* const plain = "2*rbf(lengthscale=1.5)";

TEST(GpcEvidence, IsThatOfTheFitAndItsGradientIsExact) {
  for (const int classes : {2, 3}) {
    for (const GpcInference inference : {GpcInference::laplace, GpcInference::expectation_propagation}) {
      if (classes > 2 && inference != GpcInference::laplace) {
        continue;
      }
      const Blobs b = blobs(45, classes, 1.0, 9);
      const Kernel kernel = parse_kernel(plain);
      const GpcEvidence found = gpc_evidence(kernel, fixed(inference), b.data);
      EXPECT_NEAR(found.value, fit_gpc(kernel, fixed(inference), b.data)->report().objective, 1e-8);
      ASSERT_EQ(found.gradient.size(), 2U);
      for (std::size_t p = 0; p < 2; ++p) {
        std::vector<double> values = {2, 1.5};
        const double step = 1e-4;
        values[p] += step;
        const double above = gpc_evidence(kernel.with_scale_parameters(values), fixed(inference), b.data).value;
        values[p] -= 2 * step;
        const double below = gpc_evidence(kernel.with_scale_parameters(values), fixed(inference), b.data).value;
        EXPECT_NEAR(found.gradient[p], (above - below) / (2 * step), 1e-5 * (1 + std::abs(found.gradient[p])));
      }
    }
  }
}

// The label noise is held, and is no part of the gradient.
TEST(GpcEvidence, HoldsTheLabelNoise) {
  const Blobs b = blobs(30, 2, 1.0, 10);
  GpcOptions options = fixed(GpcInference::expectation_propagation);
  options.label_noise = 0.1;
  const GpcEvidence found = gpc_evidence(parse_kernel(plain), options, b.data);
  EXPECT_EQ(found.gradient.size(), 2U);
  EXPECT_NEAR(found.value, fit_gpc(parse_kernel(plain), options, b.data)->report().objective, 1e-8);
}

}  // namespace
}  // namespace mercer
