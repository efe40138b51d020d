#include "mercer/solvers/svm/box_step.h"

#include <algorithm>
#include <cmath>

#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

namespace {

class ModelInBox {
 public:
  ModelInBox(ConstMatrixView<double> b, std::span<const double> gradient, std::span<const double> lower,
             std::span<const double> upper)
      : b_(b),
        gradient_(gradient),
        lower_(lower),
        upper_(upper),
        d_(gradient.size(), 0.0),
        slope_(gradient.begin(), gradient.end()),
        held_(gradient.size()) {
    for (std::size_t i = 0; i < d_.size(); ++i) {
      held_[i] = is_held_back(i) ? 1 : 0;
    }
  }

  BoxStep minimize(const Run& run) {
    // A bound is held once per set at most; the limit is against cycles of rounding.
    const std::size_t most = 8 * d_.size() + 8;
    for (std::size_t round = 0; round < most; ++round) {
      const Reached reached = go_to_minimum(run);
      if (reached == Reached::nothing || (reached == Reached::minimum && !release())) {
        break;
      }
    }
    BoxStep result{.step = d_};
    for (std::size_t i = 0; i < d_.size(); ++i) {
      result.decrease -= 0.5 * d_[i] * (gradient_[i] + slope_[i]);
    }
    return result;
  }

 private:
  enum class Reached { minimum, bound, nothing };

  // At a bound that the slope pushes against.
  bool is_held_back(std::size_t i) const {
    return (d_[i] <= lower_[i] && slope_[i] > 0) || (d_[i] >= upper_[i] && slope_[i] < 0);
  }

  // Moves the free variables to the minimum over them, or as far as the first bound.
  Reached go_to_minimum(const Run& run) {
    std::vector<std::size_t> free;
    std::vector<double> move;
    for (std::size_t i = 0; i < d_.size(); ++i) {
      if (held_[i] == 0) {
        free.push_back(i);
        move.push_back(-slope_[i]);
      }
    }
    const auto m = static_cast<Index>(free.size());
    if (m == 0) {
      return Reached::minimum;
    }
    Matrix<double> part(m, m);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < m; ++j) {
        part(i, j) = b_(static_cast<Index>(free[i]), static_cast<Index>(free[j]));
      }
    }
    if (!try_cholesky<double>(part.view(), run).ok) {
      return Reached::nothing;
    }
    cholesky_solve<double>(std::as_const(part).view(), std::span<double>(move), run);
    double length = 1;
    std::size_t first = d_.size();
    for (std::size_t k = 0; k < free.size(); ++k) {
      const std::size_t i = free[k];
      const double room = std::abs((move[k] > 0 ? upper_[i] : lower_[i]) - d_[i]);
      if (std::abs(move[k]) * length > room) {
        length = room / std::abs(move[k]);
        first = k;
      }
    }
    for (std::size_t k = 0; k < free.size(); ++k) {
      const std::size_t i = free[k];
      d_[i] = std::clamp(d_[i] + length * move[k], lower_[i], upper_[i]);
    }
    if (first < free.size()) {
      d_[free[first]] = move[first] > 0 ? upper_[free[first]] : lower_[free[first]];
      held_[free[first]] = 1;
    }
    update_slope();
    return first < free.size() ? Reached::bound : Reached::minimum;
  }

  void update_slope() {
    for (std::size_t i = 0; i < d_.size(); ++i) {
      slope_[i] = gradient_[i];
      for (std::size_t j = 0; j < d_.size(); ++j) {
        slope_[i] += b_(static_cast<Index>(i), static_cast<Index>(j)) * d_[j];
      }
    }
  }

  bool release() {
    bool any = false;
    for (std::size_t i = 0; i < d_.size(); ++i) {
      // What rounding leaves of a slope releases nothing.
      const double negligible = 1e-12 * std::abs(gradient_[i]);
      if (held_[i] != 0 && lower_[i] < upper_[i] && !is_held_back(i) && std::abs(slope_[i]) > negligible) {
        held_[i] = 0;
        any = true;
      }
    }
    return any;
  }

  ConstMatrixView<double> b_;
  std::span<const double> gradient_;
  std::span<const double> lower_;
  std::span<const double> upper_;
  std::vector<double> d_;
  std::vector<double> slope_;  // g + Bd
  std::vector<char> held_;
};

}  // namespace

BoxStep minimize_model_in_box(ConstMatrixView<double> b, std::span<const double> gradient,
                              std::span<const double> lower, std::span<const double> upper, const Run& run) {
  return ModelInBox(b, gradient, lower, upper).minimize(run);
}

}  // namespace mercer
