#include "mercer/gram/cross_gram.h"

#include <gtest/gtest.h>

#include "gram/gram_samples.h"
#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using namespace gram_test;

template <class T>
class CrossGramTest : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CrossGramTest, Precisions);

struct Sizes {
  Index rows;
  Index columns;
};

TYPED_TEST(CrossGramTest, ProductsAgreeWithTheDenseMatrix) {
  for (const Sizes size : {Sizes{0, 3}, {3, 0}, {1, 1}, {255, 257}, {257, 256}, {30, 2305}, {2305, 40}, {2305, 2100}}) {
    const Matrix<double> x = random_matrix(size.rows, 3, 20);
    const Matrix<double> z = random_matrix(size.columns, 3, 21);
    const CrossGram<TypeParam> gram(prepare<TypeParam>(test_spec, make_dense(Matrix<double>::copy_of(z.view()))),
                                    make_dense(Matrix<double>::copy_of(x.view())), run_on(1));
    ASSERT_EQ(gram.rows(), size.rows);
    ASSERT_EQ(gram.columns(), size.columns);
    const Matrix<double> k = test_gram(x, z);
    Matrix<TypeParam> evaluated(size.rows, size.columns);
    gram.evaluate(evaluated.view(), run_on(2));
    EXPECT_LE(largest_difference(evaluated, k), entry_bound<TypeParam>());
    const Matrix<double> v = random_matrix(size.columns, 2, 22);
    const Matrix<double> u = random_matrix(size.rows, 2, 23);
    const Matrix<double> kv = multiplied(k, v);
    const Matrix<double> ku = multiplied(transposed(k), u);
    const Matrix<double> kkv = multiplied(transposed(k), kv);
    Matrix<TypeParam> first[3] = {Matrix<TypeParam>(size.rows, 2), Matrix<TypeParam>(size.columns, 2),
                                  Matrix<TypeParam>(size.columns, 2)};
    for (const int threads : {1, 2, 3}) {
      Matrix<TypeParam> out[3] = {Matrix<TypeParam>(size.rows, 2), Matrix<TypeParam>(size.columns, 2),
                                  Matrix<TypeParam>(size.columns, 2)};
      gram.multiply(converted<TypeParam>(v).view(), out[0].view(), run_on(threads));
      gram.multiply_transposed(converted<TypeParam>(u).view(), out[1].view(), run_on(threads));
      gram.multiply_normal(converted<TypeParam>(v).view(), out[2].view(), run_on(threads));
      if (threads == 1) {
        const double bound = entry_bound<TypeParam>();
        const auto m = static_cast<double>(size.rows + 1);
        const auto n = static_cast<double>(size.columns + 1);
        EXPECT_LE(largest_difference(out[0], kv), 4 * bound * std::sqrt(n));
        EXPECT_LE(largest_difference(out[1], ku), 4 * bound * std::sqrt(m));
        EXPECT_LE(largest_difference(out[2], kkv), 8 * bound * m * std::sqrt(n));
        for (int o = 0; o < 3; ++o) {
          first[o] = std::move(out[o]);
        }
      } else {
        for (int o = 0; o < 3; ++o) {
          EXPECT_TRUE(same_bits(first[o], out[o])) << o << " " << threads;
        }
      }
    }
  }
}

TYPED_TEST(CrossGramTest, SparseAgainstDenseAndTheDiagonal) {
  const Matrix<double> z = random_matrix(90, 4, 24);
  Matrix<double> x = random_matrix(70, 4, 25);
  const Samples sparse = make_sparse_from(x);
  const CrossGram<TypeParam> gram(prepare<TypeParam>(test_spec, make_dense(Matrix<double>::copy_of(z.view()))), sparse,
                                  run_on(1));
  Matrix<TypeParam> k(70, 90);
  gram.tile({0, 70}, {0, 90}, k.view());
  EXPECT_LE(largest_difference(k, test_gram(x, z)), entry_bound<TypeParam>());
  std::vector<double> diagonal(70);
  gram.diagonal(diagonal);
  for (Index i = 0; i < 70; ++i) {
    EXPECT_NEAR(diagonal[i], test_kernel(x, i, x, i), 1e-12);
  }
}

// Pairs that take long are cut into small tiles: some hundred strings keep several threads busy.
TYPED_TEST(CrossGramTest, CostlyPairsInSmallTiles) {
  std::vector<std::string> strings;
  for (Index i = 0; i < 120; ++i) {
    strings.push_back(std::string(static_cast<std::size_t>(i % 7), 'a') + std::to_string(i * i));
  }
  const std::span<const std::string> all(strings);
  const Samples x = make_strings(all.subspan(0, 70));
  const Samples z = make_strings(all.subspan(70));
  const CrossGram<TypeParam> gram(prepare<TypeParam>("subsequence(n=2, decay=0.5)", z), x, run_on(1));
  Matrix<TypeParam> k(70, 50);
  gram.evaluate(k.view(), run_on(2));
  Matrix<TypeParam> pair(1, 1);
  for (Index i = 0; i < 70; i += 9) {
    for (Index j = 0; j < 50; j += 7) {
      gram.tile({i, i + 1}, {j, j + 1}, pair.view());
      EXPECT_EQ(pair(0, 0), k(i, j));
    }
  }
  const Matrix<double> v = random_matrix(50, 2, 24);
  Matrix<double> wide(70, 50);
  std::copy_n(k.data(), 70 * 50, wide.data());
  const Matrix<double> expected = multiplied(wide, v);
  Matrix<TypeParam> first(70, 2);
  gram.multiply(converted<TypeParam>(v).view(), first.view(), run_on(1));
  EXPECT_LE(largest_difference(first, expected), 1e3 * std::numeric_limits<TypeParam>::epsilon());
  for (const int threads : {2, 3}) {
    Matrix<TypeParam> out(70, 2);
    gram.multiply(converted<TypeParam>(v).view(), out.view(), run_on(threads));
    EXPECT_TRUE(same_bits(first, out));
  }
}

TEST(CrossGram, RefusesOtherShapesAndPrecisions) {
  const Samples samples = make_dense(random_matrix(5, 2, 26));
  const auto kernel = prepare<double>(test_spec, samples);
  EXPECT_ERROR(CrossGram<float>(kernel, samples, run_on(1)), InvalidArgument,
               "a kernel prepared in one precision is evaluated in the other");
  EXPECT_ERROR(CrossGram<double>(kernel, make_dense(random_matrix(5, 3, 27)), run_on(1)), DataError,
               "samples with 3 columns where the kernel was prepared for 2");
  const CrossGram<double> gram(kernel, samples, run_on(1));
  Matrix<double> out(5, 4);
  EXPECT_ERROR(gram.evaluate(out.view(), run_on(1)), InvalidArgument, "a matrix of 5 by 4 for kernel values of 5 by 5");
  EXPECT_ERROR(gram.multiply_normal(out.view(), Matrix<double>(4, 4).view(), run_on(1)), InvalidArgument,
               "a product that takes 5 rows to 5 is given blocks of 5 by 4 and 4 by 4");
}

}  // namespace
}  // namespace mercer
