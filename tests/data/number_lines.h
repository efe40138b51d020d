// Plain tables of numbers, as the real data has them.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "mercer/data/files/input_stream.h"

namespace mercer::testing {

/// The numbers of each line, between blanks or commas; lines without one are left out. Packed files are unpacked.
inline std::vector<std::vector<double>> number_lines(const std::string& path) {
  InputStream stream(path);
  std::string content;
  std::vector<char> piece(1 << 16);
  for (std::size_t count = 1; count > 0;) {
    count = stream.read(piece.data(), piece.size());
    content.append(piece.data(), count);
  }
  std::ranges::replace(content, ',', ' ');
  std::vector<std::vector<double>> lines;
  std::istringstream text(content);
  for (std::string line; std::getline(text, line);) {
    std::istringstream numbers(line);
    std::vector<double> values;
    for (double value = 0; numbers >> value;) {
      values.push_back(value);
    }
    if (!values.empty()) {
      lines.push_back(std::move(values));
    }
  }
  return lines;
}

}  // namespace mercer::testing
