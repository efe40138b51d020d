// JsonColumn: collects the values of one key of JSON lines. The first value that is not null settles the kind, unless it
// is given; rows without the key are filled in when their number is known.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mercer/data/files/table_layout.h"

namespace mercer {

class JsonColumn {
 public:
  /// What strings are where the kind is not given: categories, or by the rules of CSV categories or texts.
  enum class Words { are_categories, are_either };
  JsonColumn(std::string name, ColumnRole role, std::optional<ColumnKind> forced, const std::string& file,
             const std::optional<Schema>& schema, Words words);

  const std::string& name() const { return name_; }
  ColumnRole role() const { return role_; }

  /// Adds the value of row lines.size(), which stands in `line`; `lines`: those of the rows before. DataError where it is
  /// of another kind than the values before, or of none.
  /// `spelled`: a number as it stands in the file where no type holds it; null else.
  void add(const nlohmann::json& value, const std::vector<Index>& lines, Index line,
           const std::string* spelled = nullptr);
  /// Missing values up to row lines.size().
  void pad(const std::vector<Index>& lines);

  /// The column for collect_columns; without fields where objects() is not null.
  FieldColumn take_fields();
  std::shared_ptr<ObjectColumn> objects() const { return objects_; }

 private:
  /// What values look like; numbers and words are kept as fields.
  enum class Form { unknown, number, word, truth, set, bag, graph };
  static std::string_view to_string(Form form);
  Form form_of(const nlohmann::json& value, const FilePlace& place) const;
  Form form_of_array(const nlohmann::json& value, const FilePlace& place) const;
  void settle(Form form);
  void add_object(const nlohmann::json& value, const FilePlace& place);
  std::vector<std::int32_t> set_of(const nlohmann::json& value, const FilePlace& place);
  std::vector<std::vector<double>> bag_of(const nlohmann::json& value, const FilePlace& place) const;
  Graph graph_of(const nlohmann::json& value, const FilePlace& place);
  void add_edge(const nlohmann::json& edge, const FilePlace& place, Graph& graph);
  std::int32_t label_of(const nlohmann::json& value, const FilePlace& place);
  [[noreturn]] void reject(const FilePlace& place, const std::string& message) const;

  std::string name_;
  ColumnRole role_;
  std::optional<ColumnKind> forced_;
  Form form_ = Form::unknown;
  FieldColumn fields_;
  std::shared_ptr<ObjectColumn> objects_;
  std::unique_ptr<LinePlaces> places_;
  const std::optional<Schema>& schema_;
  Index rows_ = 0;
  /// Whether members and labels are words; settled by the first one.
  std::optional<bool> has_words_;
  std::optional<bool> has_vertex_labels_;
  std::optional<bool> has_edge_labels_;
  double bare_vertices_ = 0;        // that neither a label nor an edge pays for
  bool graph_is_directed_ = false;  // the one at hand
  bool empty_arrays_ = false;       // seen while the form was unknown
};

}  // namespace mercer
