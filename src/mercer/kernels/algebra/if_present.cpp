#include "mercer/kernels/algebra/if_present.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/algebra/composite_node.h"
#include "mercer/kernels/algebra/point_values.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// Which rows of a scope have all their values.
struct RowPresence {
  std::vector<char> of;
  bool operator[](Index i) const { return of[static_cast<std::size_t>(i)] != 0; }
};

void mark_missing(const Samples& samples, RowPresence& present) {
  if (samples.kind() == SampleKind::table) {
    mark_missing(samples.table().numeric(), present);
    for (const Table::Column& column : samples.table().others()) {
      mark_missing(column.values, present);
    }
    return;
  }
  if (samples.kind() == SampleKind::strings) {
    for (Index i = 0; i < samples.size(); ++i) {
      present.of[static_cast<std::size_t>(i)] &= static_cast<char>(samples.as<StringRows>()[i].empty() ? 0 : 1);
    }
  } else if (samples.is_numeric() && samples.columns() > 0) {
    std::vector<double> row(static_cast<std::size_t>(samples.columns()));
    for (Index i = 0; i < samples.size(); ++i) {
      numeric_row(samples, i, row);
      for (const double value : row) {
        present.of[static_cast<std::size_t>(i)] &= static_cast<char>(std::isnan(value) ? 0 : 1);
      }
    }
  }
}

RowPresence presence_of(const Samples& all) {
  RowPresence present{std::vector<char>(static_cast<std::size_t>(all.size()), 1)};
  mark_missing(all, present);
  return present;
}

// NaN becomes 0: the child never sees it, and what it makes of such a row is not used.
Samples filled(const Samples& all) {
  if (all.kind() == SampleKind::table) {
    const Table& table = all.table();
    std::vector<std::string> names(table.numeric_names().begin(), table.numeric_names().end());
    std::vector<Table::Column> others(table.others().begin(), table.others().end());
    return make_table(Table(filled(table.numeric()), std::move(names), std::move(others))).with_identity_of(all);
  }
  if (!all.is_numeric()) {
    return all;
  }
  Matrix<double> values(all.size(), all.columns());
  for (Index i = 0; i < all.size(); ++i) {
    numeric_row(all, i, values.view().row(i));
    for (double& value : values.view().row(i)) {
      value = std::isnan(value) ? 0.0 : value;
    }
  }
  return make_dense(std::move(values)).with_identity_of(all);
}

Samples rows_that_are_there(const Samples& all) {
  const RowPresence present = presence_of(all);
  std::vector<Index> rows;
  for (Index i = 0; i < all.size(); ++i) {
    if (present[i]) {
      rows.push_back(i);
    }
  }
  return all.select(rows);
}

constexpr std::string_view presence_scope = "if_present";

class IfPresentNode final : public TemplatedTile<IfPresentNode> {
 public:
  IfPresentNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : TemplatedTile(entry, std::move(parameters), std::move(children)),
        weight_(this->parameters().number_or("weight", 1)) {}

  Definiteness definiteness() const override {
    const Definiteness inner = child(0).definiteness();
    return inner.is_positive() ? inner : Definiteness::indefinite();
  }
  std::shared_ptr<const KernelNode> resolved(const Samples& all, const Run& run) const override {
    return rebuilt(parameters(), {Kernel(child(0).resolved(rows_that_are_there(all), run))});
  }

  void request(Preparation& preparation) const override {
    Preparation inner = enter(preparation);
    child(0).request(inner);
  }
  void complete(Preparation& preparation) const override {
    Preparation inner = enter(preparation);
    child(0).complete(inner);
    preparation.keep(*this, std::make_shared<const RowPresence>(presence_of(preparation.target().all())));
  }

  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override {
    child(0).diagonal(x.scope(presence_scope), range, k);
    const auto& present = x.slot<RowPresence>(*this);
    for (std::size_t i = 0; i < k.size(); ++i) {
      k[i] = present[range.begin + static_cast<Index>(i)] ? k[i] : weight_;
    }
  }
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override {
    ScratchMatrix<double> block = context.scratch();
    TileContext<double> inner = context.enter(presence_scope);
    child(0).contract(inner, masked(context, q, block.view()), gradient);
  }
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override {
    const auto& present = x.slot<RowPresence>(*this);
    std::vector<double> kept(q.begin(), q.end());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      kept[i] = present[range.begin + static_cast<Index>(i)] ? kept[i] : 0.0;
    }
    child(0).contract_diagonal(x.scope(presence_scope), range, kept, gradient);
  }
  bool has_input_derivatives() const override { return child(0).has_input_derivatives(); }
  void contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const override {
    ScratchMatrix<double> block = context.scratch();
    TileContext<double> inner = context.enter(presence_scope);
    child(0).contract_inputs(inner, masked(context, q, block.view()), dx);
  }
  void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const override {
    const bool x = context.x().slot<RowPresence>(*this)[context.rows().begin];
    const bool y = context.y().slot<RowPresence>(*this)[context.columns().begin];
    if (x && y) {
      TileContext<double> inner = context.enter(presence_scope);
      child(0).pair_derivatives(inner, out);
    } else {
      out.value = x == y ? weight_ : 0.0;
    }
  }

 private:
  friend TemplatedTile;

  static Preparation enter(const Preparation& outer) {
    return outer.enter(std::string(presence_scope), [](const Samples& all) { return filled(all); });
  }

  ConstMatrixView<double> masked(const TileContext<double>& context, ConstMatrixView<double> q,
                                 MatrixView<double> out) const {
    const auto& x = context.x().slot<RowPresence>(*this);
    const auto& y = context.y().slot<RowPresence>(*this);
    for (Index i = 0; i < q.rows(); ++i) {
      for (Index j = 0; j < q.columns(); ++j) {
        out(i, j) = x[context.rows().begin + i] && y[context.columns().begin + j] ? q(i, j) : 0.0;
      }
    }
    return out;
  }

  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const {
    TileContext<T> inner = context.enter(presence_scope);
    child(0).tile(inner, k);
    const auto& x = context.x().template slot<RowPresence>(*this);
    const auto& y = context.y().template slot<RowPresence>(*this);
    for (Index i = 0; i < k.rows(); ++i) {
      const bool there = x[context.rows().begin + i];
      for (Index j = 0; j < k.columns(); ++j) {
        const bool other = y[context.columns().begin + j];
        if (!there || !other) {
          k(i, j) = there == other ? static_cast<T>(weight_) : T(0);
        }
      }
    }
  }

  double weight_;
};

}  // namespace

const KernelEntry& if_present_entry() {
  static const KernelEntry entry{
      .name = "if_present",
      .formula = "k(x,y) if both are there, weight if both are missing, else 0",
      .summary = "a kernel on columns with missing values (NaN, empty texts)",
      .definiteness = "positive if k is",
      .input = KernelInput::any,
      .parameters = {{.name = "weight",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative,
                      .default_text = "1",
                      .meaning = "similarity of two rows that both miss the value"}},
      .fewest_children = 1,
      .most_children = 1,
      .make = make_node<IfPresentNode>,
      .examples = {"if_present(rbf(gamma=0.5))", "if_present(rbf(gamma=0.5), weight=0.5)[0] + linear()[1]",
                   "if_present(spectrum(k=2))"}};
  return entry;
}

}  // namespace mercer
