// Small two-class problems with their kernel matrices, machines fitted to them, and true leave-one-out by refitting.
#pragma once

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/select/estimates/two_class_machine.h"
#include "mercer/solvers/svm/svm_dual.h"

namespace mercer::testing {

using Points = std::vector<std::vector<double>>;

struct LabeledPoints {
  Points x;
  std::vector<double> signs;
};

enum class KernelKind { linear, gaussian };

inline double kernel_value(const std::vector<double>& a, const std::vector<double>& b, KernelKind kind, double gamma) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    sum += kind == KernelKind::linear ? a[j] * b[j] : (a[j] - b[j]) * (a[j] - b[j]);
  }
  return kind == KernelKind::linear ? sum : std::exp(-gamma * sum);
}

inline Matrix<double> kernel_matrix(const Points& x, KernelKind kind, double gamma = 0.5) {
  const auto n = static_cast<Index>(x.size());
  Matrix<double> k(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      k(i, j) = kernel_value(x[i], x[j], kind, gamma);
    }
  }
  return k;
}

/// Two Gaussian clouds `distance` apart, the first `positive` rows being one of them.
inline LabeledPoints clouds(Index rows, Index positive, Index columns, double distance, std::uint64_t seed) {
  RandomStream random(seed, 601);
  LabeledPoints points;
  for (Index i = 0; i < rows; ++i) {
    points.signs.push_back(i < positive ? 1.0 : -1.0);
    auto& row = points.x.emplace_back();
    for (Index j = 0; j < columns; ++j) {
      row.push_back(random.normal() + (j == 0 ? points.signs.back() * distance / 2 : 0.0));
    }
  }
  return points;
}

/// Rows first, first + step, … of an example file; columns standardised, the last one is the label. Rows whose label is
/// neither of the two are left out.
inline LabeledPoints example_rows(const std::string& file, const std::string& positive, const std::string& negative,
                                  std::size_t step, std::size_t columns) {
  std::ifstream stream(std::string(MERCER_EXAMPLE_DATA_DIR "/") + file);
  std::string line;
  std::getline(stream, line);
  LabeledPoints points;
  for (std::size_t number = 0; std::getline(stream, line); ++number) {
    std::istringstream fields(line);
    std::vector<double> row;
    std::string field;
    std::string label;
    while (std::getline(fields, field, ',')) {
      label = field;
      if (row.size() < columns) {
        row.push_back(std::stod(field));
      }
    }
    if (number % step == 0 && (label == positive || label == negative)) {
      points.x.push_back(row);
      points.signs.push_back(label == positive ? 1.0 : -1.0);
    }
  }
  for (std::size_t j = 0; j < columns; ++j) {
    double mean = 0;
    double square = 0;
    for (const auto& row : points.x) {
      mean += row[j] / static_cast<double>(points.x.size());
    }
    for (const auto& row : points.x) {
      square += (row[j] - mean) * (row[j] - mean) / static_cast<double>(points.x.size());
    }
    for (auto& row : points.x) {
      row[j] = (row[j] - mean) / std::sqrt(square);
    }
  }
  return points;
}

constexpr BoxQpOptions high_accuracy{.tolerance = 1e-9};

struct FittedProblem {
  DenseGram<double> gram;
  std::vector<double> signs;
  std::vector<double> bounds;
  SvmDual dual;
  TwoClassMachine machine;

  FittedProblem(Matrix<double> kernel, std::vector<double> labels, double c)
      : FittedProblem(std::move(kernel), labels, std::vector<double>(labels.size(), c)) {}
  FittedProblem(Matrix<double> kernel, std::vector<double> labels, std::vector<double> boxes)
      : gram(std::move(kernel)), signs(std::move(labels)), bounds(std::move(boxes)) {
    dual = solve_c_svc(gram, signs, bounds, high_accuracy, mercer::Run{});
    machine = two_class_machine(dual, signs, bounds);
  }

  /// y_i f(x_i) of the machine fitted without row i, and whether a support vector of that machine is free (otherwise
  /// its offset is not unique, and the margin is that of one choice among many).
  struct Refits {
    std::vector<double> margins;
    std::vector<char> has_free;
    std::vector<char> keeps_kinds;  ///< all other rows stay outside, free or bound as they were
  };
  Refits leave_one_out() const {
    Refits refits;
    for (std::size_t i = 0; i < signs.size(); ++i) {
      std::vector<double> boxes = bounds;
      boxes[i] = 0;
      const SvmDual without = solve_c_svc(gram, signs, boxes, high_accuracy, mercer::Run{});
      refits.margins.push_back(signs[i] * (without.values[i] + without.offset));
      const TwoClassMachine refitted = two_class_machine(without, signs, boxes);
      refits.has_free.push_back(refitted.free_rows().empty() ? 0 : 1);
      bool same = true;
      for (std::size_t j = 0; j < signs.size(); ++j) {
        same = same && (j == i || kind(machine.alpha[j], j) == kind(refitted.alpha[j], j));
      }
      refits.keeps_kinds.push_back(same ? 1 : 0);
    }
    return refits;
  }

 private:
  int kind(double alpha, std::size_t i) const { return alpha < 1e-9 ? 0 : alpha > bounds[i] * (1 - 1e-9) ? 2 : 1; }
};

}  // namespace mercer::testing
