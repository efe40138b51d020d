// Values along one axis of a search space.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "mercer/base/text.h"
#include "mercer/select/search/search_space.h"

namespace mercer {

namespace {

// exp2 of a logarithm gives 0.09999999999999999 where 0.1 is meant. Powers of two are exact as they are.
double without_noise(double value) {
  int exponent = 0;
  if (!std::isfinite(value) || std::frexp(value, &exponent) == 0.5) {
    return value;
  }
  char text[40];
  std::snprintf(text, sizeof text, "%.12g", value);
  return parse_double(text).value_or(value);
}

std::size_t nearest(const std::vector<double>& choices, double value) {
  const auto found = std::min_element(choices.begin(), choices.end(),
                                      [&](double a, double b) { return std::abs(a - value) < std::abs(b - value); });
  return static_cast<std::size_t>(found - choices.begin());
}

}  // namespace

double SearchAxis::value_at(double u) const {
  if (!is_range()) {
    const std::size_t count = choices.empty() ? words.size() : choices.size();
    const auto number = std::min(static_cast<std::size_t>(u * static_cast<double>(count)), count - 1);
    return choices.empty() ? static_cast<double>(number) : choices[number];
  }
  if (u <= 0 || u >= 1) {
    return u <= 0 ? lower : upper;
  }
  double value = scale == AxisScale::linear ? lower + (upper - lower) * u
                                            : std::exp2(std::log2(lower) + (std::log2(upper) - std::log2(lower)) * u);
  value = kind == NumberKind::whole ? std::round(value) : without_noise(value);
  return std::clamp(value, lower, upper);
}

double SearchAxis::unit_of(double value) const {
  if (!is_range()) {
    const std::size_t count = choices.empty() ? words.size() : choices.size();
    const std::size_t number = choices.empty() ? static_cast<std::size_t>(value) : nearest(choices, value);
    return (static_cast<double>(number) + 0.5) / static_cast<double>(count);
  }
  const double u = scale == AxisScale::linear
                       ? (value - lower) / (upper - lower)
                       : (std::log2(value) - std::log2(lower)) / (std::log2(upper) - std::log2(lower));
  return std::clamp(u, 0.0, 1.0);
}

std::vector<double> SearchAxis::grid(Index points) const {
  std::vector<double> values;
  if (!is_range()) {
    values = choices;
    for (std::size_t w = 0; w < words.size(); ++w) {
      values.push_back(static_cast<double>(w));
    }
    return values;
  }
  if (points == 1) {
    return {value_at(0.5)};
  }
  for (Index i = 0; i < points; ++i) {
    values.push_back(value_at(static_cast<double>(i) / static_cast<double>(points - 1)));
  }
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::string SearchAxis::text(double value) const {
  return words.empty() ? shortest(value) : words[static_cast<Index>(value)];
}

}  // namespace mercer
