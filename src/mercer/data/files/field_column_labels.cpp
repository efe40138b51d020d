// What a FieldColumn holds when all of it is read, as texts and as labels.
#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "mercer/base/text.h"
#include "mercer/data/files/field_column.h"

namespace mercer {

bool FieldColumn::numbers_tell_labels(LabelKind kind) const {
  return numeric_ && !has_padded_numbers_ &&
         (kind == LabelKind::real || (kind == LabelKind::integer && !has_large_integers_));
}

ClassLabels FieldColumn::labels(LabelKind kind) const { return labels_of_texts(present_strings(), kind); }

namespace {

// "true" by "True", where these are levels.
std::unordered_map<std::string, std::string> truth_levels(std::span<const std::string> known) {
  std::unordered_map<std::string, std::string> levels;
  for (const std::string& level : known) {
    const std::string lower = lower_case(level);
    if (lower != "true" && lower != "false" && !lower.empty()) {
      return {};
    }
    if (!levels.emplace(lower, level).second) {
      return {};  // true and True are two levels
    }
  }
  return levels;
}

}  // namespace

ClassLabels FieldColumn::categories(std::span<const std::string> known, MissingWords words) const {
  std::vector<std::string> texts = distinct_;
  const LabelKind kind = known.empty() ? numeric_ ? label_kinds_.kind() : LabelKind::text : label_kind_of(known);
  const std::unordered_set<std::string_view> levels(known.begin(), known.end());
  const std::unordered_map<std::string, std::string> truths = truth_levels(known);
  for (std::size_t c = 0; c < texts.size(); ++c) {
    const bool may_be_known = contents_[c] != Content::missing || words == MissingWords::known_levels;
    if (may_be_known && levels.contains(texts[c])) {
      continue;
    }
    if (const auto truth = truths.find(lower_case(texts[c])); may_be_known && truth != truths.end()) {
      texts[c] = truth->second;
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
