#include "mercer/io/libsvm_model_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "mercer/base/buffer.h"
#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/data/files/atomic_file.h"
#include "mercer/data/files/input_stream.h"
#include "mercer/data/files/number_text.h"
#include "mercer/data/files/text_chunks.h"
#include "mercer/io/libsvm_model_header.h"

namespace mercer {

namespace {

constexpr Index chunk_bytes = Index{1} << 20;
constexpr std::int64_t largest_index = std::numeric_limits<std::int32_t>::max() - 1;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

const char* skip_blanks(const char* p) {
  while (is_blank(*p)) {
    ++p;
  }
  return p;
}

// What stands before a piece of the text: lines of any kind, support vectors, index:value entries.
struct Position {
  Index lines = 0;
  Index rows = 0;
  Index entries = 0;
};

Position count_piece(std::string_view text) {
  Position count;
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p < end) {
    const auto* newline = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
    count.rows += *skip_blanks(p) != '\n' ? 1 : 0;
    count.entries += std::count(p, newline, ':');
    ++count.lines;
    p = newline + 1;
  }
  return count;
}

struct LineError {
  Index line = 0;  // within the piece, from 1
  std::string message;
};

// Where everything goes; pieces write to places of their own.
struct SupportMemory {
  Buffer<double> values;
  Buffer<std::int32_t> columns;
  Buffer<std::int64_t> offsets;
};

class PieceParser {
 public:
  PieceParser(LibsvmModel& model, SupportMemory& memory, Position start, Position end)
      : model_(model),
        memory_(memory),
        row_(start.rows),
        entry_(start.entries),
        end_(end),
        precomputed_(model.kernel == LibsvmKernel::precomputed) {}

  /// Throws LineError. Returns the largest index.
  std::int64_t parse(std::string_view text) {
    const char* p = text.data();
    const char* const end = p + text.size();
    for (line_ = 1; p < end; ++line_) {
      p = skip_blanks(p);
      if (*p != '\n') {
        p = parse_line(p);
      }
      ++p;
    }
    if (row_ != end_.rows || entry_ != end_.entries) {
      fail("a colon stands where none belongs");
    }
    return largest_;
  }

 private:
  [[noreturn]] void fail(std::string message) const { throw LineError{line_, std::move(message)}; }

  const char* parse_number(const char* p, double& value, const char* what) const {
    const char* const end = detail::parse_token(p, value);
    if (end == nullptr || *end == '#' || !std::isfinite(value)) {
      fail(std::string(what) + " is not a finite number");
    }
    return end;
  }

  const char* parse_line(const char* p) {
    for (Index c = 0; c < model_.coefficients.columns(); ++c) {
      if (*p == '\n') {
        fail("the line has " + std::to_string(c) + " coefficients, " + std::to_string(model_.coefficients.columns()) +
             " are needed");
      }
      p = skip_blanks(parse_number(p, model_.coefficients(row_, c), "a coefficient"));
    }
    p = precomputed_ ? parse_serial_number(p) : parse_features(p);
    if (!precomputed_) {
      memory_.offsets.data()[row_ + 1] = entry_;
    }
    ++row_;
    return p;
  }

  const char* parse_index(const char* p, std::int64_t& index) const {
    const char* const start = p;
    index = 0;
    while (detail::is_digit(*p) && p - start < 11) {
      index = index * 10 + (*p++ - '0');
    }
    if (p == start || *p != ':' || index > largest_index) {
      fail("after its coefficients a line must hold 'index:value' with indices from 0 to " +
           std::to_string(largest_index));
    }
    return p + 1;
  }

  const char* parse_features(const char* p) {
    std::int64_t previous = -1;
    while (*p != '\n') {
      std::int64_t index = 0;
      double value = 0;
      p = skip_blanks(parse_number(parse_index(p, index), value, "a feature's value"));
      if (index <= previous) {
        fail("the index " + std::to_string(index) + " follows " + std::to_string(previous) + "; indices must ascend");
      }
      if (entry_ == end_.entries) {
        fail("a colon stands where none belongs");
      }
      previous = index;
      memory_.values.data()[entry_] = value;
      memory_.columns.data()[entry_] = static_cast<std::int32_t>(index);
      ++entry_;
    }
    largest_ = std::max(largest_, previous);
    return p;
  }

  const char* parse_serial_number(const char* p) {
    std::int64_t index = 0;
    double serial = 0;
    p = skip_blanks(parse_number(parse_index(p, index), serial, "a serial number"));
    if (index != 0 || *p != '\n' || serial < 1 || serial > static_cast<double>(largest_index) ||
        serial != std::floor(serial)) {
      fail("with a precomputed kernel a line must end with '0:' and the serial number of a training sample, from 1");
    }
    model_.serial_numbers[row_] = static_cast<Index>(serial);
    ++entry_;
    return p;
  }

  LibsvmModel& model_;
  SupportMemory& memory_;
  Index row_;
  Index entry_;
  Position end_;
  bool precomputed_;
  Index line_ = 1;
  std::int64_t largest_ = -1;
};

std::vector<Position> count_pieces(const TextChunks& chunks, const Run& run) {
  std::vector<Position> starts(static_cast<std::size_t>(chunks.count()) + 1);
  std::vector<std::vector<char>> scratch(run.threads());
  parallel_for_workers(run, chunks.count(),
                       [&](Index c, int worker) { starts[c + 1] = count_piece(chunks.load(c, scratch[worker])); });
  for (std::size_t c = 1; c < starts.size(); ++c) {
    starts[c].lines += starts[c - 1].lines;
    starts[c].rows += starts[c - 1].rows;
    starts[c].entries += starts[c - 1].entries;
  }
  return starts;
}

// Nothing is allocated before the text is known to be long enough for it.
SupportMemory make_places(LibsvmModel& model, Position total) {
  model.coefficients = Matrix<double>(total.rows, model.classes - 1);
  if (model.kernel == LibsvmKernel::precomputed) {
    model.serial_numbers.resize(total.rows);
    return {};
  }
  SupportMemory memory{Buffer<double>(total.entries), Buffer<std::int32_t>(total.entries),
                       Buffer<std::int64_t>(total.rows + 1)};
  memory.offsets.data()[0] = 0;
  return memory;
}

void parse_support_vectors(detail::LibsvmHeader& header, const std::string& name, const Run& run) {
  LibsvmModel& model = header.model;
  const TextChunks chunks(name, header.body, chunk_bytes);
  const std::vector<Position> starts = count_pieces(chunks, run);
  const Position total = starts.back();
  if (total.rows != header.support_count) {
    throw DataError({name, header.body_line + total.lines - 1},
                    "the file holds " + std::to_string(total.rows) + " support vectors, but total_sv is " +
                        std::to_string(header.support_count) + "; it is cut short or damaged");
  }
  if (total.rows > 0 && static_cast<Index>(header.body.size()) / total.rows < 2 * (model.classes - 1)) {
    throw DataError({name, header.body_line}, "the lines of support vectors are too short for " +
                                                  std::to_string(model.classes - 1) + " coefficients each");
  }
  auto memory = std::make_shared<SupportMemory>(make_places(model, total));
  std::vector<std::int64_t> largest(chunks.count(), -1);
  std::vector<std::optional<LineError>> errors(chunks.count());
  std::vector<std::vector<char>> scratch(run.threads());
  parallel_for_workers(run, chunks.count(), [&](Index c, int worker) {
    const auto at = static_cast<std::size_t>(c);
    try {
      largest[at] = PieceParser(model, *memory, starts[at], starts[at + 1]).parse(chunks.load(c, scratch[worker]));
    } catch (LineError& error) {
      errors[at] = std::move(error);
    }
  });
  for (std::size_t c = 0; c < errors.size(); ++c) {
    if (errors[c]) {
      throw DataError({name, header.body_line - 1 + starts[c].lines + errors[c]->line}, errors[c]->message);
    }
  }
  if (model.kernel != LibsvmKernel::precomputed) {
    const std::int64_t last = largest.empty() ? -1 : *std::max_element(largest.begin(), largest.end());
    model.support_vectors = Samples(
        SparseRows<double>{memory->values.data(), memory->columns.data(), memory->offsets.data(), total.rows, last + 1},
        memory);
  }
}

std::string read_all(InputStream& stream) {
  std::string text;
  constexpr std::size_t step = std::size_t{1} << 20;
  std::size_t length = 0;
  for (;;) {
    const std::size_t wanted =
        stream.is_plain_file() ? static_cast<std::size_t>(stream.plain_size()) + 1 - length : std::max(step, length);
    text.resize(length + std::max<std::size_t>(wanted, 1));
    const std::size_t got = stream.read(text.data() + length, text.size() - length);
    length += got;
    if (length < text.size()) {
      text.resize(length);
      return text;
    }
  }
}

}  // namespace

LibsvmModel parse_libsvm_model(std::string_view text, const std::string& name, const Run& run) {
  detail::LibsvmHeader header = detail::parse_libsvm_header(text, name);
  parse_support_vectors(header, name, run);
  return std::move(header.model);
}

LibsvmModel read_libsvm_model(const std::string& path, const Run& run) {
  InputStream stream(path);
  return parse_libsvm_model(read_all(stream), stream.name(), run);
}

}  // namespace mercer
