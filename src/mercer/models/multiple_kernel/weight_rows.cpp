#include "mercer/models/multiple_kernel/weight_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "mercer/base/random.h"

namespace mercer {

namespace {

constexpr std::uint64_t weight_rows_stream = 0x6d6b6c;
constexpr Index least_rows_of_a_class = 50;

struct ClassQuota {
  std::vector<Index> members;  // its rows
  Index drawn = 0;
  double remainder = 0;
};

std::vector<ClassQuota> members_of_classes(std::span<const std::int32_t> classes, Index rows) {
  std::map<std::int32_t, std::vector<Index>> members;
  for (Index i = 0; i < rows; ++i) {
    members[classes.empty() ? 0 : classes[i]].push_back(i);
  }
  std::vector<ClassQuota> quotas;
  for (auto& [code, own] : members) {
    quotas.push_back({std::move(own)});
  }
  return quotas;
}

// Classes whose proportional part would be below the least have the least; the others share the rest in proportion.
// Giving classes the least makes the rest smaller, so that others may fall below it: from the smallest class up.
void set_quotas(std::vector<ClassQuota>& quotas, Index rows, Index wanted) {
  std::stable_sort(quotas.begin(), quotas.end(),
                   [](const ClassQuota& a, const ClassQuota& b) { return a.members.size() < b.members.size(); });
  const Index room = std::min(least_rows_of_a_class, wanted / static_cast<Index>(quotas.size()));
  Index rest = wanted;
  Index rest_rows = rows;
  auto proportional = quotas.begin();
  for (; proportional != quotas.end(); ++proportional) {
    const auto size = static_cast<Index>(proportional->members.size());
    const Index least = std::min(size, room);
    if (static_cast<double>(rest) * static_cast<double>(size) >=
        static_cast<double>(least) * static_cast<double>(rest_rows)) {
      break;
    }
    proportional->drawn = least;
    rest -= least;
    rest_rows -= size;
  }
  // Whole parts first, then one more for the largest remainders.
  Index left = rest;
  for (auto quota = proportional; quota != quotas.end(); ++quota) {
    const double part =
        static_cast<double>(rest) * static_cast<double>(quota->members.size()) / static_cast<double>(rest_rows);
    quota->drawn = static_cast<Index>(std::floor(part));
    quota->remainder = part - std::floor(part);
    left -= quota->drawn;
  }
  std::stable_sort(proportional, quotas.end(),
                   [](const ClassQuota& a, const ClassQuota& b) { return a.remainder > b.remainder; });
  for (auto quota = proportional; quota != quotas.end() && left > 0; ++quota, --left) {
    ++quota->drawn;
  }
}

double weight_at(std::span<const double> weights, Index row) { return weights.empty() ? 1.0 : weights[row]; }

double total_weight(std::span<const double> weights, std::span<const Index> rows) {
  return std::accumulate(rows.begin(), rows.end(), 0.0,
                         [&](double sum, Index row) { return sum + weight_at(weights, row); });
}

WeightRows draw_rows(Index wanted, const Samples& samples, std::span<const double> weights,
                     std::span<const std::int32_t> classes, std::uint64_t seed) {
  std::vector<ClassQuota> quotas = members_of_classes(classes, samples.size());
  set_quotas(quotas, samples.size(), wanted);
  RandomStream random(seed, weight_rows_stream);
  std::vector<std::pair<Index, double>> drawn;  // row, all its class weighs over what is drawn of it
  for (const ClassQuota& quota : quotas) {
    std::vector<Index> rows = sample_without_replacement(random, static_cast<Index>(quota.members.size()), quota.drawn);
    std::transform(rows.begin(), rows.end(), rows.begin(), [&](Index member) { return quota.members[member]; });
    const double factor = total_weight(weights, quota.members) / total_weight(weights, rows);
    for (const Index row : rows) {
      drawn.emplace_back(row, factor);
    }
  }
  std::sort(drawn.begin(), drawn.end());
  WeightRows result;
  double own = 0;
  double all = 0;
  for (const auto& [row, factor] : drawn) {
    result.numbers.push_back(row);
    own += weight_at(weights, row);
    all += factor * weight_at(weights, row);
  }
  result.share = own / all;
  for (const auto& [row, factor] : drawn) {
    result.weights.push_back(result.share * factor * weight_at(weights, row));
  }
  result.samples = samples.select(result.numbers);
  return result;
}

}  // namespace

WeightRows choose_weight_rows(Index most, const Samples& samples, std::span<const double> weights,
                              std::span<const std::int32_t> classes, const Run& run) {
  const Index n = samples.size();
  if (most > 0 && most < n) {
    return draw_rows(most, samples, weights, classes, run.seed());
  }
  WeightRows rows{std::vector<Index>(n), samples, {}};
  std::iota(rows.numbers.begin(), rows.numbers.end(), Index{0});
  for (Index i = 0; i < n; ++i) {
    rows.weights.push_back(weight_at(weights, i));
  }
  return rows;
}

}  // namespace mercer
