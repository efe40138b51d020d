#include "mercer/features/projection_contrast.h"

#include <cmath>
#include <vector>

#include "mercer/base/vector_math.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

namespace {

// E ln cosh of a standard normal.
constexpr double normal_logcosh = 0.37456720749143798;

double log_cosh(double x) {
  const double size = std::abs(x);
  return size + std::log1p(std::exp(-2 * size)) - std::log(2.0);
}

double mean_contrast(Contrast contrast, std::span<const double> f, std::span<const double> shares,
                     std::span<double> gradient) {
  double sum = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    double value = 0;
    double slope = 0;
    if (contrast == Contrast::square) {
      value = f[i] * f[i];
      slope = 2 * f[i];
    } else if (contrast == Contrast::fourth) {
      value = f[i] * f[i] * f[i] * f[i];
      slope = 4 * f[i] * f[i] * f[i];
    } else {
      value = log_cosh(f[i]);
      slope = std::tanh(f[i]);
    }
    sum += shares[i] * value;
    if (!gradient.empty()) {
      gradient[i] = shares[i] * slope;
    }
  }
  return sum;
}

double parzen_width(std::span<const double> shares) {
  // Weights count as repetitions only up to what they concentrate: the number of samples that matter.
  double squares = 0;
  for (const double share : shares) {
    squares += share * share;
  }
  return 1.06 * std::pow(squares, 0.2);
}

// Windows exp(−u²/2), u = (f_i − f_k)/h, for all pairs; and per value the density, up to the constant 1/(h√2π), with its
// derivatives.
struct ParzenSums {
  ParzenSums(std::span<const double> f, std::span<const double> shares);

  double width;
  Matrix<double> windows;
  std::vector<double> density;
  std::vector<double> first;
  std::vector<double> second;
};

ParzenSums::ParzenSums(std::span<const double> f, std::span<const double> shares)
    : width(parzen_width(shares)),
      windows(static_cast<Index>(f.size()), static_cast<Index>(f.size())),
      density(f.size()),
      first(f.size()),
      second(f.size()) {
  for (std::size_t i = 0; i < f.size(); ++i) {
    const std::span<double> row = windows.view().row(static_cast<Index>(i));
    for (std::size_t j = 0; j < f.size(); ++j) {
      row[j] = (f[i] - f[j]) * (f[i] - f[j]);
    }
    vector_exp_scaled(row, -0.5 / (width * width), row);
    for (std::size_t j = 0; j < f.size(); ++j) {
      const double u = (f[i] - f[j]) / width;
      const double window = shares[j] * row[j];
      density[i] += window;
      first[i] -= window * u / width;
      second[i] += window * (u * u - 1) / (width * width);
    }
  }
}

// Q depends on value k through its own density and through the densities of all others.
double density_slope(Contrast contrast, std::span<const double> f, std::span<const double> relative,
                     std::span<const double> scores, const ParzenSums& sums, std::size_t k) {
  const double width = sums.width;
  const std::span<const double> windows = sums.windows.view().row(static_cast<Index>(k));
  double slope = 0;
  if (contrast == Contrast::entropy) {
    slope = scores[k];
    for (std::size_t i = 0; i < f.size(); ++i) {
      slope += relative[i] * windows[i] * (f[i] - f[k]) / (width * width);
    }
    return slope;
  }
  slope = 2 * scores[k] * (sums.second[k] / sums.density[k] - scores[k] * scores[k]);
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double u = (f[i] - f[k]) / width;
    const double first = -windows[i] * u / width;
    const double second = windows[i] * (u * u - 1) / (width * width);
    slope -= 2 * relative[i] * scores[i] * (second - scores[i] * first);
  }
  return slope;
}

double density_contrast(Contrast contrast, std::span<const double> f, std::span<const double> shares,
                        std::span<double> gradient) {
  const ParzenSums sums(f, shares);
  const double constant = 1 / (sums.width * std::sqrt(2 * M_PI));
  std::vector<double> scores(f.size());
  std::vector<double> relative(f.size());
  double total = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    scores[i] = sums.first[i] / sums.density[i];
    relative[i] = shares[i] / sums.density[i];
    total += shares[i] * (contrast == Contrast::entropy ? std::log(constant * sums.density[i]) : scores[i] * scores[i]);
  }
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    gradient[k] = shares[k] * density_slope(contrast, f, relative, scores, sums, k);
  }
  return total;
}

}  // namespace

double contrast_of(Contrast contrast, std::span<const double> values, std::span<const double> shares,
                   std::span<double> gradient) {
  if (uses_density(contrast)) {
    return density_contrast(contrast, values, shares, gradient);
  }
  const double mean = mean_contrast(contrast, values, shares, gradient);
  if (contrast != Contrast::negentropy) {
    return mean;
  }
  const double off = mean - normal_logcosh;
  for (double& slope : gradient) {
    slope *= 2 * off;
  }
  return off * off;
}

}  // namespace mercer
