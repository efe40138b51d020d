#include "mercer/kernels/dot/vovk.h"

#include "mercer/base/error.h"
#include "mercer/kernels/dot/power_series.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

std::vector<double> ones(const KernelEntry& entry, const ParameterList& parameters) {
  const double terms = parameters.number_or("terms", 1);
  if (terms > 1000) {
    reject_argument(entry.name + ": terms", terms, "a whole number from 1 to 1000");
  }
  return std::vector<double>(static_cast<std::size_t>(terms), 1.0);
}

class VovkNode final : public DotNode {
 public:
  VovkNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : DotNode(entry, std::move(parameters), std::move(children)), series_(ones(entry, this->parameters())) {}
  Definiteness definiteness() const override { return Definiteness::positive(); }

 protected:
  void profile(std::span<float> t, float /*a*/, std::span<const float> /*b*/) const override { series_.map(t); }
  void profile(std::span<double> t, double /*a*/, std::span<const double> /*b*/) const override { series_.map(t); }
  DotDerivatives derivatives(double t, double /*a*/, double /*b*/) const override {
    return {.t = series_.slope(t), .tt = series_.curvature(t)};
  }

 private:
  PowerSeries series_;
};

}  // namespace

const KernelEntry& vovk_entry() {
  static const KernelEntry entry{.name = "vovk",
                                 .formula = "sum of (x.y)^n for n < terms = (1 - (x.y)^terms) / (1 - x.y)",
                                 .summary = "Vovk's real polynomial: all degrees below `terms` alike",
                                 .definiteness = "positive definite",
                                 .parameters = {{.name = "terms",
                                                 .aliases = {"p"},
                                                 .role = ParameterRole::number,
                                                 .constraint = Constraint::positive_integer,
                                                 .default_text = "4",
                                                 .meaning = "number of powers, the constant among them"}},
                                 .make = make_node<VovkNode>,
                                 .examples = {"vovk(terms=4)", "vovk(terms=1)", "vovk(terms=7)"}};
  return entry;
}

}  // namespace mercer
