#include "output_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "mercer/base/text.h"
#include "mercer/data/output_encoder.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

// Endings that mean something, and never a table of fields with commas between them.
constexpr std::array<std::string_view, 23> formats_besides_csv = {
    ".npy",    ".npz",  ".tsv",  ".json", ".jsonl", ".ndjson", ".parquet", ".feather",
    ".arrow",  ".xlsx", ".xls",  ".ods",  ".h5",    ".mat",    ".hdf5",    ".mercer",
    ".libsvm", ".svm",  ".html", ".svg",  ".pkl",   ".fasta",  ".pdf"};
constexpr std::array<std::string_view, 6> other_compressions = {".zip", ".zst", ".lz4", ".Z", ".7z", ".br"};

std::string ending_of(std::string_view path) { return std::filesystem::path(path).extension().string(); }

template <class List>
bool holds(const List& list, std::string_view ending) {
  return std::find(list.begin(), list.end(), ending) != list.end();
}

}  // namespace

MatrixFormat matrix_format(const std::string& path) {
  return without_compression(path).ends_with(".npy") ? MatrixFormat::npy : MatrixFormat::csv;
}

void require_fitting_name(const std::string& flag, const std::string& output, const std::string& path,
                          OutputContent content) {
  const auto refuse = [&](const std::string& reason) {
    throw UsageError(fmt::format("{} {}: {}", flag, path, reason));
  };
  if (content == OutputContent::log) {
    if (path == "-") {
      refuse("the log is read again and appended to, so it needs a file");
    }
    if (compression_of(path) != Compression::none) {
      refuse("the log is appended to, and is not compressed; take the ending away");
    }
    return;
  }
  const std::string last = ending_of(path);
  if (holds(other_compressions, last)) {
    refuse(fmt::format("'{}' is no compression that is written; .gz, .bz2 and .xz are", last));
  }
  const std::string format = ending_of(without_compression(path));
  const bool is_table = content == OutputContent::table || content == OutputContent::matrix;
  if (!is_table || !holds(formats_besides_csv, format)) {
    return;
  }
  if (content == OutputContent::table) {
    refuse(fmt::format("{} is written as CSV, not as '{}'; give it a name such as out.csv", output, format));
  }
  if (matrix_format(path) != MatrixFormat::npy) {
    refuse(fmt::format("{} is written as .npy or CSV, not as '{}'", output, format));
  }
}

}  // namespace mercer::program
