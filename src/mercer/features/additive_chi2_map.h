// Features of homogeneous kernels of histograms, k(x, y) = Σ_j √(x_j y_j) K(ln y_j/x_j), by sampling the spectrum κ of K
// at 0, L, 2L, …: nothing is random. With `steps` samples, every column becomes 2·steps − 1 features,
//
//   √(x L κ(0)),   √(2 x L κ(mL)) cos(mL ln x),   √(2 x L κ(mL)) sin(mL ln x),   m = 1 … steps − 1
//
//   additive_chi2   2xy/(x + y)    κ(λ) = sech(πλ)
//   intersection    min(x, y)      κ(λ) = 2/(π(1 + 4λ²))
//
// Negative values get the sign of x: the kernel is then sign(xy) k(|x|, |y|). Reference: Vedaldi & Zisserman (2012),
// Efficient additive kernels via explicit feature maps.
#pragma once

#include <optional>

#include "mercer/features/feature_map.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

enum class HomogeneousKernel { additive_chi2, intersection };

class AdditiveChi2Map final : public FeatureMap {
 public:
  /// interval L > 0.
  AdditiveChi2Map(HomogeneousKernel kernel, double amplitude, Index inputs, Index steps, double interval);
  static std::shared_ptr<const AdditiveChi2Map> from_parts(const MapParts& parts);

  std::string_view name() const override { return "chi2"; }
  Index columns() const override { return inputs_ * (2 * steps_ - 1); }
  void transform(const Samples& samples, MatrixView<double> out, const Run& run) const override;
  void transform(const Samples& samples, MatrixView<float> out, const Run& run) const override;
  MapParts parts() const override;

  double interval() const { return interval_; }

 private:
  template <class T>
  void fill(const Samples& samples, MatrixView<T> out, const Run& run) const;

  HomogeneousKernel kernel_;
  double amplitude_;
  Index inputs_;
  Index steps_;
  double interval_;
};

/// interval 0: 0.8, 0.5, 0.4 for 1, 2, 3 steps of additive_chi2, and the reference's rule for all others.
/// InvalidArgument for kernels other than multiples of additive_chi2() and intersection() on all columns.
std::shared_ptr<const AdditiveChi2Map> additive_chi2_map(const Kernel& kernel, const Samples& samples, Index steps,
                                                         double interval);
/// Whether the map knows the kernel.
bool is_homogeneous(const Kernel& kernel);

}  // namespace mercer
