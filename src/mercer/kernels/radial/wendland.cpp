#include "mercer/kernels/radial/wendland.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/vector_math.h"
#include "mercer/kernels/data_dimension.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// (1−s)₊^power · s^lowest · Σ_j coefficients[j] s^j · factor. The coefficients are whole numbers, so that those that
// vanish vanish exactly and powers of s cancel.
struct CutPolynomial {
  int power = 0;
  int lowest = 0;
  std::vector<double> coefficients;
  double factor = 1;

  // d/du = 1/(2s) d/ds, u = s²
  CutPolynomial derivative() const {
    const std::size_t size = coefficients.size();
    std::vector<double> slope(size + 1, 0.0);  // from s^(lowest−1) on
    for (std::size_t j = 0; j < size; ++j) {
      const double exponent = lowest + static_cast<int>(j);
      slope[j] += exponent * coefficients[j];
      if (power > 0) {
        slope[j + 1] -= (exponent + power) * coefficients[j];
      }
    }
    CutPolynomial result{std::max(power - 1, 0), lowest - 2, {}, factor / 2};
    const auto first = std::find_if(slope.begin(), slope.end(), [](double c) { return c != 0; });
    result.lowest += static_cast<int>(first - slope.begin());
    result.coefficients.assign(first, slope.end());
    return result;
  }

  template <class T>
  void evaluate(std::span<T> u) const {
    map_blocks(u, [this](std::span<T> block, std::span<T> s) {
      vector_sqrt(s, s);
      for (std::size_t j = 0; j < s.size(); ++j) {
        block[j] = s[j] < T(1) ? T(1) - s[j] : T(0);
      }
      vector_pow(block, static_cast<T>(power), block);
      for (std::size_t j = 0; j < s.size(); ++j) {
        T sum = 0;
        for (std::size_t c = coefficients.size(); c-- > 0;) {
          sum = sum * s[j] + static_cast<T>(factor * coefficients[c]);
        }
        block[j] = s[j] < T(1) ? block[j] * sum : T(0);
      }
      if (lowest != 0) {
        for (std::size_t j = 0; j < s.size(); ++j) {
          const bool at_zero = lowest < 0 && coincident(static_cast<double>(s[j]) * static_cast<double>(s[j]));
          block[j] = at_zero ? T(0) : block[j] * std::pow(s[j], static_cast<T>(lowest));
        }
      }
    });
  }
};

CutPolynomial wendland(int smoothness, Index dimension) {
  const Index terms = dimension / 2 + smoothness + 1;
  const auto l = static_cast<double>(terms);
  const int power = static_cast<int>(terms) + smoothness;
  switch (smoothness) {
    case 0:
      return {power, 0, {1}, 1};
    case 1:
      return {power, 0, {1, l + 1}, 1};
    case 2:
      return {power, 0, {3, 3 * l + 6, l * l + 4 * l + 3}, 1.0 / 3};
    default:
      return {power, 0, {15, 15 * l + 45, 6 * l * l + 36 * l + 45, l * l * l + 9 * l * l + 23 * l + 15}, 1.0 / 15};
  }
}

int checked_smoothness(const KernelEntry& entry, const ParameterList& parameters) {
  const double smoothness = parameters.number_or("smoothness", 1);
  if (smoothness > 3) {
    reject_argument(entry.name + ": smoothness", smoothness, "0, 1, 2 or 3");
  }
  return static_cast<int>(smoothness);
}

class WendlandNode final : public RadialNode {
 public:
  WendlandNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : RadialNode(entry, std::move(parameters), std::move(children), 1.0),
        dimension_(given_dimension(*this)),
        value_(wendland(checked_smoothness(entry, this->parameters()), dimension_)),
        first_(value_.derivative()),
        second_(first_.derivative()) {}

  Definiteness definiteness() const override {
    Definiteness result;
    // ⌊N/2⌋ is the same for an even N and the odd one after it.
    result.domain.largest_dimension = dimension_ == 0 || dimension_ % 2 == 1 ? dimension_ : dimension_ + 1;
    return result;
  }
  std::shared_ptr<const KernelNode> resolved(const WeightedSamples& all, const Run& run) const override {
    if (needs_data_dimension(*this)) {
      return with_data_dimension(*this, all.samples)->resolved(all, run);
    }
    // A support of 4ℓ bends at its centre about as a Gaussian of width ℓ does.
    return with_stretched_width(*this, KernelNode::resolved(all, run), 4);
  }

 protected:
  void profile(std::span<float> u) const override { value_.evaluate(u); }
  void profile(std::span<double> u) const override { value_.evaluate(u); }
  void first_derivative(std::span<double> u) const override { first_.evaluate(u); }
  void second_derivative(std::span<double> u) const override { second_.evaluate(u); }

 private:
  Index dimension_;
  CutPolynomial value_;
  CutPolynomial first_;
  CutPolynomial second_;
};

}  // namespace

const KernelEntry& wendland_entry() {
  static const KernelEntry entry{
      .name = "wendland",
      .formula =
          "(1-s)_+^m p(s), s = |x-y| / lengthscale, p of degree smoothness, m = floor(dimension/2) + 2 smoothness + 1",
      .summary = "zero beyond the length scale: sparse Gram matrices",
      .definiteness = "positive definite in up to `dimension` dimensions",
      .parameters = {lengthscale_spec("radius of the support, one number or one per column; scale, auto and median "
                                      "give 4 times the width of rbf"),
                     {.name = "smoothness",
                      .aliases = {"k"},
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative_integer,
                      .default_text = "1",
                      .meaning = "0 to 3; the kernel has 2*smoothness derivatives"},
                     dimension_spec("where it is positive definite (default auto: the number of columns)")},
      .make = make_node<WendlandNode>,
      .examples = {"wendland(lengthscale=3, smoothness=0, dimension=3)", "wendland(lengthscale=2.5, dimension=3)",
                   "wendland(lengthscale=[3, 4, inf], smoothness=2, dimension=3)",
                   "wendland(lengthscale=2, smoothness=3, dimension=1)[0]"}};
  return entry;
}

}  // namespace mercer
