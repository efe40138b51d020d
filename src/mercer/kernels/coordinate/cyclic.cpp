#include "mercer/kernels/coordinate/cyclic.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/coordinate/pairwise_node.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/nodes/point_values.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

constexpr std::size_t largest_group = 4096;
constexpr double largest_element = 16777216;  // whole numbers up to here are exact in single precision

// min_m Σ_j h(j) cos(2πjm/n). O(n²).
double smallest_coefficient(const std::vector<double>& h) {
  const std::size_t n = h.size();
  std::vector<double> cosines(n);
  for (std::size_t j = 0; j < n; ++j) {
    cosines[j] = std::cos(2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(n));
  }
  double smallest = HUGE_VAL;
  for (std::size_t m = 0; m <= n / 2; ++m) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      sum += h[j] * cosines[j * m % n];
    }
    smallest = std::min(smallest, sum);
  }
  return smallest;
}

class CyclicNode final : public PairwiseNode {
 public:
  CyclicNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : PairwiseNode(entry, std::move(parameters), std::move(children)),
        values_(numbers_or_none(this->parameters(), "values")) {
    if (!this->parameters().resolved()) {
      return;
    }
    const std::size_t n = values_.size();
    if (n > largest_group) {
      throw InvalidArgument("cyclic: values has " + std::to_string(n) + " numbers, more than " +
                            std::to_string(largest_group));
    }
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (!std::isfinite(values_[j])) {
        reject_argument("cyclic: values", values_[j], "finite numbers");
      }
      sum += std::abs(values_[j]);
      const std::size_t opposite = (n - j) % n;
      if (values_[j] != values_[opposite]) {
        throw InvalidArgument("cyclic: values[" + std::to_string(j) + "] = " + shortest(values_[j]) + " and values[" +
                              std::to_string(opposite) + "] = " + shortest(values_[opposite]) +
                              " must be equal: as far around the circle one way as the other");
      }
    }
    // Coefficients that are 0 but for rounding do not count.
    is_positive_ = smallest_coefficient(values_) >= -1e-14 * static_cast<double>(n) * sum;
  }

  Definiteness definiteness() const override {
    return is_positive_ ? Definiteness::positive() : Definiteness::indefinite();
  }
  bool has_input_derivatives() const override { return false; }

 protected:
  void row(std::span<const float> x, ConstMatrixView<float> y, std::span<float> k) const override { fill(x, y, k); }
  void row(std::span<const double> x, ConstMatrixView<double> y, std::span<double> k) const override { fill(x, y, k); }

  void check_domain(const Prepared& x) const override {
    const Samples& samples = x.samples();
    std::vector<double> point(samples.columns());
    for (Index i = 0; i < samples.size(); ++i) {
      numeric_row(samples, i, point);
      for (std::size_t c = 0; c < point.size(); ++c) {
        if (!(std::abs(point[c]) <= largest_element && point[c] == std::floor(point[c]))) {
          throw DataError("cyclic needs whole numbers, but row " + std::to_string(i) + ", column " + std::to_string(c) +
                          " (counted from 0) is " + shortest(point[c]) +
                          "; choose columns with a subscript, and leave them unscaled (--scale none)");
        }
      }
    }
  }

 private:
  template <class T>
  void fill(std::span<const T> x, ConstMatrixView<T> y, std::span<T> k) const {
    const auto n = static_cast<Index>(values_.size());
    std::fill(k.begin(), k.end(), T(1));
    for (std::size_t c = 0; c < x.size(); ++c) {
      const auto element = static_cast<Index>(x[c]);
      const T* const column = y.row_data(static_cast<Index>(c));
      for (std::size_t j = 0; j < k.size(); ++j) {
        // h is symmetric: the sign of the difference does not matter.
        k[j] *= static_cast<T>(values_[std::abs(element - static_cast<Index>(column[j])) % n]);
      }
    }
  }

  std::vector<double> values_;
  bool is_positive_ = true;
};

}  // namespace

const KernelEntry& cyclic_entry() {
  static const KernelEntry entry{
      .name = "cyclic",
      .formula = "prod_j h((x_j - y_j) mod n), h(0), ..., h(n-1) the given values",
      .summary = "places on a circle of n: days of a week, hours of a day; any function of the steps between them",
      .definiteness = "positive definite if no Fourier coefficient sum_j h(j) cos(2 pi j m / n) is negative",
      .parameters = {{.name = "values",
                      .role = ParameterRole::number,
                      .constraint = Constraint::any,
                      .default_text = "1",
                      .meaning = "h(0), h(1), ..., h(n-1), with h(j) = h(n-j); as many as the circle has places",
                      .may_be_list = true}},
      .make = make_node<CyclicNode>,
      .examples = {"cyclic(values=[1, 0.4, 0.4])[0]", "cyclic(values=[2, 0.5, -0.5, 0.5])[0]",
                   "cyclic(values=[1, 0.8, 0.1, 0.1, 0.8])[0]"}};
  return entry;
}

}  // namespace mercer
