#include "mercer/kernels/graph/labeled_tree.h"

#include "mercer/base/error.h"
#include "mercer/kernels/feature_key.h"
#include "mercer/kernels/graph/graph_view.h"
#include "mercer/kernels/string/string_samples.h"

namespace mercer {

LabeledTree::LabeledTree(std::vector<std::uint64_t> labels, const std::vector<std::int32_t>& parents)
    : labels_(std::move(labels)), offsets_(labels_.size() + 1, 0), children_(labels_.empty() ? 0 : labels_.size() - 1) {
  for (const std::int32_t parent : parents) {
    if (parent >= 0) {
      ++offsets_[parent + 1];
    }
  }
  for (std::size_t v = 0; v < labels_.size(); ++v) {
    offsets_[v + 1] += offsets_[v];
  }
  std::vector<std::int32_t> next(offsets_.begin(), offsets_.end());
  for (std::size_t v = 1; v < parents.size(); ++v) {
    children_[next[parents[v]]++] = static_cast<std::int32_t>(v);
  }
}

std::uint64_t LabeledTree::production(Index v) const {
  std::uint64_t key = mixed_bits(label(v));
  for (const std::int32_t child : children(v)) {
    key = joined_key(key, label(child));
  }
  return key;
}

void require_trees(std::string_view kernel, const Samples& samples) {
  if (samples.kind() == SampleKind::graphs) {
    return;
  }
  if (samples.kind() != SampleKind::strings && samples.kind() != SampleKind::categories) {
    throw InvalidArgument("kernel " + std::string(kernel) + " compares trees, written as (S (NP D N) VP) or given as " +
                          "directed graphs with root 0, but the samples are " + std::string(to_string(samples.kind())) +
                          "; name a column of trees in brackets");
  }
  require_strings(kernel, samples);
}

namespace {

constexpr std::size_t most_tree_nodes = (std::size_t{1} << 31) - 2;

class BracketReader {
 public:
  BracketReader(std::string_view text, Index row) : text_(text), row_(row) {}

  LabeledTree read() {
    while (skip_white_space()) {
      const char c = text_[at_];
      if (c == '(') {
        require_unfinished();
        const std::size_t bracket = at_++;
        skip_white_space();
        add_node(read_label(), bracket);
        open_.push_back({static_cast<std::int32_t>(labels_.size() - 1), bracket});
      } else if (c == ')') {
        if (open_.empty()) {
          refuse(at_, "a closing bracket without an opening one");
        }
        ++at_;
        places_[open_.back().node].end = static_cast<std::int64_t>(at_);
        open_.pop_back();
      } else {
        require_unfinished();
        const std::size_t begin = at_;
        add_node(read_label(), begin);
      }
    }
    if (!open_.empty()) {
      refuse(open_.back().character, "this bracket is never closed");
    }
    return {std::move(labels_), parents_};
  }
  /// Of the nodes, after read().
  std::vector<TextSpan> places() && { return std::move(places_); }

 private:
  struct OpenNode {
    std::int32_t node;
    std::size_t character;
  };

  static bool is_white(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

  bool skip_white_space() {
    while (at_ < text_.size() && is_white(text_[at_])) {
      ++at_;
    }
    return at_ < text_.size();
  }

  std::string_view read_label() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_white(text_[at_]) && text_[at_] != '(' && text_[at_] != ')') {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  void add_node(std::string_view label, std::size_t begin) {
    if (labels_.size() >= most_tree_nodes) {
      refuse(at_, "more than 2147483646 nodes");
    }
    labels_.push_back(text_key(label));
    parents_.push_back(open_.empty() ? -1 : open_.back().node);
    places_.push_back({static_cast<std::int64_t>(begin), static_cast<std::int64_t>(at_)});
  }

  void require_unfinished() const {
    if (open_.empty() && !labels_.empty()) {
      refuse(at_, "text after the end of the tree; a row holds one tree, (root child child)");
    }
  }

  [[noreturn]] void refuse(std::size_t character, const std::string& what) const {
    throw DataError("tree in row " + std::to_string(row_) + ", character " + std::to_string(character + 1) + ": " +
                    what);
  }

  std::string_view text_;
  Index row_;
  std::size_t at_ = 0;
  std::vector<std::uint64_t> labels_;
  std::vector<std::int32_t> parents_;
  std::vector<TextSpan> places_;
  std::vector<OpenNode> open_;
};

[[noreturn]] void refuse_vertex(Index row, Index vertex, const std::string& what) {
  throw DataError("graph in row " + std::to_string(row) + " is no tree: vertex " + std::to_string(vertex) + " " + what +
                  "; a tree has its root at vertex 0 and arcs from parents to children only");
}

void require_single_parents(const GraphView& graph, Index row) {
  std::vector<std::int32_t> parent(graph.vertices(), -1);
  for (Index u = 0; u < graph.vertices(); ++u) {
    for (const std::int32_t v : graph.neighbors(u)) {
      auto& known = parent[v];
      if (v == 0) {
        refuse_vertex(row, 0, "has the parent " + std::to_string(u) + ", so it lies on a cycle or is not the root");
      }
      if (known >= 0) {
        refuse_vertex(row, v, "has the parents " + std::to_string(known) + " and " + std::to_string(u));
      }
      known = static_cast<std::int32_t>(u);
    }
  }
}

// Depth first with ascending children, so that numbers are those of the text form.
LabeledTree tree_of_graph(const GraphView& graph, Index row) {
  require_single_parents(graph, row);
  struct Visit {
    std::int32_t vertex;
    std::int32_t parent;
  };
  std::vector<Visit> waiting;
  std::vector<char> reached(graph.vertices(), 0);
  std::vector<std::uint64_t> labels;
  std::vector<std::int32_t> parents;
  if (graph.vertices() > 0) {
    waiting.push_back({0, -1});
  }
  while (!waiting.empty()) {
    const Visit visit = waiting.back();
    waiting.pop_back();
    reached[visit.vertex] = 1;
    const auto node = static_cast<std::int32_t>(labels.size());
    labels.push_back(text_key(graph.has_vertex_labels() ? std::to_string(graph.vertex_label(visit.vertex)) : ""));
    parents.push_back(visit.parent);
    const auto children = graph.neighbors(visit.vertex);
    for (std::size_t k = children.size(); k-- > 0;) {
      waiting.push_back({children[k], node});
    }
  }
  for (std::size_t v = 0; v < reached.size(); ++v) {
    if (reached[v] == 0) {
      refuse_vertex(row, static_cast<Index>(v), "is not reached from vertex 0 (it is apart, or on a cycle)");
    }
  }
  return {std::move(labels), parents};
}

}  // namespace

LabeledTree tree_at(const Samples& samples, Index i) {
  if (samples.kind() == SampleKind::graphs) {
    return tree_of_graph(GraphView(samples.as<GraphRows>(), i), i);
  }
  return BracketReader(string_at(samples, i), i).read();
}

std::vector<TextSpan> tree_places(const Samples& samples, Index i) {
  if (samples.kind() == SampleKind::graphs) {
    return {};
  }
  BracketReader reader(string_at(samples, i), i);
  reader.read();
  return std::move(reader).places();
}

}  // namespace mercer
