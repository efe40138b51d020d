#include "mercer/select/folds/kernel_family.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/parallel.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/prepared.h"
#include "mercer/kernels/radial/radial_node.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/product.h"

namespace mercer {

namespace {

constexpr Index rows_per_task = 64;

const RadialNode* radial(const Kernel& kernel) { return dynamic_cast<const RadialNode*>(&kernel.node()); }

}  // namespace

template <class T>
KernelMatrix<T>::KernelMatrix(Index size, double shift)
    : size_(size),
      stride_((size + FaceSmo<T>::padding) / FaceSmo<T>::padding * FaceSmo<T>::padding),
      numbers_(size * stride_),
      shift_(shift) {
  for (Index i = 0; i < size; ++i) {
    std::fill_n(numbers_.data() + i * stride_ + size, stride_ - size, T(0));
  }
}

template <class T>
KernelFamily<T>::KernelFamily(Samples samples, std::vector<Kernel> kernels, const Run& run)
    : samples_(std::move(samples)), kernels_(std::move(kernels)) {
  std::size_t most = 0;
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    const RadialNode* const node = radial(kernels_[k]);
    if (node == nullptr) {
      continue;
    }
    const auto users =
        static_cast<std::size_t>(std::count_if(kernels_.begin(), kernels_.end(), [&](const Kernel& other) {
          const RadialNode* const same = radial(other);
          return same != nullptr && same->geometry_key() == node->geometry_key();
        }));
    if (users > most) {
      most = users;
      shared_ = k;
    }
  }
  if (most > 0) {
    distances_ = distances_of(kernels_[shared_], *radial(kernels_[shared_]), run);
  }
}

// Lower half, tile by tile in double; rounded once.
template <class T>
Matrix<T> KernelFamily<T>::distances_of(const Kernel& kernel, const RadialNode& node, const Run& run) const {
  const PreparedKernel prepared(kernel, samples_, Precision::double_precision, run.quiet());
  const Index n = samples_.size();
  Matrix<T> distances(n, n);
  std::vector<Workspace> workspaces(run.threads());
  parallel_for_workers(run, block_count(n, tile_size), [&](Index b, int worker) {
    Workspace& workspace = workspaces[worker];
    const IndexRange rows = block_range(n, tile_size, b);
    for (Index c = 0; c <= b; ++c) {
      const IndexRange columns = block_range(n, tile_size, c);
      TileContext<double> context(prepared.reference(), rows, prepared.reference(), columns, workspace);
      ScratchMatrix<double> tile = context.scratch();
      squared_distances(context, node.geometry_key(), 1.0, tile.view());
      for (Index i = 0; i < rows.size(); ++i) {
        for (Index j = 0; j < columns.size(); ++j) {
          distances(rows.begin + i, columns.begin + j) = static_cast<T>(tile.view()(i, j));
        }
      }
    }
  });
  return distances;
}

template <class T>
KernelMatrix<T> KernelFamily<T>::radial_matrix(const RadialNode& node, const Matrix<T>& distances,
                                               const Run& run) const {
  const Index n = samples_.size();
  double zero[1] = {0};
  node.apply_profile(std::span<double>(zero));
  KernelMatrix<T> result(n, zero[0]);
  const MatrixView<T> out = result.view();
  const double factor = node.factor();
  parallel_for(run, block_count(n, rows_per_task), [&](Index b) {
    std::vector<double> row(n);
    const IndexRange rows = block_range(n, rows_per_task, b);
    for (Index i = rows.begin; i < rows.end; ++i) {
      const T* const from = distances.data() + i * n;
      T* const to = out.row_data(i);
      for (Index j = 0; j <= i; ++j) {
        row[j] = factor * static_cast<double>(from[j]);
      }
      node.apply_profile(std::span<double>(row.data(), static_cast<std::size_t>(i + 1)));
      for (Index j = 0; j <= i; ++j) {
        to[j] = static_cast<T>(row[j] - zero[0]);
      }
    }
  });
  mirror_lower<T>(out, run);
  return result;
}

template <class T>
KernelMatrix<T> KernelFamily<T>::matrix(std::size_t kernel, const Run& run) const {
  const Kernel& chosen = kernels_[kernel];
  const Index n = samples_.size();
  if (const RadialNode* const node = radial(chosen)) {
    KernelMatrix<T> result = node->geometry_key() == radial(kernels_[shared_])->geometry_key()
                                 ? radial_matrix(*node, distances_, run)
                                 : radial_matrix(*node, distances_of(chosen, *node, run), run);
    if (!chosen.definiteness().is_positive() && n > 0) {
      // Positive beside a constant: a large one makes it positive.
      double largest = 0;
      for (const T value : std::span<const T>(result.stored().values.row(0))) {
        largest = std::max(largest, std::abs(static_cast<double>(value)));
      }
      result.set_shift(2 * largest);
    }
    return result;
  }
  KernelMatrix<T> result(n, 0.0);
  evaluate_gram<T>(PreparedKernel(chosen, samples_, precision_of<T>, run.quiet()), Triangle::both, result.view(),
                   run.quiet());
  return result;
}

template class KernelMatrix<float>;
template class KernelMatrix<double>;
template class KernelFamily<float>;
template class KernelFamily<double>;

}  // namespace mercer
