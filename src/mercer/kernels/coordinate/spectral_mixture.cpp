#include "mercer/kernels/coordinate/spectral_mixture.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/vector_math.h"
#include "mercer/kernels/coordinate/coordinate_node.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// Differences so large that they would overflow when squared are as good as infinite; cut there, they give no NaN.
template <class T>
T difference(T x, T y) {
  constexpr T largest = sizeof(T) == sizeof(float) ? T(1e15) : T(1e140);
  return std::clamp(x - y, -largest, largest);
}

// A list over components and columns; shorter lists are spread as the header says.
class MixtureParameter {
 public:
  MixtureParameter(const ParameterList& parameters, std::string_view name, std::size_t components)
      : values_(numbers_or_none(parameters, name)),
        components_(components),
        first_(gradient_offset(parameters, name)),
        name_(name) {
    if (values_.empty()) {
      values_ = {0.0};
    }
  }
  std::size_t slot(std::size_t q, std::size_t c) const { return first_ + place(q, c); }
  double at(std::size_t q, std::size_t c) const { return values_[place(q, c)]; }
  void require_columns(Index columns) const {
    const std::size_t size = values_.size();
    if (size != 1 && size != components_ && size != components_ * static_cast<std::size_t>(columns)) {
      throw InvalidArgument("spectral_mixture: " + name_ + " is a list of " + std::to_string(size) + " numbers; with " +
                            std::to_string(components_) + " weights and " + std::to_string(columns) +
                            " columns it has 1, " + std::to_string(components_) + " or " +
                            std::to_string(components_ * static_cast<std::size_t>(columns)));
    }
  }

 private:
  std::size_t place(std::size_t q, std::size_t c) const {
    const std::size_t size = values_.size();
    return size == 1 ? 0 : size == components_ ? q : q * (size / components_) + c;
  }

  std::vector<double> values_;
  std::size_t components_;
  std::size_t first_;
  std::string name_;
};

class SpectralMixtureNode final : public PairwiseNode {
 public:
  SpectralMixtureNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : PairwiseNode(entry, std::move(parameters), std::move(children)),
        weights_(weights_or_one(this->parameters())),
        means_(this->parameters(), "means", weights_.size()),
        variances_(this->parameters(), "variances", weights_.size()) {}

  Definiteness definiteness() const override { return Definiteness::positive(); }

  // Every column has a frequency of its own, 2π(±μ + √v·normal): the product of the columns' characteristic functions.
  std::optional<SpectralSampler> spectral_sampler(Index /*dimension*/) const override {
    double total = 0;
    for (const double weight : weights_) {
      total += weight;
    }
    return SpectralSampler{total, [weights = weights_, means = means_, variances = variances_, total](
                                      RandomStream& random, std::span<double> frequency) {
                             double rest = random.uniform() * total;
                             std::size_t q = 0;
                             while (q + 1 < weights.size() && rest >= weights[q]) {
                               rest -= weights[q++];
                             }
                             for (std::size_t c = 0; c < frequency.size(); ++c) {
                               const double sign = random.uniform() < 0.5 ? -1.0 : 1.0;
                               frequency[c] = 2 * std::numbers::pi *
                                              (sign * means.at(q, c) + std::sqrt(variances.at(q, c)) * random.normal());
                             }
                           }};
  }

 protected:
  bool is_translation_invariant() const override { return true; }
  void row(std::span<const float> x, ConstMatrixView<float> y, std::span<float> k) const override { fill(x, y, k); }
  void row(std::span<const double> x, ConstMatrixView<double> y, std::span<double> k) const override { fill(x, y, k); }
  void check_domain(const Prepared& x) const override {
    means_.require_columns(x.samples().columns());
    variances_.require_columns(x.samples().columns());
  }

  void parameter_derivatives(std::span<const double> x, std::span<const double> y,
                             std::span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t q = 0; q < weights_.size(); ++q) {
      const Component part = component(q, x, y);
      double product = 1;
      for (std::size_t c = 0; c < x.size(); ++c) {
        product *= part.value[c];
        const double t = difference(x[c], y[c]);
        const double rest = weights_[q] * part.rest[c];
        out[means_.slot(q, c)] -= rest * part.decay[c] * part.sine[c] * 2 * std::numbers::pi * t;
        out[variances_.slot(q, c)] -= rest * part.value[c] * 2 * std::numbers::pi * std::numbers::pi * t * t;
      }
      out[q] += product;
    }
  }
  void input_gradient(std::span<const double> x, std::span<const double> y, std::span<double> dx) const override {
    std::fill(dx.begin(), dx.end(), 0.0);
    for (std::size_t q = 0; q < weights_.size(); ++q) {
      const Component part = component(q, x, y);
      for (std::size_t c = 0; c < x.size(); ++c) {
        dx[c] += weights_[q] * part.rest[c] * part.slope[c];
      }
    }
  }
  void mixed_derivative(std::span<const double> x, std::span<const double> y, std::span<double> mixed) const override {
    std::fill(mixed.begin(), mixed.end(), 0.0);
    const std::size_t d = x.size();
    for (std::size_t q = 0; q < weights_.size(); ++q) {
      const Component part = component(q, x, y);
      std::vector<double> rest(d);
      for (std::size_t a = 0; a < d; ++a) {
        std::vector<double> without_a = part.value;
        without_a[a] = 1;
        products_of_others(without_a, rest);
        for (std::size_t b = 0; b < d; ++b) {
          mixed[a * d + b] -= weights_[q] * rest[b] * (a == b ? part.curvature[a] : part.slope[a] * part.slope[b]);
        }
      }
    }
  }

 private:
  static std::vector<double> weights_or_one(const ParameterList& parameters) {
    std::vector<double> weights = numbers_or_none(parameters, "weights");
    return weights.empty() ? std::vector<double>{1.0} : weights;
  }

  // Per column of component q: exp(−2π²τ²v), sin(2πτμ), the factor, its first two derivatives by τ, and the product of
  // the other columns' factors.
  struct Component {
    explicit Component(std::size_t d) : decay(d), sine(d), value(d), slope(d), curvature(d), rest(d) {}
    std::vector<double> decay, sine, value, slope, curvature, rest;
  };
  Component component(std::size_t q, std::span<const double> x, std::span<const double> y) const {
    Component part(x.size());
    for (std::size_t c = 0; c < x.size(); ++c) {
      const double t = difference(x[c], y[c]);
      const double rate = 2 * std::numbers::pi * means_.at(q, c);
      const double spread = 4 * std::numbers::pi * std::numbers::pi * variances_.at(q, c);
      const double e = std::exp(-0.5 * spread * t * t);
      const double cosine = std::cos(rate * t);
      const double sine = std::sin(rate * t);
      part.decay[c] = e;
      part.sine[c] = sine;
      part.value[c] = e * cosine;
      part.slope[c] = e == 0 ? 0.0 : -e * (spread * t * cosine + rate * sine);
      part.curvature[c] =
          e == 0 ? 0.0 : e * ((spread * spread * t * t - spread - rate * rate) * cosine + 2 * spread * t * rate * sine);
    }
    products_of_others(part.value, part.rest);
    return part;
  }

  template <class T>
  void fill(std::span<const T> x, ConstMatrixView<T> y, std::span<T> k) const {
    const std::size_t n = k.size();
    std::vector<T> angle(n);
    std::vector<T> exponent(n);
    std::vector<T> product(n);
    std::fill(k.begin(), k.end(), T(0));
    for (std::size_t q = 0; q < weights_.size(); ++q) {
      std::fill(exponent.begin(), exponent.end(), T(0));
      std::fill(product.begin(), product.end(), static_cast<T>(weights_[q]));
      for (std::size_t c = 0; c < x.size(); ++c) {
        const T* const column = y.row_data(static_cast<Index>(c));
        const auto rate = static_cast<T>(2 * std::numbers::pi * means_.at(q, c));
        const auto spread = static_cast<T>(2 * std::numbers::pi * std::numbers::pi * variances_.at(q, c));
        for (std::size_t j = 0; j < n; ++j) {
          const T t = difference(x[c], column[j]);
          angle[j] = rate * t;
          exponent[j] += spread * t * t;
        }
        vector_cos(angle, angle);
        for (std::size_t j = 0; j < n; ++j) {
          product[j] *= angle[j];
        }
      }
      vector_exp_scaled(exponent, T(-1), exponent);
      for (std::size_t j = 0; j < n; ++j) {
        k[j] += product[j] * exponent[j];
      }
    }
  }

  std::vector<double> weights_;
  MixtureParameter means_;
  MixtureParameter variances_;
};

}  // namespace

const KernelEntry& spectral_mixture_entry() {
  static const KernelEntry entry{
      .name = "spectral_mixture",
      .formula = "sum_q w_q prod_j exp(-2 pi^2 t_j^2 v_qj) cos(2 pi t_j m_qj), t = x-y",
      .summary = "mixture of Gaussians as spectral density: quasi-periodic patterns that data may find",
      .definiteness = "positive definite",
      .parameters = {{.name = "weights",
                      .constraint = Constraint::nonnegative,
                      .default_text = "1",
                      .meaning = "one per component",
                      .may_be_list = true},
                     {.name = "means",
                      .constraint = Constraint::nonnegative,
                      .default_text = "0.1",
                      .meaning = "frequencies: per component, or per component and column (component by component)",
                      .may_be_list = true},
                     {.name = "variances",
                      .constraint = Constraint::nonnegative,
                      .default_text = "0.1",
                      .meaning = "variances of the frequencies, listed as the means",
                      .may_be_list = true}},
      .make = make_node<SpectralMixtureNode>,
      .examples = {"spectral_mixture(weights=[1, 0.5], means=[0.1, 0.4], variances=[0.02, 0.01])",
                   "spectral_mixture(weights=[0.7, 0.2], means=[0.1, 0.2, 0.05, 0.3, 0.15, 0.25], "
                   "variances=[0.02, 0.01, 0.03, 0.01, 0.02, 0.01])",
                   "spectral_mixture(weights=2, means=[0.3, 0.1, 0.2], variances=0.05)"}};
  return entry;
}

}  // namespace mercer
