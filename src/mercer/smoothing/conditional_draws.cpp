#include "mercer/smoothing/conditional_draws.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/smoothing/turned_points.h"

namespace mercer {

namespace {

constexpr std::uint64_t conditional_stream = 0x6b6465676976;
constexpr std::uint64_t histogram_stream = 0x68697374;
constexpr Index draws_between_stops = 4096;

// The held columns first, then the others as they stand.
std::vector<Index> held_first(const HeldColumns& held, Index dimension) {
  if (held.columns.size() != held.values.size()) {
    throw InvalidArgument(std::to_string(held.values.size()) + " values for " + std::to_string(held.columns.size()) +
                          " columns that are held");
  }
  std::vector<char> is_held(dimension, 0);
  for (std::size_t k = 0; k < held.columns.size(); ++k) {
    const Index column = held.columns[k];
    if (column < 0 || column >= dimension || is_held[column] != 0) {
      throw InvalidArgument("columns that are held must be different ones between 0 and " +
                            std::to_string(dimension - 1) + "; column " + std::to_string(column) +
                            (column < 0 || column >= dimension ? " is not there" : " is held twice"));
    }
    if (!std::isfinite(held.values[k])) {
      throw InvalidArgument("column " + std::to_string(column) + " is held at " + shortest(held.values[k]) +
                            "; a finite number is needed");
    }
    is_held[column] = 1;
  }
  if (static_cast<Index>(held.columns.size()) == dimension) {
    throw InvalidArgument("all columns of the density are held: there is nothing to draw");
  }
  std::vector<Index> order = held.columns;
  for (Index j = 0; j < dimension; ++j) {
    if (is_held[j] == 0) {
      order.push_back(j);
    }
  }
  return order;
}

[[noreturn]] void reject_impossible() {
  throw DataError(
      "the density is 0 at the values that columns are held at: there is nothing to draw. Hold them nearer "
      "to the data, or take a wider bandwidth or an unbounded shape");
}

// Which of several, by sums of their weights.
std::size_t drawn_place(const std::vector<double>& sums, RandomStream& random) {
  const double target = random.uniform() * sums.back();
  return static_cast<std::size_t>(std::upper_bound(sums.begin(), sums.end() - 1, target) - sums.begin());
}

void draw_direction(RandomStream& random, std::span<double> t, double radius) {
  fill_normal(random, t);
  double squared = 0;
  for (const double value : t) {
    squared += value * value;
  }
  for (double& value : t) {
    value *= radius / std::sqrt(squared);
  }
}

// t ∝ exp(−√(s + ‖t‖²)). A tangent √s cos a + r sin a lies below √(s + r²), so that a gamma with rate sin a can be
// thinned; it touches at the radius where most of the mass is.
void draw_exponential_slice(double s, RandomStream& random, std::span<double> t) {
  const auto m = static_cast<double>(t.size());
  const double touch = std::sqrt((m * m + m * std::sqrt(m * m + 4 * s)) / 2);
  const double hypotenuse = std::sqrt(s + touch * touch);
  const double sine = touch / hypotenuse;
  const double cosine = std::sqrt(s) / hypotenuse;
  for (;;) {
    const double r = random.gamma(m) / sine;
    if (random.uniform() <= std::exp(std::sqrt(s) * cosine + r * sine - std::sqrt(s + r * r))) {
      draw_direction(random, t, r);
      return;
    }
  }
}

// t ∝ κ(√(s + ‖t‖²)).
void draw_slice(const SmoothingKernel& kernel, double s, RandomStream& random, std::span<double> t) {
  if (kernel.shape() == SmoothingShape::gaussian) {
    fill_normal(random, t);
    return;
  }
  if (kernel.shape() == SmoothingShape::exponential) {
    draw_exponential_slice(s, random, t);
    return;
  }
  if (kernel.shape() == SmoothingShape::cube) {  // whatever s is
    kernel.draw(random, t);
    return;
  }
  const double ball = std::sqrt(std::max(0.0, 1 - s));
  for (;;) {
    const double r = ball * std::pow(random.uniform(), 1 / static_cast<double>(t.size()));
    if (random.uniform() * kernel.profile(s) <= kernel.profile(s + r * r)) {
      draw_direction(random, t, r);
      return;
    }
  }
}

// The mixture that a density is once columns are held, in units of the bandwidth, held columns first.
struct HeldMixture {
  TurnedPoints turned;
  Matrix<double> place;              // of the values, one row
  std::vector<double> scales = {};   // λ per component
  std::vector<double> squared = {};  // ‖u_G‖² per component
  std::vector<double> weight_sums = {};
};

void require_inside(const KernelDensity& density, const HeldColumns& held) {
  const std::vector<AxisBounds>& bounds = density.parts().bounds;
  for (std::size_t j = 0; j < held.columns.size() && !bounds.empty(); ++j) {
    if (!bounds[held.columns[j]].contains(held.values[j])) {
      reject_impossible();
    }
  }
}

HeldMixture held_mixture(const KernelDensity& density, const HeldColumns& held, const std::vector<Index>& order) {
  const KernelDensity::Parts& parts = density.parts();
  const std::size_t given = held.columns.size();
  require_inside(density, held);
  TurnedPoints turned = turned_points(density, order, static_cast<Index>(given));
  Matrix<double> place = turned.whitened({held.values.data(), 1, static_cast<Index>(given)});
  HeldMixture mixture{.turned = std::move(turned), .place = std::move(place)};

  const Index rest = density.dimension() - static_cast<Index>(given);
  std::vector<double> logs;
  for (std::size_t c = 0; c < mixture.turned.images.rows.size(); ++c) {
    const auto row = static_cast<std::size_t>(mixture.turned.images.rows[c]);
    const double scale = parts.scales.empty() ? 1.0 : parts.scales[row];
    double squared = 0;
    for (std::size_t j = 0; j < given; ++j) {
      const double u = (mixture.place(0, static_cast<Index>(j)) -
                        mixture.turned.images.points(static_cast<Index>(c), static_cast<Index>(j))) /
                       scale;
      squared = density.kernel().with_coordinate(squared, u);
    }
    const double log_kernel = density.kernel().shape() == SmoothingShape::gaussian
                                  ? -squared / 2  // no distance is too far
                                  : std::log(density.kernel().marginal_profile(squared, rest));
    mixture.scales.push_back(scale);
    mixture.squared.push_back(squared);
    logs.push_back(log_kernel + std::log(parts.weights.empty() ? 1.0 : parts.weights[row]) -
                   static_cast<double>(given) * std::log(scale));
  }
  const double largest_log = *std::max_element(logs.begin(), logs.end());
  if (!std::isfinite(largest_log)) {
    reject_impossible();
  }
  double sum = 0;
  for (const double value : logs) {
    sum += std::exp(value - largest_log);
    mixture.weight_sums.push_back(sum);
  }
  return mixture;
}

}  // namespace

Matrix<double> draw_given(const KernelDensity& density, const HeldColumns& held, Index count, const Run& run) {
  const std::vector<Index> order = held_first(held, density.dimension());
  if (held.columns.empty()) {
    return density.draw(count, run);
  }
  const HeldMixture mixture = held_mixture(density, held, order);
  const std::size_t given = held.columns.size();
  RandomStream random(run.seed(), conditional_stream);
  Matrix<double> result(count, density.dimension());
  std::vector<double> u(order.size());
  for (Index s = 0; s < count; ++s) {
    if (s % draws_between_stops == 0) {
      run.check_stop();
    }
    const std::size_t c = drawn_place(mixture.weight_sums, random);
    std::copy_n(mixture.place.data(), given, u.begin());
    const std::span<double> rest = std::span(u).subspan(given);
    draw_slice(density.kernel(), mixture.squared[c], random, rest);
    for (std::size_t j = 0; j < rest.size(); ++j) {
      rest[j] = mixture.turned.images.points(static_cast<Index>(c), static_cast<Index>(given + j)) +
                mixture.scales[c] * rest[j];
    }
    mixture.turned.bandwidth.color(u);
    for (std::size_t j = 0; j < order.size(); ++j) {
      const auto column = static_cast<std::size_t>(order[j]);
      const bool folds = j >= given && !density.parts().bounds.empty();
      result(s, order[j]) = j < given ? held.values[j] : folds ? folded(u[j], density.parts().bounds[column]) : u[j];
    }
  }
  return result;
}

Matrix<double> draw_given(const HistogramDensity& density, const HeldColumns& held, Index count, const Run& run) {
  held_first(held, density.dimension());
  const auto bins_of = [&](std::size_t axis) { return static_cast<Index>(density.edges()[axis].size()) - 1; };
  const auto d = static_cast<std::size_t>(density.dimension());
  std::vector<Index> wanted(d, -1);  // the bin of a held column
  for (std::size_t k = 0; k < held.columns.size(); ++k) {
    const std::vector<double>& axis = density.edges()[held.columns[k]];
    if (!(held.values[k] >= axis.front() && held.values[k] <= axis.back())) {
      reject_impossible();
    }
    wanted[held.columns[k]] = std::upper_bound(axis.begin(), axis.end() - 1, held.values[k]) - axis.begin() - 1;
  }
  // All cells at the values are as wide along the held columns, so that their weights alone tell them apart.
  std::vector<std::vector<Index>> cells;
  std::vector<double> sums;
  for (const HistogramDensity::Cell& cell : density.cells()) {
    std::vector<Index> bins(d);
    Index place = cell.place;
    bool fits = true;
    for (std::size_t j = d; j-- > 0;) {
      bins[j] = place % bins_of(j);
      place /= bins_of(j);
      fits = fits && (wanted[j] < 0 || wanted[j] == bins[j]);
    }
    if (fits) {
      sums.push_back((sums.empty() ? 0.0 : sums.back()) + cell.weight);
      cells.push_back(std::move(bins));
    }
  }
  if (cells.empty()) {
    reject_impossible();
  }
  RandomStream random(run.seed(), histogram_stream);
  Matrix<double> result(count, density.dimension());
  for (Index s = 0; s < count; ++s) {
    if (s % draws_between_stops == 0) {
      run.check_stop();
    }
    const std::vector<Index>& bins = cells[drawn_place(sums, random)];
    for (std::size_t j = 0; j < d; ++j) {
      const std::vector<double>& axis = density.edges()[j];
      const auto bin = static_cast<std::size_t>(bins[j]);
      result(s, static_cast<Index>(j)) = axis[bin] + random.uniform() * (axis[bin + 1] - axis[bin]);
    }
    for (std::size_t k = 0; k < held.columns.size(); ++k) {
      result(s, held.columns[k]) = held.values[k];
    }
  }
  return result;
}

}  // namespace mercer
