// DistanceGram: the distances in a kernel's feature space as a symmetric operator, tile by tile or stored like any
// other Gram matrix, so that methods that know only distances (medoids) run on whatever holds the kernel values,
//
//   D_ij = d_ij² or d_ij,   d_ij² = k(x_i, x_i) + k(x_j, x_j) − 2k(x_i, x_j)
//
// The diagonal is exactly 0 and rounding below 0 is clamped. d² of a conditionally positive kernel of order 1 is a
// squared distance too (Schölkopf & Smola (2002), (2.83), twice that of (2.84)).
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/base/words.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/prepared.h"

namespace mercer {

enum class DistancePower { squared, plain };
constexpr auto words_of(DistancePower) {
  return std::array{Word{DistancePower::plain, "plain"}, Word{DistancePower::squared, "squared"}};
}

/// Accuracy of d²: a few units in the last place of the largest k(x, x), so that d is good to the root of that.
template <class T>
class DistanceGram final : public Gram<T> {
 public:
  DistanceGram(std::shared_ptr<const Gram<T>> gram, DistancePower power);

  Index size() const override { return gram_->size(); }
  void fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace) const override;
  void diagonal(std::span<double> out) const override;
  double work_per_entry() const override { return gram_->work_per_entry() + 1; }

 protected:
  void fill_rows(std::span<const Index> list, MatrixView<T> out, const Run& run) const override;
  void fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                     const Run& run) const override;

 private:
  T distance(Index i, Index j, T kernel_value) const;

  std::shared_ptr<const Gram<T>> gram_;
  DistancePower power_;
  std::vector<double> diagonal_;
};

/// k(x_i, x_i) of any samples, in batches of bounded memory.
std::vector<double> kernel_diagonal(const PreparedKernel& kernel, const Samples& samples, const Run& run);

}  // namespace mercer
