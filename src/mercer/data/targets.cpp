#include "mercer/data/targets.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

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
  if (column.texts.size() == levels.size()) {
    labels.levels = column.texts;
  } else {
    for (const double level : levels) {
      labels.levels.push_back(shortest(level));
    }
  }
  return labels;
}

// Code of each of `from` among `to`, -1 where it is missing.
std::vector<std::int32_t> level_map(std::span<const std::string> from, std::span<const std::string> to) {
  std::unordered_map<std::string, std::int32_t> texts;
  std::unordered_map<double, std::int32_t> numbers;
  for (std::size_t c = 0; c < to.size(); ++c) {
    texts.emplace(to[c], static_cast<std::int32_t>(c));
    if (const auto number = parse_double(to[c])) {
      numbers.emplace(*number, static_cast<std::int32_t>(c));
    }
  }
  std::vector<std::int32_t> map;
  for (const std::string& level : from) {
    std::int32_t code = -1;
    if (const auto text = texts.find(level); text != texts.end()) {
      code = text->second;
    } else if (const auto value = parse_double(level)) {
      const auto number = numbers.find(*value);
      code = number != numbers.end() ? number->second : -1;
    }
    map.push_back(code);
  }
  return map;
}

}  // namespace

std::vector<std::string> sorted_levels(std::vector<std::string> levels) {
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  const auto is_number = [](const std::string& level) {
    const auto value = parse_double(level);
    return value && !std::isnan(*value);
  };
  if (std::all_of(levels.begin(), levels.end(), is_number)) {
    std::stable_sort(levels.begin(), levels.end(), [](const std::string& a, const std::string& b) {
      return parse_double(a).value_or(0) < parse_double(b).value_or(0);
    });
  }
  return levels;
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
  std::vector<TargetColumn> columns(static_cast<std::size_t>(values.columns()));
  for (Index k = 0; k < values.columns(); ++k) {
    TargetColumn& column = columns[static_cast<std::size_t>(k)];
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
  return columns_[static_cast<std::size_t>(output)];
}

bool Targets::is_numeric() const {
  return std::all_of(columns_.begin(), columns_.end(), [](const TargetColumn& column) { return column.is_numeric(); });
}

Matrix<double> Targets::values() const {
  Matrix<double> matrix(size(), outputs());
  for (Index k = 0; k < outputs(); ++k) {
    const TargetColumn& source = column(k);
    if (!source.is_numeric()) {
      throw DataError("target '" + source.name + "' holds labels such as '" + source.labels.levels.front() +
                      "', not numbers: it can be classified, not regressed");
    }
    for (Index i = 0; i < size(); ++i) {
      matrix(i, k) = source.values[static_cast<std::size_t>(i)];
    }
  }
  return matrix;
}

ClassLabels Targets::labels(Index output) const {
  const TargetColumn& source = column(output);
  return source.is_numeric() ? labels_of_numbers(source) : source.labels;
}

ClassLabels Targets::labels(Index output, std::span<const std::string> levels) const {
  ClassLabels found = labels(output);
  const std::vector<std::int32_t> map = level_map(found.levels, levels);
  for (std::int32_t& code : found.codes) {
    code = code < 0 ? -1 : map[static_cast<std::size_t>(code)];
  }
  found.levels.assign(levels.begin(), levels.end());
  return found;
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
    copy.labels.levels = source.labels.levels;
    for (const Index i : numbers) {
      if (source.is_numeric()) {
        copy.values.push_back(source.values[static_cast<std::size_t>(i)]);
      } else {
        copy.labels.codes.push_back(source.labels.codes[static_cast<std::size_t>(i)]);
      }
    }
    // Values that were not chosen have no text any more.
    const std::vector<double> before = source.texts.empty() ? std::vector<double>{} : distinct(source.values);
    if (before.size() == source.texts.size() && !source.texts.empty()) {
      for (const double value : distinct(copy.values)) {
        const auto place = std::lower_bound(before.begin(), before.end(), value);
        copy.texts.push_back(
            source.texts[static_cast<std::size_t>(std::min(place, before.end() - 1) - before.begin())]);
      }
    }
  }
  return Targets(std::move(chosen));
}

}  // namespace mercer
