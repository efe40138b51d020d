// FieldColumn: collects the fields of one column while its kind is still unknown.
//
// A column is numeric as long as every field is a number or missing. Texts are kept as codes into a dictionary, so
// that a column can still turn out to be categorical. A column that has proved numeric over many rows, or has too many
// distinct texts to be categories, is settled and its dictionary dropped; where labels may be asked for later, fields that
// their numbers do not tell (007, integers beyond 2⁵³) are then kept one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mercer/data/files/field_places.h"
#include "mercer/data/files/mixed_fields.h"
#include "mercer/data/label_kind.h"
#include "mercer/data/notation.h"
#include "mercer/data/notation_counts.h"
#include "mercer/data/schema.h"
#include "mercer/data/targets.h"

namespace mercer {

/// "" NA N/A #N/A <NA> NaN NaT ? null None, in any case, and - and . alone: among numbers.
bool is_missing(std::string_view field);
/// The same among words, where "none", "-" and "." are categories more often than not, and Nat is a name; NaT is none.
bool is_missing_word(std::string_view field);

class FieldColumn {
 public:
  /// `kept`: the spelling of numbers matters (targets, groups). `forced`: the kind is given.
  enum class Spelling { kept, free };
  FieldColumn(std::string name, std::optional<ColumnKind> forced, Spelling spelling);

  /// Adds field `number` of the current record. Blanks around it do not count, unless it was quoted; then it is no sign
  /// of a missing value either, unless it is empty. DataError where it contradicts a settled kind.
  void add(std::string_view field, const FieldPlaces& places, std::size_t number);

  /// Words are categories, however many and however long they are, and so are integers that doubles cannot tell apart.
  void expect_categories() { expects_categories_ = true; }

  /// For a numeric column of a schema: how its fields are written.
  void declare_notation(Notation notation) { notation_ = notation; }

  /// For a column without fields yet: they are words even where they look like numbers, as quoted ones of JSON.
  void expect_words();

  const std::string& name() const { return name_; }
  Index size() const { return size_; }
  /// The kind as far as it is known.
  ColumnKind kind() const;
  /// Whether every field is a number or missing.
  bool is_numeric() const { return numeric_; }
  /// How the numbers are written.
  Notation notation() const { return notation_; }
  /// Of a column that holds words and whose kind is not given: the notation in which all of them are numbers. Of targets
  /// and groups only marks of thousands and decimals count.
  NotationFinder::Finding find_notation(NotationFinder::DecimalComma comma) const;
  /// Reads the words as numbers, which find_notation() has found to be possible. Labels are told by the words all the same.
  void read_as(Notation notation);

  /// Whether there are numbers for all fields.
  bool has_values() const { return numeric_ || notation_ != Notation::plain; }
  /// Numbers; missing ones are NaN.
  const std::vector<double>& values() const { return values_; }
  /// The kind of the labels is known, whatever they look like: words are no numbers then.
  void declare_labels(LabelKind kind);
  std::optional<LabelKind> declared_label_kind() const { return declared_labels_; }
  /// What the fields are as labels of classes. Of columns whose spelling is kept.
  LabelKind label_kind() const { return declared_labels_.value_or(label_kinds_.kind()); }
  /// Whether the numbers alone tell the labels of that kind.
  bool numbers_tell_labels(LabelKind kind) const;
  /// The class of every field; -1 where it is missing.
  ClassLabels labels(LabelKind kind) const;
  /// The labels of an input, where missing words are one level, "". A spelling among `known`, the levels of a schema,
  /// stays as it is; numbers have the form of labels. Truth values are known in any case of letters.
  enum class MissingWords { missing, known_levels };  ///< what words like NA are that are among `known`
  ClassLabels categories(std::span<const std::string> known, MissingWords words) const;
  std::vector<std::string> strings() const;

  bool has_missing() const { return missing_count_ > 0; }
  Index missing_count() const { return missing_count_; }
  const FilePlace& first_missing() const { return first_missing_; }
  /// The rows of words that are missing, whatever the kind, and where the first of them stands.
  const std::vector<Index>& missing_words() const { return missing_words_; }
  const FilePlace& first_missing_word() const { return first_missing_word_; }
  /// The first field that is no number in a column of numbers and words.
  struct OddWord {
    FilePlace place;
    std::string text;
    Index numbers = 0;  ///< fields of the column that are numbers
    Index words = 0;    ///< and that are neither numbers nor missing
  };
  OddWord first_word() const;
  /// What such a column is meant as, where its kind is not given and nobody has said that it holds words.
  Mixture mixture() const;
  /// The first word where it is a slip.
  std::optional<OddWord> odd_word() const;
  /// Of an input that holds words and whose kind is not given: the notation in which most are numbers or dates, and the
  /// first that is not.
  std::optional<BrokenNotation> broken_notation(NotationFinder::DecimalComma comma) const;
  /// Where the first infinity stands, if there is one.
  const std::optional<FilePlace>& first_infinite() const { return first_infinite_; }

 private:
  struct Spelled {
    Index row = 0;
    std::string text;
  };
  struct LineAndColumn {
    std::int64_t line = 0;
    std::int64_t column = 0;
  };
  enum class Content { word, missing };

  void add_number(std::string_view text, Content content, const FieldPlaces& places, std::size_t number);
  void note_label(std::string_view text);
  void note_number(std::string_view text, const FieldPlaces& places, std::size_t number);
  void count_word(std::string_view field, Content content, const FieldPlaces& places, std::size_t number);
  bool counts_notations() const;
  void add_text(std::string_view field, Content content, const FieldPlaces* places = nullptr, std::size_t number = 0);
  void count_notations(NotationCounts& counts) const;
  FilePlace place_of(std::size_t text) const;
  void return_to_words(std::string_view word, const FieldPlaces& places, std::size_t number);
  bool may_be_noted() const;
  template <class Take>
  void for_each_text(Take take) const;
  void drop_dictionary();
  void keep_odd_spelling(std::string_view text, Index row);
  void settle_as_text();
  bool text_is_long() const;
  std::vector<std::optional<std::string>> present_strings() const;

  std::string name_;
  std::optional<ColumnKind> forced_;
  Spelling spelling_;
  Index size_ = 0;
  bool numeric_;
  bool expects_words_ = false;
  bool expects_categories_ = false;
  bool has_dictionary_ = true;
  bool has_large_integers_ = false;
  bool has_padded_numbers_ = false;
  Notation notation_ = Notation::plain;
  std::vector<double> values_;
  std::vector<std::int32_t> codes_;
  std::unordered_map<std::string, std::int32_t> numbers_;  // by 'w' or 'm' (missing) and the text
  std::vector<std::string> distinct_;
  std::vector<Content> contents_;       // of the distinct texts
  std::vector<LineAndColumn> places_;   // of those that came when words were known, where they may be in a notation
  std::size_t texts_before_words_ = 0;  // distinct ones
  LineAndColumn first_number_;
  std::vector<std::string> strings_;    // once settled as text
  std::vector<Spelled> odd_spellings_;  // without dictionary: texts that are not the shortest of their number
  LabelKindFinder label_kinds_;
  std::optional<LabelKind> declared_labels_;
  std::size_t longest_ = 0;
  Index missing_count_ = 0;
  FilePlace first_missing_;
  std::vector<Index> missing_words_;
  FilePlace first_missing_word_;
  std::optional<FilePlace> first_infinite_;
  MixedFields mixed_;
  NotationCounts notations_;  // of texts without a dictionary, and those before
};

}  // namespace mercer
