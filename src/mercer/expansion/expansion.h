// Expansion: what every supervised kernel method ends in (the representer theorem),
//
//   f_o(x) = Σ_i α_io k(z_i, x) + Σ_p β_po ψ_p(x),   ψ of a parametric part (1; x_1, …, x_d; …: parametric_part.h)
//
// with several outputs o. One type to evaluate, store, prune, compress and take back to input space; solvers only
// differ in how they find α and β.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/expansion/parametric_part.h"
#include "mercer/kernels/kernel.h"
#include "mercer/kernels/prepared.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

class Expansion {
 public:
  /// None yet: only to be assigned to.
  Expansion() = default;
  /// `coefficients` is centres × outputs, `parametric` is functions × outputs (parametric_functions.h). The kernel's widths
  /// must be numbers. Evaluation uses `precision` for kernel values; products with coefficients and sums are in double. InvalidArgument for shapes that do not fit, NumericalError for coefficients that
  /// are not finite.
  Expansion(Kernel kernel, Samples centers, Matrix<double> coefficients, ParametricPart part, Matrix<double> parametric,
            Precision precision, const Run& run);

  const Kernel& kernel() const;
  const Samples& centers() const;
  ConstMatrixView<double> coefficients() const;
  const ParametricPart& parametric_part() const;
  ConstMatrixView<double> parametric_coefficients() const;
  Precision precision() const;
  Index outputs() const;

  /// out(i, o) = f_o(x_i), samples × outputs. One pass over the tiles of k(x_i, z_j); memory beyond the data is bounded
  /// by 8192 prepared rows and the tiles of the threads, whatever the batch. Any number of threads gives the same bits.
  void evaluate(const Samples& samples, MatrixView<double> out, const Run& run) const;
  /// The same as a matrix of its own.
  Matrix<double> values(const Samples& samples, const Run& run) const;
  /// Whether evaluate() sums kernel values in double, so that evaluate_from() differs from it by rounding alone: not so
  /// for values in float and for the weights of a linear kernel.
  bool sums_double_values() const;
  /// The same values by k(x_i, z_j) that the caller has.
  void evaluate_from(const Samples& samples, ConstMatrixView<double> kernel_values, MatrixView<double> out,
                     const Run& run) const;

  /// Without the centres whose coefficients are all 0; the same function. Kernels that depend on the set of their
  /// reference samples (center) keep all of them.
  Expansion pruned(const Run& run) const;

  /// For linear kernels (c·linear(), sums of such, without column subscripts): the weights w (d × outputs) with
  /// f(x) = xᵀw + parametric part, so that evaluation costs d, not the number of centres. Empty for other kernels, and
  /// where d is so much larger than the centres' stored numbers that the centres are cheaper.
  const std::optional<Matrix<double>>& linear_weights() const;

 private:
  struct Content;
  std::shared_ptr<const Content> content_;
};

/// ⟨f, g⟩ in the kernel's space, per output (kernel parts only): Σ_ij α_io k(z_i, z'_j) α'_jo. Both must have the same
/// kernel and number of outputs; a kernel that depends on its reference samples (center) needs the same centres too.
/// Kernel values in double.
std::vector<double> inner_product(const Expansion& f, const Expansion& g, const Run& run);
/// ‖f‖² per output, clamped at 0.
std::vector<double> squared_norm(const Expansion& f, const Run& run);
/// ‖f − g‖² per output, clamped at 0.
std::vector<double> squared_distance(const Expansion& f, const Expansion& g, const Run& run);

}  // namespace mercer
