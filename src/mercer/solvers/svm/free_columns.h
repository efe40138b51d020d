// FreeColumns: the part of a weighted least squares problem that is not penalised (the offset, features of penalty
// factor 0), taken out by projection, and put back once the rest is known.
#pragma once

#include <span>
#include <vector>

#include "mercer/linalg/matrix.h"

namespace mercer {

enum class NetIntercept { none, fitted };

class FreeColumns {
 public:
  /// Orthonormal directions of √W[1, Φ_F], F the features of factor 0, by Gram-Schmidt, twice; dependent ones are left
  /// out. n|F|² flops.
  FreeColumns(ConstMatrixView<double> features, std::span<const double> weights, std::span<const double> factors,
              NetIntercept intercept);

  double root_weight(Index i) const { return roots_[i]; }
  /// √w times a feature or target, without its part in the free columns; what is at the level of rounding is 0.
  void project_column(ConstMatrixView<double> features, Index column, std::span<double> out) const;
  void project_target(ConstMatrixView<double> targets, Index column, std::span<double> out) const {
    project_column(targets, column, out);
  }
  /// The offsets and the free rows of the coefficients (M × C), given the others.
  void recover(ConstMatrixView<double> features, ConstMatrixView<double> targets, MatrixView<double> coefficients,
               std::span<double> intercepts) const;

 private:
  // Gram-Schmidt against the directions so far; what was taken out is added to `parts` where given.
  void reduce(std::span<double> x, std::vector<double>* parts) const;
  void append(std::vector<double> column, Index feature);

  std::vector<double> roots_;
  std::vector<std::vector<double>> directions_;
  std::vector<std::vector<double>> triangle_;  // row p: the parts of free column p in directions 0..p
  std::vector<Index> sources_;                 // feature of every direction, −1: the constant
};

}  // namespace mercer
