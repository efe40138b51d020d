#include "mercer/data/csv_column.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/text.h"

namespace mercer {

namespace {

constexpr std::size_t most_categories = 1000;
constexpr std::size_t longest_category = 64;
constexpr Index rows_until_settled = 10000;
constexpr std::size_t largest_dictionary = std::size_t{1} << 30;

}  // namespace

bool is_missing(std::string_view field) {
  if (field.size() > 4 || (!field.empty() && field[0] <= '9' && field[0] != '?')) {
    return false;  // the quick way out for numbers
  }
  const std::string lower = lower_case(field);
  return lower.empty() || lower == "na" || lower == "n/a" || lower == "nan" || lower == "?" || lower == "null" ||
         lower == "none";
}

CsvColumn::CsvColumn(std::string name, std::optional<ColumnKind> forced, Spelling spelling)
    : name_(std::move(name)), forced_(forced), spelling_(spelling) {
  numeric_ = forced_.value_or(ColumnKind::numeric) == ColumnKind::numeric;
  has_dictionary_ = !forced_ || *forced_ == ColumnKind::categorical || spelling_ == Spelling::kept;
}

void CsvColumn::add(std::string_view field, const FieldPlaces& places, std::size_t number) {
  ++size_;
  const std::string_view trimmed = trim(field);
  if (trimmed.empty() && !first_empty_) {
    first_empty_ = places.place(number);
  }
  if (numeric_) {
    double value = std::numeric_limits<double>::quiet_NaN();
    if (is_missing(trimmed)) {
      if (missing_count_++ == 0) {
        first_missing_ = places.place(number);
      }
    } else if (const auto parsed = parse_double(trimmed)) {
      value = *parsed;
      if (!std::isfinite(value) && !first_infinite_) {
        first_infinite_ = places.place(number);
      }
    } else if (has_dictionary_ && !forced_) {
      numeric_ = false;
      words_.numbers = size_ - 1 - missing_count_;
      std::vector<double>().swap(values_);
    } else {
      throw DataError(places.place(number), "column '" + name_ + "': '" + std::string(trimmed.substr(0, 40)) +
                                                "' is not a number, but the column is numeric; correct the entry");
    }
    if (numeric_) {
      values_.push_back(value);
    }
  }
  if (!has_dictionary_ && numeric_) {
    return;
  }
  if (!numeric_ && !forced_) {
    count_word(trimmed, places, number);
  }
  add_text(trimmed);
  if (numeric_ && spelling_ == Spelling::free && size_ >= rows_until_settled) {
    has_dictionary_ = false;
  }
  if (!has_dictionary_ && numeric_) {
    std::vector<std::int32_t>().swap(codes_);
    std::vector<std::string>().swap(distinct_);
    numbers_ = {};
  }
}

void CsvColumn::count_word(std::string_view field, const FieldPlaces& places, std::size_t number) {
  if (is_missing(field)) {
    return;
  }
  if (parse_double(field)) {
    ++words_.numbers;
  } else if (words_.words++ == 0) {
    words_.place = places.place(number);
    words_.text = std::string(field.substr(0, 40));
  }
}

void CsvColumn::expect_words() {
  expects_words_ = !forced_;
  numeric_ = numeric_ && forced_.has_value();
}

std::optional<CsvColumn::OddWord> CsvColumn::odd_word() const {
  return !numeric_ && !expects_words_ && words_.numbers > words_.words ? std::optional(words_) : std::nullopt;
}

void CsvColumn::add_text(std::string_view field) {
  longest_ = std::max(longest_, field.size());
  if (!has_dictionary_) {
    strings_.emplace_back(field);
    return;
  }
  const auto [place, fresh] = numbers_.try_emplace(std::string(field), static_cast<std::int32_t>(distinct_.size()));
  if (fresh) {
    distinct_.emplace_back(field);
  }
  codes_.push_back(place->second);
  const bool forced_categories = forced_ == ColumnKind::categorical || (expects_categories_ && !numeric_);
  const std::size_t limit =
      forced_categories || (spelling_ == Spelling::kept && !numeric_) ? largest_dictionary : most_categories;
  if (distinct_.size() > limit) {
    if (!numeric_) {
      settle_as_text();
    }
    has_dictionary_ = false;
  }
}

void CsvColumn::settle_as_text() {
  strings_ = strings();
  std::vector<std::int32_t>().swap(codes_);
  std::vector<std::string>().swap(distinct_);
  numbers_ = {};
}

bool CsvColumn::text_is_long() const {
  return longest_ > longest_category || static_cast<Index>(distinct_.size()) > std::max<Index>(10, size_ / 2);
}

ColumnKind CsvColumn::kind() const {
  if (forced_) {
    return *forced_;
  }
  if (numeric_) {
    return ColumnKind::numeric;
  }
  return has_dictionary_ && (spelling_ == Spelling::kept || expects_categories_ || !text_is_long())
             ? ColumnKind::categorical
             : ColumnKind::text;
}

std::vector<std::string> CsvColumn::spellings() const {
  if (!numeric_ || !has_dictionary_ || has_missing()) {
    return {};
  }
  std::vector<std::pair<double, std::string>> pairs;
  for (const std::string& text : distinct_) {
    pairs.emplace_back(parse_double(text).value_or(0), text);
  }
  // The spelling met first stands for a value that is spelled in several ways.
  const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(pairs.begin(), pairs.end(), less);
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  pairs.erase(std::unique(pairs.begin(), pairs.end(), same), pairs.end());
  std::vector<std::string> texts;
  for (auto& pair : pairs) {
    texts.push_back(std::move(pair.second));
  }
  return texts;
}

ClassLabels CsvColumn::labels() const { return labels(distinct_); }

ClassLabels CsvColumn::categories(std::span<const std::string> known) const {
  std::vector<std::string> texts = distinct_;
  for (std::string& text : texts) {
    // "none" is a category more often than not.
    const bool missing = is_missing(text) && lower_case(text) != "none";
    if (missing && std::ranges::find(known, text) == known.end()) {
      text.clear();
    }
  }
  return labels(texts);
}

// `texts`: what the distinct texts are to be called; some may have become equal.
ClassLabels CsvColumn::labels(const std::vector<std::string>& texts) const {
  ClassLabels labels;
  labels.levels = sorted_levels(texts);
  std::unordered_map<std::string_view, std::int32_t> codes;
  for (std::size_t c = 0; c < labels.levels.size(); ++c) {
    codes.emplace(labels.levels[c], static_cast<std::int32_t>(c));
  }
  std::vector<std::int32_t> map;
  for (const std::string& text : texts) {
    map.push_back(codes.at(text));
  }
  for (const std::int32_t code : codes_) {
    labels.codes.push_back(map[static_cast<std::size_t>(code)]);
  }
  return labels;
}

std::vector<std::string> CsvColumn::strings() const {
  if (!has_dictionary_) {
    return strings_;
  }
  std::vector<std::string> texts;
  texts.reserve(codes_.size());
  for (const std::int32_t code : codes_) {
    texts.push_back(distinct_[static_cast<std::size_t>(code)]);
  }
  return texts;
}

}  // namespace mercer
