// Nyström least squares for many rows, by preconditioned conjugate gradients (Falkon): the function of the span of M
// landmarks z, plus an unpenalised constant, that minimises
//
//   Σ_i w_i (y_i − f(x_i) − b)² + λ‖f‖²,   f = Σ_j a_j k(z_j, ·):   (KᵀWK + λ K_MM) a + KᵀW1 b = KᵀWy,  K = k(x, z)
//
// The iteration runs in the coordinates of falkon_factor.h, where the system is near the identity: the relative residual
// there is, up to its condition number, the relative error of f in the norm that is minimised. Products are made in
// single precision; the residual is evaluated in double, and the correction solved for again, until it is as small as
// asked. Where single precision no longer improves it, products are made in double too. All outputs share each pass over
// K, and leave the iteration when they are done.
// References: Rudi, Carratino & Rosasco (2017), FALKON; Meanti, Carratino, Rosasco & Rudi (2020), Kernel methods through
// the roof; Higham (2002), Accuracy and Stability of Numerical Algorithms, 12.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/gram/falkon_rows.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/solvers/falkon/falkon_factor.h"

namespace mercer {

/// Of products with K. mixed: single precision, refined by residuals in double. The others: everything in that one.
enum class FalkonPrecision { mixed, single_precision, double_precision };
constexpr auto words_of(FalkonPrecision) {
  return std::array{Word{FalkonPrecision::mixed, "mixed"}, Word{FalkonPrecision::single_precision, "float"},
                    Word{FalkonPrecision::double_precision, "double"}};
}

struct FalkonOptions {
  double lambda = 1;        ///< positive
  double tolerance = 1e-7;  ///< on the residual in the coordinates of the preconditioner, relative, per output
  Index max_iterations = 200;
  FalkonPrecision precision = FalkonPrecision::mixed;

  /// Throws InvalidArgument.
  void validate() const;
};

struct FalkonSolution {
  Matrix<double> coefficients;  ///< a, M × outputs
  std::vector<double> offsets;  ///< b, per output; 0 without offset
  SolveStatus status = SolveStatus::converged;
  Index iterations = 0;         ///< products with KᵀWK that were iterations
  Index passes = 0;             ///< over K: those, and the residuals
  Index double_iterations = 0;  ///< of the iterations, those in double precision
  /// The largest relative residual of the outputs after every iteration, by the recurrence; checked() are the true ones.
  std::vector<double> history;
  std::vector<double> checked;  ///< after every solve of a correction; the last one is that of the result
  double residual = 1;          ///< the last of these
  double norm_squared = 0;      ///< Σ_o ‖f_o‖²
};

/// Rows that estimate S, and what they weigh: landmarks (indices of rows drawn uniformly), or a sample of rows.
struct FalkonSample {
  enum class Kind { landmarks, rows } kind = Kind::landmarks;
  std::vector<Index> rows;  ///< which rows these are, also of landmarks
};

/// `targets` n × outputs, `weights` n positive numbers. `factor` is built for λ and these weights here. A stop gives the
/// best solution so far and the status stopped; a stop before there is one throws Stopped. Four M × outputs blocks, and
/// as much again for every solve, beside the factor.
FalkonSolution solve_falkon(const FalkonRows& rows, FalkonFactor& factor, const FalkonSample& sample,
                            ConstMatrixView<double> targets, std::span<const double> weights,
                            const FalkonOptions& options, const Run& run);

/// Builds the factor's L for these row weights (of the sample's rows, n long) and λ.
void build_factor(FalkonFactor& factor, const FalkonRows& rows, const FalkonSample& sample,
                  std::span<const double> weights, double lambda, const Run& run);

/// Landmarks: `count` distinct rows drawn uniformly, or by randomly pivoted Cholesky of a uniform sample of rows as
/// large as `memory_bytes` allow (a factor of count floats per row). Fewer where the rows do not span more.
std::vector<Index> uniform_landmarks(Index rows, Index count, const Run& run);
std::vector<Index> pivoted_landmarks(const Kernel& kernel, const Samples& samples, Index count, double memory_bytes,
                                     const Run& run);
/// The rows that estimate S beside pivoted landmarks: twice as many, drawn uniformly.
std::vector<Index> sketch_sample(Index rows, Index landmarks, const Run& run);

}  // namespace mercer
