#include "mercer/expansion/parametric_functions.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/data/columns.h"
#include "mercer/expansion/linear_weights.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

Index parametric_count(ParametricPart part, Index d) {
  switch (part) {
    case ParametricPart::none:
      return 0;
    case ParametricPart::constant:
      return 1;
    case ParametricPart::linear:
      return 1 + d;
    case ParametricPart::quadratic:
      return 1 + d + d * (d + 1) / 2;
  }
  return 0;
}

void parametric_functions(ParametricPart part, const Samples& samples, IndexRange range, MatrixView<double> out) {
  for (Index i = 0; i < out.rows(); ++i) {
    out(i, 0) = 1;
  }
  if (!uses_columns(part)) {
    return;
  }
  const Samples numeric = default_columns(samples);
  if (!numeric.is_numeric()) {
    throw DataError("linear and quadratic functions need numeric columns, these samples are of kind '" +
                    std::string(to_string(numeric.kind())) + "'");
  }
  const Index d = numeric.columns();
  copy_rows(numeric, range, out.block(0, 1, out.rows(), d));
  if (part == ParametricPart::quadratic) {
    for (Index i = 0; i < out.rows(); ++i) {
      const double* const x = out.row_data(i) + 1;
      double* product = out.row_data(i) + 1 + d;
      for (Index j = 0; j < d; ++j) {
        for (Index k = j; k < d; ++k) {
          *product++ = x[j] * x[k];
        }
      }
    }
  }
}

void add_parametric_functions(ParametricPart part, const Samples& samples, ConstMatrixView<double> beta,
                              MatrixView<double> out, const Run& run) {
  constexpr Index block = 1024;
  parallel_for(run, block_count(samples.size(), block), [&](Index b) {
    const IndexRange range = block_range(samples.size(), block, b);
    Matrix<double> functions(range.size(), beta.rows());
    parametric_functions(part, samples, range, functions.view());
    gemm(1.0, functions.view(), Transpose::no, beta, Transpose::no, 1.0, out.row_block(range));
  });
}

}  // namespace mercer
