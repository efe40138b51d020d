#include "mercer/kernels/nodes/column_parameter.h"

#include "mercer/base/error.h"

namespace mercer {

double number_or(const ParameterList& parameters, std::string_view name, double stand_in) {
  const Parameter* const found = parameters.find(name);
  return found != nullptr && found->value.is_resolved() ? parameters.number(name) : stand_in;
}

std::vector<double> numbers_or_none(const ParameterList& parameters, std::string_view name) {
  const Parameter* const found = parameters.find(name);
  return found != nullptr && found->value.is_resolved() ? found->value.numbers : std::vector<double>{};
}

std::size_t gradient_offset(const ParameterList& parameters, std::string_view name) {
  std::size_t offset = 0;
  const Parameter* const wanted = parameters.find(name);
  for (const Parameter& parameter : parameters.all()) {
    if (&parameter == wanted) {
      break;
    }
    offset += parameter.spec->role == ParameterRole::scale ? parameter.value.numbers.size() : 0;
  }
  return offset;
}

ColumnParameter::ColumnParameter(const ParameterList& parameters, std::string_view name, double stand_in)
    : name_(name), values_(numbers_or_none(parameters, name)), first_(gradient_offset(parameters, name)) {
  const Parameter* const found = parameters.find(name);
  is_list_ = found != nullptr && found->value.is_list && !values_.empty();
  if (values_.empty()) {
    values_ = {stand_in};
  }
}

void ColumnParameter::require_columns(std::string_view kernel, Index columns) const {
  if (is_list_ && static_cast<Index>(values_.size()) != columns) {
    throw InvalidArgument(std::string(kernel) + ": " + name_ + " is a list of " + std::to_string(values_.size()) +
                          " numbers for " + std::to_string(columns) + " columns: give one number, or one per column");
  }
}

}  // namespace mercer
