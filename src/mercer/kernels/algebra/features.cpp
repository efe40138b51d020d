#include "mercer/kernels/algebra/features.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/nodes/feature_map_node.h"
#include "mercer/kernels/nodes/point_values.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

constexpr double highest_degree = 64;

// All exponents m with Σ m = degree over the coordinates.
struct Monomials {
  std::vector<std::vector<int>> exponents;
  std::vector<double> weights;
};

void add_exponents(std::vector<int>& current, std::size_t place, int left, Monomials& out) {
  if (place + 1 == current.size()) {
    current[place] = left;
    out.exponents.push_back(current);
    return;
  }
  for (int power = left; power >= 0; --power) {
    current[place] = power;
    add_exponents(current, place + 1, left - power, out);
  }
}

double power(double x, int exponent) {
  double result = 1;
  for (int e = 0; e < exponent; ++e) {
    result *= x;
  }
  return result;
}

class FeaturesNode final : public FeatureMapNode {
 public:
  FeaturesNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : FeatureMapNode(entry, std::move(parameters), std::move(children)),
        degree_(static_cast<int>(number_or(this->parameters(), "degree", 2))),
        coef0_(number_or(this->parameters(), "coef0", 0)) {
    if (number_or(this->parameters(), "degree", 2) > highest_degree) {
      reject_argument("features: degree", number_or(this->parameters(), "degree", 2), "at most 64");
    }
  }

  bool has_input_derivatives() const override { return true; }
  void contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const override {
    for (Index i = 0; i < context.row_count(); ++i) {
      for (Index j = 0; j < context.column_count(); ++j) {
        const Derivatives d = derivatives(context, context.rows().begin + i, context.columns().begin + j);
        for (std::size_t c = 0; c < d.by_x.size(); ++c) {
          dx(i, static_cast<Index>(c)) += q(i, j) * d.by_x[c];
        }
      }
    }
  }
  void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const override {
    const Derivatives d = derivatives(context, context.rows().begin, context.columns().begin);
    out.value = d.value;
    out.dx = d.by_x;
    out.dy = d.by_y;
    out.mixed = d.mixed;
  }

 protected:
  Index feature_count(Index columns) const override {
    constexpr double most = 1e6;
    double count = 1;  // C(degree + n − 1, degree)
    const double n = static_cast<double>(columns) + (coef0_ > 0 ? 1 : 0);
    for (int e = 1; e <= degree_; ++e) {
      count *= (n - 1 + e) / e;
      if (count > most) {
        throw InvalidArgument(
            "features: degree = " + std::to_string(degree_) + " on " + std::to_string(columns) +
            " columns makes more than a million features; poly computes the same kernel without them");
      }
    }
    return static_cast<Index>(std::llround(count));
  }
  std::function<void(std::span<const double>, std::span<double>)> feature_map(Index columns) const override {
    return [monomials = list(columns), root = std::sqrt(coef0_), has_constant = coef0_ > 0](
               std::span<const double> x, std::span<double> features) {
      for (std::size_t f = 0; f < features.size(); ++f) {
        double product = monomials.weights[f];
        for (std::size_t c = 0; c < x.size(); ++c) {
          product *= power(x[c], monomials.exponents[f][c]);
        }
        features[f] = has_constant ? product * power(root, monomials.exponents[f][x.size()]) : product;
      }
    };
  }

 private:
  Monomials list(Index columns) const {
    Monomials monomials;
    std::vector<int> current(static_cast<std::size_t>(columns) + (coef0_ > 0 ? 1 : 0));
    if (current.empty()) {
      return monomials;
    }
    add_exponents(current, 0, degree_, monomials);
    for (const std::vector<int>& exponents : monomials.exponents) {
      double log_weight = std::lgamma(degree_ + 1.0);
      for (const int exponent : exponents) {
        log_weight -= std::lgamma(exponent + 1.0);
      }
      monomials.weights.push_back(std::sqrt(std::round(std::exp(log_weight))));
    }
    return monomials;
  }

  // ⟨Φ(x), Φ(y)⟩ and its derivatives, by the sum that the features make: (x·y + c)^D with its terms collected.
  struct Derivatives {
    double value = 0;
    std::vector<double> by_x, by_y, mixed;
  };
  Derivatives derivatives(const TileContext<double>& context, Index i, Index j) const {
    const auto d = static_cast<std::size_t>(context.x().samples().columns());
    std::vector<double> x(d);
    std::vector<double> y(d);
    numeric_row(context.x().samples(), i, x);
    numeric_row(context.y().samples(), j, y);
    double base = coef0_;
    for (std::size_t c = 0; c < d; ++c) {
      base += x[c] * y[c];
    }
    const double first = degree_ * power(base, degree_ - 1);
    const double second = degree_ < 2 ? 0.0 : degree_ * (degree_ - 1.0) * power(base, degree_ - 2);
    Derivatives out{power(base, degree_), std::vector<double>(d), std::vector<double>(d), std::vector<double>(d * d)};
    for (std::size_t a = 0; a < d; ++a) {
      out.by_x[a] = first * y[a];
      out.by_y[a] = first * x[a];
      for (std::size_t b = 0; b < d; ++b) {
        out.mixed[a * d + b] = second * y[a] * x[b] + (a == b ? first : 0.0);
      }
    }
    return out;
  }

  int degree_;
  double coef0_;
};

}  // namespace

const KernelEntry& features_entry() {
  static const KernelEntry entry{
      .name = "features",
      .formula = "<F(x), F(y)> = (x.y + coef0)^degree, F(x) = all monomials with weights sqrt(degree!/prod m_j!)",
      .summary = "explicit monomial features; the same function as poly",
      .definiteness = "positive definite",
      .parameters = {{.name = "degree",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "2",
                      .meaning = "degree of the monomials"},
                     {.name = "coef0",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative,
                      .default_text = "0",
                      .meaning = "weight of the lower degrees; 0: none of them"}},
      .make = make_node<FeaturesNode>,
      .examples = {"features(degree=2)", "features(degree=3, coef0=0.5)"}};
  return entry;
}

}  // namespace mercer
