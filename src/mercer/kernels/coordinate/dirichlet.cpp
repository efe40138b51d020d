#include "mercer/kernels/coordinate/dirichlet.h"

#include <cmath>
#include <numbers>

#include "mercer/kernels/coordinate/coordinate_node.h"
#include "mercer/kernels/coordinate/fourier_sum.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

class DirichletNode final : public CoordinateProductNode<DirichletNode> {
 public:
  DirichletNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : CoordinateProductNode(entry, std::move(parameters), std::move(children)),
        order_(static_cast<int>(number_or(this->parameters(), "order", 1))),
        period_(this->parameters(), "period", 2 * std::numbers::pi) {}

  Definiteness definiteness() const override { return Definiteness::positive(); }

  double value(std::size_t c, double x, double y) const {
    const double t = phase(x - y, period_[c]);
    return t == 0 ? 2.0 * order_ + 1 : std::sin((order_ + 0.5) * t) / std::sin(t / 2);
  }
  double slope(std::size_t c, double x, double y) const { return 2 * series(x - y, c).first * phase_rate(period_[c]); }
  double mixed(std::size_t c, double x, double y) const {
    const double rate = phase_rate(period_[c]);
    return -2 * series(x - y, c).second * rate * rate;
  }
  void add_parameter_slopes(std::size_t c, double x, double y, double factor, std::span<double> out) const {
    out[period_.slot(c)] -= factor * slope(c, x, y) * (x - y) / period_[c];
  }

  // Uniform over the frequencies −n … n.
  std::optional<SpectralSampler> spectral_sampler(Index dimension) const override {
    const int count = 2 * order_ + 1;
    return SpectralSampler{
        std::pow(count, static_cast<double>(dimension)),
        [order = order_, count, period = period_](RandomStream& random, std::span<double> frequency) {
          for (std::size_t c = 0; c < frequency.size(); ++c) {
            const auto draw = static_cast<int>(random.below(static_cast<std::uint64_t>(count)));
            frequency[c] = (draw - order) * phase_rate(period[c]);
          }
        }};
  }

 protected:
  bool is_translation_invariant() const override { return true; }
  void check_domain(const Prepared& x) const override { period_.require_columns(entry().name, x.samples().columns()); }

 private:
  FourierSum series(double difference, std::size_t c) const {
    return fourier_sum(phase(difference, period_[c]), order_, [](int) { return 1.0; });
  }

  int order_;
  ColumnParameter period_;
};

}  // namespace

const KernelEntry& dirichlet_entry() {
  static const KernelEntry entry{
      .name = "dirichlet",
      .formula = "prod_j (1 + 2 sum_{n=1}^{order} cos(2 pi n (x_j-y_j) / period))",
      .summary = "trigonometric polynomials up to a degree",
      .definiteness = "positive definite",
      .parameters = {{.name = "order",
                      .aliases = {"n"},
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "10",
                      .meaning = "the largest frequency, in waves per period"},
                     {.name = "period",
                      .default_text = "6.283185307179586",
                      .meaning = "length of one period (default 2 pi), one number or one per column",
                      .may_be_list = true}},
      .make = make_node<DirichletNode>,
      .examples = {"dirichlet(order=2)", "dirichlet(order=3, period=[4, 6, 5])", "dirichlet(order=5, period=8)[0]"}};
  return entry;
}

}  // namespace mercer
