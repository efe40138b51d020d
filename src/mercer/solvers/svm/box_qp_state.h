// The state of a box-constrained quadratic programme while it is solved: coefficients, gradient, and which rows are
// active. Variable t belongs to row t mod n (box_qp.h).
#pragma once

#include <array>
#include <vector>

#include "mercer/solvers/svm/box_qp.h"

namespace mercer {

class BoxQpState {
 public:
  BoxQpState(const BoxQp& problem, Index rows);

  Index rows() const { return rows_; }
  Index variables() const { return static_cast<Index>(coefficients_.size()); }
  Index row_of(Index t) const { return t < rows_ ? t : t - rows_; }
  int groups() const { return problem_.group.empty() ? 1 : 2; }
  int group(Index t) const { return problem_.group.empty() ? 0 : problem_.group[at(t)]; }
  double lower(Index t) const { return problem_.lower[at(t)]; }
  double upper(Index t) const { return problem_.upper[at(t)]; }
  double ridge(Index t) const { return problem_.ridge.empty() ? 0.0 : problem_.ridge[at(t)]; }
  std::span<const double> coefficients() const { return coefficients_; }
  double coefficient(Index t) const { return coefficients_[at(t)]; }
  bool can_rise(Index t) const { return coefficient(t) < upper(t); }
  bool can_fall(Index t) const { return coefficient(t) > lower(t); }
  double gradient(Index t) const { return values_[at(row_of(t))] + offsets_[at(t)]; }

  /// Kβ per row; whoever changes a coefficient brings it up to date.
  std::vector<double>& values() { return values_; }
  void set_coefficient(Index t, double coefficient);

  /// Σ of the coefficients per row, where it is not 0.
  struct RowCoefficients {
    std::vector<Index> rows;
    std::vector<double> coefficients;
  };
  RowCoefficients row_coefficients() const;
  std::vector<double> row_sums() const;

  /// Smallest gradient of what can rise and largest of what can fall, per group, over the given rows.
  struct Extremes {
    std::array<double, 2> smallest{};
    std::array<double, 2> largest{};
    double gap = 0;
  };
  Extremes extremes(std::span<const Index> rows) const;

  /// The rows with a variable that is free, or at a bound that it would leave, or keep by no more than `margin`, if the
  /// level of its group stayed what it is.
  std::vector<Index> unsettled(double margin) const;

  double objective() const;
  /// The gradient of a group's free variables: their mean, or where none is free the interval between what can fall and
  /// what can rise (infinite where it has no such end). Variables within rounding of a bound are at it: sums that do not
  /// come out even must not decide which end of the interval it is.
  struct LevelRange {
    double lowest = 0;
    double highest = 0;
  };
  LevelRange level_range(int group) const;
  /// Its middle, or its end where it has only one.
  double level(int group) const;
  std::vector<double> take_coefficients() { return std::move(coefficients_); }

 private:
  static std::size_t at(Index t) { return static_cast<std::size_t>(t); }

  const BoxQp& problem_;
  Index rows_;
  std::vector<double> coefficients_;
  std::vector<double> offsets_;  // q + ridge · β
  std::vector<double> values_;
};

}  // namespace mercer
