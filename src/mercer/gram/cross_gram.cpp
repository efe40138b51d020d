#include "mercer/gram/cross_gram.h"

#include <string>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_block.h"
#include "mercer/gram/tile_walk.h"
#include "mercer/kernels/kernel_node.h"

namespace mercer {

namespace {

template <class T>
TileFiller<T> filler(const PreparedKernel& kernel, const Prepared& samples) {
  return [&](IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace) {
    fill_block(kernel.kernel(), samples, rows, kernel.reference(), columns, out, workspace);
  };
}

}  // namespace

template <class T>
CrossGram<T>::CrossGram(std::shared_ptr<const PreparedKernel> kernel, const Samples& samples, const Run& run)
    : kernel_(std::move(kernel)), samples_(kernel_->prepare(samples, run)) {
  require_precision<T>(*kernel_);
}

template <class T>
void CrossGram<T>::tile(IndexRange rows, IndexRange columns, MatrixView<T> out) const {
  Workspace workspace;
  fill_block(kernel_->kernel(), *samples_, rows, kernel_->reference(), columns, out, workspace);
}

template <class T>
void CrossGram<T>::diagonal(std::span<double> out) const {
  kernel_->kernel().node().diagonal(*samples_, {0, rows()}, out);
}

template <class T>
void CrossGram<T>::multiply(ConstMatrixView<T> v, MatrixView<T> out, const Run& run) const {
  multiply_rectangular<T, T>(rows(), columns(), filler<T>(*kernel_, *samples_), v, out, run,
                             tile_edge(kernel_->kernel()));
}

template <class T>
void CrossGram<T>::multiply_in_double(ConstMatrixView<double> v, MatrixView<double> out, const Run& run) const {
  multiply_rectangular<T, double>(rows(), columns(), filler<T>(*kernel_, *samples_), v, out, run,
                                  tile_edge(kernel_->kernel()));
}

template <class T>
void CrossGram<T>::multiply_transposed(ConstMatrixView<T> v, MatrixView<T> out, const Run& run) const {
  mercer::multiply_transposed<T>(rows(), columns(), filler<T>(*kernel_, *samples_), v, out, run);
}

template <class T>
void CrossGram<T>::multiply_normal(ConstMatrixView<T> v, MatrixView<T> out, const Run& run) const {
  mercer::multiply_normal<T>(rows(), columns(), filler<T>(*kernel_, *samples_), v, out, run);
}

template <class T>
void CrossGram<T>::evaluate(MatrixView<T> out, const Run& run) const {
  if (out.rows() != rows() || out.columns() != columns()) {
    throw InvalidArgument("a matrix of " + std::to_string(out.rows()) + " by " + std::to_string(out.columns()) +
                          " for kernel values of " + std::to_string(rows()) + " by " + std::to_string(columns()));
  }
  evaluate_block(kernel_->kernel(), *samples_, kernel_->reference(), out, run);
}

template class CrossGram<float>;
template class CrossGram<double>;

}  // namespace mercer
