// Random linear problems and the objective values of their definitions, written as plain loops: what the solver reports
// is compared with these.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/solvers/linear/linear_svm.h"

namespace mercer::test {

struct LinearData {
  std::vector<std::vector<double>> x;
  std::vector<double> targets;
  std::vector<double> bounds;

  Index rows() const { return static_cast<Index>(x.size()); }
  Index columns() const { return static_cast<Index>(x.front().size()); }
};

inline bool is_squared(LinearLoss loss) {
  return loss == LinearLoss::squared_hinge || loss == LinearLoss::squared_epsilon_insensitive;
}
inline bool is_hinge(LinearLoss loss) { return loss == LinearLoss::hinge || loss == LinearLoss::squared_hinge; }

constexpr LinearLoss all_losses[] = {LinearLoss::hinge, LinearLoss::squared_hinge, LinearLoss::epsilon_insensitive,
                                     LinearLoss::squared_epsilon_insensitive};
constexpr LinearIntercept all_intercepts[] = {LinearIntercept::none, LinearIntercept::regularized,
                                              LinearIntercept::exact};

// Values are multiples of 1/64, so that floats hold them; about a third of them are 0.
inline LinearData random_data(Index rows, Index columns, LinearLoss loss, std::uint64_t seed) {
  RandomStream random(seed);
  LinearData data;
  std::vector<double> truth(columns);
  fill_normal(random, std::span<double>(truth));
  for (Index i = 0; i < rows; ++i) {
    std::vector<double> row(columns);
    double f = 0.5;
    for (std::size_t j = 0; j < row.size(); ++j) {
      row[j] = random.below(3) == 0 ? 0.0 : std::round(64 * random.normal()) / 64;
      f += truth[j] * row[j];
    }
    const double noisy = f + 0.5 * random.normal();
    data.x.push_back(row);
    data.targets.push_back(is_hinge(loss) ? (noisy > 0 ? 1.0 : -1.0) : noisy);
    data.bounds.push_back(0.1 + 2 * random.uniform());
  }
  if (is_hinge(loss)) {
    data.targets[0] = 1;
    data.targets[rows - 1] = -1;
  }
  return data;
}

enum class Storage { dense_double, dense_float, sparse_double, sparse_float, column_major };
constexpr Storage all_storages[] = {Storage::dense_double, Storage::dense_float, Storage::sparse_double,
                                    Storage::sparse_float, Storage::column_major};

template <class T>
Samples dense_samples(const LinearData& data) {
  std::vector<T> values;
  for (const auto& row : data.x) {
    for (const double v : row) {
      values.push_back(static_cast<T>(v));
    }
  }
  return make_dense(std::move(values), data.rows(), data.columns());
}

template <class T>
Samples sparse_samples(const LinearData& data) {
  std::vector<T> values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> offsets{0};
  for (const auto& row : data.x) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] != 0) {
        values.push_back(static_cast<T>(row[j]));
        columns.push_back(static_cast<std::int32_t>(j));
      }
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  return make_sparse(std::move(values), std::move(columns), std::move(offsets), data.columns());
}

inline Samples column_major_samples(const LinearData& data) {
  auto values = std::make_shared<std::vector<double>>();
  for (Index j = 0; j < data.columns(); ++j) {
    for (const auto& row : data.x) {
      values->push_back(row[j]);
    }
  }
  return Samples(DenseRows<double>{values->data(), data.rows(), data.columns(), 1, data.rows()}, values);
}

inline Samples store(const LinearData& data, Storage storage) {
  switch (storage) {
    case Storage::dense_double:
      return dense_samples<double>(data);
    case Storage::dense_float:
      return dense_samples<float>(data);
    case Storage::sparse_double:
      return sparse_samples<double>(data);
    case Storage::sparse_float:
      return sparse_samples<float>(data);
    case Storage::column_major:
      break;
  }
  return column_major_samples(data);
}

inline LinearSvmResult solve(const LinearData& data, const LinearSvmOptions& options, const mercer::Run& run = {},
                             Storage storage = Storage::dense_double) {
  return solve_linear_svm({store(data, storage), data.targets, data.bounds}, options, run);
}

inline double loss_of(LinearLoss loss, double target, double f, double epsilon) {
  const double excess = is_hinge(loss) ? std::max(0.0, 1 - target * f) : std::max(0.0, std::fabs(target - f) - epsilon);
  return is_squared(loss) ? excess * excess : excess;
}

inline double primal_of(const LinearData& data, const LinearSvmOptions& options, const std::vector<double>& w,
                        double b) {
  double sum = 0;
  const double scaled = b / options.intercept_scale;
  for (const double weight : w) {
    sum += options.penalty == LinearPenalty::l1 ? std::fabs(weight) : 0.5 * weight * weight;
  }
  if (options.intercept == LinearIntercept::regularized) {
    sum += options.penalty == LinearPenalty::l1 ? std::fabs(scaled) : 0.5 * scaled * scaled;
  }
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    double f = b;
    for (std::size_t j = 0; j < w.size(); ++j) {
      f += w[j] * data.x[i][j];
    }
    sum += data.bounds[i] * loss_of(options.loss, data.targets[i], f, options.epsilon);
  }
  return sum;
}

// Σ_i β_i x_i, with the intercept's column, if it has one, at the end.
inline std::vector<double> combination(const LinearData& data, const LinearSvmOptions& options,
                                       const std::vector<double>& beta) {
  std::vector<double> sums(static_cast<std::size_t>(data.columns()) + 1);
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    for (std::size_t j = 0; j + 1 < sums.size(); ++j) {
      sums[j] += beta[i] * data.x[i][j];
    }
    sums.back() += options.intercept == LinearIntercept::regularized ? beta[i] * options.intercept_scale : 0.0;
  }
  return sums;
}

// The dual objective; the box, the constraint of an exact intercept and that of the l1 penalty are checked.
inline double dual_of(const LinearData& data, const LinearSvmOptions& options, const std::vector<double>& beta) {
  double sum = 0;
  double total = 0;
  double size = 0;
  for (std::size_t i = 0; i < beta.size(); ++i) {
    const double bound = data.bounds[i];
    if (is_hinge(options.loss)) {
      EXPECT_GE(beta[i] * data.targets[i], 0) << "row " << i;
    }
    if (!is_squared(options.loss) || bound == 0) {
      EXPECT_LE(std::fabs(beta[i]), bound) << "row " << i;
    }
    sum += data.targets[i] * beta[i] - (is_hinge(options.loss) ? 0.0 : options.epsilon * std::fabs(beta[i]));
    sum -= is_squared(options.loss) && bound > 0 ? beta[i] * beta[i] / (4 * bound) : 0.0;
    total += beta[i];
    size += std::fabs(beta[i]);
  }
  if (options.intercept == LinearIntercept::exact) {
    EXPECT_NEAR(total, 0, 1e-12 * (1 + size));
  }
  for (const double value : combination(data, options, beta)) {
    if (options.penalty == LinearPenalty::l1) {
      EXPECT_LE(std::fabs(value), 1 + 1e-9);
    } else {
      sum -= 0.5 * value * value;
    }
  }
  return sum;
}

// What the result says of itself is true, and the optimum is as close as it says.
inline void expect_certified(const LinearData& data, const LinearSvmOptions& options, const LinearSvmResult& result) {
  ASSERT_EQ(result.status, SolveStatus::converged);
  const double primal = primal_of(data, options, result.weights, result.intercept);
  const double dual = dual_of(data, options, result.dual_variables);
  EXPECT_NEAR(result.primal, primal, 1e-10 * (1 + primal));
  EXPECT_NEAR(result.dual, dual, 1e-10 * (1 + primal));
  EXPECT_EQ(result.gap, result.primal - result.dual);
  EXPECT_LE(result.gap, options.tolerance * result.primal);
  EXPECT_GE(result.gap, -1e-12 * (1 + primal));
  if (options.intercept == LinearIntercept::none) {
    EXPECT_EQ(result.intercept, 0);
  }
}

}  // namespace mercer::test
