#include "mercer/solvers/convex/linear_program_polish.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

using RowMajorCorner = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;

class CornerSearch {
 public:
  // `favor` > 1 takes more coefficients as in use, `reach` > 1 more rows as held.
  CornerSearch(const ProgramColumns& columns, const CheckLosses& losses, std::span<const double> prices,
               const InteriorPoint& point, double favor, double reach)
      : features_(columns.features),
        unpriced_(columns.unpriced),
        losses_(losses),
        prices_(prices),
        has_offset_(columns.has_offset),
        is_nonnegative_(columns.signs == CoefficientSigns::nonnegative) {
    present_.unpriced = point.unpriced;
    present_.multipliers = point.multipliers;
    for (std::size_t j = 0; j < prices.size(); ++j) {
      present_.coefficients.push_back(point.positive[j] - point.negative[j]);
    }
    find_objective(present_);
    drop_zeros(point, favor);
    find_held_rows(point, reach);
    find_unit();
  }

  PolishedPoint solve() {
    if (!held_.empty() && (!active_.empty() || unpriced_.columns() > 0)) {
      const Eigen::CompleteOrthogonalDecomposition<RowMajorCorner> corner(corner_matrix());
      try_coefficients(corner);
      try_multipliers();
    }
    return present_;
  }

  double certified_dual(const std::vector<double>& theta) const;

 private:
  std::vector<double> values_of(const PolishedPoint& candidate) const {
    std::vector<double> values(losses_.targets.size(), has_offset_ ? candidate.unpriced.back() : 0.0);
    for (Index i = 0; i < unpriced_.rows(); ++i) {
      for (Index k = 0; k + (has_offset_ ? 1 : 0) < unpriced_.columns(); ++k) {
        values[i] += unpriced_(i, k) * candidate.unpriced[k];
      }
    }
    gemv(1.0, features_, Transpose::no, candidate.coefficients, 1.0, values);
    return values;
  }
  void find_objective(PolishedPoint& candidate) const {
    candidate.objective = total_loss(losses_, values_of(candidate));
    for (std::size_t j = 0; j < prices_.size(); ++j) {
      candidate.objective += prices_[j] * std::abs(candidate.coefficients[j]);
    }
  }
  void drop_zeros(const InteriorPoint& point, double favor);
  void find_held_rows(const InteriorPoint& point, double reach);
  void find_unit();
  RowMajorCorner corner_matrix() const;
  void try_coefficients(const Eigen::CompleteOrthogonalDecomposition<RowMajorCorner>& corner);
  void try_multipliers();

  double asked_of(double sum) const { return is_nonnegative_ ? std::max(0.0, sum) : std::abs(sum); }
  // Of the offset's column summed as it is, without products.
  double unpriced_sum(Index k, const std::vector<double>& theta) const {
    const bool is_ones = has_offset_ && k + 1 == unpriced_.columns();
    double sum = 0;
    for (std::size_t i = 0; i < theta.size(); ++i) {
      sum += is_ones ? theta[i] : unpriced_(static_cast<Index>(i), k) * theta[i];
    }
    return sum;
  }

  ConstMatrixView<double> features_;
  ConstMatrixView<double> unpriced_;
  const CheckLosses& losses_;
  std::span<const double> prices_;
  bool has_offset_;
  bool is_nonnegative_;
  PolishedPoint present_;
  std::vector<std::size_t> active_;
  std::vector<std::size_t> held_;
  double unit_ = 1;  // of the features beside the ones of the offset
};

void CornerSearch::drop_zeros(const InteriorPoint& point, double favor) {
  PolishedPoint sparse = present_;
  std::vector<std::size_t> active;
  for (std::size_t j = 0; j < prices_.size(); ++j) {
    // Both sides as fractions, of the objective and of the price: at the end one is near 0 and the other is not.
    const double c = prices_[j];
    const double level = favor * c * c / present_.objective;
    const bool in_use =
        point.positive[j] * level > point.positive_slack[j] || point.negative[j] * level > point.negative_slack[j];
    if (in_use) {
      active.push_back(j);
    } else {
      sparse.coefficients[j] = 0;
    }
  }
  find_objective(sparse);
  active_ = std::move(active);
  present_ = std::move(sparse);
}

void CornerSearch::find_held_rows(const InteriorPoint& point, double reach) {
  double size = 0;
  for (const double target : losses_.targets) {
    size = std::max(size, std::abs(target - (has_offset_ ? present_.unpriced.back() : 0.0)));
  }
  for (std::size_t i = 0; i < losses_.targets.size(); ++i) {
    if (point.row_freedom[i] * (losses_.up[i] + losses_.down[i]) < reach * size && point.multipliers[i] != 0) {
      held_.push_back(i);
    }
  }
}

// The power of two nearest to the largest feature of the corner: rank and smallest change must not depend on units.
void CornerSearch::find_unit() {
  double largest = 0;
  for (const std::size_t i : held_) {
    for (const std::size_t j : active_) {
      largest = std::max(largest, std::abs(features_(static_cast<Index>(i), static_cast<Index>(j))));
    }
  }
  unit_ = largest > 0 && std::isfinite(largest) ? std::exp2(std::round(std::log2(largest))) : 1.0;
}

// Held rows × coefficients in use, and the columns without a price; features in units of their own.
RowMajorCorner CornerSearch::corner_matrix() const {
  RowMajorCorner corner(static_cast<Eigen::Index>(held_.size()),
                        static_cast<Eigen::Index>(active_.size()) + unpriced_.columns());
  for (std::size_t r = 0; r < held_.size(); ++r) {
    const auto row = static_cast<Eigen::Index>(r);
    for (std::size_t k = 0; k < active_.size(); ++k) {
      corner(row, static_cast<Eigen::Index>(k)) =
          features_(static_cast<Index>(held_[r]), static_cast<Index>(active_[k])) / unit_;
    }
    for (Index k = 0; k < unpriced_.columns(); ++k) {
      corner(row, static_cast<Eigen::Index>(active_.size()) + k) = unpriced_(static_cast<Index>(held_[r]), k);
    }
  }
  return corner;
}

// The smallest change that brings the held rows to their kinks.
void CornerSearch::try_coefficients(const Eigen::CompleteOrthogonalDecomposition<RowMajorCorner>& corner) {
  for (int pass = 0; pass < 3; ++pass) {
    const std::vector<double> values = values_of(present_);
    Eigen::VectorXd distances(static_cast<Eigen::Index>(held_.size()));
    for (std::size_t r = 0; r < held_.size(); ++r) {
      const std::size_t i = held_[r];
      const double kink = losses_.targets[i] - std::copysign(losses_.tube[i], present_.multipliers[i]);
      distances(static_cast<Eigen::Index>(r)) = kink - values[i];
    }
    const Eigen::VectorXd change = corner.solve(distances);
    PolishedPoint candidate = present_;
    for (std::size_t k = 0; k < active_.size(); ++k) {
      double& coefficient = candidate.coefficients[active_[k]];
      coefficient += change(static_cast<Eigen::Index>(k)) / unit_;
      coefficient = is_nonnegative_ ? std::max(0.0, coefficient) : coefficient;
    }
    for (Index k = 0; k < unpriced_.columns(); ++k) {
      candidate.unpriced[k] += change(static_cast<Eigen::Index>(active_.size()) + k);
    }
    find_objective(candidate);
    if (!(candidate.objective < present_.objective)) {
      return;
    }
    present_ = std::move(candidate);
  }
}

// The dual value of θ once it is shrunk into what the columns' prices allow.
double CornerSearch::certified_dual(const std::vector<double>& theta) const {
  std::vector<double> sums(prices_.size());
  gemv(1.0, features_, Transpose::yes, theta, 0.0, sums);
  double excess = 1;
  for (std::size_t j = 0; j < prices_.size(); ++j) {
    excess = std::max(excess, asked_of(sums[j]) / prices_[j]);
  }
  double value = 0;
  for (std::size_t i = 0; i < theta.size(); ++i) {
    if (theta[i] < -losses_.down[i] || theta[i] > losses_.up[i]) {
      return -1;
    }
    value += losses_.targets[i] * theta[i] - losses_.tube[i] * std::abs(theta[i]);
  }
  return value / excess;
}

// θ at its bounds where rows are not held, and there as the prices of the coefficients in use say.
void CornerSearch::try_multipliers() {
  std::vector<double> theta = present_.multipliers;
  std::vector<double> clamped = theta;
  for (std::size_t i = 0; i < theta.size(); ++i) {
    clamped[i] = std::clamp(theta[i], -losses_.down[i], losses_.up[i]);
    if (!std::binary_search(held_.begin(), held_.end(), i)) {
      const double bounds[] = {-losses_.down[i], losses_.tube[i] > 0 ? 0.0 : losses_.up[i], losses_.up[i]};
      theta[i] = *std::min_element(std::begin(bounds), std::end(bounds), [&](double a, double b) {
        return std::abs(a - present_.multipliers[i]) < std::abs(b - present_.multipliers[i]);
      });
    }
  }
  present_.multipliers = clamped;
  const Eigen::CompleteOrthogonalDecomposition<RowMajorCorner> transposed(corner_matrix().transpose());
  for (int pass = 0; pass < 2; ++pass) {
    std::vector<double> sums(prices_.size());
    gemv(1.0, features_, Transpose::yes, theta, 0.0, sums);
    Eigen::VectorXd distances(static_cast<Eigen::Index>(active_.size()) + unpriced_.columns());
    for (std::size_t k = 0; k < active_.size(); ++k) {
      const std::size_t j = active_[k];
      distances(static_cast<Eigen::Index>(k)) = (std::copysign(prices_[j], present_.coefficients[j]) - sums[j]) / unit_;
    }
    for (Index k = 0; k < unpriced_.columns(); ++k) {
      distances(static_cast<Eigen::Index>(active_.size()) + k) = -unpriced_sum(k, theta);
    }
    const Eigen::VectorXd change = transposed.solve(distances);
    for (std::size_t r = 0; r < held_.size(); ++r) {
      const std::size_t i = held_[r];
      theta[i] = std::clamp(theta[i] + change(static_cast<Eigen::Index>(r)), -losses_.down[i], losses_.up[i]);
    }
  }
  double sum = 0;
  double size = 0;
  for (const double value : theta) {
    size += std::abs(value);
  }
  for (Index k = 0; k < unpriced_.columns(); ++k) {
    sum = std::max(sum, std::abs(unpriced_sum(k, theta)));
  }
  if (sum <= 1e-12 * size && certified_dual(theta) > certified_dual(clamped)) {
    present_.multipliers = std::move(theta);
  }
}

}  // namespace

PolishedPoint polish_program(const ProgramColumns& columns, const CheckLosses& losses, std::span<const double> prices,
                             const InteriorPoint& point, double tolerance, const Run& run) {
  PolishedPoint best;
  best.objective = std::numeric_limits<double>::infinity();
  double best_dual = -std::numeric_limits<double>::infinity();
  // A nearly degenerate program does not say clearly what is 0 at the point: guesses on both sides, until one is a corner.
  for (const double favor : {1.0, 1e2, 1e-2, 1e4}) {
    for (const double reach : {1.0, 1e-2, 1e2}) {
      run.check_stop();
      CornerSearch search(columns, losses, prices, point, favor, reach);
      const PolishedPoint candidate = search.solve();
      const double dual = search.certified_dual(candidate.multipliers);
      if (candidate.objective < best.objective * (1 - 1e-13)) {
        best.coefficients = candidate.coefficients;
        best.unpriced = candidate.unpriced;
        best.objective = candidate.objective;
      }
      if (dual > best_dual) {
        best.multipliers = candidate.multipliers;
        best_dual = dual;
      }
      if (best.objective - best_dual <= tolerance * best.objective) {
        return best;
      }
    }
  }
  return best;
}

}  // namespace mercer
