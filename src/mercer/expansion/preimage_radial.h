// Kernels that are functions of one (weighted) distance,
//
//   k(x, x') = Σ_t c_t φ_t(f_t d²),   d² = ‖W(x − x')‖²,
//
// seen so that pre-images can iterate on them: one radial kernel, multiples, sums of such on the same weights.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/kernels/kernel.h"
#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

class RadialForm {
 public:
  /// Empty where the kernel is no such function. The form refers to the kernel's nodes: keep the kernel.
  static std::optional<RadialForm> of(const Kernel& kernel);

  const GeometryKey& key() const { return terms_.front().node->geometry_key(); }
  /// W_jj².
  double squared_weight(Index column) const;

  /// d² → k; `out` may be the distances themselves.
  void values(std::span<const double> squared_distances, std::span<double> out) const;
  /// d² → ∂k/∂d², likewise.
  void slopes(std::span<const double> squared_distances, std::span<double> out) const;
  /// k(x, x).
  double peak() const;
  /// The factor f_t that is largest: 1/√ of it is the shortest length over which the kernel changes.
  double sharpest_factor() const;
  /// The d² with k = value, by bisection: for 0 < value < peak() of a kernel that falls; empty elsewhere.
  std::optional<double> squared_distance_of(double value) const;

 private:
  struct Term {
    double coefficient;
    const RadialNode* node;
  };
  using Profile = void (*)(const RadialNode& node, std::span<double> u);
  static bool collect(const Kernel& kernel, double coefficient, std::vector<Term>& terms);
  void add_terms(std::span<const double> squared_distances, Profile profile, std::span<double> out) const;

  std::vector<Term> terms_;
};

}  // namespace mercer
