// Bandwidth: how far a smoothing kernel spreads a point, as a matrix H = L Lᵀ in squared units of the data,
//
//   K_H(x) = |L|^−1 K(L^−1 x),
//
// with L = h I (scalar), diag(h_1 … h_d) (diagonal) or the Cholesky factor of a full matrix. Data is taken to units of
// the bandwidth once, u = L^−1 x; everything else computes with bandwidth 1.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/base/words.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

enum class BandwidthForm { scalar, diagonal, full };
constexpr auto words_of(BandwidthForm) {
  return std::array{Word{BandwidthForm::scalar, "scalar"}, Word{BandwidthForm::diagonal, "diagonal"},
                    Word{BandwidthForm::full, "full"}};
}

class Bandwidth {
 public:
  Bandwidth() = default;
  /// InvalidArgument unless every width is positive and finite.
  static Bandwidth scalar(double width, Index dimension);
  static Bandwidth diagonal(std::vector<double> widths);
  /// From H, of which the lower triangle is read. NumericalError where it is not positive definite.
  static Bandwidth full(ConstMatrixView<double> matrix, const Run& run = {});
  /// From the lower triangle of L. InvalidArgument unless it is finite with a positive diagonal.
  static Bandwidth from_factor(ConstMatrixView<double> factor);

  Index dimension() const { return dimension_; }
  bool is_diagonal() const { return is_diagonal_; }
  /// L, with zeros above the diagonal.
  ConstMatrixView<double> factor() const { return {factor_.data(), dimension_, dimension_}; }
  /// √H_jj, the width along an axis.
  double width(Index axis) const;
  /// ln |L|.
  double log_determinant() const;

  /// The same form, so many times as wide.
  Bandwidth scaled(double times) const;
  /// The bandwidth of the marginal on these axes: the block of H.
  Bandwidth marginal(std::span<const Index> axes) const;

  /// n × d: L^−1 x per row.
  Matrix<double> whiten(ConstMatrixView<double> x) const;
  /// x = L u, in place.
  void color(std::span<double> u) const;

 private:
  Index dimension_ = 0;
  std::vector<double> factor_;  // L by rows
  bool is_diagonal_ = true;
};

}  // namespace mercer
