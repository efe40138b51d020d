#include "mercer/kernels/generative/model_parameters.h"

#include <charconv>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

double rounded_to_nine_digits(double value) {
  char text[64];
  const auto written = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 8);
  double result = value;
  std::from_chars(text, written.ptr, result);
  return result;
}

}  // namespace

ParameterSpec fitted_spec(std::string name, std::string meaning, Constraint constraint) {
  return {.name = std::move(name),
          .aliases = {},
          .role = ParameterRole::number,
          .constraint = constraint,
          .default_text = "auto",
          .meaning = std::move(meaning),
          .may_be_list = true};
}

bool waits_for_data(const KernelNode& node, std::string_view name) {
  const Parameter* const parameter = node.parameters().find(name);
  const ParameterValue& value = parameter->value;
  if (value.width != WidthRule::none && value.width != WidthRule::automatic) {
    reject_argument(node.entry().name + ": " + std::string(name), to_string(value),
                    "numbers, or auto: fitted to the training samples");
  }
  return !value.is_resolved();
}

bool wait_for_data(const KernelNode& node, std::initializer_list<std::string_view> names) {
  Index waiting = 0;
  std::vector<std::string> all;
  for (const std::string_view name : names) {
    waiting += waits_for_data(node, name) ? 1 : 0;
    all.emplace_back(name);
  }
  if (waiting != 0 && waiting != static_cast<Index>(all.size())) {
    throw InvalidArgument(node.entry().name + ": give all of " + join(all, ", ") + ", or leave all to the data (auto)");
  }
  return waiting != 0;
}

std::vector<double> model_numbers(const KernelNode& node, std::string_view name, Index count) {
  const ParameterValue& value = node.parameters().find(name)->value;
  const std::vector<double>& numbers = node.parameters().numbers(name);
  if (!value.is_list) {
    return std::vector<double>(count, numbers[0]);
  }
  if (static_cast<Index>(numbers.size()) != count) {
    throw InvalidArgument(node.entry().name + ": " + std::string(name) + " has " + std::to_string(numbers.size()) +
                          " numbers where " + std::to_string(count) + " are needed");
  }
  return numbers;
}

ParameterValue fitted_numbers(const KernelNode& node, std::vector<double> values) {
  for (double& value : values) {
    if (!std::isfinite(value)) {
      throw NumericalError("the model of " + node.entry().name +
                           " cannot be fitted to these samples: a parameter is not finite; scale the data");
    }
    value = rounded_to_nine_digits(value);
  }
  return ParameterValue::list(std::move(values));
}

ParameterValue fitted_number(const KernelNode& node, double value) {
  return ParameterValue::number(fitted_numbers(node, {value}).numbers[0]);
}

void require_storable(const KernelNode& node, double numbers, std::string_view what_to_try) {
  if (numbers > static_cast<double>(most_model_numbers)) {
    throw InvalidArgument(node.entry().name + ": the model would have " + shortest(numbers) +
                          " parameters, more than " + std::to_string(most_model_numbers) + "; " +
                          std::string(what_to_try));
  }
}

void normalize_rows(const KernelNode& node, std::string_view name, Index row_length, std::vector<double>& values) {
  for (std::size_t begin = 0; begin < values.size(); begin += static_cast<std::size_t>(row_length)) {
    double sum = 0;
    for (std::size_t j = begin; j < begin + static_cast<std::size_t>(row_length); ++j) {
      sum += values[j];
    }
    if (!(sum > 0) || !std::isfinite(sum)) {
      throw InvalidArgument(node.entry().name + ": " + std::string(name) +
                            " are probabilities: every row needs a positive sum");
    }
    for (std::size_t j = begin; j < begin + static_cast<std::size_t>(row_length); ++j) {
      values[j] /= sum;
    }
  }
}

}  // namespace mercer
