// What a pre-image makes small, at many points at once. Ψ_o = Σ_i a_io Φ(x_i), h_o(z) = ⟨Ψ_o, Φ(z)⟩ = Σ_i a_io k(x_i, z):
//
//   distance     F(z) = k(z, z) − 2 h(z)           = ‖Ψ − Φ(z)‖² − ‖Ψ‖²
//   direction    F(z) = −Σ_o h_o(z)²/k(z, z)       = Σ_o ‖Ψ_o − β_o Φ(z)‖² − ‖Ψ_o‖²  at its best β_o = h_o(z)/k(z, z)
//
// Both have ∇F = Σ_i q_i ∂k(z, x_i)/∂z + (∂F/∂k(z,z)) ∇k(z,z) with q_i = Σ_o (∂F/∂h_o) a_io. For kernels of a distance
// ∇F = 0 says z = Σ_i w_i x_i / Σ_i w_i with w_i = q_i k'(d_i²), which is iterated (Schölkopf & Smola (2002), 18.2).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/base/workspace.h"
#include "mercer/data/samples.h"
#include "mercer/expansion/preimage_radial.h"
#include "mercer/kernels/prepared.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// distance: the point itself is to represent Ψ. direction: a multiple of it.
enum class PreimageCriterion { distance, direction };

/// Which columns of the coefficients a point is to represent: one of them, or several at once (direction only).
using OutputRange = IndexRange;

class PreimageObjective {
 public:
  /// coefficients: centres × outputs. InvalidArgument where the kernel has no input derivatives, or samples no numbers.
  PreimageObjective(const Kernel& kernel, const Samples& centers, ConstMatrixView<double> coefficients,
                    PreimageCriterion criterion, const Run& run);

  Index dimension() const { return points_.columns(); }
  const std::optional<RadialForm>& radial() const { return radial_; }
  PreimageCriterion criterion() const { return criterion_; }
  const Kernel& kernel() const { return prepared_->kernel(); }
  /// The centres as points, m × d.
  ConstMatrixView<double> points() const { return points_.view(); }
  /// column_lengths() of the centres.
  std::span<const double> lengths() const { return lengths_; }

  /// F of every row of z for its outputs, and ∇F where `gradient` is not empty. On the calling thread: b·m·d.
  void evaluate(ConstMatrixView<double> z, std::span<const OutputRange> outputs, std::span<double> values,
                MatrixView<double> gradient, Workspace& workspace, const Run& run) const;

  /// F, and the point that the fixed-point equation names next. Kernels of a distance only. A row of `next` is NaN
  /// where the weights cancel. On the calling thread.
  void step(ConstMatrixView<double> z, std::span<const OutputRange> outputs, std::span<double> values,
            MatrixView<double> next, Workspace& workspace, const Run& run) const;

  /// h_o(z) for all outputs and k(z, z): b × outputs, b.
  void projections(ConstMatrixView<double> z, MatrixView<double> h, std::span<double> squared_lengths,
                   const Run& run) const;

  /// F from h_o and k(z, z) alone.
  double value(std::span<const double> h, double squared_length) const;

 private:
  struct Slopes;
  std::shared_ptr<const Prepared> prepare(ConstMatrixView<double> z, const Run& run) const;
  // Per point: h_o of its outputs, F, and q_i (row of `weights`, over the row of kernel values).
  Slopes replace_by_weights(std::span<const OutputRange> outputs, std::span<const double> lengths,
                            std::span<double> values, MatrixView<double> kernel_values) const;
  void add_length_gradient(const Prepared& z, std::span<const double> slopes, MatrixView<double> gradient,
                           Workspace& workspace) const;
  void fill_distances(const Prepared& z, MatrixView<double> out, Workspace& workspace) const;

  PreimageCriterion criterion_;
  Samples centers_;
  std::shared_ptr<const PreparedKernel> prepared_;
  std::optional<RadialForm> radial_;
  Matrix<double> points_;
  std::vector<double> lengths_;
  Matrix<double> coefficients_;
  Matrix<double> transposed_;  // outputs × centres
};

}  // namespace mercer
