#include "mercer/data/files/csv_writer.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/write_data.h"

namespace mercer {

namespace {

// In quotes where it has blanks: a line without commas would be taken for several headings.
std::string only_heading(const std::string& name) {
  const std::string field = csv_field(name);
  return field == name && name.find(' ') != name.npos ? '"' + name + '"' : field;
}

}  // namespace

CsvWriter::CsvWriter(const std::string& path, const std::vector<std::string>& names, const Run& run)
    : file_(path), run_(run) {
  std::string line;
  for (const std::string& name : names) {
    line += (line.empty() ? "" : ",") + (names.size() == 1 ? only_heading(name) : csv_field(name));
  }
  if (!names.empty()) {
    file_.write(line + '\n');
  }
}

void CsvWriter::add(std::span<const std::string> texts, ConstMatrixView<double> numbers, std::span<const char> filled) {
  constexpr Index rows_between_looks = 1024;
  if (!texts.empty() && static_cast<Index>(texts.size()) != numbers.rows()) {
    throw InvalidArgument(std::to_string(texts.size()) + " texts for " + std::to_string(numbers.rows()) + " rows");
  }
  const Index fields = numbers.columns() + (texts.empty() ? 0 : 1);
  // A line without anything would be no row to those who read it.
  const std::string nothing = fields == 1 ? "\"\"" : std::string(std::max<Index>(0, fields - 1), ',');
  std::string line;
  for (Index i = 0; i < numbers.rows(); ++i) {
    if (!filled.empty() && filled[i] == 0) {
      file_.write(nothing + '\n');
      continue;
    }
    line = texts.empty() ? "" : csv_field(texts[i]);
    for (Index j = 0; j < numbers.columns(); ++j) {
      line += (j == 0 && texts.empty() ? "" : ",") + shortest(numbers(i, j));
    }
    file_.write(line + '\n');
    if (i % rows_between_looks == 0) {
      run_.check_stop();
    }
  }
}

}  // namespace mercer
