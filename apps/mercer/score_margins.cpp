#include "score_margins.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/select/estimates/geometric_margins.h"

namespace mercer::program {

namespace {

// Numbers of classes; a label that the model does not know is −1.
std::vector<std::int32_t> class_numbers(const FittedModel& model, const Targets* targets) {
  std::vector<std::int32_t> numbers;
  if (model.classes().empty() || targets == nullptr) {
    return numbers;
  }
  const ClassLabels labels = targets->labels(0);
  for (const std::int32_t code : labels.codes) {
    const auto found = code < 0 ? model.classes().end() : std::ranges::find(model.classes(), labels.levels[code]);
    numbers.push_back(found == model.classes().end() ? -1 : static_cast<std::int32_t>(found - model.classes().begin()));
  }
  return numbers;
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace

void add_margins(const StoredModel& stored, const Samples& samples, const Targets* targets, Index first,
                 std::vector<MachineMargins>& machines, const Run& run) {
  const FittedModel& model = *stored.model;
  const GeometricMargins block = geometric_margins(model, samples, class_numbers(model, targets), run);
  const std::vector<std::string> names = model.decision_names();
  const bool begins = machines.empty();
  machines.resize(block.norms.size());
  for (std::size_t m = 0; m < machines.size(); ++m) {
    MachineMargins& machine = machines[m];
    if (begins) {
      machine = {.name = names[m], .norm = block.norms[m], .least = std::nan(""), .canonical = std::nan("")};
    }
    for (Index i = 0; i < samples.size(); ++i) {
      const double margin = block.margins(i, static_cast<Index>(m));
      if (!std::isnan(margin)) {
        machine.rows += 1;
        machine.positive += margin > 0 ? 1 : 0;
        machine.sum += margin;
      }
    }
    if (block.least_row[m] >= 0 && (machine.row < 0 || block.least[m] < machine.least)) {
      machine.least = block.least[m];
      machine.row = first + block.least_row[m];
    }
    machine.canonical = std::fmin(machine.canonical, block.canonical[m]);
  }
}

Json margins_as_json(const std::vector<MachineMargins>& machines) {
  Json json = Json::object();
  for (const MachineMargins& machine : machines) {
    json[machine.name] = {{"norm", machine.norm},
                          {"least", number(machine.least)},
                          {"least_row", machine.row < 0 ? Json(nullptr) : Json(machine.row)},
                          {"mean", number(machine.sum / static_cast<double>(machine.rows))},
                          {"positive", machine.positive},
                          {"rows", machine.rows},
                          {"canonical", number(machine.canonical)}};
  }
  return json;
}

std::string margins_as_text(const std::vector<MachineMargins>& machines) {
  TextTable table({"margins y f/|w|", "least", "of row", "mean", "on their side", "|w|", "least |f|"},
                  {Align::left, Align::right, Align::right, Align::right, Align::right, Align::right, Align::right});
  for (const MachineMargins& machine : machines) {
    table.add({machine.name, readable(machine.least), machine.row < 0 ? "-" : std::to_string(machine.row + 1),
               readable(machine.sum / static_cast<double>(machine.rows)),
               fmt::format("{} of {}", machine.positive, machine.rows), readable(machine.norm),
               readable(machine.canonical)});
  }
  return "\n" + table.text("  ");
}

}  // namespace mercer::program
