#include "mercer/models/gp/gp_noise.h"

#include "mercer/base/error.h"
#include "mercer/kernels/spec_reader.h"

namespace mercer {

namespace {

const ParameterSpec& noise_spec() {
  static const ParameterSpec spec{.name = "noise", .constraint = Constraint::nonnegative};
  return spec;
}

[[noreturn]] void reject_noise(std::string_view text) {
  throw InvalidArgument(
      "gp: noise = " + std::string(text) +
      ": must be a finite variance, 0 or more, as in 0.1 (to start from), 0.1! (known) or 0.1 in 0.01..1");
}

// The whole text as one value of the kernel language.
ParameterValue value_in(std::string_view text) {
  try {
    SpecReader reader(text);
    ParameterValue value = reader.value(noise_spec());
    // Neither a range to search nor a width that the data decide.
    const bool has_number = !value.numbers.empty();
    if (has_number && reader.lexer().peek().is(SpecTokenKind::end)) {
      return value;
    }
  } catch (const InvalidArgument&) {  // NOLINT(bugprone-empty-catch): see below
    // The message below shows all that can be written.
  }
  reject_noise(text);
}

}  // namespace

GpNoise::GpNoise(const ParameterValue& value, std::string_view text) : text_(text) {
  require_allowed("gp", noise_spec(), value);
  variance_ = value.numbers.front();
  fixed_ = value.fixed;
  bounds_ = value.bounds;
}

GpNoise GpNoise::starting_at(double variance) {
  const ParameterValue value = ParameterValue::number(variance);
  return {value, to_string(value)};
}

GpNoise GpNoise::known(double variance) {
  ParameterValue value = ParameterValue::number(variance);
  value.fixed = true;
  return {value, to_string(value)};
}

GpNoise GpNoise::within(double variance, Interval bounds) {
  ParameterValue value = ParameterValue::number(variance);
  value.bounds = bounds;
  return {value, to_string(value)};
}

GpNoise GpNoise::parse(std::string_view text) {
  if (text.empty()) {
    return {};
  }
  const ParameterValue value = value_in(text);
  try {
    return {value, text};
  } catch (const InvalidArgument&) {
    reject_noise(text);  // a number that may not be: said with what can be written
  }
}

}  // namespace mercer
