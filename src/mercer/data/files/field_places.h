// FieldPlaces: where the fields of the record at hand stand in their file. Columns that are read field by field keep
// the place of the first field that may turn out to be wrong.
#pragma once

#include <cstddef>

#include "mercer/base/error.h"

namespace mercer {

class FieldPlaces {
 public:
  FieldPlaces() = default;
  virtual ~FieldPlaces() = default;
  FieldPlaces(const FieldPlaces&) = delete;
  FieldPlaces& operator=(const FieldPlaces&) = delete;
  FieldPlaces(FieldPlaces&&) = delete;
  FieldPlaces& operator=(FieldPlaces&&) = delete;

  /// Line and column (in bytes) where a field of the current record begins.
  virtual FilePlace place(std::size_t field) const = 0;
  /// Whether the field stands in quotes: then every character of it counts, and "NA" is a word.
  virtual bool is_quoted(std::size_t /*field*/) const { return false; }
};

/// Records of one line each, where only the line is known.
class LinePlaces final : public FieldPlaces {
 public:
  explicit LinePlaces(std::string file) : place_{std::move(file)} {}
  void set_line(std::int64_t line) { place_.line = line; }
  void set_quoted(bool quoted) { quoted_ = quoted; }
  FilePlace place(std::size_t /*field*/ = 0) const override { return place_; }
  bool is_quoted(std::size_t /*field*/) const override { return quoted_; }

 private:
  FilePlace place_;
  bool quoted_ = false;
};

}  // namespace mercer
