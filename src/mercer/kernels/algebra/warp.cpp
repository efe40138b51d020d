#include "mercer/kernels/algebra/warp.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/nodes/transformed_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

struct Function {
  const char* name;
  double (*value)(double);
  double (*slope)(double);
  bool keeps_zeros;
};

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// The slope of a signed root diverges at 0, where the point does not pull.
const std::array<Function, 5> functions = {{
    {"log1p", [](double x) { return std::copysign(std::log1p(std::abs(x)), x); },
     [](double x) { return 1 / (1 + std::abs(x)); }, true},
    {"sqrt", [](double x) { return std::copysign(std::sqrt(std::abs(x)), x); },
     [](double x) { return x == 0 ? 0.0 : 0.5 / std::sqrt(std::abs(x)); }, true},
    {"square", [](double x) { return x * x; }, [](double x) { return 2 * x; }, true},
    {"tanh", [](double x) { return std::tanh(x); }, [](double x) { return 1 - std::tanh(x) * std::tanh(x); }, true},
    {"logistic", logistic, [](double x) { return logistic(x) * logistic(-x); }, false},
}};

// A function of every number alone.
class WarpNode final : public TransformedNode {
 public:
  WarpNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children, const Function& function)
      : TransformedNode(entry, std::move(parameters), std::move(children)), function_(function) {}
  // The domain of the child is about σ(x), not about x; the child checks it itself.
  Definiteness definiteness() const override {
    Definiteness result = child(0).definiteness();
    result.domain.nonnegative = false;
    result.domain.inside_unit_ball = false;
    return result.kind == DefinitenessKind::conditional && result.order > 1 ? Definiteness::indefinite() : result;
  }

 protected:
  Index output_columns(Index columns) const override { return columns; }
  void map(std::span<const double> x, std::span<double> z, Index /*row*/) const override {
    for (std::size_t c = 0; c < x.size(); ++c) {
      z[c] = function_.value(x[c]);
    }
  }
  void pull_back(std::span<const double> x, std::span<const double> dz, std::span<double> dx) const override {
    for (std::size_t c = 0; c < x.size(); ++c) {
      dx[c] += function_.slope(x[c]) * dz[c];
    }
  }
  bool keeps_zeros() const override { return function_.keeps_zeros; }

 private:
  const Function& function_;
};

// x/‖x‖: J = (I − zzᵀ)/‖x‖
class UnitWarpNode final : public TransformedNode {
 public:
  using TransformedNode::TransformedNode;
  Definiteness definiteness() const override {
    Definiteness result = child(0).definiteness();
    result.domain.inside_unit_ball = false;
    return result.kind == DefinitenessKind::conditional && result.order > 1 ? Definiteness::indefinite() : result;
  }

 protected:
  Index output_columns(Index columns) const override { return columns; }
  void map(std::span<const double> x, std::span<double> z, Index /*row*/) const override {
    const double norm = length(x);
    for (std::size_t c = 0; c < x.size(); ++c) {
      z[c] = norm > 0 ? x[c] / norm : 0.0;
    }
  }
  void pull_back(std::span<const double> x, std::span<const double> dz, std::span<double> dx) const override {
    const double norm = length(x);
    if (norm == 0) {
      return;
    }
    double along = 0;
    for (std::size_t c = 0; c < x.size(); ++c) {
      along += x[c] / norm * dz[c];
    }
    for (std::size_t c = 0; c < x.size(); ++c) {
      dx[c] += (dz[c] - along * x[c] / norm) / norm;
    }
  }

 private:
  static double length(std::span<const double> x) {
    double norm = 0;
    for (const double value : x) {
      norm = std::hypot(norm, value);
    }
    return norm;
  }
};

class LogPolarNode final : public TransformedNode {
 public:
  using TransformedNode::TransformedNode;
  Definiteness definiteness() const override {
    Definiteness result = child(0).definiteness();
    result.domain.nonnegative = false;
    result.domain.inside_unit_ball = false;
    return result.kind == DefinitenessKind::conditional && result.order > 1 ? Definiteness::indefinite() : result;
  }

 protected:
  Index output_columns(Index columns) const override {
    if (columns != 2) {
      throw InvalidArgument("warp: by=log_polar takes two columns, not " + std::to_string(columns) +
                            "; choose them with a subscript, warp(k, by=log_polar)[x, y]");
    }
    return 2;
  }
  // The origin, which has no such coordinates, is put at the smallest radius there is.
  void map(std::span<const double> x, std::span<double> z, Index /*row*/) const override {
    z[0] = std::log(std::max(std::hypot(x[0], x[1]), smallest_radius));
    z[1] = std::atan2(x[1], x[0]);
  }
  void pull_back(std::span<const double> x, std::span<const double> dz, std::span<double> dx) const override {
    const double radius = std::hypot(x[0], x[1]);
    if (radius < smallest_radius) {
      return;
    }
    const double cosine = x[0] / radius;
    const double sine = x[1] / radius;
    dx[0] += (cosine * dz[0] - sine * dz[1]) / radius;
    dx[1] += (sine * dz[0] + cosine * dz[1]) / radius;
  }

 private:
  static constexpr double smallest_radius = 1e-300;
};

std::shared_ptr<const KernelNode> make_warp(const KernelEntry& entry, ParameterList parameters,
                                            std::vector<Kernel> children) {
  const std::string word = parameters.word("by");
  for (const Function& function : functions) {
    if (word == function.name) {
      return std::make_shared<const WarpNode>(entry, std::move(parameters), std::move(children), function);
    }
  }
  if (word == "unit") {
    return std::make_shared<const UnitWarpNode>(entry, std::move(parameters), std::move(children));
  }
  return std::make_shared<const LogPolarNode>(entry, std::move(parameters), std::move(children));
}

}  // namespace

const KernelEntry& warp_entry() {
  static const KernelEntry entry{
      .name = "warp",
      .formula = "k(s(x), s(y))",
      .summary = "a kernel on transformed columns",
      .definiteness = "as k (conditional orders above 1 are lost)",
      .parameters = {{.name = "by",
                      .role = ParameterRole::word,
                      .default_text = "log1p",
                      .meaning = "the function: log1p and sqrt keep the sign; log_polar takes two columns",
                      .words = {"log1p", "sqrt", "square", "tanh", "logistic", "unit", "log_polar"}}},
      .fewest_children = 1,
      .most_children = 1,
      .make = make_warp,
      .examples = {"warp(rbf(gamma=0.8), by=log1p)", "warp(rbf(lengthscale=[1, 2, 3]) + linear(), by=tanh)",
                   "warp(rbf(gamma=0.5), by=unit)",
                   "warp(rbf(gamma=0.5)[0] * periodic(period=6.283185307179586)[1], by=log_polar)[0, 2]"}};
  return entry;
}

}  // namespace mercer
