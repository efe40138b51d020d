#include "mercer/solvers/convex/nonnegative_qp.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

namespace {

constexpr double relative_ridge = 1e-12;

void require_fitting(const NonnegativeQp& problem) {
  const auto size = static_cast<std::size_t>(problem.quadratic.rows());
  const auto fits = [&](std::span<const double> values) { return values.empty() || values.size() == size; };
  if (problem.quadratic.columns() != problem.quadratic.rows() || problem.linear.size() != size ||
      !fits(problem.equality) || !fits(problem.start) || (!problem.equality.empty() && problem.start.empty())) {
    throw InvalidArgument("a quadratic programme of " + std::to_string(size) +
                          " variables with vectors of other lengths, or an equality without a start");
  }
  if (std::any_of(problem.start.begin(), problem.start.end(), [](double x) { return !(x >= 0); })) {
    throw InvalidArgument("the start of a quadratic programme over nonnegative numbers has a number below 0");
  }
}

class ActiveSet {
 public:
  ActiveSet(const NonnegativeQp& problem, const Run& run) : problem_(problem), run_(run) {
    const auto size = static_cast<std::size_t>(problem.quadratic.rows());
    x_.assign(size, 0.0);
    barred_.assign(size, false);
    if (!problem.start.empty()) {
      x_.assign(problem.start.begin(), problem.start.end());
    }
    for (std::size_t k = 0; k < size; ++k) {
      const auto i = static_cast<Index>(k);
      ridge_ = std::max(ridge_, relative_ridge * problem.quadratic(i, i));
      if (x_[k] > 0) {
        free_.push_back(k);
      }
    }
    ridge_ = ridge_ > 0 ? ridge_ : relative_ridge;
  }

  std::vector<double> solve() {
    const std::size_t most = 20 * (x_.size() + 5);
    for (std::size_t step = 0; step < most; ++step) {
      run_.check_stop();
      if (!free_.empty() && !move_to_minimum()) {
        continue;
      }
      if (!release_one()) {
        break;
      }
    }
    return std::move(x_);
  }

 private:
  // The minimum on the free variables; false where a bound was in the way and one variable left the set.
  bool move_to_minimum() {
    const std::vector<double> step = newton_step();
    double reach = 1;
    std::size_t blocking = free_.size();
    for (std::size_t f = 0; f < free_.size(); ++f) {
      const double now = x_[free_[f]];
      if (now + step[f] < 0 && now <= -reach * step[f]) {
        reach = now / -step[f];
        blocking = f;
      }
    }
    for (std::size_t f = 0; f < free_.size(); ++f) {
      x_[free_[f]] = std::max(0.0, x_[free_[f]] + reach * step[f]);
    }
    if (blocking == free_.size()) {
      return true;
    }
    if (reach > 0) {
      barred_.assign(x_.size(), false);
    } else {
      barred_[free_[blocking]] = true;
    }
    x_[free_[blocking]] = 0;
    free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(blocking));
    return false;
  }

  double slope(std::size_t k) const {
    double sum = problem_.linear[k];
    for (const std::size_t f : free_) {
      sum += problem_.quadratic(static_cast<Index>(k), static_cast<Index>(f)) * x_[f];
    }
    return sum;
  }

  // From here, not from 0: where B is singular the minimum may be far away, and the sum must not suffer from it. With an
  // equality the free variable of the largest a gives way to all others: x_r = (total − Σ a_i x_i)/a_r.
  std::vector<double> newton_step() {
    const bool summed = !problem_.equality.empty();
    reference_ = free_.size();
    for (std::size_t f = 0; summed && f < free_.size(); ++f) {
      if (reference_ == free_.size() || problem_.equality[free_[f]] > problem_.equality[free_[reference_]]) {
        reference_ = f;
      }
    }
    std::vector<std::size_t> moving;
    std::vector<double> pull;  // a_i/a_r
    for (std::size_t f = 0; f < free_.size(); ++f) {
      if (f != reference_) {
        moving.push_back(f);
        pull.push_back(summed ? problem_.equality[free_[f]] / problem_.equality[free_[reference_]] : 0.0);
      }
    }
    const auto entry = [&](std::size_t f, std::size_t h) {
      return problem_.quadratic(static_cast<Index>(free_[f]), static_cast<Index>(free_[h]));
    };
    const auto size = static_cast<Index>(moving.size());
    Matrix<double> factor(size, size);
    std::vector<double> side(moving.size());
    const double reference_slope = summed ? slope(free_[reference_]) : 0.0;
    for (std::size_t i = 0; i < moving.size(); ++i) {
      for (std::size_t j = 0; j < moving.size(); ++j) {
        double value = entry(moving[i], moving[j]);
        if (summed) {
          value += pull[i] * pull[j] * entry(reference_, reference_) - pull[i] * entry(reference_, moving[j]) -
                   pull[j] * entry(moving[i], reference_);
        }
        factor(static_cast<Index>(i), static_cast<Index>(j)) = value;
      }
      side[i] = pull[i] * reference_slope - slope(free_[moving[i]]);
    }
    factorize(factor);
    cholesky_solve<double>(factor.view(), std::span<double>(side), run_);
    std::vector<double> step(free_.size(), 0.0);
    for (std::size_t i = 0; i < moving.size(); ++i) {
      step[moving[i]] = side[i];
      if (summed) {
        step[reference_] -= pull[i] * side[i];
      }
    }
    return step;
  }

  // With the least ridge that makes it positive: rounding may have taken more than the usual one gives.
  void factorize(Matrix<double>& matrix) const {
    const Matrix<double> given = Matrix<double>::copy_of(matrix.view());
    for (double ridge = ridge_;; ridge *= 100) {
      for (Index i = 0; i < matrix.rows(); ++i) {
        std::copy_n(given.view().row_data(i), i + 1, matrix.view().row_data(i));
        matrix(i, i) += ridge;
      }
      if (try_cholesky(matrix.view(), run_).ok) {
        return;
      }
      if (!std::isfinite(ridge)) {
        throw NumericalError("the matrix of a small quadratic programme is not finite");
      }
    }
  }

  // Lets the variable at 0 go that the objective wants most to be positive; false where none is.
  bool release_one() {
    const bool summed = !problem_.equality.empty() && !free_.empty();
    const double multiplier = summed ? -slope(free_[reference_]) / problem_.equality[free_[reference_]] : 0.0;
    double worst = 0;
    std::size_t chosen = x_.size();
    for (std::size_t k = 0; k < x_.size(); ++k) {
      if (barred_[k] || std::binary_search(free_.begin(), free_.end(), k)) {
        continue;
      }
      const double shift = summed ? multiplier * problem_.equality[k] : 0.0;
      const double gain = slope(k) + shift;
      const double noise = relative_ridge * (std::abs(problem_.linear[k]) + std::abs(shift));
      if (gain < -noise && gain < worst) {
        worst = gain;
        chosen = k;
      }
    }
    if (chosen == x_.size()) {
      return false;
    }
    free_.insert(std::lower_bound(free_.begin(), free_.end(), chosen), chosen);
    return true;
  }

  const NonnegativeQp& problem_;
  Run run_;
  std::vector<double> x_;
  std::vector<std::size_t> free_;  // ascending
  double ridge_ = 0;
  std::size_t reference_ = 0;  // among the free ones, at the last step
  std::vector<bool> barred_;   // let go at this point and back at once: at 0 to rounding
};

}  // namespace

std::vector<double> solve_nonnegative_qp(const NonnegativeQp& problem, const Run& run) {
  require_fitting(problem);
  return problem.linear.empty() ? std::vector<double>() : ActiveSet(problem, run.quiet()).solve();
}

}  // namespace mercer
