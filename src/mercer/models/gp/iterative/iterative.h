// (K + noise) X = Y by preconditioned conjugate gradients, for n where the matrix does not fit or is not wanted: K is
// multiplied as it is evaluated, so that the memory is that of the preconditioner. Two of them:
//
//   low rank        K ≈ FF' by randomly pivoted Cholesky: noise + FF', inverted by Woodbury's identity; n × rank numbers
//   float factor    the Cholesky factor of K + noise in single precision: half the memory and half the time of the
//                   double one; the iteration refines its answer to double in a few products
//
// Determinants and variances come from the float factor as it is where that is good enough, which is measured. It is not
// where K is large against the noise (from some 1e4 times on): rounding in single precision, or the shift that the
// factorisation then needs, hides the noise. There the factor P serves as a preconditioner only: variances come from the
// iteration, and the determinant from the low-rank approximation, whose bounds hold it; where they are wide, from
// ln|A| = ln|P| + tr ln P^-1 A, estimated between them (linalg/trace_logarithm.h).
//
// Both are built for the symmetrically scaled system D^-½(K + D)D^-½ = 1 + K̃, so noise may differ per sample. Gardner et al.
// (2018); Díaz et al. (2023); Higham, Accuracy and Stability of Numerical Algorithms, 12.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "mercer/gram/gram.h"
#include "mercer/gram/low_rank.h"
#include "mercer/linalg/conjugate_gradient.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/trace_logarithm.h"

namespace mercer {

enum class SystemPreconditioner { none, low_rank, float_factor };

struct IterativeOptions {
  SystemPreconditioner preconditioner = SystemPreconditioner::low_rank;
  Index rank = 0;           ///< of the low-rank one; 0: 12√n, at least 200 and at most 2000
  double tolerance = 1e-8;  ///< on |y - (K + noise)x| / |y| of every column
  Index max_iterations = 1000;

  void validate() const;
};

struct IterativeSolution {
  SolveStatus status = SolveStatus::converged;
  Index iterations = 0;              ///< products with K
  double residual = 0;               ///< the largest relative residual of the columns
  std::vector<double> history = {};  ///< the largest relative residual of the columns after every product
};

/// The rank that 0 stands for.
Index automatic_rank(Index n);

/// Two numbers that hold the log evidence between them, and what it is taken to be: the lower one, unless it was estimated.
struct EvidenceInterval {
  double lower = 0;
  double upper = 0;
  double value = 0;
  double standard_error = 0;  ///< of an estimate
};

/// K + diag(noise), ready to be solved with. Immutable after construction; shared by threads.
class IterativeSystem {
 public:
  /// Builds the preconditioner: O(n rank²), or n³/3 flops in float and n² floats of memory, and one product with K to
  /// check it. One positive noise per row, or one for all. Where the float factor fails, its diagonal is raised, by more
  /// each time (see shift()); the solution is not affected, the iteration is longer. Where its determinant is not good
  /// enough, the low-rank one is built beside it, and takes its place altogether where it leaves nothing unexplained.
  /// NumericalError where no shift helps.
  IterativeSystem(std::shared_ptr<const Gram<double>> gram, std::vector<double> noise, const IterativeOptions& options,
                  const Run& run);

  Index size() const { return gram_->size(); }
  const IterativeOptions& options() const { return options_; }
  /// Rank of the low-rank preconditioner, 0 where there is none.
  Index rank() const;
  /// tr(K̃ - F̃F̃')/n of the scaled system: the smaller, the fewer iterations; 0 without a low-rank preconditioner.
  double mean_residual() const { return mean_residual_; }
  /// What the float factor's diagonal was raised by, in units of the scaled system, where the noise is 1.
  double shift() const { return shift_; }
  /// Whether the float factor's determinant is that of the system: to 1e-3 of n in its logarithm, measured.
  bool has_exact_determinant() const { return exact_determinant_; }
  /// Whether the float factor gives variances without refinement: to 1 % at training rows, measured.
  bool has_exact_variances() const { return exact_variances_; }
  double least_noise() const;

  /// X (n × m; a starting guess, zeros are fine) becomes (K + noise)^-1 Y. A stop leaves the best X so far and the
  /// status stopped. Reports progress with the residual. Six n × m blocks of memory.
  IterativeSolution solve(ConstMatrixView<double> y, MatrixView<double> x, const Run& run) const;
  /// The same to another tolerance and with another limit.
  IterativeSolution solve(ConstMatrixView<double> y, MatrixView<double> x, double tolerance, Index max_iterations,
                          const Run& run) const;

  /// Y - (K + noise) X: one product.
  Matrix<double> residual(ConstMatrixView<double> y, ConstMatrixView<double> x, const Run& run) const;

  /// Bounds of the log evidence of all columns of y, given x = (K + noise)^-1 y to any accuracy: one product with K.
  /// Low rank: ln|1 + F̃F̃'| <= ln|1 + K̃| <= ln|1 + F̃F̃'| + n ln(1 + mean_residual()), and 2y'x - x'Ax <= y'A^-1 y
  /// <= that + r'P^-1 r with P the preconditioner (Artemev, Burt & van der Wilk 2021).
  /// The same for a float factor whose determinant is not exact, with an estimate between the bounds, for up to 30
  /// products with K; where it is exact, that determinant and no bounds. No preconditioner: InvalidArgument.
  EvidenceInterval log_evidence(ConstMatrixView<double> y, ConstMatrixView<double> x, const Run& run) const;

  /// The float factor L of the scaled system 1 + K̃ and the scaling D^-½; empty where there is none.
  ConstMatrixView<float> float_factor() const { return single_.view(); }
  std::span<const double> scaling() const { return scaling_; }

 private:
  void build_low_rank(const Run& run);
  void build_float_factor(const Run& run);
  void fill_single(const Run& run);
  void check_float_factor(const Run& run);
  void solve_single(MatrixView<double> z, const Run& run) const;
  template <class Solve>
  void in_single(MatrixView<double> z, const Solve& solve) const;
  TraceEstimate float_determinant(const Run& run) const;
  void weigh(MatrixView<double> z) const;
  void precondition(ConstMatrixView<double> r, MatrixView<double> z, const Run& run) const;
  void multiply(ConstMatrixView<double> x, MatrixView<double> y, const Run& run) const;

  std::shared_ptr<const Gram<double>> gram_;
  std::vector<double> noise_;
  std::vector<double> scaling_;  // 1/√noise
  IterativeOptions options_;
  Matrix<double> low_rank_;  // F̃
  std::optional<LowRankSolver<double>> solver_;
  Matrix<float> single_;
  double mean_residual_ = 0;
  double shift_ = 0;
  bool exact_determinant_ = false;
  bool exact_variances_ = false;
};

}  // namespace mercer
