#include "parametric_listing.h"

#include "mercer/expansion/expansion.h"
#include "mercer/expansion/parametric_functions.h"
#include "model_input.h"

namespace mercer::program {

namespace {

const Expansion* with_functions(const FittedModel& model) {
  const Expansion* const expansion = model.expansion_form();
  return expansion != nullptr && expansion->parametric_part().uses_columns() ? expansion : nullptr;
}

std::vector<std::string> names_of(const Expansion& expansion) {
  return ParametricFunctions(expansion.parametric_part(), expansion.centers()).names();
}

std::vector<std::string> outputs_of(const FittedModel& model) {
  const std::vector<std::string> decisions = model.decision_names();
  return decisions.empty() ? headings(model) : decisions;
}

}  // namespace

Json functions_as_json(const FittedModel& model) {
  const Expansion* const expansion = with_functions(model);
  if (expansion == nullptr) {
    return nullptr;
  }
  Json json = Json::object();
  const std::vector<std::string> names = names_of(*expansion);
  const std::vector<std::string> outputs = outputs_of(model);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    for (std::size_t p = 0; p < names.size(); ++p) {
      json[outputs[o]][names[p]] = expansion->parametric_coefficients()(static_cast<Index>(p), static_cast<Index>(o));
    }
  }
  return json;
}

std::string functions_as_text(const FittedModel& model) {
  const Expansion* const expansion = with_functions(model);
  if (expansion == nullptr) {
    return {};
  }
  const std::vector<std::string> names = names_of(*expansion);
  std::vector<std::string> columns = {"function beside the kernel"};
  for (const std::string& output : outputs_of(model)) {
    columns.push_back(output);
  }
  std::vector<Align> alignment(columns.size(), Align::right);
  alignment.front() = Align::left;
  TextTable table(std::move(columns), std::move(alignment));
  for (std::size_t p = 0; p < names.size(); ++p) {
    std::vector<std::string> cells = {names[p]};
    for (Index o = 0; o < expansion->outputs(); ++o) {
      cells.push_back(readable(expansion->parametric_coefficients()(static_cast<Index>(p), o)));
    }
    table.add(std::move(cells));
  }
  return "\n" + table.text("  ");
}

}  // namespace mercer::program
