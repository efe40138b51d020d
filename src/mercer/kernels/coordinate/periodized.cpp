#include "mercer/kernels/coordinate/periodized.h"

#include <cmath>
#include <numbers>

#include "mercer/kernels/coordinate/coordinate_node.h"
#include "mercer/kernels/coordinate/fourier_sum.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// One wound-up function at r, with derivatives by r and by the parameters at fixed r.
struct Wound {
  double value = 0;
  double first = 0;
  double second = 0;
  double by_lengthscale = 0;
  double by_period = 0;
};

Wound gaussian_by_images(double r, double p, double l) {
  Wound sum;
  const int images = static_cast<int>(std::ceil(9 * l / p + 0.5));
  for (int n = -images; n <= images; ++n) {
    const double t = r + n * p;
    const double u = t / l;
    const double g = std::exp(-0.5 * u * u);
    sum.value += g;
    sum.first -= g * u / l;
    sum.second += g * (u * u - 1) / (l * l);
    sum.by_lengthscale += g * u * u / l;
    sum.by_period -= g * u / l * n;
  }
  return sum;
}

// ℓ√(2π)/p (1 + 2 Σ_n exp(−2π²ℓ²n²/p²) cos(2πnr/p))
Wound gaussian_by_waves(double r, double p, double l) {
  constexpr int waves = 3;
  const double ratio = l / p;
  const double rate = phase_rate(p);
  Wound sum{.value = 1};
  double by_ratio = 0;
  for (int n = 1; n <= waves; ++n) {
    const double w = 2 * std::exp(-2 * std::numbers::pi * std::numbers::pi * ratio * ratio * n * n);
    const double angle = n * rate * r;
    sum.value += w * std::cos(angle);
    sum.first -= w * n * rate * std::sin(angle);
    sum.second -= w * n * n * rate * rate * std::cos(angle);
    by_ratio -= w * 4 * std::numbers::pi * std::numbers::pi * ratio * n * n * std::cos(angle);
    sum.by_period += w * n * rate * r / p * std::sin(angle);
  }
  const double height = ratio * std::sqrt(2 * std::numbers::pi);
  const double by_ratio_total = std::sqrt(2 * std::numbers::pi) * sum.value + height * by_ratio;
  return {.value = height * sum.value,
          .first = height * sum.first,
          .second = height * sum.second,
          .by_lengthscale = by_ratio_total / p,
          .by_period = height * sum.by_period - by_ratio_total * ratio / p};
}

// r in [0, p)
Wound laplacian(double r, double p, double l) {
  const double near = std::exp(-r / l);
  const double far = std::exp((r - p) / l);
  const double a = p / l;
  const double scale = -1 / std::expm1(-a);
  const double scale_by_a = -scale * scale * std::exp(-a);
  Wound sum;
  sum.value = scale * (near + far);
  sum.first = r == 0 ? 0.0 : scale * (far - near) / l;
  sum.second = r == 0 ? 0.0 : sum.value / (l * l);
  sum.by_lengthscale = scale * (near * r + far * (p - r)) / (l * l) - scale_by_a * (near + far) * p / (l * l);
  sum.by_period = -scale * far / l + scale_by_a * (near + far) / l;
  return sum;
}

// n with probability ∝ density(n/scale), which falls from 1: by rejection from the density on the line that stays at 1 up
// to |x| = ½ and falls from there on, rounded. `mass` is the integral of the density, `draw` a draw from it. At least
// half of the draws are accepted.
template <class Draw, class Density>
double draw_integer(RandomStream& random, double scale, double mass, Draw draw, Density density) {
  while (true) {
    if (random.uniform() * (1 + scale * mass) < 1) {
      return 0;
    }
    const double signed_part = draw();
    const double beyond_half = scale * std::abs(signed_part);
    const double n = std::floor(beyond_half + 1);
    if (random.uniform() * density(beyond_half / scale) < density(n / scale)) {
      return std::copysign(n, signed_part);
    }
  }
}

double draw_normal_integer(RandomStream& random, double scale) {
  return draw_integer(
      random, scale, std::sqrt(2 * std::numbers::pi), [&random] { return random.normal(); },
      [](double y) { return std::exp(-0.5 * y * y); });
}

double draw_cauchy_integer(RandomStream& random, double scale) {
  return draw_integer(
      random, scale, std::numbers::pi, [&random] { return random.cauchy(); }, [](double y) { return 1 / (1 + y * y); });
}

class PeriodizedNode final : public CoordinateProductNode<PeriodizedNode> {
 public:
  PeriodizedNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : CoordinateProductNode(entry, std::move(parameters), std::move(children)),
        is_laplacian_(this->parameters().word("base") == "laplacian"),
        lengthscale_(this->parameters(), "lengthscale", 1),
        period_(this->parameters(), "period", 2 * std::numbers::pi) {}

  Definiteness definiteness() const override { return Definiteness::positive(); }

  double value(std::size_t c, double x, double y) const { return wound(c, x - y).value; }
  double slope(std::size_t c, double x, double y) const { return wound(c, x - y).first; }
  double mixed(std::size_t c, double x, double y) const { return -wound(c, x - y).second; }
  void add_parameter_slopes(std::size_t c, double x, double y, double factor, std::span<double> out) const {
    const Wound w = wound(c, x - y);
    out[lengthscale_.slot(c)] += factor * w.by_lengthscale;
    out[period_.slot(c)] += factor * w.by_period;
  }

  // By Poisson's formula every column has the frequencies 2πn/period, weighted by the transform of the wound function.
  std::optional<SpectralSampler> spectral_sampler(Index dimension) const override {
    period_.require_columns(entry().name, dimension);
    lengthscale_.require_columns(entry().name, dimension);
    double amplitude = 1;
    for (std::size_t c = 0; c < static_cast<std::size_t>(dimension); ++c) {
      amplitude *= wound(c, 0).value;
    }
    return SpectralSampler{amplitude, [is_laplacian = is_laplacian_, lengthscale = lengthscale_, period = period_](
                                          RandomStream& random, std::span<double> frequency) {
                             for (std::size_t c = 0; c < frequency.size(); ++c) {
                               const double rate = phase_rate(period[c]);
                               const double scale = 1 / (rate * lengthscale[c]);
                               frequency[c] = rate * (is_laplacian ? draw_cauchy_integer(random, scale)
                                                                   : draw_normal_integer(random, scale));
                             }
                           }};
  }

 protected:
  bool is_translation_invariant() const override { return true; }
  void check_domain(const Prepared& x) const override {
    period_.require_columns(entry().name, x.samples().columns());
    lengthscale_.require_columns(entry().name, x.samples().columns());
  }

 private:
  // The difference is brought to one period, r = t − m·period; m makes the derivative by the period complete.
  Wound wound(std::size_t c, double t) const {
    const double p = period_[c];
    const double l = lengthscale_[c];
    double r = std::remainder(t, p);
    if (!std::isfinite(r)) {
      r = t = 0;
    }
    Wound w;
    double m = std::round((t - r) / p);
    if (is_laplacian_) {
      const bool mirrored = r < 0;
      w = laplacian(std::abs(r), p, l);
      if (mirrored) {
        w.first = -w.first;
      }
    } else {
      w = l <= p ? gaussian_by_images(r, p, l) : gaussian_by_waves(r, p, l);
    }
    w.by_period -= m * w.first;
    return w;
  }

  bool is_laplacian_;
  ColumnParameter lengthscale_;
  ColumnParameter period_;
};

}  // namespace

const KernelEntry& periodized_entry() {
  static const KernelEntry entry{
      .name = "periodized",
      .formula = "prod_j sum_n g(x_j - y_j + n period), g(t) = exp(-t^2/(2 lengthscale^2)) or exp(-|t|/lengthscale)",
      .summary = "a Gaussian or Laplacian wound around a circle",
      .definiteness = "positive definite",
      .parameters = {{.name = "base",
                      .role = ParameterRole::word,
                      .default_text = "gaussian",
                      .meaning = "the kernel that is wound",
                      .words = {"gaussian", "laplacian"}},
                     {.name = "lengthscale",
                      .aliases = {"length_scale", "sigma"},
                      .default_text = "1",
                      .meaning = "width, one number or one per column",
                      .may_be_list = true},
                     {.name = "period",
                      .default_text = "6.283185307179586",
                      .meaning = "length of one period (default 2 pi), one number or one per column",
                      .may_be_list = true}},
      .make = make_node<PeriodizedNode>,
      .examples = {"periodized(lengthscale=0.8)", "periodized(lengthscale=[0.5, 4, 2], period=3)",
                   "periodized(base=laplacian, lengthscale=0.7, period=2)"}};
  return entry;
}

}  // namespace mercer
