#include "json_table.h"

#include <cmath>

#include "mercer/base/text.h"

namespace mercer::program {

namespace {

constexpr std::size_t printed_at_once = std::size_t{1} << 20;

std::string row_text(const std::string* text, ConstMatrixView<double> numbers, Index row) {
  // Bytes that are no UTF-8 become replacement characters: JSON cannot hold them.
  std::string line;
  if (text != nullptr) {
    line = text->empty() ? "null" : Json(*text).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  for (Index j = 0; j < numbers.columns(); ++j) {
    line += line.empty() ? "" : ", ";
    line += std::isfinite(numbers(row, j)) ? shortest(numbers(row, j)) : "null";
  }
  return "[" + line + "]";
}

}  // namespace

void print_json_table(const Json& head, std::span<const std::string> texts, ConstMatrixView<double> numbers) {
  std::string buffer = head.dump(2, ' ', false, Json::error_handler_t::replace);
  buffer.resize(buffer.rfind('\n'));  // the closing brace comes behind the rows
  buffer += ",\n  \"rows\": [";
  for (Index i = 0; i < numbers.rows(); ++i) {
    buffer += i == 0 ? "\n    " : ",\n    ";
    buffer += row_text(texts.empty() ? nullptr : &texts[i], numbers, i);
    if (buffer.size() >= printed_at_once) {
      print(buffer);
      buffer.clear();
    }
  }
  print(buffer + (numbers.rows() > 0 ? "\n  ]\n}\n" : "]\n}\n"));
}

}  // namespace mercer::program
