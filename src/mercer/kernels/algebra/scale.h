// c·k. The factor is a continuous parameter: Gaussian processes learn it, other models leave it alone.
#pragma once

#include "mercer/kernels/nodes/mapped_node.h"

namespace mercer {

const KernelEntry& scale_entry();

class ScaleNode final : public MappedNode {
 public:
  ScaleNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children);

  std::string spec() const override;
  Binding binding() const override { return Binding::product; }
  Definiteness definiteness() const override;
  std::optional<SpectralSampler> spectral_sampler(Index dimension) const override;

 protected:
  void map(std::span<float> v) const override;
  void map(std::span<double> v) const override;
  double slope(double v) const override;
  double curvature(double v) const override;
  void parameter_slopes(double v, std::span<double> out) const override;

 private:
  double factor_;
};

}  // namespace mercer
