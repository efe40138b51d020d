#include "mercer/kernels/radial/offset_power_node.h"

#include <cmath>

#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/radial/scale_mixture.h"

namespace mercer {

namespace {

double exponent_of(OffsetPower power) {
  return power == OffsetPower::minus_one ? -1.0 : power == OffsetPower::minus_half ? -0.5 : 0.5;
}

// φ(u) = ±s^p, s = u + c², u = (r/ℓ)²: φ' = p φ/s, φ'' = p(p−1) φ/s², ∂φ/∂c = 2cp φ/s
class OffsetPowerNode final : public RadialNode {
 public:
  OffsetPowerNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children, const char* offset,
                  OffsetPower power)
      : RadialNode(entry, std::move(parameters), std::move(children), 1.0),
        power_(power),
        exponent_(exponent_of(power)),
        c_(this->parameters().number_or(offset, 1)) {}

  Definiteness definiteness() const override {
    Definiteness result;
    if (exponent_ < 0) {
      result.infinitely_divisible = true;
    } else {
      result = Definiteness::conditional(1);
      result.nonpositive = true;
    }
    return result;
  }

 protected:
  void profile(std::span<float> u) const override { map(u); }
  void profile(std::span<double> u) const override { map(u); }
  void first_derivative(std::span<double> u) const override { map_slope(u, exponent_, 1); }
  void second_derivative(std::span<double> u) const override { map_slope(u, exponent_ * (exponent_ - 1), 2); }
  void parameter_derivative(Index /*p*/, std::span<double> u) const override { map_slope(u, 2 * c_ * exponent_, 1); }

  // (1 + s)^p = E exp(−gs), g of the gamma distribution of shape −p.
  std::optional<SpectralSampler> unit_sampler(Index /*dimension*/) const override {
    if (exponent_ > 0) {
      return std::nullopt;
    }
    return scale_mixture(std::pow(c_, 2 * exponent_), [shape = -exponent_, c = c_](RandomStream& random) {
      return std::sqrt(2 * random.gamma(shape)) / c;
    });
  }

 private:
  template <class T>
  void map(std::span<T> u) const {
    const T squared = static_cast<T>(c_ * c_);
    switch (power_) {
      case OffsetPower::minus_one:
        return map_each(u, [squared](T v) { return 1 / (v + squared); });
      case OffsetPower::minus_half:
        return map_each(u, [squared](T v) { return 1 / std::sqrt(v + squared); });
      case OffsetPower::half:
        return map_each(u, [squared](T v) { return -std::sqrt(v + squared); });
    }
  }
  // u → factor · φ(u)/s^divisions
  void map_slope(std::span<double> u, double factor, int divisions) const {
    map_blocks(u, [&](std::span<double> block, std::span<double> copy) {
      map(block);
      for (std::size_t j = 0; j < block.size(); ++j) {
        const double s = copy[j] + c_ * c_;
        block[j] *= factor / s / (divisions == 2 ? s : 1.0);
      }
    });
  }

  OffsetPower power_;
  double exponent_;
  double c_;
};

}  // namespace

ParameterSpec offset_lengthscale_spec(const std::string& offset) {
  ParameterSpec spec =
      lengthscale_spec("width, one number or one per column (default scale; 1 where " + offset + " is given)");
  spec.default_text.clear();
  return spec;
}

std::shared_ptr<const KernelNode> make_offset_power(const KernelEntry& entry, ParameterList parameters,
                                                    std::vector<Kernel> children, const char* offset,
                                                    OffsetPower power) {
  if (!parameters.has(offset)) {
    if (!parameters.has("lengthscale")) {
      parameters = parameters.with("lengthscale", ParameterValue::of_width(WidthRule::scale));
    }
    parameters = parameters.with(offset, ParameterValue::number(1));
  }
  return std::make_shared<const OffsetPowerNode>(entry, std::move(parameters), std::move(children), offset, power);
}

}  // namespace mercer
