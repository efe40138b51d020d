// Eigenvalues and eigenvectors of symmetric matrices: all of them by LAPACK's divide and conquer, or a few at one end
// of the spectrum of an operator that is never stored.
//
// The latter is block Krylov with Rayleigh-Ritz and thick restarts (Stathopoulos and Saad 1998; without a
// preconditioner it is block Lanczos with full orthogonalisation).
#pragma once

#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/block_operator.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/solve_status.h"

namespace mercer {

template <class T>
struct SymmetricEigen {
  std::vector<T> values;  ///< ascending
  Matrix<T> vectors;      ///< column j belongs to values[j]; orthonormal
};

/// All eigenpairs of A, of which only the lower triangle is read. About 9 n^3 flops on one thread, 3 n^2 memory; cannot
/// be stopped while LAPACK runs. Throws NumericalError where A has entries that are not finite.
SymmetricEigen<double> symmetric_eigen(ConstMatrixView<double> a, const Run& run);
SymmetricEigen<float> symmetric_eigen(ConstMatrixView<float> a, const Run& run);

/// The eigenvalues alone, ascending; about 4/3 n^3 flops.
std::vector<double> symmetric_eigenvalues(ConstMatrixView<double> a, const Run& run);
std::vector<float> symmetric_eigenvalues(ConstMatrixView<float> a, const Run& run);

enum class SpectrumEnd { largest, smallest };

struct EigenOptions {
  double tolerance = 1e-8;  ///< on |A v - theta v| relative to the largest |theta| met
  int max_products = 500;   ///< block products with A
  SpectrumEnd end = SpectrumEnd::largest;

  void validate() const;
};

template <class T>
struct LeadingEigen {
  SolveStatus status = SolveStatus::converged;
  int products = 0;               ///< block products with A
  std::vector<T> values;          ///< from the end of the spectrum inwards
  Matrix<T> vectors;              ///< n x k, column j belongs to values[j]
  std::vector<double> residuals;  ///< |A v - theta v|
};

/// The `count` largest (or smallest) eigenpairs, by value, of a symmetric operator of order `size`. count is cut to
/// size. The start is random, from run.seed(). Never throws Stopped: a stop returns what there is. Memory
/// about 2 n (4 count + 32) numbers.
template <class T>
LeadingEigen<T> leading_eigenpairs(const BlockOperator<T>& multiply, Index size, Index count,
                                   const EigenOptions& options, const Run& run);

/// The same from a start that is known to be near (n x b, b at least count): its columns are the first block, and b is
/// the size of the blocks. Memory about 3 n (4 b + 16) numbers.
template <class T>
LeadingEigen<T> leading_eigenpairs(const BlockOperator<T>& multiply, ConstMatrixViewOf<T> start, Index count,
                                   const EigenOptions& options, const Run& run);

}  // namespace mercer
