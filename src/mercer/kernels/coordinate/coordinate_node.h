// Products and sums over the coordinates of kernels of one coordinate:
//
//   k(x, y) = Π_c g_c(x_c, y_c)      or      k(x, y) = Σ_c g_c(x_c, y_c)
//
// The author writes g and its derivatives for one coordinate, as members that the base calls without virtual dispatch:
//
//   double value(std::size_t c, double x, double y) const              g
//   double slope(std::size_t c, double x, double y) const              ∂g/∂x
//   double mixed(std::size_t c, double x, double y) const              ∂²g/∂x∂y
//   void add_parameter_slopes(std::size_t c, double x, double y, double factor, std::span<double> out) const
//                                                                      out[p] += factor · ∂g/∂θ_p
//
// Products of the other factors come from running products, never from a division: factors may be 0.
#pragma once

#include <vector>

#include "mercer/kernels/coordinate/pairwise_node.h"

namespace mercer {

/// out[c] = Π_{e ≠ c} factors[e].
void products_of_others(std::span<const double> factors, std::span<double> out);

template <class Derived>
class CoordinateProductNode : public PairwiseNode {
 public:
  using PairwiseNode::PairwiseNode;

  /// For kernels without continuous parameters.
  void add_parameter_slopes(std::size_t /*c*/, double /*x*/, double /*y*/, double /*factor*/,
                            std::span<double> /*out*/) const {}

 protected:
  void row(std::span<const float> x, ConstMatrixView<float> y, std::span<float> k) const override { fill(x, y, k); }
  void row(std::span<const double> x, ConstMatrixView<double> y, std::span<double> k) const override { fill(x, y, k); }

  void parameter_derivatives(std::span<const double> x, std::span<const double> y,
                             std::span<double> out) const override {
    const std::vector<double> rest = others(factors(x, y));
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t c = 0; c < x.size(); ++c) {
      self().add_parameter_slopes(c, x[c], y[c], rest[c], out);
    }
  }

  void input_gradient(std::span<const double> x, std::span<const double> y, std::span<double> dx) const override {
    const std::vector<double> rest = others(factors(x, y));
    for (std::size_t c = 0; c < x.size(); ++c) {
      dx[c] = self().slope(c, x[c], y[c]) * rest[c];
    }
  }

  void mixed_derivative(std::span<const double> x, std::span<const double> y, std::span<double> mixed) const override {
    const std::size_t d = x.size();
    const std::vector<double> g = factors(x, y);
    for (std::size_t a = 0; a < d; ++a) {
      std::vector<double> without_a = g;
      without_a[a] = 1;
      const std::vector<double> rest = others(without_a);
      const double slope = self().slope(a, x[a], y[a]);
      for (std::size_t b = 0; b < d; ++b) {
        // ∂g/∂y at (x, y) is ∂g/∂x at (y, x): g is symmetric.
        mixed[a * d + b] = rest[b] * (a == b ? self().mixed(a, x[a], y[a]) : slope * self().slope(b, y[b], x[b]));
      }
    }
  }

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }

  template <class T>
  void fill(std::span<const T> x, ConstMatrixView<T> y, std::span<T> k) const {
    std::fill(k.begin(), k.end(), T(1));
    for (std::size_t c = 0; c < x.size(); ++c) {
      const T* const column = y.row_data(static_cast<Index>(c));
      for (std::size_t j = 0; j < k.size(); ++j) {
        k[j] *= static_cast<T>(self().value(c, static_cast<double>(x[c]), static_cast<double>(column[j])));
      }
    }
  }

  std::vector<double> factors(std::span<const double> x, std::span<const double> y) const {
    std::vector<double> g(x.size());
    for (std::size_t c = 0; c < x.size(); ++c) {
      g[c] = self().value(c, x[c], y[c]);
    }
    return g;
  }

  static std::vector<double> others(const std::vector<double>& g) {
    std::vector<double> rest(g.size());
    products_of_others(g, rest);
    return rest;
  }
};

template <class Derived>
class CoordinateSumNode : public PairwiseNode {
 public:
  using PairwiseNode::PairwiseNode;

  void add_parameter_slopes(std::size_t /*c*/, double /*x*/, double /*y*/, double /*factor*/,
                            std::span<double> /*out*/) const {}

 protected:
  void parameter_derivatives(std::span<const double> x, std::span<const double> y,
                             std::span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t c = 0; c < x.size(); ++c) {
      self().add_parameter_slopes(c, x[c], y[c], 1.0, out);
    }
  }
  void input_gradient(std::span<const double> x, std::span<const double> y, std::span<double> dx) const override {
    for (std::size_t c = 0; c < x.size(); ++c) {
      dx[c] = self().slope(c, x[c], y[c]);
    }
  }
  void mixed_derivative(std::span<const double> x, std::span<const double> y, std::span<double> mixed) const override {
    std::fill(mixed.begin(), mixed.end(), 0.0);
    for (std::size_t c = 0; c < x.size(); ++c) {
      mixed[c * x.size() + c] = self().mixed(c, x[c], y[c]);
    }
  }

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

}  // namespace mercer
