// The error-reject curve: what errors are left when the least sure answers are declined.
//
//   confidence   two classes with one value: |f − t|; otherwise the largest score less the second, of probabilities where there
//                are any, else of decision values or votes
//   curve        over the different confidences, from none rejected on: the share of rows below, and the error of the others
//   punt error   the least share rejected for which the error of the rest is at most a target; none rejects all rows, which is
//                always enough
//
// Rows of the same confidence are rejected together. Reference: B. Schölkopf and A. Smola, Learning with Kernels (2002), 7.6.1.
#pragma once

#include <span>
#include <vector>

#include "mercer/linalg/matrix.h"

namespace mercer {

/// Entries by the share rejected, ascending; the last one keeps the surest rows.
struct ErrorRejectCurve {
  std::vector<double> rejected;    ///< share of all rows
  std::vector<double> error;       ///< of the rows that are kept
  std::vector<double> confidence;  ///< the least among these: what `reject` would be
};

struct PuntError {
  double target = 0;
  double rejected = 0;    ///< share of all rows
  double error = 0;       ///< of the others; 0 where all are rejected
  double confidence = 0;  ///< the least of the others; infinite where all are rejected
};

/// wrong[i] is 0 or 1. O(n ln n). A confidence that is NaN is less than any other. InvalidArgument without rows or where lengths
/// differ.
ErrorRejectCurve error_reject_curve(std::span<const double> confidence, std::span<const char> wrong);
/// InvalidArgument for a target outside [0, 1].
PuntError punt_error(const ErrorRejectCurve& curve, double target);

/// Of rows of scores: the largest less the second.
std::vector<double> leads(ConstMatrixView<double> scores);

}  // namespace mercer
