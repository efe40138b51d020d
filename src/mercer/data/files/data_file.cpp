#include "mercer/data/files/data_file.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/collect_columns.h"
#include "mercer/data/files/csv_layout.h"
#include "mercer/data/files/csv_text.h"
#include "mercer/data/files/fasta_file.h"
#include "mercer/data/files/idx_file.h"
#include "mercer/data/files/json_lines.h"
#include "mercer/data/files/kept_rows.h"
#include "mercer/data/files/libsvm_text.h"
#include "mercer/data/files/npy_file.h"
#include "mercer/data/files/tar_reader.h"
#include "mercer/data/files/text_folder.h"
#include "mercer/data/files/text_lines.h"
#include "mercer/data/files/tu_graphs.h"

namespace mercer {

std::string_view to_string(FileFormat format) {
  switch (format) {
    case FileFormat::automatic:
      return "automatic";
    case FileFormat::libsvm:
      return "libsvm";
    case FileFormat::csv:
      return "csv";
    case FileFormat::npy:
      return "npy";
    case FileFormat::idx:
      return "idx";
    case FileFormat::fasta:
      return "fasta";
    case FileFormat::json_lines:
      return "jsonl";
    case FileFormat::graphs:
      return "graphs";
    case FileFormat::texts:
      return "texts";
    case FileFormat::lines:
      return "lines";
  }
  return "unknown";
}

namespace {

constexpr std::size_t head_size = std::size_t{64} << 10;

// "data/a9a.libsvm.gz" gives "libsvm": compression is seen from the content.
std::string extension(const std::string& name) {
  std::string lower = lower_case(name);
  for (const char* compressed : {".gz", ".bz2", ".xz"}) {
    if (lower.ends_with(compressed)) {
      lower.erase(lower.size() - std::string_view(compressed).size());
      break;
    }
  }
  const auto slash = lower.find_last_of('/');
  const auto dot = lower.find_last_of('.');
  return dot == lower.npos || (slash != lower.npos && dot < slash) ? "" : lower.substr(dot + 1);
}

bool is_entry(std::string_view token) {
  const auto colon = token.find(':');
  if (colon == token.npos || colon == 0) {
    return false;
  }
  return token.substr(0, colon) == "qid" ||
         (parse_integer(token.substr(0, colon)) && parse_double(token.substr(colon + 1)));
}

// Tokens of the first lines: a label, then only index:value. A line of a label alone says nothing.
bool looks_like_libsvm(std::string_view head) {
  int lines = 0;
  while (!head.empty() && lines < 50) {
    const auto end = head.find('\n');
    std::string_view line = trim(head.substr(0, end));
    line = trim(line.substr(0, line.find('#')));
    const bool whole = end != head.npos;
    head.remove_prefix(whole ? end + 1 : head.size());
    const auto label_end = line.find_first_of(" \t");
    if (line.empty() || label_end == line.npos) {
      continue;
    }
    const std::string_view rest = trim(line.substr(label_end));
    return parse_double(line.substr(0, label_end)) && is_entry(rest.substr(0, rest.find_first_of(" \t")));
  }
  return false;
}

DataFile read_format(InputStream& stream, FileFormat format, const ReadOptions& options, const Run& run) {
  switch (format) {
    case FileFormat::libsvm:
      return read_libsvm(stream, options, run);
    case FileFormat::csv:
      return read_csv(stream, options, run);
    case FileFormat::npy:
      return read_npy(stream, options, run);
    case FileFormat::idx:
      return read_idx(stream, options, run);
    case FileFormat::fasta:
      return read_fasta(stream, options, run);
    case FileFormat::json_lines:
      return read_json_lines(stream, options, run);
    case FileFormat::texts:
      return read_text_archive(stream, "", run);
    case FileFormat::lines:
      return read_text_lines(stream, options, run);
    case FileFormat::graphs:
      throw DataError({stream.name()}, "a graph set is a folder of files: DS_A.txt, DS_graph_indicator.txt and others");
    case FileFormat::automatic:
      break;
  }
  throw InvalidArgument("the format of a file must be known before it is read");
}

// Targets that stand in a file of their own: the only column there.
DataFile read_targets_file(const std::string& path, Header header, const ReadOptions& given, const Run& run) {
  InputStream stream(path);
  ReadOptions options;
  options.header = header;
  options.label_kind = given.label_kind;
  const bool may_lack = given.missing == MissingValues::drop || given.unlabeled == UnlabeledRows::left_out;
  options.missing = may_lack ? MissingValues::drop : MissingValues::reject;
  options.targets = {"0"};
  const FileFormat format = detect_format(stream);
  DataFile file = read_format(stream, format, options, run);
  if (format == FileFormat::libsvm || file.samples.columns() > 0 || !file.targets) {
    throw DataError({path}, "a file of targets must hold one column and nothing else");
  }
  return file;
}

// Targets of another file belong to the rows of the same number; what either lacks is dropped from both.
void take_targets(DataFile& file, const std::string& name, const ReadOptions& options, const Run& run) {
  const Index rows = file.samples.size() + file.dropped_rows;
  const auto count = [](const DataFile& targets) { return targets.targets->size() + targets.dropped_rows; };
  DataFile targets = read_targets_file(options.targets_file, Header::automatic, options, run.quiet());
  if (count(targets) + 1 == rows) {
    // The first label was taken for a name.
    targets = read_targets_file(options.targets_file, Header::absent, options, run);
  }
  if (count(targets) != rows) {
    throw DataError({options.targets_file},
                    std::to_string(count(targets)) + " targets for " + std::to_string(rows) + " samples of " + name);
  }
  const std::vector<Index> with_inputs = rows_left(file, rows);
  const std::vector<Index> with_targets = rows_left(targets, rows);
  std::vector<Index> places_of_inputs;
  std::vector<Index> places_of_targets;
  for (std::size_t i = 0, j = 0; i < with_inputs.size() && j < with_targets.size();) {
    if (with_inputs[i] == with_targets[j]) {
      places_of_inputs.push_back(static_cast<Index>(i++));
      places_of_targets.push_back(static_cast<Index>(j++));
    } else if (with_inputs[i] < with_targets[j]) {
      ++i;
    } else {
      ++j;
    }
  }
  if (places_of_inputs.empty()) {
    throw DataError({name}, "every row has a missing value, none is left; fill the values in");
  }
  if (places_of_inputs.size() < with_inputs.size()) {
    keep_rows(file, places_of_inputs);
    if (!options.schema) {
      leave_out_unused_levels(file);
    }
  }
  file.targets = targets.targets->select(places_of_targets);
}

// Formats that take the schema's columns here rather than while they are read.
void fit_to_schema(DataFile& file, const Schema& schema, const Run& run) {
  if (file.format == FileFormat::libsvm || file.format == FileFormat::graphs || file.format == FileFormat::texts ||
      file.format == FileFormat::lines) {
    file.samples = apply_schema(file.samples, schema, run);
    file.schema = schema_of(file.samples);
  }
}

DataFile completed(DataFile file, const std::string& name, const ReadOptions& options, const Run& run) {
  if (options.schema) {
    fit_to_schema(file, *options.schema, run);
  }
  const bool is_table = file.format == FileFormat::csv || file.format == FileFormat::json_lines;
  if (!is_table && !(options.inputs.empty() && options.ignored.empty())) {
    throw DataError({name}, "this file is read as " + std::string(to_string(file.format)) +
                                ", and only of CSV and JSON lines columns can be chosen or ignored");
  }
  if (file.samples.columns() == 0 && file.format != FileFormat::libsvm) {
    throw DataError({name}, "no column is left for the inputs");
  }
  if (!options.targets_file.empty() && options.targets_presence != Presence::ignored) {
    take_targets(file, name, options, run);
  }
  if (options.label_kind && file.targets) {
    file.targets->set_label_kind(*options.label_kind);
  }
  return file;
}

// What is more than one file: the texts or the graph set of a folder, and one folder of an archive.
std::optional<DataFile> read_folder(const std::string& path, const ReadOptions& options, const Run& run) {
  std::error_code failure;
  const bool is_folder = std::filesystem::is_directory(path, failure);
  const bool automatic = options.format == FileFormat::automatic;
  if (automatic || options.format == FileFormat::graphs) {
    // A folder with edges in it is nothing else; a single file may be a table.
    const MissingIndicator missing = automatic && !is_folder ? MissingIndicator::is_no_set : MissingIndicator::is_error;
    if (const auto files = find_tu_graphs(path, missing)) {
      return read_tu_graphs(*files, run);
    }
    if (options.format == FileFormat::graphs) {
      throw DataError({path},
                      "there is no graph set: its files are called DS_A.txt, DS_graph_indicator.txt and others");
    }
  }
  if (is_folder && (automatic || options.format == FileFormat::texts)) {
    return read_text_folder(path, run);
  }
  if (is_folder || std::filesystem::exists(path, failure)) {
    return std::nullopt;
  }
  if (const auto inside = find_archive(path); inside && (automatic || options.format == FileFormat::texts)) {
    InputStream stream(inside->archive);
    if (!is_tar(stream.peek(head_size))) {
      throw IoError(path + ": cannot be opened: " + inside->archive + " is neither a folder nor a tar archive");
    }
    return read_text_archive(stream, inside->folder, run);
  }
  return std::nullopt;
}

}  // namespace

void ReadOptions::read_like(const Preparation& preparation) {
  schema = preparation.file_schema();
  precision = preparation.precision;
  if (preparation.schema.kind == SampleKind::sparse) {
    columns = preparation.schema.numeric_columns;
  }
}

FileFormat detect_format(InputStream& stream) {
  const std::string_view head = stream.peek(head_size);
  if (head.empty()) {
    throw DataError({stream.name()}, "the file is empty; there are no samples in it");
  }
  if (head.starts_with("\x93NUMPY")) {
    return FileFormat::npy;
  }
  if (is_idx(head)) {
    return FileFormat::idx;
  }
  if (head.starts_with("PK\x03\x04")) {
    throw DataError({stream.name()}, "this is a zip archive (or .npz); unpack it and read the .npy files inside");
  }
  if (is_tar(head)) {
    return FileFormat::texts;
  }
  if (head.find('\0') != head.npos) {
    throw DataError({stream.name()},
                    "this is a binary file of no known format; LIBSVM text, CSV, .npy, idx, FASTA, JSON lines and tar "
                    "archives of texts can be read");
  }
  const std::string name = extension(stream.name());
  if (name == "csv" || name == "tsv") {
    return FileFormat::csv;
  }
  if (name == "libsvm" || name == "svm" || name == "svmlight") {
    return FileFormat::libsvm;
  }
  if (name == "jsonl" || name == "ndjson" || looks_like_json_lines(head)) {
    return FileFormat::json_lines;
  }
  if (looks_like_fasta(head) || name == "fa" || name == "fasta" || name == "fna" || name == "faa") {
    return FileFormat::fasta;
  }
  return looks_like_libsvm(head) ? FileFormat::libsvm : FileFormat::csv;
}

DataFile read_data(InputStream& stream, const ReadOptions& options, const Run& run) {
  const FileFormat format = options.format == FileFormat::automatic ? detect_format(stream) : options.format;
  return completed(read_format(stream, format, options, run), stream.name(), options, run);
}

DataFile read_data(const std::string& path, const ReadOptions& options, const Run& run) {
  if (path != "-") {
    if (auto file = read_folder(path, options, run)) {
      return completed(*std::move(file), path, options, run);
    }
  }
  InputStream stream(path);
  return read_data(stream, options, run);
}

// Delimited text, block by block.
class DataBatches::Text {
 public:
  Text(std::unique_ptr<InputStream> stream, ReadOptions options, Index rows, const Run& run)
      : stream_(std::move(stream)),
        options_(std::move(options)),
        run_(run),
        most_(rows),
        reader_(*stream_, options_, run) {}

  std::optional<DataFile> next() {
    TableLayout layout = reader_.read(most_);
    if (!is_first_ && row_count(layout) == 0) {
      if (options_.rows_left == RowsLeft::some) {
        require_rows_left(rows_, dropped_, stream_->name());
      }
      return std::nullopt;
    }
    is_first_ = false;
    DataFile file = collect_columns(layout, stream_->name(), options_, run_);
    file.format = FileFormat::csv;
    rows_ += file.samples.size();
    dropped_ += file.dropped_rows;
    return completed(std::move(file), stream_->name(), options_, run_);
  }

 private:
  std::unique_ptr<InputStream> stream_;
  ReadOptions options_;
  Run run_;
  Index most_;
  CsvReader reader_;
  bool is_first_ = true;
  Index rows_ = 0;
  Index dropped_ = 0;
};

DataBatches::DataBatches(const std::string& path, ReadOptions options, Index rows, const Run& run) {
  if (rows < 1) {
    reject_argument("rows of a block", static_cast<double>(rows), "1 or more");
  }
  const bool has_targets_elsewhere = options.targets_presence != Presence::ignored && !options.targets_file.empty();
  if (path != "-") {
    if (auto file = read_folder(path, options, run)) {
      whole_ = completed(*std::move(file), path, options, run);
      return;
    }
  }
  auto stream = std::make_unique<InputStream>(path);
  const FileFormat format = options.format == FileFormat::automatic ? detect_format(*stream) : options.format;
  if (options.schema && format == FileFormat::csv && !has_targets_elsewhere) {
    text_ = std::make_unique<Text>(std::move(stream), std::move(options), rows, run);
    return;
  }
  options.format = format;
  whole_ = read_data(*stream, options, run);
}

DataBatches::~DataBatches() = default;

std::optional<DataFile> DataBatches::next() { return text_ ? text_->next() : std::exchange(whole_, std::nullopt); }

}  // namespace mercer
