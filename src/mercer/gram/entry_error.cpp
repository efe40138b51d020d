#include "mercer/gram/entry_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "mercer/gram/kernel_block.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/prepared.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

namespace {

constexpr Index rows_to_try = 64;
constexpr Index costly_rows_to_try = 32;

// ‖x_i − mean‖² of dense or sparse rows; without numbers all 0.
class SquaredNorms {
 public:
  explicit SquaredNorms(const Samples& samples) : norms_(static_cast<std::size_t>(samples.size()), 0.0) {
    std::visit(
        [this](const auto& rows) {
          if constexpr (requires { rows.column_numbers; }) {
            add_sparse(rows);
          } else if constexpr (requires { rows(Index{0}, Index{0}); }) {
            add_dense(rows);
          }
        },
        samples.rows());
  }
  const std::vector<double>& values() const { return norms_; }

 private:
  template <class Rows>
  void add_dense(const Rows& rows) {
    std::vector<double> mean(rows.columns, 0.0);
    for (Index i = 0; i < rows.rows; ++i) {
      for (Index c = 0; c < rows.columns; ++c) {
        mean[c] += static_cast<double>(rows(i, c));
      }
    }
    for (double& value : mean) {
      value /= static_cast<double>(rows.rows);
    }
    for (Index i = 0; i < rows.rows; ++i) {
      for (Index c = 0; c < rows.columns; ++c) {
        const double difference = static_cast<double>(rows(i, c)) - mean[c];
        norms_[i] += difference * difference;
      }
    }
  }
  // Sparse rows are not centred by the kernels either.
  template <class Rows>
  void add_sparse(const Rows& rows) {
    for (Index i = 0; i < rows.rows; ++i) {
      for (std::int64_t at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at) {
        const auto value = static_cast<double>(rows.values[at]);
        norms_[i] += value * value;
      }
    }
  }

  std::vector<double> norms_;
};

std::vector<Index> telling_rows(const Samples& samples, Index count) {
  const Index n = samples.size();
  const Index far = count / 4;
  const Index spread = count - far;
  std::vector<Index> rows;
  if (n <= count) {
    rows.resize(n);
    std::iota(rows.begin(), rows.end(), Index{0});
    return rows;
  }
  for (Index k = 0; k < spread; ++k) {
    rows.push_back(k * n / spread);
  }
  const SquaredNorms norms(default_columns(samples));
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index{0});
  const auto farther = [&](Index a, Index b) {
    const double of_a = norms.values()[a];
    const double of_b = norms.values()[b];
    return of_a != of_b ? of_a > of_b : a < b;
  };
  std::partial_sort(order.begin(), order.begin() + far, order.end(), farther);
  rows.insert(rows.end(), order.begin(), order.begin() + far);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

template <class T>
Matrix<T> values_between(const Kernel& kernel, const Samples& reference, const Samples& others, const Run& run) {
  const PreparedKernel prepared(kernel, reference, precision_of<T>, run);
  Matrix<T> values(others.size(), reference.size());
  evaluate_block(kernel, *prepared.prepare(others, run), prepared.reference(), values.view(), run);
  return values;
}

double largest_diagonal(const Kernel& kernel, const Samples& samples, const Run& run) {
  const PreparedKernel prepared(kernel, samples, Precision::double_precision, run);
  std::vector<double> diagonal(samples.size());
  kernel.node().diagonal(prepared.reference(), {0, samples.size()}, diagonal);
  double largest = 0;
  for (const double value : diagonal) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

void add_errors(const Matrix<float>& single, const Matrix<double>& full, EntryError& result) {
  for (Index i = 0; i < full.rows(); ++i) {
    double squares = 0;
    for (Index j = 0; j < full.columns(); ++j) {
      const double error = std::abs(static_cast<double>(single(i, j)) - full(i, j));
      squares += error * error;
      result.worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(result.worst, error);
    }
    const double typical = std::sqrt(squares / static_cast<double>(full.columns()));
    result.typical = std::isnan(typical) ? std::numeric_limits<double>::infinity() : std::max(result.typical, typical);
  }
}

// What no float value is better than: half a unit in the last place of the largest.
EntryError rounding_of_float(double largest) {
  const double half_unit = largest * static_cast<double>(std::numeric_limits<float>::epsilon()) / 2;
  return {.typical = half_unit, .worst = half_unit, .largest = largest, .spread = largest};
}

// Σ_i ‖Φ(x_i) − mean‖² / n from all pairs of the rows.
double spread_of(const Matrix<double>& full) {
  const auto n = static_cast<double>(full.rows());
  double diagonal = 0;
  double all = 0;
  for (Index i = 0; i < full.rows(); ++i) {
    diagonal += full(i, i);
    for (Index j = 0; j < full.columns(); ++j) {
      all += full(i, j);
    }
  }
  return std::max(0.0, (diagonal - all / n) / n);
}

EntryError float_errors(const Kernel& kernel, const Samples& rows, const Samples& copies, const Matrix<double>& full,
                        const Run& run) {
  double largest = 0;
  for (Index i = 0; i < full.rows() * full.columns(); ++i) {
    largest = std::max(largest, std::abs(full.data()[i]));
  }
  // Whole numbers may be exact in float (rows of counts under a linear kernel); their products with coefficients are not.
  EntryError result = rounding_of_float(largest);
  result.spread = spread_of(full);
  try {
    add_errors(values_between<float>(kernel, rows, copies, run), full, result);
  } catch (const DataError&) {  // data or values beyond float: what is wrong in double too was thrown before
    result.typical = result.worst = std::numeric_limits<double>::infinity();
  } catch (const NumericalError&) {
    result.typical = result.worst = std::numeric_limits<double>::infinity();
  }
  return result;
}

}  // namespace

EntryErrors single_precision_errors(const Kernel& kernel, const Samples& samples, const Run& run) {
  const Run quiet = run.quiet();
  const KernelNode& node = kernel.node();
  // The nodes of a graph, the rows of a given matrix: values that are there already, of all samples or of none.
  const bool is_given = node.depends_on_reference() && node.depends_on_identity();
  const Samples rows =
      is_given ? samples
               : samples.select(telling_rows(samples, node.has_costly_pairs() ? costly_rows_to_try : rows_to_try));
  if (is_given || node.computes_in_double()) {
    const EntryError rounding = rounding_of_float(largest_diagonal(kernel, rows, quiet));
    return {rounding, rounding};
  }
  // The same rows as other samples: a query may equal a centre, and is not known to be it.
  const Samples copies(rows.rows());
  const Matrix<double> full = values_between<double>(kernel, rows, copies, quiet);
  return {float_errors(kernel, rows, copies, full, quiet),
          float_errors(kernel, to_precision<float>(rows), to_precision<float>(copies), full, quiet)};
}

bool single_precision_suffices(const EntryError& entry, std::span<const double> coefficients, double tolerance) {
  double squares = 0;
  double largest = 0;
  for (const double value : coefficients) {
    squares += value * value;
    largest = std::max(largest, std::abs(value));
  }
  return 8 * entry.typical * std::sqrt(squares) + entry.worst * largest <= tolerance;
}

}  // namespace mercer
