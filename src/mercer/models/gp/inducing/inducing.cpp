#include "mercer/models/gp/inducing/inducing.h"

#include <numeric>
#include <utility>

#include "mercer/base/parallel.h"
#include "mercer/gram/low_rank.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

// L L_B, lower triangular: its inverse is L_B^-1 L^-1. Columns are independent of each other.
Matrix<double> factor_product(ConstMatrixView<double> l, ConstMatrixView<double> lb, const Run& run) {
  constexpr Index strip = 64;
  const Index m = l.rows();
  Matrix<double> product = Matrix<double>::filled(m, m, 0.0);
  parallel_for(run, block_count(m, strip), [&](Index s) {
    const IndexRange columns = block_range(m, strip, s);
    const IndexRange rows{columns.begin, m};  // what is above is zero
    const MatrixView<double> target = product.view().block(rows, columns);
    for (Index i = 0; i < target.rows(); ++i) {
      for (Index j = 0; j < target.columns() && columns.begin + j <= rows.begin + i; ++j) {
        target(i, j) = lb(rows.begin + i, columns.begin + j);
      }
    }
    trmm(Side::left, Uplo::lower, Transpose::no, 1.0, l.block(rows, rows), target);
  });
  return product;
}

}  // namespace

std::vector<Index> choose_inducing(const Gram<double>& gram, Index count, PivotRule rule, const Run& run) {
  PivotedCholeskyOptions options;
  options.max_rank = count;
  options.rule = rule;
  return LowRankGram<double>::pivoted(gram, options, run).pivots();
}

InducingPosterior inducing_posterior(const InducingProblem& problem, const Run& run) {
  const InducingSystem system(problem, InducingSystem::Keep::nothing, run);
  InducingPosterior posterior;
  posterior.coefficients = system.unwhitened(system.whitened(), run);
  posterior.log_evidence = system.log_evidence();
  posterior.jitter = system.jitter();
  posterior.trace_error = std::accumulate(system.residual().begin(), system.residual().end(), 0.0);
  std::vector<TriangularReduction::Term> terms;
  if (problem.method == InducingMethod::subset_of_regressors) {
    posterior.prior = PriorCovariance::left_out;
  } else {
    terms.push_back({.factor = Matrix<double>::copy_of(system.kernel_factor())});
  }
  terms.push_back({.factor = factor_product(system.kernel_factor(), system.factor(), run), .scale = {}, .sign = -1});
  posterior.reduction = std::make_shared<const TriangularReduction>(std::move(terms));
  return posterior;
}

}  // namespace mercer
