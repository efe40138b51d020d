#include "mercer/gram/contraction.h"

#include <gtest/gtest.h>

#include "gram/gram_samples.h"
#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using namespace gram_test;

Matrix<double> symmetric_weights(Index n) {
  Matrix<double> q = random_matrix(n, n, 81);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) {
      q(j, i) = q(i, j);
    }
  }
  return q;
}

// Σ q_ij K_ij for a kernel given by its parameters.
double weighted_sum(const Kernel& kernel, const Samples& samples, const Matrix<double>& q) {
  const PreparedKernel prepared(kernel, samples, Precision::double_precision, run_on(1));
  const DenseGram<double> gram(prepared, run_on(1));
  double sum = 0;
  for (Index i = 0; i < q.rows(); ++i) {
    for (Index j = 0; j < q.rows(); ++j) {
      sum += q(i, j) * gram.view()(i, j);
    }
  }
  return sum;
}

class ContractionOf : public ::testing::TestWithParam<const char*> {};

TEST_P(ContractionOf, AgreesWithFiniteDifferences) {
  for (const Index n : {1, 40, 257, 513}) {
    const Samples samples = make_dense(random_matrix(n, 3, 80));
    const Kernel kernel = parse_kernel(GetParam());
    const PreparedKernel prepared(kernel, samples, Precision::double_precision, run_on(1));
    const Matrix<double> q = symmetric_weights(n);
    const std::vector<double> gradient = contract(prepared, q.view(), run_on(1));
    std::vector<double> values;
    for (const ScaleParameter& parameter : kernel.scale_parameters()) {
      values.push_back(parameter.value);
    }
    ASSERT_EQ(gradient.size(), values.size());
    ASSERT_FALSE(values.empty());
    for (std::size_t p = 0; p < values.size(); ++p) {
      const double step = 1e-5 * std::max(1.0, std::abs(values[p]));
      std::vector<double> up = values;
      std::vector<double> down = values;
      up[p] += step;
      down[p] -= step;
      const double difference = (weighted_sum(kernel.with_scale_parameters(up), samples, q) -
                                 weighted_sum(kernel.with_scale_parameters(down), samples, q)) /
                                (2 * step);
      EXPECT_NEAR(gradient[p], difference, 1e-6 * (static_cast<double>(n) + std::abs(difference))) << p << " " << n;
    }
    for (const int threads : {2, 3}) {
      EXPECT_EQ(gradient, contract(prepared, q.view(), run_on(threads)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, ContractionOf,
                         ::testing::Values("rbf(gamma=0.7)", "rbf(lengthscale=[0.8, 2, 1.5])",
                                           "0.5*rbf(lengthscale=1.2) + 2*poly(degree=3, gamma=0.2, coef0=1)",
                                           "rbf(gamma=0.3)[0:2] * poly(degree=2, gamma=0.5, coef0=0.5)"));

TEST(Contraction, BetweenTwoSampleSets) {
  // Against the square contraction: all pairs of x and z are a block of the pairs of their union.
  const Index n = 300;
  const Index m = 70;
  const Matrix<double> all = random_matrix(n + m, 3, 90);
  const Matrix<double> q = random_matrix(n, m, 91);
  const Kernel kernel = parse_kernel("0.5*rbf(lengthscale=[0.8, 2, 1.5]) + 2*poly(degree=3, gamma=0.2, coef0=1)");
  const Samples samples = make_dense(Matrix<double>::copy_of(all.view()));
  const auto prepared =
      std::make_shared<const PreparedKernel>(kernel, samples.slice({n, n + m}), Precision::double_precision, run_on(1));
  const CrossGram<double> cross(prepared, samples.slice({0, n}), run_on(1));
  const std::vector<double> gradient = contract(cross, q.view(), run_on(1));
  Matrix<double> square = Matrix<double>::filled(n + m, n + m, 0.0);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < m; ++j) {
      square(i, n + j) = square(n + j, i) = 0.5 * q(i, j);
    }
  }
  const PreparedKernel whole(kernel, samples, Precision::double_precision, run_on(1));
  const std::vector<double> expected = contract(whole, square.view(), run_on(1));
  ASSERT_EQ(gradient.size(), expected.size());
  for (std::size_t p = 0; p < expected.size(); ++p) {
    EXPECT_NEAR(gradient[p], expected[p], 1e-9 * (1 + std::abs(expected[p])));
  }
  for (const int threads : {2, 3}) {
    EXPECT_EQ(gradient, contract(cross, q.view(), run_on(threads)));
  }
  EXPECT_ERROR(contract(cross, square.view(), run_on(1)), InvalidArgument,
               "weights of 370 by 370 for kernel values of 300 by 70");

  std::vector<double> weights(n);
  Matrix<double> diagonal = Matrix<double>::filled(n + m, n + m, 0.0);
  for (Index i = 0; i < n; ++i) {
    diagonal(i, i) = weights[i] = q(i, 0);
  }
  const std::vector<double> on_diagonal = contract_diagonal(cross, weights, run_on(1));
  const std::vector<double> on_square = contract(whole, diagonal.view(), run_on(1));
  for (std::size_t p = 0; p < on_square.size(); ++p) {
    EXPECT_NEAR(on_diagonal[p], on_square[p], 1e-9 * (1 + std::abs(on_square[p])));
  }
}

TEST(Contraction, OfTheDiagonal) {
  const Index n = 30;
  const Samples samples = make_dense(random_matrix(n, 3, 82));
  const Kernel kernel = parse_kernel("2*poly(degree=2, gamma=0.3, coef0=1)");
  const PreparedKernel prepared(kernel, samples, Precision::double_precision, run_on(1));
  const Matrix<double> weights = random_matrix(n, 1, 83);
  Matrix<double> q = Matrix<double>::filled(n, n, 0.0);
  for (Index i = 0; i < n; ++i) {
    q(i, i) = weights(i, 0);
  }
  const std::vector<double> full = contract(prepared, q.view(), run_on(2));
  const std::vector<double> diagonal =
      contract_diagonal(prepared, {weights.data(), static_cast<std::size_t>(n)}, run_on(1));
  ASSERT_EQ(full.size(), diagonal.size());
  for (std::size_t p = 0; p < full.size(); ++p) {
    EXPECT_NEAR(full[p], diagonal[p], 1e-10 * (1 + std::abs(full[p])));
  }
}

TEST(Contraction, OfTheInputs) {
  const Index m = 300;
  const Index n = 270;
  const Matrix<double> x = random_matrix(m, 3, 84);
  const Matrix<double> z = random_matrix(n, 3, 85);
  const Matrix<double> q = random_matrix(m, n, 86);
  const auto kernel = prepare<double>(test_spec, make_dense(Matrix<double>::copy_of(z.view())));
  const CrossGram<double> gram(kernel, make_dense(Matrix<double>::copy_of(x.view())), run_on(1));
  Matrix<double> gradient(m, 3);
  input_gradient(gram, q.view(), gradient.view(), run_on(1));
  for (const Index i : {0, 255, 256, 299}) {
    for (Index c = 0; c < 3; ++c) {
      const double step = 1e-5;
      double difference = 0;
      for (Index j = 0; j < n; ++j) {
        Matrix<double> up = Matrix<double>::copy_of(x.view().row_block({i, i + 1}));
        Matrix<double> down = Matrix<double>::copy_of(up.view());
        up(0, c) += step;
        down(0, c) -= step;
        difference += q(i, j) * (test_kernel(up, 0, z, j) - test_kernel(down, 0, z, j)) / (2 * step);
      }
      EXPECT_NEAR(gradient(i, c), difference, 1e-6);
    }
  }
  for (const int threads : {2, 3}) {
    Matrix<double> again(m, 3);
    input_gradient(gram, q.view(), again.view(), run_on(threads));
    EXPECT_TRUE(same_bits(gradient, again));
  }
}

TEST(Contraction, OfOnePair) {
  const Matrix<double> x = random_matrix(2, 3, 87);
  const Matrix<double> z = random_matrix(4, 3, 88);
  const auto kernel = prepare<double>(test_spec, make_dense(Matrix<double>::copy_of(z.view())));
  const CrossGram<double> gram(kernel, make_dense(Matrix<double>::copy_of(x.view())), run_on(1));
  const PairDerivatives pair = pair_derivatives(gram, 1, 2);
  EXPECT_NEAR(pair.value, test_kernel(x, 1, z, 2), 1e-12);
  const double step = 1e-4;
  const auto moved = [&](Index a, double by_x, Index b, double by_z) {
    Matrix<double> x_moved = Matrix<double>::copy_of(x.view());
    Matrix<double> z_moved = Matrix<double>::copy_of(z.view());
    x_moved(1, a) += by_x;
    z_moved(2, b) += by_z;
    return test_kernel(x_moved, 1, z_moved, 2);
  };
  for (Index a = 0; a < 3; ++a) {
    EXPECT_NEAR(pair.dx[a], (moved(a, step, 0, 0) - moved(a, -step, 0, 0)) / (2 * step), 1e-7);
    EXPECT_NEAR(pair.dy[a], (moved(0, 0, a, step) - moved(0, 0, a, -step)) / (2 * step), 1e-7);
    for (Index b = 0; b < 3; ++b) {
      const double mixed =
          (moved(a, step, b, step) - moved(a, step, b, -step) - moved(a, -step, b, step) + moved(a, -step, b, -step)) /
          (4 * step * step);
      EXPECT_NEAR(pair.mixed[3 * a + b], mixed, 1e-6);
    }
  }
  EXPECT_ERROR(pair_derivatives(gram, 2, 0), InvalidArgument, "pair (2, 0) of 2 by 4 samples");
}

TEST(Contraction, RefusesOtherShapes) {
  const Samples samples = make_dense(random_matrix(4, 2, 89));
  const PreparedKernel kernel(parse_kernel("rbf(gamma=1)"), samples, Precision::double_precision, run_on(1));
  EXPECT_ERROR(contract(kernel, Matrix<double>(3, 4).view(), run_on(1)), InvalidArgument,
               "weights of 3 by 4 for kernel values of 4 by 4");
  const PreparedKernel single(parse_kernel("rbf(gamma=1)"), samples, Precision::single_precision, run_on(1));
  EXPECT_ERROR(contract(single, Matrix<double>::filled(4, 4, 1.0).view(), run_on(1)), InvalidArgument,
               "a kernel prepared in one precision is evaluated in the other");
}

}  // namespace
}  // namespace mercer
