#include "mercer/kernels/generative/information.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

ParameterSpec information_spec(std::vector<std::string> words) {
  return {
      .name = "information",
      .role = ParameterRole::word,
      .default_text = words[0],
      .meaning = "the matrix whose inverse weighs the scores: " +
                 std::string("plain is 1, fisher E[VV'], complete that of the complete data, sample the mean of VV' "
                             "over the training samples"),
      .words = std::move(words)};
}

ParameterSpec ridge_spec() {
  return {.name = "ridge",
          .role = ParameterRole::number,
          .constraint = Constraint::nonnegative,
          .default_text = "0.001",
          .meaning = "with information=sample: added to its diagonal, as a share of the mean of the diagonal"};
}

void require_dense_information(std::string_view kernel, Index scores, std::string_view what_to_try) {
  if (scores > most_dense_scores) {
    throw InvalidArgument(std::string(kernel) + ": this information matrix would have " + std::to_string(scores) +
                          " rows, more than " + std::to_string(most_dense_scores) + "; " + std::string(what_to_try));
  }
}

Matrix<double> mean_outer_product(ConstMatrixView<double> scores, const Run& run) {
  const Index p = scores.columns();
  Matrix<double> m = Matrix<double>::filled(p, p, 0.0);
  if (scores.rows() > 0) {
    parallel_syrk<double>(1.0 / static_cast<double>(scores.rows()), scores, Transpose::yes, 0.0, m.view(), run);
  }
  return m;
}

Matrix<double> inverse_root(Matrix<double> m, double ridge, const Run& run) {
  const Index p = m.rows();
  double trace = 0;
  for (Index j = 0; j < p; ++j) {
    trace += m(j, j);
  }
  for (Index j = 0; j < p; ++j) {
    m(j, j) += ridge * trace / static_cast<double>(p);
  }
  const SymmetricEigen<double> eigen = symmetric_eigen(m.view(), run);
  const double cut = 1e-9 * (p > 0 ? eigen.values.back() : 0.0);
  Index first = 0;
  while (first < p && !(eigen.values[first] > cut)) {
    ++first;
  }
  if (first == p) {
    return Matrix<double>::filled(p, 1, 0.0);
  }
  Matrix<double> root(p, p - first);
  for (Index i = 0; i < p; ++i) {
    for (Index j = first; j < p; ++j) {
      root(i, j - first) = eigen.vectors(i, j) / std::sqrt(eigen.values[j]);
    }
  }
  return root;
}

}  // namespace mercer
