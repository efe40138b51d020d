#include "mercer/io/model_header.h"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/io/stored_samples.h"

namespace mercer {

namespace {

using Json = nlohmann::json;

// The value whose text it is.
template <class Enum, std::size_t N>
Enum parse_word(const std::string& text, const std::array<Enum, N>& values, const char* what) {
  for (const Enum value : values) {
    if (to_string(value) == text) {
      return value;
    }
  }
  throw DataError("'" + text + "' is no " + what);
}

constexpr std::array statuses = {SolveStatus::converged, SolveStatus::iteration_limit, SolveStatus::stopped,
                                 SolveStatus::stalled};
constexpr std::array label_kinds = {LabelKind::text, LabelKind::integer, LabelKind::real, LabelKind::boolean};
constexpr std::array precisions = {StoredPrecision::float64, StoredPrecision::float32};
constexpr std::array column_kinds = {ColumnKind::numeric, ColumnKind::categorical, ColumnKind::text,
                                     ColumnKind::set,     ColumnKind::bag,         ColumnKind::graph};
constexpr std::array sample_kinds = {SampleKind::dense, SampleKind::sparse, SampleKind::strings,    SampleKind::sets,
                                     SampleKind::bags,  SampleKind::graphs, SampleKind::categories, SampleKind::table};

}  // namespace

std::string json_text(const Json& object, const char* name) { return restore_text(json_member(object, name)); }

double json_number(const Json& object, const char* name) {
  const Json& value = json_member(object, name);
  if (value.is_null()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (!value.is_number()) {
    throw DataError("'" + std::string(name) + "' is not a number");
  }
  return value.get<double>();
}

Index json_index(const Json& object, const char* name) {
  const Json& value = json_member(object, name);
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) {
    throw DataError("'" + std::string(name) + "' is not a whole number");
  }
  return value.get<Index>();
}

const Json& json_list(const Json& object, const char* name) {
  const Json& value = json_member(object, name);
  if (!value.is_array()) {
    throw DataError("'" + std::string(name) + "' is not a list");
  }
  return value;
}

// The seconds of its phases stay out: they are another fit's already when the same is done again.
Json store_report(const FitReport& report) {
  Json measures = Json::array();
  for (const FitReport::Measure& measure : report.measures) {
    measures.push_back({{"name", store_text(measure.name)}, {"value", measure.value}});
  }
  // Labels of classes and names of columns, which may be any bytes, stand in these texts.
  Json notes = Json::array();
  for (const std::string& note : report.notes) {
    notes.push_back(store_text(note));
  }
  return {{"status", to_string(report.status)},
          {"iterations", report.iterations},
          {"objective_name", report.objective_name},
          {"objective", report.objective},
          {"measures", measures},
          {"notes", notes}};
}

// Files keep the sentences alone.
NoteKind kind_of_stored(std::string_view sentence) {
  const bool at_limit = sentence.find(" ended at its upper bound ") != std::string_view::npos ||
                        sentence.find(" ended at its lower bound ") != std::string_view::npos;
  return at_limit ? NoteKind::limit_reached : NoteKind::plain;
}

FitReport restore_report(const Json& value) {
  FitReport report;
  report.status = parse_word(json_text(value, "status"), statuses, "status of a fit");
  report.iterations = json_index(value, "iterations");
  report.objective_name = json_text(value, "objective_name");
  report.objective = json_number(value, "objective");
  for (const Json& measure : json_list(value, "measures")) {
    report.measures.push_back({json_text(measure, "name"), json_number(measure, "value")});
  }
  for (const Json& note : json_list(value, "notes")) {
    std::string text = restore_text(note);
    const NoteKind kind = kind_of_stored(text);
    report.notes.emplace_back(std::move(text), kind);
  }
  return report;
}

Json store_schema(const Schema& schema) {
  Json columns = Json::array();
  for (const SchemaColumn& column : schema.columns) {
    Json levels = Json::array();
    for (const std::string& level : column.levels) {
      levels.push_back(store_text(level));
    }
    columns.push_back({{"name", store_text(column.name)}, {"kind", to_string(column.kind)}, {"levels", levels}});
  }
  return {{"kind", to_string(schema.kind)}, {"numeric_columns", schema.numeric_columns}, {"columns", columns}};
}

Schema restore_schema(const Json& value) {
  Schema schema;
  schema.kind = parse_word(json_text(value, "kind"), sample_kinds, "kind of samples");
  schema.numeric_columns = json_index(value, "numeric_columns");
  for (const Json& item : json_list(value, "columns")) {
    SchemaColumn column{.name = json_text(item, "name"),
                        .kind = parse_word(json_text(item, "kind"), column_kinds, "kind of column"),
                        .levels = {}};
    for (const Json& level : json_list(item, "levels")) {
      column.levels.push_back(restore_text(level));
    }
    schema.columns.push_back(std::move(column));
  }
  return schema;
}

Json store_annotations(const std::map<std::string, std::string>& annotations) {
  Json result = Json::object();
  for (const auto& [front, text] : annotations) {
    result[front] = store_text(text);
  }
  return result;
}

std::map<std::string, std::string> restore_annotations(const Json& value) {
  if (!value.is_object()) {
    throw DataError("'annotations' is not an object");
  }
  std::map<std::string, std::string> annotations;
  for (const auto& [front, text] : value.items()) {
    annotations.emplace(front, restore_text(text));
  }
  return annotations;
}

StoredPrecision restore_precision(const std::string& text) { return parse_word(text, precisions, "precision"); }

LabelKind restore_label_kind(const std::string& text) { return parse_word(text, label_kinds, "kind of labels"); }

Json store_settings(const std::vector<OptionSetting>& settings) {
  Json result = Json::object();
  for (const OptionSetting& setting : settings) {
    result[setting.name] = store_text(setting.value);
  }
  return result;
}

std::vector<OptionSetting> restore_settings(const Json& value) {
  if (!value.is_object()) {
    throw DataError("'settings' is not an object");
  }
  std::vector<OptionSetting> settings;
  for (const auto& [name, text] : value.items()) {
    settings.push_back({name, restore_text(text)});
  }
  return settings;
}

}  // namespace mercer
