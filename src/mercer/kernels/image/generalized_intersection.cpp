#include "mercer/kernels/image/generalized_intersection.h"

#include <algorithm>
#include <cmath>

#include "mercer/kernels/coordinate/coordinate_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

class GeneralizedIntersectionNode final : public CoordinateSumNode<GeneralizedIntersectionNode> {
 public:
  GeneralizedIntersectionNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : CoordinateSumNode(entry, std::move(parameters), std::move(children)),
        beta_(this->parameters().number_or("beta", 0.5)) {}

  Definiteness definiteness() const override { return Definiteness::positive(); }

  double slope(std::size_t /*c*/, double x, double y) const {
    // At a tie the mean of both sides.
    const double share = std::abs(x) < std::abs(y) ? 1.0 : std::abs(x) > std::abs(y) ? 0.0 : 0.5;
    return x == 0 ? 0.0 : share * beta_ * std::copysign(std::pow(std::abs(x), beta_ - 1), x);
  }
  double mixed(std::size_t /*c*/, double /*x*/, double /*y*/) const { return 0; }
  void add_parameter_slopes(std::size_t /*c*/, double x, double y, double factor, std::span<double> out) const {
    const double smaller = std::min(std::abs(x), std::abs(y));
    if (smaller > 0) {
      out[0] += factor * std::pow(smaller, beta_) * std::log(smaller);
    }
  }

 protected:
  void row(std::span<const float> x, ConstMatrixView<float> y, std::span<float> k) const override { fill(x, y, k); }
  void row(std::span<const double> x, ConstMatrixView<double> y, std::span<double> k) const override { fill(x, y, k); }

 private:
  // The power is monotone: min(|x|^β, |y|^β) = min(|x|, |y|)^β, one power instead of two.
  template <class T>
  void fill(std::span<const T> x, ConstMatrixView<T> y, std::span<T> k) const {
    std::fill(k.begin(), k.end(), T(0));
    for (std::size_t c = 0; c < x.size(); ++c) {
      const T* const column = y.row_data(static_cast<Index>(c));
      for (std::size_t j = 0; j < k.size(); ++j) {
        k[j] += std::pow(std::min(std::abs(x[c]), std::abs(column[j])), static_cast<T>(beta_));
      }
    }
  }

  double beta_;
};

}  // namespace

const KernelEntry& generalized_intersection_entry() {
  static const KernelEntry entry{
      .name = "generalized_intersection",
      .formula = "sum_j min(|x_j|^beta, |y_j|^beta)",
      .summary = "histogram intersection of powers, on any vectors",
      .definiteness = "positive definite",
      .parameters = {{.name = "beta", .default_text = "0.5", .meaning = "power of the entries; 1 is intersection"}},
      .make = make_node<GeneralizedIntersectionNode>,
      .examples = {"generalized_intersection(beta=0.7)", "normalize(generalized_intersection(beta=2))"}};
  return entry;
}

}  // namespace mercer
