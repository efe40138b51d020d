#include "mercer/data/files/json_lines.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/collect_columns.h"
#include "mercer/data/files/json_column.h"
#include "mercer/data/files/kept_rows.h"
#include "mercer/data/files/line_reader.h"

namespace mercer {

namespace {

using JsonValue = nlohmann::json;

// Deeper than any kind of value: an object of an object of arrays of arrays.
constexpr int deepest_nesting = 8;
constexpr std::size_t longest_json_line = std::size_t{256} << 20;

bool is_listed(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

int nesting_of(std::string_view line) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_string) {
      i += c == '\\' ? 1 : 0;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

JsonValue parse_line(std::string_view line, const FilePlace& place) {
  if (nesting_of(line) > deepest_nesting) {
    throw DataError(place, "the object is nested more than " + std::to_string(deepest_nesting) + " deep");
  }
  try {
    JsonValue value = JsonValue::parse(line.begin(), line.end());
    if (!value.is_object()) {
      throw DataError(place, "every line must be a JSON object like {\"x\": 1}; this one is " +
                                 std::string(value.is_array() ? "an array" : value.type_name()));
    }
    return value;
  } catch (const JsonValue::parse_error& error) {
    throw DataError({place.file, place.line, static_cast<std::int64_t>(error.byte)},
                    "the line is not valid JSON here; every line must be a whole object");
  } catch (const JsonValue::out_of_range&) {
    throw DataError(place, "a number in this line is too large for any type");
  }
}

// Numbers by their keys, as they are written.
using SpelledNumbers = std::unordered_map<std::string, std::string>;

// Collects the integers of an object that neither 64 bits nor doubles hold.
class LargeIntegers final : public nlohmann::json_sax<JsonValue> {
 public:
  SpelledNumbers found;

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(std::int64_t /*value*/) override { return true; }
  bool number_unsigned(std::uint64_t /*value*/) override { return true; }
  bool number_float(double /*value*/, const std::string& text) override {
    if (depth_ == 1 && number_form(text) == NumberForm::large_integer) {
      found.insert_or_assign(key_, text);
    }
    return true;
  }
  bool string(std::string& /*value*/) override { return true; }
  bool binary(JsonValue::binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*size*/) override { return deeper(); }
  bool end_object() override { return higher(); }
  bool start_array(std::size_t /*size*/) override { return deeper(); }
  bool end_array() override { return higher(); }
  bool key(std::string& value) override {
    if (depth_ == 1) {
      key_ = value;
    }
    return true;
  }
  bool parse_error(std::size_t /*place*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

 private:
  bool deeper() {
    ++depth_;
    return true;
  }
  bool higher() {
    --depth_;
    return true;
  }

  int depth_ = 0;
  std::string key_;
};

SpelledNumbers spelled_numbers(std::string_view line) {
  constexpr int fewest_digits = 16;  // of 2⁵³
  int digits = 0;
  const bool is_possible = std::ranges::any_of(line, [&](char c) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    return digits >= fewest_digits;
  });
  LargeIntegers integers;
  if (is_possible) {
    JsonValue::sax_parse(line.begin(), line.end(), &integers);
  }
  return std::move(integers.found);
}

// Keys of all lines, as columns.
class JsonTable {
 public:
  JsonTable(std::string file, const ReadOptions& options) : file_(std::move(file)), options_(options) {
    if (options.schema) {
      for (const SchemaColumn& column : options.schema->columns) {
        schema_kinds_.emplace(column.part == DatePart::none ? column.name : column.dates, column.kind);
      }
    }
  }

  void add_line(const JsonValue& object, const SpelledNumbers& spelled, Index line) {
    for (const auto& [key, value] : object.items()) {
      auto found = numbers_.find(key);
      if (found == numbers_.end()) {
        found = numbers_.emplace(key, columns_.size()).first;
        columns_.emplace_back(key, role_of(key), forced_kind(key), file_, options_.schema,
                              means_column(options_.categorical_words, key, names_) ? JsonColumn::Words::are_categories
                                                                                    : JsonColumn::Words::are_either);
        names_.push_back(key);
      }
      JsonColumn& column = columns_[found->second];
      if (column.role() != ColumnRole::ignored) {
        const auto text = spelled.find(key);
        column.add(value, lines_, line, text == spelled.end() ? nullptr : &text->second);
      }
    }
    lines_.push_back(line);
  }

  Index rows() const { return static_cast<Index>(lines_.size()); }

  // Holes take memory that the file did not pay for.
  void require_dense(Index bytes) const {
    constexpr double free_cells = 1e7;
    const double cells = static_cast<double>(columns_.size()) * static_cast<double>(lines_.size());
    if (cells > std::max(free_cells, 4 * static_cast<double>(bytes))) {
      throw DataError({file_, lines_.back()}, "the lines so far have " + std::to_string(columns_.size()) +
                                                  " different keys, and most lines lack most of them; every key is a "
                                                  "column, so that names must not be used as keys");
    }
  }

  TableLayout finish() {
    require_known();
    TableLayout layout;
    layout.named = true;
    for (JsonColumn& column : columns_) {
      column.pad(lines_);
      layout.names.push_back(column.name());
      layout.roles.push_back(column.role());
      layout.columns.push_back(column.take_fields());
      layout.objects.push_back(column.objects());
    }
    leave_out_unneeded(layout, options_);
    for (const std::string& target :
         options_.targets_presence == Presence::ignored ? std::vector<std::string>{} : options_.targets) {
      if (const auto found = numbers_.find(target); found != numbers_.end()) {
        layout.targets.push_back(found->second);
      }
    }
    return layout;
  }

 private:
  // Of a key that is new: the columns are those before it.
  ColumnRole role_of(const std::string& key) const {
    const bool ignored = options_.targets_presence == Presence::ignored;
    if (is_listed(options_.targets, key)) {
      return ignored ? ColumnRole::ignored : ColumnRole::target;
    }
    if (!key.empty() && (key == options_.weights || key == options_.groups || key == options_.noise)) {
      return ignored                   ? ColumnRole::ignored
             : key == options_.weights ? ColumnRole::weights
             : key == options_.groups  ? ColumnRole::groups
                                       : ColumnRole::noise;
    }
    const bool wanted = (options_.inputs.empty() || means_column(options_.inputs, key, names_)) &&
                        !means_column(options_.ignored, key, names_);
    return wanted && (!options_.schema || options_.schema->columns.empty() || schema_kind(key)) ? ColumnRole::input
                                                                                                : ColumnRole::ignored;
  }

  std::optional<ColumnKind> schema_kind(const std::string& key) const {
    const auto found = schema_kinds_.find(key);
    return found == schema_kinds_.end() ? std::nullopt : std::optional(found->second);
  }

  std::optional<ColumnKind> forced_kind(const std::string& key) const {
    const ColumnRole role = role_of(key);
    if (role == ColumnRole::weights || role == ColumnRole::noise) {
      return ColumnKind::numeric;
    }
    if (means_column(options_.categorical, key, names_)) {
      return ColumnKind::categorical;
    }
    if (means_column(options_.text, key, names_)) {
      return ColumnKind::text;
    }
    if (means_column(options_.sets, key, names_)) {
      return ColumnKind::set;
    }
    return role == ColumnRole::input && options_.schema ? schema_kind(key) : std::nullopt;
  }

  void require_known() const {
    const std::vector<std::string>& names = names_;
    const auto require = [&](const std::string& key, std::string_view what) {
      if (!key.empty() && !numbers_.contains(key)) {
        throw DataError(
            {file_}, "no line has the key '" + key + "' for the " + std::string(what) + "." + did_you_mean(key, names));
      }
    };
    if (options_.schema) {
      for (const SchemaColumn& column : options_.schema->columns) {
        const std::string& name = column.part == DatePart::none ? column.name : column.dates;
        if (!numbers_.contains(name)) {
          throw DataError({file_}, "key '" + name + "' is missing in every line; the model was fitted with it." +
                                       did_you_mean(name, names));
        }
      }
    }
    if (options_.targets_presence == Presence::required) {
      std::ranges::for_each(options_.targets, [&](const std::string& key) { require(key, "target"); });
      require(options_.weights, "weights");
      require(options_.groups, "groups");
      require(options_.noise, options_.noise_meaning);
    }
    const auto require_all = [&](const std::vector<std::string>& references, const char* what) {
      for (const std::string& reference : references) {
        require_ends(reference, what);
        const bool is_found = std::ranges::any_of(names, [&, before = std::size_t{0}](const std::string& name) mutable {
          return means_column(std::span(&reference, 1), name, std::span(names).first(before++));
        });
        if (!is_found) {
          require(reference, what);
        }
      }
    };
    require_all(options_.inputs, "inputs");
    require_all(options_.ignored, "columns to ignore");
    require_all(options_.categorical, "categorical kind");
    require_all(options_.text, "text kind");
    require_all(options_.sets, "set kind");
  }

  // A range whose last name no line has was open to the end.
  void require_ends(const std::string& reference, const char* what) const {
    const std::size_t colon = reference.find(':');
    if (colon == reference.npos || numbers_.contains(reference) || !find_columns(reference, names_).empty()) {
      return;
    }
    const std::string first(trim(std::string_view(reference).substr(0, colon)));
    const std::string last(trim(std::string_view(reference).substr(colon + 1)));
    if (numbers_.contains(first) && numbers_.contains(last)) {
      throw DataError({file_}, "the range '" + reference + "' of the " + what + ": '" + last + "' comes before '" +
                                   first + "'; keys are columns in the order of the alphabet, line by line");
    }
    if (numbers_.contains(first) != numbers_.contains(last)) {
      const std::string& unknown = numbers_.contains(first) ? last : first;
      throw DataError({file_}, "no line has the key '" + unknown + "', an end of the range '" + reference +
                                   "' of the " + what + "." + did_you_mean(unknown, names_));
    }
  }

  std::string file_;
  const ReadOptions& options_;
  std::vector<JsonColumn> columns_;
  std::vector<std::string> names_;  // of these
  std::unordered_map<std::string, std::size_t> numbers_;
  std::unordered_map<std::string, ColumnKind> schema_kinds_;
  std::vector<Index> lines_;  // of each row
};

}  // namespace

bool looks_like_json_lines(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) {
    head.remove_prefix(3);
  }
  const auto first = head.find_first_not_of(" \t\r\n");
  if (first == head.npos || head[first] != '{') {
    return false;
  }
  const auto second = head.find_first_not_of(" \t\r\n", first + 1);
  return second == head.npos || head[second] == '"' || head[second] == '}';
}

DataFile read_json_lines(InputStream& stream, const ReadOptions& options, const Run& run) {
  JsonTable table(stream.name(), options);
  LineReader reader(stream, longest_json_line);
  for (std::string_view line; reader.next(line);) {
    line = trim(line);
    if (line.empty()) {
      continue;
    }
    table.add_line(parse_line(line, {stream.name(), reader.line()}), spelled_numbers(line), reader.line());
    table.require_dense(reader.bytes());
    if (table.rows() % 256 == 0) {
      run.check_stop();
      run.progress("reading " + stream.name(), static_cast<double>(reader.bytes()),
                   static_cast<double>(std::max<Index>(stream.plain_size(), 0)));
    }
  }
  if (table.rows() == 0) {
    throw DataError({stream.name()}, "the file holds no JSON objects; there are no samples in it");
  }
  TableLayout layout = table.finish();
  DataFile file = [&] {
    try {
      return collect_columns(layout, stream.name(), options, run);
    } catch (const InvalidArgument& error) {
      throw DataError({stream.name()}, error.what());
    }
  }();
  require_rows_left(file.samples.size(), file.dropped_rows, stream.name());
  file.format = FileFormat::json_lines;
  return file;
}

}  // namespace mercer
