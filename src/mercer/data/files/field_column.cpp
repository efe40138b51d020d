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
std::optional<double> parse_number(std::string_view text) { return parse_noted(text, Notation::plain); }

}  // namespace

bool is_missing(std::string_view field) {
  if (field.size() <= 1) {
    return field.empty() || field == "?" || field == "-" || field == ".";
  }
  if (field.size() > 4 || (field[0] <= '9' && field[0] != '#')) {
    return false;  // the quick way out for numbers
  }
  const std::string lower = lower_case(field);
  return lower == "na" || lower == "n/a" || lower == "nan" || lower == "null" || lower == "none" || lower == "#n/a" ||
         lower == "<na>" || lower == "nat";
}

bool is_missing_word(std::string_view field) {
  if (!is_missing(field) || field == "-" || field == ".") {
    return false;
  }
  const std::string lower = lower_case(field);
  return lower != "none" && (lower != "nat" || field == "NaT");
}

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
  const bool is_number_missing = is_word_missing || (!quoted && is_missing(text));
  if (numeric_) {
    add_number(trimmed, is_number_missing ? Content::missing : Content::word, places, number);
  }
  // Among numbers "-" is no label; among words, which say themselves that labels are texts, it may be one.
  if (!(numeric_ ? is_number_missing : is_word_missing)) {
    note_label(text);
  }
  if (!has_dictionary_ && numeric_) {
    keep_odd_spelling(text, size_ - 1);
    return;
  }
  if (!numeric_ && !forced_) {
    count_word(trimmed, is_number_missing ? Content::missing : Content::word, places, number);
  }
  add_text(text, is_word_missing ? Content::missing : Content::word, &places, number);
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
  } else if (const auto parsed = forced_ ? parse_as_in(text, notation_) : parse_noted(text, notation_)) {
    value = *parsed;
    if (!forced_) {
      note_number(text, places, number);
    }
    if (!std::isfinite(value) && !first_infinite_) {
      first_infinite_ = places.place(number);
    }
  } else if (!forced_) {
    if (!has_dictionary_) {
      return_to_words(text, places, number);
    }
    numeric_ = false;
    texts_before_words_ = distinct_.size();
    std::vector<double>().swap(values_);
    return;
  } else {
    throw DataError(places.place(number),
                    "column '" + name_ + "': '" + std::string(text.substr(0, 40)) + "' " + refusal_of(text, notation_));
  }
  values_.push_back(value);
}

// A word behind so many numbers that their spellings were given up: these are words, too, where they are few.
void FieldColumn::return_to_words(std::string_view word, const FieldPlaces& places, std::size_t number) {
  std::vector<std::string> texts = strings();
  const std::unordered_set<std::string_view> different(texts.begin(), texts.end());
  const bool is_late_code = mixed_.are_codes_so_far() && !mixed_.has_padded_numbers() && may_be_code(word);
  if (static_cast<Index>(different.size()) > MixedFields::marked_levels && !is_late_code) {
    throw DataError(places.place(number), "column '" + name_ + "': '" + std::string(word.substr(0, 40)) +
                                              "' is not a number, but the " + std::to_string(size_ - 1) +
                                              " fields before it are; correct it, or leave it empty where the value is "
                                              "missing; --categorical, --text and --ignore say otherwise");
  }
  has_dictionary_ = true;
  numeric_ = false;
  odd_spellings_.clear();
  auto missing = missing_words_.begin();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool is_gap = std::isnan(values_[i]);
    missing = std::lower_bound(missing, missing_words_.end(), static_cast<Index>(i));
    const bool is_word_missing = missing != missing_words_.end() && *missing == static_cast<Index>(i);
    add_text(is_gap ? is_word_missing ? "" : "-" : texts[i], is_word_missing ? Content::missing : Content::word);
  }
  places_.clear();  // nobody knows those of numbers any more
}

bool FieldColumn::may_be_noted() const { return !numeric_ && !forced_ && !expects_categories_ && size_ > 0; }

// Every different text that is there, and the rows of texts without a dictionary.
template <class Take>
void FieldColumn::for_each_text(Take take) const {
  if (has_dictionary_) {
    for (std::size_t c = 0; c < distinct_.size(); ++c) {
      take(c, contents_[c] == Content::missing || is_missing(distinct_[c]) ? std::string_view() : trim(distinct_[c]));
    }
    return;
  }
  for (std::size_t i = 0; i < strings_.size(); ++i) {
    take(i, is_missing(strings_[i]) ? std::string_view() : trim(strings_[i]));
  }
}

NotationFinder::Finding FieldColumn::find_notation(NotationFinder::DecimalComma comma) const {
  if (!may_be_noted() || (expects_words_ && spelling_ == Spelling::kept)) {
    return {};
  }
  NotationFinder finder(spelling_ == Spelling::kept ? NotationFinder::Wanted::numbers
                        : expects_words_            ? NotationFinder::Wanted::dates
                                                    : NotationFinder::Wanted::all,
                        comma);
  for_each_text([&](std::size_t, std::string_view text) {
    if (!text.empty() && finder.is_open()) {
      finder.add(text);
    }
  });
  return finder.find();
}

void FieldColumn::read_as(Notation notation) {
  notation_ = notation;
  std::vector<double> numbers;
  for_each_text([&](std::size_t, std::string_view text) {
    const auto value = text.empty() ? std::nullopt : parse_noted(text, notation);
    numbers.push_back(value.value_or(std::numeric_limits<double>::quiet_NaN()));
  });
  values_.clear();
  for (Index i = 0; i < size_; ++i) {
    values_.push_back(has_dictionary_ ? numbers[codes_[i]] : numbers[i]);
  }
  missing_count_ = std::ranges::count_if(values_, [](double value) { return std::isnan(value); });
  first_missing_ = first_missing_word_;
  if (spelling_ == Spelling::free) {
    numeric_ = true;
    drop_dictionary();
    std::vector<std::string>().swap(strings_);
  }
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
    mixed_.add_number(field);
  } else {
    mixed_.add_word(field, [&] { return places.place(number); });
  }
  if (!has_dictionary_ && counts_notations()) {
    notations_.add(field, 1, [&] { return places.place(number); });
  }
}

bool FieldColumn::counts_notations() const { return !forced_ && !expects_categories_ && spelling_ == Spelling::free; }

// The texts of the dictionary, in the order in which they came.
void FieldColumn::count_notations(NotationCounts& counts) const {
  std::vector<Index> fields(distinct_.size(), 0);
  for (const std::int32_t code : codes_) {
    ++fields[code];
  }
  for_each_text([&](std::size_t c, std::string_view text) {
    if (!text.empty()) {
      counts.add(text, fields[c], [&] { return place_of(c); });
    }
  });
}

// Numbers before the first word have no places but the first one.
FilePlace FieldColumn::place_of(std::size_t text) const {
  const std::string& file = mixed_.first_place().file;
  if (text >= texts_before_words_ && text - texts_before_words_ < places_.size()) {
    const LineAndColumn& place = places_[text - texts_before_words_];
    return {file, place.line, place.column};
  }
  const auto is_there = [](Content content) { return content == Content::word; };
  const auto first = std::ranges::find_if(contents_, is_there) - contents_.begin();
  return static_cast<std::size_t>(first) == text ? FilePlace{file, first_number_.line, first_number_.column}
                                                 : FilePlace{file};
}

void FieldColumn::note_number(std::string_view text, const FieldPlaces& places, std::size_t number) {
  if (mixed_.numbers() == 0) {
    const FilePlace place = places.place(number);
    first_number_ = {place.line, place.column};
  }
  mixed_.add_number(text);
}

std::optional<BrokenNotation> FieldColumn::broken_notation(NotationFinder::DecimalComma comma) const {
  const auto levels = static_cast<Index>(distinct_.size());
  const bool are_levels = has_dictionary_ && MixedFields::are_few_levels(levels, size_);
  if (!may_be_noted() || has_values() || !counts_notations()) {
    return std::nullopt;
  }
  NotationCounts counts = notations_;
  if (has_dictionary_) {
    count_notations(counts);
  }
  // Few numbers among words are levels like these; dates are none.
  const bool are_dates_wanted = expects_words_ || are_levels;
  return counts.find(are_dates_wanted ? NotationFinder::Wanted::dates : NotationFinder::Wanted::all, comma);
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

FieldColumn::OddWord FieldColumn::first_word() const {
  return {mixed_.first_place(), mixed_.first_word(), mixed_.numbers(), mixed_.words()};
}

Mixture FieldColumn::mixture() const {
  if (numeric_ || has_values() || expects_words_ || expects_categories_ || forced_) {
    return Mixture::none;
  }
  return mixed_.judge(has_dictionary_ ? static_cast<Index>(distinct_.size()) : 0, size_);
}

std::optional<FieldColumn::OddWord> FieldColumn::odd_word() const {
  return mixture() == Mixture::slips ? std::optional(first_word()) : std::nullopt;
}

void FieldColumn::add_text(std::string_view field, Content content, const FieldPlaces* places, std::size_t number) {
  longest_ = std::max(longest_, field.size());
  if (!has_dictionary_) {
    strings_.emplace_back(field);
    return;
  }
  std::string key(content == Content::missing ? "m" : "w");
  key += field;
  const auto [known, fresh] = numbers_.try_emplace(std::move(key), static_cast<std::int32_t>(distinct_.size()));
  if (fresh) {
    distinct_.emplace_back(field);
    contents_.push_back(content);
    if (!numeric_ && counts_notations()) {
      const FilePlace place = places != nullptr ? places->place(number) : FilePlace{};
      places_.push_back({place.line, place.column});
    }
  }
  codes_.push_back(known->second);
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
  std::vector<LineAndColumn>().swap(places_);
  numbers_ = {};
}

void FieldColumn::keep_odd_spelling(std::string_view text, Index row) {
  if (spelling_ == Spelling::kept && text != shortest(values_[row])) {
    odd_spellings_.push_back({row, std::string(text)});
  }
}

void FieldColumn::settle_as_text() {
  if (counts_notations()) {
    count_notations(notations_);
  }
  strings_ = strings();
  has_dictionary_ = false;
  std::vector<Content>().swap(contents_);
  std::vector<LineAndColumn>().swap(places_);
  std::vector<std::int32_t>().swap(codes_);
  std::vector<std::string>().swap(distinct_);
  numbers_ = {};
}

bool FieldColumn::text_is_long() const {
  const Index there = size_ - static_cast<Index>(missing_words_.size());
  return longest_ > longest_category || static_cast<Index>(distinct_.size()) > std::max<Index>(10, there / 2);
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

}  // namespace mercer
