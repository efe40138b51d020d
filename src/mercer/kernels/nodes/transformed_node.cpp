#include "mercer/kernels/nodes/transformed_node.h"

#include "mercer/base/error.h"
#include "mercer/kernels/nodes/point_values.h"
#include "mercer/kernels/registry.h"

namespace mercer {

TransformedNode::TransformedNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
    : KernelNode(entry, std::move(parameters), std::move(children)), key_(entry.name) {
  for (const Parameter& parameter : this->parameters().all()) {
    key_ += " " + parameter.spec->name + "=" + to_string(parameter.value);
  }
}

template <class T>
Samples TransformedNode::transformed_sparse(const SparseRows<T>& rows) const {
  const std::int64_t first = rows.offsets[0];
  const auto count = static_cast<std::size_t>(rows.offsets[rows.rows] - first);
  std::vector<double> values(count);
  std::vector<std::int32_t> column_numbers(rows.column_numbers + first, rows.column_numbers + first + count);
  std::vector<std::int64_t> offsets;
  for (Index i = 0; i <= rows.rows; ++i) {
    offsets.push_back(rows.offsets[i] - first);
  }
  for (std::size_t e = 0; e < count; ++e) {
    const auto x = static_cast<double>(rows.values[first + static_cast<std::int64_t>(e)]);
    map(std::span<const double>(&x, 1), std::span<double>(&values[e], 1), 0);
  }
  return make_sparse(std::move(values), std::move(column_numbers), std::move(offsets), rows.columns);
}

Samples TransformedNode::transformed_numeric(const Samples& samples) const {
  if (keeps_zeros() && samples.kind() == SampleKind::sparse) {
    const auto* const single = std::get_if<SparseRows<float>>(&samples.rows());
    return single != nullptr ? transformed_sparse(*single)
                             : transformed_sparse(std::get<SparseRows<double>>(samples.rows()));
  }
  if (!samples.is_numeric()) {
    throw InvalidArgument(entry().name + " transforms numeric columns, but the samples are " +
                          std::string(to_string(samples.kind())));
  }
  require_finite(samples);
  Matrix<double> z(samples.size(), output_columns(samples.columns()));
  std::vector<double> x(samples.columns());
  for (Index i = 0; i < samples.size(); ++i) {
    numeric_row(samples, i, x);
    map(x, z.view().row(i), i);
  }
  return make_dense(std::move(z));
}

Samples TransformedNode::transformed(const Samples& all) const {
  if (all.kind() != SampleKind::table) {
    return transformed_numeric(all).with_identity_of(all);
  }
  const Table& table = all.table();
  Samples numeric = transformed_numeric(table.numeric()).with_identity_of(table.numeric());
  if (numeric.columns() == table.numeric().columns()) {
    return make_table(table.with(std::move(numeric))).with_identity_of(all);
  }
  return make_table(Table(std::move(numeric), {}, {table.others().begin(), table.others().end()}))
      .with_identity_of(all);
}

std::shared_ptr<const KernelNode> TransformedNode::resolved(const WeightedSamples& all, const Run& run) const {
  return rebuilt(parameters(), {Kernel(child(0).resolved(all.with(transformed(all.samples)), run))});
}

KernelPreparation TransformedNode::enter(const KernelPreparation& outer) const {
  return outer.enter(key_, [this](const Samples& all) { return transformed(all); });
}

void TransformedNode::request(KernelPreparation& preparation) const {
  KernelPreparation inner = enter(preparation);
  child(0).request(inner);
}

void TransformedNode::complete(KernelPreparation& preparation) const {
  KernelPreparation inner = enter(preparation);
  child(0).complete(inner);
}

void TransformedNode::tile(TileContext<float>& context, MatrixView<float> k) const {
  TileContext<float> inner = context.enter(key_);
  child(0).tile(inner, k);
}

void TransformedNode::tile(TileContext<double>& context, MatrixView<double> k) const {
  TileContext<double> inner = context.enter(key_);
  child(0).tile(inner, k);
}

void TransformedNode::diagonal(const Prepared& x, IndexRange range, std::span<double> k) const {
  child(0).diagonal(x.scope(key_), range, k);
}

void TransformedNode::contract(TileContext<double>& context, ConstMatrixView<double> q,
                               std::span<double> gradient) const {
  TileContext<double> inner = context.enter(key_);
  child(0).contract(inner, q, gradient);
}

void TransformedNode::contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                                        std::span<double> gradient) const {
  child(0).contract_diagonal(x.scope(key_), range, q, gradient);
}

void TransformedNode::contract_inputs(TileContext<double>& context, ConstMatrixView<double> q,
                                      MatrixView<double> dx) const {
  TileContext<double> inner = context.enter(key_);
  Matrix<double> dz = Matrix<double>::filled(dx.rows(), inner.x().samples().columns(), 0.0);
  child(0).contract_inputs(inner, q, dz.view());
  std::vector<double> x(context.x().samples().columns());
  for (Index i = 0; i < dx.rows(); ++i) {
    numeric_row(context.x().samples(), context.rows().begin + i, x);
    pull_back(x, dz.view().row(i), dx.row(i));
  }
}

// ∂²/∂x∂y = J_xᵀ M J_y
void TransformedNode::pair_derivatives(TileContext<double>& context, PairDerivatives& out) const {
  TileContext<double> inner = context.enter(key_);
  PairDerivatives z(inner.x().samples().columns());
  child(0).pair_derivatives(inner, z);
  const auto d = static_cast<std::size_t>(out.dimension);
  const auto e = static_cast<std::size_t>(z.dimension);
  std::vector<double> x(d);
  std::vector<double> y(d);
  numeric_row(context.x().samples(), context.rows().begin, x);
  numeric_row(context.y().samples(), context.columns().begin, y);
  out.value = z.value;
  pull_back(x, z.dx, out.dx);
  pull_back(y, z.dy, out.dy);
  std::vector<double> half(e * d, 0.0);  // M J_y
  for (std::size_t a = 0; a < e; ++a) {
    pull_back(y, std::span<const double>(z.mixed).subspan(a * e, e), std::span<double>(half).subspan(a * d, d));
  }
  std::vector<double> column(e);
  std::vector<double> pulled(d);
  for (std::size_t b = 0; b < d; ++b) {
    for (std::size_t a = 0; a < e; ++a) {
      column[a] = half[a * d + b];
    }
    std::fill(pulled.begin(), pulled.end(), 0.0);
    pull_back(x, column, pulled);
    for (std::size_t a = 0; a < d; ++a) {
      out.mixed[a * d + b] += pulled[a];
    }
  }
}

}  // namespace mercer
