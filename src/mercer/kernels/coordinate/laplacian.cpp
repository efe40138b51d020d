#include "mercer/kernels/coordinate/laplacian.h"

#include <cmath>

#include "mercer/base/simd.h"
#include "mercer/base/vector_math.h"
#include "mercer/kernels/coordinate/coordinate_node.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

template <class T>
MERCER_INLINE void add_distances_body(T x, const T* y, T* sum, Index count) {
  for (Index j = 0; j < count; ++j) {
    sum[j] += std::abs(x - y[j]);
  }
}
MERCER_CLONES void add_distances(float x, const float* y, float* sum, Index count) {
  add_distances_body(x, y, sum, count);
}
MERCER_CLONES void add_distances(double x, const double* y, double* sum, Index count) {
  add_distances_body(x, y, sum, count);
}

class LaplacianNode final : public CoordinateProductNode<LaplacianNode> {
 public:
  LaplacianNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : CoordinateProductNode(entry, std::move(parameters), std::move(children)),
        gamma_(number_or(this->parameters(), "gamma", 1)) {}

  Definiteness definiteness() const override {
    Definiteness result;
    result.infinitely_divisible = true;
    return result;
  }

  double value(std::size_t /*c*/, double x, double y) const { return std::exp(-gamma_ * std::abs(x - y)); }
  // At a tie the kernel has a kink: the pair does not pull.
  double slope(std::size_t c, double x, double y) const {
    return x == y ? 0.0 : (x > y ? -gamma_ : gamma_) * value(c, x, y);
  }
  double mixed(std::size_t c, double x, double y) const { return x == y ? 0.0 : -gamma_ * gamma_ * value(c, x, y); }
  void add_parameter_slopes(std::size_t c, double x, double y, double factor, std::span<double> out) const {
    out[0] -= factor * std::min(std::abs(x - y), 1e300) * value(c, x, y);
  }

  // exp(−γ|t|) is the characteristic function of the Cauchy distribution of scale γ.
  std::optional<SpectralSampler> spectral_sampler(Index /*dimension*/) const override {
    return SpectralSampler{1.0, [gamma = gamma_](RandomStream& random, std::span<double> frequency) {
                             for (double& component : frequency) {
                               component = gamma * random.cauchy();
                             }
                           }};
  }

 protected:
  bool is_translation_invariant() const override { return true; }
  void row(std::span<const float> x, ConstMatrixView<float> y, std::span<float> k) const override { fill(x, y, k); }
  void row(std::span<const double> x, ConstMatrixView<double> y, std::span<double> k) const override { fill(x, y, k); }

 private:
  template <class T>
  void fill(std::span<const T> x, ConstMatrixView<T> y, std::span<T> k) const {
    std::fill(k.begin(), k.end(), T(0));
    for (std::size_t c = 0; c < x.size(); ++c) {
      add_distances(x[c], y.row_data(static_cast<Index>(c)), k.data(), static_cast<Index>(k.size()));
    }
    vector_exp_scaled(k, static_cast<T>(-gamma_), k);
  }

  double gamma_;
};

}  // namespace

const KernelEntry& laplacian_entry() {
  static const KernelEntry entry{
      .name = "laplacian",
      .aliases = {"laplacedot"},
      .formula = "exp(-gamma sum_j |x_j-y_j|)",
      .summary = "Laplacian kernel on the city-block distance: rough functions, product over the columns",
      .definiteness = "positive definite",
      .parameters = {{.name = "gamma", .default_text = "auto", .meaning = "inverse width; auto = 1/columns"}},
      .make = make_node<LaplacianNode>,
      .examples = {"laplacian(gamma=0.4)", "laplacian(gamma=1.5)[0, 2]"}};
  return entry;
}

}  // namespace mercer
