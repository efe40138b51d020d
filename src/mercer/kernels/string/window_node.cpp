#include "mercer/kernels/string/window_node.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/simd.h"
#include "mercer/kernels/string/string_samples.h"

namespace mercer {

namespace {

MERCER_CLONES void add_scaled_places(const double* matches, double weight, double* windows, Index count) {
  for (Index p = 0; p < count; ++p) {
    windows[p] += weight * matches[p];
  }
}

MERCER_CLONES void mark_equal_codes(const std::int16_t* s, const std::int16_t* t, double* out, Index count) {
  for (Index p = 0; p < count; ++p) {
    out[p] = static_cast<double>((s[p] == t[p]) & (s[p] >= 0));
  }
}

double raised(double base, int power) {
  double result = 1;
  for (; power > 0; power /= 2) {
    result *= power % 2 == 1 ? base : 1.0;
    base *= base;
  }
  return result;
}

constexpr double widest_window = 100000;
constexpr double highest_power = 64;

std::vector<double> weights_of_window(const KernelEntry& entry, const ParameterList& parameters) {
  const double half = parameters.number_or("window", 3);
  if (half > widest_window) {
    reject_argument(entry.name + ": window", half, "at most 100000");
  }
  const auto l = static_cast<std::size_t>(half);
  std::vector<double> weights(2 * l + 1);
  if (!parameters.has("weights")) {
    for (std::size_t j = 0; j < weights.size(); ++j) {
      weights[j] = static_cast<double>(std::min(j, 2 * l - j) + 1);
    }
    return weights;
  }
  const std::vector<double>& given = parameters.numbers("weights");
  if (given.size() != l + 1) {
    reject_argument(entry.name + ": weights", "a list of " + std::to_string(given.size()),
                    "window + 1 numbers, here " + std::to_string(l + 1) + ": of the middle, one place off, and so on");
  }
  for (std::size_t j = 0; j <= l; ++j) {
    weights[l - j] = weights[l + j] = given[j];
  }
  return weights;
}

int whole_power(const KernelEntry& entry, const ParameterList& parameters, const char* name) {
  const double power = parameters.number_or(name, 1);
  if (power > highest_power) {
    reject_argument(entry.name + ": " + name, power, "at most 64");
  }
  return static_cast<int>(power);
}

}  // namespace

std::vector<ParameterSpec> window_parameters() {
  return {{.name = "window",
           .aliases = {"l"},
           .role = ParameterRole::number,
           .constraint = Constraint::nonnegative_integer,
           .default_text = "3",
           .meaning = "places on each side of the middle of a window"},
          {.name = "d1",
           .role = ParameterRole::number,
           .constraint = Constraint::positive_integer,
           .default_text = "2",
           .meaning = "power of every window: dependences between places near each other"},
          {.name = "d2",
           .role = ParameterRole::number,
           .constraint = Constraint::positive_integer,
           .default_text = "1",
           .meaning = "power of the sum: dependences between places far apart"},
          {.name = "weights",
           .role = ParameterRole::number,
           .constraint = Constraint::nonnegative,
           .meaning = "weights of the middle, one place off, …; otherwise window + 1, window, …, 1",
           .may_be_list = true}};
}

WindowNode::WindowNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children,
                       const Alphabet& alphabet)
    : ObjectNode(entry, std::move(parameters), std::move(children)),
      alphabet_(alphabet),
      weights_(weights_of_window(entry, this->parameters())),
      inner_power_(whole_power(entry, this->parameters(), "d1")),
      outer_power_(whole_power(entry, this->parameters(), "d2")) {}

WindowRows WindowNode::encode(const Samples& samples, const WindowRows* reference, const Run& /*run*/) const {
  alphabet_.require(entry().name, samples);
  WindowRows rows{samples.size(), common_length(entry().name, samples), {}, {}, {}};
  if (reference != nullptr && reference->size > 0 && rows.size > 0 && reference->length != rows.length) {
    throw DataError(entry().name + " compares strings of one length: those of the training data have " +
                    std::to_string(reference->length) + " characters, these have " + std::to_string(rows.length));
  }
  rows.codes.reserve(rows.size * rows.length);
  for (Index i = 0; i < rows.size; ++i) {
    for (const char c : string_at(samples, i)) {
      rows.codes.push_back(static_cast<std::int16_t>(alphabet_.code(c)));
    }
  }
  finish(samples, reference, rows);
  return rows;
}

void WindowNode::finish(const Samples& /*samples*/, const WindowRows* /*reference*/, WindowRows& /*rows*/) const {}

double WindowNode::value(const WindowRows& x, Index i, const WindowRows& y, Index j) const {
  std::vector<double> windows(x.length, 0.0);
  fill_windows(x, i, y, j, windows);
  double total = 0;
  for (const double window : windows) {
    total += raised(window, inner_power_);
  }
  const double value = raised(total, outer_power_);
  if (!std::isfinite(value)) {
    throw NumericalError(entry().name + ": the value exceeds the largest number; take smaller powers d1 and d2");
  }
  return value;
}

void add_windows(std::span<const double> matches, Index first, std::span<const double> weights,
                 std::span<double> windows) {
  const auto places = static_cast<Index>(matches.size());
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const Index shift = first + static_cast<Index>(k);
    const Index begin = std::max<Index>(0, -shift);
    const Index end = std::min(static_cast<Index>(windows.size()), places - shift);
    if (end > begin) {
      add_scaled_places(matches.data() + begin + shift, weights[k], windows.data() + begin, end - begin);
    }
  }
}

void mark_matches(std::span<const std::int16_t> s, Index left, std::span<const std::int16_t> t, Index right,
                  std::span<double> out) {
  const Index places = std::max<Index>(0, static_cast<Index>(s.size()) - std::max(left, right));
  mark_equal_codes(s.data() + std::min(left, static_cast<Index>(s.size())),
                   t.data() + std::min(right, static_cast<Index>(t.size())), out.data(), places);
  std::fill(out.begin() + places, out.end(), 0.0);
}

}  // namespace mercer
