#include "mercer/features/nystroem_map.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/features/empirical_map.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/kernel_node.h"

namespace mercer {

namespace {

constexpr Index nystroem_batch_rows = 8192;

template <class T>
void fill_nystroem(const std::shared_ptr<const PreparedKernel>& kernel, ConstMatrixView<T> coefficients,
                   const Samples& samples, MatrixView<T> out, const Run& run) {
  for (Index b = 0; b < block_count(samples.size(), nystroem_batch_rows); ++b) {
    const IndexRange range = block_range(samples.size(), nystroem_batch_rows, b);
    const CrossGram<T> cross(kernel, samples.slice(range), run.quiet());
    cross.multiply(coefficients, out.row_block(range), run);
  }
}

}  // namespace

NystroemMap::NystroemMap(Kernel kernel, Samples landmarks, Matrix<double> coefficients, std::vector<double> values,
                         const Run& run)
    : landmarks_(std::move(landmarks)),
      coefficients_(std::move(coefficients)),
      single_coefficients_(coefficients_.rows(), coefficients_.columns()),
      values_(std::move(values)),
      double_kernel_(std::make_shared<const PreparedKernel>(kernel, landmarks_, Precision::double_precision, run)),
      single_kernel_(
          std::make_shared<const PreparedKernel>(std::move(kernel), landmarks_, Precision::single_precision, run)) {
  if (coefficients_.rows() != landmarks_.size() || static_cast<Index>(values_.size()) != coefficients_.columns() ||
      values_.empty()) {
    throw DataError("a Nyström map whose coefficients do not fit its landmarks, or without features");
  }
  std::transform(coefficients_.data(), coefficients_.data() + coefficients_.rows() * coefficients_.columns(),
                 single_coefficients_.data(), [](double value) { return static_cast<float>(value); });
}

std::shared_ptr<const NystroemMap> NystroemMap::from_parts(const MapParts& parts, const Kernel& kernel,
                                                           const Run& run) {
  const auto landmarks = parts.samples.find("landmarks");
  if (landmarks == parts.samples.end()) {
    throw DataError("a stored Nyström map without its landmarks");
  }
  const Index count = parts.array("coefficients").columns();
  const Matrix<double> values = parts.finite("eigenvalues", 1, count);
  return std::make_shared<const NystroemMap>(kernel, landmarks->second,
                                             parts.finite("coefficients", landmarks->second.size(), count),
                                             std::vector<double>(values.data(), values.data() + count), run);
}

void NystroemMap::transform(const Samples& samples, MatrixView<double> out, const Run& run) const {
  fill_nystroem<double>(double_kernel_, coefficients_.view(), samples, out, run);
}
void NystroemMap::transform(const Samples& samples, MatrixView<float> out, const Run& run) const {
  fill_nystroem<float>(single_kernel_, single_coefficients_.view(), samples, out, run);
}

MapParts NystroemMap::parts() const {
  MapParts parts;
  parts.samples.emplace("landmarks", landmarks_);
  parts.arrays.emplace("coefficients", Matrix<double>::copy_of(coefficients_.view()));
  Matrix<double> values(1, columns());
  std::copy(values_.begin(), values_.end(), values.data());
  parts.arrays.emplace("eigenvalues", std::move(values));
  return parts;
}

WhitenedLandmarks nystroem_map(const Kernel& kernel, const Samples& landmarks, double tolerance, const Run& run) {
  if (kernel.node().depends_on_reference()) {
    throw InvalidArgument("nystroem: the values of " + kernel.spec() +
                          " depend on all training samples, of which it keeps the landmarks only; kernelmap and kpca "
                          "take such kernels");
  }
  if (!(tolerance >= 0 && tolerance < 1)) {
    reject_argument("tolerance", tolerance, "0 or more and below 1");
  }
  const KernelGram<double> gram(
      std::make_shared<const PreparedKernel>(kernel, landmarks, Precision::double_precision, run));
  std::vector<Index> all(landmarks.size());
  std::iota(all.begin(), all.end(), Index{0});
  EmpiricalMap map = empirical_map(gram, all, MapForm::kernel_pca, tolerance, run);
  if (map.values.empty()) {
    throw NumericalError("nystroem: the kernel " + kernel.spec() +
                         " is 0 at all landmarks, so that no feature is left");
  }
  return {
      std::make_shared<const NystroemMap>(kernel, landmarks, std::move(map.coefficients), std::move(map.values), run),
      map.negative};
}

}  // namespace mercer
