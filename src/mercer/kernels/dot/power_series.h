// Σ a_n ξⁿ and its derivatives by Horner's rule, for kernels that are a power series of the inner product.
#pragma once

#include <span>
#include <vector>

namespace mercer {

class PowerSeries {
 public:
  /// Coefficients from the constant up; at least one.
  explicit PowerSeries(std::vector<double> coefficients) : coefficients_(std::move(coefficients)) {}

  std::span<const double> coefficients() const { return coefficients_; }

  template <class T>
  void map(std::span<T> values) const {
    for (T& value : values) {
      T sum = 0;
      for (std::size_t n = coefficients_.size(); n-- > 0;) {
        sum = sum * value + static_cast<T>(coefficients_[n]);
      }
      value = sum;
    }
  }
  double slope(double value) const {
    double sum = 0;
    for (std::size_t n = coefficients_.size(); n-- > 1;) {
      sum = sum * value + static_cast<double>(n) * coefficients_[n];
    }
    return sum;
  }
  double curvature(double value) const {
    double sum = 0;
    for (std::size_t n = coefficients_.size(); n-- > 2;) {
      sum = sum * value + static_cast<double>(n) * static_cast<double>(n - 1) * coefficients_[n];
    }
    return sum;
  }

 private:
  std::vector<double> coefficients_;
};

}  // namespace mercer
