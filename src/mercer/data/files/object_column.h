// ObjectColumn: collects a column of sets, bags of vectors or graphs while a file is read. Members of sets and labels of
// graphs may be words: these are numbered in the order of their first appearance, and the list of them becomes part of
// the schema, so that prediction numbers them alike. A word that is not on a given list gets a number beyond it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/data/schema.h"

namespace mercer {

class ObjectColumn {
 public:
  /// `kind`: set, bag or graph.
  explicit ObjectColumn(ColumnKind kind) : kind_(kind) {}
  /// The list of words is fixed: levels() stays as it is. An empty list: members and labels are numbers.
  ObjectColumn(ColumnKind kind, std::vector<std::string> levels);

  ColumnKind kind() const { return kind_; }
  Index size() const { return size_; }

  /// The number of a word.
  std::int32_t code(std::string_view word);
  /// Words of the schema, or all met so far.
  const std::vector<std::string>& levels() const { return levels_; }
  /// Whether a model was fitted on numbers here: a word's number would be taken for one of them.
  bool takes_numbers_only() const { return fixed_ && levels_.empty(); }

  /// Repetitions are allowed.
  void add_set(std::vector<std::int32_t> members);
  /// Vectors of the dimension that all others of the column have: the caller looks at dimension() before.
  void add_bag(std::vector<std::vector<double>> points);
  Index dimension() const { return dimension_; }  ///< -1: no vector yet
  /// Edges within the vertices, each direction listed.
  void add_graph(Graph graph);
  /// The empty set, the empty bag, the graph without vertices.
  void add_empty();

  /// InvalidArgument where an edge has two labels.
  Samples samples() const;

 private:
  ColumnKind kind_;
  Index size_ = 0;
  Index dimension_ = -1;
  bool fixed_ = false;
  std::vector<std::string> levels_;
  std::unordered_map<std::string, std::int32_t> codes_;
  std::vector<std::vector<std::int32_t>> sets_;
  std::vector<std::vector<std::vector<double>>> bags_;
  std::vector<Graph> graphs_;
};

/// Adds the set whose members stand in one field, separated by ; or | and trimmed; an empty field is the empty set.
/// Members are words, or whole numbers where the column takes only these: DataError with the place for others.
void add_set_field(ObjectColumn& column, std::string_view field, const FilePlace& place);

}  // namespace mercer
