// Sums over the columns of a function of two counts, x ≥ 0: additive chi-squared, intersection. The kernel writes
// `add_row(x, y, sum, count)`, sum_j += g(x, y_j) for both precisions, and what CoordinateSumNode asks for.
#pragma once

#include "mercer/kernels/coordinate/coordinate_node.h"

namespace mercer {

inline Definiteness positive_on_histograms() {
  Definiteness result;
  result.domain.nonnegative = true;
  return result;
}

template <class Derived>
class HistogramSumNode : public CoordinateSumNode<Derived> {
 public:
  using CoordinateSumNode<Derived>::CoordinateSumNode;
  Definiteness definiteness() const override { return positive_on_histograms(); }

 protected:
  void row(std::span<const float> x, ConstMatrixView<float> y, std::span<float> k) const override { fill(x, y, k); }
  void row(std::span<const double> x, ConstMatrixView<double> y, std::span<double> k) const override { fill(x, y, k); }
  void check_domain(const Prepared& x) const override { require_nonnegative(x, this->entry().name); }

 private:
  template <class T>
  void fill(std::span<const T> x, ConstMatrixView<T> y, std::span<T> k) const {
    std::fill(k.begin(), k.end(), T(0));
    for (std::size_t c = 0; c < x.size(); ++c) {
      Derived::add_row(x[c], y.row_data(static_cast<Index>(c)), k.data(), static_cast<Index>(k.size()));
    }
  }
};

}  // namespace mercer
