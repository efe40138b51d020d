#include "mercer/models/training_rows.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

std::vector<Index> weighted_rows(const TrainingData& data, const char* model) {
  const Index n = data.samples.size();
  if (!data.weights.empty() && static_cast<Index>(data.weights.size()) != n) {
    throw DataError(std::to_string(n) + " samples with " + std::to_string(data.weights.size()) +
                    " weights: one weight per sample is needed");
  }
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i) {
    const double weight = data.weights.empty() ? 1.0 : data.weights[static_cast<std::size_t>(i)];
    if (!(weight >= 0) || !std::isfinite(weight)) {
      throw DataError("the weight of row " + std::to_string(i) + " (counted from 0) is " + shortest(weight) +
                      "; weights must be finite and not negative");
    }
    if (weight > 0) {
      rows.push_back(i);
    }
  }
  if (rows.empty()) {
    throw DataError(std::string(model) +
                    (n == 0 ? ": there are no rows to fit" : ": all weights are 0, no row is left to fit"));
  }
  return rows;
}

CountedRows counted_rows(const char* model, const TrainingData& data) {
  CountedRows result;
  result.rows = weighted_rows(data, model);
  const bool all = static_cast<Index>(result.rows.size()) == data.samples.size();
  result.samples = all ? data.samples : data.samples.select(result.rows);
  if (!data.weights.empty()) {
    for (const Index row : result.rows) {
      result.weights.push_back(data.weights[static_cast<std::size_t>(row)]);
    }
  }
  return result;
}

namespace {

// Squares, and sums and products of a few of them with numbers of moderate size, are then normal numbers.
constexpr double least_size = 1e-140;
constexpr double largest_size = 1e140;

// `what`: "the target 'price'", "the samples".
void require_magnitude(double largest, const std::string& what, const char* model) {
  if (largest != 0 && !(largest >= least_size && largest <= largest_size)) {
    throw DataError(std::string(model) + ": the largest absolute value of " + what + " is " + shortest(largest) +
                    ", and squares of such numbers overflow or vanish: take other units, in which it lies between " +
                    shortest(least_size) + " and " + shortest(largest_size));
  }
}

// What is not finite is left to others, who name its row.
void raise_to(double& largest, double value) {
  if (std::isfinite(value)) {
    largest = std::max(largest, std::abs(value));
  }
}

double largest_number(const TargetColumn& column, const TrainingData& data) {
  double largest = 0;
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    if (data.weights.size() != column.values.size() || data.weights[i] > 0) {
      raise_to(largest, column.values[i]);
    }
  }
  return largest;
}

template <class R>
double largest_number(const R& rows) {
  double largest = 0;
  if constexpr (requires { rows.column_stride; }) {
    for (Index i = 0; i < rows.rows; ++i) {
      for (Index j = 0; j < rows.columns; ++j) {
        raise_to(largest, static_cast<double>(rows(i, j)));
      }
    }
  } else if constexpr (requires { rows.column_numbers; }) {
    for (std::int64_t p = rows.rows > 0 ? rows.offsets[0] : 0; rows.rows > 0 && p < rows.offsets[rows.rows]; ++p) {
      raise_to(largest, static_cast<double>(rows.values[p]));
    }
  }
  return largest;
}

}  // namespace

void require_target_numbers(const TrainingData& data, const char* model) {
  require_targets(data);
  for (const TargetColumn& column : data.targets.columns()) {
    if (column.is_numeric()) {
      require_magnitude(largest_number(column, data),
                        column.name.empty() ? "the target" : "the target '" + column.name + "'", model);
    }
  }
}

void require_sample_range(const Samples& samples, const char* model) {
  const Samples& numeric = samples.kind() == SampleKind::table ? samples.table().numeric() : samples;
  require_magnitude(std::visit([](const auto& rows) { return largest_number(rows); }, numeric.rows()), "the samples",
                    model);
}

void require_targets(const TrainingData& data) {
  if (data.targets.size() != data.samples.size()) {
    throw DataError(std::to_string(data.samples.size()) + " samples with " + std::to_string(data.targets.size()) +
                    " targets: one target per sample is needed");
  }
}

}  // namespace mercer
