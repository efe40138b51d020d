#include "mercer/io/model_header.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/base/words.h"
#include "mercer/io/stored_samples.h"

namespace mercer {

namespace {

using Json = nlohmann::json;

template <HasWords Enum>
Enum parse_word(const std::string& text, const char* what) {
  if (const auto value = find_word<Enum>(text)) {
    return *value;
  }
  throw DataError("'" + text + "' is no " + what);
}

Json store_measure(const FitReport::Measure& measure) {
  // Labels of classes and names of columns, which may be any bytes, stand in these texts.
  Json result = {{"name", store_text(measure.name)}, {"value", measure.value}};
  if (measure.fact) {
    result["fact"] = word_of(*measure.fact);
    if (!measure.about.empty()) {
      result["about"] = store_text(measure.about);
    }
  }
  return result;
}

FitReport::Measure restore_measure(const Json& value) {
  FitReport::Measure measure(json_text(value, "name"), json_number(value, "value"));
  if (value.contains("fact")) {
    measure.fact = parse_word<Fact>(json_text(value, "fact"), "fact of a fit");
    measure.about = value.contains("about") ? json_text(value, "about") : std::string();
  }
  return measure;
}

Json store_note(const Note& note) {
  Json result = {{"text", store_text(note.text)}};
  if (note.kind != NoteKind::plain) {
    result["kind"] = word_of(note.kind);
  }
  return result;
}

Note restore_note(const Json& value) {
  const NoteKind kind =
      value.contains("kind") ? parse_word<NoteKind>(json_text(value, "kind"), "kind of note") : NoteKind::plain;
  return {json_text(value, "text"), kind};
}

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

bool json_flag(const Json& object, const char* name) {
  const Json& value = json_member(object, name);
  if (!value.is_boolean()) {
    throw DataError("'" + std::string(name) + "' is neither true nor false");
  }
  return value.get<bool>();
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
  std::ranges::transform(report.measures, std::back_inserter(measures), store_measure);
  Json notes = Json::array();
  std::ranges::transform(report.notes, std::back_inserter(notes), store_note);
  return {{"status", to_string(report.status)},
          {"iterations", report.iterations},
          {"objective_name", report.objective_name},
          {"objective", report.objective},
          {"measures", measures},
          {"notes", notes}};
}

FitReport restore_report(const Json& value) {
  FitReport report;
  report.status = parse_word<SolveStatus>(json_text(value, "status"), "status of a fit");
  report.iterations = json_index(value, "iterations");
  report.objective_name = json_text(value, "objective_name");
  report.objective = json_number(value, "objective");
  std::ranges::transform(json_list(value, "measures"), std::back_inserter(report.measures), restore_measure);
  for (const Json& note : json_list(value, "notes")) {
    // Formats 1 and 2 have sentences alone.
    report.notes.push_back(note.is_object() && note.contains("text") ? restore_note(note) : Note(restore_text(note)));
  }
  return report;
}

const Json& json_object(const Json& object, const char* name) {
  const Json& value = json_member(object, name);
  if (!value.is_object()) {
    throw DataError("'" + std::string(name) + "' is not an object");
  }
  return value;
}

Json store_decision(const DecisionRule& rule) {
  Json stored = {{"costs", rule.costs}, {"priors", rule.priors}};
  if (rule.threshold) {
    // JSON has no infinite numbers: "inf" and "-inf" never answer the second class, or the first.
    stored["threshold"] = std::isfinite(*rule.threshold) ? Json(*rule.threshold) : Json(shortest(*rule.threshold));
  }
  if (rule.rate) {
    stored["rate"] = rule.rate->rate;
    stored["positive"] = rule.rate->positive;
  }
  return stored;
}

namespace {

std::vector<double> restore_numbers(const Json& list, const char* name) {
  std::vector<double> numbers;
  for (const Json& item : list) {
    if (!item.is_number()) {
      throw DataError("'" + std::string(name) + "' holds something that is no number");
    }
    numbers.push_back(item.get<double>());
  }
  return numbers;
}

}  // namespace

DecisionRule restore_decision(const Json& value) {
  DecisionRule rule{.costs = restore_numbers(json_list(value, "costs"), "costs"),
                    .priors = restore_numbers(json_list(value, "priors"), "priors")};
  if (value.contains("threshold")) {
    const Json& threshold = value.at("threshold");
    const bool never = threshold == "inf" || threshold == "-inf";
    rule.threshold = !never               ? json_number(value, "threshold")
                     : threshold == "inf" ? std::numeric_limits<double>::infinity()
                                          : -std::numeric_limits<double>::infinity();
  }
  if (value.contains("rate")) {
    rule.rate = RateWanted{.rate = json_number(value, "rate"), .positive = json_index(value, "positive")};
  }
  return rule;
}

std::vector<double> restore_class_shares(const Json& list, std::size_t classes) {
  std::vector<double> shares = restore_numbers(list, "class_shares");
  if (shares.size() != classes || !std::ranges::all_of(shares, [](double share) { return share > 0 && share <= 1; })) {
    throw DataError("'class_shares' must hold a share of every class, above 0");
  }
  return shares;
}

namespace {

Json store_column(const SchemaColumn& column) {
  Json levels = Json::array();
  for (const std::string& level : column.levels) {
    levels.push_back(store_text(level));
  }
  Json stored = {{"name", store_text(column.name)}, {"kind", to_string(column.kind)}, {"levels", levels}};
  if (column.notation != Notation::plain) {
    stored["notation"] = to_string(column.notation);
  }
  if (column.part != DatePart::none) {
    stored["part"] = to_string(column.part);
    stored["dates"] = store_text(column.dates);
  }
  return stored;
}

SchemaColumn restore_column(const Json& item) {
  SchemaColumn column{.name = json_text(item, "name"),
                      .kind = parse_word<ColumnKind>(json_text(item, "kind"), "kind of column"),
                      .levels = {}};
  for (const Json& level : json_list(item, "levels")) {
    column.levels.push_back(restore_text(level));
  }
  if (item.contains("notation")) {
    column.notation = parse_word<Notation>(json_text(item, "notation"), "notation of numbers");
  }
  if (item.contains("part")) {
    column.part = parse_word<DatePart>(json_text(item, "part"), "part of a date");
    column.dates = json_text(item, "dates");
  }
  return column;
}

}  // namespace

Json store_schema(const Schema& schema) {
  Json columns = Json::array();
  for (const SchemaColumn& column : schema.columns) {
    columns.push_back(store_column(column));
  }
  Json stored = {
      {"kind", to_string(schema.kind)}, {"numeric_columns", schema.numeric_columns}, {"columns", std::move(columns)}};
  if (schema.file_columns > 0) {
    stored["file_columns"] = schema.file_columns;
    stored["not_inputs"] = schema.not_inputs;
  }
  if (!schema.file_names.empty()) {
    stored["file_names"] = Json::array();
    for (const std::string& name : schema.file_names) {
      stored["file_names"].push_back(store_text(name));
    }
    stored["not_inputs"] = schema.not_inputs;
  }
  return stored;
}

namespace {

void restore_not_inputs(const Json& value, Index columns, Schema& schema) {
  schema.not_inputs.clear();
  for (const Json& number : json_list(value, "not_inputs")) {
    const Index previous = schema.not_inputs.empty() ? -1 : schema.not_inputs.back();
    if (!number.is_number_unsigned() || number.get<std::uint64_t>() >= static_cast<std::uint64_t>(columns) ||
        number.get<Index>() <= previous) {
      throw DataError("the numbers of columns that were no inputs do not ascend within the " + std::to_string(columns) +
                      " of the file");
    }
    schema.not_inputs.push_back(number.get<Index>());
  }
}

}  // namespace

Schema restore_schema(const Json& value) {
  Schema schema;
  schema.kind = parse_word<SampleKind>(json_text(value, "kind"), "kind of samples");
  schema.numeric_columns = json_index(value, "numeric_columns");
  for (const Json& item : json_list(value, "columns")) {
    schema.columns.push_back(restore_column(item));
  }
  if (value.contains("file_columns")) {
    schema.file_columns = json_index(value, "file_columns");
    restore_not_inputs(value, schema.file_columns, schema);
  }
  if (value.contains("file_names")) {
    for (const Json& name : json_list(value, "file_names")) {
      schema.file_names.push_back(restore_text(name));
    }
    restore_not_inputs(value, static_cast<Index>(schema.file_names.size()), schema);
  }
  return schema;
}

Json store_coding(const Coding& coding) {
  Json numbers = Json::array();
  for (const NumberCoding& number : coding.numbers) {
    numbers.push_back({{"fill", number.fill}, {"indicator", number.has_indicator}, {"missing", number.missing}});
  }
  Json categories = Json::array();
  for (const CategoryCoding& category : coding.categories) {
    categories.push_back({{"column", store_text(category.column)},
                          {"levels", category.levels},
                          {"rest", category.has_rest},
                          {"missing", category.missing}});
  }
  Json beside = Json::array();
  for (const std::string& column : coding.beside) {
    beside.push_back(store_text(column));
  }
  Json left_out = Json::array();
  for (const LeftOutColumn& column : coding.left_out) {
    left_out.push_back({{"column", store_text(column.column)}, {"reason", to_string(column.reason)}});
  }
  Json stored = {{"missing", to_string(coding.missing)},
                 {"numbers", numbers},
                 {"categories", categories},
                 {"beside", beside},
                 {"left_out", left_out}};
  for (const std::string& column : coding.in_subscripts) {
    stored["in_subscripts"].push_back(store_text(column));
  }
  return stored;
}

namespace {

const SchemaColumn& coded_column(const Schema& schema, const std::string& name) {
  const auto found = std::ranges::find(schema.columns, name, &SchemaColumn::name);
  if (found == schema.columns.end() || found->kind == ColumnKind::numeric) {
    throw DataError("column '" + name + "' is coded, and the schema has no such column beside its numbers");
  }
  return *found;
}

CategoryCoding restore_category(const Json& value, const Schema& schema) {
  CategoryCoding category{.column = json_text(value, "column"),
                          .levels = {},
                          .has_rest = json_flag(value, "rest"),
                          .missing = json_index(value, "missing")};
  const SchemaColumn& column = coded_column(schema, category.column);
  if (column.kind != ColumnKind::categorical) {
    throw DataError("column '" + category.column + "' is coded and holds no categories");
  }
  const auto count = static_cast<Index>(column.levels.size());
  for (const Json& level : json_list(value, "levels")) {
    const bool fits = level.is_number_unsigned() && level.get<std::uint64_t>() < static_cast<std::uint64_t>(count);
    if (!fits || (!category.levels.empty() && level.get<Index>() <= category.levels.back())) {
      throw DataError("the coded levels of column '" + category.column + "' do not ascend within its " +
                      std::to_string(count) + " levels");
    }
    category.levels.push_back(level.get<std::int32_t>());
  }
  return category;
}

}  // namespace

Coding restore_coding(const Json& value, const Schema& schema) {
  Coding coding;
  coding.is_fitted = true;
  coding.missing = parse_word<MissingRule>(json_text(value, "missing"), "rule for missing numbers");
  for (const Json& item : json_list(value, "numbers")) {
    coding.numbers.push_back({.fill = json_number(item, "fill"),
                              .has_indicator = json_flag(item, "indicator"),
                              .missing = json_index(item, "missing")});
  }
  if (!coding.numbers.empty() && static_cast<Index>(coding.numbers.size()) != schema.numeric_columns) {
    throw DataError("the coding is of " + std::to_string(coding.numbers.size()) + " numeric columns, the schema of " +
                    std::to_string(schema.numeric_columns));
  }
  std::vector<std::string> seen;
  const auto take_once = [&](const std::string& column) {
    if (std::ranges::find(seen, column) != seen.end()) {
      throw DataError("column '" + column + "' is coded twice");
    }
    seen.push_back(column);
  };
  for (const Json& item : json_list(value, "categories")) {
    coding.categories.push_back(restore_category(item, schema));
    take_once(coding.categories.back().column);
  }
  seen.clear();
  for (const Json& item : json_list(value, "beside")) {
    coding.beside.push_back(restore_text(item));
    coded_column(schema, coding.beside.back());
    take_once(coding.beside.back());
  }
  if (value.contains("in_subscripts")) {
    for (const Json& item : json_list(value, "in_subscripts")) {
      coding.in_subscripts.push_back(restore_text(item));
      if (std::ranges::find(coding.categories, coding.in_subscripts.back(), &CategoryCoding::column) ==
          coding.categories.end()) {
        throw DataError("subscripts see the levels of column '" + coding.in_subscripts.back() +
                        "', which is not coded");
      }
    }
  }
  for (const Json& item : json_list(value, "left_out")) {
    coding.left_out.push_back({json_text(item, "column"),
                               parse_word<LeftOutReason>(json_text(item, "reason"), "reason to leave a column out")});
  }
  return coding;
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

StoredPrecision restore_precision(const std::string& text) { return parse_word<StoredPrecision>(text, "precision"); }

LabelKind restore_label_kind(const std::string& text) { return parse_word<LabelKind>(text, "kind of labels"); }

Json store_embedding(const Embedding& embedding) {
  return {
      {"series", store_column(embedding.series)}, {"lags", embedding.delays.lags}, {"delay", embedding.delays.delay}};
}

Embedding restore_embedding(const Json& value, const Schema& schema) {
  Embedding embedding{.series = restore_column(json_object(value, "series")),
                      .delays = {.lags = json_index(value, "lags"), .delay = json_index(value, "delay")}};
  embedding.delays.validate();
  const bool is_beside =
      std::ranges::find(schema.columns, embedding.series.name, &SchemaColumn::name) != schema.columns.end();
  if (embedding.series.kind != ColumnKind::numeric || is_beside) {
    throw DataError("the series '" + embedding.series.name + "' is no column of numbers, or is one of the inputs, too");
  }
  return embedding;
}

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
