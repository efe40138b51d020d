#include "mercer/kernels/dot/vovk_infinite.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// φ(t) = 1/(1 − t)
class VovkInfiniteNode final : public DotNode {
 public:
  using DotNode::DotNode;
  Definiteness definiteness() const override {
    Definiteness result;
    result.domain.inside_unit_ball = true;
    return result;
  }

 protected:
  void profile(std::span<float> t, float /*a*/, std::span<const float> /*b*/) const override { map(t); }
  void profile(std::span<double> t, double /*a*/, std::span<const double> /*b*/) const override { map(t); }
  DotDerivatives derivatives(double t, double /*a*/, double /*b*/) const override {
    double value[1] = {t};
    map(std::span<double>(value));
    const double squared = value[0] * value[0];
    return {.t = squared, .tt = 2 * squared * value[0]};
  }
  void check_domain(const Prepared& x) const override {
    for (Index i = 0; i < x.size(); ++i) {
      const double squared = x.squared_length(plain_geometry(), i);
      if (!(squared < 1)) {
        throw DataError("the kernel " + entry().name + " needs vectors inside the unit ball, but row " +
                        std::to_string(i) + " (counted from 0) has the length " + shortest(std::sqrt(squared)) +
                        "; scale the data, or take vovk(), which is defined everywhere");
      }
    }
  }

 private:
  // Lengths below 1 may round to 1 in T.
  template <class T>
  void map(std::span<T> t) const {
    map_each(t, [](T v) { return 1 / std::max(1 - v, std::numeric_limits<T>::epsilon() / 2); });
  }
};

}  // namespace

const KernelEntry& vovk_infinite_entry() {
  static const KernelEntry entry{.name = "vovk_infinite",
                                 .formula = "1 / (1 - x.y), |x| < 1",
                                 .summary = "Vovk's infinite polynomial, for vectors inside the unit ball",
                                 .definiteness = "positive definite for |x| < 1",
                                 .make = make_node<VovkInfiniteNode>,
                                 .examples = {"vovk_infinite()"}};
  return entry;
}

}  // namespace mercer
