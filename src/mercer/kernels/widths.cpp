#include "mercer/kernels/widths.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/median.h"
#include "mercer/base/parallel.h"
#include "mercer/base/power_of_two.h"
#include "mercer/base/random.h"
#include "mercer/data/columns.h"
#include "mercer/kernels/algebra/if_present.h"
#include "mercer/kernels/fitting_kernels.h"
#include "mercer/kernels/kernel_node.h"

namespace mercer {

namespace {

// With 1000 rows there are half a million pairs: the median is then known to about 0.2 % of the ranks.
constexpr Index median_rows = 1000;
constexpr Index rows_per_block = 4096;
constexpr std::uint64_t median_stream = 0x776964746873;  // apart from the streams that solvers number from 0

// Calls use(value) for every stored value of row i.
template <class T, class Use>
void for_each_stored(const DenseRows<T>& rows, Index i, Use use) {
  for (Index j = 0; j < rows.columns; ++j) {
    use(static_cast<double>(rows(i, j)));
  }
}
template <class T, class Use>
void for_each_stored(const SparseRows<T>& rows, Index i, Use use) {
  for (std::int64_t p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p) {
    use(static_cast<double>(rows.values[p]));
  }
}

template <class T>
Index stored_count(const DenseRows<T>& rows, IndexRange range) {
  return range.size() * rows.columns;
}
template <class T>
Index stored_count(const SparseRows<T>& rows, IndexRange range) {
  return rows.offsets[range.end] - rows.offsets[range.begin];
}

// Zeros of these rows that are not stored, counted by the weights of their rows.
template <class Rows>
double weight_of_zeros(const Rows& rows, const WeightedSamples& all, IndexRange range) {
  const auto zeros = [&](IndexRange part) {
    return static_cast<double>(part.size() * rows.columns - stored_count(rows, part));
  };
  if (all.weights.empty()) {
    return zeros(range);
  }
  double sum = 0;
  for (Index i = range.begin; i < range.end; ++i) {
    sum += all.weight(i) * zeros({i, i + 1});
  }
  return sum;
}

// Σ w term(x) over all entries, zeros that are not stored included.
template <class Rows, class Term>
double sum_over_entries(const Rows& rows, const WeightedSamples& all, const Run& run, Term term) {
  return sum_in_order(run, block_count(rows.rows, rows_per_block), [&](Index b) {
    const IndexRange range = block_range(rows.rows, rows_per_block, b);
    double sum = 0;
    for (Index i = range.begin; i < range.end; ++i) {
      const double weight = all.weight(i);
      for_each_stored(rows, i, [&](double x) { sum += weight * term(x); });
    }
    const double zeros = weight_of_zeros(rows, all, range);
    return zeros > 0 ? sum + zeros * term(0.0) : sum;
  });
}

// Some entry of the samples.
template <class T>
double first_entry(const DenseRows<T>& rows) {
  return static_cast<double>(rows(0, 0));
}
template <class T>
double first_entry(const SparseRows<T>& rows) {
  return stored_count(rows, {0, rows.rows}) == rows.rows * rows.columns
             ? static_cast<double>(rows.values[rows.offsets[0]])
             : 0.0;
}

// Two passes. Deviations are taken from one of the entries first, so that the variance of constant data is exactly 0. In
// units of `unit`.
template <class Rows>
double variance(const Rows& rows, const WeightedSamples& all, double unit, const Run& run) {
  const double count = all.total() * static_cast<double>(rows.columns);
  const double origin = first_entry(rows);
  const double mean = origin + sum_over_entries(rows, all, run, [=](double x) { return x - origin; }) / count;
  return sum_over_entries(rows, all, run, [=](double x) { return (x - mean) / unit * ((x - mean) / unit); }) / count;
}

template <class T>
double squared_distance(const DenseRows<T>& rows, Index i, Index k, double unit) {
  double sum = 0;
  for (Index j = 0; j < rows.columns; ++j) {
    const double difference = (static_cast<double>(rows(i, j)) - static_cast<double>(rows(k, j))) / unit;
    sum += difference * difference;
  }
  return sum;
}
template <class T>
double squared_distance(const SparseRows<T>& rows, Index i, Index k, double unit) {
  double sum = 0;
  std::int64_t a = rows.offsets[i];
  std::int64_t b = rows.offsets[k];
  const std::int64_t a_end = rows.offsets[i + 1];
  const std::int64_t b_end = rows.offsets[k + 1];
  while (a < a_end || b < b_end) {
    const bool from_a = b == b_end || (a < a_end && rows.column_numbers[a] <= rows.column_numbers[b]);
    const bool from_b = a == a_end || (b < b_end && rows.column_numbers[b] <= rows.column_numbers[a]);
    const double x = from_a ? static_cast<double>(rows.values[a++]) : 0.0;
    const double y = from_b ? static_cast<double>(rows.values[b++]) : 0.0;
    sum += (x - y) / unit * ((x - y) / unit);
  }
  return sum;
}

// Position of the pair (i, k), k < i, among all pairs.
std::size_t pair_number(Index i, Index k) { return static_cast<std::size_t>(i * (i - 1) / 2 + k); }

// The median of the positive ones of the distances of all pairs, each of the weight w_i·w_k; 0 if there are none.
double median_of_pairs(std::vector<double> distances, const WeightedSamples& all) {
  if (all.weights.empty()) {
    std::erase(distances, 0.0);
    return distances.empty() ? 0.0 : median_of(std::move(distances));
  }
  std::vector<std::pair<double, double>> counted;
  for (Index i = 0; i < all.samples.size(); ++i) {
    for (Index k = 0; k < i; ++k) {
      const double distance = distances[pair_number(i, k)];
      const double weight = all.weight(i) * all.weight(k);
      if (distance > 0 && weight > 0) {
        counted.emplace_back(distance, weight);
      }
    }
  }
  return counted.empty() ? 0.0 : weighted_median_of(std::move(counted));
}

// Over pairs whose rows differ.
template <class Rows>
double median_squared_distance(const Rows& rows, const WeightedSamples& all, double unit, const Run& run) {
  const Index n = rows.rows;
  std::vector<double> distances(n * (n - 1) / 2);
  parallel_for(run, n, [&](Index i) {
    for (Index k = 0; k < i; ++k) {
      distances[pair_number(i, k)] = squared_distance(rows, i, k, unit);
    }
  });
  // NaN would leave nth_element without an order to go by.
  if (std::any_of(distances.begin(), distances.end(), [](double d) { return std::isnan(d); })) {
    return std::nan("");
  }
  return median_of_pairs(std::move(distances), all);
}

// Calls use(j, value) for every stored value of row i.
template <class T, class Use>
void for_each_stored_column(const DenseRows<T>& rows, Index i, Use use) {
  for (Index j = 0; j < rows.columns; ++j) {
    use(j, static_cast<double>(rows(i, j)));
  }
}
template <class T, class Use>
void for_each_stored_column(const SparseRows<T>& rows, Index i, Use use) {
  for (std::int64_t p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p) {
    use(static_cast<Index>(rows.column_numbers[p]), static_cast<double>(rows.values[p]));
  }
}

// Var_j = mean (x_j − c_j)² − (mean (x_j − c_j))², means weighted, with c the first row, so that constant columns give exactly 0.
std::vector<double> column_variances(const WeightedSamples& numeric) {
  const auto d = static_cast<std::size_t>(numeric.samples.columns());
  std::vector<double> variances(d, 0.0);
  visit_numeric(numeric.samples, [&](const auto& rows) {
    std::vector<double> origin(d, 0.0);
    if (rows.rows > 0) {
      for_each_stored_column(rows, 0, [&](Index j, double x) { origin[j] = x; });
    }
    std::vector<double> sums(d, 0.0);
    std::vector<double> squares(d, 0.0);
    std::vector<double> row(d);
    for (Index i = 0; i < rows.rows; ++i) {
      std::ranges::fill(row, 0.0);
      for_each_stored_column(rows, i, [&](Index j, double x) { row[j] = x; });
      for (std::size_t j = 0; j < d; ++j) {
        const double deviation = row[j] - origin[j];
        sums[j] += numeric.weight(i) * deviation;
        squares[j] += numeric.weight(i) * deviation * deviation;
      }
    }
    const double n = rows.rows > 0 ? numeric.total() : 1.0;
    for (std::size_t j = 0; j < d; ++j) {
      variances[j] = std::max(0.0, squares[j] / n - sums[j] / n * (sums[j] / n));
    }
  });
  return variances;
}

double largest_entry(const Samples& samples) {
  return visit_numeric(samples, [](const auto& rows) {
    double largest = 0;
    for (Index i = 0; i < rows.rows; ++i) {
      for_each_stored(rows, i, [&](double x) { largest = std::max(largest, std::abs(x)); });
    }
    return largest;
  });
}

// Of many rows a seeded choice, with their weights.
double median_squared_width(const WeightedSamples& all, double unit, const Run& run) {
  const auto of_rows = [&](const WeightedSamples& some) {
    return visit_numeric(some.samples,
                         [&](const auto& rows) { return median_squared_distance(rows, some, unit, run); });
  };
  if (all.samples.size() <= median_rows) {
    return of_rows(all);
  }
  RandomStream random(run.seed(), median_stream);
  const std::vector<Index> chosen = sample_without_replacement(random, all.samples.size(), median_rows);
  const std::vector<double> weights = select_weights(all.weights, chosen);
  return of_rows({all.samples.select(chosen), weights});
}

// In units of unit².
double squared_width(WidthRule rule, const WeightedSamples& all, double unit, const Run& run) {
  const auto columns = static_cast<double>(all.samples.columns());
  switch (rule) {
    case WidthRule::automatic:
      return columns;
    case WidthRule::scale:
      return columns * visit_numeric(all.samples, [&](const auto& rows) { return variance(rows, all, unit, run); });
    default:
      return median_squared_width(all, unit, run);
  }
}

}  // namespace

double width_gamma(WidthRule rule, const WeightedSamples& all, const Run& run) {
  if (rule == WidthRule::none || rule == WidthRule::per_column) {
    throw InvalidArgument("width rule: must be scale, auto or median");
  }
  const Samples numeric = default_columns(all.samples);
  if (!numeric.is_numeric()) {
    throw InvalidArgument("gamma = scale, auto and median need numeric columns, these samples are of kind '" +
                          std::string(to_string(numeric.kind())) +
                          "'; kernels for these: " + std::string(fitting_kernels(numeric.kind())) +
                          ". Numeric columns of a table are chosen with a subscript, as in rbf()[age, 0:3]");
  }
  if (numeric.size() == 0 || numeric.columns() == 0) {
    return 1;
  }
  const WeightedSamples counted = all.with(numeric);
  const double width = squared_width(rule, counted, 1, run);
  // Numbers that are all the same have any width; those whose squares vanish have one that is out of range.
  if (width == 0 && squared_width(rule, counted, power_of_two_near(largest_entry(numeric)), run) == 0) {
    return 1;
  }
  const double gamma = 1 / width;
  if (!(gamma > 0) || std::isinf(gamma)) {
    require_finite(numeric);
    throw NumericalError("the width that " + to_string(ParameterValue::of_width(rule)) +
                         " takes from these data is out of range: scale the data, or give gamma as a number");
  }
  return gamma;
}

std::vector<double> column_lengthscales(const WeightedSamples& all, const Run& run) {
  const double shared = 1 / std::sqrt(2 * width_gamma(WidthRule::scale, all, run));
  const WeightedSamples numeric = all.with(default_columns(all.samples));
  const Index d = numeric.samples.columns();
  const std::vector<double> variances = column_variances(numeric);
  std::vector<double> lengthscales;
  for (Index j = 0; j < d; ++j) {
    const double own = std::sqrt(static_cast<double>(d) * variances[j] / 2);
    lengthscales.push_back(own > 0 && std::isfinite(own) ? own : shared);
  }
  return lengthscales;
}

Kernel resolve_widths(const Kernel& kernel, const WeightedSamples& all, const Run& run) {
  // if_present() on several columns becomes one on each.
  return kernel.is_resolved() && !takes_missing(kernel) ? kernel : Kernel(kernel.node().resolved(all, run));
}

}  // namespace mercer
