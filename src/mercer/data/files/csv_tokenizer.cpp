#include "mercer/data/files/csv_tokenizer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "mercer/base/text.h"

namespace mercer {

namespace {

constexpr std::size_t block_size = std::size_t{256} << 10;
constexpr std::size_t longest_record = std::size_t{256} << 20;

bool is_separator(char c, char separator) { return separator == ' ' ? c == ' ' || c == '\t' : c == separator; }

}  // namespace

CsvTokenizer::CsvTokenizer(InputStream& stream, char separator) : stream_(stream), separator_(separator) {
  if (stream_.peek(3) == "\xEF\xBB\xBF") {
    std::array<char, 3> mark{};
    stream_.read(mark.data(), mark.size());
  }
}

void CsvTokenizer::fail(const char* place, std::string_view message) const {
  const char* const record = buffer_.data() + begin_;
  const Index line = record_line_ + std::count(record, place, '\n');
  const char* line_start = place;
  while (line_start > record && line_start[-1] != '\n') {
    --line_start;
  }
  throw DataError({stream_.name(), line, place - line_start + 1}, message);
}

// Moves the unfinished record to the front and reads behind it; false at the end of the stream.
bool CsvTokenizer::refill() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
            buffer_.begin());
  scan_ -= begin_;
  end_ -= begin_;
  begin_ = 0;
  if (end_ > longest_record) {
    throw DataError({stream_.name(), record_line_},
                    "a record is longer than 256 MiB; look for a quote (\") that is never closed");
  }
  // As much again as is kept: the moving and reading stays linear however long a record is.
  const std::size_t wanted = std::max(block_size, end_);
  if (buffer_.size() < end_ + wanted) {
    buffer_.resize(end_ + wanted);
  }
  const std::size_t got = stream_.read(buffer_.data() + end_, wanted);
  const auto* zero = static_cast<const char*>(std::memchr(buffer_.data() + end_, '\0', got));
  end_ += got;
  if (zero != nullptr) {
    fail(zero, "a NUL byte: this is not a text file");
  }
  return got > 0;
}

bool CsvTokenizer::find_record_end() {
  while (true) {
    for (; scan_ < end_; ++scan_) {
      const char c = buffer_[scan_];
      const bool behind_quote = std::exchange(just_closed_, false);
      if (in_quotes_) {
        in_quotes_ = c != '"';
        just_closed_ = !in_quotes_;
        newlines_ += c == '\n' ? 1 : 0;
      } else if (c == '"' && (at_field_start_ || behind_quote)) {
        // A quote right behind a closing quote is an escaped one: the field goes on.
        in_quotes_ = true;
        at_field_start_ = false;
      } else if (c == '\n') {
        next_ = scan_ + 1;
        return true;
      } else if (c == '\r' && scan_ + 1 < end_) {
        next_ = scan_ + (buffer_[scan_ + 1] == '\n' ? 2 : 1);
        return true;
      } else if (c == '\r' && !finished_) {
        break;  // whether \n follows is not known yet
      } else if (c == '\r') {
        next_ = scan_ + 1;
        return true;
      } else {
        at_field_start_ = is_separator(c, separator_) || (at_field_start_ && (c == ' ' || c == '\t'));
      }
    }
    if (finished_) {
      next_ = scan_ = end_;
      return end_ > begin_;
    }
    finished_ = !refill();
  }
}

char* CsvTokenizer::quoted_field(char* p, char* end, std::vector<std::string_view>& fields) {
  const char* const open = p;
  char* const text = ++p;
  char* out = text;
  while (true) {
    if (p == end) {
      fail(open, "a quote (\") is opened and never closed");
    }
    if (*p == '"') {
      if (p + 1 == end || p[1] != '"') {
        break;
      }
      ++p;
    }
    *out++ = *p++;
  }
  fields.emplace_back(text, static_cast<std::size_t>(out - text));
  ++p;
  while (p < end && (*p == ' ' || *p == '\t') && !is_separator(*p, separator_)) {
    ++p;
  }
  if (p < end && !is_separator(*p, separator_)) {
    fail(open, "text follows a closing quote; a quote inside a field must be doubled (\"\")");
  }
  return p;
}

void CsvTokenizer::split_record(std::vector<std::string_view>& fields) {
  char* p = buffer_.data() + begin_;
  char* const end = buffer_.data() + scan_;
  const auto skip_blanks = [&] {
    while (p < end && (*p == ' ' || *p == '\t') && (separator_ == ' ' || !is_separator(*p, separator_))) {
      ++p;
    }
  };
  while (true) {
    char* const start = p;
    skip_blanks();
    if (separator_ == ' ' && p == end) {
      break;  // blanks at the end of a line are no field
    }
    starts_.push_back(static_cast<std::size_t>(p - buffer_.data()) - begin_);
    quoted_.push_back(static_cast<char>(p < end && *p == '"' ? 1 : 0));
    if (quoted_.back() != 0) {
      p = quoted_field(p, end, fields);
    } else {
      char* const text = separator_ == ' ' ? p : start;
      while (p < end && !is_separator(*p, separator_)) {
        ++p;
      }
      fields.emplace_back(text, static_cast<std::size_t>(p - text));
    }
    if (p == end) {
      break;
    }
    ++p;  // the separator
  }
}

bool CsvTokenizer::next(std::vector<std::string_view>& fields) {
  while (true) {
    begin_ = scan_ = next_;
    lines_ += newlines_;
    newlines_ = 0;
    in_quotes_ = just_closed_ = false;
    at_field_start_ = true;
    record_line_ = lines_;
    fields.clear();
    starts_.clear();
    quoted_.clear();
    if (!find_record_end()) {
      return false;
    }
    ++newlines_;
    // A line of tabs alone is a row of empty fields where tabs separate them.
    const auto blank = [this](char c) { return c == ' ' || (c == '\t' && separator_ != '\t'); };
    const char* const record = buffer_.data() + begin_;
    if (!std::all_of(record, static_cast<const char*>(buffer_.data()) + scan_, blank)) {
      split_record(fields);
      return true;
    }
    if (takes_blank_lines_) {
      starts_.push_back(0);
      quoted_.push_back(0);
      fields.emplace_back(record, 0);
      return true;
    }
  }
}

FilePlace CsvTokenizer::place(std::size_t field) const {
  const char* const record = buffer_.data() + begin_;
  const char* const start = record + (field < starts_.size() ? starts_[field] : 0);
  const char* line_start = start;
  while (line_start > record && line_start[-1] != '\n') {
    --line_start;
  }
  return {stream_.name(), record_line_ + std::count(record, start, '\n'), start - line_start + 1};
}

namespace {

// Fields of each of the first complete lines, quotes respected.
std::vector<Index> fields_per_line(std::string_view head, char separator) {
  std::vector<Index> counts;
  Index fields = 1;
  bool quoted = false;
  bool content = false;
  for (const char c : head) {
    if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == separator) {
      ++fields;
    } else if (!quoted && (c == '\n' || c == '\r')) {
      if (content) {
        counts.push_back(fields);
      }
      fields = 1;
      content = false;
      if (counts.size() >= 20) {
        return counts;
      }
      continue;
    }
    content = true;
  }
  if (counts.empty() && content) {
    counts.push_back(fields);
  }
  return counts;
}

// The first line of several words, and one below in all others.
bool is_one_column_with_blanks_in_its_name(std::string_view head) {
  constexpr int most_lines = 20;
  int lines = 0;
  for (; !head.empty() && lines < most_lines;) {
    const std::size_t end = head.find_first_of("\r\n");
    if (end == head.npos && lines > 1) {
      break;  // perhaps not all of the line
    }
    const std::string_view line = trim(head.substr(0, end));
    head.remove_prefix(end == head.npos ? head.size() : end + 1);
    if (line.empty()) {
      continue;
    }
    if ((line.find_first_of(" \t") == line.npos) != (lines > 0)) {
      return false;
    }
    ++lines;
  }
  return lines > 1;
}

}  // namespace

char detect_separator(std::string_view head) {
  char best = 0;
  Index best_fields = 1;
  bool best_agrees = false;
  for (const char separator : {',', ';', '\t', '|'}) {
    const std::vector<Index> counts = fields_per_line(head, separator);
    if (counts.empty() || counts.front() < 2) {
      continue;
    }
    const bool agrees = std::all_of(counts.begin(), counts.end(), [&](Index n) { return n == counts.front(); });
    if (best == 0 || (agrees && !best_agrees) || (agrees == best_agrees && counts.front() > best_fields)) {
      best = separator;
      best_fields = counts.front();
      best_agrees = agrees;
    }
  }
  if (best != 0) {
    return best;
  }
  if (is_one_column_with_blanks_in_its_name(head)) {
    return ',';
  }
  std::string_view line =
      head.substr(head.find_first_not_of(" \t\r\n") == head.npos ? 0 : head.find_first_not_of(" \t\r\n"));
  line = line.substr(0, line.find_first_of("\r\n"));
  line = line.substr(0, line.find_last_not_of(" \t") + 1);
  return line.find_first_of(" \t") != line.npos && line.find('"') == line.npos ? ' ' : ',';
}

}  // namespace mercer
