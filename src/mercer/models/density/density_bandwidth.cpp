#include "mercer/models/density/density_bandwidth.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/models/density/column_numbers.h"

namespace mercer {

namespace {

std::string number_list(const std::vector<double>& numbers) {
  std::vector<std::string> items;
  for (const double number : numbers) {
    items.push_back(shortest(number));
  }
  return join(items, ",");
}

std::string number_rows(const DensityBandwidth::SquaredWidths& rows) {
  std::vector<std::string> lines;
  for (const std::vector<double>& row : rows) {
    lines.push_back(number_list(row));
  }
  return join(lines, ";");
}

[[noreturn]] void reject_widths(std::string_view text) {
  reject_argument("bandwidth", text, "a rule, or positive numbers, one for all columns or one for each");
}

[[noreturn]] void reject_matrix(std::string_view text) {
  reject_argument("bandwidth", text, "a square matrix of numbers, rows separated by semicolons as in 4,1;1,9");
}

void require_widths(const DensityBandwidth::Widths& widths, std::string_view text) {
  const auto is_width = [](double width) { return width > 0 && std::isfinite(width); };
  if (widths.empty() || !std::ranges::all_of(widths, is_width)) {
    reject_widths(text);
  }
}

void require_squared_widths(const DensityBandwidth::SquaredWidths& rows, std::string_view text) {
  const auto is_row = [&](const std::vector<double>& row) {
    return row.size() == rows.size() && std::ranges::all_of(row, [](double value) { return std::isfinite(value); });
  };
  if (rows.empty() || !std::ranges::all_of(rows, is_row)) {
    reject_matrix(text);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::abs(rows[i][j] - rows[j][i]) > 1e-10 * (std::abs(rows[i][j]) + std::abs(rows[j][i]))) {
        reject_argument("bandwidth", text, "a symmetric matrix: squared widths, as a covariance has them");
      }
    }
  }
}

// Nothing where an item is no number.
std::optional<std::vector<double>> listed_numbers(std::string_view text) {
  std::vector<double> numbers;
  for (const std::string& item : split(text, ',')) {
    const std::optional<double> number = parse_double(trim(item));
    if (!number) {
      return {};
    }
    numbers.push_back(*number);
  }
  return numbers;
}

bool begins_with_a_number(std::string_view text) {
  return !text.empty() && parse_double(trim(split(text, ',').front())).has_value();
}

}  // namespace

DensityBandwidth::DensityBandwidth(BandwidthRule rule) : value_(rule), text_(word_of(rule)) {}

DensityBandwidth::DensityBandwidth(Widths widths) : text_(number_list(widths)) {
  require_widths(widths, text_);
  value_ = std::move(widths);
}

DensityBandwidth::DensityBandwidth(SquaredWidths rows) : text_(number_rows(rows)) {
  require_squared_widths(rows, text_);
  value_ = std::move(rows);
}

DensityBandwidth DensityBandwidth::parse(std::string_view text) {
  DensityBandwidth result = BandwidthRule::silverman;
  result.text_ = std::string(text);
  if (text.find(';') != std::string_view::npos) {
    SquaredWidths rows;
    for (const std::string& line : split(text, ';')) {
      std::optional<std::vector<double>> row = listed_numbers(line);
      if (!row) {
        reject_matrix(text);
      }
      rows.push_back(std::move(*row));
    }
    require_squared_widths(rows, text);
    result.value_ = std::move(rows);
  } else if (begins_with_a_number(text)) {
    std::optional<std::vector<double>> widths = listed_numbers(text);
    if (!widths) {
      reject_widths(text);
    }
    require_widths(*widths, text);
    result.value_ = std::move(*widths);
  } else {
    const std::optional<BandwidthRule> rule = find_word<BandwidthRule>(text);
    if (!rule) {
      const std::vector<std::string> names = all_words<BandwidthRule>();
      throw InvalidArgument("there is no bandwidth rule '" + std::string(text) + "'." + did_you_mean(text, names) +
                            " Give a number, a list of numbers (one per column), or one of " + join(names, ", "));
    }
    result.value_ = *rule;
  }
  return result;
}

std::optional<BandwidthRule> DensityBandwidth::rule() const {
  const BandwidthRule* rule = std::get_if<BandwidthRule>(&value_);
  return rule != nullptr ? std::optional(*rule) : std::nullopt;
}

Bandwidth DensityBandwidth::given(Index columns, const Run& run) const {
  if (const Widths* widths = std::get_if<Widths>(&value_)) {
    return Bandwidth::diagonal(one_per_column("bandwidth", text_, *widths, columns));
  }
  const auto& rows = std::get<SquaredWidths>(value_);
  if (static_cast<Index>(rows.size()) != columns) {
    reject_argument("bandwidth", text_, "a row and a column for each of the " + std::to_string(columns) + " columns");
  }
  Matrix<double> matrix(columns, columns);
  for (Index i = 0; i < columns; ++i) {
    std::ranges::copy(rows[i], matrix.view().row_data(i));
  }
  return Bandwidth::full(matrix.view(), run);
}

}  // namespace mercer
