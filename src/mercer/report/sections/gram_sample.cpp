#include "mercer/report/sections/gram_sample.h"

#include "mercer/gram/kernel_gram.h"

namespace mercer {

Matrix<double> gram_of(const Kernel& kernel, const Samples& rows, const Run& run) {
  const PreparedKernel prepared(kernel, rows, Precision::double_precision, run);
  Matrix<double> gram(rows.size(), rows.size());
  evaluate_gram<double>(prepared, Triangle::both, gram.view(), run);
  return gram;
}

std::vector<double> center_gram(Matrix<double>& gram) {
  const Index n = gram.rows();
  std::vector<double> means(n);
  double all = 0;
  for (Index i = 0; i < n; ++i) {
    double sum = 0;
    for (Index j = 0; j < n; ++j) {
      sum += gram(i, j);
    }
    means[i] = sum / static_cast<double>(n);
    all += means[i] / static_cast<double>(n);
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      gram(i, j) += all - means[i] - means[j];
    }
  }
  return means;
}

}  // namespace mercer
