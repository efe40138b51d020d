// tr ln M of a symmetric positive definite matrix that is only known by its products: stochastic Lanczos quadrature. For
// random signs z, E z'(ln M)z = tr ln M, and k steps of Lanczos from z give Gauss quadrature of z'(ln M)z: exact for
// polynomials of degree 2k − 1 in place of the logarithm. Near the identity, as a preconditioned matrix is, a few steps
// and a few vectors are enough. Ubaru, Chen & Saad (2017).
#pragma once

#include "mercer/base/run.h"
#include "mercer/linalg/block_operator.h"

namespace mercer {

struct TraceLogarithmOptions {
  Index probes = 8;         ///< vectors of random signs
  Index max_steps = 30;     ///< products with M, of all probes at once
  double tolerance = 1e-5;  ///< the steps end where the estimate moves by less than this times the order of M

  void validate() const;
};

struct TraceEstimate {
  double value = 0;
  double standard_error = 0;  ///< from the spread of the probes
  Index steps = 0;
};

/// The signs are the same at every call. Eigenvalues that rounding makes negative count as the least positive number.
/// Four blocks of size × probes. Throws Stopped.
TraceEstimate trace_of_logarithm(const BlockOperator<double>& multiply, Index size,
                                 const TraceLogarithmOptions& options, const Run& run);

}  // namespace mercer
