#include "mercer/kernels/nodes/point_values.h"

#include "mercer/kernels/sparse_products.h"

namespace mercer {

void numeric_row(const Samples& samples, Index i, std::span<double> out) {
  visit_numeric(samples, [&](const auto& rows) { read_row(rows, i, out); });
}

std::vector<double> whole_diagonal(const KernelNode& kernel, const Prepared& x) {
  std::vector<double> diagonal(x.size());
  kernel.diagonal(x, {0, x.size()}, diagonal);
  return diagonal;
}

void diagonal_slope(const KernelNode& kernel, const Prepared& x, Index i, Workspace& workspace, std::span<double> out) {
  TileContext<double> same(x, {i, i + 1}, x, {i, i + 1}, workspace);
  const double two[1] = {2};
  std::fill(out.begin(), out.end(), 0.0);
  kernel.contract_inputs(same, ConstMatrixView<double>(two, 1, 1),
                         MatrixView<double>(out.data(), 1, static_cast<Index>(out.size())));
}

void scale_pair_derivatives(const PairDerivatives& k, const PointFunction& f, const PointFunction& g,
                            PairDerivatives& out) {
  out.value = f.value * k.value * g.value;
  const std::size_t d = out.dx.size();
  for (std::size_t a = 0; a < d; ++a) {
    out.dx[a] = (f.value * k.dx[a] + f.slope[a] * k.value) * g.value;
    out.dy[a] = (g.value * k.dy[a] + g.slope[a] * k.value) * f.value;
    for (std::size_t b = 0; b < d; ++b) {
      out.mixed[a * d + b] = f.value * g.value * k.mixed[a * d + b] + f.value * k.dx[a] * g.slope[b] +
                             f.slope[a] * k.dy[b] * g.value + f.slope[a] * k.value * g.slope[b];
    }
  }
}

std::vector<double> row_sums(ConstMatrixView<double> q) {
  std::vector<double> sums(q.rows(), 0.0);
  for (Index i = 0; i < q.rows(); ++i) {
    for (Index j = 0; j < q.columns(); ++j) {
      sums[i] += q(i, j);
    }
  }
  return sums;
}

std::vector<double> column_sums(ConstMatrixView<double> q) {
  std::vector<double> sums(q.columns(), 0.0);
  for (Index i = 0; i < q.rows(); ++i) {
    for (Index j = 0; j < q.columns(); ++j) {
      sums[j] += q(i, j);
    }
  }
  return sums;
}

}  // namespace mercer
