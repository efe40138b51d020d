#include "mercer/models/option_limits.h"

#include <cmath>

#include "mercer/base/text.h"

namespace mercer {

bool Limits::allow(double value) const {
  const bool above = lowest_is_in ? value >= lowest : value > lowest;
  const bool below = highest_is_in ? value <= highest : value < highest;
  return std::isfinite(value) && above && below && (!whole || value == std::floor(value));
}

std::string Limits::text() const {
  const bool from = std::isfinite(lowest);
  const bool to = std::isfinite(highest);
  std::string result = whole ? "a whole number" : from || to ? "a number" : "a finite number";
  const bool is_closed = from && lowest_is_in && (!to || !highest_is_in);
  if (is_closed) {
    result += " that is " + shortest(lowest) + " or more";
    return to ? result + " and below " + shortest(highest) : result;
  }
  if (from) {
    result += (lowest_is_in ? " from " : " above ") + shortest(lowest);
  }
  if (to) {
    const bool closed_range = from && lowest_is_in && highest_is_in;
    result += closed_range ? " to " : std::string(from ? " and" : "") + (highest_is_in ? " at most " : " below ");
    result += shortest(highest);
  }
  return result;
}

Limits whole_numbers(Limits limits) {
  limits.whole = true;
  return limits;
}

}  // namespace mercer
