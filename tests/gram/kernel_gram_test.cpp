#include "mercer/gram/kernel_gram.h"

#include <gtest/gtest.h>

#include "gram/gram_samples.h"
#include "mercer/base/error.h"
#include "mercer/gram/stored_copy.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using namespace gram_test;

template <class T>
class KernelGramTest : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(KernelGramTest, Precisions);

template <class T>
void expect_close(const Matrix<T>& k, const Matrix<double>& expected, double scale = 1) {
  EXPECT_LE(largest_difference(k, expected), scale * entry_bound<T>());
}

TYPED_TEST(KernelGramTest, EvaluatesEverySizeAroundTheTiles) {
  for (const Index n : {0, 1, 2, 17, 255, 256, 257, 513}) {
    const Matrix<double> x = random_matrix(n, 5, 1);
    const auto kernel = prepare<TypeParam>(test_spec, make_dense(Matrix<double>::copy_of(x.view())));
    const DenseGram<TypeParam> dense(*kernel, run_on(2));
    const KernelGram<TypeParam> gram(kernel);
    ASSERT_EQ(gram.size(), n);
    const Matrix<double> expected = test_gram(x, x);
    expect_close(Matrix<TypeParam>::copy_of(dense.view()), expected);
    expect_close(stored_copy<TypeParam>(gram, run_on(2)), expected);
    Matrix<TypeParam> whole(n, n);
    gram.tile({0, n}, {0, n}, whole.view());
    expect_close(whole, expected);
    std::vector<double> diagonal(n);
    gram.diagonal(diagonal);
    for (Index i = 0; i < n; ++i) {
      EXPECT_NEAR(diagonal[i], expected(i, i), 1e-12);
      for (Index j = 0; j < i; ++j) {
        ASSERT_EQ(dense.view()(i, j), dense.view()(j, i));
      }
    }
  }
}

TYPED_TEST(KernelGramTest, LowerTriangleLeavesTilesAboveTheDiagonalAlone) {
  const Index n = 513;
  const Matrix<double> x = random_matrix(n, 3, 2);
  const auto kernel = prepare<TypeParam>(test_spec, make_dense(Matrix<double>::copy_of(x.view())));
  Matrix<TypeParam> k = Matrix<TypeParam>::filled(n, n, TypeParam(-7));
  evaluate_gram<TypeParam>(*kernel, Triangle::lower, k.view(), run_on(2));
  const Matrix<double> expected = test_gram(x, x);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      ASSERT_NEAR(static_cast<double>(k(i, j)), expected(i, j), entry_bound<TypeParam>());
    }
  }
  EXPECT_EQ(k(0, 256), TypeParam(-7));
  EXPECT_EQ(k(255, 512), TypeParam(-7));
}

TYPED_TEST(KernelGramTest, MultipliesWithoutStoring) {
  for (const Index n : {0, 1, 255, 256, 257, 513, 2305}) {
    for (const Index columns : {1, 3}) {
      const Matrix<double> x = random_matrix(n, 4, 3);
      const Matrix<double> v = random_matrix(n, columns, 4);
      const auto kernel = prepare<TypeParam>(test_spec, make_dense(Matrix<double>::copy_of(x.view())));
      const KernelGram<TypeParam> gram(kernel);
      Matrix<TypeParam> out(n, columns);
      gram.multiply(converted<TypeParam>(v).view(), out.view(), run_on(2));
      expect_close(out, multiplied(test_gram(x, x), v), std::sqrt(static_cast<double>(n) + 1) * 4);
      const DenseGram<TypeParam> dense(*kernel, run_on(1));
      Matrix<TypeParam> stored(n, columns);
      dense.multiply(converted<TypeParam>(v).view(), stored.view(), run_on(1));
      expect_close(stored, multiplied(test_gram(x, x), v), std::sqrt(static_cast<double>(n) + 1) * 4);
    }
  }
}

TYPED_TEST(KernelGramTest, AnyNumberOfThreadsGivesTheSameBits) {
  const Index n = 2305;
  const Matrix<double> x = random_matrix(n, 7, 5);
  const Matrix<TypeParam> v = converted<TypeParam>(random_matrix(n, 2, 6));
  const auto kernel = prepare<TypeParam>(test_spec, make_dense(Matrix<double>::copy_of(x.view())));
  const KernelGram<TypeParam> gram(kernel);
  Matrix<TypeParam> product(n, 2);
  gram.multiply(v.view(), product.view(), run_on(1));
  Matrix<TypeParam> k(n, n);
  evaluate_gram<TypeParam>(*kernel, Triangle::both, k.view(), run_on(1));
  for (const int threads : {2, 3}) {
    Matrix<TypeParam> again(n, 2);
    gram.multiply(v.view(), again.view(), run_on(threads));
    EXPECT_TRUE(same_bits(product, again));
    Matrix<TypeParam> k_again(n, n);
    evaluate_gram<TypeParam>(*kernel, Triangle::both, k_again.view(), run_on(threads));
    EXPECT_TRUE(same_bits(k, k_again));
  }
}

TYPED_TEST(KernelGramTest, SparseSamplesGiveTheDenseMatrix) {
  Matrix<double> x = random_matrix(257, 6, 7);
  const Samples sparse = make_sparse_from(x);
  const Matrix<double> v = random_matrix(257, 2, 8);
  const KernelGram<TypeParam> gram(prepare<TypeParam>(test_spec, sparse));
  const Matrix<double> expected = test_gram(x, x);
  expect_close(stored_copy<TypeParam>(gram, run_on(2)), expected);
  Matrix<TypeParam> out(257, 2);
  gram.multiply(converted<TypeParam>(v).view(), out.view(), run_on(2));
  expect_close(out, multiplied(expected, v), 64);
}

TYPED_TEST(KernelGramTest, ListsOfRowsAndColumns) {
  const Index n = 600;
  const Matrix<double> x = random_matrix(n, 3, 9);
  const auto kernel = prepare<TypeParam>(test_spec, make_dense(Matrix<double>::copy_of(x.view())));
  const KernelGram<TypeParam> gram(kernel);
  const DenseGram<TypeParam> dense(*kernel, run_on(1));
  const std::vector<Index> rows{599, 0, 3, 3, 256, 255};
  const std::vector<Index> columns{5, 6, 7, 3, 599, 0, 0};
  const Matrix<double> expected = test_gram(x, x);
  const std::vector<const Gram<TypeParam>*> both{&gram, &dense};
  for (const Gram<TypeParam>* const g : both) {
    Matrix<TypeParam> listed(static_cast<Index>(rows.size()), n);
    g->rows(rows, listed.view(), run_on(2));
    Matrix<TypeParam> block(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
    g->gather(rows, columns, block.view(), run_on(2));
    for (Index a = 0; a < listed.rows(); ++a) {
      for (Index j = 0; j < n; ++j) {
        ASSERT_NEAR(static_cast<double>(listed(a, j)), expected(rows[a], j), entry_bound<TypeParam>());
      }
      for (Index b = 0; b < block.columns(); ++b) {
        ASSERT_NEAR(static_cast<double>(block(a, b)), expected(rows[a], columns[b]), entry_bound<TypeParam>());
      }
    }
    EXPECT_ERROR(g->rows(std::vector<Index>{n}, listed.view(), run_on(1)), InvalidArgument,
                 "row 600 of a Gram matrix of size 600");
    EXPECT_ERROR(g->rows(std::vector<Index>{-1}, listed.view(), run_on(1)), InvalidArgument,
                 "row -1 of a Gram matrix of size 600");
    EXPECT_ERROR(g->rows(std::vector<Index>{1}, listed.view(), run_on(1)), InvalidArgument,
                 "a block of 6 by 600 where the result is 1 by 600");  // shape
    Matrix<TypeParam> none(0, n);
    g->rows({}, none.view(), run_on(1));
  }
}

// A sample at distance 0 from itself, exactly, however far from the origin, through every way of asking.
TYPED_TEST(KernelGramTest, DiagonalOfADistanceKernelIsExact) {
  Matrix<double> x = random_matrix(300, 4, 10);
  for (Index e = 0; e < 300 * 4; ++e) {
    x.data()[e] = 1e3 * x.data()[e] + 1e4;
  }
  const std::vector<Index> shuffled = [&] {
    RandomStream random(3);
    return random_permutation(random, 300);
  }();
  const Samples ordered = make_dense(Matrix<double>::copy_of(x.view()));
  for (const Samples& samples : {ordered, ordered.select(shuffled)}) {
    const KernelGram<TypeParam> gram(prepare<TypeParam>("rbf(gamma=1000)", samples));
    const Matrix<TypeParam> k = stored_copy<TypeParam>(gram, run_on(1));
    const std::vector<Index> rows{299, 7, 256};
    Matrix<TypeParam> listed(3, 300);
    gram.rows(rows, listed.view(), run_on(1));
    for (Index i = 0; i < 300; ++i) {
      ASSERT_EQ(k(i, i), TypeParam(1));
    }
    for (std::size_t a = 0; a < rows.size(); ++a) {
      ASSERT_EQ(listed(static_cast<Index>(a), rows[a]), TypeParam(1));
    }
  }
}

// The same sample twice in one set is the same sample in every tile, also off the diagonal.
TYPED_TEST(KernelGramTest, RepeatedSamplesAreTheSameSample) {
  Matrix<double> x = random_matrix(400, 4, 11);
  for (Index e = 0; e < 400 * 4; ++e) {
    x.data()[e] = 1e3 * x.data()[e] + 1e4;
  }
  std::vector<Index> list = numbers_up_to(400);
  list[390] = 3;
  const Samples samples = make_dense(Matrix<double>::copy_of(x.view())).select(list);
  const KernelGram<TypeParam> gram(prepare<TypeParam>("rbf(gamma=1000)", samples));
  Matrix<TypeParam> k(400, 400);
  gram.tile({0, 400}, {0, 400}, k.view());
  EXPECT_EQ(k(390, 3), TypeParam(1));
  EXPECT_EQ(k(3, 390), TypeParam(1));
  EXPECT_EQ(k(390, 390), TypeParam(1));
}

TYPED_TEST(KernelGramTest, RefusesOtherShapesAndPrecisions) {
  const Matrix<double> x = random_matrix(5, 2, 12);
  using Other = std::conditional_t<sizeof(TypeParam) == sizeof(float), double, float>;
  const auto kernel = prepare<TypeParam>(test_spec, make_dense(Matrix<double>::copy_of(x.view())));
  EXPECT_ERROR(KernelGram<Other>{kernel}, InvalidArgument, "a kernel prepared in one precision is evaluated in the");
  Matrix<TypeParam> small(4, 5);
  EXPECT_ERROR(evaluate_gram<TypeParam>(*kernel, Triangle::both, small.view(), run_on(1)), InvalidArgument,
               "a matrix of 4 by 5 for the Gram matrix of 5 samples");
  const KernelGram<TypeParam> gram(kernel);
  Matrix<TypeParam> v(4, 1);
  Matrix<TypeParam> out(5, 1);
  EXPECT_ERROR(gram.multiply(v.view(), out.view(), run_on(1)), InvalidArgument,
               "a product that takes 5 rows to 5 is given blocks of 4 by 1 and 5 by 1");
}

TEST(DenseGram, RefusesWhatIsNotSymmetricSquareAndFinite) {
  EXPECT_ERROR(DenseGram<double>(random_matrix(3, 4, 0)), DataError, "a precomputed kernel matrix must be square");
  Matrix<double> k = Matrix<double>::filled(3, 3, 1.0);
  k(1, 2) = 1.1;
  EXPECT_ERROR(DenseGram<double>(Matrix<double>::copy_of(k.view())), DataError,
               "the precomputed kernel matrix is not symmetric");
  k(1, 2) = NAN;
  EXPECT_ERROR(DenseGram<double>(Matrix<double>::copy_of(k.view())), DataError,
               "the precomputed kernel matrix has no finite number in row 1");
  k(1, 2) = 1 + 1e-8;
  const DenseGram<double> gram(std::move(k));
  EXPECT_EQ(gram.view()(1, 2), gram.view()(2, 1));
  EXPECT_EQ(DenseGram<double>(Matrix<double>(0, 0)).size(), 0);
}

TEST(KernelGram, StopsOnRequest) {
  const Matrix<double> x = random_matrix(300, 2, 13);
  std::stop_source stop;
  stop.request_stop();
  const mercer::Run stopped(RunOptions{.threads = 2, .stop = stop.get_token()});
  const KernelGram<double> gram(prepare<double>(test_spec, make_dense(Matrix<double>::copy_of(x.view()))));
  Matrix<double> v = random_matrix(300, 1, 14);
  Matrix<double> out(300, 1);
  EXPECT_ERROR(gram.multiply(v.view(), out.view(), stopped), Stopped, "stopped on request");
}

}  // namespace
}  // namespace mercer
