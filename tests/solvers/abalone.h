// The Abalone data as in the book's experiments: sex one-hot coded, which makes 10 inputs, each scaled to mean 0 and
// variance 1; the target is the number of rings as it is.
#pragma once

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "mercer/base/index.h"
#include "mercer/base/random.h"
#include "mercer/linalg/matrix.h"

namespace mercer::testing {

struct Abalone {
  Matrix<double> inputs;
  std::vector<double> rings;

  explicit Abalone(const std::string& path) {
    std::vector<std::vector<double>> rows;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      std::stringstream fields(line);
      std::string field;
      std::getline(fields, field, ',');
      std::vector<double> row{field == "M" ? 1.0 : 0.0, field == "F" ? 1.0 : 0.0, field == "I" ? 1.0 : 0.0};
      while (std::getline(fields, field, ',')) {
        row.push_back(std::stod(field));
      }
      rings.push_back(row.back());
      row.pop_back();
      rows.push_back(std::move(row));
    }
    inputs = Matrix<double>(static_cast<Index>(rows.size()), 10);
    for (Index j = 0; j < 10; ++j) {
      double sum = 0;
      double squares = 0;
      for (const auto& row : rows) {
        sum += row[j];
        squares += row[j] * row[j];
      }
      const auto n = static_cast<double>(rows.size());
      const double deviation = std::sqrt(squares / n - sum / n * (sum / n));
      for (Index i = 0; i < inputs.rows(); ++i) {
        inputs(i, j) = (rows[i][j] - sum / n) / deviation;
      }
    }
  }

  /// Rows in a random order.
  Abalone shuffled(std::uint64_t seed) const {
    RandomStream random(seed, 8);
    const std::vector<Index> order = random_permutation(random, inputs.rows());
    Abalone other = *this;
    for (Index i = 0; i < inputs.rows(); ++i) {
      const Index from = order[i];
      std::copy_n(inputs.view().row_data(from), 10, other.inputs.view().row_data(i));
      other.rings[i] = rings[from];
    }
    return other;
  }
  Abalone(const Abalone& other) : inputs(Matrix<double>::copy_of(other.inputs.view())), rings(other.rings) {}
  Abalone& operator=(const Abalone&) = delete;

  Matrix<double> rows(Index begin, Index end) const {
    return Matrix<double>::copy_of(inputs.view().row_block({begin, end}));
  }
};

}  // namespace mercer::testing
