// Leaving rows out of a one-class machine: the span's estimate against refitting with the same cap.
#include "mercer/select/estimates/one_class_span.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/select/estimates/enclosing_ball.h"
#include "mercer/solvers/svm/one_class_dual.h"
#include "models/svm_blobs.h"
#include "select/estimates/machine_problems.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::clouds;
using testing::high_accuracy;
using testing::kernel_matrix;
using testing::KernelKind;
using testing::LabeledPoints;

int kind(double beta) { return beta < 1e-9 ? 0 : beta > 1 - 1e-9 ? 2 : 1; }

TEST(OneClassSpan, ExactWhereNoRowChangesItsKind) {
  Index unchanged = 0;
  Index estimated = 0;
  Index outside = 0;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    const Index n = 40;
    const LabeledPoints points = clouds(n, 20, 2, 1, seed + 70);
    const DenseGram<double> gram(kernel_matrix(points.x, KernelKind::gaussian, 0.5));
    const std::vector<double> weights(40, 1.0);
    const double nu = 0.23;
    const SvmDual dual = solve_one_class(gram, nu, weights, high_accuracy, mercer::Run{});
    const double rho = -dual.offset;
    const double allowance = 0.05 * rho;
    const auto estimate = one_class_span(gram, dual, weights, allowance, {}, mercer::Run{});
    ASSERT_TRUE(estimate.has_value() && estimate->rule.has_value());
    for (std::size_t s = 0; s < estimate->rows.size(); ++s) {
      const auto l = static_cast<std::size_t>(estimate->rows[s]);
      std::vector<double> without = weights;
      without[l] = 0;
      const SvmDual refit = solve_one_class(gram, nu * 40 / 39, without, high_accuracy, mercer::Run{});
      const double truth = -refit.offset - refit.values[l];
      outside += truth > allowance ? 1 : 0;
      estimated += estimate->rule->is_error[l];
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
  const LabeledPoints points = clouds(30, 15, 2, 1, 5);
  const DenseGram<double> gram(kernel_matrix(points.x, KernelKind::gaussian, 0.5));
  const std::vector<double> weights(30, 1.0);
  const SvmDual dual = solve_one_class(gram, 0.33, weights, high_accuracy, mercer::Run{});
  const auto estimate = one_class_span(gram, dual, weights, 0, {}, mercer::Run{});
  ASSERT_TRUE(estimate.has_value());
  EXPECT_EQ(estimate->bound.errors, static_cast<Index>(estimate->rows.size()));
  EXPECT_TRUE(!estimate->rule || estimate->rule->errors == estimate->bound.errors);
  EXPECT_ERROR(one_class_span(gram, dual, weights, -1, {}, mercer::Run{}), InvalidArgument,
               "one-class span: allowance = -1");
  EXPECT_ERROR(one_class_span(gram, dual, std::vector<double>(3, 1.0), 0, {}, mercer::Run{}), InvalidArgument,
               "one-class span: 30 coefficients for 3 weights");
}

struct Refit {
  double excess = 0;     // ρ^l − f^l(x_l)
  double free_mass = 0;  // Σ of the coefficients below their cap
};

// Without row l, with the same cap.
Refit refitted(const Gram<double>& gram, double nu, std::size_t rows, std::size_t l) {
  std::vector<double> without(rows, 1.0);
  without[l] = 0;
  const auto n = static_cast<double>(rows);
  const SvmDual dual = solve_one_class(gram, nu * n / (n - 1), without, high_accuracy, mercer::Run{});
  Refit refit{.excess = -dual.offset - dual.values[l]};
  for (const double beta : dual.coefficients) {
    refit.free_mass += kind(beta) == 1 ? beta : 0.0;
  }
  return refit;
}

// Every row that a refit puts outside by more than Δρ was said to be possible, by spans or by swaps. (Of refits that
// have the coefficients to give the row what it wants, Δρ/D² and no more than the cap.)
TEST(OneClassSpan, NoErrorOutsideTheBounds) {
  Index by_span = 0;
  Index by_swap = 0;
  Index excluded = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const LabeledPoints points = clouds(24, 12, 2, 2, seed + 170);
    // A wide kernel has few support vectors beyond νm, a narrow one many.
    const DenseGram<double> gram(kernel_matrix(points.x, KernelKind::gaussian, seed % 2 == 0 ? 0.02 : 0.8));
    const std::vector<double> weights(24, 1.0);
    const double nu = (seed % 4 < 2 ? 5.0 : 6.5) / 24;
    const SvmDual dual = solve_one_class(gram, nu, weights, high_accuracy, mercer::Run{});
    const double squared_diameter = 4 * enclosing_ball(gram, 1e-6, mercer::Run{}).squared_radius;
    for (const double share : {0.02, 0.2, 0.8}) {
      const double allowance = -share * dual.offset;
      const auto estimate = one_class_span(gram, dual, weights, allowance, {}, mercer::Run{});
      if (!estimate) {
        continue;
      }
      for (std::size_t s = 0; s < estimate->rows.size(); ++s) {
        const auto l = static_cast<std::size_t>(estimate->rows[s]);
        const Refit refit = refitted(gram, nu, 24, l);
        const bool is_covered = refit.free_mass >= std::min(1.0, allowance / squared_diameter);
        const bool is_error = is_covered && refit.excess > allowance * (1 + 1e-6) + 1e-7;
        EXPECT_TRUE(!is_error || estimate->bound.is_error[l]) << seed << " " << share << " " << l;
        (estimate->rule ? by_span : by_swap) += is_error ? 1 : 0;
        excluded += estimate->bound.is_error[l] ? 0 : 1;
      }
    }
  }
  EXPECT_GT(by_span, 10);
  EXPECT_GT(by_swap, 10);
  EXPECT_GT(excluded, 10);  // and the bound says something
}

// Three points, one support vector at the cap: Swap² by hand.
TEST(OneClassSpan, WhereTheOthersCannotTakeOverItIsASwap) {
  const DenseGram<double> gram(kernel_matrix({{1, 0}, {2, 0}, {0, 4}}, KernelKind::linear));
  const std::vector<double> weights(3, 1.0);
  const SvmDual dual = solve_one_class(gram, 1.0 / 3, weights, high_accuracy, mercer::Run{});
  const auto estimate = one_class_span(gram, dual, weights, -0.1 * dual.offset, {}, mercer::Run{});
  ASSERT_TRUE(estimate.has_value());
  double room = 0;
  for (const double beta : dual.coefficients) {
    room += beta > 0 ? 1 : 0;
  }
  EXPECT_EQ(estimate->rule.has_value(), room - 1 >= 1);
  for (std::size_t s = 0; s < estimate->rows.size(); ++s) {
    EXPECT_EQ(std::isnan(estimate->squared_span[s]), !estimate->rule.has_value());
  }
}

TEST(OneClassSpan, AMachineThatWasStoppedIsRefusedForThatReason) {
  const testing::Blobs two = testing::blobs(200, 2, 1, 3);
  OneClassOptions options;
  options.nu = 0.2;
  options.max_steps = 3;
  const auto model = fit_one_class(parse_kernel("rbf(gamma=0.5)"), options, two.data);
  ASSERT_NE(model->report().status, SolveStatus::converged);
  EXPECT_ERROR(one_class_span(*model, two.data, 0.1, {}, mercer::Run{}), InvalidArgument, "max_steps");
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
  ASSERT_TRUE(estimate->rule.has_value());
  EXPECT_EQ(estimate->rule->rows, 79);
  EXPECT_LT(estimate->rule->errors, 79);
  EXPECT_LE(estimate->rule->errors, estimate->bound.errors);
  EXPECT_ERROR(one_class_span(*model, testing::blobs(80, 2, 1, 4).data, 0.1, {}, mercer::Run{}), DataError,
               "this is not what the model was fitted to");
  EXPECT_ERROR(one_class_span(*fit_svdd(kernel, options, two.data), two.data, 0.1, {}, mercer::Run{}), InvalidArgument,
               "one-class span: the model has no rho");
}

}  // namespace
}  // namespace mercer
