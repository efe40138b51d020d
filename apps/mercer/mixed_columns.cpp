#include "mixed_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer::program {

namespace {

bool is_declared(const std::string& name, const ReadOptions& options) {
  const auto listed = [&](const std::vector<std::string>& references) {
    // A number counts the columns of the file, whose order is not known here: it may mean this column.
    return std::any_of(references.begin(), references.end(), [&](const std::string& reference) {
      return reference == name || parse_integer(reference).has_value();
    });
  };
  return listed(options.categorical) || listed(options.text);
}

void require_unmixed(const std::string& what, Index rows, const std::function<std::string_view(Index)>& field,
                     const std::string& file) {
  Index numbers = 0;
  Index words = 0;
  Index first_word = -1;
  for (Index i = 0; i < rows; ++i) {
    const std::string_view text = trim(field(i));
    if (parse_double(text)) {
      ++numbers;
    } else if (!text.empty()) {
      ++words;
      first_word = first_word < 0 ? i : first_word;
    }
  }
  if (words > 0 && numbers > words) {
    throw DataError(
        {file == "-" ? "stdin" : file},
        fmt::format("{}, row {} (from 0): '{}' is not a number, but {} of the {} fields are; correct it, or "
                    "declare the column with --categorical or --text",
                    what, first_word, field(first_word).substr(0, 40), numbers, numbers + words));
  }
}

std::string_view level(const std::int32_t code, std::span<const std::string> levels) {
  return code < 0 ? std::string_view() : std::string_view(levels[static_cast<std::size_t>(code)]);
}

}  // namespace

void require_unmixed_columns(const DataFile& data, const ReadOptions& options, const std::string& file) {
  if (data.samples.kind() == SampleKind::table) {
    for (const Table::Column& column : data.samples.table().others()) {
      if (is_declared(column.name, options)) {
        continue;
      }
      const std::string what = fmt::format("column '{}'", column.name);
      if (column.values.kind() == SampleKind::categories) {
        const auto& rows = column.values.as<CategoryRows>();
        require_unmixed(what, rows.rows, [&](Index i) { return level(rows.codes[i], rows.levels); }, file);
      } else if (column.values.kind() == SampleKind::strings) {
        const auto& rows = column.values.as<StringRows>();
        require_unmixed(what, rows.rows, [&](Index i) { return rows[i]; }, file);
      }
    }
  }
  if (!data.targets) {
    return;
  }
  for (const TargetColumn& target : data.targets->columns()) {
    if (!target.is_numeric() && !is_declared(target.name, options)) {
      require_unmixed(
          fmt::format("target '{}'", target.name), target.size(),
          [&](Index i) { return level(target.labels.codes[static_cast<std::size_t>(i)], target.labels.levels); }, file);
    }
  }
}

}  // namespace mercer::program
