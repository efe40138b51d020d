// Dot-product kernels that see the angle between two vectors: k(x, x') = sⁿ f(c), s = ‖x‖‖x'‖, c = xᵀx'/s, homogeneous
// of degree n in each vector. A zero vector has no angle: its values are 0, also with itself.
//
// The author writes f, f' and f''. With h = n f − c f':
//   φ_t = s^(n−1) f'       φ_tt = s^(n−2) f''                        φ_a = sⁿ h/(2a)
//   φ_ta = s^(n−1) ((n−1) f' − c f'')/(2a)                           φ_ab = sⁿ (n h − c h')/(4ab)
#pragma once

#include "mercer/kernels/dot/dot_node.h"

namespace mercer {

/// f and its first two derivatives at one cosine.
struct AngularValue {
  double value = 0;
  double first = 0;
  double second = 0;
};

class AngularNode : public DotNode {
 public:
  AngularNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children, int degree)
      : DotNode(entry, std::move(parameters), std::move(children)), degree_(degree) {}

 protected:
  void profile(std::span<float> t, float a, std::span<const float> b) const override;
  void profile(std::span<double> t, double a, std::span<const double> b) const override;
  DotDerivatives derivatives(double t, double a, double b) const override;

  /// c → f(c), in place; |c| ≤ 1.
  virtual void angular(std::span<double> c) const = 0;
  /// Derivatives that diverge at c = ±1 are 0 there.
  virtual AngularValue angular_derivatives(double c) const = 0;

 private:
  template <class T>
  void fill(std::span<T> t, T a, std::span<const T> b) const;

  int degree_;
};

}  // namespace mercer
