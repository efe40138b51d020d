#include "mercer/models/svm/quantile_predictions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mercer/base/error.h"

namespace mercer {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void require_observations(PredictionOf of) {
  if (of == PredictionOf::function) {
    throw InvalidArgument(
        "kqr says how observations spread, not how sure it is of its functions: ask for the distribution of "
        "observations");
  }
}

// What a mixture adds up of its pieces: moments about a point that is near all of them.
struct MomentSum {
  double about;
  double first = 0;
  double second = 0;

  void add(double probability, double mean, double variance) {
    const double distance = mean - about;
    first += probability * distance;
    second += probability * (distance * distance + variance);
  }
  double mean() const { return about + first; }
  double variance() const { return std::max(0.0, second - first * first); }
};

// The place of a level but for rounding: (1 − 0.8)/2, a limit of an interval, is 0.1. As many as there are: none is it.
std::size_t fitted_level(std::span<const double> levels, double level) {
  const auto found = std::ranges::find_if(levels, [=](double own) { return std::abs(own - level) <= 1e-15; });
  return static_cast<std::size_t>(found - levels.begin());
}

}  // namespace

QuantilePredictions::QuantilePredictions(Parts parts)
    : PredictiveDistribution(parts.functions.rows(),
                             parts.functions.columns() / static_cast<Index>(parts.levels.size())),
      parts_(std::move(parts)),
      ordered_(Matrix<double>::copy_of(parts_.functions.view())) {
  const auto count = static_cast<Index>(parts_.levels.size());
  for (Index i = 0; i < rows(); ++i) {
    for (Index o = 0; o < outputs(); ++o) {
      double* const first = ordered_.view().row_data(i) + o * count;
      std::sort(first, first + count);
    }
  }
}

QuantilePredictions::Row QuantilePredictions::row(Index i, Index output) const {
  const std::vector<double>& levels = parts_.levels;
  const std::span<const double> q = ordered_.view().row(i).subspan(output * levels.size(), levels.size());
  const std::size_t last = levels.size() - 1;
  if (last == 0) {
    const double loss = parts_.losses[output];
    return {levels, q, loss / (1 - levels[0]), loss / levels[0]};
  }
  return {levels, q, levels[0] * (q[1] - q[0]) / (levels[1] - levels[0]),
          (1 - levels[last]) * (q[last] - q[last - 1]) / (levels[last] - levels[last - 1])};
}

double QuantilePredictions::Row::quantile(double level) const {
  if (const std::size_t own = fitted_level(levels, level); own < levels.size()) {
    return quantiles[own];
  }
  const auto above = static_cast<std::size_t>(std::ranges::lower_bound(levels, level) - levels.begin());
  if (above == levels.size()) {
    return quantiles.back() - upper_scale * std::log((1 - level) / (1 - levels.back()));
  }
  if (above == 0) {
    return quantiles.front() + lower_scale * std::log(level / levels.front());
  }
  const double share = (level - levels[above - 1]) / (levels[above] - levels[above - 1]);
  return quantiles[above - 1] + share * (quantiles[above] - quantiles[above - 1]);
}

double QuantilePredictions::Row::log_density(double y) const {
  if (std::isnan(y)) {
    return y;
  }
  const std::size_t last = levels.size() - 1;
  const auto above = static_cast<std::size_t>(std::ranges::lower_bound(quantiles, y) - quantiles.begin());
  const bool on_one = above <= last && quantiles[above] == y;
  if (on_one && ((above < last && quantiles[above + 1] == y) || (above == 0 && lower_scale == 0) ||
                 (above == last && upper_scale == 0))) {
    return infinity;
  }
  if (above == 0) {
    return lower_scale > 0 ? std::log(levels[0] / lower_scale) + (y - quantiles[0]) / lower_scale : -infinity;
  }
  if (above > last) {
    return upper_scale > 0 ? std::log((1 - levels[last]) / upper_scale) - (y - quantiles[last]) / upper_scale
                           : -infinity;
  }
  return std::log((levels[above] - levels[above - 1]) / (quantiles[above] - quantiles[above - 1]));
}

PredictiveMoments QuantilePredictions::moments(PredictionOf of) const {
  require_observations(of);
  PredictiveMoments result{.mean = Matrix<double>(rows(), outputs()), .variance = Matrix<double>(rows(), outputs())};
  const std::vector<double>& levels = parts_.levels;
  for (Index i = 0; i < rows(); ++i) {
    for (Index o = 0; o < outputs(); ++o) {
      const Row one = row(i, o);
      const std::span<const double> q = one.quantiles;
      MomentSum sum{.about = q[parts_.middle]};
      sum.add(levels.front(), q.front() - one.lower_scale, one.lower_scale * one.lower_scale);
      sum.add(1 - levels.back(), q.back() + one.upper_scale, one.upper_scale * one.upper_scale);
      for (std::size_t l = 1; l < levels.size(); ++l) {
        const double length = q[l] - q[l - 1];
        sum.add(levels[l] - levels[l - 1], q[l - 1] + length / 2, length * length / 12);
      }
      result.mean(i, o) = sum.mean();
      result.variance(i, o) = sum.variance();
    }
  }
  return result;
}

Matrix<double> QuantilePredictions::predictions(PredictionOf /*of*/) const {
  const Matrix<double>& values = parts_.crossing == Crossing::allowed ? parts_.functions : ordered_;
  const auto count = static_cast<Index>(parts_.levels.size());
  Matrix<double> result(rows(), outputs());
  for (Index i = 0; i < rows(); ++i) {
    for (Index o = 0; o < outputs(); ++o) {
      result(i, o) = values(i, o * count + parts_.middle);
    }
  }
  return result;
}

void QuantilePredictions::fill_quantiles(std::span<const double> levels, PredictionOf of,
                                         MatrixView<double> out) const {
  require_observations(of);
  const auto count = static_cast<Index>(levels.size());
  const auto own = static_cast<Index>(parts_.levels.size());
  for (Index l = 0; l < count; ++l) {
    const auto fitted = static_cast<Index>(fitted_level(parts_.levels, levels[l]));
    const bool as_fitted = parts_.crossing == Crossing::allowed && fitted < own;
    for (Index i = 0; i < rows(); ++i) {
      for (Index o = 0; o < outputs(); ++o) {
        out(i, o * count + l) = as_fitted ? parts_.functions(i, o * own + fitted) : row(i, o).quantile(levels[l]);
      }
    }
  }
}

Matrix<double> QuantilePredictions::draws(Index count, PredictionOf of, RandomStream& random) const {
  require_observations(of);
  Matrix<double> result(rows(), outputs() * count);
  for (Index i = 0; i < rows(); ++i) {
    for (Index o = 0; o < outputs(); ++o) {
      const Row one = row(i, o);
      for (Index c = 0; c < count; ++c) {
        result(i, o * count + c) = one.quantile(random.uniform());
      }
    }
  }
  return result;
}

void QuantilePredictions::fill_log_density(ConstMatrixView<double> truth, MatrixView<double> out) const {
  for (Index i = 0; i < rows(); ++i) {
    for (Index o = 0; o < outputs(); ++o) {
      out(i, o) = row(i, o).log_density(truth(i, o));
    }
  }
}

}  // namespace mercer
