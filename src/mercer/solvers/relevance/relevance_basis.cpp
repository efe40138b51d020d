#include "mercer/solvers/relevance/relevance_basis.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

// Of scratch memory per task, in numbers: what a block of columns that is not stored may take.
constexpr Index basis_block_numbers = Index{1} << 21;

void require_finite_columns(ConstMatrixView<double> values) {
  for (Index a = 0; a < values.rows(); ++a) {
    // One sum tells: infinities and NaN survive it.
    const std::span<const double> row = values.row(a);
    if (!std::isfinite(
            std::accumulate(row.begin(), row.end(), 0.0, [](double sum, double x) { return sum + 0 * x; }))) {
      throw NumericalError(
          "a kernel value is not finite: look for NaN, infinite or very large inputs, scale the columns, or choose a "
          "bounded kernel such as rbf");
    }
  }
}

void add_column_norms(ConstMatrixView<double> columns, std::span<const double> b, Matrix<double>& squares,
                      std::span<double> norms) {
  const Index n = columns.columns();
  for (Index a = 0; a < columns.rows(); ++a) {
    const double* row = columns.row_data(a);
    double* out = squares.view().row_data(a);
    for (Index i = 0; i < n; ++i) {
      out[i] = row[i] * row[i];
    }
  }
  gemv(1.0, squares.view().block(0, 0, columns.rows(), n), Transpose::no, b, 0.0, norms);
}

}  // namespace

RelevanceBasis::RelevanceBasis(const Gram<double>& gram, std::vector<Index> candidates, ConstantColumn constant,
                               double memory_bytes, const Run& run)
    : gram_(gram), candidates_(std::move(candidates)), constant_(constant) {
  for (const Index row : candidates_) {
    if (row < 0 || row >= gram.size()) {
      throw InvalidArgument("candidate row " + std::to_string(row) + " of a Gram matrix of " +
                            std::to_string(gram.size()) + " rows");
    }
  }
  const auto count = static_cast<Index>(candidates_.size());
  if (count == 0 || 8.0 * static_cast<double>(count) * static_cast<double>(rows()) > memory_bytes) {
    return;
  }
  stored_ = Matrix<double>(count, rows());
  gram_.rows(candidates_, stored_.view(), run);
  const Index block = block_size();
  parallel_for(run, (count + block - 1) / block, [&](Index task) {
    require_finite_columns(
        std::as_const(stored_).view().row_block({task * block, std::min(count, (task + 1) * block)}));
  });
}

Index RelevanceBasis::block_size() const {
  return std::clamp<Index>(basis_block_numbers / std::max<Index>(1, rows()), 1, 128);
}

void RelevanceBasis::column(Index j, std::span<double> out, const Run& run) const {
  if (is_constant(j)) {
    std::fill(out.begin(), out.end(), 1.0);
    return;
  }
  if (is_stored()) {
    const std::span<const double> row = stored_.view().row(j);
    std::copy(row.begin(), row.end(), out.begin());
    return;
  }
  const Index row = row_of(j);
  const MatrixView<double> view(out.data(), 1, rows());
  gram_.rows({&row, 1}, view, run);
  require_finite_columns(view);
}

void RelevanceBasis::project(ConstMatrixView<double> v, MatrixView<double> products, std::span<const double> b,
                             std::span<double> norms, const Run& run) const {
  const Index n = rows();
  const auto count = static_cast<Index>(candidates_.size());
  const Index block = block_size();
  parallel_for(run, (count + block - 1) / block, [&](Index task) {
    const IndexRange range{task * block, std::min(count, (task + 1) * block)};
    Matrix<double> scratch;
    ConstMatrixView<double> columns;
    if (is_stored()) {
      columns = stored_.view().row_block(range);
    } else {
      scratch = Matrix<double>(range.size(), n);
      gram_.rows(
          std::span(candidates_).subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size())),
          scratch.view(), run);
      require_finite_columns(std::as_const(scratch).view());
      columns = std::as_const(scratch).view();
    }
    if (v.rows() == 1) {
      gemv(1.0, columns, Transpose::no, v.row(0), 0.0,
           products.row(0).subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size())));
    } else {
      gemm(1.0, v, Transpose::no, columns, Transpose::yes, 0.0, products.block(0, range.begin, v.rows(), range.size()));
    }
    if (!norms.empty()) {
      Matrix<double> squares(range.size(), n);
      add_column_norms(columns, b, squares,
                       norms.subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size())));
    }
  });
  if (has_constant()) {
    for (Index k = 0; k < v.rows(); ++k) {
      const std::span<const double> row = v.row(k);
      products(k, count) = std::accumulate(row.begin(), row.end(), 0.0);
    }
    if (!norms.empty()) {
      norms[count] = std::accumulate(b.begin(), b.end(), 0.0);
    }
  }
}

}  // namespace mercer
