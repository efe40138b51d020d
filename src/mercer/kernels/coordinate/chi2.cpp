#include "mercer/kernels/coordinate/chi2.h"

#include <cmath>

#include "mercer/base/simd.h"
#include "mercer/base/vector_math.h"
#include "mercer/kernels/coordinate/histogram_node.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// sum_j += (x − y_j)²/(x + y_j), written so that nothing is squared before it is divided.
template <class T>
MERCER_INLINE void add_chi2_body(T x, const T* y, T* sum, Index count) {
  for (Index j = 0; j < count; ++j) {
    const T total = x + y[j];
    const T difference = x - y[j];
    sum[j] += difference * (difference / (total > T(0) ? total : T(1)));
  }
}
MERCER_CLONES void add_chi2(float x, const float* y, float* sum, Index count) { add_chi2_body(x, y, sum, count); }
MERCER_CLONES void add_chi2(double x, const double* y, double* sum, Index count) { add_chi2_body(x, y, sum, count); }

// sum_j += 2 x y_j/(x + y_j)
template <class T>
MERCER_INLINE void add_harmonic_body(T x, const T* y, T* sum, Index count) {
  for (Index j = 0; j < count; ++j) {
    const T total = x + y[j];
    sum[j] += T(2) * x * (y[j] / (total > T(0) ? total : T(1)));
  }
}
MERCER_CLONES void add_harmonic(float x, const float* y, float* sum, Index count) {
  add_harmonic_body(x, y, sum, count);
}
MERCER_CLONES void add_harmonic(double x, const double* y, double* sum, Index count) {
  add_harmonic_body(x, y, sum, count);
}

class Chi2Node final : public CoordinateProductNode<Chi2Node> {
 public:
  Chi2Node(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : CoordinateProductNode(entry, std::move(parameters), std::move(children)),
        gamma_(number_or(this->parameters(), "gamma", 1)) {}

  Definiteness definiteness() const override {
    Definiteness result = positive_on_histograms();
    result.infinitely_divisible = true;
    return result;
  }

  double value(std::size_t /*c*/, double x, double y) const { return std::exp(-gamma_ * distance(x, y)); }
  double slope(std::size_t c, double x, double y) const { return -gamma_ * first(x, y) * value(c, x, y); }
  // h_xy = −8xy/(x+y)³
  double mixed(std::size_t c, double x, double y) const {
    const double s = x + y;
    const double cross = s > 0 ? -8 * (x / s) * (y / s) / s : 0.0;
    return (gamma_ * gamma_ * first(x, y) * first(y, x) - gamma_ * cross) * value(c, x, y);
  }
  void add_parameter_slopes(std::size_t c, double x, double y, double factor, std::span<double> out) const {
    out[0] -= factor * distance(x, y) * value(c, x, y);
  }

 protected:
  void row(std::span<const float> x, ConstMatrixView<float> y, std::span<float> k) const override { fill(x, y, k); }
  void row(std::span<const double> x, ConstMatrixView<double> y, std::span<double> k) const override { fill(x, y, k); }
  void check_domain(const Prepared& x) const override { require_nonnegative(x, entry().name); }

 private:
  static double distance(double x, double y) { return x + y > 0 ? (x - y) * ((x - y) / (x + y)) : 0.0; }
  // ∂/∂x of (x−y)²/(x+y) = 1 − (2y/(x+y))²
  static double first(double x, double y) {
    if (!(x + y > 0)) {
      return 0;
    }
    const double share = 2 * (y / (x + y));
    return 1 - share * share;
  }

  template <class T>
  void fill(std::span<const T> x, ConstMatrixView<T> y, std::span<T> k) const {
    std::fill(k.begin(), k.end(), T(0));
    for (std::size_t c = 0; c < x.size(); ++c) {
      add_chi2(x[c], y.row_data(static_cast<Index>(c)), k.data(), static_cast<Index>(k.size()));
    }
    vector_exp_scaled(k, static_cast<T>(-gamma_), k);
  }

  double gamma_;
};

class AdditiveChi2Node final : public HistogramSumNode<AdditiveChi2Node> {
 public:
  using HistogramSumNode::HistogramSumNode;

  template <class T>
  static void add_row(T x, const T* y, T* sum, Index count) {
    add_harmonic(x, y, sum, count);
  }
  double slope(std::size_t /*c*/, double x, double y) const {
    const double share = x + y > 0 ? y / (x + y) : 0.0;
    return 2 * share * share;
  }
  double mixed(std::size_t /*c*/, double x, double y) const {
    const double s = x + y;
    return s > 0 ? 4 * (x / s) * (y / s) / s : 0.0;
  }
};

}  // namespace

const KernelEntry& chi2_entry() {
  static const KernelEntry entry{.name = "chi2",
                                 .formula = "exp(-gamma sum_j (x_j-y_j)^2 / (x_j+y_j))",
                                 .summary = "exponential chi-squared kernel on histograms, x >= 0",
                                 .definiteness = "positive definite for x >= 0",
                                 .input = KernelInput::nonnegative_vectors,
                                 .parameters = {{.name = "gamma", .default_text = "1", .meaning = "inverse width"}},
                                 .make = make_node<Chi2Node>,
                                 .examples = {"chi2(gamma=0.5)", "chi2(gamma=2)[0:2]"}};
  return entry;
}

const KernelEntry& additive_chi2_entry() {
  static const KernelEntry entry{.name = "additive_chi2",
                                 .formula = "sum_j 2 x_j y_j / (x_j+y_j)",
                                 .summary = "additive chi-squared kernel on histograms, x >= 0",
                                 .definiteness = "positive definite for x >= 0",
                                 .input = KernelInput::nonnegative_vectors,
                                 .make = make_node<AdditiveChi2Node>,
                                 .examples = {"additive_chi2()", "additive_chi2()[1, 2]"}};
  return entry;
}

}  // namespace mercer
