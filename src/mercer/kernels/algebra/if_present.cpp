#include "mercer/kernels/algebra/if_present.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/coordinate/constant.h"
#include "mercer/kernels/nodes/composite_node.h"
#include "mercer/kernels/nodes/point_values.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// ---- What the child looks at --------------------------------------------------------------------------------------

// Subscripts from the outside in; then all columns of that scope, or those that a kernel on vectors sees of it.
struct SeenColumns {
  std::vector<ColumnSelection> path;
  bool only_default = false;

  Samples of(const Samples& all) const {
    Samples seen = all;
    for (const ColumnSelection& selection : path) {
      seen = select_columns(seen, selection);
    }
    return only_default ? default_columns(seen) : seen;
  }
  std::string text() const {
    std::string text = only_default ? "*" : "";
    for (const ColumnSelection& selection : path) {
      text += to_string(selection);
    }
    return text;
  }
};

void add_seen(const Kernel& kernel, std::vector<ColumnSelection> path, std::vector<SeenColumns>& seen) {
  if (const auto subscript = as_columns(kernel)) {
    path.push_back(subscript->columns);
  }
  const KernelNode& node = kernel.node();
  for (const Kernel& child : node.children()) {
    add_seen(child, path, seen);
  }
  if (node.children().empty() && !looks_at_no_column(kernel)) {
    seen.push_back({std::move(path), node.entry().input != KernelInput::categories});
  }
}

// A constant looks at nothing: it says of the whole scope whether the row is there.
std::vector<SeenColumns> seen_columns(const Kernel& kernel) {
  std::vector<SeenColumns> seen;
  add_seen(kernel, {}, seen);
  if (seen.empty()) {
    seen.emplace_back();
  }
  return seen;
}

std::string scope_key(const std::vector<SeenColumns>& seen) {
  std::vector<std::string> texts;
  for (const SeenColumns& columns : seen) {
    texts.push_back(columns.text());
  }
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  std::string key = "if_present ";
  for (const std::string& text : texts) {
    key += text + ";";
  }
  return key;
}

// ---- Which rows are there -----------------------------------------------------------------------------------------

template <class T>
bool is_there(const DenseRows<T>& rows, Index i) {
  for (Index j = 0; j < rows.columns; ++j) {
    if (std::isnan(rows(i, j))) {
      return false;
    }
  }
  return true;
}

template <class T>
bool is_there(const SparseRows<T>& rows, Index i) {
  return std::none_of(rows.values + rows.offsets[i], rows.values + rows.offsets[i + 1],
                      [](T value) { return std::isnan(value); });
}

bool is_there(const StringRows& rows, Index i) { return !rows[i].empty(); }
bool is_there(const SetRows& rows, Index i) { return !rows[i].empty(); }
bool is_there(const BagRows& rows, Index i) { return rows.offsets[i + 1] > rows.offsets[i]; }
bool is_there(const GraphRows& rows, Index i) { return rows.vertex_offsets[i + 1] > rows.vertex_offsets[i]; }

// A level that training never saw is there, if unknown; readers call a missing one "".
bool is_there(const CategoryRows& rows, Index i) { return rows.codes[i] < 0 || !rows.levels[rows.codes[i]].empty(); }

void mark_missing(const Samples& samples, std::vector<char>& there) {
  if (samples.kind() == SampleKind::table) {
    mark_missing(samples.table().numeric(), there);
    for (const Table::Column& column : samples.table().others()) {
      mark_missing(column.values, there);
    }
    return;
  }
  std::visit(
      [&]<class R>(const R& rows) {
        if constexpr (!std::is_same_v<R, std::shared_ptr<const Table>>) {
          for (Index i = 0; i < rows.rows; ++i) {
            char& mark = there[i];
            mark = static_cast<char>(mark != 0 && is_there(rows, i) ? 1 : 0);
          }
        }
      },
      samples.rows());
}

// The rows of a scope that are there, and their numbers among themselves: the child is prepared on these alone.
class RowPresence {
 public:
  RowPresence(const Samples& all, const std::vector<SeenColumns>& seen) {
    std::vector<char> there(all.size(), 1);
    for (const SeenColumns& columns : seen) {
      mark_missing(columns.of(all), there);
    }
    before_.reserve(there.size() + 1);
    before_.push_back(0);
    for (const char mark : there) {
      before_.push_back(before_.back() + mark);
    }
  }

  Index size() const { return static_cast<Index>(before_.size()) - 1; }
  Index count() const { return before_.back(); }
  bool operator[](Index i) const { return at(i + 1) > at(i); }
  /// Those of `range`, numbered among all that are there.
  IndexRange within(IndexRange range) const { return {at(range.begin), at(range.end)}; }

  std::vector<Index> rows() const {
    std::vector<Index> rows;
    for (Index i = 0; i < size(); ++i) {
      if ((*this)[i]) {
        rows.push_back(i);
      }
    }
    return rows;
  }

 private:
  Index at(Index i) const { return before_[i]; }

  std::vector<Index> before_;  // before_[i] of the rows 0 … i-1 are there
};

// NaN becomes 0.
Samples filled(const Samples& all) {
  if (all.kind() == SampleKind::table) {
    const Table& table = all.table();
    return make_table(table.with(filled(table.numeric()))).with_identity_of(all);
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

// ---- The node -----------------------------------------------------------------------------------------------------

class IfPresentNode final : public TemplatedTile<IfPresentNode> {
 public:
  IfPresentNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : TemplatedTile(entry, std::move(parameters), std::move(children)),
        weight_(this->parameters().number_or("weight", 1)),
        seen_(seen_columns(this->children().front())),
        key_(scope_key(seen_)) {}

  Definiteness definiteness() const override {
    Definiteness result = child(0).definiteness();
    result.constant = false;  // 0 where one of two rows is missing
    return result.is_positive() ? result : Definiteness::indefinite();
  }
  std::shared_ptr<const KernelNode> resolved(const WeightedSamples& all, const Run& run) const override {
    if (const std::vector<ColumnReference> apart = columns_apart(*this, all.samples); apart.size() > 1) {
      std::vector<Kernel> terms;
      for (std::size_t j = 0; j < apart.size(); ++j) {
        const Kernel term = on_columns(for_column_apart(*this, j, apart.size()), {{apart[j]}});
        terms.emplace_back(term.node().resolved(all, run));
      }
      return sum(std::move(terms)).shared_node();
    }
    const std::vector<Index> rows = RowPresence(all.samples, seen_).rows();
    const std::vector<double> weights = select_weights(all.weights, rows);
    return rebuilt(parameters(), {Kernel(child(0).resolved({all.samples.select(rows), weights}, run))});
  }

  void request(KernelPreparation& preparation) const override {
    KernelPreparation inner = enter(preparation);
    if (is_used(inner)) {
      child(0).request(inner);
    }
  }
  void complete(KernelPreparation& preparation) const override {
    KernelPreparation inner = enter(preparation);
    if (is_used(inner)) {
      child(0).complete(inner);
    }
    preparation.keep(*this, std::make_shared<const RowPresence>(preparation.target().all(), seen_));
  }

  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override {
    const auto& there = x.slot<RowPresence>(*this);
    const IndexRange inner = there.within(range);
    std::vector<double> values(inner.size());
    if (inner.size() > 0) {
      child(0).diagonal(x.scope(key_), inner, values);
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < k.size(); ++i) {
      k[i] = there[range.begin + static_cast<Index>(i)] ? values[next++] : weight_;
    }
  }
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override {
    TileContext<double> inner = enter(context);
    if (is_empty(inner)) {
      return;
    }
    ScratchMatrix<double> block = inner.scratch();
    child(0).contract(inner, gathered(context, q, block.view()), gradient);
  }
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override {
    const auto& there = x.slot<RowPresence>(*this);
    const IndexRange inner = there.within(range);
    if (inner.size() == 0) {
      return;
    }
    std::vector<double> kept;
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (there[range.begin + static_cast<Index>(i)]) {
        kept.push_back(q[i]);
      }
    }
    child(0).contract_diagonal(x.scope(key_), inner, kept, gradient);
  }
  bool has_input_derivatives() const override { return child(0).has_input_derivatives(); }
  void contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const override {
    TileContext<double> inner = enter(context);
    if (is_empty(inner)) {
      return;
    }
    ScratchMatrix<double> block = inner.scratch();
    ScratchMatrix<double> slopes(context.workspace(), inner.row_count(), dx.columns());
    const MatrixView<double> part = slopes.view();
    for (Index i = 0; i < part.rows(); ++i) {
      std::fill_n(part.row_data(i), part.columns(), 0.0);
    }
    child(0).contract_inputs(inner, gathered(context, q, block.view()), part);
    const auto& there = context.x().slot<RowPresence>(*this);
    Index next = 0;
    for (Index i = 0; i < dx.rows(); ++i) {
      if (there[context.rows().begin + i]) {
        for (Index j = 0; j < dx.columns(); ++j) {
          dx(i, j) += part(next, j);
        }
        ++next;
      }
    }
  }
  void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const override {
    const bool x = context.x().slot<RowPresence>(*this)[context.rows().begin];
    const bool y = context.y().slot<RowPresence>(*this)[context.columns().begin];
    if (x && y) {
      TileContext<double> inner = enter(context);
      child(0).pair_derivatives(inner, out);
    } else {
      out.value = x == y ? weight_ : 0.0;
    }
  }

 private:
  friend TemplatedTile;

  // The rows that are there. A reference without any still fixes the frame that other samples are measured in: its first
  // row, filled in, does that, and no tile ever reaches it.
  KernelPreparation enter(const KernelPreparation& outer) const {
    const bool is_reference = outer.reference() == nullptr;
    return outer.enter(key_, [&](const Samples& all) {
      const RowPresence there(all, seen_);
      if (there.count() == there.size()) {
        return all;
      }
      return there.count() == 0 && is_reference ? filled(all.slice({0, 1})) : all.select(there.rows());
    });
  }
  // Whether the child has rows to prepare; the reference may be empty itself.
  static bool is_used(const KernelPreparation& inner) {
    return inner.target().size() > 0 || inner.reference() == nullptr;
  }

  template <class T>
  TileContext<T> enter(const TileContext<T>& context) const {
    const auto& x = context.x().template slot<RowPresence>(*this);
    const auto& y = context.y().template slot<RowPresence>(*this);
    if (x.count() == x.size() && y.count() == y.size()) {
      return context.enter(key_);  // shares inner products with other kernels on these columns
    }
    return TileContext<T>(context.x().scope(key_), x.within(context.rows()), context.y().scope(key_),
                          y.within(context.columns()), context.workspace());
  }
  template <class T>
  static bool is_empty(const TileContext<T>& inner) {
    return inner.row_count() == 0 || inner.column_count() == 0;
  }

  // Calls f(i, j, a, b) for every pair (i, j) of the tile of which both are there, pair (a, b) of the inner tile.
  template <class T, class F>
  void for_pairs_there(const TileContext<T>& context, F f) const {
    const auto& x = context.x().template slot<RowPresence>(*this);
    const auto& y = context.y().template slot<RowPresence>(*this);
    Index a = 0;
    for (Index i = 0; i < context.row_count(); ++i) {
      if (!x[context.rows().begin + i]) {
        continue;
      }
      Index b = 0;
      for (Index j = 0; j < context.column_count(); ++j) {
        if (y[context.columns().begin + j]) {
          f(i, j, a, b++);
        }
      }
      ++a;
    }
  }

  ConstMatrixView<double> gathered(const TileContext<double>& context, ConstMatrixView<double> q,
                                   MatrixView<double> out) const {
    for_pairs_there(context, [&](Index i, Index j, Index a, Index b) { out(a, b) = q(i, j); });
    return out;
  }

  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const {
    TileContext<T> inner = enter(context);
    if (inner.row_count() == k.rows() && inner.column_count() == k.columns()) {
      child(0).tile(inner, k);
      return;
    }
    const auto& x = context.x().template slot<RowPresence>(*this);
    const auto& y = context.y().template slot<RowPresence>(*this);
    for (Index i = 0; i < k.rows(); ++i) {
      const bool there = x[context.rows().begin + i];
      for (Index j = 0; j < k.columns(); ++j) {
        k(i, j) = there || y[context.columns().begin + j] ? T(0) : static_cast<T>(weight_);
      }
    }
    if (!is_empty(inner)) {
      ScratchMatrix<T> block = inner.scratch();
      const MatrixView<T> values = block.view();
      child(0).tile(inner, values);
      for_pairs_there(context, [&](Index i, Index j, Index a, Index b) { k(i, j) = values(a, b); });
    }
  }

  double weight_;
  std::vector<SeenColumns> seen_;
  std::string key_;  // kernels that look at the same columns share their scope
};

}  // namespace

bool takes_missing(const Kernel& kernel) {
  return &kernel.node().entry() == &if_present_entry() || std::ranges::any_of(kernel.node().children(), takes_missing);
}

const KernelEntry& if_present_entry() {
  static const KernelEntry entry{
      .name = "if_present",
      .formula = "k(x,y) if both are there, weight if both are missing, else 0; of several columns the sum over each",
      .summary = "a kernel on columns with missing values (NaN, empty texts, sets and categories)",
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
