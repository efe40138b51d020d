#include "mercer/models/gp/inference/hyper_prior.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

namespace {

constexpr double half_log_two_pi = 0.5 * 1.8378770664093454836;

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

double number_in(std::string_view text, std::string_view whole) {
  text = trimmed(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw InvalidArgument("prior '" + std::string(whole) + "': '" + std::string(text) + "' is not a number");
  }
  return value;
}

NamedPrior parse_named(std::string_view item) {
  const auto colon = item.find(':');
  if (colon == std::string_view::npos) {
    throw InvalidArgument("priors: '" + std::string(item) + "': expected NAME: PRIOR, as in noise: gamma(2, 10)");
  }
  return {.name = std::string(trimmed(item.substr(0, colon))), .prior = HyperPrior::parse(item.substr(colon + 1))};
}

}  // namespace

HyperPrior HyperPrior::lognormal(double mean, double deviation) {
  const HyperPrior prior(PriorFamily::lognormal, mean, deviation);
  prior.require_allowed(prior.text());
  return prior;
}

HyperPrior HyperPrior::gamma(double shape, double rate) {
  const HyperPrior prior(PriorFamily::gamma, shape, rate);
  prior.require_allowed(prior.text());
  return prior;
}

HyperPrior HyperPrior::normal(double mean, double deviation) {
  const HyperPrior prior(PriorFamily::normal, mean, deviation);
  prior.require_allowed(prior.text());
  return prior;
}

HyperPrior HyperPrior::parse(std::string_view text) {
  const std::string_view whole = trimmed(text);
  const auto open = whole.find('(');
  const auto comma = whole.find(',');
  const auto family = find_word<PriorFamily>(trimmed(whole.substr(0, std::min(open, whole.size()))));
  if (!family || comma == std::string_view::npos || comma < open || !whole.ends_with(')')) {
    throw InvalidArgument("prior '" + std::string(whole) +
                          "': expected lognormal(MEAN, DEVIATION), gamma(SHAPE, RATE) or normal(MEAN, DEVIATION)");
  }
  const double first = number_in(whole.substr(open + 1, comma - open - 1), whole);
  const HyperPrior prior(*family, first, number_in(whole.substr(comma + 1, whole.size() - comma - 2), whole));
  prior.require_allowed(whole);
  return prior;
}

void HyperPrior::require_allowed(std::string_view whole) const {
  if (!std::isfinite(first_) || !std::isfinite(second_)) {
    throw InvalidArgument("prior '" + std::string(whole) + "': both must be finite numbers");
  }
  if (!(second_ > 0) || (family_ == PriorFamily::gamma && !(first_ > 0))) {
    throw InvalidArgument("prior '" + std::string(whole) + "': deviations, shapes and rates must be positive");
  }
}

std::string HyperPrior::text() const {
  return std::string(word_of(family_)) + "(" + shortest(first_) + ", " + shortest(second_) + ")";
}

double HyperPrior::log_density(double value) const {
  const double z = ((family_ == PriorFamily::lognormal ? std::log(value) : value) - first_) / second_;
  switch (family_) {
    case PriorFamily::lognormal:
      return -0.5 * z * z - half_log_two_pi - std::log(second_) - std::log(value);
    case PriorFamily::normal:
      return -0.5 * z * z - half_log_two_pi - std::log(second_);
    case PriorFamily::gamma:
      break;
  }
  return first_ * std::log(second_) - std::lgamma(first_) + (first_ - 1) * std::log(value) - second_ * value;
}

double HyperPrior::slope(double value) const {
  switch (family_) {
    case PriorFamily::lognormal:
      return -((std::log(value) - first_) / (second_ * second_) + 1) / value;
    case PriorFamily::normal:
      return -(value - first_) / (second_ * second_);
    case PriorFamily::gamma:
      break;
  }
  return (first_ - 1) / value - second_;
}

HyperPriors::HyperPriors(std::vector<NamedPrior> priors) : priors_(std::move(priors)) {
  std::vector<std::string> items;
  for (const NamedPrior& named : priors_) {
    items.push_back(named.name + ": " + named.prior.text());
  }
  text_ = join(items, "; ");
}

HyperPriors HyperPriors::parse(std::string_view text) {
  HyperPriors result;
  result.text_ = text;
  while (!trimmed(text).empty()) {
    const auto end = std::min(text.find(';'), text.size());
    const std::string_view item = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!item.empty()) {
      result.priors_.push_back(parse_named(item));
    }
  }
  return result;
}

}  // namespace mercer
