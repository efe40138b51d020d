#include "mercer/models/discriminant/kfd_densities.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/models/fields.h"

namespace mercer {

namespace {

constexpr double least_deviation = 1e-3;  // of the distance between class means
constexpr double least_probability = 1e-12;

bool densities_are_finite(ConstMatrixView<double> values) {
  for (Index i = 0; i < values.rows(); ++i) {
    if (!std::ranges::all_of(values.row(i), [](double value) { return std::isfinite(value); })) {
      return false;
    }
  }
  return true;
}

// The mean distance between class means.
double mean_separation(const Matrix<double>& means) {
  double sum = 0;
  Index pairs = 0;
  for (Index a = 0; a < means.rows(); ++a) {
    for (Index b = 0; b < a; ++b, ++pairs) {
      double square = 0;
      for (Index c = 0; c < means.columns(); ++c) {
        square += (means(a, c) - means(b, c)) * (means(a, c) - means(b, c));
      }
      sum += std::sqrt(square);
    }
  }
  return sum / static_cast<double>(pairs);
}

// Weighted sums of squares and products around the class means, p × p, lower triangle; of one class, or of all (−1).
Matrix<double> scatter_inside(ConstMatrixView<double> values, const Matrix<double>& means, const ClassRows& rows,
                              Index only) {
  Matrix<double> result = Matrix<double>::filled(values.columns(), values.columns(), 0.0);
  for (Index i = 0; i < values.rows(); ++i) {
    const Index q = rows.class_of(i);
    for (Index a = 0; (only < 0 || q == only) && a < values.columns(); ++a) {
      for (Index b = 0; b <= a; ++b) {
        result(a, b) += rows.weight(i) * (values(i, a) - means(q, a)) * (values(i, b) - means(q, b));
      }
    }
  }
  return result;
}

double degrees_left(double total, double lost) { return total > lost ? total - lost : total; }

Matrix<double> own_deviations(ConstMatrixView<double> values, const Matrix<double>& means, const ClassRows& rows,
                              double floor) {
  const double common = scatter_inside(values, means, rows, -1)(0, 0) / degrees_left(rows.total(), 2);
  Matrix<double> result(2, 1);
  for (Index q = 0; q < 2; ++q) {
    const double own = scatter_inside(values, means, rows, q)(0, 0);
    result(q, 0) = std::max(std::sqrt(rows.total(q) > 1 ? own / (rows.total(q) - 1) : common), floor);
  }
  return result;
}

Matrix<double> common_density_factor(ConstMatrixView<double> values, const Matrix<double>& means, const ClassRows& rows,
                                     double floor, const Run& run) {
  Matrix<double> covariance = scatter_inside(values, means, rows, -1);
  const double freedom = degrees_left(rows.total(), static_cast<double>(rows.class_count()));
  for (Index a = 0; a < covariance.rows(); ++a) {
    for (Index b = 0; b <= a; ++b) {
      covariance(a, b) /= freedom;
    }
    covariance(a, a) += floor * floor;
  }
  cholesky<double>(covariance.view(), run);
  for (Index a = 0; a < covariance.rows(); ++a) {
    std::fill_n(covariance.view().row_data(a) + a + 1, covariance.columns() - a - 1, 0.0);
  }
  return covariance;
}

}  // namespace

ClassDensities::ClassDensities(Matrix<double> means, Matrix<double> spread, std::vector<double> log_priors)
    : means_(std::move(means)), spread_(std::move(spread)), log_priors_(std::move(log_priors)) {
  const bool two = classes() == 2;
  const bool fits = classes() >= 2 && directions() >= 1 && directions() <= classes() - 1 &&
                    static_cast<Index>(log_priors_.size()) == classes() && spread_.rows() == (two ? 2 : directions()) &&
                    spread_.columns() == (two ? 1 : directions());
  bool numbers = fits && densities_are_finite(means_.view()) && densities_are_finite(spread_.view()) &&
                 std::ranges::all_of(log_priors_, [](double value) { return std::isfinite(value); });
  for (Index i = 0; numbers && i < spread_.rows(); ++i) {
    numbers = spread_(i, two ? 0 : i) > 0;
  }
  if (!numbers) {
    throw InvalidArgument("class densities need one mean and prior per class, and positive deviations: there are " +
                          std::to_string(classes()) + " means of " + std::to_string(directions()) + " directions, " +
                          std::to_string(log_priors_.size()) + " priors, deviations of " +
                          std::to_string(spread_.rows()) + " by " + std::to_string(spread_.columns()));
  }
}

ClassDensities ClassDensities::fit(ConstMatrixView<double> values, const ClassRows& rows,
                                   std::span<const double> priors, const Run& run) {
  Matrix<double> means = rows.class_means(values);
  const double floor = std::max(least_deviation * mean_separation(means), std::numeric_limits<double>::min());
  Matrix<double> spread = rows.class_count() == 2 ? own_deviations(values, means, rows, floor)
                                                  : common_density_factor(values, means, rows, floor, run);
  const double sum = std::accumulate(priors.begin(), priors.end(), 0.0);
  std::vector<double> logs;
  for (const double prior : priors) {
    logs.push_back(std::log(prior / sum));
  }
  return {std::move(means), std::move(spread), std::move(logs)};
}

void ClassDensities::log_joint(std::span<const double> values, std::span<double> result) const {
  std::vector<double> off(values.size());
  for (Index q = 0; q < classes(); ++q) {
    const auto at = static_cast<std::size_t>(q);
    for (std::size_t c = 0; c < off.size(); ++c) {
      off[c] = values[c] - means_(q, static_cast<Index>(c));
    }
    double volume = 0;
    if (classes() == 2) {
      off[0] /= spread_(q, 0);
      volume = std::log(spread_(q, 0));
    } else {
      trsv(Uplo::lower, Transpose::no, spread_.view(), std::span(off));
    }
    result[at] = log_priors_[at] - volume - 0.5 * dot(std::span<const double>(off), std::span<const double>(off));
  }
}

Matrix<double> ClassDensities::probabilities(ConstMatrixView<double> values) const {
  Matrix<double> result(values.rows(), classes());
  for (Index i = 0; i < values.rows(); ++i) {
    const std::span<double> row = result.view().row(i);
    log_joint(values.row(i), row);
    const double largest = *std::ranges::max_element(row);
    double sum = 0;
    for (double& value : row) {
      // Values so far out that all squares overflow say nothing.
      value = std::isfinite(largest) ? std::max(std::exp(value - largest), least_probability) : 1.0;
      sum += value;
    }
    scale(1 / sum, row);
  }
  return result;
}

Index ClassDensities::nearest_mean(std::span<const double> values) const {
  Index best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (Index q = 0; q < classes(); ++q) {
    double square = 0;
    for (std::size_t c = 0; c < values.size(); ++c) {
      const double off = values[c] - means_(q, static_cast<Index>(c));
      square += off * off;
    }
    if (square < least) {
      least = square;
      best = q;
    }
  }
  return best;
}

Index ClassDensities::most_probable(std::span<const double> values) const {
  std::vector<double> scores(classes());
  log_joint(values, scores);
  return static_cast<Index>(std::ranges::max_element(scores) - scores.begin());
}

void ClassDensities::fields(Fields& visit, Index classes, Index directions) {
  const bool two = classes == 2;
  visit.matrix("class_means", means_, {classes, directions});
  visit.matrix("class_spread", spread_, {two ? 2 : directions, two ? 1 : directions});
  visit.column("log_priors", log_priors_, classes);
  if (visit.loading()) {
    *this = ClassDensities(std::move(means_), std::move(spread_), std::move(log_priors_));
  }
}

}  // namespace mercer
