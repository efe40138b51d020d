#include "mercer/kernels/radial/distance_power_node.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/vector_math.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/lengthscale.h"

namespace mercer {

DistancePowerNode::DistancePowerNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children,
                                     const std::string& what)
    : RadialNode(entry, std::move(parameters), std::move(children), 1.0),
      half_(this->parameters().number_or("beta", 1) / 2) {
  if (half_ > 1) {
    reject_argument(entry.name + ": beta", 2 * half_, "at most 2: above 2 the kernel is not " + what);
  }
}

template <class T>
void DistancePowerNode::map(std::span<T> u) const {
  if (half_ == 0) {
    map_each(u, [at_zero = static_cast<T>(zero_to_zero())](T v) { return v > 0 ? T(1) : at_zero; });
  } else if (half_ == 0.5) {
    vector_sqrt(u, u);
  } else if (half_ != 1) {
    vector_pow(u, static_cast<T>(half_), u);
  }
  outer(u);
}

void DistancePowerNode::profile(std::span<float> u) const { map(u); }
void DistancePowerNode::profile(std::span<double> u) const { map(u); }

void DistancePowerNode::first_derivative(std::span<double> u) const {
  map_each(u, [this](double v) {
    if (half_ == 1) {
      return outer_first(v);
    }
    const double power = std::pow(v, half_);
    return coincident(v) ? 0.0 : outer_first(power) * half_ * power / v;
  });
}

void DistancePowerNode::second_derivative(std::span<double> u) const {
  map_each(u, [this](double v) {
    if (half_ == 1) {
      return outer_second(v);
    }
    const double power = std::pow(v, half_);
    const double slope = half_ * power / v;
    return coincident(v) ? 0.0 : outer_second(power) * slope * slope - outer_first(power) * (1 - half_) * slope / v;
  });
}

}  // namespace mercer
