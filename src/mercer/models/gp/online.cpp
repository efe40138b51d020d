#include "mercer/models/gp/online.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/triangular.h"

namespace mercer {

namespace {

// A view: no copy, the memory outlives it.
Samples samples_of(ConstMatrixView<double> rows) {
  return Samples(DenseRows<double>{.data = rows.data(),
                                   .rows = rows.rows(),
                                   .columns = rows.columns(),
                                   .row_stride = rows.stride(),
                                   .column_stride = 1});
}

void require_shape(ConstMatrixView<double> values, Index rows, Index columns, const std::string& what) {
  if (values.rows() != rows || values.columns() != columns) {
    throw InvalidArgument(what + " of " + std::to_string(values.rows()) + " by " + std::to_string(values.columns()) +
                          " numbers where " + std::to_string(rows) + " by " + std::to_string(columns) +
                          " are expected");
  }
  for (Index i = 0; i < rows; ++i) {
    for (const double value : values.row(i)) {
      if (!std::isfinite(value)) {
        reject_argument(what, value, "finite numbers");
      }
    }
  }
}

void append(std::vector<double>& to, ConstMatrixView<double> rows) {
  for (Index i = 0; i < rows.rows(); ++i) {
    to.insert(to.end(), rows.row(i).begin(), rows.row(i).end());
  }
}

void erase_row(std::vector<double>& from, Index row, Index width) {
  const auto begin = from.begin() + static_cast<std::ptrdiff_t>(row * width);
  from.erase(begin, begin + static_cast<std::ptrdiff_t>(width));
}

}  // namespace

OnlineGp::OnlineGp(Kernel kernel, double noise, Index columns, Index outputs)
    : kernel_(std::move(kernel)), noise_(noise), columns_(columns), outputs_(outputs) {
  if (!(noise >= 0) || !std::isfinite(noise)) {
    reject_argument("noise", noise, "0 or a positive variance");
  }
  if (columns < 1 || outputs < 1) {
    reject_argument(columns < 1 ? "columns" : "outputs", static_cast<double>(std::min(columns, outputs)), "1 or more");
  }
  if (!kernel_.is_resolved()) {
    throw InvalidArgument("the kernel " + kernel_.spec() +
                          " has widths that depend on the data; an online Gaussian "
                          "process needs numbers");
  }
  if (!kernel_.definiteness().is_positive()) {
    throw InvalidArgument("the kernel " + kernel_.spec() + " is not positive definite: it is no covariance");
  }
  if (kernel_.node().depends_on_reference()) {
    throw InvalidArgument("the kernel " + kernel_.spec() +
                          " changes with the whole of its samples, so that old values of it could not be kept");
  }
}

void OnlineGp::add(ConstMatrixView<double> rows, ConstMatrixView<double> targets, const Run& run,
                   std::span<const double> noises) {
  const Index count = rows.rows();
  require_shape(rows, count, columns_, "inputs");
  require_shape(targets, count, outputs_, "targets");
  if (!noises.empty() && static_cast<Index>(noises.size()) != count) {
    throw InvalidArgument(std::to_string(noises.size()) + " noise variances for " + std::to_string(count) + " samples");
  }
  for (const double variance : noises) {
    if (!(variance >= 0) || !std::isfinite(variance)) {
      reject_argument("noise", variance, "0 or a positive variance");
    }
  }
  if (count == 0) {
    return;
  }
  const auto added =
      std::make_shared<const PreparedKernel>(kernel_, samples_of(rows), Precision::double_precision, run);
  require_on_domain(kernel_, added->reference());
  Matrix<double> square(count, count);
  evaluate_gram<double>(*added, Triangle::lower, square.view(), run);
  for (Index i = 0; i < count; ++i) {
    square(i, i) += noises.empty() ? noise_ : noises[i];
  }
  Matrix<double> cross(count, size());
  if (size() > 0) {
    const auto known =
        std::make_shared<const PreparedKernel>(kernel_, samples_of(inputs()), Precision::double_precision, run);
    CrossGram<double>(known, samples_of(rows), run).evaluate(cross.view(), run);
  }
  const CholeskyStatus status =
      count == 1 ? factor_.append(cross.view().row(0), square(0, 0)) : factor_.append(cross.view(), square.view(), run);
  if (!status.ok) {
    throw NumericalError("sample " + std::to_string(status.failed_at) +
                         " (counted from 0) is determined by those before it: K + noise is not numerically positive "
                         "definite; give it more noise, or leave it out");
  }
  append(inputs_, rows);
  append(targets_, targets);
  solve();
}

void OnlineGp::remove(Index i) {
  if (i < 0 || i >= size()) {
    throw InvalidArgument("there is no sample " + std::to_string(i) + " among " + std::to_string(size()));
  }
  factor_.remove(i);
  erase_row(inputs_, i, columns_);
  erase_row(targets_, i, outputs_);
  solve();
}

void OnlineGp::solve() {
  coefficients_ = targets_;
  std::vector<double> column(size());
  for (Index o = 0; o < outputs_; ++o) {
    const MatrixView<double> x(coefficients_.data(), size(), outputs_);
    for (Index i = 0; i < size(); ++i) {
      column[i] = x(i, o);
    }
    factor_.substitute(Transpose::no, column);
    factor_.substitute(Transpose::yes, column);
    for (Index i = 0; i < size(); ++i) {
      x(i, o) = column[i];
    }
  }
}

double OnlineGp::log_evidence() const {
  const double constant = static_cast<double>(size()) * std::log(2 * std::numbers::pi) + factor_.log_determinant();
  return -0.5 * (static_cast<double>(outputs_) * constant + dot(targets_, coefficients_));
}

void OnlineGp::predict(ConstMatrixView<double> rows, MatrixView<double> means, std::span<double> variances,
                       const Run& run) const {
  require_shape(rows, rows.rows(), columns_, "inputs");
  if (means.rows() != rows.rows() || means.columns() != outputs_ ||
      (!variances.empty() && static_cast<Index>(variances.size()) != rows.rows())) {
    throw InvalidArgument("predictions of " + std::to_string(rows.rows()) + " samples and " + std::to_string(outputs_) +
                          " outputs do not fit the place that was given for them");
  }
  constexpr Index batch = 1024;
  const auto known =
      std::make_shared<const PreparedKernel>(kernel_, samples_of(inputs()), Precision::double_precision, run);
  for (Index b = 0; b < block_count(rows.rows(), batch); ++b) {
    const IndexRange range = block_range(rows.rows(), batch, b);
    const CrossGram<double> cross(known, samples_of(rows.row_block(range)), run);
    Matrix<double> k(range.size(), size());
    cross.evaluate(k.view(), run);
    parallel_gemm<double>(1.0, k.view(), Transpose::no, coefficients(), Transpose::no, 0.0, means.row_block(range),
                          run);
    if (variances.empty()) {
      continue;
    }
    require_on_domain(kernel_, cross.samples());
    const auto part = variances.subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
    cross.diagonal(part);
    Matrix<double> columns(size(), range.size());
    for (Index i = 0; i < k.rows(); ++i) {
      for (Index j = 0; j < k.columns(); ++j) {
        columns(j, i) = k(i, j);
      }
    }
    solve_lower<double>(factor(), Transpose::no, columns.view(), run);
    for (Index j = 0; j < columns.rows(); ++j) {
      for (Index i = 0; i < columns.columns(); ++i) {
        part[i] -= columns(j, i) * columns(j, i);
      }
    }
    std::transform(part.begin(), part.end(), part.begin(), [](double variance) { return std::max(variance, 0.0); });
  }
}

}  // namespace mercer
