#include "mercer/features/linear_projection.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/data/columns.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

constexpr Index most_projection_rows = 256;
// Of the projections and inputs of one task: they stay in the cache of the second level.
constexpr Index projection_numbers = Index{1} << 18;
// An angle in float is known to 2^-24 of its size: beyond this one, to less than 2e-5 of a radian.
constexpr float largest_single_angle = 256;

Index projection_rows(Index inputs, Index outputs) {
  return std::clamp<Index>(projection_numbers / std::max<Index>(1, inputs + outputs), 16, most_projection_rows);
}

[[noreturn]] void refuse_value(Index row) {
  throw DataError("row " + std::to_string(row) + " (counted from 0) holds a value that is not a finite number");
}

template <class T, class S>
void add_sparse_rows(const SparseRows<S>& rows, IndexRange range, ConstMatrixView<T> weights, MatrixView<T> out) {
  for (Index i = range.begin; i < range.end; ++i) {
    const std::span<T> sum = out.row(i - range.begin);
    std::fill(sum.begin(), sum.end(), T(0));
    for (std::int64_t at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at) {
      if (!std::isfinite(rows.values[at])) {
        refuse_value(i);
      }
      axpy(static_cast<T>(rows.values[at]), weights.row(rows.column_numbers[at]), sum);
    }
  }
}

}  // namespace

Samples numeric_columns(const Samples& samples, Index columns, const char* map) {
  Samples numeric = default_columns(samples);
  if (!numeric.is_numeric()) {
    throw DataError(std::string(map) + " needs numeric columns, but the samples are " +
                    std::string(to_string(numeric.kind())) + "; nystroem takes samples of any kind");
  }
  if (columns >= 0 && numeric.columns() != columns) {
    throw DataError(std::string(map) + " was made for " + std::to_string(columns) +
                    " numeric columns, and these samples have " + std::to_string(numeric.columns()));
  }
  return numeric;
}

template <class T>
Matrix<T> dense_rows(const Samples& numeric, IndexRange range) {
  Matrix<T> result = Matrix<T>::filled(range.size(), numeric.columns(), T(0));
  std::visit(
      [&](const auto& rows) {
        using Rows = std::decay_t<decltype(rows)>;
        if constexpr (std::is_same_v<Rows, DenseRows<float>> || std::is_same_v<Rows, DenseRows<double>>) {
          for (Index i = 0; i < range.size(); ++i) {
            for (Index j = 0; j < rows.columns; ++j) {
              result(i, j) = static_cast<T>(rows(range.begin + i, j));
            }
          }
        } else if constexpr (std::is_same_v<Rows, SparseRows<float>> || std::is_same_v<Rows, SparseRows<double>>) {
          for (Index i = 0; i < range.size(); ++i) {
            for (std::int64_t at = rows.offsets[range.begin + i]; at < rows.offsets[range.begin + i + 1]; ++at) {
              result(i, rows.column_numbers[at]) = static_cast<T>(rows.values[at]);
            }
          }
        }
      },
      numeric.rows());
  for (Index i = 0; i < range.size(); ++i) {
    for (Index j = 0; j < result.columns(); ++j) {
      if (!std::isfinite(result(i, j))) {
        refuse_value(range.begin + i);
      }
    }
  }
  return result;
}
template Matrix<float> dense_rows<float>(const Samples&, IndexRange);
template Matrix<double> dense_rows<double>(const Samples&, IndexRange);

LinearProjection::LinearProjection(Matrix<double> weights)
    : weights_(std::move(weights)), single_(weights_.rows(), weights_.columns()) {
  std::transform(weights_.data(), weights_.data() + weights_.rows() * weights_.columns(), single_.data(),
                 [](double value) { return static_cast<float>(value); });
}

template <>
ConstMatrixView<double> LinearProjection::weights_as<double>() const {
  return weights_.view();
}
template <>
ConstMatrixView<float> LinearProjection::weights_as<float>() const {
  return single_.view();
}

namespace {

// The first row, where the others are so close to it that it stands for most of their size; empty otherwise.
std::vector<double> common_part(const Matrix<double>& rows) {
  constexpr double much_closer = 16;
  std::vector<double> first(rows.data(), rows.data() + (rows.rows() > 0 ? rows.columns() : 0));
  double size = 0;
  double spread = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < first.size(); ++j) {
      const double value = rows(i, static_cast<Index>(j));
      size = std::max(size, std::abs(value));
      spread = std::max(spread, std::abs(value - first[j]));
    }
  }
  return size > much_closer * spread ? first : std::vector<double>();
}

}  // namespace

template <class T>
void LinearProjection::project_dense(const Samples& numeric, IndexRange range, ProjectionUse use,
                                     MatrixView<T> out) const {
  const auto project = [&](const Matrix<T>& rows) {
    gemm(T(1), rows.view(), Transpose::no, weights_as<T>(), Transpose::no, T(0), out);
  };
  if (use == ProjectionUse::numbers || std::is_same_v<T, double>) {
    project(dense_rows<T>(numeric, range));
    return;
  }
  const Matrix<double> rows = dense_rows<double>(numeric, range);
  const std::vector<double> common = common_part(rows);
  if (common.empty()) {
    project(dense_rows<T>(numeric, range));
    return;
  }
  Matrix<T> rest(rows.rows(), rows.columns());
  for (Index i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < common.size(); ++j) {
      rest(i, static_cast<Index>(j)) = static_cast<T>(rows(i, static_cast<Index>(j)) - common[j]);
    }
  }
  project(rest);
  std::vector<double> angles(outputs(), 0.0);
  gemv(1.0, ConstMatrixView<double>(weights_.view()), Transpose::yes, std::span<const double>(common), 0.0,
       std::span<double>(angles));
  for (std::size_t c = 0; c < angles.size(); ++c) {
    const auto angle = static_cast<T>(std::fmod(angles[c], 2 * std::numbers::pi));
    for (Index i = 0; i < out.rows(); ++i) {
      out(i, static_cast<Index>(c)) += angle;
    }
  }
}

template <class T>
void LinearProjection::project(const Samples& numeric, IndexRange range, ProjectionUse use, MatrixView<T> out) const {
  if (const auto* single = std::get_if<SparseRows<float>>(&numeric.rows())) {
    add_sparse_rows<T>(*single, range, weights_as<T>(), out);
  } else if (const auto* full = std::get_if<SparseRows<double>>(&numeric.rows())) {
    add_sparse_rows<T>(*full, range, weights_as<T>(), out);
  } else {
    project_dense<T>(numeric, range, use, out);
  }
}

// Rows many widths apart.
void LinearProjection::restore_angles(const Samples& numeric, IndexRange range, MatrixView<float> out) const {
  const auto is_known = [](float angle) { return std::abs(angle) <= largest_single_angle; };
  const std::span<const float> all(out.row_data(0), static_cast<std::size_t>(out.rows() * out.columns()));
  if (std::all_of(all.begin(), all.end(), is_known)) {
    return;
  }
  Matrix<double> angles(range.size(), outputs());
  project<double>(numeric, range, ProjectionUse::angles, angles.view());
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index c = 0; c < out.columns(); ++c) {
      out(i, c) = static_cast<float>(std::fmod(angles(i, c), 2 * std::numbers::pi));
    }
  }
}

template <class T>
void LinearProjection::for_blocks(const Samples& samples, const char* map, ProjectionUse use,
                                  const std::function<void(IndexRange rows, MatrixView<T> projections)>& consume,
                                  const Run& run) const {
  const Samples numeric = numeric_columns(samples, inputs(), map);
  const Index block = projection_rows(inputs(), outputs());
  parallel_for(run, block_count(numeric.size(), block), [&](Index task) {
    const IndexRange range = block_range(numeric.size(), block, task);
    Matrix<T> projections(range.size(), outputs());
    project<T>(numeric, range, use, projections.view());
    if constexpr (std::is_same_v<T, float>) {
      if (use == ProjectionUse::angles) {
        restore_angles(numeric, range, projections.view());
      }
    }
    consume(range, projections.view());
  });
}
template void LinearProjection::for_blocks<float>(const Samples&, const char*, ProjectionUse,
                                                  const std::function<void(IndexRange, MatrixView<float>)>&,
                                                  const Run&) const;
template void LinearProjection::for_blocks<double>(const Samples&, const char*, ProjectionUse,
                                                   const std::function<void(IndexRange, MatrixView<double>)>&,
                                                   const Run&) const;

}  // namespace mercer
