// Rooted trees with ordered children and labelled nodes, read from bracketed text or from a directed graph.
//
//   tree  = label | "(" label tree … ")"        (S (NP the cat) (VP sleeps))
//
// A label is a run of bytes without white space and brackets; that of a bracket may be missing, as in treebank files.
// Text of white space alone is the empty tree. A graph is a tree with root 0 and arcs from parents to children, in the
// order of their numbers; the label of a vertex is its number written out. Reading is iterative: a million nested
// brackets need memory, not stack.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mercer/data/samples.h"
#include "mercer/kernels/string/text_span.h"

namespace mercer {

/// Nodes are numbered so that parents come before their children and children of one node are ascending; 0 is the root.
class LabeledTree {
 public:
  LabeledTree() = default;
  /// labels[v] and parents[v] < v of node v; the root has parent -1.
  LabeledTree(std::vector<std::uint64_t> labels, const std::vector<std::int32_t>& parents);

  Index size() const { return static_cast<Index>(labels_.size()); }
  std::uint64_t label(Index v) const { return labels_[v]; }
  std::span<const std::int32_t> children(Index v) const {
    const std::int32_t begin = offsets_[v];
    const std::int32_t end = offsets_[v + 1];
    return std::span(children_).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }
  bool is_leaf(Index v) const { return children(v).empty(); }
  /// The key of the label of v and those of its children, in order.
  std::uint64_t production(Index v) const;

 private:
  std::vector<std::uint64_t> labels_;
  std::vector<std::int32_t> offsets_ = {0};
  std::vector<std::int32_t> children_;
};

/// InvalidArgument, naming the kernel, unless the samples are strings, categories or graphs.
void require_trees(std::string_view kernel, const Samples& samples);

/// Tree i of samples that require_trees() has passed. DataError naming the row and the character (from 1) or vertex
/// where brackets do not match, or where a vertex has several parents or is not reached from vertex 0. O(size).
LabeledTree tree_at(const Samples& samples, Index i);

/// Where the nodes of tree i stand in its text, with all below them: from bracket to bracket, or the label of a leaf.
/// Empty for graphs.
std::vector<TextSpan> tree_places(const Samples& samples, Index i);

}  // namespace mercer
