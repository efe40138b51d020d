// Is this Gram matrix positive? By its spectrum (Schölkopf & Smola (2002), 2.2.1 and 2.4):
//
//   positive             λ_min(K) ≥ −tol
//   conditional, order q λ_min(PKP) ≥ −tol, P the projection off the polynomials of degree < q of the coordinates;
//                        order 1: P = 1 − eeᵀ/n
//   indefinite           otherwise; the eigenvector v of λ_min is a witness: vᵀKv < 0
//
// tol = tolerance · max|λ|, with tolerance = n · 2.2e-16 · 10 unless given: what rounding of the entries and of the
// eigenvalues can do. A check of one matrix can refute the definiteness of a kernel, never prove it.
#pragma once

#include <string>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/definiteness.h"

namespace mercer {

struct DefinitenessOptions {
  double tolerance = 0;      ///< relative to max|λ|; 0: 10 n eps
  Index exact_size = 3000;   ///< up to this size all eigenvalues are computed; beyond, only the two ends
  int largest_order = 3;     ///< conditional orders that are tried
  Samples coordinates = {};  ///< numeric samples, for orders ≥ 2; without them only order 1 is tried

  void validate() const;
};

struct DefinitenessReport {
  DefinitenessKind kind = DefinitenessKind::positive;
  int order = 0;  ///< of a conditional matrix
  double smallest = 0;
  double largest = 0;
  double tolerance = 0;             ///< absolute: eigenvalues above −tolerance count as not negative
  Index negative = 0;               ///< eigenvalues below −tolerance; −1: not counted (size beyond exact_size)
  std::vector<double> witness;      ///< unit eigenvector of `smallest`, where that is below −tolerance
  double projected_smallest = 0;    ///< smallest eigenvalue of PKP at the order that passed, or the last tried
  std::vector<double> eigenvalues;  ///< ascending; empty beyond exact_size
  std::string note;                 ///< what was not exact, empty if everything was
};

/// n³ operations up to exact_size; beyond it block Lanczos with products by the operator.
DefinitenessReport check_definiteness(const Gram<double>& gram, const DefinitenessOptions& options, const Run& run);

/// One sentence: verdict and numbers.
std::string to_string(const DefinitenessReport& report);

}  // namespace mercer
