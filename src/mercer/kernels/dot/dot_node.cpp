#include "mercer/kernels/dot/dot_node.h"

#include <vector>

#include "mercer/base/error.h"
#include "mercer/kernels/dense_rows.h"
#include "mercer/kernels/registry.h"

namespace mercer {

const GeometryKey& plain_geometry() {
  static const GeometryKey plain;
  return plain;
}

template <class T>
void dot_products(TileContext<T>& context, MatrixView<T> out) {
  const ConstMatrixView<T> products = context.inner_products(plain_geometry());
  const auto& x = context.x().template geometry<T>(plain_geometry());
  const auto& y = context.y().template geometry<T>(plain_geometry());
  for (Index i = 0; i < out.rows(); ++i) {
    std::copy_n(products.row_data(i), out.columns(), out.row_data(i));
    if (!x.product_shifts().empty()) {
      const T shift = x.product_shifts()[context.rows().begin + i];
      const T* const shifts = y.product_shifts().data() + context.columns().begin;
      for (Index j = 0; j < out.columns(); ++j) {
        out(i, j) += shift + shifts[j];
      }
    }
  }
  context.for_same_samples(
      [&](Index i, Index j) { out(i, j) = static_cast<T>(x.squared_length(context.rows().begin + i)); });
}
template void dot_products(TileContext<float>&, MatrixView<float>);
template void dot_products(TileContext<double>&, MatrixView<double>);

namespace {

template <class T>
std::vector<T> squared_lengths(const Prepared& side, IndexRange range) {
  const auto& geometry = side.geometry<T>(plain_geometry());
  std::vector<T> lengths;
  lengths.reserve(range.size());
  for (Index i = range.begin; i < range.end; ++i) {
    lengths.push_back(static_cast<T>(geometry.squared_length(i)));
  }
  return lengths;
}

// Rows in plain coordinates: the geometry's rows with the centre added back.
class PlainRows {
 public:
  PlainRows(const Prepared& side, IndexRange range, Workspace& workspace)
      : block_(workspace, range.size(), side.geometry<double>(plain_geometry()).dimension()) {
    const Geometry<double>& geometry = side.geometry<double>(plain_geometry());
    const std::vector<double>& center = geometry.frame()->center;
    const MatrixView<double> rows = block_.view();
    for (Index i = 0; i < range.size(); ++i) {
      geometry.dense_row(range.begin + i, rows.row(i));
      for (std::size_t c = 0; c < center.size(); ++c) {
        rows(i, static_cast<Index>(c)) += center[c];
      }
    }
  }
  ConstMatrixView<double> view() { return block_.view(); }

 private:
  ScratchMatrix<double> block_;
};

}  // namespace

void DotNode::request(KernelPreparation& preparation) const {
  preparation.need_geometry(plain_geometry(), {.products = true});
}

void DotNode::complete(KernelPreparation& preparation) const { check_domain(preparation.target()); }

void DotNode::check_domain(const Prepared& /*x*/) const {}

template <class T>
void DotNode::fill(TileContext<T>& context, MatrixView<T> k) const {
  dot_products(context, k);
  const std::vector<T> a = squared_lengths<T>(context.x(), context.rows());
  const std::vector<T> b = squared_lengths<T>(context.y(), context.columns());
  for (Index i = 0; i < k.rows(); ++i) {
    profile(k.row(i), a[i], b);
  }
}

void DotNode::tile(TileContext<float>& context, MatrixView<float> k) const { fill(context, k); }
void DotNode::tile(TileContext<double>& context, MatrixView<double> k) const { fill(context, k); }

void DotNode::diagonal(const Prepared& x, IndexRange range, std::span<double> k) const {
  for (Index i = 0; i < range.size(); ++i) {
    const double length[1] = {x.squared_length(plain_geometry(), range.begin + i)};
    k[i] = length[0];
    profile(k.subspan(static_cast<std::size_t>(i), 1), length[0], length);
  }
}

void DotNode::parameter_derivatives(double /*t*/, double /*a*/, double /*b*/, std::span<double> out) const {
  if (!out.empty()) {
    throw NumericalError("kernel " + entry().name + " does not differentiate its parameters");
  }
}

void DotNode::contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const {
  const auto count = static_cast<std::size_t>(parameters().scale_count());
  if (count == 0) {
    return;
  }
  ScratchMatrix<double> block = context.scratch();
  const MatrixView<double> t = block.view();
  dot_products(context, t);
  const std::vector<double> a = squared_lengths<double>(context.x(), context.rows());
  const std::vector<double> b = squared_lengths<double>(context.y(), context.columns());
  std::vector<double> slopes(count);
  for (Index i = 0; i < t.rows(); ++i) {
    for (Index j = 0; j < t.columns(); ++j) {
      parameter_derivatives(t(i, j), a[i], b[j], slopes);
      for (std::size_t p = 0; p < count; ++p) {
        gradient[p] += q(i, j) * slopes[p];
      }
    }
  }
}

void DotNode::contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                                std::span<double> gradient) const {
  const auto count = static_cast<std::size_t>(parameters().scale_count());
  std::vector<double> slopes(count);
  for (Index i = 0; i < range.size(); ++i) {
    const double length = x.squared_length(plain_geometry(), range.begin + i);
    parameter_derivatives(length, length, length, slopes);
    for (std::size_t p = 0; p < count; ++p) {
      gradient[p] += q[i] * slopes[p];
    }
  }
}

void DotNode::contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const {
  ScratchMatrix<double> block = context.scratch();
  const MatrixView<double> t = block.view();
  dot_products(context, t);
  const std::vector<double> a = squared_lengths<double>(context.x(), context.rows());
  const std::vector<double> b = squared_lengths<double>(context.y(), context.columns());
  PlainRows x_rows(context.x(), context.rows(), context.workspace());
  PlainRows y_rows(context.y(), context.columns(), context.workspace());
  const ConstMatrixView<double> x = x_rows.view();
  const ConstMatrixView<double> y = y_rows.view();
  for (Index i = 0; i < t.rows(); ++i) {
    double along_x = 0;
    for (Index j = 0; j < t.columns(); ++j) {
      const DotDerivatives slope = derivatives(t(i, j), a[i], b[j]);
      along_x += q(i, j) * 2 * slope.a;
      const double along_y = q(i, j) * slope.t;
      for (Index c = 0; c < y.columns(); ++c) {
        dx(i, c) += along_y * y(j, c);
      }
    }
    for (Index c = 0; c < x.columns(); ++c) {
      dx(i, c) += along_x * x(i, c);
    }
  }
}

void DotNode::pair_derivatives(TileContext<double>& context, PairDerivatives& out) const {
  double t[1];
  dot_products(context, MatrixView<double>(t, 1, 1));
  const double a = squared_lengths<double>(context.x(), context.rows())[0];
  const double b[1] = {squared_lengths<double>(context.y(), context.columns())[0]};
  const DotDerivatives slope = derivatives(t[0], a, b[0]);
  profile(std::span<double>(t), a, b);
  out.value = t[0];
  PlainRows x_row(context.x(), context.rows(), context.workspace());
  PlainRows y_row(context.y(), context.columns(), context.workspace());
  const ConstMatrixView<double> x = x_row.view();
  const ConstMatrixView<double> y = y_row.view();
  const auto d = static_cast<std::size_t>(out.dimension);
  for (std::size_t p = 0; p < d; ++p) {
    const double xp = x(0, static_cast<Index>(p));
    const double yp = y(0, static_cast<Index>(p));
    out.dx[p] += slope.t * yp + 2 * slope.a * xp;
    out.dy[p] += slope.t * xp + 2 * slope.b * yp;
    out.mixed[p * d + p] += slope.t;
    for (std::size_t r = 0; r < d; ++r) {
      const double xr = x(0, static_cast<Index>(r));
      const double yr = y(0, static_cast<Index>(r));
      out.mixed[p * d + r] += yp * (slope.tt * xr + 2 * slope.tb * yr) + 2 * xp * (slope.ta * xr + 2 * slope.ab * yr);
    }
  }
}

}  // namespace mercer
