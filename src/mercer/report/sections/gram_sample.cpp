#include "mercer/report/sections/gram_sample.h"

#include "mercer/gram/kernel_gram.h"

namespace mercer {

Matrix<double> gram_of(const Kernel& kernel, const Samples& rows, const Run& run) {
  const PreparedKernel prepared(kernel, rows, Precision::double_precision, run);
  Matrix<double> gram(rows.size(), rows.size());
  evaluate_gram<double>(prepared, Triangle::both, gram.view(), run);
  return gram;
}

}  // namespace mercer
