#include "mercer/kernels/coordinate/anova.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/vector_math.h"
#include "mercer/kernels/coordinate/pairwise_node.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// The part that both share: g_c and its derivatives.
class GaussianCoordinates : public PairwiseNode {
 public:
  GaussianCoordinates(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : PairwiseNode(entry, std::move(parameters), std::move(children)),
        degree_(static_cast<int>(number_or(this->parameters(), "degree", 1))),
        gamma_(number_or(this->parameters(), "gamma", 1)) {}

  Definiteness definiteness() const override { return Definiteness::positive(); }

 protected:
  bool is_translation_invariant() const override { return true; }
  int degree() const { return degree_; }
  double gamma() const { return gamma_; }

  std::vector<double> coordinates(std::span<const double> x, std::span<const double> y) const {
    std::vector<double> g(x.size());
    for (std::size_t c = 0; c < x.size(); ++c) {
      g[c] = std::exp(-gamma_ * (x[c] - y[c]) * (x[c] - y[c]));
    }
    return g;
  }
  // ∂g_c/∂x_c, given g_c; ∂g_c/∂y_c is its negative. 0 · ∞ cannot arise from differences that overflow.
  double slope(double x, double y, double g) const { return g == 0 ? 0.0 : -2 * gamma_ * (x - y) * g; }
  double mixed(double x, double y, double g) const {
    return g == 0 ? 0.0 : 2 * gamma_ * (1 - 2 * gamma_ * (x - y) * (x - y)) * g;
  }
  static double by_gamma(double x, double y, double g) { return g == 0 ? 0.0 : -(x - y) * (x - y) * g; }

  /// out_j = exp(−γ(x − y_j)²)
  template <class T>
  void gaussian_row(T x, const T* y, std::span<T> out) const {
    for (std::size_t j = 0; j < out.size(); ++j) {
      out[j] = (x - y[j]) * (x - y[j]);
    }
    vector_exp_scaled(out, static_cast<T>(-gamma_), out);
  }

 private:
  int degree_;
  double gamma_;
};

// out[c] = E_degree of all values but the c-th, from the functions of those before and those after it.
std::vector<double> symmetric_without_each(std::span<const double> g, std::size_t degree) {
  const std::size_t d = g.size();
  std::vector<std::vector<double>> before(d);
  std::vector<double> running(degree + 1, 0.0);
  running[0] = 1;
  const auto include = [&](double value) {
    for (std::size_t e = degree; e >= 1; --e) {
      running[e] += value * running[e - 1];
    }
  };
  for (std::size_t c = 0; c < d; ++c) {
    before[c] = running;
    include(g[c]);
  }
  std::vector<double> out(d, 0.0);
  std::fill(running.begin(), running.end(), 0.0);
  running[0] = 1;
  for (std::size_t c = d; c-- > 0;) {
    for (std::size_t e = 0; e <= degree; ++e) {
      out[c] += before[c][e] * running[degree - e];
    }
    include(g[c]);
  }
  return out;
}

class AnovaNode final : public GaussianCoordinates {
 public:
  using GaussianCoordinates::GaussianCoordinates;

 protected:
  void row(std::span<const float> x, ConstMatrixView<float> y, std::span<float> k) const override { fill(x, y, k); }
  void row(std::span<const double> x, ConstMatrixView<double> y, std::span<double> k) const override { fill(x, y, k); }

  void check_domain(const Prepared& x) const override {
    if (degree() > x.samples().columns()) {
      throw InvalidArgument("anova: degree = " + std::to_string(degree()) + " with " +
                            std::to_string(x.samples().columns()) +
                            " columns: the kernel is a sum of products of that many different columns");
    }
  }

  void parameter_derivatives(std::span<const double> x, std::span<const double> y,
                             std::span<double> out) const override {
    const std::vector<double> g = coordinates(x, y);
    const std::vector<double> rest = symmetric_without_each(g, below(1));
    out[0] = 0;
    for (std::size_t c = 0; c < g.size(); ++c) {
      out[0] += by_gamma(x[c], y[c], g[c]) * rest[c];
    }
  }
  void input_gradient(std::span<const double> x, std::span<const double> y, std::span<double> dx) const override {
    const std::vector<double> g = coordinates(x, y);
    const std::vector<double> rest = symmetric_without_each(g, below(1));
    for (std::size_t c = 0; c < g.size(); ++c) {
      dx[c] = slope(x[c], y[c], g[c]) * rest[c];
    }
  }
  void mixed_derivative(std::span<const double> x, std::span<const double> y, std::span<double> out) const override {
    const std::vector<double> g = coordinates(x, y);
    const std::vector<double> rest = symmetric_without_each(g, below(1));
    const std::size_t d = g.size();
    for (std::size_t a = 0; a < d; ++a) {
      std::vector<double> pair_rest(d, 0.0);
      if (degree() >= 2) {
        std::vector<double> without_a = g;
        without_a[a] = 0;
        pair_rest = symmetric_without_each(without_a, below(2));
      }
      for (std::size_t b = 0; b < d; ++b) {
        out[a * d + b] = a == b ? mixed(x[a], y[a], g[a]) * rest[a]
                                : -slope(x[a], y[a], g[a]) * slope(x[b], y[b], g[b]) * pair_rest[b];
      }
    }
  }

 private:
  std::size_t below(int steps) const { return static_cast<std::size_t>(degree() - steps); }

  template <class T>
  void fill(std::span<const T> x, ConstMatrixView<T> y, std::span<T> k) const {
    const std::size_t n = k.size();
    const auto top = static_cast<std::size_t>(degree());
    std::vector<T> g(n);
    std::vector<T> e((top + 1) * n, T(0));
    std::fill_n(e.begin(), n, T(1));
    for (std::size_t c = 0; c < x.size(); ++c) {
      gaussian_row<T>(x[c], y.row_data(static_cast<Index>(c)), g);
      for (std::size_t d = std::min(top, c + 1); d >= 1; --d) {
        T* const upper = e.data() + d * n;
        const T* const lower = upper - n;
        for (std::size_t j = 0; j < n; ++j) {
          upper[j] += g[j] * lower[j];
        }
      }
    }
    std::copy_n(e.begin() + static_cast<std::ptrdiff_t>(top * n), n, k.begin());
  }
};

class AnovadotNode final : public GaussianCoordinates {
 public:
  using GaussianCoordinates::GaussianCoordinates;

 protected:
  void row(std::span<const float> x, ConstMatrixView<float> y, std::span<float> k) const override { fill(x, y, k); }
  void row(std::span<const double> x, ConstMatrixView<double> y, std::span<double> k) const override { fill(x, y, k); }

  void parameter_derivatives(std::span<const double> x, std::span<const double> y,
                             std::span<double> out) const override {
    const std::vector<double> g = coordinates(x, y);
    double sum = 0;
    for (std::size_t c = 0; c < g.size(); ++c) {
      sum += by_gamma(x[c], y[c], g[c]);
    }
    out[0] = sum * outer(g, 1);
  }
  void input_gradient(std::span<const double> x, std::span<const double> y, std::span<double> dx) const override {
    const std::vector<double> g = coordinates(x, y);
    const double factor = outer(g, 1);
    for (std::size_t c = 0; c < g.size(); ++c) {
      dx[c] = factor * slope(x[c], y[c], g[c]);
    }
  }
  void mixed_derivative(std::span<const double> x, std::span<const double> y, std::span<double> out) const override {
    const std::vector<double> g = coordinates(x, y);
    const std::size_t d = g.size();
    const double first = outer(g, 1);
    const double second = outer(g, 2);
    for (std::size_t a = 0; a < d; ++a) {
      for (std::size_t b = 0; b < d; ++b) {
        out[a * d + b] = -second * slope(x[a], y[a], g[a]) * slope(x[b], y[b], g[b]);
      }
      out[a * d + a] += first * mixed(x[a], y[a], g[a]);
    }
  }

 private:
  // The derivative of S^D by S = Σ g, once or twice.
  double outer(std::span<const double> g, int times) const {
    double sum = 0;
    for (const double value : g) {
      sum += value;
    }
    if (degree() < times) {
      return 0;
    }
    const double factor = times == 1 ? degree() : degree() * (degree() - 1.0);
    return factor * std::pow(sum, degree() - times);
  }

  template <class T>
  void fill(std::span<const T> x, ConstMatrixView<T> y, std::span<T> k) const {
    std::vector<T> g(k.size());
    std::fill(k.begin(), k.end(), T(0));
    for (std::size_t c = 0; c < x.size(); ++c) {
      gaussian_row<T>(x[c], y.row_data(static_cast<Index>(c)), g);
      for (std::size_t j = 0; j < k.size(); ++j) {
        k[j] += g[j];
      }
    }
    vector_pow(k, static_cast<T>(degree()), k);
  }
};

std::vector<ParameterSpec> anova_parameters(const std::string& degree, const std::string& meaning) {
  return {
      {.name = "degree",
       .aliases = {"d"},
       .role = ParameterRole::number,
       .constraint = Constraint::positive_integer,
       .default_text = degree,
       .meaning = meaning},
      {.name = "gamma", .aliases = {"sigma"}, .default_text = "1", .meaning = "inverse squared width in one column"}};
}

}  // namespace

const KernelEntry& anova_entry() {
  static const KernelEntry entry{
      .name = "anova",
      .formula = "sum over sets of `degree` columns of prod_j exp(-gamma (x_j-y_j)^2)",
      .summary = "interactions of exactly `degree` columns",
      .definiteness = "positive definite",
      .parameters = anova_parameters("2", "columns in each product, at most as many as there are"),
      .make = make_node<AnovaNode>,
      .examples = {"anova(degree=2, gamma=0.6)", "anova(degree=1, gamma=1.2)", "anova(degree=3, gamma=0.4)"}};
  return entry;
}

const KernelEntry& anovadot_entry() {
  static const KernelEntry entry{.name = "anovadot",
                                 .formula = "(sum_j exp(-gamma (x_j-y_j)^2))^degree",
                                 .summary = "power of a sum of one-column Gaussians, as in kernlab",
                                 .definiteness = "positive definite",
                                 .parameters = anova_parameters("1", "the power"),
                                 .make = make_node<AnovadotNode>,
                                 .examples = {"anovadot(degree=1, gamma=0.6)", "anovadot(degree=3, gamma=0.9)"}};
  return entry;
}

}  // namespace mercer
