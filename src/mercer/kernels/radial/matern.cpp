#include "mercer/kernels/radial/matern.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/once.h"
#include "mercer/base/vector_math.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/bessel_k.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/radial/scale_mixture.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

double checked_nu(const KernelEntry& entry, const ParameterList& parameters) {
  const double nu = parameters.number_or("nu", 1.5);
  if (std::isfinite(nu) && nu > largest_matern_order) {
    reject_argument(entry.name + ": nu", nu,
                    "a positive number up to 200, or inf: beyond 200 the kernel is hardly other than rbf");
  }
  return nu;
}

// A table that is built when it is first asked for: gradients need others than values do.
class LazyTable {
 public:
  explicit LazyTable(double order) : order_(order) {}
  const MaternTable& table() const {
    built_([this] { table_ = std::make_unique<const MaternTable>(order_); });
    return *table_;
  }

 private:
  double order_;
  mutable Once built_;
  mutable std::unique_ptr<const MaternTable> table_;
};

// u = (r/ℓ)²; φ(u) = M_ν(z), z² = 2νu, and with C = 2^(1−ν)/Γ(ν)
//   φ' = −Cν z^(ν−1) K_{ν−1}(z),   φ'' = Cν² z^(ν−2) K_{ν−2}(z)
class MaternNode final : public RadialNode {
 public:
  MaternNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : RadialNode(entry, std::move(parameters), std::move(children), 1.0),
        nu_(checked_nu(entry, this->parameters())),
        value_(nu_),
        first_(std::fabs(nu_ - 1)),
        second_(std::fabs(nu_ - 2)) {}

  Definiteness definiteness() const override {
    Definiteness result;
    result.infinitely_divisible = true;
    return result;
  }

 protected:
  void profile(std::span<float> u) const override { map(u); }
  void profile(std::span<double> u) const override { map(u); }
  void first_derivative(std::span<double> u) const override {
    if (std::isinf(nu_)) {
      gaussian(u, -0.5);
    } else if (nu_ == 0.5) {
      with_exponential(u, [](double s) { return coincident(s * s) ? 0.0 : -0.5 / s; });
    } else if (nu_ == 1.5) {
      with_exponential(u, [](double) { return -1.5; });
    } else if (nu_ == 2.5) {
      with_exponential(u, [](double s) { return -5.0 / 6 * (1 + s); });
    } else {
      with_bessel(u, nu_ - 1, -nu_, first_);
    }
  }
  void second_derivative(std::span<double> u) const override {
    if (std::isinf(nu_)) {
      gaussian(u, 0.25);
    } else if (nu_ == 0.5) {
      with_exponential(u, [](double s) { return coincident(s * s) ? 0.0 : (1 + 1 / s) / (4 * s * s); });
    } else if (nu_ == 1.5) {
      with_exponential(u, [](double s) { return coincident(s * s) ? 0.0 : 2.25 / s; });
    } else if (nu_ == 2.5) {
      with_exponential(u, [](double) { return 25.0 / 12; });
    } else {
      with_bessel(u, nu_ - 2, nu_ * nu_, second_);
    }
  }

  // Student's t with 2ν degrees of freedom.
  std::optional<SpectralSampler> unit_sampler(Index /*dimension*/) const override {
    return scale_mixture(
        1.0, [nu = nu_](RandomStream& random) { return std::isinf(nu) ? 1.0 : std::sqrt(nu / random.gamma(nu)); });
  }

 private:
  template <class T>
  void map(std::span<T> u) const {
    if (std::isinf(nu_)) {
      gaussian(u, T(1));
    } else if (nu_ == 0.5) {
      with_exponential(u, [](T) { return T(1); });
    } else if (nu_ == 1.5) {
      with_exponential(u, [](T s) { return 1 + s; });
    } else if (nu_ == 2.5) {
      with_exponential(u, [](T s) { return 1 + s + s * s / 3; });
    } else {
      const MaternTable& table = value_.table();
      map_each(u, [&](T v) {
        const double z = std::sqrt(2 * nu_ * static_cast<double>(v));
        return static_cast<T>(z > 0 ? std::exp(table.log_value(z)) : 1.0);
      });
    }
  }
  template <class T>
  void gaussian(std::span<T> u, T factor) const {
    vector_exp_scaled(u, T(-0.5), u);
    map_each(u, [factor](T v) { return factor * v; });
  }
  // u → f(s) e^−s, s = √(2νu)
  template <class T, class F>
  void with_exponential(std::span<T> u, F f) const {
    map_each(u, [factor = static_cast<T>(2 * nu_)](T v) { return factor * v; });
    map_blocks(u, [&](std::span<T> block, std::span<T> s) {
      vector_sqrt(s, s);
      vector_exp_scaled(s, T(-1), block);
      for (std::size_t j = 0; j < s.size(); ++j) {
        block[j] = block[j] > 0 ? block[j] * f(s[j]) : T(0);
      }
    });
  }
  // u → factor C z^μ K_μ(z), with M_|μ| tabulated; z^μ K_μ = z^(2μ) z^|μ| K_|μ| for μ < 0.
  void with_bessel(std::span<double> u, double mu, double factor, const LazyTable& lazy) const {
    const MaternTable& table = lazy.table();
    const double size = std::fabs(mu);
    const double tabulated = size == 0 ? 1.0 : std::exp2(size - 1) * std::tgamma(size);
    // Γ(μ)/Γ(ν) of large orders overflows in parts: ν − μ is 1 or 2.
    const double constant =
        mu > 2 ? std::exp2(mu - nu_) / gamma_ratio(mu) : std::exp2(1 - nu_) / std::tgamma(nu_) * tabulated;
    map_each(u, [&](double v) {
      const double z = std::sqrt(2 * nu_ * v);
      if (mu > 0) {
        return factor * constant * (z > 0 ? std::exp(table.log_value(z)) : 1.0);
      }
      return coincident(v) ? 0.0 : factor * constant * std::pow(z, 2 * mu) * std::exp(table.log_value(z));
    });
  }
  // Γ(ν)/Γ(μ)
  double gamma_ratio(double mu) const { return nu_ - mu > 1.5 ? mu * (mu + 1) : mu; }

  double nu_;
  LazyTable value_;
  LazyTable first_;
  LazyTable second_;
};

}  // namespace

const KernelEntry& matern_entry() {
  static const KernelEntry entry{
      .name = "matern",
      .formula = "2^(1-nu)/Gamma(nu) z^nu K_nu(z), z = sqrt(2 nu) |x-y| / lengthscale",
      .summary = "functions with as many derivatives as are below nu",
      .definiteness = "positive definite",
      .parameters = {lengthscale_spec(),
                     {.name = "nu",
                      .role = ParameterRole::number,
                      .default_text = "1.5",
                      .meaning = "smoothness, up to 200 or inf; 0.5, 1.5, 2.5 and inf are the fastest",
                      .may_be_infinite = true}},
      .make = make_node<MaternNode>,
      .examples = {"matern(lengthscale=1.5, nu=0.5)", "matern(lengthscale=1.2)",
                   "matern(lengthscale=[1, 2, inf], nu=2.5)", "matern(lengthscale=1.5, nu=3.3)",
                   "matern(lengthscale=2, nu=0.8)", "matern(lengthscale=2, nu=inf)"}};
  return entry;
}

}  // namespace mercer
