// A learned way back from features to inputs: kernel ridge regression of the inputs on their features, one output per
// column,
//
//   z(b) = Σ_i α_i k(b_i, b) + c      b_i: the features of the training sample x_i
//
// Unlike pre-images (expansion/preimage.h) it needs no kernel that can be differentiated and no search per point, and it
// stays near the training samples; it knows nothing of the features' own kernel. Reference: Schölkopf & Smola (2002),
// problem 18.5; Bakır, Weston & Schölkopf (2004), Learning to find pre-images.
#pragma once

#include <memory>

#include "mercer/base/run.h"
#include "mercer/kernels/spec.h"
#include "mercer/linalg/matrix.h"
#include "mercer/models/ridge/ridge.h"

namespace mercer {

struct LearnedPreimageOptions {
  /// On features; its widths are found on the training features.
  Kernel kernel = parse_kernel("rbf(gamma=median)");
  double mean_lambda = 1e-6;  ///< the penalty per sample; the features are without noise
};

class LearnedPreimage {
 public:
  /// features: n × q, points: n × d. n²(q + d) + n³/3 operations. InvalidArgument where the numbers of rows differ.
  LearnedPreimage(ConstMatrixView<double> features, ConstMatrixView<double> points,
                  const LearnedPreimageOptions& options, const Run& run);

  /// One point per row of `features` (q columns).
  Matrix<double> points(ConstMatrixView<double> features, const Run& run) const;

  const RidgeModel& model() const { return *model_; }

 private:
  std::unique_ptr<RidgeModel> model_;
};

}  // namespace mercer
