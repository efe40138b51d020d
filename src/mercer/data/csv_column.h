// CsvColumn: collects the fields of one column while its kind is still unknown.
//
// A column is numeric as long as every field is a number or missing. Texts are kept as codes into a dictionary, so
// that a column can still turn out to be categorical and labels keep their spelling. A column that has proved numeric
// over many rows, or has too many distinct texts to be categories, is settled and its dictionary dropped.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mercer/data/field_places.h"
#include "mercer/data/schema.h"
#include "mercer/data/targets.h"

namespace mercer {

/// "" NA N/A NaN ? null None, in any case.
bool is_missing(std::string_view field);

class CsvColumn {
 public:
  /// `kept`: the spelling of numbers matters (targets, groups). `forced`: the kind is given.
  enum class Spelling { kept, free };
  CsvColumn(std::string name, std::optional<ColumnKind> forced, Spelling spelling);

  /// Adds field `number` of the current record. DataError where it contradicts a settled kind.
  void add(std::string_view field, const FieldPlaces& places, std::size_t number);

  /// Words are categories, however many and however long they are.
  void expect_categories() { expects_categories_ = true; }

  /// For a column without fields yet: they are words even where they look like numbers, as quoted ones of JSON.
  void expect_words();

  const std::string& name() const { return name_; }
  Index size() const { return size_; }
  /// The kind as far as it is known.
  ColumnKind kind() const;
  bool is_numeric() const { return numeric_; }

  /// Numbers; missing ones are NaN.
  const std::vector<double>& values() const { return values_; }
  /// How the distinct values were spelled, ascending by value; empty where that was not kept.
  std::vector<std::string> spellings() const;
  ClassLabels labels() const;
  /// The labels of an input, where "" NA N/A NaN ? null (in any case) are one level, "": the category is missing. A
  /// spelling among `known`, the levels of a schema, stays as it is.
  ClassLabels categories(std::span<const std::string> known) const;
  std::vector<std::string> strings() const;

  bool has_missing() const { return missing_count_ > 0; }
  Index missing_count() const { return missing_count_; }
  const FilePlace& first_missing() const { return first_missing_; }
  /// Where the first empty field stands, if there is one, whatever the kind.
  const std::optional<FilePlace>& first_empty() const { return first_empty_; }
  /// The first field that is no number in a column whose kind is not given and that mostly holds numbers: a slip rather
  /// than a category.
  struct OddWord {
    FilePlace place;
    std::string text;
    Index numbers = 0;  ///< fields of the column that are numbers
    Index words = 0;    ///< and that are neither numbers nor missing
  };
  std::optional<OddWord> odd_word() const;
  /// Where the first infinity stands, if there is one.
  const std::optional<FilePlace>& first_infinite() const { return first_infinite_; }

 private:
  ClassLabels labels(const std::vector<std::string>& texts) const;
  void count_word(std::string_view field, const FieldPlaces& places, std::size_t number);
  void add_text(std::string_view field);
  void settle_as_text();
  bool text_is_long() const;

  std::string name_;
  std::optional<ColumnKind> forced_;
  Spelling spelling_;
  Index size_ = 0;
  bool numeric_;
  bool expects_words_ = false;
  bool expects_categories_ = false;
  bool has_dictionary_ = true;
  std::vector<double> values_;
  std::vector<std::int32_t> codes_;
  std::unordered_map<std::string, std::int32_t> numbers_;
  std::vector<std::string> distinct_;
  std::vector<std::string> strings_;  // once settled as text
  std::size_t longest_ = 0;
  Index missing_count_ = 0;
  FilePlace first_missing_;
  std::optional<FilePlace> first_empty_;
  std::optional<FilePlace> first_infinite_;
  OddWord words_;
};

}  // namespace mercer
