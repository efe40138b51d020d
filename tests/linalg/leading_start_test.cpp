// Leading eigenpairs from a given start: the same pairs, in fewer products the nearer it is.
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/linalg/symmetric_eigen.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

// A diagonal matrix: its eigenvectors are known.
struct Diagonal {
  Index n = 300;
  double value(Index i) const { return 1 / (1 + static_cast<double>(i)); }
  BlockOperator<double> product() const {
    return [this](ConstMatrixView<double> x, MatrixView<double> y) {
      for (Index i = 0; i < x.rows(); ++i) {
        for (Index c = 0; c < x.columns(); ++c) {
          y(i, c) = value(i) * x(i, c);
        }
      }
    };
  }
  Matrix<double> start(Index block, double noise) const {
    Matrix<double> block_of_vectors(n, block);
    RandomStream random(5);
    for (Index i = 0; i < n; ++i) {
      for (Index c = 0; c < block; ++c) {
        block_of_vectors(i, c) = (i == c ? 1.0 : 0.0) + noise * random.normal();
      }
    }
    return block_of_vectors;
  }
};

TEST(LeadingEigenpairsFromStart, FindsTheSamePairsSooner) {
  const Diagonal matrix;
  const auto far = leading_eigenpairs<double>(matrix.product(), ConstMatrixView<double>(matrix.start(6, 1).view()), 4,
                                              {.tolerance = 1e-9}, {});
  const auto near = leading_eigenpairs<double>(matrix.product(), ConstMatrixView<double>(matrix.start(6, 1e-4).view()),
                                               4, {.tolerance = 1e-9}, {});
  const auto exact = leading_eigenpairs<double>(matrix.product(), ConstMatrixView<double>(matrix.start(6, 0).view()), 4,
                                                {.tolerance = 1e-9}, {});
  for (const auto* found : {&far, &near, &exact}) {
    EXPECT_EQ(found->status, SolveStatus::converged);
    ASSERT_EQ(found->values.size(), 4U);
    for (Index c = 0; c < 4; ++c) {
      EXPECT_NEAR(found->values[c], matrix.value(c), 1e-12);
      EXPECT_NEAR(std::abs(found->vectors(c, c)), 1, 1e-9);
    }
  }
  EXPECT_EQ(exact.products, 1);
  EXPECT_LT(near.products, far.products);
}

TEST(LeadingEigenpairsFromStart, RefusesAStartThatIsTooSmall) {
  const Diagonal matrix;
  const Matrix<double> start = matrix.start(3, 1);
  EXPECT_ERROR(leading_eigenpairs<double>(matrix.product(), start.view(), 4, {}, {}), InvalidArgument,
               "4 eigenpairs from a start of 300 by 3");
  EXPECT_ERROR(leading_eigenpairs<double>(matrix.product(), start.view(), 0, {}, {}), InvalidArgument,
               "0 eigenpairs from a start of 300 by 3");
  // A start of zeros is no start: random columns take its place.
  const Matrix<double> zeros = Matrix<double>::filled(300, 6, 0.0);
  const auto found = leading_eigenpairs<double>(matrix.product(), zeros.view(), 2, {.tolerance = 1e-9}, {});
  EXPECT_NEAR(found.values[0], 1, 1e-12);
}

}  // namespace
}  // namespace mercer
