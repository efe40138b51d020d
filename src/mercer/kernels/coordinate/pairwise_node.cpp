#include "mercer/kernels/coordinate/pairwise_node.h"

#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

template <class T>
void read_coordinates(const Prepared& side, const GeometryKey& key, Index i, std::span<T> out) {
  side.geometry<T>(key).dense_row(i, out);
}

}  // namespace

const GeometryKey& PairwiseNode::geometry_key() const {
  static const GeometryKey centered;
  return is_translation_invariant() ? centered : exact_geometry();
}

void PairwiseNode::request(KernelPreparation& preparation) const {
  preparation.need_geometry(
      geometry_key(), is_translation_invariant() ? GeometryUse{.distances = true} : GeometryUse{.products = true});
}

void PairwiseNode::complete(KernelPreparation& preparation) const { check_domain(preparation.target()); }

void PairwiseNode::check_domain(const Prepared& /*x*/) const {}

template <class T>
void PairwiseNode::fill(TileContext<T>& context, MatrixView<T> k) const {
  const Index d = context.x().samples().columns();
  std::vector<T> point(d);
  ScratchMatrix<T> block(context.workspace(), d, context.column_count());
  const MatrixView<T> y = block.view();
  for (Index j = 0; j < context.column_count(); ++j) {
    read_coordinates<T>(context.y(), geometry_key(), context.columns().begin + j, point);
    for (Index c = 0; c < d; ++c) {
      y(c, j) = point[c];
    }
  }
  for (Index i = 0; i < context.row_count(); ++i) {
    read_coordinates<T>(context.x(), geometry_key(), context.rows().begin + i, point);
    row(point, y, k.row(i));
  }
}

void PairwiseNode::tile(TileContext<float>& context, MatrixView<float> k) const { fill(context, k); }
void PairwiseNode::tile(TileContext<double>& context, MatrixView<double> k) const { fill(context, k); }

namespace {

// The diagonal is always in double, also of samples prepared in single precision.
void any_row(const Prepared& side, const GeometryKey& key, Index i, std::span<double> out) {
  if (side.precision() == Precision::double_precision) {
    read_coordinates<double>(side, key, i, out);
    return;
  }
  std::vector<float> single(out.size());
  read_coordinates<float>(side, key, i, single);
  std::copy(single.begin(), single.end(), out.begin());
}

}  // namespace

void PairwiseNode::diagonal(const Prepared& x, IndexRange range, std::span<double> k) const {
  std::vector<double> point(x.samples().columns());
  for (Index i = 0; i < range.size(); ++i) {
    any_row(x, geometry_key(), range.begin + i, point);
    row(point, ConstMatrixView<double>(point.data(), static_cast<Index>(point.size()), 1),
        k.subspan(static_cast<std::size_t>(i), 1));
  }
}

void PairwiseNode::parameter_derivatives(std::span<const double> /*x*/, std::span<const double> /*y*/,
                                         std::span<double> /*out*/) const {
  throw NumericalError("kernel " + entry().name + " does not differentiate its parameters");
}

void PairwiseNode::input_gradient(std::span<const double> /*x*/, std::span<const double> /*y*/,
                                  std::span<double> /*dx*/) const {
  no_input_derivatives(*this);
}

void PairwiseNode::mixed_derivative(std::span<const double> /*x*/, std::span<const double> /*y*/,
                                    std::span<double> /*mixed*/) const {
  no_input_derivatives(*this);
}

namespace {

// Calls f(i, j, x_i, y_j) for the pairs of a tile, in the coordinates of a geometry.
template <class F>
void for_pairs(const TileContext<double>& context, const GeometryKey& key, F f) {
  std::vector<double> x(context.x().samples().columns());
  std::vector<double> y(x.size());
  for (Index i = 0; i < context.row_count(); ++i) {
    read_coordinates<double>(context.x(), key, context.rows().begin + i, x);
    for (Index j = 0; j < context.column_count(); ++j) {
      read_coordinates<double>(context.y(), key, context.columns().begin + j, y);
      f(i, j, std::span<const double>(x), std::span<const double>(y));
    }
  }
}

}  // namespace

void PairwiseNode::contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const {
  const auto count = static_cast<std::size_t>(parameters().scale_count());
  if (count == 0) {
    return;
  }
  std::vector<double> slopes(count);
  for_pairs(context, geometry_key(), [&](Index i, Index j, std::span<const double> x, std::span<const double> y) {
    parameter_derivatives(x, y, slopes);
    for (std::size_t p = 0; p < count; ++p) {
      gradient[p] += q(i, j) * slopes[p];
    }
  });
}

void PairwiseNode::contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                                     std::span<double> gradient) const {
  const auto count = static_cast<std::size_t>(parameters().scale_count());
  if (count == 0) {
    return;
  }
  std::vector<double> point(x.samples().columns());
  std::vector<double> slopes(count);
  for (Index i = 0; i < range.size(); ++i) {
    any_row(x, geometry_key(), range.begin + i, point);
    parameter_derivatives(point, point, slopes);
    for (std::size_t p = 0; p < count; ++p) {
      gradient[p] += q[i] * slopes[p];
    }
  }
}

void PairwiseNode::contract_inputs(TileContext<double>& context, ConstMatrixView<double> q,
                                   MatrixView<double> dx) const {
  if (!has_input_derivatives()) {
    no_input_derivatives(*this);
  }
  std::vector<double> slope(context.x().samples().columns());
  for_pairs(context, geometry_key(), [&](Index i, Index j, std::span<const double> x, std::span<const double> y) {
    input_gradient(x, y, slope);
    for (std::size_t c = 0; c < slope.size(); ++c) {
      dx(i, static_cast<Index>(c)) += q(i, j) * slope[c];
    }
  });
}

void PairwiseNode::pair_derivatives(TileContext<double>& context, PairDerivatives& out) const {
  if (!has_input_derivatives()) {
    no_input_derivatives(*this);
  }
  double value[1];
  tile(context, MatrixView<double>(value, 1, 1));
  out.value = value[0];
  for_pairs(context, geometry_key(), [&](Index, Index, std::span<const double> x, std::span<const double> y) {
    input_gradient(x, y, out.dx);
    input_gradient(y, x, out.dy);
    mixed_derivative(x, y, out.mixed);
  });
}

namespace {

/// "row 3, column 1 (counted from 0) is -0.5" for the first negative value; empty: there is none.
std::string first_negative(const Prepared& x) {
  std::vector<double> point(x.samples().columns());
  for (Index i = 0; i < x.size(); ++i) {
    any_row(x, exact_geometry(), i, point);
    for (std::size_t c = 0; c < point.size(); ++c) {
      if (point[c] < 0) {
        return "row " + std::to_string(i) + ", column " + std::to_string(c) + " (counted from 0) is " +
               shortest(point[c]);
      }
    }
  }
  return {};
}

constexpr const char* scaling_advice = "; scale the data to [0, 1] with --scale minmax:0,1";

}  // namespace

void require_nonnegative(const Prepared& x, std::string_view kernel) {
  if (const std::string found = first_negative(x); !found.empty()) {
    throw DataError("the kernel " + std::string(kernel) + " needs non-negative inputs, but " + found + scaling_advice);
  }
}

void mark_negative(const KernelPreparation& preparation, std::string_view kernel) {
  if (const std::string found = first_negative(preparation.target()); !found.empty()) {
    preparation.leave_domain(found + ", and " + std::string(kernel) + " is positive definite for x >= 0" +
                             scaling_advice);
  }
}

}  // namespace mercer
