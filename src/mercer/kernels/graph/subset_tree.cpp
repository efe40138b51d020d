#include "mercer/kernels/graph/subset_tree.h"

#include <algorithm>
#include <cmath>
#include <compare>

#include "mercer/base/parallel.h"
#include "mercer/kernels/graph/labeled_tree.h"
#include "mercer/kernels/nodes/object_node.h"

namespace mercer {

namespace {

// What nodes must share: the key of their production and, as two productions may have one key, how many children it
// has: C walks over the children of both at once.
struct ProductionKind {
  std::uint64_t production;
  std::size_t children;
  auto operator<=>(const ProductionKind&) const = default;
};

// The inner nodes of a tree from the leaves upwards, and grouped by production.
struct ProductionTree {
  struct Group {
    ProductionKind kind;
    std::int32_t begin;  // in grouped
    std::int32_t end;
  };
  LabeledTree tree;
  std::vector<Group> groups;                 // ascending by kind
  std::vector<std::int32_t> grouped;         // inner nodes, group by group
  std::vector<std::int32_t> group_of;        // per node; -1 for leaves
  std::vector<std::int32_t> place_in_group;  // per node
};

ProductionTree production_tree(LabeledTree tree) {
  struct Inner {
    ProductionKind kind;
    std::int32_t node;
    auto operator<=>(const Inner&) const = default;
  };
  std::vector<Inner> inner;
  for (Index v = 0; v < tree.size(); ++v) {
    if (!tree.is_leaf(v)) {
      inner.push_back({{tree.production(v), tree.children(v).size()}, static_cast<std::int32_t>(v)});
    }
  }
  std::sort(inner.begin(), inner.end());
  ProductionTree result;
  result.group_of.assign(tree.size(), -1);
  result.place_in_group.assign(tree.size(), 0);
  for (const Inner& node : inner) {
    const auto at = static_cast<std::int32_t>(result.grouped.size());
    if (result.groups.empty() || result.groups.back().kind != node.kind) {
      result.groups.push_back({node.kind, at, at});
    }
    result.groups.back().end = at + 1;
    result.group_of[node.node] = static_cast<std::int32_t>(result.groups.size() - 1);
    result.place_in_group[node.node] = at - result.groups.back().begin;
    result.grouped.push_back(node.node);
  }
  result.tree = std::move(tree);
  return result;
}

// C(u, v) of all pairs of inner nodes with equal productions: one row per node u of the first tree, one place in it per
// node of the second tree's group.
class CommonFragments {
 public:
  CommonFragments(const ProductionTree& x, const ProductionTree& y) : x_(x), y_(y), partner_(x.groups.size(), -1) {
    std::size_t gy = 0;
    for (std::size_t gx = 0; gx < x.groups.size(); ++gx) {
      while (gy < y.groups.size() && y.groups[gy].kind < x.groups[gx].kind) {
        ++gy;
      }
      if (gy < y.groups.size() && y.groups[gy].kind == x.groups[gx].kind) {
        partner_[gx] = static_cast<std::int32_t>(gy);
      }
    }
    row_.resize(x.tree.size());
    for (Index u = 0; u < x.tree.size(); ++u) {
      row_[u] = pairs_;
      if (const ProductionTree::Group* group = partners(u)) {
        pairs_ += group->end - group->begin;
      }
    }
  }

  /// How many pairs of nodes have equal productions.
  Index pairs() const { return pairs_; }

  /// Σ C(u, v); where `slope` is given, also its derivative by lambda.
  double sum(double lambda, double* slope) {
    counts_.resize(pairs_);
    slopes_.resize(slope != nullptr ? counts_.size() : 0);
    double total = 0;
    for (Index u = x_.tree.size() - 1; u >= 0; --u) {  // children have larger numbers than their parents
      const ProductionTree::Group* group = partners(u);
      if (group == nullptr) {
        continue;
      }
      for (std::int32_t at = group->begin; at < group->end; ++at) {
        total += fill_pair(u, y_.grouped[at], at - group->begin, lambda, slope);
      }
    }
    return total;
  }

 private:
  const ProductionTree::Group* partners(Index u) const {
    const std::int32_t gx = x_.group_of[u];
    const std::int32_t gy = gx < 0 ? -1 : partner_[gx];
    return gy < 0 ? nullptr : &y_.groups[gy];
  }

  double fill_pair(Index u, Index v, Index place, double lambda, double* slope) {
    double product = lambda;
    double logarithmic_slope = 1 / lambda;
    const auto of_u = x_.tree.children(u);
    const auto of_v = y_.tree.children(v);
    for (std::size_t j = 0; j < of_u.size(); ++j) {
      const auto a = static_cast<std::size_t>(of_u[j]);
      const auto b = static_cast<std::size_t>(of_v[j]);
      const std::int32_t group = x_.group_of[a];
      if (group < 0 || y_.group_of[b] < 0 || partner_[group] != y_.group_of[b]) {
        continue;
      }
      const auto pair = static_cast<std::size_t>(row_[a] + y_.place_in_group[b]);
      product *= 1 + counts_[pair];
      if (slope != nullptr) {
        logarithmic_slope += slopes_[pair] / (1 + counts_[pair]);
      }
    }
    const auto pair = static_cast<std::size_t>(row_[u] + place);
    counts_[pair] = product;
    if (slope != nullptr) {
      slopes_[pair] = product * logarithmic_slope;
      *slope += slopes_[pair];
    }
    return product;
  }

  const ProductionTree& x_;
  const ProductionTree& y_;
  std::vector<std::int32_t> partner_;  // the group of y with the production of a group of x; -1: none
  std::vector<Index> row_;
  Index pairs_ = 0;
  std::vector<double> counts_;
  std::vector<double> slopes_;
};

class SubsetTreeNode final : public ObjectNode<std::vector<ProductionTree>> {
  using TreeSet = std::vector<ProductionTree>;

 public:
  SubsetTreeNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ObjectNode(entry, std::move(parameters), std::move(children)),
        lambda_(this->parameters().number_or("decay", 0.4)) {}

  Definiteness definiteness() const override { return Definiteness::positive(); }

 protected:
  TreeSet encode(const Samples& samples, const TreeSet* /*reference*/, const Run& run) const override {
    require_trees(entry().name, samples);
    TreeSet trees(static_cast<std::size_t>(samples.size()));
    constexpr Index rows_of_a_task = 64;
    parallel_for(run, block_count(samples.size(), rows_of_a_task), [&](Index b) {
      const IndexRange range = block_range(samples.size(), rows_of_a_task, b);
      for (Index i = range.begin; i < range.end; ++i) {
        trees[i] = production_tree(tree_at(samples, i));
      }
    });
    return trees;
  }

  double value(const TreeSet& x, Index i, const TreeSet& y, Index j) const override {
    return common(x, i, y, j, nullptr);
  }

  void add_slopes(const TreeSet& x, Index i, const TreeSet& y, Index j, double q,
                  std::span<double> gradient) const override {
    double slope = 0;
    common(x, i, y, j, &slope);
    gradient[0] += q * slope;
  }

 private:
  double common(const TreeSet& x, Index i, const TreeSet& y, Index j, double* slope) const {
    CommonFragments fragments(x[i], y[j]);
    constexpr Index most_pairs = 25'000'000;  // 200 MB a thread, twice that with slopes
    if (fragments.pairs() > most_pairs) {
      throw DataError("subset_tree: the trees in rows " + std::to_string(i) + " and " + std::to_string(j) + " have " +
                      std::to_string(fragments.pairs()) +
                      " pairs of nodes with equal productions, too many to compare; cut the trees, or take subtree()");
    }
    const double sum = fragments.sum(lambda_, slope);
    if (!std::isfinite(sum)) {
      throw NumericalError("subset_tree: the number of fragments that the trees in rows " + std::to_string(i) +
                           " and " + std::to_string(j) + " share overflows with decay = " + std::to_string(lambda_) +
                           "; choose a smaller decay, or subtree()");
    }
    return sum;
  }

  double lambda_;
};

}  // namespace

const KernelEntry& subset_tree_entry() {
  static const KernelEntry entry{
      .name = "subset_tree",
      .aliases = {"collins_duffy"},
      .formula =
          "sum over nodes u of x, v of y of C(u,v); C = decay prod_j (1 + C(u_j,v_j)) for equal productions, else 0",
      .summary = "trees by their common fragments: parts that hold all children of a node or none",
      .definiteness = "positive definite",
      .input = KernelInput::trees,
      .parameters = {{.name = "decay",
                      .aliases = {"lambda"},
                      .role = ParameterRole::scale,
                      .constraint = Constraint::positive,
                      .default_text = "0.4",
                      .meaning = "weight of a fragment per inner node; small values favour small fragments"}},
      .make = make_node<SubsetTreeNode>,
      .examples = {"subset_tree()", "subset_tree(decay=1)", "normalize(subset_tree(decay=0.7))"}};
  return entry;
}

}  // namespace mercer
