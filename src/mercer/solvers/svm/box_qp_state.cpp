#include "mercer/solvers/svm/box_qp_state.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
// Of coefficients, relative to the largest: pair steps add up to what a bound or the sum of a group leaves.
constexpr double rounding_of_sums = 1e-12;
}  // namespace

BoxQpState::BoxQpState(const BoxQp& problem, Index rows)
    : problem_(problem),
      rows_(rows),
      coefficients_(problem.start),
      offsets_(problem.linear),
      values_(static_cast<std::size_t>(rows), 0.0) {
  for (Index t = 0; t < variables(); ++t) {
    offsets_[at(t)] += ridge(t) * coefficient(t);
  }
}

void BoxQpState::set_coefficient(Index t, double coefficient) {
  offsets_[at(t)] += ridge(t) * (coefficient - coefficients_[at(t)]);
  coefficients_[at(t)] = coefficient;
}

std::vector<double> BoxQpState::row_sums() const {
  std::vector<double> sums(coefficients_.begin(), coefficients_.begin() + rows_);
  for (Index t = rows_; t < variables(); ++t) {
    sums[at(row_of(t))] += coefficient(t);
  }
  return sums;
}

BoxQpState::RowCoefficients BoxQpState::row_coefficients() const {
  RowCoefficients result;
  const std::vector<double> sums = row_sums();
  for (Index row = 0; row < rows_; ++row) {
    if (sums[at(row)] != 0) {
      result.rows.push_back(row);
      result.coefficients.push_back(sums[at(row)]);
    }
  }
  return result;
}

BoxQpState::Extremes BoxQpState::extremes(std::span<const Index> rows) const {
  Extremes result;
  result.smallest.fill(infinity);
  result.largest.fill(-infinity);
  for (Index block = 0; block < variables(); block += rows_) {
    for (const Index row : rows) {
      const Index t = block + row;
      const auto g = static_cast<std::size_t>(group(t));
      const double value = gradient(t);
      if (can_rise(t) && value < result.smallest[g]) {
        result.smallest[g] = value;
      }
      if (can_fall(t) && value > result.largest[g]) {
        result.largest[g] = value;
      }
    }
  }
  for (std::size_t g = 0; g < 2; ++g) {
    if (result.smallest[g] < infinity && result.largest[g] > -infinity) {
      result.gap = std::max(result.gap, result.largest[g] - result.smallest[g]);
    }
  }
  return result;
}

std::vector<Index> BoxQpState::unsettled(double margin) const {
  const std::array<double, 2> levels = {level(0), level(1)};
  std::vector<Index> result;
  for (Index row = 0; row < rows_; ++row) {
    for (Index t = row; t < variables(); t += rows_) {
      const double excess = gradient(t) - levels[group(t)];
      const bool rises = can_rise(t);
      const bool falls = can_fall(t);
      if ((rises && falls) || (rises && excess <= margin) || (falls && excess >= -margin)) {
        result.push_back(row);
        break;
      }
    }
  }
  return result;
}

// ½βᵀ(K + ridge)β + qᵀβ = ½ Σ β (g + q).
double BoxQpState::objective() const {
  double sum = 0;
  for (Index t = 0; t < variables(); ++t) {
    if (coefficient(t) != 0) {
      sum += 0.5 * coefficient(t) * (gradient(t) + problem_.linear[at(t)]);
    }
  }
  return sum;
}

BoxQpState::LevelRange BoxQpState::level_range(int group_number) const {
  double size = 0;
  for (const double beta : coefficients_) {
    size = std::max(size, std::abs(beta));
  }
  const double slack = rounding_of_sums * size;
  double sum = 0;
  Index count = 0;
  double smallest = infinity;
  double largest = -infinity;
  for (Index t = 0; t < variables(); ++t) {
    if (group(t) != group_number) {
      continue;
    }
    const bool rises = coefficient(t) < upper(t) - slack;
    const bool falls = coefficient(t) > lower(t) + slack;
    const double value = gradient(t);
    if (rises && falls) {
      sum += value;
      ++count;
    }
    smallest = rises ? std::min(smallest, value) : smallest;
    largest = falls ? std::max(largest, value) : largest;
  }
  if (count > 0) {
    const double level = sum / static_cast<double>(count);
    return {level, level};
  }
  return {largest, smallest};
}

double BoxQpState::level(int group_number) const {
  const auto [lowest, highest] = level_range(group_number);
  if (std::isinf(highest)) {
    return std::isinf(lowest) ? 0.0 : lowest;
  }
  return std::isinf(lowest) ? highest : (lowest + highest) / 2;
}

}  // namespace mercer
