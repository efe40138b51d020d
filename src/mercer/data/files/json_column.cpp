#include "mercer/data/files/json_column.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/collect_columns.h"

namespace mercer {

namespace {

using JsonValue = nlohmann::json;

std::optional<std::int32_t> whole_number(const JsonValue& value) {
  constexpr auto most = std::numeric_limits<std::int32_t>::max() - 1;
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    return number <= static_cast<std::uint64_t>(most) ? std::optional(static_cast<std::int32_t>(number)) : std::nullopt;
  }
  if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    return number >= -most && number <= most ? std::optional(static_cast<std::int32_t>(number)) : std::nullopt;
  }
  return std::nullopt;
}

std::string field_of(const JsonValue& value, ColumnRole role) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_boolean()) {
    const bool holds = value.get<bool>();
    return role == ColumnRole::target || role == ColumnRole::groups ? (holds ? "True" : "False") : (holds ? "1" : "0");
  }
  if (value.is_number_integer()) {
    return value.dump();
  }
  return shortest(value.get<double>());
}

// Expanded into both directions; a loop has one.
void push_arcs(Graph& graph, std::array<std::int32_t, 2> ends, std::optional<std::int32_t> label, bool directed) {
  graph.edges.push_back(ends);
  if (!directed && ends[0] != ends[1]) {
    graph.edges.push_back({ends[1], ends[0]});
  }
  if (label) {
    graph.edge_labels.resize(graph.edges.size(), *label);
  }
}

}  // namespace

JsonColumn::JsonColumn(std::string name, ColumnRole role, std::optional<ColumnKind> forced, const std::string& file,
                       const std::optional<Schema>& schema, Words words)
    : name_(std::move(name)),
      role_(role),
      forced_(forced),
      fields_(name_, forced,
              role == ColumnRole::target || role == ColumnRole::groups ? FieldColumn::Spelling::kept
                                                                       : FieldColumn::Spelling::free),
      places_(std::make_unique<LinePlaces>(file)),
      schema_(schema) {
  if (words == Words::are_categories) {
    fields_.expect_categories();
  }
  fields_.declare_notation(notation_of(name_, schema_));
  if (forced == ColumnKind::set || forced == ColumnKind::bag || forced == ColumnKind::graph) {
    settle(forced == ColumnKind::set ? Form::set : forced == ColumnKind::bag ? Form::bag : Form::graph);
  } else if (forced == ColumnKind::numeric) {
    form_ = Form::number;
  }
}

std::string_view JsonColumn::to_string(Form form) {
  switch (form) {
    case Form::unknown:
      return "nothing";
    case Form::number:
      return "a number";
    case Form::word:
      return "a string";
    case Form::truth:
      return "true or false";
    case Form::set:
      return "a set (an array of strings or whole numbers)";
    case Form::bag:
      return "a bag of vectors (an array of arrays)";
    case Form::graph:
      return "a graph (an object with edges)";
  }
  return "unknown";
}

void JsonColumn::reject(const FilePlace& place, const std::string& message) const {
  throw DataError(place, "key '" + name_ + "': " + message);
}

JsonColumn::Form JsonColumn::form_of_array(const JsonValue& value, const FilePlace& place) const {
  if (value.empty()) {
    return form_ == Form::bag ? Form::bag : form_ == Form::unknown ? Form::unknown : Form::set;
  }
  const JsonValue& first = value.front();
  if (first.is_array()) {
    return Form::bag;
  }
  if (first.is_string() || first.is_number_integer()) {
    return Form::set;
  }
  if (first.is_number()) {
    reject(place,
           "an array of numbers that are not whole is no set; write one vector as [[1.5, 2]], or its components as "
           "keys of their own");
  }
  reject(place, "an array must hold strings, whole numbers, or arrays of numbers");
}

JsonColumn::Form JsonColumn::form_of(const JsonValue& value, const FilePlace& place) const {
  if (value.is_null()) {
    return Form::unknown;
  }
  if (value.is_array()) {
    return form_of_array(value, place);
  }
  if (value.is_object()) {
    if (!value.contains("edges") && !value.contains("nodes")) {
      reject(place, "an object must be a graph like {\"nodes\": 3, \"edges\": [[0, 1], [1, 2]]}");
    }
    return Form::graph;
  }
  if (value.is_string() && form_ == Form::set && forced_ == ColumnKind::set) {
    return Form::set;  // "a;b", as in a table of fields
  }
  if (value.is_string() && forced_ == ColumnKind::numeric && is_date(fields_.notation())) {
    return Form::number;  // JSON has no dates but strings
  }
  const bool declared_words = forced_ == ColumnKind::categorical || forced_ == ColumnKind::text;
  const bool labels = value.is_boolean() && (role_ == ColumnRole::target || role_ == ColumnRole::groups);
  return value.is_string() || declared_words ? Form::word : labels ? Form::truth : Form::number;
}

void JsonColumn::settle(Form form) {
  form_ = form;
  if (form == Form::number) {
    return;
  }
  if (form == Form::word || form == Form::truth) {
    fields_.declare_labels(form == Form::word ? LabelKind::text : LabelKind::boolean);
    return;
  }
  const ColumnKind kind = form == Form::set ? ColumnKind::set : form == Form::bag ? ColumnKind::bag : ColumnKind::graph;
  fields_ = FieldColumn(name_, kind, FieldColumn::Spelling::free);
  objects_ = make_object_column(kind, name_, schema_);
  if (!objects_->levels().empty()) {
    has_words_ = true;
  }
}

void JsonColumn::pad(const std::vector<Index>& lines) {
  if (form_ == Form::unknown && role_ != ColumnRole::ignored) {
    settle(empty_arrays_ ? Form::set : Form::number);
  }
  for (; rows_ < static_cast<Index>(lines.size()) && role_ != ColumnRole::ignored; ++rows_) {
    if (objects_) {
      objects_->add_empty();
    } else {
      places_->set_line(lines[rows_]);
      fields_.add("", *places_, 0);
    }
  }
}

void JsonColumn::add(const JsonValue& value, const std::vector<Index>& lines, Index line, const std::string* spelled) {
  const FilePlace place{places_->place().file, line};
  if (role_ != ColumnRole::input && value.is_structured()) {
    reject(place, "a target, weight or group must be a number or a string; this is " +
                      std::string(value.is_array() ? "an array" : "an object"));
  }
  const Form form = form_of(value, place);
  if (form == Form::unknown) {
    if (value.is_array()) {
      empty_arrays_ = true;
    }
    return;  // filled in with the next value or at the end
  }
  if (form_ == Form::unknown) {
    if (empty_arrays_ && form != Form::set && form != Form::bag) {
      reject(place, "this is " + std::string(to_string(form)) + "; earlier lines hold an empty array");
    }
    settle(form);
  }
  if (form != form_) {
    reject(place, "this is " + std::string(to_string(form)) +
                      "; earlier lines, or the data that the model was fitted "
                      "on, hold " +
                      std::string(to_string(form_)));
  }
  pad(lines);
  if (objects_) {
    add_object(value, place);
  } else {
    places_->set_line(line);
    places_->set_quoted(value.is_string());
    fields_.add(spelled != nullptr ? *spelled : field_of(value, role_), *places_, 0);
    places_->set_quoted(false);
  }
  ++rows_;
}

FieldColumn JsonColumn::take_fields() { return std::move(fields_); }

void JsonColumn::add_object(const JsonValue& value, const FilePlace& place) {
  if (form_ == Form::set && value.is_string()) {
    add_set_field(*objects_, value.get_ref<const std::string&>(), place);
  } else if (form_ == Form::set) {
    objects_->add_set(set_of(value, place));
  } else if (form_ == Form::bag) {
    objects_->add_bag(bag_of(value, place));
  } else {
    objects_->add_graph(graph_of(value, place));
  }
}

// A word's number in the column's list, or a whole number as it is.
std::int32_t JsonColumn::label_of(const JsonValue& value, const FilePlace& place) {
  const bool is_word = value.is_string();
  if (!is_word && !value.is_number_integer()) {
    reject(place, "members of sets and labels of graphs must be strings or whole numbers");
  }
  if (is_word && objects_->takes_numbers_only()) {
    reject(place, "the string '" + value.get<std::string>().substr(0, 40) +
                      "' where the data that the model was fitted on had whole numbers, or neither members nor labels; "
                      "write it as its number");
  }
  if (has_words_.value_or(is_word) != is_word) {
    reject(place, is_word ? "a string among whole numbers; write all members and labels in one way"
                          : "a number among strings; write all members and labels in one way");
  }
  has_words_ = is_word;
  if (is_word) {
    return objects_->code(value.get_ref<const std::string&>());
  }
  const auto number = whole_number(value);
  if (!number) {
    reject(place, "the whole number " + value.dump() + " is beyond 2147483646; write it as a string");
  }
  return *number;
}

std::vector<std::int32_t> JsonColumn::set_of(const JsonValue& value, const FilePlace& place) {
  std::vector<std::int32_t> members;
  members.reserve(value.size());
  for (const JsonValue& member : value) {
    members.push_back(label_of(member, place));
    if (members.back() < 0) {
      reject(place, "the member " + std::to_string(members.back()) + " is negative; write it as a string");
    }
  }
  return members;
}

std::vector<std::vector<double>> JsonColumn::bag_of(const JsonValue& value, const FilePlace& place) const {
  std::vector<std::vector<double>> points;
  points.reserve(value.size());
  Index dimension = objects_->dimension();
  for (const JsonValue& item : value) {
    if (!item.is_array()) {
      reject(place, "a bag of vectors must hold arrays of numbers only");
    }
    dimension = dimension < 0 ? static_cast<Index>(item.size()) : dimension;
    if (static_cast<Index>(item.size()) != dimension) {
      reject(place, "a vector of " + std::to_string(item.size()) + " components where the first one has " +
                        std::to_string(dimension));
    }
    std::vector<double>& point = points.emplace_back();
    point.reserve(item.size());
    for (const JsonValue& component : item) {
      if (!component.is_number()) {
        reject(place, "the components of vectors must be numbers");
      }
      point.push_back(component.get<double>());
    }
  }
  return points;
}

void JsonColumn::add_edge(const JsonValue& edge, const FilePlace& place, Graph& graph) {
  if (!edge.is_array() || edge.size() < 2 || edge.size() > 3) {
    reject(place, "an edge must be [i, j] or [i, j, label]");
  }
  std::array<std::int32_t, 2> ends{};
  for (std::size_t e = 0; e < 2; ++e) {
    const auto vertex = whole_number(edge[e]);
    if (!vertex || *vertex < 0 || *vertex >= graph.vertices) {
      reject(place, "the edge " + edge.dump().substr(0, 60) + " leaves the " + std::to_string(graph.vertices) +
                        " nodes, which are numbered from 0");
    }
    ends[e] = *vertex;
  }
  const bool labeled = edge.size() == 3;
  if (has_edge_labels_.value_or(labeled) != labeled) {
    reject(place, "either all edges of all graphs have labels or none has");
  }
  has_edge_labels_ = labeled;
  push_arcs(graph, ends, labeled ? std::optional(label_of(edge[2], place)) : std::nullopt, graph_is_directed_);
}

Graph JsonColumn::graph_of(const JsonValue& value, const FilePlace& place) {
  Graph graph;
  const auto nodes = value.find("nodes");
  if (nodes == value.end()) {
    reject(place, "a graph needs \"nodes\": their number, or the list of their labels");
  }
  if (nodes->is_array()) {
    for (const JsonValue& label : *nodes) {
      graph.vertex_labels.push_back(label_of(label, place));
    }
    graph.vertices = static_cast<Index>(graph.vertex_labels.size());
  } else {
    const auto count = whole_number(*nodes);
    if (!count || *count < 0) {
      reject(place, "\"nodes\" must be a number from 0 on, or the list of labels");
    }
    graph.vertices = *count;
  }
  if (graph.vertices > 0) {
    const bool labeled = nodes->is_array();
    if (has_vertex_labels_.value_or(labeled) != labeled) {
      reject(place, "either the nodes of all graphs have labels or none has");
    }
    has_vertex_labels_ = labeled;
  }
  const auto directed = value.find("directed");
  if (directed != value.end() && !directed->is_boolean()) {
    reject(place, "\"directed\" must be true or false");
  }
  graph_is_directed_ = directed != value.end() && directed->get<bool>();
  if (const auto edges = value.find("edges"); edges != value.end()) {
    if (!edges->is_array()) {
      reject(place, "\"edges\" must be an array of [i, j] or [i, j, label]");
    }
    graph.edges.reserve(2 * edges->size());
    for (const JsonValue& edge : *edges) {
      add_edge(edge, place, graph);
    }
  }
  // Vertices without labels and edges take memory that the file did not pay for.
  constexpr double most_bare = 1e7;
  const double linked = static_cast<double>(2 * graph.edges.size() + graph.vertex_labels.size());
  bare_vertices_ += std::max(0.0, static_cast<double>(graph.vertices) - linked);
  if (bare_vertices_ > most_bare) {
    reject(place, "more than 10000000 nodes without labels and edges");
  }
  return graph;
}

}  // namespace mercer
