#include "mercer/kernels/generative/density_product.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/parallel.h"
#include "mercer/kernels/generative/mixture_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

double bounded_exp(double exponent) { return std::exp(std::min(exponent, 350.0)); }

// ln p(bag) = Σ ln p(x) over its points.
double log_density_of(const GaussianMixture& mixture, const PointBags& bags, Index i) {
  double sum = 0;
  for (Index p = bags.offsets[i]; p < bags.offsets[i + 1]; ++p) {
    sum += mixture.log_density(bags.point(p));
  }
  return sum;
}

class DensityNode : public MixtureNode {
 public:
  DensityNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : MixtureNode(entry, std::move(parameters), std::move(children)) {
    waits_for_data(*this, "log_scale");
  }

  // Few features over many orders of magnitude.
  bool computes_in_double() const override { return true; }

 protected:
  double log_scale() const { return model_numbers(*this, "log_scale", 1)[0]; }

  ParameterList with_other_fits(ParameterList parameters, const GaussianMixture& mixture, const PointBags& bags,
                                const Run& run) const override {
    if (!waits_for_data(*this, "log_scale")) {
      return parameters;
    }
    double largest = bags.size() == 0 ? 0.0 : -HUGE_VAL;
    for (Index i = 0; i < bags.size(); ++i) {
      run.check_stop();
      largest = std::max(largest, log_density_of(mixture, bags, i));
    }
    return parameters.with("log_scale", fitted_number(*this, -largest));
  }
};

class DensityProductNode final : public DensityNode {
 public:
  using DensityNode::DensityNode;

 protected:
  Matrix<double> features(const KernelPreparation& preparation) const override {
    const Samples& samples = preparation.target().samples();
    const Run& run = preparation.run();
    const PointBags bags = model_bags(samples);
    Matrix<double> values(bags.size(), 1);
    parallel_for(run, bags.size(),
                 [&](Index i) { values(i, 0) = bounded_exp(log_scale() + log_density_of(mixture(), bags, i)); });
    return values;
  }
};

// The features √w_k p(x | k).
class MixtureProductNode final : public DensityNode {
 public:
  using DensityNode::DensityNode;

 protected:
  Matrix<double> features(const KernelPreparation& preparation) const override {
    const Samples& samples = preparation.target().samples();
    const Run& run = preparation.run();
    const PointBags bags = model_bags(samples);
    const auto count = static_cast<std::size_t>(mixture().components());
    Matrix<double> values(bags.size(), mixture().components());
    parallel_for(run, bags.size(), [&](Index i) {
      std::vector<double> sums(count, log_scale());
      std::vector<double> terms(count);
      for (Index p = bags.offsets[i]; p < bags.offsets[i + 1]; ++p) {
        mixture().log_terms(bags.point(p), terms);
        for (std::size_t k = 0; k < count; ++k) {
          sums[k] += terms[k] - std::log(mixture().weights()[k]);
        }
      }
      for (std::size_t k = 0; k < count; ++k) {
        values(i, static_cast<Index>(k)) = bounded_exp(sums[k] + 0.5 * std::log(mixture().weights()[k]));
      }
    });
    return values;
  }
};

ParameterSpec log_scale_spec() {
  return fitted_spec("log_scale",
                     "ln c; auto: -ln of the largest density of a training sample; 0: the densities themselves",
                     Constraint::any);
}

}  // namespace

const KernelEntry& density_product_entry() {
  static const KernelEntry entry{
      .name = "density_product",
      .formula = "c^2 p(x) p(y), p a mixture of Gaussians fitted by EM",
      .summary = "both points are likely: the product of their densities",
      .definiteness = "positive definite (rank 1)",
      .parameters = mixture_specs("1", {log_scale_spec()}),
      .make = make_node<DensityProductNode>,
      .examples = {
          "density_product(components=1, weights=1, means=[0, 0, 0], variances=1, log_scale=2)",
          "density_product(components=2, weights=[1, 3], means=[0, 0, 0, 1, 1, 1], variances=0.7, log_scale=0)",
          "normalize(density_product(components=1, weights=1, means=[0, 0, 0], variances=1, log_scale=0))"}};
  return entry;
}

const KernelEntry& mixture_product_entry() {
  static const KernelEntry entry{
      .name = "mixture_product",
      .formula = "c^2 sum_k w_k p(x|k) p(y|k), a mixture of Gaussians fitted by EM",
      .summary = "both points come from one component of a mixture",
      .definiteness = "positive definite (rank at most components)",
      .parameters = mixture_specs("3", {log_scale_spec()}),
      .make = make_node<MixtureProductNode>,
      .examples = {
          "mixture_product(components=2, weights=[1, 3], means=[0, 0, 0, 1, 1, 1], variances=0.7, log_scale=0)",
          "mixture_product(components=3, weights=1, means=[0, 0, 0, 1, 1, 1, -1, 0, 0], variances=0.7, log_scale=3)",
          "normalize(mixture_product(components=2, weights=1, means=[0, 0, 0, 1, 1, 1], variances=1, "
          "log_scale=0))"}};
  return entry;
}

}  // namespace mercer
