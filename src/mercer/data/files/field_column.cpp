#include "mercer/data/files/field_column.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "mercer/base/text.h"

namespace mercer {

namespace {

constexpr std::size_t most_categories = 1000;
constexpr std::size_t longest_category = 64;
constexpr Index rows_until_settled = 10000;
constexpr std::size_t largest_dictionary = std::size_t{1} << 30;

// NaN is a missing value, or a word in quotes.
std::optional<double> parse_number(std::string_view text) {
  const auto value = parse_double(text);
  return value && std::isnan(*value) ? std::nullopt : value;
}

}  // namespace

bool is_missing(std::string_view field) {
  if (field.size() > 4 || (!field.empty() && field[0] <= '9' && field[0] != '?')) {
    return false;  // the quick way out for numbers
  }
  const std::string lower = lower_case(field);
  return lower.empty() || lower == "na" || lower == "n/a" || lower == "nan" || lower == "?" || lower == "null" ||
         lower == "none";
}

bool is_missing_word(std::string_view field) { return is_missing(field) && lower_case(field) != "none"; }

FieldColumn::FieldColumn(std::string name, std::optional<ColumnKind> forced, Spelling spelling)
    : name_(std::move(name)), forced_(forced), spelling_(spelling) {
  numeric_ = forced_.value_or(ColumnKind::numeric) == ColumnKind::numeric;
  has_dictionary_ = !forced_ || *forced_ == ColumnKind::categorical || spelling_ == Spelling::kept;
}

void FieldColumn::add(std::string_view field, const FieldPlaces& places, std::size_t number) {
  ++size_;
  const bool quoted = places.is_quoted(number);
  const std::string_view trimmed = trim(field);
  const std::string_view text = quoted ? field : trimmed;
  if (quoted ? text.empty() : is_missing_word(text)) {
    if (missing_words_.empty()) {
      first_missing_word_ = places.place(number);
    }
    missing_words_.push_back(size_ - 1);
  }
  const bool is_word_missing = !missing_words_.empty() && missing_words_.back() == size_ - 1;
  if (numeric_) {
    const bool is_number_missing = is_word_missing || (!quoted && is_missing(text));
    add_number(trimmed, is_number_missing ? Content::missing : Content::word, places, number);
  }
  if (!is_word_missing) {
    note_label(text);
  }
  if (!has_dictionary_ && numeric_) {
    keep_odd_spelling(text, size_ - 1);
    return;
  }
  if (!numeric_ && !forced_) {
    const bool is_gap = is_word_missing || (!quoted && is_missing(text));
    count_word(trimmed, is_gap ? Content::missing : Content::word, places, number);
  }
  add_text(text, is_word_missing ? Content::missing : Content::word);
  if (numeric_ && has_dictionary_ && spelling_ == Spelling::free && !expects_categories_ &&
      size_ >= rows_until_settled) {
    drop_dictionary();
  }
}

void FieldColumn::add_number(std::string_view text, Content content, const FieldPlaces& places, std::size_t number) {
  double value = std::numeric_limits<double>::quiet_NaN();
  if (content == Content::missing) {
    if (missing_count_++ == 0) {
      first_missing_ = places.place(number);
    }
  } else if (const auto parsed = parse_number(text)) {
    value = *parsed;
    if (!std::isfinite(value) && !first_infinite_) {
      first_infinite_ = places.place(number);
    }
  } else if (has_dictionary_ && !forced_) {
    numeric_ = false;
    words_.numbers = size_ - 1 - missing_count_;
    std::vector<double>().swap(values_);
    return;
  } else {
    throw DataError(places.place(number), "column '" + name_ + "': '" + std::string(text.substr(0, 40)) +
                                              "' is not a number, but the column is numeric; correct the entry");
  }
  values_.push_back(value);
}

void FieldColumn::note_label(std::string_view text) {
  if (spelling_ == Spelling::kept || (expects_categories_ && numeric_)) {
    const NumberForm form = number_form(text);
    label_kinds_.add(form);
    has_large_integers_ = has_large_integers_ || form == NumberForm::large_integer;
    has_padded_numbers_ = has_padded_numbers_ || form == NumberForm::padded;
  }
}

void FieldColumn::count_word(std::string_view field, Content content, const FieldPlaces& places, std::size_t number) {
  if (content == Content::missing) {
    return;
  }
  if (parse_number(field)) {
    ++words_.numbers;
  } else if (words_.words++ == 0) {
    words_.place = places.place(number);
    words_.text = std::string(field.substr(0, 40));
  }
}

void FieldColumn::declare_labels(LabelKind kind) {
  declared_labels_ = kind;
  if (kind == LabelKind::text || kind == LabelKind::boolean) {
    expect_words();
  }
}

void FieldColumn::expect_words() {
  expects_words_ = !forced_;
  numeric_ = numeric_ && forced_.has_value();
}

std::optional<FieldColumn::OddWord> FieldColumn::odd_word() const {
  return !numeric_ && !expects_words_ && words_.numbers > words_.words ? std::optional(words_) : std::nullopt;
}

void FieldColumn::add_text(std::string_view field, Content content) {
  longest_ = std::max(longest_, field.size());
  if (!has_dictionary_) {
    strings_.emplace_back(field);
    return;
  }
  std::string key(content == Content::missing ? "m" : "w");
  key += field;
  const auto [place, fresh] = numbers_.try_emplace(std::move(key), static_cast<std::int32_t>(distinct_.size()));
  if (fresh) {
    distinct_.emplace_back(field);
    contents_.push_back(content);
  }
  codes_.push_back(place->second);
  const bool are_categories = forced_ == ColumnKind::categorical || expects_categories_;
  const std::size_t limit =
      are_categories || (spelling_ == Spelling::kept && !numeric_) ? largest_dictionary : most_categories;
  if (distinct_.size() > limit) {
    numeric_ ? drop_dictionary() : settle_as_text();
  }
}

// The labels of a numeric column are then told by its numbers and by the spellings that these do not tell.
void FieldColumn::drop_dictionary() {
  has_dictionary_ = false;
  for (std::size_t i = 0; i < codes_.size(); ++i) {
    keep_odd_spelling(distinct_[codes_[i]], static_cast<Index>(i));
  }
  std::vector<std::int32_t>().swap(codes_);
  std::vector<std::string>().swap(distinct_);
  std::vector<Content>().swap(contents_);
  numbers_ = {};
}

void FieldColumn::keep_odd_spelling(std::string_view text, Index row) {
  if (spelling_ == Spelling::kept && text != shortest(values_[row])) {
    odd_spellings_.push_back({row, std::string(text)});
  }
}

void FieldColumn::settle_as_text() {
  strings_ = strings();
  has_dictionary_ = false;
  std::vector<Content>().swap(contents_);
  std::vector<std::int32_t>().swap(codes_);
  std::vector<std::string>().swap(distinct_);
  numbers_ = {};
}

bool FieldColumn::text_is_long() const {
  return longest_ > longest_category || static_cast<Index>(distinct_.size()) > std::max<Index>(10, size_ / 2);
}

ColumnKind FieldColumn::kind() const {
  if (forced_) {
    return *forced_;
  }
  if (numeric_) {
    return expects_categories_ && has_large_integers_ && has_dictionary_ ? ColumnKind::categorical
                                                                         : ColumnKind::numeric;
  }
  return has_dictionary_ && (spelling_ == Spelling::kept || expects_categories_ || !text_is_long())
             ? ColumnKind::categorical
             : ColumnKind::text;
}

bool FieldColumn::numbers_tell_labels(LabelKind kind) const {
  return numeric_ && !has_padded_numbers_ &&
         (kind == LabelKind::real || (kind == LabelKind::integer && !has_large_integers_));
}

ClassLabels FieldColumn::labels(LabelKind kind) const { return labels_of_texts(present_strings(), kind); }

ClassLabels FieldColumn::categories(std::span<const std::string> known) const {
  std::vector<std::string> texts = distinct_;
  const LabelKind kind = known.empty() ? numeric_ ? label_kinds_.kind() : LabelKind::text : label_kind_of(known);
  const std::unordered_set<std::string_view> levels(known.begin(), known.end());
  for (std::size_t c = 0; c < texts.size(); ++c) {
    if (levels.contains(texts[c])) {
      continue;
    }
    // Numbers that are categories are read as labels are: +5 and 5.0 are 5.
    texts[c] = contents_[c] == Content::missing ? std::string() : label_text(texts[c], kind);
  }
  ClassLabels labels;
  labels.levels = sorted_levels(texts);
  std::unordered_map<std::string_view, std::int32_t> codes;
  for (std::size_t c = 0; c < labels.levels.size(); ++c) {
    codes.emplace(labels.levels[c], static_cast<std::int32_t>(c));
  }
  for (const std::int32_t code : codes_) {
    labels.codes.push_back(codes.at(texts[code]));
  }
  return labels;
}

std::vector<std::optional<std::string>> FieldColumn::present_strings() const {
  std::vector<std::string> texts = strings();
  std::vector<std::optional<std::string>> present(std::make_move_iterator(texts.begin()),
                                                  std::make_move_iterator(texts.end()));
  for (const Index row : missing_words_) {
    present[row].reset();
  }
  return present;
}

std::vector<std::string> FieldColumn::strings() const {
  if (!has_dictionary_ && !numeric_) {
    return strings_;
  }
  std::vector<std::string> texts;
  if (!has_dictionary_) {
    for (const double value : values_) {
      texts.push_back(shortest(value));
    }
    for (const Spelled& spelled : odd_spellings_) {
      texts[spelled.row] = spelled.text;
    }
    return texts;
  }
  texts.reserve(codes_.size());
  for (const std::int32_t code : codes_) {
    texts.push_back(distinct_[code]);
  }
  return texts;
}

}  // namespace mercer
