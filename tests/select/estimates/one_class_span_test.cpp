// Leaving rows out of a one-class machine: the span's estimate against refitting with the same cap.
#include "mercer/select/estimates/one_class_span.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "models/svm_blobs.h"
#include "select/estimates/machine_problems.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::clouds;
using testing::high_accuracy;
using testing::kernel_matrix;
using testing::KernelKind;
using testing::LabelledPoints;

int kind(double beta) { return beta < 1e-9 ? 0 : beta > 1 - 1e-9 ? 2 : 1; }

TEST(OneClassSpan, ExactWhereNoRowChangesItsKind) {
  Index unchanged = 0;
  Index estimated = 0;
  Index outside = 0;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    const Index n = 40;
    const LabelledPoints points = clouds(n, 20, 2, 1, seed + 70);
    const DenseGram<double> gram(kernel_matrix(points.x, KernelKind::gaussian, 0.5));
    const std::vector<double> weights(40, 1.0);
    const double nu = 0.23;
    const SvmDual dual = solve_one_class(gram, nu, weights, high_accuracy, mercer::Run{});
    const double rho = -dual.offset;
    const double allowance = 0.05 * rho;
    const auto estimate = one_class_span(gram, dual, weights, allowance, {}, mercer::Run{});
    ASSERT_TRUE(estimate.has_value());
    for (std::size_t s = 0; s < estimate->rows.size(); ++s) {
      const auto l = static_cast<std::size_t>(estimate->rows[s]);
      std::vector<double> without = weights;
      without[l] = 0;
      const SvmDual refit = solve_one_class(gram, nu * 40 / 39, without, high_accuracy, mercer::Run{});
      const double truth = -refit.offset - refit.values[l];
      outside += truth > allowance ? 1 : 0;
      estimated += estimate->rule.is_error[l];
      bool same = true;
      for (std::size_t i = 0; i < weights.size(); ++i) {
        same = same && (i == l || kind(dual.coefficients[i]) == kind(refit.coefficients[i]));
      }
      if (same) {
        ++unchanged;
        EXPECT_NEAR(estimate->excess[s], truth, 1e-6) << seed << " " << l;
      }
    }
  }
  EXPECT_GT(unchanged, 15);
  // Of all rows, the fraction that would be outside by so much if they were left out.
  EXPECT_NEAR(static_cast<double>(estimated) / (16 * 40), static_cast<double>(outside) / (16 * 40), 0.05);
}

TEST(OneClassSpan, WithoutAllowanceEverySupportVectorIsOutside) {
  const LabelledPoints points = clouds(30, 15, 2, 1, 5);
  const DenseGram<double> gram(kernel_matrix(points.x, KernelKind::gaussian, 0.5));
  const std::vector<double> weights(30, 1.0);
  const SvmDual dual = solve_one_class(gram, 0.33, weights, high_accuracy, mercer::Run{});
  const auto estimate = one_class_span(gram, dual, weights, 0, {}, mercer::Run{});
  ASSERT_TRUE(estimate.has_value());
  EXPECT_EQ(estimate->rule.errors, static_cast<Index>(estimate->rows.size()));
  EXPECT_ERROR(one_class_span(gram, dual, weights, -1, {}, mercer::Run{}), InvalidArgument,
               "one-class span: allowance = -1");
  EXPECT_ERROR(one_class_span(gram, dual, std::vector<double>(3, 1.0), 0, {}, mercer::Run{}), InvalidArgument,
               "one-class span: 30 coefficients for 3 weights");
}

TEST(OneClassSpan, OfAModel) {
  testing::Blobs two = testing::blobs(80, 2, 1, 3);
  for (Index i = 0; i < 80; ++i) {
    two.data.weights.push_back(i == 3 ? 0.0 : 1.0 + 0.5 * static_cast<double>(i % 2));
  }
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  OneClassOptions options;
  options.nu = 0.2;
  options.outlier_rate = 0.1;  // moves the boundary, not the machine
  const auto model = fit_one_class(kernel, options, two.data);
  const auto estimate = one_class_span(*model, two.data, 0.1, {}, mercer::Run{});
  ASSERT_TRUE(estimate.has_value());
  EXPECT_EQ(estimate->rows.size(), model->support_rows().size());
  EXPECT_EQ(estimate->rule.rows, 79);
  EXPECT_LT(estimate->rule.errors, 79);
  EXPECT_ERROR(one_class_span(*model, testing::blobs(80, 2, 1, 4).data, 0.1, {}, mercer::Run{}), DataError,
               "this is not what the model was fitted to");
  EXPECT_ERROR(one_class_span(*fit_svdd(kernel, options, two.data), two.data, 0.1, {}, mercer::Run{}), InvalidArgument,
               "one-class span: the model has no rho");
}

}  // namespace
}  // namespace mercer
