#include "output_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "mercer/base/text.h"
#include "mercer/data/files/atomic_file.h"
#include "mercer/data/files/output_encoder.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

// Endings that mean something, and never a table of fields with commas between them.
constexpr std::array<std::string_view, 26> formats_besides_csv = {
    ".npy",  ".npz", ".tsv", ".json",  ".jsonl", ".ndjson", ".parquet", ".feather", ".arrow",
    ".xlsx", ".xls", ".ods", ".h5",    ".mat",   ".hdf5",   ".mercer",  ".libsvm",  ".svm",
    ".html", ".svg", ".pkl", ".fasta", ".pdf",   ".png",    ".jpg",     ".jpeg"};
constexpr std::array<std::string_view, 6> other_compressions = {".zip", ".zst", ".lz4", ".z", ".7z", ".br"};

std::string ending_of(std::string_view path) { return lower_case(std::filesystem::path(path).extension().string()); }

template <class List>
bool holds(const List& list, std::string_view ending) {
  return std::find(list.begin(), list.end(), ending) != list.end();
}

}  // namespace

MatrixFormat matrix_format(const std::string& path) {
  return ending_of(without_compression(path)) == ".npy" ? MatrixFormat::npy : MatrixFormat::csv;
}

void require_fitting_name(const std::string& flag, const std::string& output, const std::string& path,
                          OutputContent content) {
  const auto refuse = [&](const std::string& reason) {
    throw UsageError(fmt::format("{} {}: {}", flag, path, reason));
  };
  if (content == OutputContent::log) {
    if (names_standard_output(path)) {
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
  const bool is_foreign = holds(formats_besides_csv, format) || format == ".csv";
  switch (content) {
    case OutputContent::table:
      if (is_foreign && format != ".csv") {
        refuse(fmt::format("{} is written as CSV, not as '{}'; give it a name such as out.csv", output, format));
      }
      break;
    case OutputContent::matrix:
      if (is_foreign && format != ".csv" && format != ".npy") {
        refuse(fmt::format("{} is written as .npy or CSV, not as '{}'", output, format));
      }
      break;
    case OutputContent::model:
      if (is_foreign && format != ".mercer") {
        refuse(fmt::format("{} is no '{}'; give it a name such as m.mercer", output, format));
      }
      break;
    case OutputContent::page:
    case OutputContent::picture: {
      const std::string own = content == OutputContent::page ? ".html" : ".svg";
      if (is_foreign && format != own) {
        refuse(fmt::format("{} is written as {}, not as '{}'", output, own, format));
      }
      break;
    }
    case OutputContent::log:
    case OutputContent::other:
      break;
  }
}

}  // namespace mercer::program
