// The improved Sheather-Jones bandwidth (Botev, Grotowski and Kroese, Kernel density estimation via diffusion, 2010).
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/smoothing/bandwidth_rules.h"

namespace mercer {

namespace {

constexpr double botev_margin = 0.5;  // of the range, on both sides
constexpr int botev_stages = 7;

// Squared cosine coefficients of the binned data, from the first on; the shares of all points sum to 1.
struct CosineSpectrum {
  std::vector<double> squares;
  double length = 0;    // of the grid
  double distinct = 0;  // values
};

CosineSpectrum cosine_spectrum(std::span<const double> values, std::span<const double> weights, Index nodes) {
  std::vector<double> sorted;
  double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    total += weight;
    if (weight > 0) {
      sorted.push_back(values[i]);
    }
  }
  std::sort(sorted.begin(), sorted.end());
  const double range = sorted.back() - sorted.front();
  CosineSpectrum result;
  result.distinct = static_cast<double>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
  result.length = (1 + 2 * botev_margin) * range;
  const double first = sorted.front() - botev_margin * range;
  const double step = result.length / static_cast<double>(nodes - 1);
  std::vector<double> bins(nodes, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double weight = (weights.empty() ? 1.0 : weights[i]) / total;
    if (weight > 0) {
      const double place = (values[i] - first) / step;
      const auto node = static_cast<std::size_t>(place);
      bins[node] += weight * (1 - (place - std::floor(place)));
      bins[node + 1] += weight * (place - std::floor(place));
    }
  }
  // 2 Σ b_m cos(π k (2m + 1) / (2 nodes)), over bins that hold something; angles are multiples of π / (2 nodes).
  std::vector<double> cosines(4 * nodes);
  for (Index a = 0; a < 4 * nodes; ++a) {
    cosines[a] = std::cos(std::numbers::pi * static_cast<double>(a) / (2 * static_cast<double>(nodes)));
  }
  std::vector<Index> filled;
  for (Index m = 0; m < nodes; ++m) {
    if (bins[m] > 0) {
      filled.push_back(m);
    }
  }
  for (Index k = 1; k < nodes; ++k) {
    double sum = 0;
    for (const Index m : filled) {
      sum += bins[m] * cosines[k * (2 * m + 1) % (4 * nodes)];
    }
    result.squares.push_back(4 * sum * sum);
  }
  return result;
}

// ‖f^(s)‖² of the data smoothed to time t.
double derivative_norm(const CosineSpectrum& spectrum, int s, double t) {
  double sum = 0;
  for (std::size_t k = 0; k < spectrum.squares.size(); ++k) {
    const double frequency = std::numbers::pi * static_cast<double>(k + 1);
    const double square = frequency * frequency;
    sum += std::exp(s * std::log(square) - square * t) * spectrum.squares[k];
  }
  return sum / 2;
}

// t − ξ γ^[stages](t).
double fixed_point_gap(const CosineSpectrum& spectrum, double t) {
  double norm = derivative_norm(spectrum, botev_stages, t);
  for (int s = botev_stages - 1; s >= 2; --s) {
    double odd_product = 1;
    for (int k = 1; k < 2 * s; k += 2) {
      odd_product *= k;
    }
    const double constant = (1 + std::pow(0.5, s + 0.5)) / 3;
    const double time = std::pow(
        2 * constant * odd_product / std::sqrt(2 * std::numbers::pi) / (spectrum.distinct * norm), 2.0 / (3 + 2 * s));
    norm = derivative_norm(spectrum, s, time);
  }
  return t - std::pow(2 * spectrum.distinct * std::sqrt(std::numbers::pi) * norm, -0.4);
}

}  // namespace

double improved_sheather_jones(std::span<const double> values, std::span<const double> weights, Index grid_points) {
  const CosineSpectrum spectrum = cosine_spectrum(values, weights, grid_points);
  // The smallest root: the gap is negative at 0; the interval grows until the gap changes its sign.
  double upper = 1e-11 + 1e-5 * (std::clamp(spectrum.distinct, 50.0, 1050.0) - 50);
  while (!(fixed_point_gap(spectrum, upper) > 0)) {
    upper *= 2;
    if (upper > 1) {
      throw DataError("bandwidth = isj finds no fixed point for " + std::to_string(values.size()) +
                      " rows with few distinct values: use silverman or likelihood");
    }
  }
  double lower = 0;
  for (int step = 0; step < 100 && upper - lower > 1e-15 * upper; ++step) {
    const double middle = (lower + upper) / 2;
    (fixed_point_gap(spectrum, middle) > 0 ? upper : lower) = middle;
  }
  return spectrum.length * std::sqrt((lower + upper) / 2);
}

}  // namespace mercer
