// The BLAS wrappers against Eigen, on views with strides, empty operands, both precisions.
#include "mercer/linalg/blas.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <thread>

#include "linalg/oracle.h"
#include "mercer/base/error.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/triangular.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using oracle::random_matrix;

template <class T>
class BlasTest : public ::testing::Test {
 protected:
  static constexpr double tolerance = sizeof(T) == 8 ? 1e-12 : 1e-4;
};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(BlasTest, Precisions);

Dense op(const Dense& a, Transpose transpose) { return transpose == Transpose::no ? a : a.transpose(); }

TYPED_TEST(BlasTest, GemmOnStridedViews) {
  using T = TypeParam;
  const mercer::Run run(RunOptions{.threads = 2});
  for (const auto ta : {Transpose::no, Transpose::yes}) {
    for (const auto tb : {Transpose::no, Transpose::yes}) {
      for (const auto& [m, n, k] :
           {std::array<Index, 3>{5, 7, 3}, {1, 1, 1}, {0, 3, 2}, {4, 0, 2}, {3, 4, 0}, {33, 17, 65}}) {
        auto big_a = random_matrix<T>(m + k + 2, m + k + 2, 1);
        auto big_b = random_matrix<T>(n + k + 2, n + k + 2, 2);
        const auto a = big_a.view().block(1, 1, ta == Transpose::no ? m : k, ta == Transpose::no ? k : m);
        const auto b = big_b.view().block(1, 1, tb == Transpose::no ? k : n, tb == Transpose::no ? n : k);
        auto c = random_matrix<T>(m, n, 3);
        auto d = Matrix<T>::copy_of(c.view());
        const Dense expected =
            1.5 * op(Dense(ConstMatrixView<T>(a)), ta) * op(Dense(ConstMatrixView<T>(b)), tb) + 0.5 * Dense(c);
        gemm(T(1.5), ConstMatrixView<T>(a), ta, ConstMatrixView<T>(b), tb, T(0.5), c.view());
        parallel_gemm(T(1.5), ConstMatrixView<T>(a), ta, ConstMatrixView<T>(b), tb, T(0.5), d.view(), run);
        EXPECT_TRUE(expected.size() == 0 ||
                    (Dense(c) - expected).norm() <= TestFixture::tolerance * (1 + expected.norm()));
        EXPECT_TRUE(expected.size() == 0 ||
                    (Dense(d) - expected).norm() <= TestFixture::tolerance * (1 + expected.norm()));
      }
    }
  }
}

TYPED_TEST(BlasTest, BetaZeroDoesNotReadC) {
  using T = TypeParam;
  const auto a = random_matrix<T>(3, 0, 1);
  auto c = Matrix<T>::filled(3, 3, std::numeric_limits<T>::quiet_NaN());
  gemm(T(1), a.view(), Transpose::no, a.view(), Transpose::yes, T(0), c.view());
  EXPECT_EQ(Dense(c).norm(), 0);
  const auto b = random_matrix<T>(3, 2, 1);
  auto e = Matrix<T>::filled(3, 3, std::numeric_limits<T>::quiet_NaN());
  gemm(T(1), b.view(), Transpose::no, b.view(), Transpose::yes, T(0), e.view());
  EXPECT_TRUE(Dense(e).all_finite());
}

// Sizes around the tiles, and a long inner dimension, which is cut.
TYPED_TEST(BlasTest, ParallelProductsAreRightAndDoNotDependOnThreads) {
  using T = TypeParam;
  for (const auto& [m, n, k] : {std::array<Index, 3>{513, 700, 40}, {30, 20, 9001}, {1, 1, 5000}, {1030, 3, 1}}) {
    const auto a = random_matrix<T>(m, k, 4);
    const auto b = random_matrix<T>(k, n, 5);
    const Dense expected = Dense(a) * Dense(b);
    Matrix<T> first;
    for (const int threads : {1, 2, 3}) {
      const mercer::Run run(RunOptions{.threads = threads});
      auto c = Matrix<T>::filled(m, n, T(0));
      parallel_gemm(T(1), a.view(), Transpose::no, b.view(), Transpose::no, T(0), c.view(), run);
      EXPECT_LE((Dense(c) - expected).norm(), TestFixture::tolerance * expected.norm());
      if (threads == 1) {
        first = std::move(c);
      } else {
        EXPECT_TRUE(oracle::same_bits(first, c)) << threads;
      }
    }
  }
}

TYPED_TEST(BlasTest, ParallelSyrk) {
  using T = TypeParam;
  for (const auto transpose : {Transpose::no, Transpose::yes}) {
    for (const auto& [n, k] : {std::array<Index, 2>{5, 3}, {100, 6000}, {600, 33}, {1100, 2}, {7, 0}}) {
      const auto a = transpose == Transpose::no ? random_matrix<T>(n, k, 6) : random_matrix<T>(k, n, 6);
      const Dense full = op(Dense(a), transpose) * op(Dense(a), transpose).transpose();
      Matrix<T> first;
      for (const int threads : {1, 3}) {
        const mercer::Run run(RunOptions{.threads = threads});
        auto c = Matrix<T>::filled(n, n, T(2));
        parallel_syrk(T(1), a.view(), transpose, T(0.5), c.view(), run);
        for (Index i = 0; i < n; ++i) {
          for (Index j = 0; j < n; ++j) {
            const double expected = j <= i ? full(i, j) + 1 : 2;
            ASSERT_NEAR(c(i, j), expected, TestFixture::tolerance * (10 + static_cast<double>(k))) << i << "," << j;
          }
        }
        if (threads == 1) {
          first = std::move(c);
        } else {
          EXPECT_TRUE(oracle::same_bits(first, c));
        }
      }
    }
  }
}

TYPED_TEST(BlasTest, SymmetricProductsReadTheLowerTriangleOnly) {
  using T = TypeParam;
  const mercer::Run run(RunOptions{.threads = 2});
  for (const Index n : {1, 5, 300, 777}) {
    auto a = random_matrix<T>(n, n, 8);
    Dense full = Dense(a).mirrored_lower();
    for (Index i = 0; i < n; ++i) {
      for (Index j = i + 1; j < n; ++j) {
        a(i, j) = std::numeric_limits<T>::quiet_NaN();
      }
    }
    const auto b = random_matrix<T>(n, 3, 9);
    auto c = random_matrix<T>(n, 3, 10);
    const Dense expected = 2 * full * Dense(b) - Dense(c);
    parallel_symm(T(2), a.view(), b.view(), T(-1), c.view(), run);
    EXPECT_LE((Dense(c) - expected).norm(), TestFixture::tolerance * expected.norm());
    std::vector<T> x(n, T(1));
    std::vector<T> y(n, T(0));
    symv(T(1), ConstMatrixView<T>(a.view()), std::span<const T>(x), T(0), std::span<T>(y));
    EXPECT_NEAR(y[0], full.row(0).sum(), TestFixture::tolerance * static_cast<double>(n) * 10);
    mirror_lower(a.view(), run);
    EXPECT_EQ((Dense(a) - full).norm(), 0);
  }
}

TYPED_TEST(BlasTest, TriangularSolves) {
  using T = TypeParam;
  for (const Index n : {Index{0}, Index{1}, Index{7}, Index{256}, Index{300}, Index{800}}) {
    auto l = random_matrix<T>(n, n, 11);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        l(i, j) = j > i    ? std::numeric_limits<T>::quiet_NaN()
                  : i == j ? T(2)
                           : l(i, j) / static_cast<T>(std::sqrt(double(n)) * 2);
      }
    }
    const Dense lower = Dense(l).lower_triangle();
    for (const auto transpose : {Transpose::no, Transpose::yes}) {
      for (const Index m : {Index{0}, Index{1}, Index{5}, Index{300}}) {
        const auto b = random_matrix<T>(n, m, 12);
        Matrix<T> first;
        for (const int threads : {1, 2}) {
          const mercer::Run run(RunOptions{.threads = threads});
          auto x = Matrix<T>::copy_of(b.view());
          solve_lower(ConstMatrixView<T>(l.view()), transpose, x.view(), run);
          if (n > 0 && m > 0) {
            const Dense back = op(lower, transpose) * Dense(x);
            EXPECT_LE((back - Dense(b)).norm(), 100 * TestFixture::tolerance * (1 + back.norm()));
          }
          if (threads == 1) {
            first = std::move(x);
          } else {
            EXPECT_TRUE(oracle::same_bits(first, x));
          }
        }
        if (m == 1) {
          const mercer::Run run;
          auto x = Matrix<T>::copy_of(b.view());
          solve_lower(ConstMatrixView<T>(l.view()), transpose, std::span<T>(x.data(), static_cast<std::size_t>(n)),
                      run);
          EXPECT_LE((Dense(x) - Dense(first)).norm(), 100 * TestFixture::tolerance * (1 + Dense(first).norm()));
        }
      }
    }
  }
}

TYPED_TEST(BlasTest, Vectors) {
  using T = TypeParam;
  const std::vector<T> x = {1, 2, 3};
  std::vector<T> y = {4, 5, 6};
  EXPECT_EQ(dot(std::span<const T>(x), std::span<const T>(y)), T(32));
  axpy(T(2), std::span<const T>(x), std::span<T>(y));
  EXPECT_EQ(y, (std::vector<T>{6, 9, 12}));
  scale(T(0.5), std::span<T>(y));
  EXPECT_EQ(y, (std::vector<T>{3, 4.5, 6}));
  EXPECT_EQ(nrm2(std::span<const T>(std::vector<T>{3, 4})), T(5));
  EXPECT_EQ(nrm2(std::span<const T>()), T(0));
  EXPECT_EQ(dot(std::span<const T>(), std::span<const T>()), T(0));
  auto a = Matrix<T>::filled(3, 3, T(1));
  ger(T(1), std::span<const T>(x), std::span<const T>(x), a.view());
  EXPECT_EQ(a(2, 1), T(7));
  std::vector<T> z = {1, 1, 1};
  gemv(T(1), ConstMatrixView<T>(a.view()), Transpose::yes, std::span<const T>(x), T(-1), std::span<T>(z));
  EXPECT_EQ(z[0], T(2 * 1 + 3 * 2 + 4 * 3 - 1));
}

TEST(Blas, RefusesSizesBeyond32Bits) {
  const Index huge = Index{1} << 32;
  double one = 1;
  const MatrixView<double> wide(&one, 1, 1, huge);
  EXPECT_ERROR(
      gemm(1.0, ConstMatrixView<double>(wide), Transpose::no, ConstMatrixView<double>(wide), Transpose::no, 0.0, wide),
      InvalidArgument, "a matrix dimension of 4294967296 exceeds the 2147483647 that BLAS can");
}

// A BLAS without locks around its buffers fails this within a second.
TEST(Blas, ManyThreadsMayCallAtOnce) {
  constexpr Index n = 24;
  constexpr Index k = 16;
  std::atomic<int> wrong{0};
  const auto work = [&](int seed) {
    Matrix<float> a(n, k);
    Matrix<float> b(n, k);
    for (Index i = 0; i < n * k; ++i) {
      a.data()[i] = std::sin(static_cast<float>(i + seed));
      b.data()[i] = std::cos(0.7F * static_cast<float>(i + seed));
    }
    Matrix<float> expected(n, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        double sum = 0;
        for (Index c = 0; c < k; ++c) {
          sum += static_cast<double>(a(i, c)) * static_cast<double>(b(j, c));
        }
        expected(i, j) = static_cast<float>(sum);
      }
    }
    Matrix<float> product(n, n);
    for (int call = 0; call < 200000; ++call) {
      gemm(1.0F, a.view(), Transpose::no, b.view(), Transpose::yes, 0.0F, product.view());
      if (std::abs(product(call % n, 3) - expected(call % n, 3)) > 1e-4F) {
        ++wrong;
      }
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back(work, 100 * t);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace mercer
