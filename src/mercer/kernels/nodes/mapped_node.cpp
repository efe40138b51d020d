#include "mercer/kernels/nodes/mapped_node.h"

namespace mercer {

template <class T>
void MappedNode::fill(TileContext<T>& context, MatrixView<T> k) const {
  child(0).tile(context, k);
  for (Index i = 0; i < k.rows(); ++i) {
    map(k.row(i));
  }
}

void MappedNode::tile(TileContext<float>& context, MatrixView<float> k) const { fill(context, k); }
void MappedNode::tile(TileContext<double>& context, MatrixView<double> k) const { fill(context, k); }

void MappedNode::diagonal(const Prepared& x, IndexRange range, std::span<double> k) const {
  child(0).diagonal(x, range, k);
  map(k);
}

void MappedNode::parameter_slopes(double /*v*/, std::span<double> /*out*/) const {}

void MappedNode::contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const {
  ScratchMatrix<double> block = context.scratch();
  const MatrixView<double> v = block.view();
  child(0).tile(context, v);
  const auto own = static_cast<std::size_t>(parameters().scale_count());
  std::vector<double> slopes(own);
  for (Index i = 0; i < v.rows(); ++i) {
    for (Index j = 0; j < v.columns(); ++j) {
      if (own > 0) {
        parameter_slopes(v(i, j), slopes);
        for (std::size_t p = 0; p < own; ++p) {
          gradient[p] += q(i, j) * slopes[p];
        }
      }
      v(i, j) = q(i, j) * slope(v(i, j));
    }
  }
  if (child(0).scale_count() > 0) {
    child(0).contract(context, v, child_gradient(*this, 0, gradient));
  }
}

void MappedNode::contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                                   std::span<double> gradient) const {
  std::vector<double> v(q.size());
  child(0).diagonal(x, range, v);
  const auto own = static_cast<std::size_t>(parameters().scale_count());
  std::vector<double> slopes(own);
  for (std::size_t i = 0; i < v.size(); ++i) {
    parameter_slopes(v[i], slopes);
    for (std::size_t p = 0; p < own; ++p) {
      gradient[p] += q[i] * slopes[p];
    }
    v[i] = q[i] * slope(v[i]);
  }
  child(0).contract_diagonal(x, range, v, child_gradient(*this, 0, gradient));
}

void MappedNode::contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const {
  ScratchMatrix<double> block = context.scratch();
  const MatrixView<double> v = block.view();
  child(0).tile(context, v);
  for (Index i = 0; i < v.rows(); ++i) {
    for (Index j = 0; j < v.columns(); ++j) {
      v(i, j) = q(i, j) * slope(v(i, j));
    }
  }
  child(0).contract_inputs(context, v, dx);
}

// g(f)_xy = g'(f) f_xy + g''(f) f_x f_yᵀ
void MappedNode::pair_derivatives(TileContext<double>& context, PairDerivatives& out) const {
  PairDerivatives f(out.dimension);
  child(0).pair_derivatives(context, f);
  const double first = slope(f.value);
  const double second = curvature(f.value);
  double value[1] = {f.value};
  map(std::span<double>(value));
  out.value = value[0];
  const std::size_t d = out.dx.size();
  for (std::size_t a = 0; a < d; ++a) {
    out.dx[a] = first * f.dx[a];
    out.dy[a] = first * f.dy[a];
    for (std::size_t b = 0; b < d; ++b) {
      out.mixed[a * d + b] = first * f.mixed[a * d + b] + second * f.dx[a] * f.dy[b];
    }
  }
}

}  // namespace mercer
