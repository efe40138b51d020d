#include "mercer/models/gp/inference/posterior.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/expansion/parametric_functions.h"
#include "mercer/gram/kernel_block.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/linalg/product.h"

namespace mercer {

namespace {

// Kernel values of one batch: 64 MB, but at least as many rows as keep the matrix products efficient.
constexpr Index batch_numbers = Index{1} << 23;
constexpr Index least_batch = 64;
// Rows that one task solves for: wide enough for the triangular solve to run at the speed of a product.
constexpr Index task_rows = 128;

Index batch_size(Index centers) { return std::max(least_batch, batch_numbers / std::max<Index>(1, centers)); }

double squared_length(std::span<const double> x) { return dot(x, x); }

// v = (L⁻¹ D kᵀ)ᵀ for the rows of k in `rows`.
Matrix<double> solved_rows(const TriangularReduction::Term& term, ConstMatrixView<double> k, IndexRange rows) {
  auto v = Matrix<double>::copy_of(k.row_block(rows));
  for (Index i = 0; i < v.rows() && !term.scale.empty(); ++i) {
    for (Index j = 0; j < v.columns(); ++j) {
      v(i, j) *= term.scale[j];
    }
  }
  trsm(Side::right, Uplo::lower, Transpose::yes, 1.0, term.factor.view(), v.view());
  return v;
}

}  // namespace

void TriangularReduction::diagonal(MatrixView<double> k, std::span<double> out, const Run& run) const {
  parallel_for(run, block_count(k.rows(), task_rows), [&](Index b) {
    const IndexRange rows = block_range(k.rows(), task_rows, b);
    for (Index i = rows.begin; i < rows.end; ++i) {
      out[i] = 0;
    }
    for (const Term& term : terms_) {
      const Matrix<double> v = solved_rows(term, k, rows);
      for (Index i = 0; i < rows.size(); ++i) {
        out[rows.begin + i] += term.sign * squared_length(v.view().row(i));
      }
    }
  });
}

void TriangularReduction::full(MatrixView<double> k, MatrixView<double> out, const Run& run) const {
  for (Index i = 0; i < out.rows(); ++i) {
    std::fill_n(out.row_data(i), out.columns(), 0.0);
  }
  for (const Term& term : terms_) {
    Matrix<double> v(k.rows(), k.columns());
    parallel_for(run, block_count(k.rows(), task_rows), [&](Index b) {
      const IndexRange rows = block_range(k.rows(), task_rows, b);
      const Matrix<double> part = solved_rows(term, k, rows);
      std::copy_n(part.data(), part.rows() * part.columns(), v.view().row_data(rows.begin));
    });
    parallel_syrk<double>(term.sign, v.view(), Transpose::no, 1.0, out, run);
  }
  mirror_lower(out, run);
}

void DenseReduction::diagonal(MatrixView<double> k, std::span<double> out, const Run& run) const {
  parallel_for(run, block_count(k.rows(), task_rows), [&](Index b) {
    const IndexRange rows = block_range(k.rows(), task_rows, b);
    Matrix<double> product(rows.size(), k.columns());
    symm(Side::right, 1.0, m_.view(), k.row_block(rows), 0.0, product.view());
    for (Index i = 0; i < rows.size(); ++i) {
      out[rows.begin + i] =
          dot(std::span<const double>(product.view().row(i)), std::span<const double>(k.row(rows.begin + i)));
    }
  });
}

void DenseReduction::full(MatrixView<double> k, MatrixView<double> out, const Run& run) const {
  Matrix<double> product(k.rows(), k.columns());
  parallel_for(run, block_count(k.rows(), task_rows), [&](Index b) {
    const IndexRange rows = block_range(k.rows(), task_rows, b);
    symm(Side::right, 1.0, m_.view(), k.row_block(rows), 0.0, product.view().row_block(rows));
  });
  parallel_gemm<double>(1.0, product.view(), Transpose::no, k, Transpose::yes, 0.0, out, run);
}

GaussianPosterior::GaussianPosterior(Expansion mean, std::shared_ptr<const CovarianceReduction> reduction,
                                     ParametricUncertainty parametric, PriorCovariance prior,
                                     const std::optional<Samples>& variance_centers, const Run& run)
    : mean_(std::move(mean)),
      variance_centers_(variance_centers.value_or(mean_.centers())),
      shares_centers_(!variance_centers),
      kernel_(std::make_shared<const PreparedKernel>(mean_.kernel(), variance_centers_, Precision::double_precision,
                                                     run.quiet())),
      reduction_(std::move(reduction)),
      parametric_(std::move(parametric)),
      prior_(prior) {}

void GaussianPosterior::means(const Samples& samples, MatrixView<double> out, const Run& run) const {
  mean_.evaluate(samples, out, run);
}

Matrix<double> GaussianPosterior::parametric_rests(const Samples& samples, ConstMatrixView<double> k,
                                                   const Run& run) const {
  const Index p = parametric_.u.columns();
  Matrix<double> functions(samples.size(), parametric_.basis.rows());
  ParametricFunctions(mean_.parametric_part(), samples).values({0, samples.size()}, functions.view());
  Matrix<double> r(samples.size(), p);
  parallel_gemm<double>(-1.0, k, Transpose::no, parametric_.u.view(), Transpose::no, 0.0, r.view(), run);
  parallel_gemm<double>(1.0, functions.view(), Transpose::no, parametric_.basis.view(), Transpose::no, 1.0, r.view(),
                        run);
  trsm(Side::right, Uplo::lower, Transpose::yes, 1.0, parametric_.factor.view(), r.view());
  return r;
}

void GaussianPosterior::moments(const Samples& samples, MatrixView<double> means, std::span<double> variances,
                                const Run& run) const {
  const bool shares = shares_centers_ && mean_.sums_double_values();
  if (!shares) {
    mean_.evaluate(samples, means, run);
  }
  const Index centers = kernel_->reference().size();
  const Index step = batch_size(centers);
  const Index batches = block_count(samples.size(), step);
  Matrix<double> k(std::min(step, samples.size()), centers);
  for (Index b = 0; b < batches; ++b) {
    const IndexRange range = block_range(samples.size(), step, b);
    const Samples part = samples.slice(range);
    const auto prepared = kernel_->prepare(part, run);
    require_on_domain(kernel_->kernel(), *prepared);
    const MatrixView<double> values(k.data(), range.size(), centers);
    evaluate_block<double>(kernel_->kernel(), *prepared, kernel_->reference(), values, run);
    if (shares) {
      mean_.evaluate_from(part, values, means.row_block(range), run);
    }
    fill_variances(part, *prepared, values,
                   variances.subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size())),
                   run);
    if (batches > 1) {
      run.progress("variances", static_cast<double>(range.end), static_cast<double>(samples.size()));
    }
  }
}

void GaussianPosterior::fill_variances(const Samples& samples, const Prepared& prepared, MatrixView<double> k,
                                       std::span<double> out, const Run& run) const {
  std::vector<double> prior(out.size(), 0.0);
  if (prior_ == PriorCovariance::included) {
    kernel_->kernel().node().diagonal(prepared, {0, samples.size()}, prior);
  }
  Matrix<double> rests;
  if (parametric_.u.columns() > 0) {
    rests = parametric_rests(samples, k, run);
  }
  reduction_->diagonal(k, out, run);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double rest = rests.columns() > 0 ? squared_length(rests.view().row(static_cast<Index>(i))) : 0.0;
    out[i] = std::max(0.0, prior[i] - out[i] + rest);
  }
}

Matrix<double> GaussianPosterior::covariance(const Samples& samples, const Run& run) const {
  const Index n = samples.size();
  const auto prepared = kernel_->prepare(samples, run);
  require_on_domain(kernel_->kernel(), *prepared);
  Matrix<double> k(n, kernel_->reference().size());
  evaluate_block<double>(kernel_->kernel(), *prepared, kernel_->reference(), k.view(), run);
  Matrix<double> rests;
  if (parametric_.u.columns() > 0) {
    rests = parametric_rests(samples, k.view(), run);
  }
  Matrix<double> reduction(n, n);
  reduction_->full(k.view(), reduction.view(), run);
  auto covariance = Matrix<double>::filled(n, n, 0.0);
  if (prior_ == PriorCovariance::included) {
    evaluate_gram<double>(kernel_->kernel(), *prepared, Triangle::lower, covariance.view(), run);
  }
  if (rests.columns() > 0) {
    parallel_syrk<double>(1.0, rests.view(), Transpose::no, 1.0, covariance.view(), run);
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      covariance(i, j) -= reduction(i, j);
    }
    covariance(i, i) = std::max(0.0, covariance(i, i));
  }
  mirror_lower(covariance.view(), run);
  return covariance;
}

}  // namespace mercer
