#include "mercer/smoothing/window_average.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/vector_math.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

constexpr Index averages_per_task = 32;

Matrix<double> by_columns(ConstMatrixView<double> rows) {
  Matrix<double> result(rows.columns(), rows.rows());
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.columns(); ++j) {
      result(j, i) = rows(i, j);
    }
  }
  return result;
}

// Squared distances of a query to all points, which are stored by coordinates.
void squared_distances_to(DistanceNorm norm, ConstMatrixView<double> coordinates, std::span<const double> query,
                          std::span<double> squares) {
  std::fill(squares.begin(), squares.end(), 0.0);
  for (Index j = 0; j < coordinates.rows(); ++j) {
    const double* values = coordinates.row_data(j);
    const double place = query[j];
    if (norm == DistanceNorm::largest) {
      for (std::size_t i = 0; i < squares.size(); ++i) {
        squares[i] = std::max(squares[i], (values[i] - place) * (values[i] - place));
      }
      continue;
    }
    for (std::size_t i = 0; i < squares.size(); ++i) {
      squares[i] += (values[i] - place) * (values[i] - place);
    }
  }
}

}  // namespace

WindowAverage::WindowAverage(const Matrix<double>& points, std::vector<double> weights, SmoothingShape shape)
    : coordinates_(by_columns(points.view())),
      weights_(std::move(weights)),
      window_(shape, std::max<Index>(1, points.columns())) {
  if (weights_.empty() || static_cast<Index>(weights_.size()) != points.rows()) {
    throw InvalidArgument("averages need at least one point, and one weight per point");
  }
}

// Squared distances become weights relative to the nearest point's.
void WindowAverage::far_kernel(Index left_out, std::span<double> squares) const {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < squares.size(); ++i) {
    if (weight_without(i, left_out) > 0) {
      nearest = std::min(nearest, squares[i]);
    }
  }
  if (std::isinf(nearest)) {  // so far away that all points are at one place
    std::fill(squares.begin(), squares.end(), 0.0);
    nearest = 0;
  }
  const bool endless = std::isinf(window_.support());
  const double most = endless ? window_.log_profile(nearest) : 0;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const double weight = weight_without(i, left_out);
    const double window = endless ? std::exp(window_.log_profile(squares[i]) - most) : squares[i] == nearest ? 1 : 0;
    squares[i] = weight > 0 ? weight * window : 0;  // the window of what is left out may be beyond the range
  }
}

void WindowAverage::find_kernel(std::span<const double> query, Index left_out, std::span<double> kernel) const {
  const auto sum_of = [&] {
    double sum = 0;
    for (const double value : kernel) {
      sum += value;
    }
    return sum;
  };
  squared_distances_to(window_.norm(), coordinates_.view(), query, kernel);
  window_.profile(kernel, kernel);
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    kernel[i] *= weight_without(i, left_out);
  }
  double total = sum_of();
  // So small a sum may miss terms: below the range of doubles they are 0, and near its end short of digits.
  constexpr double least = 1e-280;
  if (!(total > least)) {
    squared_distances_to(window_.norm(), coordinates_.view(), query, kernel);
    far_kernel(left_out, kernel);
    total = sum_of();
  }
  if (!(total > 0)) {  // there is no other point
    std::fill(kernel.begin(), kernel.end(), 0.0);
    kernel[std::max<Index>(0, left_out)] = 1;
    return;
  }
  for (double& value : kernel) {
    value /= total;
  }
}

template <class Query, class Visit>
void WindowAverage::for_each_kernel(Index queries, Query query, Visit visit, const Run& run) const {
  std::vector<std::vector<double>> buffers(run.threads(), std::vector<double>(weights_.size()));
  parallel_for_workers(run, (queries + averages_per_task - 1) / averages_per_task, [&](Index task, int worker) {
    std::vector<double>& kernel = buffers[worker];
    std::vector<double> place(dimension());
    const Index end = std::min(queries, (task + 1) * averages_per_task);
    for (Index q = task * averages_per_task; q < end; ++q) {
      const Index left_out = query(q, std::span<double>(place));
      find_kernel(place, left_out, kernel);
      visit(q, left_out, std::span<const double>(kernel));
    }
  });
}

template <class Query>
WindowAverage::Averages WindowAverage::sums(Index queries, Query query, ConstMatrixView<double> columns,
                                            const Run& run) const {
  Averages result{Matrix<double>(queries, columns.columns()), std::vector<double>(queries)};
  const Matrix<double> stored = by_columns(columns);
  for_each_kernel(
      queries, query,
      [&](Index q, Index left_out, std::span<const double> kernel) {
        for (Index c = 0; c < stored.rows(); ++c) {
          result.values(q, c) = dot(kernel, stored.view().row(c));
        }
        double squares = 0;
        for (std::size_t i = 0; i < kernel.size(); ++i) {
          const double weight = weight_without(i, left_out);
          squares += kernel[i] * kernel[i] / (weight > 0 ? weight : weights_[i]);
        }
        result.squares[q] = squares;
      },
      run);
  return result;
}

WindowAverage::Averages WindowAverage::averages(ConstMatrixView<double> queries, ConstMatrixView<double> columns,
                                                const Run& run) const {
  return sums(
      queries.rows(),
      [&](Index q, std::span<double> place) {
        std::copy_n(queries.row_data(q), place.size(), place.begin());
        return Index{-1};
      },
      columns, run);
}

WindowAverage::Averages WindowAverage::leave_one_out(ConstMatrixView<double> columns, const Run& run) const {
  return sums(
      size(),
      [&](Index q, std::span<double> place) {
        for (std::size_t j = 0; j < place.size(); ++j) {
          place[j] = coordinates_(static_cast<Index>(j), q);
        }
        return q;
      },
      columns, run);
}

Matrix<double> WindowAverage::kernels(ConstMatrixView<double> queries, const Run& run) const {
  Matrix<double> result(queries.rows(), size());
  for_each_kernel(
      queries.rows(),
      [&](Index q, std::span<double> place) {
        std::copy_n(queries.row_data(q), place.size(), place.begin());
        return Index{-1};
      },
      [&](Index q, Index /*left_out*/, std::span<const double> kernel) {
        std::copy(kernel.begin(), kernel.end(), result.view().row_data(q));
      },
      run);
  return result;
}

namespace {

// One row's share of the leave-one-out error and of its gradient.
class RowError {
 public:
  RowError(ConstMatrixView<double> coordinates, ConstMatrixView<double> targets, std::span<const double> weights)
      : coordinates_(coordinates),
        targets_(targets),
        weights_(weights),
        windows_(weights.size()),
        slopes_(weights.size()) {}

  // Adds to gradient; the value comes back.
  double add(Index row, std::span<double> gradient) {
    const auto own = static_cast<std::size_t>(row);
    std::vector<double> place(coordinates_.rows());
    for (std::size_t j = 0; j < place.size(); ++j) {
      place[j] = coordinates_(static_cast<Index>(j), row);
    }
    squared_distances_to(DistanceNorm::euclidean, coordinates_, place, windows_);
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      nearest = i == own && !(copies_left(weights_[i]) > 0) ? nearest : std::min(nearest, windows_[i]);
    }
    // Relative to the nearest point, so that nothing underflows.
    for (double& square : windows_) {
      square -= nearest;
    }
    vector_exp_scaled(windows_, -0.5, windows_);
    double total = 0;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      const double weight = i == own ? copies_left(weights_[i]) : weights_[i];
      windows_[i] = weight > 0 ? weight * windows_[i] : 0;  // what is left out may be beyond the range
      total += windows_[i];
    }
    std::fill(slopes_.begin(), slopes_.end(), 0.0);
    double value = 0;
    for (Index o = 0; o < targets_.rows(); ++o) {
      const std::span<const double> y = targets_.row(o);
      const double mean = dot(windows_, y) / total;
      const double residual = y[own] - mean;
      value += weights_[own] * residual * residual;
      const double factor = -2 * weights_[own] * residual / total;
      for (std::size_t i = 0; i < slopes_.size(); ++i) {
        slopes_[i] += factor * windows_[i] * (y[i] - mean);
      }
    }
    for (std::size_t j = 0; j < place.size(); ++j) {
      const double* values = coordinates_.row_data(static_cast<Index>(j));
      double sum = 0;
      for (std::size_t i = 0; i < slopes_.size(); ++i) {
        sum += slopes_[i] * (values[i] - place[j]) * (values[i] - place[j]);
      }
      gradient[j] += sum;
    }
    return value;
  }

 private:
  ConstMatrixView<double> coordinates_;
  ConstMatrixView<double> targets_;
  std::span<const double> weights_;
  std::vector<double> windows_;
  std::vector<double> slopes_;
};

}  // namespace

WindowError leave_one_out_error(ConstMatrixView<double> points, std::span<const double> weights,
                                ConstMatrixView<double> targets, std::span<const double> bandwidths, const Run& run) {
  const Index n = points.rows();
  const auto d = static_cast<std::size_t>(points.columns());
  WindowError result{0, std::vector<double>(d, 0.0)};
  if (n < 2) {
    return result;
  }
  Matrix<double> coordinates = by_columns(points);
  for (std::size_t j = 0; j < d; ++j) {
    for (double& value : coordinates.view().row(static_cast<Index>(j))) {
      value /= bandwidths[j];
    }
  }
  const Matrix<double> by_output = by_columns(targets);
  const Index tasks = (n + averages_per_task - 1) / averages_per_task;
  std::vector<double> values(tasks, 0.0);
  Matrix<double> gradients = Matrix<double>::filled(tasks, static_cast<Index>(d), 0);
  std::vector<RowError> errors(run.threads(), RowError(coordinates.view(), by_output.view(), weights));
  parallel_for_workers(run, tasks, [&](Index task, int worker) {
    const Index end = std::min(n, (task + 1) * averages_per_task);
    for (Index row = task * averages_per_task; row < end; ++row) {
      values[task] += errors[worker].add(row, gradients.view().row(task));
    }
  });
  double total = 0;
  for (const double weight : weights) {
    total += weight;
  }
  for (Index task = 0; task < tasks; ++task) {
    result.value += values[task] / total;
    for (std::size_t j = 0; j < d; ++j) {
      result.gradient[j] += gradients(task, static_cast<Index>(j)) / total;
    }
  }
  return result;
}

}  // namespace mercer
