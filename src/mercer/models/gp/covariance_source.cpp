#include "mercer/models/gp/covariance_source.h"

#include "mercer/gram/kernel_gram.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/models/gp/inference/laplace.h"
#include "mercer/models/gp/iterative/iterative.h"
#include "mercer/models/gp/iterative/iterative_reduction.h"

namespace mercer {

namespace {

std::shared_ptr<const CovarianceReduction> triangular(Matrix<double> factor) {
  std::vector<TriangularReduction::Term> terms;
  terms.push_back({.factor = std::move(factor)});
  return std::make_shared<const TriangularReduction>(std::move(terms));
}

std::shared_ptr<const CovarianceReduction> exact_reduction(const Kernel& kernel, const Samples& centers,
                                                           const std::vector<double>& diagonal, double jitter,
                                                           const Run& run) {
  const PreparedKernel prepared(kernel, centers, Precision::double_precision, run);
  Matrix<double> a(centers.size(), centers.size());
  evaluate_gram<double>(prepared, Triangle::lower, a.view(), run);
  for (Index i = 0; i < a.rows(); ++i) {
    a(i, i) += diagonal[i] + jitter;
  }
  cholesky<double>(a.view(), run);
  return triangular(std::move(a));
}

std::shared_ptr<const CovarianceReduction> iterative_reduction(CovarianceKind kind, const Kernel& kernel,
                                                               const Samples& centers,
                                                               const std::vector<double>& diagonal, Index rank,
                                                               const Run& run) {
  const auto prepared = std::make_shared<const PreparedKernel>(kernel, centers, Precision::double_precision, run);
  const IterativeOptions options{.preconditioner = kind == CovarianceKind::float_factor
                                                       ? SystemPreconditioner::float_factor
                                                       : SystemPreconditioner::low_rank,
                                 .rank = rank};
  const auto system = std::make_shared<const IterativeSystem>(std::make_shared<const KernelGram<double>>(prepared),
                                                              diagonal, options, run);
  return iterative_variances(system);
}

std::shared_ptr<const CovarianceReduction> curvature_reduction(const Kernel& kernel, const Samples& centers,
                                                               const std::vector<double>& curvatures, const Run& run) {
  const PreparedKernel prepared(kernel, centers, Precision::double_precision, run);
  Matrix<double> k(centers.size(), centers.size());
  evaluate_gram<double>(prepared, Triangle::lower, k.view(), run);
  return posterior_reduction(std::move(k), curvatures, run);
}

}  // namespace

const CovarianceReduction& LazyReduction::made(const Run& run) const {
  const std::scoped_lock lock(mutex_);
  if (!made_) {
    made_ = maker_(run);
  }
  return *made_;
}

void LazyReduction::diagonal(MatrixView<double> k, std::span<double> out, const Run& run) const {
  made(run).diagonal(k, out, run);
}

void LazyReduction::full(MatrixView<double> k, MatrixView<double> out, const Run& run) const {
  made(run).full(k, out, run);
}

std::shared_ptr<const CovarianceReduction> make_reduction(const CovarianceSource& source, const Kernel& kernel,
                                                          const Samples& centers) {
  switch (source.kind) {
    case CovarianceKind::exact:
      return std::make_shared<const LazyReduction>(
          [=, diagonal = source.diagonal, jitter = source.jitter](const Run& run) {
            return exact_reduction(kernel, centers, diagonal, jitter, run);
          });
    case CovarianceKind::float_factor:
    case CovarianceKind::iterative:
      return std::make_shared<const LazyReduction>(
          [=, kind = source.kind, diagonal = source.diagonal, rank = source.rank](const Run& run) {
            return iterative_reduction(kind, kernel, centers, diagonal, rank, run);
          });
    case CovarianceKind::curvature:
      return std::make_shared<const LazyReduction>([=, diagonal = source.diagonal](const Run& run) {
        return curvature_reduction(kernel, centers, diagonal, run);
      });
    case CovarianceKind::stored:
      break;
  }
  std::vector<TriangularReduction::Term> terms;
  for (const TriangularReduction::Term& term : source.terms) {
    terms.push_back({Matrix<double>::copy_of(term.factor.view()), term.scale, term.sign});
  }
  return std::make_shared<const TriangularReduction>(std::move(terms));
}

}  // namespace mercer
