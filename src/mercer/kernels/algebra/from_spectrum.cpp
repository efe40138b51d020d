#include "mercer/kernels/algebra/from_spectrum.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/algebra/custom.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

constexpr double pi = std::numbers::pi;

void require_range(double cutoff, int points) {
  if (!(cutoff > 0) || !std::isfinite(cutoff)) {
    reject_argument("from_spectrum: cutoff", cutoff, "a positive number");
  }
  if (points < 1) {
    reject_argument("from_spectrum: points", points, "at least 1");
  }
}

double require_density(double value, const std::string& frequency) {
  if (!(value >= 0) || !std::isfinite(value)) {
    throw InvalidArgument("from_spectrum: the density is " + shortest(value) + " at frequency " + frequency +
                          ": it must be finite and not negative");
  }
  return value;
}

void require_some(bool some, double cutoff) {
  if (!some) {
    throw InvalidArgument("from_spectrum: the density vanishes at every frequency up to the cutoff " +
                          shortest(cutoff));
  }
}

struct Node {
  double place;
  double weight;
};

// Gauss's rule on −1 … 1: the roots of the Legendre polynomial by Newton's method.
std::vector<Node> gauss_rule(int size) {
  std::vector<Node> rule;
  for (int i = 0; i < size; ++i) {
    double x = std::cos(pi * (i + 0.75) / (size + 0.5));
    double slope = 0;
    for (int step = 0; step < 6; ++step) {
      double below = 1;
      double current = x;
      for (int n = 2; n <= size; ++n) {
        const double next = ((2 * n - 1) * x * current - (n - 1) * below) / n;
        below = current;
        current = next;
      }
      slope = size * (x * current - below) / (x * x - 1);
      x -= current / slope;
    }
    rule.push_back({x, 2 / ((1 - x * x) * slope * slope)});
  }
  return rule;
}

// `points` nodes on 0 … end.
std::vector<Node> panel_rule(double end, int points) {
  constexpr int largest_panel = 16;
  const int panels = (points + largest_panel - 1) / largest_panel;
  std::vector<Node> nodes;
  for (int p = 0; p < panels; ++p) {
    const int size = points / panels + (p < points % panels ? 1 : 0);
    const double half = end * size / points / 2;
    const double begin = nodes.empty() ? 0.0 : end * static_cast<double>(nodes.size()) / points;
    for (const Node& node : gauss_rule(size)) {
      nodes.push_back({begin + half * (1 + node.place), half * node.weight});
    }
  }
  return nodes;
}

struct Wave {
  std::vector<double> frequency;
  double weight;
};

// The grid without its mirror image: of ω and −ω the one whose first component that is not 0 is positive, with the weight
// of both.
std::vector<Wave> grid_waves(const std::function<double(std::span<const double>)>& density,
                             const std::vector<double>& cutoffs, int points) {
  std::vector<Wave> waves;
  std::vector<int> place(cutoffs.size(), -points);
  std::vector<double> frequency(cutoffs.size());
  std::vector<double> mirrored(cutoffs.size());
  while (true) {
    const auto first = std::find_if(place.begin(), place.end(), [](int at) { return at != 0; });
    if (first == place.end() || *first > 0) {
      double weight = first == place.end() ? 0.5 : 1.0;
      std::string text;
      for (std::size_t c = 0; c < cutoffs.size(); ++c) {
        const double step = cutoffs[c] / points;
        frequency[c] = place[c] * step;
        weight *= step / std::sqrt(2 * pi) * (std::abs(place[c]) == points ? 0.5 : 1.0);
      }
      for (const double component : frequency) {
        text += (text.empty() ? "" : ", ") + shortest(component);
      }
      const double value = require_density(density(frequency), text);
      std::transform(frequency.begin(), frequency.end(), mirrored.begin(), std::negate<>());
      const double opposite = require_density(density(mirrored), "-(" + text + ")");
      if (value + opposite > 0) {
        waves.push_back({frequency, weight * (value + opposite)});
      }
    }
    std::size_t c = 0;
    while (c < place.size() && place[c] == points) {
      place[c++] = -points;
    }
    if (c == place.size()) {
      return waves;
    }
    ++place[c];
  }
}

}  // namespace

Kernel from_spectrum(const std::function<double(double)>& density, double cutoff, int points) {
  require_range(cutoff, points);
  const double step = cutoff / points;
  std::vector<double> weights;
  std::vector<double> means;
  for (int m = 0; m <= points; ++m) {
    const double frequency = m * step;
    const double value = require_density(density(frequency), shortest(frequency));
    if (value > 0) {
      const double share = m == 0 || m == points ? 0.5 : 1.0;
      weights.push_back(2 / std::sqrt(2 * pi) * step * share * value);
      means.push_back(frequency / (2 * pi));  // spectral_mixture counts cycles, not radians
    }
  }
  require_some(!weights.empty(), cutoff);
  return make_kernel("spectral_mixture", {{"weights", ParameterValue::list(std::move(weights))},
                                          {"means", ParameterValue::list(std::move(means))},
                                          {"variances", ParameterValue::number(0)}});
}

Kernel from_radial_spectrum(const std::function<double(double)>& density, double cutoff, int points, Index dimension) {
  require_range(cutoff, points);
  const auto n = static_cast<double>(dimension);
  if (n < 1) {
    reject_argument("from_radial_spectrum: dimension", n, "at least 1");
  }
  // The area of the unit sphere over (2π)^(N/2) is 2^(1−N/2)/Γ(N/2); logarithms, for high powers of ω.
  const double log_area = (1 - n / 2) * std::numbers::ln2 - std::lgamma(n / 2);
  std::vector<double> weights;
  std::vector<double> frequencies;
  for (const Node& node : panel_rule(cutoff, points)) {
    const double value = require_density(density(node.place), shortest(node.place));
    const double weight = node.weight * value * std::exp(log_area + (n - 1) * std::log(node.place));
    if (weight > 0) {
      weights.push_back(weight);
      frequencies.push_back(node.place);
    }
  }
  require_some(!weights.empty(), cutoff);
  return make_kernel("radial_spectrum", {{"frequencies", ParameterValue::list(std::move(frequencies))},
                                         {"weights", ParameterValue::list(std::move(weights))},
                                         {"dimension", ParameterValue::number(n)}});
}

Kernel from_spectrum(const std::string& name, const std::function<double(std::span<const double>)>& density,
                     const std::vector<double>& cutoffs, int points) {
  if (cutoffs.empty()) {
    throw InvalidArgument("from_spectrum: give a cutoff for each column");
  }
  for (const double cutoff : cutoffs) {
    require_range(cutoff, points);
  }
  constexpr double most_features = 1e6;
  if (std::pow(2.0 * points + 1, static_cast<double>(cutoffs.size())) > most_features) {
    throw InvalidArgument("from_spectrum: " + std::to_string(points) + " points on " + std::to_string(cutoffs.size()) +
                          " columns make more than a million features; take fewer points, or from_radial_spectrum");
  }
  std::vector<Wave> waves = grid_waves(density, cutoffs, points);
  require_some(!waves.empty(), *std::max_element(cutoffs.begin(), cutoffs.end()));
  const auto count = static_cast<Index>(2 * waves.size());
  return from_feature_map(
      name,
      [waves = std::move(waves), columns = cutoffs.size()](std::span<const double> x, std::span<double> features) {
        if (x.size() != columns) {
          throw InvalidArgument("a spectral density over " + std::to_string(columns) + " columns for samples of " +
                                std::to_string(x.size()));
        }
        for (std::size_t q = 0; q < waves.size(); ++q) {
          double phase = 0;
          for (std::size_t c = 0; c < columns; ++c) {
            phase += waves[q].frequency[c] * x[c];
          }
          const double height = std::sqrt(waves[q].weight);
          features[2 * q] = height * std::cos(phase);
          features[2 * q + 1] = height * std::sin(phase);
        }
      },
      count);
}

Kernel from_eigenfunctions(const std::string& name, std::vector<Eigenfunction> functions,
                           const std::vector<double>& eigenvalues) {
  if (functions.empty() || functions.size() != eigenvalues.size()) {
    throw InvalidArgument("from_eigenfunctions: " + std::to_string(eigenvalues.size()) + " eigenvalues for " +
                          std::to_string(functions.size()) + " functions; give one for each, and at least one");
  }
  std::vector<double> factors;
  for (const double eigenvalue : eigenvalues) {
    if (!(eigenvalue > 0)) {
      reject_argument("from_eigenfunctions: eigenvalue", eigenvalue, "positive; infinite ones leave a function out");
    }
    factors.push_back(1 / std::sqrt(eigenvalue));
  }
  const auto count = static_cast<Index>(functions.size());
  return from_feature_map(
      name,
      [functions = std::move(functions), factors = std::move(factors)](std::span<const double> x,
                                                                       std::span<double> features) {
        for (std::size_t n = 0; n < features.size(); ++n) {
          features[n] = factors[n] > 0 ? factors[n] * functions[n](x) : 0.0;
        }
      },
      count);
}

}  // namespace mercer
