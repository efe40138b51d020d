#include "mercer/data/files/write_data.h"

#include <functional>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/atomic_file.h"
#include "mercer/data/files/csv_writer.h"
#include "mercer/data/files/field_column.h"

namespace mercer {

namespace {

std::string target_text(const TargetColumn& column, Index i) {
  const auto row = static_cast<std::size_t>(i);
  if (!column.has_labels()) {
    return shortest(column.values[row]);
  }
  const std::int32_t code = column.labels.codes[row];
  return code < 0 ? "" : column.labels.levels[code];
}

void require_equal_lengths(const Samples& samples, const Targets* targets) {
  if (targets != nullptr && targets->size() != samples.size()) {
    throw InvalidArgument(std::to_string(targets->size()) + " targets cannot be written beside " +
                          std::to_string(samples.size()) + " samples");
  }
}

template <class T>
void append_entries(const DenseRows<T>& rows, Index i, std::string& line) {
  for (Index j = 0; j < rows.columns; ++j) {
    if (rows(i, j) != T{0}) {
      line += ' ' + std::to_string(j + 1) + ':' + shortest(rows(i, j));
    }
  }
}

template <class T>
void append_entries(const SparseRows<T>& rows, Index i, std::string& line) {
  for (Index p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p) {
    line += ' ' + std::to_string(rows.column_numbers[p] + 1) + ':' + shortest(rows.values[p]);
  }
}

// The fields of row i, each behind a comma.
template <class T>
void append_fields(const DenseRows<T>& rows, Index i, std::string& line) {
  for (Index j = 0; j < rows.columns; ++j) {
    line += ',' + shortest(rows(i, j));
  }
}

template <class T>
void append_fields(const SparseRows<T>& rows, Index i, std::string& line) {
  Index p = rows.offsets[i];
  for (Index j = 0; j < rows.columns; ++j) {
    const bool stored = p < rows.offsets[i + 1] && rows.column_numbers[p] == j;
    line += ',' + (stored ? shortest(rows.values[p]) : std::string("0"));
    p += stored ? 1 : 0;
  }
}

void append_samples(const Samples& samples, Index i, std::string& line) {
  std::visit(
      [&]<class R>(const R& rows) {
        if constexpr (requires { rows.columns; }) {
          append_fields(rows, i, line);
        } else if constexpr (std::is_same_v<R, StringRows>) {
          line += ',' + csv_field(rows[i]);
        } else if constexpr (std::is_same_v<R, CategoryRows>) {
          line += ',' + (rows.codes[i] < 0 ? std::string() : csv_field(rows.levels[rows.codes[i]]));
        } else if constexpr (std::is_same_v<R, std::shared_ptr<const Table>>) {
          append_samples(rows->numeric(), i, line);
          for (const Table::Column& column : rows->others()) {
            append_samples(column.values, i, line);
          }
        } else {
          throw InvalidArgument("samples of kind '" + std::string(to_string(samples.kind())) +
                                "' cannot be written as CSV");
        }
      },
      samples.rows());
}

std::string names_line(const Samples& samples, const Targets* targets) {
  std::string line;
  if (targets != nullptr) {
    for (const TargetColumn& column : targets->columns()) {
      line += ',' + csv_field(column.name.empty() ? "target" : column.name);
    }
  }
  if (samples.kind() != SampleKind::table) {
    for (Index j = 0; j < samples.columns(); ++j) {
      line += ",x" + std::to_string(j);
    }
    return line;
  }
  const Table& table = samples.table();
  for (Index j = 0; j < table.numeric().columns(); ++j) {
    line += ',' + (table.numeric_names().empty() ? "x" + std::to_string(j) : csv_field(table.numeric_names()[j]));
  }
  for (const Table::Column& column : table.others()) {
    line += ',' + csv_field(column.name);
  }
  return line;
}

}  // namespace

std::string csv_field(std::string_view text) {
  const bool plain = text.find_first_of(",;|\t\"\r\n") == text.npos && trim(text).size() == text.size();
  if (plain && !is_missing_word(text)) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + '"';
}

void write_libsvm(const std::string& path, const Samples& samples, const Targets* targets, const Run& run) {
  require_equal_lengths(samples, targets);
  if (!samples.is_numeric()) {
    throw InvalidArgument("samples of kind '" + std::string(to_string(samples.kind())) +
                          "' cannot be written as LIBSVM text; dense and sparse ones can");
  }
  AtomicFile file(path);
  std::string line;
  for (Index i = 0; i < samples.size(); ++i) {
    line = targets != nullptr ? target_text(targets->columns().front(), i) : "0";
    std::visit(
        [&](const auto& rows) {
          if constexpr (requires { rows.columns; }) {
            append_entries(rows, i, line);
          }
        },
        samples.rows());
    line += '\n';
    file.write(line);
    if (i % 4096 == 0) {
      run.check_stop();
      run.progress("writing " + path, static_cast<double>(i), static_cast<double>(samples.size()));
    }
  }
  file.commit();
}

void write_csv(const std::string& path, const Samples& samples, const Targets* targets, const Run& run) {
  require_equal_lengths(samples, targets);
  AtomicFile file(path);
  file.write(names_line(samples, targets).substr(1) + '\n');
  std::string line;
  for (Index i = 0; i < samples.size(); ++i) {
    line.clear();
    if (targets != nullptr) {
      for (const TargetColumn& column : targets->columns()) {
        line += ',' + (column.is_numeric() ? target_text(column, i) : csv_field(target_text(column, i)));
      }
    }
    append_samples(samples, i, line);
    line += '\n';
    file.write(std::string_view(line).substr(1));
    if (i % 4096 == 0) {
      run.check_stop();
      run.progress("writing " + path, static_cast<double>(i), static_cast<double>(samples.size()));
    }
  }
  file.commit();
}

void write_csv(const std::string& path, ConstMatrixView<double> matrix, const std::vector<std::string>& names,
               const Run& run) {
  write_csv(path, {}, matrix, names, run);
}

void write_csv(const std::string& path, const std::vector<std::string>& texts, ConstMatrixView<double> matrix,
               const std::vector<std::string>& names, const Run& run) {
  CsvWriter writer(path, names, run);
  writer.add(texts, matrix);
  writer.commit();
}

}  // namespace mercer
