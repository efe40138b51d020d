// The book's figures for sparse greedy Gaussian processes on Abalone (Schölkopf & Smola (2002), tables 16.2 and 16.3).
#include <gtest/gtest.h>

#include <cmath>

#include "data/temporary_folder.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/spec.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/solvers/fisher/sparse_greedy.h"
#include "solvers/abalone.h"

namespace mercer {
namespace {

using testing::Abalone;

constexpr double noise = 0.05;  // 2σ² = .1

struct Split {
  Samples train, test;
  std::vector<double> rings, test_rings;
  std::shared_ptr<const PreparedKernel> kernel;

  Split(const Abalone& data, Index count, const char* spec)
      : train(make_dense(data.rows(0, count))),
        test(make_dense(data.rows(count, data.inputs.rows()))),
        rings(data.rings.begin(), data.rings.begin() + count),
        test_rings(data.rings.begin() + count, data.rings.end()),
        kernel(std::make_shared<const PreparedKernel>(parse_kernel(spec), train, Precision::double_precision,
                                                      mercer::Run())) {}

  double mean_squared_error(const std::vector<double>& coefficients) const {
    const CrossGram<double> cross(kernel, test, mercer::Run());
    Matrix<double> k(cross.rows(), cross.columns());
    cross.evaluate(k.view(), mercer::Run());
    double sum = 0;
    for (Index i = 0; i < k.rows(); ++i) {
      const double error = dot(std::as_const(k).view().row(i), coefficients) - test_rings[i];
      sum += error * error;
    }
    return sum / static_cast<double>(k.rows());
  }
};

TEST(SparseGreedyAbalone, ReachesTheExactPosteriorAndError) {
  const std::string path = real_data("abalone/abalone.data");
  if (path.empty()) {
    GTEST_SKIP() << "no Abalone data";
  }
  const Abalone all(path);
  const Split split(all.shuffled(1), 3000, "rbf(gamma=0.1)");
  const SparseGreedyResult result =
      sparse_greedy(KernelGram<double>(split.kernel), split.rings, noise, {.gap = 0.025}, mercer::Run());
  EXPECT_EQ(result.status, SolveStatus::converged);
  // Q is nearly proportional to y'y, which differs by .5 % between splits; the book's figure is a mean over splits.
  const double average = dot(all.rings, all.rings) * 3000 / static_cast<double>(all.rings.size());
  const double to_average = average / dot(split.rings, split.rings);
  EXPECT_NEAR(to_average * result.last().q, -1.5715e5, 0.005 * 1.5715e5);

  const DenseGram<double> gram(*split.kernel, mercer::Run());
  Matrix<double> factor = Matrix<double>::copy_of(gram.view());
  for (Index i = 0; i < 3000; ++i) {
    factor(i, i) += noise;
  }
  cholesky<double>(factor.view(), mercer::Run());
  std::vector<double> alpha = split.rings;
  cholesky_solve<double>(factor.view(), std::span<double>(alpha), mercer::Run());
  // Q_min = -½ y'y - σ² Q*_min = -½ y'y + ½ σ² y'α.
  const double exact = 0.5 * (noise * dot(split.rings, alpha) - dot(split.rings, split.rings));
  EXPECT_NEAR(to_average * exact, -1.5715e5, 0.005 * 1.5715e5);
  EXPECT_GE(result.last().q, exact);
  EXPECT_LE(result.last().lower, exact);

  std::vector<double> sparse(3000, 0.0);
  for (std::size_t i = 0; i < result.posterior.basis.size(); ++i) {
    sparse[result.posterior.basis[i]] = result.posterior.coefficients[i];
  }
  const double ratio = std::sqrt(split.mean_squared_error(sparse) / split.mean_squared_error(alpha));
  EXPECT_NEAR(ratio, 1.0, 0.01);
}

TEST(SparseGreedyAbalone, NeedsAsManyKernelsAsTheBook) {
  const std::string path = real_data("abalone/abalone.data");
  if (path.empty()) {
    GTEST_SKIP() << "no Abalone data";
  }
  const Split split(Abalone(path).shuffled(2), 4000, "rbf(gamma=0.1)");
  const SparseGreedyResult result =
      sparse_greedy(KernelGram<double>(split.kernel), split.rings, noise, {.gap = 0.025}, mercer::Run());
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_GT(result.last().size, 257 / 2);
  EXPECT_LT(result.last().size, 257 * 2);
}

}  // namespace
}  // namespace mercer
