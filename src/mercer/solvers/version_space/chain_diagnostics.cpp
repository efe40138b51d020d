#include "mercer/solvers/version_space/chain_diagnostics.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace mercer {

namespace {

using Part = std::span<const double>;

std::vector<Part> halves_of(const std::vector<std::vector<double>>& chains) {
  std::vector<Part> parts;
  for (const std::vector<double>& chain : chains) {
    const std::size_t half = chain.size() / 2;
    parts.push_back(Part(chain).first(half));
    parts.push_back(Part(chain).last(half));
  }
  return parts;
}

double mean_of(Part values) {
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

double variance_about(double mean, Part values) {
  double sum = 0;
  for (const double value : values) {
    sum += (value - mean) * (value - mean);
  }
  return sum / (static_cast<double>(values.size()) - 1);
}

double squared_difference(const std::vector<Part>& parts, std::size_t lag) {
  double sum = 0;
  double count = 0;
  for (const Part part : parts) {
    for (std::size_t t = lag; t < part.size(); ++t) {
      sum += (part[t] - part[t - lag]) * (part[t] - part[t - lag]);
    }
    count += static_cast<double>(part.size() - lag);
  }
  return sum / count;
}

}  // namespace

ChainDiagnostics diagnose_chains(const std::vector<std::vector<double>>& chains) {
  const std::vector<Part> parts = halves_of(chains);
  const std::size_t length = parts.front().size();
  const double draws = static_cast<double>(length * parts.size());
  std::vector<double> means;
  double within = 0;
  double size = 0;
  for (const Part part : parts) {
    means.push_back(mean_of(part));
    within += variance_about(means.back(), part) / static_cast<double>(parts.size());
    size = std::max(size, std::abs(means.back()));
  }
  const double between = variance_about(mean_of(means), means);
  const double total = within * (1 - 1 / static_cast<double>(length)) + between;
  constexpr double rounding = 1e-12;
  if (total <= rounding * rounding * size * size) {
    return {.split_r_hat = 1, .effective_size = draws};
  }
  double correlations = 0;
  for (std::size_t lag = 1; lag + 1 < length; lag += 2) {
    const double pair = 2 - (squared_difference(parts, lag) + squared_difference(parts, lag + 1)) / (2 * total);
    if (pair <= 0) {
      break;
    }
    correlations += pair;
  }
  return {.split_r_hat = std::sqrt(total / within), .effective_size = std::min(draws, draws / (1 + 2 * correlations))};
}

}  // namespace mercer
