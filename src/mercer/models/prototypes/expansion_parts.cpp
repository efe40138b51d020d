#include "mercer/models/prototypes/expansion_parts.h"

#include <algorithm>
#include <string>

#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "mercer/expansion/linear_weights.h"
#include "mercer/gram/kernel_distances.h"

namespace mercer {

Expansion compact_expansion(const Kernel& kernel, const Samples& samples, Matrix<double> coefficients,
                            std::span<const double> offsets, const Run& run) {
  const Index outputs = coefficients.columns();
  Matrix<double> parametric(1, outputs);
  std::copy(offsets.begin(), offsets.end(), parametric.data());
  const Samples numeric = default_columns(samples);
  if (linear_factor(kernel) && numeric.kind() == SampleKind::dense && outputs < samples.size()) {
    const Matrix<double> sums = linear_weights(1.0, samples, coefficients.view());
    Matrix<double> centers(outputs, sums.rows());
    for (Index o = 0; o < outputs; ++o) {
      for (Index j = 0; j < sums.rows(); ++j) {
        centers(o, j) = sums(j, o);
      }
    }
    Matrix<double> identity = Matrix<double>::filled(outputs, outputs, 0.0);
    for (Index o = 0; o < outputs; ++o) {
      identity(o, o) = 1;
    }
    return Expansion(kernel, make_dense(std::move(centers)), std::move(identity), ParametricPart::constant,
                     std::move(parametric), Precision::double_precision, run);
  }
  return Expansion(kernel, samples, std::move(coefficients), ParametricPart::constant, std::move(parametric),
                   Precision::double_precision, run)
      .pruned(run);
}

Expansion row_points(const Kernel& kernel, const Samples& rows, const Run& run) {
  const PreparedKernel prepared(kernel, rows, Precision::double_precision, run.quiet());
  const Index k = rows.size();
  Matrix<double> coefficients = Matrix<double>::filled(k, k, 0.0);
  Matrix<double> offsets(1, k);
  const std::vector<double> diagonal = kernel_diagonal(prepared, rows, run.quiet());
  for (Index c = 0; c < k; ++c) {
    coefficients(c, c) = -2;
    offsets(0, c) = diagonal[c];
  }
  return Expansion(kernel, rows, std::move(coefficients), ParametricPart::constant, std::move(offsets),
                   Precision::double_precision, run);
}

void require_exchangeable(std::string_view model, const Expansion& present, const Expansion& next) {
  if (!(next.kernel() == present.kernel()) || next.outputs() != present.outputs() ||
      next.parametric_part() != ParametricPart::constant) {
    throw InvalidArgument(std::string(model) + ": an expansion of " + std::to_string(next.outputs()) +
                          " outputs with the kernel " + next.kernel().spec() + ", where one of " +
                          std::to_string(present.outputs()) + " outputs with the kernel " + present.kernel().spec() +
                          " and an offset is needed");
  }
}

}  // namespace mercer
