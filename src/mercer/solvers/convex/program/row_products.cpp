#include "mercer/solvers/convex/program/row_products.h"

#include "mercer/base/parallel.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

constexpr Index product_rows = 64;
constexpr Index product_columns = 4096;

std::span<double> part_of_span(std::span<double> values, IndexRange range) {
  return values.subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
}

}  // namespace

void multiply_rows(ConstMatrixView<double> rows, std::span<const double> x, std::span<double> out, const Run& run) {
  parallel_for(run, block_count(rows.rows(), product_rows), [&](Index block) {
    const IndexRange range = block_range(rows.rows(), product_rows, block);
    gemv(1.0, rows.row_block(range), Transpose::no, x, 0.0, part_of_span(out, range));
  });
}

void multiply_rows_transposed(ConstMatrixView<double> rows, std::span<const double> y, std::span<double> out,
                              const Run& run) {
  parallel_for(run, block_count(rows.columns(), product_columns), [&](Index block) {
    const IndexRange range = block_range(rows.columns(), product_columns, block);
    gemv(1.0, rows.block({0, rows.rows()}, range), Transpose::yes, y, 0.0, part_of_span(out, range));
  });
}

}  // namespace mercer
