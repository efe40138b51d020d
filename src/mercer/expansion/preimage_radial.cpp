#include "mercer/expansion/preimage_radial.h"

#include <algorithm>
#include <cmath>

#include "mercer/kernels/algebra.h"
#include "mercer/linalg/blas.h"

namespace mercer {

bool RadialForm::collect(const Kernel& kernel, double coefficient, std::vector<Term>& terms) {
  if (const auto* const radial = dynamic_cast<const RadialNode*>(&kernel.node())) {
    if (!terms.empty() && !(terms.front().node->geometry_key() == radial->geometry_key())) {
      return false;
    }
    terms.push_back({coefficient, radial});
    return true;
  }
  if (const auto scale = as_scale(kernel)) {
    return collect(scale->kernel, coefficient * scale->factor.value(), terms);
  }
  const auto summands = as_sum(kernel);
  return summands &&
         std::ranges::all_of(*summands, [&](const Kernel& summand) { return collect(summand, coefficient, terms); });
}

std::optional<RadialForm> RadialForm::of(const Kernel& kernel) {
  RadialForm form;
  if (!kernel.is_resolved() || !collect(kernel, 1.0, form.terms_)) {
    return std::nullopt;
  }
  return form;
}

double RadialForm::squared_weight(Index column) const {
  const std::vector<double>& weights = key().weights;
  return weights.empty() ? 1.0 : weights[column] * weights[column];
}

void RadialForm::add_terms(std::span<const double> squared_distances, Profile profile, std::span<double> out) const {
  std::vector<double> u(squared_distances.size());
  std::vector<double> total(u.size(), 0.0);  // `out` may be the distances themselves
  for (const Term& term : terms_) {
    const double factor = term.node->factor();
    for (std::size_t i = 0; i < u.size(); ++i) {
      u[i] = factor * squared_distances[i];
    }
    profile(*term.node, u);
    axpy(term.coefficient, u, total);
  }
  std::ranges::copy(total, out.begin());
}

void RadialForm::values(std::span<const double> squared_distances, std::span<double> out) const {
  add_terms(squared_distances, [](const RadialNode& node, std::span<double> u) { node.apply_profile(u); }, out);
}

void RadialForm::slopes(std::span<const double> squared_distances, std::span<double> out) const {
  add_terms(
      squared_distances,
      [](const RadialNode& node, std::span<double> u) {
        node.apply_first_derivative(u);
        scale(node.factor(), u);
      },
      out);
}

double RadialForm::peak() const {
  const double zero = 0;
  double value = 0;
  values({&zero, 1}, {&value, 1});
  return value;
}

double RadialForm::sharpest_factor() const {
  double largest = 0;
  for (const Term& term : terms_) {
    largest = std::max(largest, term.node->factor());
  }
  return largest;
}

std::optional<double> RadialForm::squared_distance_of(double value) const {
  const auto at = [this](double squared) {
    double result = 0;
    values({&squared, 1}, {&result, 1});
    return result;
  };
  if (!(value > 0) || !(value <= peak())) {
    return std::nullopt;
  }
  double lower = 0;
  double upper = 1 / sharpest_factor();
  constexpr int most_doublings = 200;
  for (int i = 0; at(upper) > value; ++i) {
    if (i == most_doublings) {
      return std::nullopt;
    }
    lower = upper;
    upper *= 2;
  }
  // Until neighbouring numbers: the value is as exact as the kernel's.
  for (int i = 0; i < most_doublings; ++i) {
    const double middle = lower + (upper - lower) / 2;
    if (middle <= lower || middle >= upper) {
      break;
    }
    (at(middle) > value ? lower : upper) = middle;
  }
  return upper;
}

}  // namespace mercer
