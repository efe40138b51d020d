// Radial kernels: k(x, x') = φ(u) with u = unit · Σ_j ((x_j − x'_j)/ℓ_j)², or u = γ‖x − x'‖² where a kernel takes γ.
//
// A radial kernel writes its profile φ and the derivatives φ', φ'' by u; distances, length scales (one, or one per
// column, infinite ones switching a column off), contractions and input derivatives are done here, once:
//
//   ∂k/∂ℓ_j = −2 φ'(u) u_j/ℓ_j       u_j = unit ((x_j − x'_j)/ℓ_j)²
//   ∂k/∂x_j = 2 φ'(u) √unit/ℓ_j (z_j − z'_j),   z = weighted coordinates
#pragma once

#include <memory>
#include <span>

#include "mercer/base/once.h"
#include "mercer/kernels/geometry.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/radial/profile_slopes.h"
#include "mercer/kernels/tile.h"

namespace mercer {

/// out(i, j) = factor · ‖z_i − z'_j‖² of the geometry `key`, exactly 0 for the same sample and for equal rows. Distances
/// that would lose more than six bits by cancellation are summed from differences: what any profile may be put on.
template <class T>
void squared_distances(TileContext<T>& context, const GeometryKey& key, T factor, MatrixView<T> out);

class RadialNode : public KernelNode {
 public:
  /// `unit` as above. The width is the parameter `lengthscale` or, where given, `gamma` (then u = γ‖x−x'‖²). A kernel
  /// with neither has u = unit·‖x−x'‖².
  RadialNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children, double unit);

  void request(KernelPreparation& preparation) const override;
  /// Refuses samples of more columns than the definiteness holds for (columns of infinite length scale do not count).
  void complete(KernelPreparation& preparation) const override;
  void tile(TileContext<float>& context, MatrixView<float> k) const override;
  void tile(TileContext<double>& context, MatrixView<double> k) const override;
  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override;
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override;
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override;
  bool has_input_derivatives() const override { return true; }
  void contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const override;
  void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const override;

  /// k = φ(u), u = factor() · ‖z − z'‖² of the geometry geometry_key(): kernels with the same key share their distances.
  /// Only where the widths are resolved.
  const GeometryKey& geometry_key() const { return key_; }
  double factor() const { return factor_; }
  /// u → φ(u), in place.
  template <class T>
  void apply_profile(std::span<T> u) const {
    profile(u);
  }
  /// u → φ'(u), in place.
  void apply_first_derivative(std::span<double> u) const { first_derivative(u); }

 protected:
  /// u → φ(u), in place.
  virtual void profile(std::span<float> u) const = 0;
  virtual void profile(std::span<double> u) const = 0;
  /// u → φ'(u), in place. Where φ' diverges at u = 0 the value there is 0: the pair does not pull.
  virtual void first_derivative(std::span<double> u) const = 0;
  /// u → φ''(u), in place; likewise 0 where it diverges at u = 0.
  virtual void second_derivative(std::span<double> u) const = 0;
  /// u → ∂φ(u)/∂θ for the p-th continuous parameter after the width (a mixing exponent, say). Default: there are none.
  virtual void parameter_derivative(Index p, std::span<double> u) const;

  /// Draws for the unit length scale: frequencies of φ(‖t‖²·unit); the base rescales them. Default: none.
  virtual std::optional<SpectralSampler> unit_sampler(Index dimension) const;

 public:
  std::optional<SpectralSampler> spectral_sampler(Index dimension) const final;

 private:
  enum class Width { none, gamma, scalar, per_column };
  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const;
  /// w_ij = q_ij φ'(u_ij), and u itself where `u` is not empty.
  void weigh(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> w, MatrixView<double> u) const;
  void contract_width(TileContext<double>& context, ConstMatrixView<double> w, ConstMatrixView<double> u,
                      std::span<double> gradient) const;
  void contract_columns(TileContext<double>& context, MatrixView<double> w, ConstMatrixView<double> u,
                        std::span<double> gradient) const;
  double column_weight(std::size_t column) const;
  const ProfileSlopes& slopes() const;

  double unit_;
  Width width_ = Width::none;
  double factor_ = 1;      // u = factor · ‖z − z'‖²
  Index width_count_ = 0;  // continuous parameters of the width: they stand first
  GeometryKey key_;
  mutable Once slopes_made_;
  mutable std::unique_ptr<const ProfileSlopes> slopes_;
};

}  // namespace mercer
