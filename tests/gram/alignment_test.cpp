#include "mercer/gram/alignment.h"

#include <gtest/gtest.h>

#include "gram/gram_samples.h"
#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using namespace gram_test;

double frobenius_cosine(const Matrix<double>& a, const Matrix<double>& b) {
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (Index e = 0; e < a.rows() * a.columns(); ++e) {
    ab += a.data()[e] * b.data()[e];
    aa += a.data()[e] * a.data()[e];
    bb += b.data()[e] * b.data()[e];
  }
  return ab / std::sqrt(aa * bb);
}

Matrix<double> centered(const Matrix<double>& k) {
  const Index n = k.rows();
  Matrix<double> left = Matrix<double>::filled(n, n, -1 / static_cast<double>(n));
  for (Index i = 0; i < n; ++i) {
    left(i, i) += 1;
  }
  return multiplied(multiplied(left, k), left);
}

TEST(Alignment, AgreesWithTheFormula) {
  for (const Index n : {2, 257, 400}) {
    const Matrix<double> x = random_matrix(n, 3, 70);
    const Matrix<double> y = random_matrix(n, 2, 71);
    const Matrix<double> k = test_gram(x, x);
    const Matrix<double> l = multiplied(y, transposed(y));
    const KernelGram<double> k_gram(prepare<double>(test_spec, make_dense(Matrix<double>::copy_of(x.view()))));
    const DenseGram<double> l_gram(Matrix<double>::copy_of(l.view()));
    const double plain = alignment<double>(k_gram, l_gram, Centering::none, run_on(1));
    EXPECT_NEAR(plain, frobenius_cosine(k, l), 1e-12);
    EXPECT_EQ(plain, alignment<double>(k_gram, l_gram, Centering::none, run_on(3)));
    EXPECT_NEAR(alignment<double>(k_gram, l_gram, Centering::both, run_on(2)),
                frobenius_cosine(centered(k), centered(l)), 1e-10);
    EXPECT_NEAR(alignment<double>(l_gram, l_gram, Centering::none, run_on(2)), 1, 1e-14);
  }
}

TEST(Alignment, WithTargets) {
  const Index n = 300;
  const Matrix<double> x = random_matrix(n, 3, 72);
  Matrix<double> y(n, 1);
  for (Index i = 0; i < n; ++i) {
    y(i, 0) = x(i, 0) > 0.2 ? 1 : -1;
  }
  const std::vector<double> targets(y.data(), y.data() + n);
  const Matrix<double> l = multiplied(y, transposed(y));
  const DenseGram<double> gram(test_gram(x, x));
  EXPECT_NEAR(target_alignment<double>(gram, targets, Centering::none, run_on(2)), frobenius_cosine(test_gram(x, x), l),
              1e-12);
  EXPECT_NEAR(target_alignment<double>(gram, targets, Centering::both, run_on(2)),
              frobenius_cosine(centered(test_gram(x, x)), centered(l)), 1e-10);
}

TEST(Alignment, RefusesZerosAndOtherSizes) {
  const DenseGram<double> zeros(Matrix<double>::filled(3, 3, 0.0));
  const DenseGram<double> ones(Matrix<double>::filled(3, 3, 1.0));
  const DenseGram<double> small(Matrix<double>::filled(2, 2, 1.0));
  EXPECT_ERROR(alignment<double>(zeros, ones, Centering::none, run_on(1)), NumericalError,
               "the alignment with a Gram matrix of zeros is not defined");
  EXPECT_ERROR(alignment<double>(small, ones, Centering::none, run_on(1)), InvalidArgument,
               "Gram matrices of sizes 2 and 3 cannot be aligned");
}

}  // namespace
}  // namespace mercer
