#include "mercer/solvers/convex/program/factor_passes.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/parallel.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

constexpr Index pass_block = 512;  // rows that are in cache at a time
constexpr Index most_parts = 16;

std::span<double> range_of(std::span<double> values, IndexRange range) {
  return values.subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
}
std::span<const double> range_of(std::span<const double> values, IndexRange range) {
  return values.subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
}

}  // namespace

Index part_count(const FactorRows& rows) {
  const Index by_memory = rows.columns() > 0 ? rows.rows() / rows.columns() : most_parts;
  return std::clamp(std::min(by_memory, rows.rows() / pass_block), Index{1}, most_parts);
}

void for_row_blocks(const FactorRows& rows, Index parts, const Run& run,
                    const std::function<void(Index, IndexRange, ConstMatrixView<double>)>& work) {
  const Index size = block_count(std::max(rows.rows(), Index{1}), parts);
  parallel_for(run, parts, [&](Index part) {
    const IndexRange all = {std::min(part * size, rows.rows()), std::min((part + 1) * size, rows.rows())};
    Matrix<double> memory;
    for (Index begin = all.begin; begin < all.end; begin += pass_block) {
      run.check_stop();
      const IndexRange range = {begin, std::min(begin + pass_block, all.end)};
      ConstMatrixView<double> block = rows.stored(range);
      if (block.empty()) {
        if (memory.rows() < range.size()) {
          memory = Matrix<double>(range.size(), rows.columns());
        }
        const MatrixView<double> out = memory.view().row_block({0, range.size()});
        rows.read(range, out);
        block = out;
      }
      work(part, range, block);
    }
  });
}

std::vector<double> factor_transposed_times(const FactorRows& rows, std::span<const double> v, const Run& run) {
  const Index parts = part_count(rows);
  const auto k = static_cast<std::size_t>(rows.columns());
  std::vector<std::vector<double>> partial(static_cast<std::size_t>(parts), std::vector<double>(k, 0.0));
  for_row_blocks(rows, parts, run, [&](Index part, IndexRange range, ConstMatrixView<double> block) {
    gemv(1.0, block, Transpose::yes, range_of(v, range), 1.0, partial[static_cast<std::size_t>(part)]);
  });
  for (std::size_t part = 1; part < partial.size(); ++part) {
    axpy(1.0, partial[part], partial[0]);
  }
  return std::move(partial[0]);
}

void factor_times(const FactorRows& rows, std::span<const double> s, std::span<double> out, const Run& run) {
  for_row_blocks(rows, block_count(std::max(rows.rows(), Index{1}), pass_block), run,
                 [&](Index /*part*/, IndexRange range, ConstMatrixView<double> block) {
                   gemv(1.0, block, Transpose::no, s, 0.0, range_of(out, range));
                 });
}

void weighted_products(const FactorRows& rows, std::span<const double> weights, ConstMatrixView<double> constraints,
                       MatrixView<double> square, MatrixView<double> cross, const Run& run) {
  const Index parts = part_count(rows);
  const Index k = rows.columns();
  const Index m = constraints.rows();
  std::vector<Matrix<double>> squares(static_cast<std::size_t>(parts));
  std::vector<Matrix<double>> crosses(static_cast<std::size_t>(parts));
  std::vector<Matrix<double>> scaled(static_cast<std::size_t>(parts));
  std::vector<Matrix<double>> beside(static_cast<std::size_t>(parts));
  for_row_blocks(rows, parts, run, [&](Index part, IndexRange range, ConstMatrixView<double> block) {
    const auto at = static_cast<std::size_t>(part);
    if (squares[at].rows() != k) {
      squares[at] = Matrix<double>::filled(k, k, 0.0);
      crosses[at] = Matrix<double>::filled(k, m, 0.0);
    }
    if (scaled[at].rows() < block.rows()) {
      scaled[at] = Matrix<double>(block.rows(), k);
      beside[at] = Matrix<double>(block.rows(), m);
    }
    const MatrixView<double> to = scaled[at].view().row_block({0, block.rows()});
    const MatrixView<double> other = beside[at].view().row_block({0, block.rows()});
    for (Index i = 0; i < block.rows(); ++i) {
      const double root = std::sqrt(weights[static_cast<std::size_t>(range.begin + i)]);
      const double* from = block.row_data(i);
      double* row = to.row_data(i);
      for (Index j = 0; j < k; ++j) {
        row[j] = root * from[j];
      }
      for (Index c = 0; c < m; ++c) {
        other(i, c) = root * constraints(c, range.begin + i);
      }
    }
    syrk(1.0, to, Transpose::yes, 1.0, squares[at].view());
    if (m > 0) {
      gemm(1.0, to, Transpose::yes, other, Transpose::no, 1.0, crosses[at].view());
    }
  });
  for (Index i = 0; i < k; ++i) {
    std::fill_n(square.row_data(i), i + 1, 0.0);
    std::fill_n(cross.row_data(i), m, 0.0);
  }
  for (std::size_t part = 0; part < squares.size(); ++part) {
    for (Index i = 0; i < squares[part].rows(); ++i) {
      for (Index j = 0; j <= i; ++j) {
        square(i, j) += squares[part](i, j);
      }
      for (Index c = 0; c < m; ++c) {
        cross(i, c) += crosses[part](i, c);
      }
    }
  }
}

}  // namespace mercer
