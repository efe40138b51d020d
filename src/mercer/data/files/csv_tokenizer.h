// CsvTokenizer: cuts delimited text into records of fields, block by block, as RFC 4180 describes and files practise.
//
// Fields may be quoted with " ("" inside stands for one), quoted fields may hold separators and line ends; lines end
// with \n, \r\n or \r; a UTF-8 byte order mark is skipped; blank lines are skipped unless they are asked for. Separator ' ' stands for runs of
// blanks and tabs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/files/field_places.h"
#include "mercer/data/files/input_stream.h"

namespace mercer {

class CsvTokenizer final : public FieldPlaces {
 public:
  CsvTokenizer(InputStream& stream, char separator);

  /// The next record; false at the end. Fields stay valid until the next call. DataError on an open quote, text behind
  /// a closing quote, a NUL byte, or a record beyond 256 MiB.
  bool next(std::vector<std::string_view>& fields);

  /// From here on a blank line is a record of one empty field.
  void take_blank_lines() { takes_blank_lines_ = true; }

  /// Line where the current record begins, from 1.
  Index line() const { return record_line_; }
  FilePlace place(std::size_t field) const override;
  bool is_quoted(std::size_t field) const override { return field < quoted_.size() && quoted_[field] != 0; }

 private:
  bool find_record_end();
  bool refill();
  void split_record(std::vector<std::string_view>& fields);
  char* quoted_field(char* p, char* end, std::vector<std::string_view>& fields);
  [[noreturn]] void fail(const char* place, std::string_view message) const;

  InputStream& stream_;
  char separator_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of the current record in the buffer
  std::size_t scan_ = 0;   // searched for the record's end so far
  std::size_t end_ = 0;    // filled part of the buffer
  std::size_t next_ = 0;   // first byte behind the record and its line end
  Index lines_ = 1;
  Index record_line_ = 1;
  bool finished_ = false;
  bool takes_blank_lines_ = false;
  bool in_quotes_ = false;
  bool just_closed_ = false;
  bool at_field_start_ = true;
  Index newlines_ = 0;  // inside the current record
  std::vector<std::size_t> starts_;
  std::vector<char> quoted_;
};

/// The separator that cuts the first lines of a text into the same number of fields, at least two: , ; tab or |, and
/// otherwise ' ' (blanks) if the first line has any inside, ',' if not, or if it is the only one: the name of one column.
char detect_separator(std::string_view head);

}  // namespace mercer
