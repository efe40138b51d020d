#include "mercer/data/scaling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/text.h"
#include "mercer/data/weighted_quantile.h"

namespace mercer {

namespace {

constexpr std::string_view allowed = "none, standard, deviation, maxabs, robust or minmax:LOW,HIGH";

// Calls visit(column, value) for every stored value of row i; NaN stands for a missing value and is passed over.
template <class T, class Visit>
void for_each_value(const DenseRows<T>& rows, Index i, const Visit& visit) {
  for (Index j = 0; j < rows.columns; ++j) {
    if (const auto value = static_cast<double>(rows(i, j)); !std::isnan(value)) {
      visit(static_cast<std::size_t>(j), value);
    }
  }
}

template <class T, class Visit>
void for_each_value(const SparseRows<T>& rows, Index i, const Visit& visit) {
  for (Index p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p) {
    visit(static_cast<std::size_t>(rows.column_numbers[p]), static_cast<double>(rows.values[p]));
  }
}

// Values of dense rows that were not visited are missing; those of sparse rows are zeros.
template <class T>
constexpr bool unvisited_are_zeros(const DenseRows<T>& /*rows*/) {
  return false;
}
template <class T>
constexpr bool unvisited_are_zeros(const SparseRows<T>& /*rows*/) {
  return true;
}

// Rows of weight 0 are not there.
struct Extremes {
  std::vector<double> low;
  std::vector<double> high;
  std::vector<double> stored;  // weight of the values visited
  std::vector<double> zeros;   // and of the zeros that are not stored
};

template <class R>
Extremes extremes_of(const R& rows, const WeightedSamples& all, std::span<const Index> counted) {
  const auto d = static_cast<std::size_t>(rows.columns);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Extremes extremes{std::vector<double>(d, infinity), std::vector<double>(d, -infinity), std::vector<double>(d, 0),
                    std::vector<double>(d, 0)};
  std::vector<std::size_t> visited(d, 0);
  for (const Index i : counted) {
    const double weight = all.weight(i);
    for_each_value(rows, i, [&](std::size_t j, double x) {
      extremes.low[j] = std::min(extremes.low[j], x);
      extremes.high[j] = std::max(extremes.high[j], x);
      extremes.stored[j] += weight;
      ++visited[j];
    });
  }
  const double total = all.total();
  for (std::size_t j = 0; j < d; ++j) {
    // Whether there are zeros is counted: a difference of weights may be one of rounding.
    const bool has_zeros = unvisited_are_zeros(rows) && visited[j] < counted.size();
    extremes.zeros[j] = has_zeros ? std::max(0.0, total - extremes.stored[j]) : 0;
    if (has_zeros || visited[j] == 0) {
      extremes.low[j] = std::min(extremes.low[j], 0.0);
      extremes.high[j] = std::max(extremes.high[j], 0.0);
    }
  }
  return extremes;
}

// 1 for a column that does not vary; values that do, and cannot be divided by, would be lost without a word.
double inverse_or_one(double value, std::size_t column) {
  const double inverse = 1 / value;
  if (value > 0 && std::isinf(inverse)) {
    throw DataError("the values of numeric column " + std::to_string(column) + " (counted from 0) vary by " +
                    shortest(value) +
                    ", too little to be scaled by: multiply the column by some number, or leave it out");
  }
  return value > 0 && std::isfinite(inverse) ? inverse : 1;
}

struct Moments {
  std::vector<double> mean;
  std::vector<double> deviation;
};

// Values are taken relative to the column's middle and divided by its half range: nothing overflows, and a column
// far from 0 loses no digits. Variances divide by Σw: a common factor of the weights changes nothing.
template <class R>
Moments moments_of(const R& rows, const WeightedSamples& all, std::span<const Index> counted) {
  const Extremes extremes = extremes_of(rows, all, counted);
  const auto d = static_cast<std::size_t>(rows.columns);
  std::vector<double> middle(d);
  std::vector<double> half(d);
  for (std::size_t j = 0; j < d; ++j) {
    middle[j] = extremes.low[j] / 2 + extremes.high[j] / 2;
    half[j] = extremes.high[j] / 2 - extremes.low[j] / 2;
  }
  const auto relative = [&](std::size_t j, double x) { return half[j] > 0 ? (x - middle[j]) / half[j] : 0; };
  const auto count = [&](std::size_t j) {
    const double sum = extremes.stored[j] + extremes.zeros[j];
    return sum > 0 ? sum : 1.0;
  };
  Moments moments{std::vector<double>(d, 0), std::vector<double>(d, 0)};
  for (const Index i : counted) {
    const double weight = all.weight(i);
    for_each_value(rows, i, [&](std::size_t j, double x) { moments.mean[j] += weight * relative(j, x); });
  }
  for (std::size_t j = 0; j < d; ++j) {
    moments.mean[j] = (moments.mean[j] + extremes.zeros[j] * relative(j, 0)) / count(j);
  }
  std::vector<double> squares(d, 0);
  for (const Index i : counted) {
    const double weight = all.weight(i);
    for_each_value(rows, i, [&](std::size_t j, double x) {
      const double distance = relative(j, x) - moments.mean[j];
      squares[j] += weight * distance * distance;
    });
  }
  for (std::size_t j = 0; j < d; ++j) {
    const double distance = relative(j, 0) - moments.mean[j];
    moments.deviation[j] = half[j] * std::sqrt((squares[j] + extremes.zeros[j] * distance * distance) / count(j));
    moments.mean[j] = half[j] > 0 ? middle[j] + half[j] * moments.mean[j] : extremes.low[j];
  }
  return moments;
}

// Deviations serve columns half of whose rows hold one value.
template <class R>
void fit_quartiles(Scaling& scaling, const R& rows, const WeightedSamples& all, std::span<const Index> counted) {
  const Moments moments = moments_of(rows, all, counted);
  for (Index j = 0; j < rows.columns; ++j) {
    std::vector<WeightedValue> column;
    for (const Index i : counted) {
      if (const auto value = static_cast<double>(rows(i, j)); !std::isnan(value)) {
        column.push_back({value, all.weight(i)});
      }
    }
    if (column.empty()) {
      continue;
    }
    sort_by_value(column);
    // Halves: the range may exceed the largest double.
    const double half = weighted_quantile(column, 0.75) / 2 - weighted_quantile(column, 0.25) / 2;
    scaling.offset[j] = weighted_quantile(column, 0.5);
    scaling.factor[j] = half > 0 ? inverse_or_one(half, static_cast<std::size_t>(j)) / 2
                                 : inverse_or_one(moments.deviation[j], static_cast<std::size_t>(j));
  }
}

template <class R>
void fit_columns(Scaling& scaling, const R& rows, const WeightedSamples& all) {
  const std::vector<Index> counted = counted_row_numbers(all, "scaling");
  const auto d = static_cast<std::size_t>(rows.columns);
  scaling.offset.assign(d, 0);
  scaling.factor.assign(d, 1);
  if (scaling.rule.kind == ScalingKind::standard || scaling.rule.kind == ScalingKind::deviation) {
    const Moments moments = moments_of(rows, all, counted);
    for (std::size_t j = 0; j < d; ++j) {
      scaling.factor[j] = inverse_or_one(moments.deviation[j], j);
      scaling.offset[j] = scaling.rule.kind == ScalingKind::standard ? moments.mean[j] : 0;
    }
    return;
  }
  if (scaling.rule.kind == ScalingKind::robust) {
    if constexpr (requires { rows.column_stride; }) {
      fit_quartiles(scaling, rows, all, counted);
    }
    return;
  }
  const Extremes extremes = extremes_of(rows, all, counted);
  const bool minmax = scaling.rule.kind == ScalingKind::minmax;
  for (std::size_t j = 0; j < d; ++j) {
    if (minmax) {
      // Halves: the range of a column may exceed the largest double.
      const double inverse = inverse_or_one(extremes.high[j] / 2 - extremes.low[j] / 2, j);
      const bool constant = extremes.high[j] <= extremes.low[j];
      scaling.offset[j] = extremes.low[j];
      scaling.factor[j] = constant ? 1 : (scaling.rule.high - scaling.rule.low) / 2 * inverse;
    } else {
      scaling.factor[j] = inverse_or_one(std::max(std::abs(extremes.low[j]), std::abs(extremes.high[j])), j);
    }
  }
  scaling.base = minmax ? scaling.rule.low : 0;
}

void require_sparse_rule(const ScalingRule& rule) {
  if (rule.kind == ScalingKind::standard || rule.kind == ScalingKind::minmax || rule.kind == ScalingKind::robust) {
    throw InvalidArgument("scaling '" + to_string(rule) +
                          "' would make sparse samples dense; use maxabs or deviation, which keep zeros, or convert "
                          "the samples to dense first");
  }
}

// The block that is scaled: the samples themselves, or a table's numeric columns.
const Samples* numeric_block(const Samples& samples) {
  if (samples.is_numeric()) {
    return &samples;
  }
  return samples.kind() == SampleKind::table ? &samples.table().numeric() : nullptr;
}

constexpr Index rows_per_task = 1024;

template <class T>
Samples scaled(const DenseRows<T>& rows, const Scaling& scaling, const Run& run) {
  Matrix<T> result(rows.rows, rows.columns);
  parallel_for(run, block_count(rows.rows, rows_per_task), [&](Index b) {
    const IndexRange range = block_range(rows.rows, rows_per_task, b);
    for (Index i = range.begin; i < range.end; ++i) {
      for (Index j = 0; j < rows.columns; ++j) {
        const auto c = static_cast<std::size_t>(j);
        result(i, j) =
            static_cast<T>(scaling.base + (static_cast<double>(rows(i, j)) - scaling.offset[c]) * scaling.factor[c]);
      }
    }
  });
  return make_dense(std::move(result));
}

template <class T>
Samples scaled(const Samples& samples, const SparseRows<T>& rows, const Scaling& scaling, const Run& run) {
  require_sparse_rule(scaling.rule);
  struct Memory {
    Buffer<T> values;
    Samples structure;  // owns the column numbers and offsets, which are shared
  };
  const std::int64_t first = rows.rows > 0 ? rows.offsets[0] : 0;
  const std::int64_t last = rows.rows > 0 ? rows.offsets[rows.rows] : 0;
  const auto memory = std::make_shared<Memory>(Memory{Buffer<T>(last), samples});
  constexpr Index values_per_task = Index{1} << 16;
  parallel_for(run, block_count(last - first, values_per_task), [&](Index b) {
    const IndexRange range = block_range(last - first, values_per_task, b);
    for (Index p = first + range.begin; p < first + range.end; ++p) {
      const auto c = static_cast<std::size_t>(rows.column_numbers[p]);
      memory->values.data()[p] = static_cast<T>(static_cast<double>(rows.values[p]) * scaling.factor[c]);
    }
  });
  SparseRows<T> view = rows;
  view.values = memory->values.data();
  return Samples(view, memory);
}

Samples scaled_block(const Samples& block, const Scaling& scaling, const Run& run) {
  if (block.columns() != static_cast<Index>(scaling.factor.size())) {
    throw InvalidArgument("samples of " + std::to_string(block.columns()) +
                          " numeric columns cannot be scaled like those of " + std::to_string(scaling.factor.size()));
  }
  return std::visit(
      [&]<class R>(const R& rows) -> Samples {
        if constexpr (requires { rows.column_stride; }) {
          return scaled(rows, scaling, run);
        } else if constexpr (requires { rows.column_numbers; }) {
          return scaled(block, rows, scaling, run);
        } else {
          return block;
        }
      },
      block.rows());
}

// x' = base + (x - base)·1
void leave_indicators(Scaling& scaling, Index count) {
  std::fill(scaling.offset.end() - count, scaling.offset.end(), scaling.base);
  std::fill(scaling.factor.end() - count, scaling.factor.end(), 1.0);
}

}  // namespace

ScalingRule parse_scaling(std::string_view text) {
  if (text == "none") {
    return {ScalingKind::none};
  }
  if (text == "standard") {
    return {ScalingKind::standard};
  }
  if (text == "deviation") {
    return {ScalingKind::deviation};
  }
  if (text == "maxabs") {
    return {ScalingKind::maxabs};
  }
  if (text == "robust") {
    return {ScalingKind::robust};
  }
  if (text == "minmax") {
    return {ScalingKind::minmax};
  }
  if (text.starts_with("minmax:")) {
    const auto parts = split(text.substr(7), ',');
    if (parts.size() == 2) {
      const auto low = parse_double(trim(parts[0]));
      const auto high = parse_double(trim(parts[1]));
      if (low && high && std::isfinite(*low) && std::isfinite(*high) && *low < *high) {
        return {ScalingKind::minmax, *low, *high};
      }
    }
    reject_argument("scaling", text, "minmax:LOW,HIGH with two finite numbers, LOW < HIGH");
  }
  reject_argument("scaling", text, allowed);
}

std::string to_string(const ScalingRule& rule) {
  switch (rule.kind) {
    case ScalingKind::none:
      return "none";
    case ScalingKind::standard:
      return "standard";
    case ScalingKind::deviation:
      return "deviation";
    case ScalingKind::maxabs:
      return "maxabs";
    case ScalingKind::robust:
      return "robust";
    case ScalingKind::minmax:
      return "minmax:" + shortest(rule.low) + "," + shortest(rule.high);
  }
  return "none";
}

ScalingRule default_scaling(const Samples& samples) {
  const Samples* block = numeric_block(samples);
  if (block == nullptr || block->columns() == 0) {
    return {ScalingKind::none};
  }
  return {block->kind() == SampleKind::dense ? ScalingKind::standard : ScalingKind::maxabs};
}

Scaling fit_scaling(const ScalingRule& rule, const WeightedSamples& all) {
  Scaling scaling;
  scaling.rule = rule;
  const Samples* block = numeric_block(all.samples);
  if (rule.kind == ScalingKind::none || block == nullptr) {
    scaling.rule.kind = ScalingKind::none;
    return scaling;
  }
  if (block->kind() == SampleKind::sparse) {
    require_sparse_rule(rule);
  }
  if (block->size() == 0) {
    throw InvalidArgument("scaling cannot be fitted: there are no samples");
  }
  std::visit(
      [&](const auto& rows) {
        if constexpr (requires { rows.columns; }) {
          fit_columns(scaling, rows, all);
        }
      },
      block->rows());
  if (all.samples.kind() == SampleKind::table) {
    leave_indicators(scaling, all.samples.table().indicators());
  }
  return scaling;
}

double Scaling::density_factor(Index column) const { return factor.empty() ? 1 : std::abs(factor[column]); }

void Scaling::undo(MatrixView<double> scaled) const {
  if (rule.kind == ScalingKind::none) {
    return;
  }
  if (scaled.columns() != static_cast<Index>(factor.size())) {
    throw InvalidArgument("the scaling is of " + std::to_string(factor.size()) + " columns, not of " +
                          std::to_string(scaled.columns()));
  }
  for (Index i = 0; i < scaled.rows(); ++i) {
    for (Index j = 0; j < scaled.columns(); ++j) {
      const auto column = static_cast<std::size_t>(j);
      scaled(i, j) = offset[column] + (scaled(i, j) - base) / factor[column];
    }
  }
}

Samples Scaling::apply(const Samples& samples, const Run& run) const {
  const Samples* block = numeric_block(samples);
  if (rule.kind == ScalingKind::none || block == nullptr) {
    return samples;
  }
  const Samples result = scaled_block(*block, *this, run);
  if (samples.kind() != SampleKind::table) {
    return result.with_identity_of(samples);
  }
  return make_table(samples.table().with(result)).with_identity_of(samples);
}

}  // namespace mercer
