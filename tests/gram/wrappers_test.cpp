#include "mercer/gram/wrappers.h"

#include <gtest/gtest.h>

#include "gram/gram_samples.h"
#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/stored_copy.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using namespace gram_test;

template <class T>
class WrappersTest : public ::testing::Test {
 protected:
  // Tiles, rows, blocks, diagonal and products of a wrapper against the matrix it stands for.
  void expect_is(const Gram<T>& gram, const Matrix<double>& expected) {
    const Index n = expected.rows();
    const double bound = 4 * entry_bound<T>();
    EXPECT_LE(largest_difference(stored_copy<T>(gram, run_on(2)), expected), bound);
    const std::vector<Index> rows{n - 1, 0, n / 2};
    const std::vector<Index> columns{0, n - 1, n / 2, 1 % n, n / 2};
    Matrix<T> listed(3, n);
    gram.rows(rows, listed.view(), run_on(2));
    Matrix<T> block(3, 5);
    gram.gather(rows, columns, block.view(), run_on(2));
    for (Index a = 0; a < 3; ++a) {
      for (Index j = 0; j < n; ++j) {
        ASSERT_NEAR(static_cast<double>(listed(a, j)), expected(rows[a], j), bound);
      }
      for (Index b = 0; b < 5; ++b) {
        ASSERT_NEAR(static_cast<double>(block(a, b)), expected(rows[a], columns[b]), bound);
      }
    }
    std::vector<double> diagonal(n);
    gram.diagonal(diagonal);
    for (Index i = 0; i < n; ++i) {
      ASSERT_NEAR(diagonal[i], expected(i, i), bound);
    }
    const Matrix<double> v = random_matrix(n, 3, 41);
    Matrix<T> out(n, 3);
    gram.multiply(converted<T>(v).view(), out.view(), run_on(2));
    EXPECT_LE(largest_difference(out, multiplied(expected, v)), 8 * bound * std::sqrt(static_cast<double>(n)));
  }

  Matrix<double> x_;
  std::shared_ptr<const Gram<T>> make(Index n) {
    x_ = random_matrix(n, 3, 40);
    return std::make_shared<const KernelGram<T>>(prepare<T>(test_spec, make_dense(Matrix<double>::copy_of(x_.view()))));
  }
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(WrappersTest, Precisions);

// C K Cᵀ with C = 1 − e cᵀ, by plain products.
Matrix<double> centered(const Matrix<double>& k, const std::vector<double>& c) {
  const Index n = k.rows();
  Matrix<double> left(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      left(i, j) = (i == j ? 1.0 : 0.0) - c[j];
    }
  }
  return multiplied(multiplied(left, k), transposed(left));
}

TYPED_TEST(WrappersTest, Shifted) {
  for (const Index n : {1, 257}) {
    const auto gram = this->make(n);
    Matrix<double> expected = test_gram(this->x_, this->x_);
    std::vector<double> shifts;
    for (Index i = 0; i < n; ++i) {
      shifts.push_back(0.01 * static_cast<double>(i) - 0.5);
      expected(i, i) += shifts.back();
    }
    this->expect_is(ShiftedGram<TypeParam>(gram, shifts), expected);
    Matrix<double> plain = test_gram(this->x_, this->x_);
    for (Index i = 0; i < n; ++i) {
      plain(i, i) += 0.75;
    }
    this->expect_is(ShiftedGram<TypeParam>(gram, 0.75), plain);
  }
}

TYPED_TEST(WrappersTest, Signed) {
  const Index n = 257;
  const auto gram = this->make(n);
  Matrix<double> expected = test_gram(this->x_, this->x_);
  std::vector<double> signs;
  for (Index i = 0; i < n; ++i) {
    signs.push_back(i % 3 == 0 ? 1 : -1);
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      expected(i, j) *= signs[i] * signs[j];
    }
  }
  this->expect_is(SignedGram<TypeParam>(gram, signs), expected);
}

TYPED_TEST(WrappersTest, Centered) {
  for (const Index n : {1, 2, 257}) {
    const auto gram = this->make(n);
    const Matrix<double> k = test_gram(this->x_, this->x_);
    const auto size = static_cast<std::size_t>(n);
    this->expect_is(CenteredGram<TypeParam>(gram, run_on(2)),
                    centered(k, std::vector<double>(size, 1 / static_cast<double>(n))));
    std::vector<double> weights(size, 0.0);
    weights[0] = 1.5;
    weights[size - 1] -= 0.5;
    this->expect_is(CenteredGram<TypeParam>(gram, weights, run_on(2)), centered(k, weights));
  }
}

TYPED_TEST(WrappersTest, Compose) {
  const Index n = 130;
  const auto gram = this->make(n);
  Matrix<double> expected = centered(test_gram(this->x_, this->x_), std::vector<double>(n, 1 / static_cast<double>(n)));
  std::vector<double> signs;
  for (Index i = 0; i < n; ++i) {
    signs.push_back(i % 2 == 0 ? 1 : -1);
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      expected(i, j) *= (i + j) % 2 == 0 ? 1 : -1;
    }
    expected(i, i) += 2;
  }
  const auto inner = std::make_shared<const CenteredGram<TypeParam>>(gram, run_on(1));
  const auto middle = std::make_shared<const SignedGram<TypeParam>>(inner, signs);
  this->expect_is(ShiftedGram<TypeParam>(middle, 2.0), expected);
  this->expect_is(ShiftedGram<TypeParam>(borrowed<TypeParam>(*middle), 2.0), expected);
}

TEST(Wrappers, RefuseWrongArguments) {
  const auto gram = std::make_shared<const DenseGram<double>>(Matrix<double>::filled(2, 2, 1.0));
  EXPECT_ERROR(ShiftedGram<double>(gram, std::vector<double>{1}), InvalidArgument,
               "1 shifts for a Gram matrix of size 2");
  EXPECT_ERROR(ShiftedGram<double>(gram, std::vector<double>{1, NAN}), InvalidArgument, "shift = nan");
  EXPECT_ERROR(SignedGram<double>(gram, std::vector<double>{1, 0}), InvalidArgument, "sign = 0");
  EXPECT_ERROR(SignedGram<double>(gram, std::vector<double>{1}), InvalidArgument,
               "1 signs for a Gram matrix of size 2");
  EXPECT_ERROR(CenteredGram<double>(gram, std::vector<double>{1, 0.5}, run_on(1)), InvalidArgument,
               "sum of the centring weights = 1.5");
  EXPECT_ERROR(CenteredGram<double>(gram, std::vector<double>{1}, run_on(1)), InvalidArgument,
               "1 weights for a Gram matrix of size 2");
}

TEST(Wrappers, OfNoSamples) {
  const auto gram = std::make_shared<const DenseGram<double>>(Matrix<double>(0, 0));
  Matrix<double> none(0, 2);
  CenteredGram<double>(gram, run_on(1)).multiply(none.view(), none.view(), run_on(1));
  ShiftedGram<double>(gram, 1.0).multiply(none.view(), none.view(), run_on(1));
}

}  // namespace
}  // namespace mercer
