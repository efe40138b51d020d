#include "mercer/models/density/bin_choice.h"

#include <algorithm>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/models/density/column_numbers.h"

namespace mercer {

namespace {

std::string count_list(const std::vector<Index>& counts) {
  std::vector<std::string> items;
  for (const Index count : counts) {
    items.push_back(std::to_string(count));
  }
  return join(items, ",");
}

void require_counts(const std::vector<Index>& counts, std::string_view text) {
  if (counts.empty() || !std::ranges::all_of(counts, [](Index count) { return count >= 1; })) {
    reject_argument("bins", text,
                    "sturges, scott, fd, quantile, a number of bins, or one number per column as in 10,20");
  }
}

// Empty where the text is no list of whole numbers.
std::vector<Index> bin_counts(std::string_view text) {
  std::vector<Index> counts;
  for (const std::string& item : split(text, ',')) {
    const std::optional<long long> count = parse_integer(trim(item));
    if (!count) {
      return {};
    }
    counts.push_back(*count);
  }
  return counts;
}

}  // namespace

BinChoice::BinChoice(BinRule rule) : value_(rule), text_(word_of(rule)) {}

BinChoice::BinChoice(std::vector<Index> counts) : text_(count_list(counts)) {
  require_counts(counts, text_);
  value_ = std::move(counts);
}

BinChoice BinChoice::parse(std::string_view text) {
  if (const std::optional<BinRule> rule = find_word<BinRule>(text)) {
    return *rule;
  }
  std::vector<Index> counts = bin_counts(text);
  require_counts(counts, text);
  BinChoice result = std::move(counts);
  result.text_ = std::string(text);
  return result;
}

std::vector<std::vector<double>> BinChoice::edges(ConstMatrixView<double> points,
                                                  std::span<const double> weights) const {
  if (const BinRule* rule = std::get_if<BinRule>(&value_)) {
    return histogram_edges(*rule, points, weights);
  }
  return equal_edges(one_per_column("bins", text_, std::get<std::vector<Index>>(value_), points.columns()), points);
}

}  // namespace mercer
