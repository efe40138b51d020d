// The sequential relevance vector machine against the algorithm that starts from all functions and re-estimates them
// until they settle (Tipping 2001), both on this library's products and factorisations: noisy sinc, RBF kernel.
//
//   rvm_em_bench [ROWS] [ITERATIONS]
//
// ITERATIONS bounds the slow algorithm's, whose time for the rest is not counted: at 1000 and fewer rows give many, at
// 5000 some tens already take longer than the sequential algorithm's whole fit. Prints one JSON object: seconds, the
// logarithm of the evidence and the number of functions of both, and the ratio of times.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <numeric>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/spec.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/solvers/relevance/relevance_regression.h"
#include "timing.h"

namespace mercer::bench {
namespace {

struct AllAtOnce {
  Index functions = 0;
  double noise = 0;
  double evidence = 0;
  Index iterations = 0;
};

// α_i ← γ_i/μ_i², σ² ← ‖y − Φμ‖²/(n − Σγ), functions of α > 1e9 dropped; ends where no ln α moves by more than 1e-3.
AllAtOnce all_at_once(const RelevanceBasis& basis, const std::vector<double>& y, Index iterations, const Run& run) {
  const Index n = basis.rows();
  std::vector<Index> columns(basis.columns());
  std::iota(columns.begin(), columns.end(), Index{0});
  std::vector<double> precisions(columns.size(), 1 / std::pow(static_cast<double>(n), 2));
  Matrix<double> phi(basis.columns(), n);
  for (Index j = 0; j < basis.columns(); ++j) {
    basis.column(j, phi.view().row(j), run);
  }
  Matrix<double> inner(phi.rows(), phi.rows());
  parallel_syrk<double>(1.0, std::as_const(phi).view(), Transpose::no, 0.0, inner.view(), run);
  mirror_lower<double>(inner.view(), run);
  AllAtOnce result;
  result.noise = 0.1 * dot(y, y) / static_cast<double>(n);
  for (bool moves = true; moves && result.iterations < iterations; ++result.iterations) {
    const auto m = static_cast<Index>(columns.size());
    Matrix<double> h(m, m);
    std::vector<double> mean(m);
    double log_precisions = 0;
    for (Index a = 0; a < m; ++a) {
      const Index i = columns[a];
      for (Index b = 0; b <= a; ++b) {
        h(a, b) = inner(i, columns[b]) / result.noise;
      }
      h(a, a) += precisions[a];
      log_precisions += std::log(precisions[a]);
      mean[a] = dot(phi.view().row(i), y) / result.noise;
    }
    cholesky<double>(h.view(), run);
    cholesky_solve<double>(std::as_const(h).view(), std::span<double>(mean), run);
    std::vector<double> residuals = y;
    for (Index a = 0; a < m; ++a) {
      axpy(-mean[a], phi.view().row(columns[a]), residuals);
    }
    result.evidence =
        -0.5 * (static_cast<double>(n) * std::log(2 * std::numbers::pi * result.noise) +
                log_determinant(std::as_const(h).view()) - log_precisions + dot(y, residuals) / result.noise);
    result.functions = m;
    cholesky_inverse<double>(h.view(), run);
    double determined = 0;
    double largest = 0;
    std::vector<Index> kept;
    std::vector<double> next;
    for (Index a = 0; a < m; ++a) {
      const auto at = static_cast<std::size_t>(a);
      const double gamma = std::clamp(1 - precisions[at] * h(a, a), 1e-300, 1.0);
      determined += gamma;
      const double alpha = gamma / (mean[at] * mean[at]);
      if (alpha < 1e9) {
        kept.push_back(columns[at]);
        next.push_back(alpha);
        largest = std::max(largest, std::abs(std::log(alpha / precisions[at])));
      }
    }
    moves = kept.size() != columns.size() || largest > 1e-3;
    result.noise = dot(residuals, residuals) / (static_cast<double>(n) - determined);
    columns = std::move(kept);
    precisions = std::move(next);
  }
  return result;
}

void compare(Index n, Index iterations) {
  const Run run;
  RandomStream random(1, 1);
  Matrix<double> x(n, 1);
  std::vector<double> y;
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = 20 * random.uniform() - 10;
    y.push_back(std::sin(std::abs(x(i, 0))) / std::abs(x(i, 0)) + 0.2 * (2 * random.uniform() - 1));
  }
  const KernelGram<double> gram(std::make_shared<const PreparedKernel>(
      parse_kernel("rbf(lengthscale=2)"), make_dense(std::move(x)), Precision::double_precision, run));
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), Index{0});
  const RelevanceBasis basis(gram, all, ConstantColumn::last, 4e9, run);
  double start = seconds_now();
  const RelevanceFit fit = relevance_regression(basis, y, {}, {}, run);
  const double fast = seconds_now() - start;
  start = seconds_now();
  const AllAtOnce slow = all_at_once(basis, y, iterations, run);
  const double seconds = seconds_now() - start;
  std::printf(
      "{\"bench\":\"rvm_em\",\"rows\":%lld,\"ours_s\":%.3f,\"em_s\":%.3f,\"em_iterations\":%lld,\"ratio\":%.4f,"
      "\"evidence\":%.3f,\"em_evidence\":%.3f,\"functions\":%zu,\"em_functions\":%lld,\"noise\":%.5f,\"em_noise\":%.5f}"
      "\n",
      static_cast<long long>(n), fast, seconds, static_cast<long long>(slow.iterations), fast / seconds, fit.evidence,
      slow.evidence, fit.columns.size(), static_cast<long long>(slow.functions), fit.noise, slow.noise);
}

}  // namespace
}  // namespace mercer::bench

int main(int argc, char** argv) {
  mercer::bench::compare(argc > 1 ? std::atoll(argv[1]) : 5000, argc > 2 ? std::atoll(argv[2]) : 30);
  return 0;
}
