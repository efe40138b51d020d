// The sets of Rätsch, Onoda & Müller (2001) with their splits: FOLDER/data.csv.gz (label, inputs), train_idx.txt.gz,
// test_idx.txt.gz, one split per line.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "mercer/data/files/input_stream.h"
#include "mercer/data/split.h"
#include "mercer/data/targets.h"

namespace mercer::bench {

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

struct RaetschSet {
  Samples samples;
  Targets targets;
  std::vector<Split> splits;
};

inline RaetschSet read_raetsch(const std::string& folder) {
  const auto rows = number_lines(folder + "/data.csv.gz");
  std::vector<double> x;
  std::vector<double> y;
  for (const auto& row : rows) {
    y.push_back(row.front());
    x.insert(x.end(), row.begin() + 1, row.end());
  }
  RaetschSet result;
  result.samples =
      make_dense(std::move(x), static_cast<Index>(rows.size()), static_cast<Index>(rows.front().size()) - 1);
  result.targets = Targets::numeric(y);
  const auto trains = number_lines(folder + "/train_idx.txt.gz");
  const auto tests = number_lines(folder + "/test_idx.txt.gz");
  for (std::size_t s = 0; s < trains.size(); ++s) {
    result.splits.push_back({{trains[s].begin(), trains[s].end()}, {tests[s].begin(), tests[s].end()}});
  }
  return result;
}

}  // namespace mercer::bench
