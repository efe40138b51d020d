#include "mercer/models/training_rows.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/widths.h"

namespace mercer {

std::vector<Index> weighted_rows(const TrainingData& data, const char* model) {
  return counted_row_numbers({data.samples, data.weights}, model);
}

CountedRows counted_rows(const char* model, const TrainingData& data) {
  CountedRows result;
  result.rows = weighted_rows(data, model);
  result.samples = counted_samples(data.samples, result.rows);
  result.weights = select_weights(data.weights, result.rows);
  return result;
}

void note_rows_left_out(Index rows_of_weight_0, FitReport& report) {
  if (rows_of_weight_0 > 0) {
    report.notes.push_back(std::to_string(rows_of_weight_0) + " rows of weight 0 left out");
  }
}

void refuse_unused_weights(const char* model, const Kernel& kernel, const CountedRows& rows, const std::string& reason,
                           const Run& run) {
  const std::vector<double>& weights = rows.weights;
  const bool differ =
      std::any_of(weights.begin(), weights.end(), [&](double weight) { return weight != weights.front(); });
  if (differ && resolve_widths(kernel, rows.weighted(), run) == resolve_widths(kernel, rows.samples, run)) {
    throw InvalidArgument(std::string(model) + ": weights change nothing here, because " + reason +
                          ". Fit without them; rows of weight 0 can be left out of the data");
  }
}

Kernel resolve_widths(const Kernel& kernel, const Samples& counted, std::span<const Index> rows,
                      const TrainingData& data, const Run& run) {
  const std::vector<double> weights = select_weights(data.weights, rows);
  return resolve_widths(kernel, WeightedSamples(counted, weights), run);
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

template <class T>
double largest_number_of_row(const DenseRows<T>& rows, Index i) {
  double largest = 0;
  for (Index j = 0; j < rows.columns; ++j) {
    raise_to(largest, static_cast<double>(rows(i, j)));
  }
  return largest;
}
template <class T>
double largest_number_of_row(const SparseRows<T>& rows, Index i) {
  double largest = 0;
  for (std::int64_t p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p) {
    raise_to(largest, static_cast<double>(rows.values[p]));
  }
  return largest;
}

double largest_number(const Samples& numeric, std::span<const double> weights) {
  return std::visit(
      [&](const auto& rows) {
        double largest = 0;
        if constexpr (requires { rows.columns; }) {
          const bool weighted = static_cast<Index>(weights.size()) == rows.rows;
          for (Index i = 0; i < rows.rows; ++i) {
            if (!weighted || weights[i] > 0) {
              largest = std::max(largest, largest_number_of_row(rows, i));
            }
          }
        }
        return largest;
      },
      numeric.rows());
}

}  // namespace

void require_target_numbers(const TrainingData& data, const char* model) {
  require_targets(data);
  const std::vector<Index> rows = weighted_rows(data, model);
  for (const TargetColumn& column : data.targets.columns()) {
    double largest = 0;
    for (const double value : column.finite_values(rows)) {
      largest = std::max(largest, std::abs(value));
    }
    require_magnitude(largest, column.name.empty() ? "the target" : "the target '" + column.name + "'", model);
  }
}

void require_sample_range(const TrainingData& data, const char* model) {
  const Samples& numeric = data.samples.kind() == SampleKind::table ? data.samples.table().numeric() : data.samples;
  require_magnitude(largest_number(numeric, data.weights), "the samples", model);
}

void require_targets(const TrainingData& data) {
  if (data.targets.size() != data.samples.size()) {
    throw DataError(std::to_string(data.samples.size()) + " samples with " + std::to_string(data.targets.size()) +
                    " targets: one target per sample is needed");
  }
}

}  // namespace mercer
