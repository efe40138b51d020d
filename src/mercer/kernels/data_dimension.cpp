#include "mercer/kernels/data_dimension.h"

#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "mercer/kernels/registry.h"

namespace mercer {

ParameterSpec dimension_spec(std::string meaning) {
  return {.name = "dimension",
          .aliases = {},
          .role = ParameterRole::number,
          .constraint = Constraint::positive_integer,
          .default_text = "auto",
          .meaning = std::move(meaning)};
}

Index given_dimension(const KernelNode& node) {
  const ParameterValue& value = node.parameters().find("dimension")->value;
  if (value.width != WidthRule::none && value.width != WidthRule::automatic) {
    reject_argument(node.entry().name + ": dimension", to_string(value),
                    "a whole number from 1, or auto: the number of columns");
  }
  return value.is_resolved() ? static_cast<Index>(node.parameters().number("dimension")) : 0;
}

bool needs_data_dimension(const KernelNode& node) {
  return node.parameters().find("dimension")->value.width == WidthRule::automatic;
}

std::shared_ptr<const KernelNode> with_data_dimension(const KernelNode& node, const Samples& all, Index smallest) {
  ParameterList parameters = node.parameters();
  if (needs_data_dimension(node)) {
    const Index columns = std::max(smallest, default_columns(all).columns());
    parameters = parameters.with("dimension", ParameterValue::number(static_cast<double>(columns)));
  }
  return node.rebuilt(std::move(parameters), {node.children().begin(), node.children().end()});
}

}  // namespace mercer
