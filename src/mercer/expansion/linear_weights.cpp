#include "mercer/expansion/linear_weights.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/data/columns.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/dot/linear.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

constexpr Index row_block = 512;

template <class T>
void copy_rows(const DenseRows<T>& rows, IndexRange range, MatrixView<double> out) {
  for (Index i = 0; i < range.size(); ++i) {
    for (Index j = 0; j < rows.columns; ++j) {
      out(i, j) = static_cast<double>(rows(range.begin + i, j));
    }
  }
}

template <class T>
void copy_rows(const SparseRows<T>& rows, IndexRange range, MatrixView<double> out) {
  for (Index i = 0; i < range.size(); ++i) {
    std::fill_n(out.row_data(i), out.columns(), 0.0);
    for (std::int64_t at = rows.offsets[range.begin + i]; at < rows.offsets[range.begin + i + 1]; ++at) {
      out(i, rows.column_numbers[at]) = static_cast<double>(rows.values[at]);
    }
  }
}

// w += factor · zᵢ αᵢᵀ, row after row.
template <class T>
void accumulate_weights(const DenseRows<T>& rows, double factor, ConstMatrixView<double> alpha, MatrixView<double> w) {
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index j = 0; j < rows.columns; ++j) {
      const double value = factor * static_cast<double>(rows(i, j));
      for (Index o = 0; o < w.columns(); ++o) {
        w(j, o) += value * alpha(i, o);
      }
    }
  }
}

template <class T>
void accumulate_weights(const SparseRows<T>& rows, double factor, ConstMatrixView<double> alpha, MatrixView<double> w) {
  for (Index i = 0; i < rows.rows; ++i) {
    for (std::int64_t at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at) {
      const double value = factor * static_cast<double>(rows.values[at]);
      const Index j = rows.column_numbers[at];
      for (Index o = 0; o < w.columns(); ++o) {
        w(j, o) += value * alpha(i, o);
      }
    }
  }
}

void add_product(ConstMatrixView<double> x, ConstMatrixView<double> w, MatrixView<double> out) {
  // One column is a vector where nothing stands between its entries.
  if (w.columns() == 1 && w.rows() > 0 && w.stride() == 1 && out.stride() == 1) {
    gemv(1.0, x, Transpose::no, {w.row_data(0), static_cast<std::size_t>(w.rows())}, 1.0,
         {out.row_data(0), static_cast<std::size_t>(out.rows())});
  } else {
    gemm(1.0, x, Transpose::no, w, Transpose::no, 1.0, out);
  }
}

template <class T>
void add_products(const DenseRows<T>& rows, IndexRange range, ConstMatrixView<double> w, MatrixView<double> out) {
  if constexpr (std::is_same_v<T, double>) {
    if (rows.column_stride == 1 && rows.row_stride >= rows.columns) {
      const ConstMatrixView<double> there(rows.data + range.begin * rows.row_stride, range.size(), rows.columns,
                                          rows.row_stride);
      add_product(there, w, out.row_block(range));
      return;
    }
  }
  Matrix<double> block(range.size(), rows.columns);
  copy_rows(rows, range, block.view());
  add_product(block.view(), w, out.row_block(range));
}

template <class T>
void add_products(const SparseRows<T>& rows, IndexRange range, ConstMatrixView<double> w, MatrixView<double> out) {
  for (Index i = range.begin; i < range.end; ++i) {
    for (std::int64_t at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at) {
      const auto value = static_cast<double>(rows.values[at]);
      const double* const weight = w.row_data(rows.column_numbers[at]);
      for (Index o = 0; o < out.columns(); ++o) {
        out(i, o) += value * weight[o];
      }
    }
  }
}

}  // namespace

std::optional<double> linear_factor(const Kernel& kernel) {
  if (&kernel.node().entry() == &linear_entry()) {
    return 1.0;
  }
  if (const auto scale = as_scale(kernel)) {
    const auto inner = linear_factor(scale->kernel);
    return inner && scale->factor ? std::optional(*inner * *scale->factor) : std::nullopt;
  }
  const auto terms = as_sum(kernel);
  if (!terms) {
    return std::nullopt;
  }
  double total = 0;
  for (const Kernel& term : *terms) {
    const auto factor = linear_factor(term);
    if (!factor) {
      return std::nullopt;
    }
    total += *factor;
  }
  return total;
}

Matrix<double> linear_weights(double factor, const Samples& centers, ConstMatrixView<double> coefficients) {
  const Samples numeric = default_columns(centers);
  auto weights = Matrix<double>::filled(numeric.columns(), coefficients.columns(), 0.0);
  visit_numeric(numeric, [&](const auto& rows) { accumulate_weights(rows, factor, coefficients, weights.view()); });
  return weights;
}

void add_linear_part(const Samples& numeric, ConstMatrixView<double> weights, MatrixView<double> out, const Run& run) {
  if (numeric.columns() != weights.rows()) {
    throw DataError("samples with " + std::to_string(numeric.columns()) + " columns where the function takes " +
                    std::to_string(weights.rows()));
  }
  require_finite(numeric);
  visit_numeric(numeric, [&](const auto& rows) {
    parallel_for(run, block_count(numeric.size(), row_block),
                 [&](Index b) { add_products(rows, block_range(numeric.size(), row_block, b), weights, out); });
  });
}

void copy_rows(const Samples& numeric, IndexRange range, MatrixView<double> out) {
  visit_numeric(numeric, [&](const auto& rows) { copy_rows(rows, range, out); });
}

}  // namespace mercer
