#include "mercer/kernels/generative/probability_product.h"

#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/base/vector_math.h"
#include "mercer/data/columns.h"
#include "mercer/kernels/data_dimension.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/radial_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/widths.h"

namespace mercer {

namespace {

double product_unit(const ParameterList& parameters) {
  const double sigma = parameters.number_or("sigma", 1);
  return parameters.number_or("rho", 1) / (4 * sigma * sigma);
}

// φ(u) = c e^−u, u = ρ r²/(4σ²)
class ProbabilityProductNode final : public RadialNode {
 public:
  // The base moves the parameters: what it needs of them is read before.
  ProbabilityProductNode(const KernelEntry& entry, const ParameterList& parameters, std::vector<Kernel> children)
      : RadialNode(entry, parameters, std::move(children), product_unit(parameters)),
        dimension_(given_dimension(*this)) {
    const double rho = this->parameters().number_or("rho", 1);
    const double sigma = this->parameters().number_or("sigma", 1);
    log_peak_ = static_cast<double>(dimension_) * (0.5 * std::log(std::numbers::pi * sigma * sigma / rho) -
                                                   rho * std::log(2 * std::numbers::pi * sigma * sigma));
    peak_ = std::exp(log_peak_);
  }

  Definiteness definiteness() const override {
    Definiteness result;
    result.infinitely_divisible = true;
    return result;
  }

  std::shared_ptr<const KernelNode> resolved(const WeightedSamples& all, const Run& run) const override {
    if (needs_data_dimension(*this)) {
      return with_data_dimension(*this, all.samples)->resolved(all, run);
    }
    const WidthRule rule = parameters().find("sigma")->value.width;
    if (rule == WidthRule::none) {
      return KernelNode::resolved(all, run);
    }
    // The width at which the kernel is an rbf of the rule's gamma.
    const double gamma = width_gamma(rule, all, run);
    const double sigma = std::sqrt(parameters().number("rho") / (4 * gamma));
    return rebuilt(parameters().with("sigma", ParameterValue::number(sigma)), {});
  }

  void complete(KernelPreparation& preparation) const override {
    const Samples& samples = preparation.target().samples();
    if (samples.columns() != dimension_) {
      throw DataError("probability_product: dimension=" + std::to_string(dimension_) + ", but the samples have " +
                      std::to_string(samples.columns()) + " columns");
    }
    // The range of numbers, less what differences of columns may lose.
    const double limit = preparation.target().precision() == Precision::single_precision ? 80 : 690;
    if (!(std::abs(log_peak_) < limit)) {
      throw NumericalError("probability_product: the densities of " + std::to_string(dimension_) +
                           " dimensions with sigma=" + shortest(parameters().number("sigma")) +
                           " are beyond the range of numbers; take rbf(gamma=" + shortest(factor()) +
                           "), which differs by the constant e^" + shortest(std::round(log_peak_)) +
                           " alone, or rho=0.5" +
                           (std::abs(log_peak_) < 690 ? ", or double precision (--precision double)" : ""));
    }
    RadialNode::complete(preparation);
  }

 protected:
  void profile(std::span<float> u) const override { scaled_exp(u, static_cast<float>(peak_)); }
  void profile(std::span<double> u) const override { scaled_exp(u, peak_); }
  void first_derivative(std::span<double> u) const override { scaled_exp(u, -peak_); }
  void second_derivative(std::span<double> u) const override { scaled_exp(u, peak_); }

  std::optional<SpectralSampler> unit_sampler(Index /*dimension*/) const override {
    return SpectralSampler{peak_,
                           [spread = std::sqrt(2 * factor())](RandomStream& random, std::span<double> frequency) {
                             for (double& component : frequency) {
                               component = spread * random.normal();
                             }
                           }};
  }

 private:
  template <class T>
  static void scaled_exp(std::span<T> u, T scale) {
    vector_exp_scaled(u, T(-1), u);
    map_each(u, [scale](T value) { return scale * value; });
  }

  Index dimension_;
  double log_peak_ = 0;
  double peak_ = 1;
};

}  // namespace

const KernelEntry& probability_product_entry() {
  static const KernelEntry entry{
      .name = "probability_product",
      .aliases = {"expected_likelihood"},
      .formula =
          "integral of N(u; x, sigma^2)^rho N(u; y, sigma^2)^rho du; rho=1: exp(-|x-y|^2/(4 sigma^2)) / (4 pi "
          "sigma^2)^(d/2)",
      .summary = "overlap of Gaussians around the points",
      .definiteness = "positive definite",
      .parameters = {{.name = "sigma",
                      .role = ParameterRole::number,
                      .default_text = "scale",
                      .meaning =
                          "standard deviation around a point; scale, auto, median: by the same rules as gamma of rbf"},
                     {.name = "rho",
                      .role = ParameterRole::number,
                      .default_text = "1",
                      .meaning = "power of the densities: 1 expected likelihood, 0.5 Bhattacharyya"},
                     dimension_spec("number of columns; auto: that of the samples")},
      .make = make_node<ProbabilityProductNode>,
      .examples = {"probability_product(sigma=0.7, dimension=3)",
                   "probability_product(sigma=0.5, rho=0.5, dimension=3)",
                   "normalize(probability_product(sigma=1.2, rho=2, dimension=3))"}};
  return entry;
}

}  // namespace mercer
