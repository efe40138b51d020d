#include "mercer/data/files/libsvm_parser.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mercer/data/files/number_text.h"

namespace mercer::detail {

namespace {

constexpr std::int64_t largest_index = std::numeric_limits<std::int32_t>::max() - 1;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

const char* skip_blanks(const char* p) {
  while (is_blank(*p)) {
    ++p;
  }
  return p;
}

// Bytes are added up in 8 bits, which the compiler turns into full vectors.
Index count_colons(const char* p, const char* end) {
  Index total = 0;
  while (end - p >= 128) {
    std::uint8_t part = 0;
    for (int i = 0; i < 128; ++i) {
      part = static_cast<std::uint8_t>(part + (p[i] == ':' ? 1 : 0));
    }
    total += part;
    p += 128;
  }
  for (; p < end; ++p) {
    total += *p == ':' ? 1 : 0;
  }
  return total;
}

// "qid:" has a colon but is no entry; it stands between the label and the first entry.
bool has_query(const char* p, const char* end) {
  while (p < end && !is_blank(*p)) {
    ++p;
  }
  while (p < end && is_blank(*p)) {
    ++p;
  }
  return end - p >= 4 && std::memcmp(p, "qid:", 4) == 0;
}

template <class T>
class ChunkParser {
 public:
  ChunkParser(const ReadOptions& options, Places<T> places)
      : places_(places),
        shift_(options.indices == LibsvmIndices::from_one ? 1 : 0),
        accepts_non_finite_(options.non_finite == NonFinite::accept) {}

  IndexExtent parse(std::string_view text) {
    const char* p = text.data();
    const char* const end = p + text.size();
    for (line_ = 1; p < end; ++line_) {
      line_start_ = p;
      p = skip_blanks(p);
      if (*p != '\n' && *p != '#') {
        p = parse_row(p);
      }
      if (*p == '#') {
        p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
      }
      ++p;
    }
    if (row_ != places_.rows || entry_ != places_.entries) {
      fail(line_start_, "the file changed while it was read; read it again");
    }
    return extent_;
  }

 private:
  [[noreturn]] void fail(const char* place, std::string message) const {
    throw ChunkError{line_, place - line_start_ + 1, std::move(message)};
  }

  static std::string token(const char* p) {
    const char* end = p;
    while (!detail::ends_token(*end) && end - p < 40) {
      ++end;
    }
    std::string text(p, end);
    for (char& c : text) {
      c = static_cast<unsigned char>(c) < 32 || c == 127 ? '?' : c;
    }
    return "'" + text + (detail::ends_token(*end) ? "'" : "…'");
  }

  const char* parse_row(const char* p) {
    double label = 0;
    const char* next = detail::parse_token(p, label);
    if (next == nullptr) {
      fail(p, "the label " + token(p) + " is not a number; a line is 'label index:value index:value …'");
    }
    require_finite_number(label, p);
    p = skip_blanks(next);
    // Character by character: the text ends with a line feed, not with a zero.
    if (p[0] == 'q' && p[1] == 'i' && p[2] == 'd' && p[3] == ':') {
      double query = 0;
      next = detail::parse_token(p + 4, query);
      if (next == nullptr) {
        fail(p, token(p) + " is not a query number; it must be 'qid:' and an integer");
      }
      p = skip_blanks(next);
    }
    std::int64_t previous = -1;
    while (*p != '\n' && *p != '#') {
      p = skip_blanks(parse_entry(p, previous));
    }
    if (row_ == places_.rows) {
      fail(p, "the file changed while it was read; read it again");
    }
    places_.labels[row_] = label;
    places_.offsets[row_] = places_.first_entry + entry_;
    ++row_;
    return p;
  }

  const char* parse_entry(const char* p, std::int64_t& previous) {
    const char* const start = p;
    std::int64_t index = 0;
    while (detail::is_digit(*p) && p - start < 11) {
      index = index * 10 + (*p++ - '0');
    }
    if (p == start || *p != ':') {
      reject_index(start, p);
    }
    if (index <= previous || index > largest_index || index < shift_) {
      reject_order(start, index, previous);
    }
    previous = index;
    double value = 0;
    const char* const end = detail::parse_token(p + 1, value);
    if (end == nullptr) {
      fail(p + 1, "the value " + token(p + 1) + " is not a number");
    }
    require_finite_number(value, p + 1);
    if (entry_ == places_.entries) {
      fail(start, "the file changed while it was read; read it again");
    }
    places_.values[entry_] = static_cast<T>(value);
    places_.columns[entry_] = static_cast<std::int32_t>(index - shift_);
    ++entry_;
    extent_.smallest = std::min(extent_.smallest, index);
    extent_.largest = std::max(extent_.largest, index);
    return end;
  }

  void require_finite_number(double value, const char* place) const {
    if (accepts_non_finite_) {
      return;
    }
    // Written so that NaN fails too. A float overflows earlier.
    if (!(std::abs(value) <= static_cast<double>(std::numeric_limits<T>::max()))) {
      fail(place, token(place) + " is not a finite number; remove the line or give a finite value");
    }
  }

  [[noreturn]] void reject_index(const char* start, const char* p) const {
    if (p - start == 11) {
      fail(start, "the index " + token(start) + " is too large; indices go up to " + std::to_string(largest_index));
    }
    if (*start == '-') {
      fail(start, "the index in " + token(start) + " is negative; indices must be 1 or greater");
    }
    fail(start, token(start) + " is not 'index:value'");
  }

  [[noreturn]] void reject_order(const char* start, std::int64_t index, std::int64_t previous) const {
    if (index > largest_index) {
      fail(start,
           "the index " + std::to_string(index) + " is too large; indices go up to " + std::to_string(largest_index));
    }
    if (index < shift_) {
      fail(start,
           "the index is 0, but indices count from 1; read the file with indices from zero, or as a precomputed "
           "kernel");
    }
    if (index == previous) {
      fail(start, "the index " + std::to_string(index) + " stands twice in the line");
    }
    fail(start, "the index " + std::to_string(index) + " follows " + std::to_string(previous) +
                    "; indices must ascend within a line, sort them first");
  }

  Places<T> places_;
  std::int64_t shift_;
  bool accepts_non_finite_;
  const char* line_start_ = nullptr;
  Index line_ = 1;
  Index row_ = 0;
  Index entry_ = 0;
  IndexExtent extent_;
};

}  // namespace

ChunkCount count_libsvm_chunk(std::string_view text) {
  ChunkCount count;
  const bool plain = text.find('#') == text.npos && text.find('q') == text.npos;
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p < end) {
    const auto* newline = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
    const char* stop = newline;
    if (!plain) {
      const auto* comment = static_cast<const char*>(std::memchr(p, '#', static_cast<std::size_t>(newline - p)));
      stop = comment != nullptr ? comment : newline;
    }
    const char* const first = skip_blanks(p);
    if (first < stop) {
      ++count.rows;
      count.entries += count_colons(first, stop) - (!plain && has_query(first, stop) ? 1 : 0);
    }
    ++count.lines;
    p = newline + 1;
  }
  return count;
}

template <class T>
IndexExtent parse_libsvm_chunk(std::string_view text, const ReadOptions& options, const Places<T>& places) {
  return ChunkParser<T>(options, places).parse(text);
}

template IndexExtent parse_libsvm_chunk(std::string_view, const ReadOptions&, const Places<float>&);
template IndexExtent parse_libsvm_chunk(std::string_view, const ReadOptions&, const Places<double>&);

}  // namespace mercer::detail
