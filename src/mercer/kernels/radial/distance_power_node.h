// Functions of a power of the distance, k = f((r/ℓ)^β), 0 ≤ β ≤ 2: power exponential, negative distance and its
// logarithm. A kernel writes f and its derivatives; the power is done here:
//
//   φ(u) = f(p), p = u^b, b = β/2, u = (r/ℓ)²;   φ' = f'(p) bp/u,   φ'' = f''(p) (bp/u)² − f'(p) b(1−b) p/u²
#pragma once

#include <string>

#include "mercer/kernels/parameter.h"
#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

class DistancePowerNode : public RadialNode {
 public:
  /// Throws InvalidArgument for β > 2, saying `what` the kernel is not then.
  DistancePowerNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children,
                    const std::string& what);

 protected:
  /// p → f(p), in place.
  virtual void outer(std::span<float> p) const = 0;
  virtual void outer(std::span<double> p) const = 0;
  virtual double outer_first(double p) const = 0;
  virtual double outer_second(double p) const = 0;

  /// p of a distance 0 for β = 0: 1, or 0 where a point must be at p = 0 of itself.
  virtual double zero_to_zero() const { return 1; }

  double half_beta() const { return half_; }

  void profile(std::span<float> u) const final;
  void profile(std::span<double> u) const final;
  void first_derivative(std::span<double> u) const final;
  void second_derivative(std::span<double> u) const final;

 private:
  template <class T>
  void map(std::span<T> u) const;

  double half_;
};

}  // namespace mercer
