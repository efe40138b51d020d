#include "mercer/kernels/coordinate/rank_one.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/coordinate/pairwise_node.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

enum class Function { coordinate, norm, linear };

class RankOneNode final : public PairwiseNode {
 public:
  RankOneNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : PairwiseNode(entry, std::move(parameters), std::move(children)),
        column_(static_cast<std::size_t>(number_or(this->parameters(), "column", 0))),
        weights_(numbers_or_none(this->parameters(), "weights")) {
    const std::string& word = this->parameters().word("function");
    function_ = word == "norm" ? Function::norm : word == "linear" ? Function::linear : Function::coordinate;
    if ((function_ == Function::linear) != this->parameters().has("weights")) {
      throw InvalidArgument(
          "rank_one: weights belong to function=linear, which needs them, as in "
          "rank_one(function=linear, weights=[1, 0, -1])");
    }
  }

  Definiteness definiteness() const override { return Definiteness::positive(); }

 protected:
  void row(std::span<const float> x, ConstMatrixView<float> y, std::span<float> k) const override { fill(x, y, k); }
  void row(std::span<const double> x, ConstMatrixView<double> y, std::span<double> k) const override { fill(x, y, k); }

  void check_domain(const Prepared& x) const override {
    const auto columns = static_cast<std::size_t>(x.samples().columns());
    if (function_ == Function::coordinate && column_ >= columns) {
      throw InvalidArgument("rank_one: column = " + std::to_string(column_) + ": there are " + std::to_string(columns) +
                            " columns, counted from 0");
    }
    if (function_ == Function::linear && weights_.size() != columns) {
      throw InvalidArgument("rank_one: " + std::to_string(weights_.size()) + " weights for " + std::to_string(columns) +
                            " columns");
    }
  }

  void parameter_derivatives(std::span<const double> x, std::span<const double> y,
                             std::span<double> out) const override {
    const double fx = value<double>([&](std::size_t c) { return x[c]; }, x.size());
    const double fy = value<double>([&](std::size_t c) { return y[c]; }, y.size());
    for (std::size_t c = 0; c < out.size(); ++c) {
      out[c] = x[c] * fy + fx * y[c];
    }
  }
  void input_gradient(std::span<const double> x, std::span<const double> y, std::span<double> dx) const override {
    const double fy = value<double>([&](std::size_t c) { return y[c]; }, y.size());
    for (std::size_t c = 0; c < dx.size(); ++c) {
      dx[c] = slope(x, c) * fy;
    }
  }
  void mixed_derivative(std::span<const double> x, std::span<const double> y, std::span<double> mixed) const override {
    for (std::size_t a = 0; a < x.size(); ++a) {
      for (std::size_t b = 0; b < x.size(); ++b) {
        mixed[a * x.size() + b] = slope(x, a) * slope(y, b);
      }
    }
  }

 private:
  template <class T, class Coordinate>
  T value(Coordinate coordinate, std::size_t d) const {
    if (function_ == Function::coordinate) {
      return coordinate(column_);
    }
    double sum = 0;
    for (std::size_t c = 0; c < d; ++c) {
      const auto x = static_cast<double>(coordinate(c));
      sum += function_ == Function::linear ? weights_[c] * x : x * x;
    }
    return static_cast<T>(function_ == Function::linear ? sum : std::sqrt(sum));
  }
  double slope(std::span<const double> x, std::size_t c) const {
    switch (function_) {
      case Function::coordinate:
        return c == column_ ? 1.0 : 0.0;
      case Function::linear:
        return weights_[c];
      case Function::norm:
        break;
    }
    const double norm = value<double>([&](std::size_t e) { return x[e]; }, x.size());
    return norm > 0 ? x[c] / norm : 0.0;
  }

  template <class T>
  void fill(std::span<const T> x, ConstMatrixView<T> y, std::span<T> k) const {
    const T fx = value<T>([&](std::size_t c) { return x[c]; }, x.size());
    for (std::size_t j = 0; j < k.size(); ++j) {
      k[j] = fx * value<T>([&](std::size_t c) { return y(static_cast<Index>(c), static_cast<Index>(j)); }, x.size());
    }
  }

  Function function_ = Function::coordinate;
  std::size_t column_;
  std::vector<double> weights_;
};

}  // namespace

const KernelEntry& rank_one_entry() {
  static const KernelEntry entry{
      .name = "rank_one",
      .formula = "f(x) f(y)",
      .summary = "one feature: a column, the norm, or a linear function",
      .definiteness = "positive definite, of rank 1",
      .parameters = {{.name = "function",
                      .role = ParameterRole::word,
                      .default_text = "coordinate",
                      .meaning = "the feature f",
                      .words = {"coordinate", "norm", "linear"}},
                     {.name = "column",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative_integer,
                      .default_text = "0",
                      .meaning = "which column (function=coordinate)"},
                     {.name = "weights",
                      .constraint = Constraint::any,
                      .meaning = "one per column (function=linear)",
                      .may_be_list = true}},
      .make = make_node<RankOneNode>,
      .examples = {"rank_one(column=1)", "rank_one(function=norm)", "rank_one(function=linear, weights=[1, -0.5, 2])"}};
  return entry;
}

}  // namespace mercer
