#include "mercer/kernels/algebra/columns.h"

#include "mercer/base/error.h"
#include "mercer/kernels/algebra/if_present.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// A subscript needs columns, which text in brackets gives and a call by name cannot.
std::shared_ptr<const KernelNode> refuse_call_of_columns(const KernelEntry& /*entry*/, ParameterList /*parameters*/,
                                                         std::vector<Kernel> /*children*/) {
  throw InvalidArgument("columns are chosen by a subscript: rbf()[age, bmi]");
}

}  // namespace

const KernelEntry& columns_entry() {
  static const KernelEntry entry{.name = "columns",
                                 .formula = "k(x_S, y_S)",
                                 .summary = "a kernel on some columns, written k[age, \"body mass\", 0:3]",
                                 .definiteness = "as k",
                                 .input = KernelInput::any,
                                 .fewest_children = 1,
                                 .most_children = 1,
                                 .make = refuse_call_of_columns,
                                 .examples = {"rbf(gamma=0.5)[0:2]", "rbf(gamma=0.5)[0] * linear()[1, 2] + linear()"}};
  return entry;
}

ColumnsNode::ColumnsNode(const KernelEntry& entry, std::vector<Kernel> children, ColumnSelection selection)
    : TemplatedTile(entry, {}, std::move(children)),
      selection_(std::move(selection)),
      categories_(categories_seen_by(this->children().front())),
      key_(to_string(selection_) + (categories_ == CategoriesAs::both      ? " beside their categories"
                                    : categories_ == CategoriesAs::vectors ? " as vectors"
                                                                           : "")) {}

std::shared_ptr<const KernelNode> ColumnsNode::rebuilt(ParameterList /*parameters*/,
                                                       std::vector<Kernel> children) const {
  return std::make_shared<const ColumnsNode>(entry(), std::move(children), selection_);
}

std::string ColumnsNode::spec() const { return print_child(child(0), Binding::primary) + to_string(selection_); }

std::shared_ptr<const KernelNode> ColumnsNode::resolved(const WeightedSamples& all, const Run& run) const {
  const Samples seen = select_columns(all.samples, selection_, categories_);
  if (const std::vector<ColumnReference> apart = columns_apart(child(0), seen); apart.size() > 1) {
    return resolved_apart(apart, all, run);
  }
  return rebuilt({}, {Kernel(child(0).resolved(all.with(seen), run))});
}

std::shared_ptr<const KernelNode> ColumnsNode::resolved_apart(const std::vector<ColumnReference>& apart,
                                                              const WeightedSamples& all, const Run& run) const {
  const Samples& outer = all.samples;
  const bool has_names = outer.kind() == SampleKind::table && !outer.table().numeric_names().empty();
  const std::vector<Index> numbers = selected_numeric_columns(outer, selection_, categories_);
  std::vector<Kernel> terms;
  for (std::size_t j = 0; j < apart.size(); ++j) {
    ColumnReference reference = apart[j];
    if (const auto* const span = std::get_if<ColumnSpan>(&reference)) {
      const Index number = numbers[span->begin];
      reference = has_names ? ColumnReference(ColumnName{outer.table().numeric_names()[number]})
                            : ColumnReference(ColumnSpan{number, number + 1});
    }
    const Kernel term = on_columns(for_column_apart(child(0), j, apart.size()), {{std::move(reference)}});
    terms.emplace_back(term.node().resolved(all, run));
  }
  return sum(std::move(terms)).shared_node();
}

KernelPreparation ColumnsNode::enter(const KernelPreparation& outer) const {
  return outer.enter(key_, [this](const Samples& all) { return select_columns(all, selection_, categories_); });
}

void ColumnsNode::request(KernelPreparation& preparation) const {
  KernelPreparation inner = enter(preparation);
  child(0).request(inner);
}

void ColumnsNode::complete(KernelPreparation& preparation) const {
  KernelPreparation inner = enter(preparation);
  child(0).complete(inner);
}

template <class T>
void ColumnsNode::fill(TileContext<T>& context, MatrixView<T> k) const {
  TileContext<T> inner = context.enter(key_);
  child(0).tile(inner, k);
}

void ColumnsNode::diagonal(const Prepared& x, IndexRange range, std::span<double> k) const {
  child(0).diagonal(x.scope(key_), range, k);
}

void ColumnsNode::contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const {
  TileContext<double> inner = context.enter(key_);
  child(0).contract(inner, q, gradient);
}

void ColumnsNode::contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                                    std::span<double> gradient) const {
  child(0).contract_diagonal(x.scope(key_), range, q, gradient);
}

void ColumnsNode::contract_inputs(TileContext<double>& context, ConstMatrixView<double> q,
                                  MatrixView<double> dx) const {
  const std::vector<Index> numbers = selected_numeric_columns(context.x().all(), selection_, categories_);
  TileContext<double> inner = context.enter(key_);
  ScratchMatrix<double> block(context.workspace(), dx.rows(), static_cast<Index>(numbers.size()));
  const MatrixView<double> part = block.view();
  for (Index i = 0; i < part.rows(); ++i) {
    std::fill_n(part.row_data(i), part.columns(), 0.0);
  }
  child(0).contract_inputs(inner, q, part);
  for (Index i = 0; i < part.rows(); ++i) {
    for (std::size_t c = 0; c < numbers.size(); ++c) {
      dx(i, numbers[c]) += part(i, static_cast<Index>(c));
    }
  }
}

void ColumnsNode::pair_derivatives(TileContext<double>& context, PairDerivatives& out) const {
  const std::vector<Index> numbers = selected_numeric_columns(context.x().all(), selection_, categories_);
  TileContext<double> inner = context.enter(key_);
  PairDerivatives part(static_cast<Index>(numbers.size()));
  child(0).pair_derivatives(inner, part);
  out.value = part.value;
  const auto d = static_cast<std::size_t>(out.dimension);
  for (std::size_t a = 0; a < numbers.size(); ++a) {
    const auto row = static_cast<std::size_t>(numbers[a]);
    out.dx[row] += part.dx[a];
    out.dy[row] += part.dy[a];
    for (std::size_t b = 0; b < numbers.size(); ++b) {
      out.mixed[row * d + static_cast<std::size_t>(numbers[b])] += part.mixed[a * numbers.size() + b];
    }
  }
}

}  // namespace mercer
