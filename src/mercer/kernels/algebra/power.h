// k^p, entry by entry. Whole p ≥ 0 keeps a positive kernel positive; other p only if k is infinitely divisible.
#pragma once

#include "mercer/kernels/nodes/mapped_node.h"

namespace mercer {

const KernelEntry& power_entry();

class PowerNode final : public MappedNode {
 public:
  PowerNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children);

  std::string spec() const override;
  Binding binding() const override { return Binding::power; }
  Definiteness definiteness() const override;

 protected:
  void map(std::span<float> v) const override;
  void map(std::span<double> v) const override;
  double slope(double v) const override;
  double curvature(double v) const override;

 private:
  double exponent_;
};

}  // namespace mercer
