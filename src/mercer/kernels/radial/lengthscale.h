// What the tables of radial kernels share: the length scale as a parameter, and the meaning of coincident points.
#pragma once

#include <memory>
#include <string>

#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

/// Left to the data (`scale`) unless given.
inline ParameterSpec lengthscale_spec(std::string meaning = "width, one number or one per column (inf: column off)") {
  return {.name = "lengthscale",
          .aliases = {"length_scale"},
          .default_text = "scale",
          .meaning = std::move(meaning),
          .may_be_list = true,
          .may_be_infinite = true};
}

/// 1 unless given: kernels without a natural length.
inline ParameterSpec optional_lengthscale_spec() {
  ParameterSpec spec = lengthscale_spec("unit of length, one number or one per column (default 1; inf: column off)");
  spec.default_text.clear();
  return spec;
}

/// Where derivatives by the squared distance u diverge at u = 0 they are taken as 0 there; this close to it they would
/// overflow.
inline bool coincident(double u) { return u < 1e-140; }

/// Kernels of compact support are zero where most pairs of a Gaussian of the same width are not: what the data say for
/// `scale`, `auto` or `median` is taken times `factor`. `resolved` is what became of `node`.
inline std::shared_ptr<const KernelNode> with_stretched_width(const KernelNode& node,
                                                              std::shared_ptr<const KernelNode> resolved,
                                                              double factor) {
  if (node.parameters().find("lengthscale")->value.width == WidthRule::none) {
    return resolved;
  }
  ParameterValue width = resolved->parameters().find("lengthscale")->value;
  for (double& number : width.numbers) {
    number *= factor;
  }
  return resolved->rebuilt(resolved->parameters().with("lengthscale", std::move(width)), {});
}

}  // namespace mercer
