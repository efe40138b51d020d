// Nyström features of any kernel: with landmarks z_1 … z_r and K(z, z) = U D Uᵀ,
//
//   z(x) = D^−½ Uᵀ (k(z_1, x), …, k(z_r, x)),      z(x)·z(x') = k(z, x)ᵀ K(z, z)⁺ k(z, x')
//
// exact where x or x' lies in the span of the landmarks, an approximation from below elsewhere. Directions whose
// eigenvalue is below `tolerance` times the largest are left out. Reference: Williams & Seeger (2001), Using the Nyström
// method to speed up kernel machines; Schölkopf & Smola (2002), (2.60).
#pragma once

#include <memory>

#include "mercer/features/feature_map.h"
#include "mercer/gram/cross_gram.h"

namespace mercer {

class NystroemMap final : public FeatureMap {
 public:
  /// `coefficients` landmarks × features; `values`: the eigenvalues. DataError where there are no features.
  NystroemMap(Kernel kernel, Samples landmarks, Matrix<double> coefficients, std::vector<double> values,
              const Run& run);
  static std::shared_ptr<const NystroemMap> from_parts(const MapParts& parts, const Kernel& kernel, const Run& run);

  std::string_view name() const override { return "nystroem"; }
  Index columns() const override { return coefficients_.columns(); }
  void transform(const Samples& samples, MatrixView<double> out, const Run& run) const override;
  void transform(const Samples& samples, MatrixView<float> out, const Run& run) const override;
  MapParts parts() const override;

  const Kernel& kernel() const { return double_kernel_->kernel(); }
  const Samples& landmarks() const { return landmarks_; }
  ConstMatrixView<double> coefficients() const { return coefficients_.view(); }
  const std::vector<double>& values() const { return values_; }

 private:
  Samples landmarks_;
  Matrix<double> coefficients_;
  Matrix<float> single_coefficients_;
  std::vector<double> values_;
  std::shared_ptr<const PreparedKernel> double_kernel_;
  std::shared_ptr<const PreparedKernel> single_kernel_;
};

struct WhitenedLandmarks {
  std::shared_ptr<const NystroemMap> map;
  Index negative = 0;  ///< eigenvalues below 0 (beyond rounding) that were dropped
};

/// From landmarks, rows or not. r² kernel values, O(r³). InvalidArgument for kernels whose values depend on the set of
/// their samples (center), or without numbers for widths; NumericalError where no direction is left.
WhitenedLandmarks nystroem_map(const Kernel& kernel, const Samples& landmarks, double tolerance, const Run& run);

}  // namespace mercer
