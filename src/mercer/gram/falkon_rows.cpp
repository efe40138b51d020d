#include "mercer/gram/falkon_rows.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "mercer/base/parallel.h"
#include "mercer/gram/kernel_block.h"
#include "mercer/gram/kernel_gram.h"

namespace mercer {

namespace {

constexpr Index falkon_chunk_rows = 8192;

// Kernel values in the columns of the landmarks, 1 in the one beyond them.
template <class T>
TileFiller<T> filler_with_ones(const Kernel& kernel, const Prepared& x, const Prepared& landmarks) {
  return [&](IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace) {
    const IndexRange kernels{columns.begin, std::min(columns.end, landmarks.size())};
    if (kernels.size() > 0) {
      fill_block<T>(kernel, x, rows, landmarks, kernels, out.block(0, 0, rows.size(), kernels.size()), workspace);
    }
    for (Index i = 0; kernels.end < columns.end && i < rows.size(); ++i) {
      out(i, columns.size() - 1) = T(1);
    }
  };
}

}  // namespace

FalkonRows::FalkonRows(const Kernel& kernel, Samples samples, const Samples& landmarks, FalkonOffset offset,
                       double storage_bytes, const Run& run)
    : samples_(std::move(samples)),
      offset_(offset),
      landmarks_(landmarks.size()),
      single_(std::make_shared<const PreparedKernel>(kernel, landmarks, Precision::single_precision, run)),
      full_(std::make_shared<const PreparedKernel>(kernel, landmarks, Precision::double_precision, run)) {
  if (stored_bytes() <= storage_bytes) {
    store(run);
  }
}

template <>
const std::shared_ptr<const PreparedKernel>& FalkonRows::kernel<float>() const {
  return single_;
}
template <>
const std::shared_ptr<const PreparedKernel>& FalkonRows::kernel<double>() const {
  return full_;
}

void FalkonRows::store(const Run& run) {
  stored_ = Matrix<float>(rows(), columns());
  for (Index c = 0; c < block_count(rows(), falkon_chunk_rows); ++c) {
    const IndexRange chunk = block_range(rows(), falkon_chunk_rows, c);
    const auto prepared = single_->prepare(samples_.slice(chunk), run.quiet());
    const MatrixView<float> block = stored_.view().row_block(chunk);
    evaluate_block<float>(single_->kernel(), *prepared, single_->reference(),
                          block.block(0, 0, chunk.size(), landmarks_), run);
    for (Index i = 0; columns() > landmarks_ && i < chunk.size(); ++i) {
      block(i, landmarks_) = 1;
    }
    run.progress("kernel values", static_cast<double>(chunk.end), static_cast<double>(rows()));
  }
}

void FalkonRows::multiply(ConstMatrixView<double> v, const RowMap& map, MatrixView<double> out, Precision precision,
                          const Run& run) const {
  if (precision == Precision::single_precision) {
    multiply_in<float>(v, map, out, run);
  } else {
    multiply_in<double>(v, map, out, run);
  }
}

template <class T>
void FalkonRows::multiply_in(ConstMatrixView<double> v, const RowMap& map, MatrixView<double> out,
                             const Run& run) const {
  Matrix<T> rounded(v.rows(), v.columns());
  for (Index i = 0; i < v.rows(); ++i) {
    std::transform(v.row_data(i), v.row_data(i) + v.columns(), rounded.view().row_data(i),
                   [](double value) { return static_cast<T>(value); });
    std::fill_n(out.row_data(i), out.columns(), 0.0);
  }
  if constexpr (std::is_same_v<T, float>) {
    if (is_stored()) {
      add_mapped_normal<float>(std::as_const(stored_).view(), rounded.view(), map, out, run);
      return;
    }
  }
  const PreparedKernel& prepared = *kernel<T>();
  for (Index c = 0; c < block_count(rows(), falkon_chunk_rows); ++c) {
    const IndexRange chunk = block_range(rows(), falkon_chunk_rows, c);
    const auto x = prepared.prepare(samples_.slice(chunk), run.quiet());
    const auto fill = filler_with_ones<T>(prepared.kernel(), *x, prepared.reference());
    const RowMap shifted = [&](IndexRange part, MatrixView<double> values) {
      map({chunk.begin + part.begin, chunk.begin + part.end}, values);
    };
    add_mapped_normal<T>(chunk.size(), columns(), fill, rounded.view(), map ? shifted : map, out, run);
  }
}

void FalkonRows::landmark_gram(MatrixView<double> out, const Run& run) const {
  evaluate_gram<double>(*full_, Triangle::lower, out, run);
}

void FalkonRows::transposed_rows(std::span<const Index> list, MatrixView<double> out, const Run& run) const {
  const auto x = full_->prepare(samples_.select(list), run.quiet());
  evaluate_block<double>(full_->kernel(), full_->reference(), *x, out, run);
}

double FalkonRows::working_bytes(Index data_columns, Index landmarks, Index outputs, int threads) {
  const auto d = static_cast<double>(data_columns);
  const auto m = static_cast<double>(landmarks + 1);
  const auto c = static_cast<double>(outputs);
  const double chunk = static_cast<double>(falkon_chunk_rows) * d * (sizeof(float) + 2 * sizeof(double));
  const double stripes = static_cast<double>(threads) * static_cast<double>(tile_size) * m * sizeof(double);
  const double references = m * d * (sizeof(float) + 2 * sizeof(double));
  return chunk + stripes + references + 18 * m * c * sizeof(double);
}

}  // namespace mercer
