// Kernel matrices of one sample set for many kernels, stored for solvers that read whole rows (box_path.h). Radial
// kernels k = φ(γ‖x − x'‖²) of one geometry are made from one matrix of squared distances: a width costs one profile per
// entry, no inner products. Of a radial kernel k − φ(0) is stored, computed in double and rounded once: for wide kernels,
// whose values are all near φ(0), float numbers keep their relative precision.
#pragma once

#include <memory>
#include <vector>

#include "mercer/base/buffer.h"
#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/kernels/kernel.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/svm/box_path.h"

namespace mercer {

class RadialNode;

template <class T>
class KernelMatrix {
 public:
  /// Rows are padded with zeros as FaceSmo wants them.
  KernelMatrix(Index size, double shift);

  MatrixView<T> view() { return {numbers_.data(), size_, size_, stride_}; }
  /// `shift` makes the values positive definite, or at least on what is orthogonal to constants.
  StoredKernel<T> stored() const { return {{numbers_.data(), size_, size_, stride_}, shift_}; }
  void set_shift(double shift) { shift_ = shift; }

 private:
  Index size_;
  Index stride_;
  Buffer<T> numbers_;
  double shift_;
};

/// Immutable after construction; safe from several threads.
template <class T>
class KernelFamily {
 public:
  /// Widths are resolved. The distances of the geometry that most of the radial kernels share are computed here.
  KernelFamily(Samples samples, std::vector<Kernel> kernels, const Run& run);

  /// Of all samples. The numbers depend on samples and kernel alone, not on the other kernels.
  KernelMatrix<T> matrix(std::size_t kernel, const Run& run) const;

 private:
  Matrix<T> distances_of(const Kernel& kernel, const RadialNode& node, const Run& run) const;
  KernelMatrix<T> radial_matrix(const RadialNode& node, const Matrix<T>& distances, const Run& run) const;

  Samples samples_;
  std::vector<Kernel> kernels_;
  std::size_t shared_ = 0;  // the kernel whose distances are kept
  Matrix<T> distances_;     // empty: no radial kernel
};

}  // namespace mercer
