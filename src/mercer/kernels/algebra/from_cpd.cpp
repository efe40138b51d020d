#include "mercer/kernels/algebra/from_cpd.h"

#include "mercer/base/error.h"
#include "mercer/kernels/nodes/point_values.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

struct AtPoint {
  std::shared_ptr<const Prepared> reference;  // null for the training samples themselves: they own this
  std::shared_ptr<const Prepared> point;      // x₀ as a sample set of one row
  std::vector<double> of_samples;             // k(x, x₀)
  double itself = 0;                          // k(x₀, x₀)
};

// One row of the same columns as `all`.
Samples one_row_like(const Samples& all, std::vector<double> values) {
  const auto columns = static_cast<Index>(values.size());
  Samples row = make_dense(std::move(values), 1, columns);
  if (all.kind() != SampleKind::table) {
    return row;
  }
  const Table& table = all.table();
  if (!table.others().empty()) {
    throw InvalidArgument("from_cpd needs a point x0 in numeric columns, but there are others, such as '" +
                          table.others().front().name + "'; choose columns with a subscript");
  }
  std::vector<std::string> names(table.numeric_names().begin(), table.numeric_names().end());
  return make_table(Table(std::move(row), std::move(names), {}));
}

class FromCpdNode final : public TemplatedTile<FromCpdNode> {
 public:
  using TemplatedTile::TemplatedTile;

  Definiteness definiteness() const override { return definiteness_of_shifted_origin(child(0).definiteness()); }

  bool depends_on_reference() const override {
    return parameters().word("origin") == "mean" || KernelNode::depends_on_reference();
  }

  void complete(KernelPreparation& preparation) const override {
    child(0).complete(preparation);
    const Prepared& x = preparation.target();
    auto slot = std::make_shared<AtPoint>();
    slot->reference = preparation.reference();
    if (slot->reference) {
      const AtPoint& of_reference = slot->reference->slot<AtPoint>(*this);
      slot->point = of_reference.point;
      slot->itself = of_reference.itself;
    } else {
      slot->point = prepare_point(preparation);
      double itself[1];
      child(0).diagonal(*slot->point, {0, 1}, itself);
      slot->itself = itself[0];
    }
    slot->of_samples.resize(x.size());
    if (x.precision() == Precision::single_precision) {
      evaluate_at_point<float>(x, *slot);
    } else {
      evaluate_at_point<double>(x, *slot);
    }
    preparation.keep(*this, slot);
  }

  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override {
    child(0).diagonal(x, range, k);
    const AtPoint& slot = x.slot<AtPoint>(*this);
    for (std::size_t i = 0; i < k.size(); ++i) {
      k[i] = 0.5 * (k[i] + slot.itself) - slot.of_samples[static_cast<std::size_t>(range.begin) + i];
    }
  }

  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override {
    ScratchMatrix<double> block = context.scratch();
    halve(q, block.view());
    child(0).contract(context, block.view(), gradient);
    const Prepared& point = *context.x().slot<AtPoint>(*this).point;
    double total = 0;
    std::vector<double> rows = row_sums(block.view());
    std::vector<double> columns = column_sums(block.view());
    for (const double sum : rows) {
      total += sum;
    }
    contract_at_point(context.x(), context.rows(), point, std::move(rows), context.workspace(), gradient);
    contract_at_point(context.y(), context.columns(), point, std::move(columns), context.workspace(), gradient);
    child(0).contract_diagonal(point, {0, 1}, std::span<const double>(&total, 1), gradient);
  }
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override {
    std::vector<double> half(q.size());
    std::vector<double> whole(q.begin(), q.end());
    double total = 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
      half[i] = 0.5 * q[i];
      total += half[i];
    }
    child(0).contract_diagonal(x, range, half, gradient);
    const Prepared& point = *x.slot<AtPoint>(*this).point;
    Workspace workspace;
    contract_at_point(x, range, point, std::move(whole), workspace, gradient);
    child(0).contract_diagonal(point, {0, 1}, std::span<const double>(&total, 1), gradient);
  }

  bool has_input_derivatives() const override { return child(0).has_input_derivatives(); }
  void contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const override {
    ScratchMatrix<double> block = context.scratch();
    halve(q, block.view());
    child(0).contract_inputs(context, block.view(), dx);
    std::vector<double> rows = row_sums(block.view());
    for (double& sum : rows) {
      sum = -sum;
    }
    TileContext<double> at_point(context.x(), context.rows(), *context.x().slot<AtPoint>(*this).point, {0, 1},
                                 context.workspace());
    child(0).contract_inputs(at_point, ConstMatrixView<double>(rows.data(), context.row_count(), 1), dx);
  }
  void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const override {
    child(0).pair_derivatives(context, out);
    const AtPoint& of_x = context.x().slot<AtPoint>(*this);
    const AtPoint& of_y = context.y().slot<AtPoint>(*this);
    out.value = 0.5 * (out.value + of_x.itself - of_x.of_samples[context.rows().begin] -
                       of_y.of_samples[context.columns().begin]);
    subtract_point_slope(context.x(), context.rows(), context.workspace(), out.dx);
    subtract_point_slope(context.y(), context.columns(), context.workspace(), out.dy);
    for (double& entry : out.mixed) {
      entry *= 0.5;
    }
  }

 private:
  friend TemplatedTile;

  static void halve(ConstMatrixView<double> q, MatrixView<double> half) {
    for (Index i = 0; i < q.rows(); ++i) {
      for (Index j = 0; j < q.columns(); ++j) {
        half(i, j) = 0.5 * q(i, j);
      }
    }
  }

  // d = ½ (d − ∂k(x, x₀)/∂x)
  void subtract_point_slope(const Prepared& x, IndexRange row, Workspace& workspace, std::span<double> d) const {
    TileContext<double> at_point(x, row, *x.slot<AtPoint>(*this).point, {0, 1}, workspace);
    const double minus[1] = {-1};
    child(0).contract_inputs(at_point, ConstMatrixView<double>(minus, 1, 1),
                             MatrixView<double>(d.data(), 1, static_cast<Index>(d.size())));
    for (double& component : d) {
      component *= 0.5;
    }
  }

  // gradient −= Σ_i weights_i ∂k(x_i, x₀)/∂θ
  void contract_at_point(const Prepared& x, IndexRange rows, const Prepared& point, std::vector<double> weights,
                         Workspace& workspace, std::span<double> gradient) const {
    for (double& weight : weights) {
      weight = -weight;
    }
    TileContext<double> at_point(x, rows, point, {0, 1}, workspace);
    child(0).contract(at_point, ConstMatrixView<double>(weights.data(), rows.size(), 1), gradient);
  }

  // The point sees the training samples as its reference without owning them: they own the point.
  std::shared_ptr<const Prepared> prepare_point(const KernelPreparation& preparation) const {
    const Prepared& x = preparation.target();
    std::vector<double> values(x.samples().columns(), 0.0);
    if (!x.samples().is_numeric()) {
      throw InvalidArgument("from_cpd needs a point x0 in numeric columns; choose columns with a subscript");
    }
    if (parameters().word("origin") == "mean") {
      std::vector<double> row(values.size());
      for (Index i = 0; i < x.size(); ++i) {
        numeric_row(x.samples(), i, row);
        for (std::size_t c = 0; c < row.size(); ++c) {
          values[c] += row[c] / static_cast<double>(x.size());
        }
      }
    }
    auto point = std::make_shared<Prepared>(one_row_like(x.all(), std::move(values)), x.precision());
    KernelPreparation inner(point, std::shared_ptr<const Prepared>(std::shared_ptr<const Prepared>(), &x),
                            preparation.run());
    child(0).request(inner);
    inner.build_geometries();
    child(0).complete(inner);
    return point;
  }

  template <class T>
  void evaluate_at_point(const Prepared& x, AtPoint& slot) const {
    Workspace workspace;
    for (Index b = 0; b < block_count(x.size(), tile_size); ++b) {
      const IndexRange rows = block_range(x.size(), tile_size, b);
      TileContext<T> context(x, rows, *slot.point, {0, 1}, workspace);
      ScratchMatrix<T> block = context.scratch();
      child(0).tile(context, block.view());
      for (Index i = 0; i < rows.size(); ++i) {
        slot.of_samples[rows.begin + i] = static_cast<double>(block.view()(i, 0));
      }
    }
  }

  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const {
    child(0).tile(context, k);
    const AtPoint& of_x = context.x().template slot<AtPoint>(*this);
    const double* const of_y = context.y().template slot<AtPoint>(*this).of_samples.data() + context.columns().begin;
    for (Index i = 0; i < k.rows(); ++i) {
      const double shift = of_x.itself - of_x.of_samples[context.rows().begin + i];
      for (Index j = 0; j < k.columns(); ++j) {
        k(i, j) = static_cast<T>(0.5 * (static_cast<double>(k(i, j)) + shift - of_y[j]));
      }
    }
  }
};

}  // namespace

const KernelEntry& from_cpd_entry() {
  static const KernelEntry entry{
      .name = "from_cpd",
      .formula = "(k(x,y) - k(x,x0) - k(x0,y) + k(x0,x0)) / 2",
      .summary = "a positive kernel from a conditionally positive one, by an origin x0",
      .definiteness = "positive if k is conditionally positive of order 1",
      .parameters = {{.name = "origin",
                      .role = ParameterRole::word,
                      .default_text = "zero",
                      .meaning = "x0: zero, or the mean of the training samples",
                      .words = {"zero", "mean"}}},
      .fewest_children = 1,
      .most_children = 1,
      .make = make_node<FromCpdNode>,
      .examples = {"from_cpd(negative_distance(beta=1.5))", "from_cpd(multiquadric(c=0.8), origin=mean)",
                   "from_cpd(rbf(gamma=0.4))"}};
  return entry;
}

}  // namespace mercer
