#include "mercer/kernels/graph/subtree.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/feature_key.h"
#include "mercer/kernels/graph/labeled_tree.h"
#include "mercer/kernels/nodes/explicit_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

class SubtreeNode final : public ExplicitNode {
 public:
  SubtreeNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ExplicitNode(entry, std::move(parameters), std::move(children)),
        log_root_lambda_(std::log(this->parameters().number_or("decay", 1)) / 2),
        counts_leaves_(this->parameters().word("leaves") == "count") {
    if (log_root_lambda_ > 0) {
      reject_argument("subtree: decay", this->parameters().number("decay"),
                      "at most 1: larger weights grow without bound with the size of the trees");
    }
  }

  void check(const Samples& samples) const override { require_trees(entry().name, samples); }

  void append_features(const Samples& samples, Index i, const void* /*learnt*/, FeatureList& out) const override {
    for_each_subtree(tree_at(samples, i), [&](Index /*root*/, std::uint64_t key, Index inner_nodes) {
      out.add(key, std::exp(log_root_lambda_ * static_cast<double>(inner_nodes)));
    });
  }

  void append_places(const Samples& samples, Index i, const void* /*learnt*/,
                     std::vector<FeaturePlace>& out) const override {
    const std::vector<TextSpan> places = tree_places(samples, i);
    if (places.empty()) {
      return;
    }
    for_each_subtree(tree_at(samples, i), [&](Index root, std::uint64_t key, Index /*inner_nodes*/) {
      const TextSpan& place = places[root];
      out.push_back({key, place.begin, place.end});
    });
  }

 private:
  /// Calls use(root, key, number of inner nodes) for every subtree that counts.
  template <class Use>
  void for_each_subtree(const LabeledTree& tree, Use use) const {
    const auto size = static_cast<std::size_t>(tree.size());
    std::vector<std::uint64_t> keys(size);
    std::vector<Index> inner_nodes(size, 0);
    for (std::size_t v = size; v-- > 0;) {  // children have larger numbers than their parents
      const auto children = tree.children(static_cast<Index>(v));
      std::uint64_t key = joined_key(tree.label(static_cast<Index>(v)), children.size());
      for (const std::int32_t child : children) {
        key = joined_key(key, keys[child]);
        inner_nodes[v] += inner_nodes[child];
      }
      inner_nodes[v] += children.empty() ? 0 : 1;
      keys[v] = key;
      if (!children.empty() || counts_leaves_) {
        use(static_cast<Index>(v), key, inner_nodes[v]);
      }
    }
  }

  double log_root_lambda_;
  bool counts_leaves_;
};

}  // namespace

const KernelEntry& subtree_entry() {
  static const KernelEntry entry{
      .name = "subtree",
      .formula = "sum over complete subtrees s of decay^(inner nodes of s) n_s(x) n_s(y)",
      .summary = "trees by their complete subtrees: nodes with all that hangs below them",
      .definiteness = "positive definite",
      .input = KernelInput::trees,
      .parameters = {{.name = "decay",
                      .aliases = {"lambda"},
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive,
                      .default_text = "1",
                      .meaning = "weight of a subtree per inner node, at most 1"},
                     {.name = "leaves",
                      .role = ParameterRole::word,
                      .default_text = "ignore",
                      .meaning = "whether a single leaf is a subtree",
                      .words = {"ignore", "count"}}},
      .make = make_node<SubtreeNode>,
      .examples = {"subtree()", "subtree(decay=0.5, leaves=count)", "normalize(subtree(leaves=count))"}};
  return entry;
}

}  // namespace mercer
