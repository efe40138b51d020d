#include "mercer/data/targets.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

namespace {

// Distinct values ascending; all NaN count as one, at the end.
std::vector<double> distinct(std::vector<double> values) {
  const auto less = [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; };
  std::sort(values.begin(), values.end(), less);
  const auto same = [&](double a, double b) { return !less(a, b) && !less(b, a); };
  values.erase(std::unique(values.begin(), values.end(), same), values.end());
  return values;
}

ClassLabels labels_of_numbers(const TargetColumn& column) {
  const std::vector<double> levels = distinct(column.values);
  if (levels.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw DataError("target '" + column.name + "' has too many distinct values to be classes");
  }
  ClassLabels labels;
  labels.codes.reserve(column.values.size());
  for (const double value : column.values) {
    const auto place = std::isnan(value) ? levels.end() - 1 : std::lower_bound(levels.begin(), levels.end(), value);
    labels.codes.push_back(static_cast<std::int32_t>(place - levels.begin()));
  }
  for (const double level : levels) {
    labels.levels.push_back(shortest(level == 0 ? 0.0 : level));
  }
  return labels;
}

void require_numbers(const TargetColumn& column) {
  if (!column.is_numeric()) {
    throw DataError("target '" + column.name + "' holds labels such as '" + column.labels.levels.front() +
                    "', not numbers: it can be classified, not regressed");
  }
}

std::vector<std::string> sorted_by_bytes(std::vector<std::string> levels) {
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

// Labels that are different as texts and not in the form of the kind have no form in common.
bool are_different(std::span<const std::string> levels, LabelKind kind) {
  std::unordered_set<std::string> forms;
  return std::ranges::all_of(levels,
                             [&](const std::string& level) { return forms.insert(label_text(level, kind)).second; });
}

// Code of each of `from` among `to`, -1 where it is missing.
std::vector<std::int32_t> level_map(std::span<const std::string> from, std::span<const std::string> to,
                                    std::optional<LabelKind> given) {
  LabelKind kind = given ? *given : label_kind_of(to);
  kind = are_different(to, kind) ? kind : LabelKind::text;
  std::unordered_map<std::string, std::int32_t> codes;
  for (std::size_t c = 0; c < to.size(); ++c) {
    codes.emplace(label_text(to[c], kind), static_cast<std::int32_t>(c));
  }
  std::vector<std::int32_t> map;
  for (const std::string& level : from) {
    const auto found = codes.find(label_text(level, kind));
    map.push_back(found != codes.end() ? found->second : -1);
  }
  return map;
}

}  // namespace

std::vector<double> TargetColumn::finite_values(std::span<const Index> rows) const {
  require_numbers(*this);
  std::vector<double> numbers;
  numbers.reserve(rows.size());
  for (const Index row : rows) {
    const double value = values[row];
    if (!std::isfinite(value)) {
      throw DataError("the target" + (name.empty() ? "" : " '" + name + "'") + " of row " + std::to_string(row) +
                      " (counted from 0) is " + shortest(value) + "; targets must be finite numbers");
    }
    numbers.push_back(value);
  }
  return numbers;
}

std::vector<std::string> sorted_levels(std::vector<std::string> levels) {
  levels = sorted_by_bytes(std::move(levels));
  const LabelKind kind = label_kind_of(levels);
  if (kind != LabelKind::text) {
    std::stable_sort(levels.begin(), levels.end(), [kind](const std::string& a, const std::string& b) {
      return label_less(label_text(a, kind), label_text(b, kind), kind);
    });
  }
  return levels;
}

ClassLabels labels_of_texts(std::span<const std::optional<std::string>> texts, LabelKind kind) {
  std::unordered_map<std::string, std::string> forms;  // of each text, found once
  std::vector<std::string> levels;
  for (const std::optional<std::string>& text : texts) {
    if (text) {
      const auto [place, fresh] = forms.try_emplace(*text);
      if (fresh) {
        place->second = label_text(*text, kind);
        levels.push_back(place->second);
      }
    }
  }
  ClassLabels labels;
  labels.levels = kind == LabelKind::text ? sorted_by_bytes(std::move(levels)) : sorted_levels(std::move(levels));
  std::unordered_map<std::string_view, std::int32_t> codes;
  for (std::size_t c = 0; c < labels.levels.size(); ++c) {
    codes.emplace(labels.levels[c], static_cast<std::int32_t>(c));
  }
  labels.codes.reserve(texts.size());
  for (const std::optional<std::string>& text : texts) {
    labels.codes.push_back(text ? codes.at(forms.at(*text)) : -1);
  }
  return labels;
}

Targets::Targets(std::vector<TargetColumn> columns) : columns_(std::move(columns)) {
  for (const TargetColumn& column : columns_) {
    if (column.size() != columns_.front().size()) {
      throw InvalidArgument("target '" + column.name + "' has " + std::to_string(column.size()) + " rows where '" +
                            columns_.front().name + "' has " + std::to_string(columns_.front().size()));
    }
  }
}

Targets Targets::numeric(std::vector<double> values, std::string name) {
  std::vector<TargetColumn> columns(1);
  columns[0].name = std::move(name);
  columns[0].values = std::move(values);
  return Targets(std::move(columns));
}

Targets Targets::numeric(ConstMatrixView<double> values) {
  std::vector<TargetColumn> columns(values.columns());
  for (Index k = 0; k < values.columns(); ++k) {
    TargetColumn& column = columns[k];
    column.name = std::to_string(k);
    for (Index i = 0; i < values.rows(); ++i) {
      column.values.push_back(values(i, k));
    }
  }
  return Targets(std::move(columns));
}

Targets Targets::classes(std::span<const std::string> labels, std::string name) {
  std::vector<TargetColumn> columns(1);
  columns[0].name = std::move(name);
  ClassLabels& result = columns[0].labels;
  result.levels = sorted_levels({labels.begin(), labels.end()});
  std::unordered_map<std::string_view, std::int32_t> codes;
  for (std::size_t c = 0; c < result.levels.size(); ++c) {
    codes.emplace(result.levels[c], static_cast<std::int32_t>(c));
  }
  for (const std::string& label : labels) {
    result.codes.push_back(codes.at(label));
  }
  return Targets(std::move(columns));
}

const TargetColumn& Targets::column(Index output) const {
  if (output < 0 || output >= outputs()) {
    throw InvalidArgument("output " + std::to_string(output) + " was asked of " + std::to_string(outputs()) +
                          " target columns, numbered from 0");
  }
  return columns_[output];
}

bool Targets::is_numeric() const {
  return std::all_of(columns_.begin(), columns_.end(), [](const TargetColumn& column) { return column.is_numeric(); });
}

Matrix<double> Targets::values() const {
  Matrix<double> matrix(size(), outputs());
  for (Index k = 0; k < outputs(); ++k) {
    const TargetColumn& source = column(k);
    require_numbers(source);
    for (Index i = 0; i < size(); ++i) {
      matrix(i, k) = source.values[i];
    }
  }
  return matrix;
}

Matrix<double> Targets::finite_values(std::span<const Index> rows) const {
  Matrix<double> matrix(static_cast<Index>(rows.size()), outputs());
  for (Index k = 0; k < outputs(); ++k) {
    const std::vector<double> numbers = column(k).finite_values(rows);
    for (Index i = 0; i < matrix.rows(); ++i) {
      matrix(i, k) = numbers[i];
    }
  }
  return matrix;
}

ClassLabels Targets::labels(Index output) const {
  const TargetColumn& source = column(output);
  return source.has_labels() ? source.labels : labels_of_numbers(source);
}

LabelKind Targets::label_kind(Index output) const {
  const TargetColumn& source = column(output);
  return source.kind ? *source.kind : label_kind_of(labels(output).levels);
}

ClassLabels Targets::labels(Index output, std::span<const std::string> levels) const {
  ClassLabels found = labels(output);
  const std::vector<std::int32_t> map = level_map(found.levels, levels, column(output).kind);
  for (std::int32_t& code : found.codes) {
    code = code < 0 ? -1 : map[code];
  }
  found.levels.assign(levels.begin(), levels.end());
  return found;
}

void Targets::set_label_kind(LabelKind kind) {
  for (TargetColumn& column : columns_) {
    column.kind = kind;
  }
}

Targets Targets::select(std::span<const Index> numbers) const {
  for (const Index i : numbers) {
    if (i < 0 || i >= size()) {
      throw InvalidArgument("row number " + std::to_string(i) + " is outside the " + std::to_string(size()) +
                            " targets; rows count from 0");
    }
  }
  std::vector<TargetColumn> chosen;
  for (const TargetColumn& source : columns_) {
    TargetColumn& copy = chosen.emplace_back();
    copy.name = source.name;
    copy.kind = source.kind;
    copy.labels.levels = source.labels.levels;
    for (const Index i : numbers) {
      if (!source.values.empty()) {
        copy.values.push_back(source.values[i]);
      }
      if (source.has_labels()) {
        copy.labels.codes.push_back(source.labels.codes[i]);
      }
    }
  }
  return Targets(std::move(chosen));
}

}  // namespace mercer
