#include "mercer/data/files/fasta_file.h"

#include <algorithm>
#include <array>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/collect_columns.h"
#include "mercer/data/files/kept_rows.h"
#include "mercer/data/files/string_rows_builder.h"

namespace mercer {

namespace {

constexpr std::string_view fasta_blanks = " \t\r\v\f";
constexpr std::string_view header_separators = " \t,;|";
constexpr std::size_t longest_header = std::size_t{1} << 20;

constexpr std::array<bool, 256> fasta_pauses = [] {
  std::array<bool, 256> pauses{};
  for (const char c : std::string_view(" \t\r\v\f*")) {
    pauses[static_cast<unsigned char>(c)] = true;
  }
  return pauses;
}();

// Letters in front of the first blank or star; several times as fast as find_first_of.
std::size_t letters_before_pause(std::string_view piece) {
  const auto pause =
      std::find_if(piece.begin(), piece.end(), [](char c) { return fasta_pauses[static_cast<unsigned char>(c)]; });
  return static_cast<std::size_t>(pause - piece.begin());
}

// What is asked for from the headers, and how often it was found.
struct HeaderKeys {
  TableLayout layout;
  std::vector<Index> found;

  explicit HeaderKeys(const ReadOptions& options) {
    if (options.targets_presence == Presence::ignored) {
      return;
    }
    for (const std::string& target : options.targets) {
      layout.targets.push_back(layout.columns.size());
      add(target, ColumnRole::target);
    }
    add(options.weights, ColumnRole::weights);
    add(options.groups, ColumnRole::groups);
    add(options.noise, ColumnRole::noise);
  }

  void add(const std::string& key, ColumnRole role) {
    if (key.empty()) {
      return;
    }
    const bool numeric = role == ColumnRole::weights || role == ColumnRole::noise;
    layout.names.push_back(key);
    layout.roles.push_back(role);
    layout.columns.emplace_back(key, numeric ? std::optional(ColumnKind::numeric) : std::nullopt,
                                FieldColumn::Spelling::kept);
    found.push_back(0);
  }

  void take(std::string_view header, const FieldPlaces& places) {
    for (std::size_t c = 0; c < layout.columns.size(); ++c) {
      const auto value = header_value(header, layout.names[c]);
      found[c] += value ? 1 : 0;
      layout.columns[c].add(value.value_or(""), places, c);
    }
  }

  // Keys that no header has: an error, or nothing where the file may do without.
  void settle(const std::string& file, const std::string& first_header, Presence presence) {
    for (std::size_t c = 0; c < layout.columns.size(); ++c) {
      if (found[c] > 0) {
        continue;
      }
      if (presence == Presence::required) {
        throw DataError({file}, "no header has the key '" + layout.names[c] + "'; the first header is '" +
                                    first_header.substr(0, 100) +
                                    "'. Keys are written as key=value, and id is the first word");
      }
      layout.roles[c] = ColumnRole::ignored;
    }
    std::erase_if(layout.targets, [&](std::size_t c) { return layout.roles[c] == ColumnRole::ignored; });
  }
};

// Takes the text block by block; a line may stretch over any number of blocks.
class FastaParser {
 public:
  FastaParser(const std::string& file, HeaderKeys& keys) : places_(file), keys_(keys) { places_.set_line(1); }

  void take(std::string_view block) {
    if (const auto nul = block.find('\0'); nul != block.npos) {
      line_ += std::count(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(nul), '\n');
      fail("the file holds a NUL byte: it is not a text");
    }
    while (!block.empty()) {
      if (at_line_start_) {
        begin_line(block.front());
      }
      const auto end = block.find('\n');
      add_piece(block.substr(0, end));
      if (end == block.npos) {
        return;
      }
      end_line();
      block.remove_prefix(end + 1);
    }
  }

  Samples finish() {
    if (part_ == Part::header && !at_line_start_) {
      end_line();
    }
    end_record();
    return sequences_.finish();
  }

  Index records() const { return records_; }
  const std::string& first_header() const { return first_header_; }

 private:
  enum class Part { header, comment, sequence };

  [[noreturn]] void fail(const std::string& message) {
    places_.set_line(line_);
    throw DataError(places_.place(), message);
  }

  void begin_line(char first) {
    at_line_start_ = false;
    part_ = first == '>' ? Part::header : first == ';' ? Part::comment : Part::sequence;
    if (part_ == Part::header) {
      end_record();
      ++records_;
      header_.clear();
    }
  }

  void add_piece(std::string_view piece) {
    if (part_ == Part::header) {
      if (header_.size() + piece.size() > longest_header) {
        fail("the header is longer than 1 MiB; is a line end missing?");
      }
      header_ += piece;
    } else if (part_ == Part::sequence) {
      add_letters(piece);
    }
  }

  void add_letters(std::string_view piece) {
    while (!piece.empty()) {
      const std::size_t end = letters_before_pause(piece);
      if (end > 0) {
        require_record();
        // Stars before further letters are stop codons inside the sequence.
        for (; stars_ > 0; --stars_) {
          sequences_.append("*");
        }
        sequences_.append(piece.substr(0, end));
      }
      piece.remove_prefix(end);
      if (!piece.empty()) {
        if (piece.front() == '*') {
          require_record();
          ++stars_;
        }
        piece.remove_prefix(1);
      }
    }
  }

  void require_record() {
    if (records_ == 0) {
      fail("letters stand before the first header; a FASTA file begins with a line like >name");
    }
  }

  void end_line() {
    if (part_ == Part::header) {
      const std::string_view header = trim(std::string_view(header_).substr(1));
      if (records_ == 1) {
        first_header_ = header;
      }
      places_.set_line(line_);
      keys_.take(header, places_);
      part_ = Part::sequence;
    }
    ++line_;
    at_line_start_ = true;
  }

  void end_record() {
    stars_ = 0;
    if (records_ > 0) {
      sequences_.end_row();
    }
  }

  LinePlaces places_;
  HeaderKeys& keys_;
  StringRowsBuilder sequences_;
  Part part_ = Part::sequence;
  bool at_line_start_ = true;
  std::string header_;
  std::string first_header_;
  Index line_ = 1;
  Index records_ = 0;
  Index stars_ = 0;  // seen at what may be the end of the sequence
};

}  // namespace

bool looks_like_fasta(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) {
    head.remove_prefix(3);
  }
  const auto first = head.find_first_not_of(" \t\r\n");
  return first != head.npos && head[first] == '>' && (first == 0 || head[first - 1] == '\n');
}

std::optional<std::string_view> header_value(std::string_view header, std::string_view key) {
  const std::string_view whole = header;
  while (!header.empty()) {
    const auto end = std::min(header.size(), header.find_first_of(header_separators));
    const std::string_view pair = header.substr(0, end);
    if (pair.size() > key.size() && pair.starts_with(key) && pair[key.size()] == '=') {
      return pair.substr(key.size() + 1);
    }
    header.remove_prefix(std::min(header.size(), end + 1));
  }
  if (key == "id" && !whole.empty()) {
    return whole.substr(0, whole.find_first_of(fasta_blanks));
  }
  return std::nullopt;
}

DataFile read_fasta(InputStream& stream, const ReadOptions& options, const Run& run) {
  HeaderKeys keys(options);
  FastaParser parser(stream.name(), keys);
  if (stream.peek(3) == "\xEF\xBB\xBF") {
    char mark[3];
    stream.read_exactly(mark, 3, "the byte order mark");
  }
  std::vector<char> block(std::size_t{256} << 10);
  double bytes = 0;
  while (const std::size_t got = stream.read(block.data(), block.size())) {
    parser.take({block.data(), got});
    run.check_stop();
    bytes += static_cast<double>(got);
    run.progress("reading " + stream.name(), bytes, static_cast<double>(std::max<Index>(stream.plain_size(), 0)));
  }
  Samples sequences = parser.finish();
  if (sequences.size() == 0) {
    throw DataError({stream.name()}, "there is no sequence in the file: no line begins with >");
  }
  keys.settle(stream.name(), parser.first_header(), options.targets_presence);
  DataFile file = collect_columns(keys.layout, stream.name(), options, run, std::move(sequences));
  require_rows_left(file.samples.size(), file.dropped_rows, stream.name());
  file.format = FileFormat::fasta;
  return file;
}

}  // namespace mercer
