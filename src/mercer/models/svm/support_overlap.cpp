#include "mercer/models/svm/support_overlap.h"

#include <algorithm>
#include <limits>
#include <set>

#include "mercer/base/error.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/svm/support_machine.h"

namespace mercer {

namespace {

using Rows = std::set<Index>;

const SupportRows& rows_in(const FittedModel& model) {
  const auto* const support = offered<SupportRows>(model);
  if (support == nullptr) {
    throw InvalidArgument(model.name() + " has no support vectors among its training rows");
  }
  if (std::ranges::find(support->support_rows(), no_training_row) != support->support_rows().end()) {
    throw InvalidArgument(model.name() +
                          ": its functions were compressed, and their points are no training rows any more");
  }
  return *support;
}

Rows rows_of(const FittedModel& model) {
  const std::vector<Index>& rows = rows_in(model).support_rows();
  return {rows.begin(), rows.end()};
}

Rows rows_of_machine(const SupportMachine& model, Index machine) {
  Rows rows;
  const ConstMatrixView<double> coefficients = model.expansion().coefficients();
  for (Index j = 0; j < coefficients.rows(); ++j) {
    if (coefficients(j, machine) != 0) {
      rows.insert(model.support_rows()[j]);
    }
  }
  return rows;
}

Rows rows_of_class(const std::vector<Index>& rows, const std::vector<Index>& classes, Index c) {
  Rows result;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (classes[j] == c) {
      result.insert(rows[j]);
    }
  }
  return result;
}

Overlap overlap(std::string name, const Rows& own, const Rows& other) {
  const auto both = std::ranges::count_if(other, [&](Index row) { return own.contains(row); });
  return {std::move(name), static_cast<Index>(own.size()), static_cast<Index>(other.size()), static_cast<Index>(both)};
}

}  // namespace

double Overlap::share() const {
  return other > 0 ? static_cast<double>(both) / static_cast<double>(other) : std::numeric_limits<double>::quiet_NaN();
}

std::vector<Index> support_rows_of(const FittedModel& model) {
  const Rows rows = rows_of(model);
  return {rows.begin(), rows.end()};
}

SupportOverlap support_overlap(const FittedModel& model, const FittedModel& other) {
  SupportOverlap result{.all = overlap("all", rows_of(model), rows_of(other)), .machines = {}, .classes = {}};
  const auto* const own_machines = offered<SupportMachine>(model);
  const auto* const other_machines = offered<SupportMachine>(other);
  const std::vector<std::string> names = model.decision_names();
  if (own_machines != nullptr && other_machines != nullptr && names.size() > 1 && names == other.decision_names() &&
      own_machines->expansion().outputs() == static_cast<Index>(names.size()) &&
      other_machines->expansion().outputs() == static_cast<Index>(names.size())) {
    for (std::size_t m = 0; m < names.size(); ++m) {
      result.machines.push_back(overlap(names[m], rows_of_machine(*own_machines, static_cast<Index>(m)),
                                        rows_of_machine(*other_machines, static_cast<Index>(m))));
    }
  }
  const auto* const own_classes = offered<ClassMachines>(model);
  const auto* const other_classes = offered<ClassMachines>(other);
  if (own_classes != nullptr && other_classes != nullptr && model.classes() == other.classes()) {
    for (std::size_t c = 0; c < model.classes().size(); ++c) {
      const auto number = static_cast<Index>(c);
      result.classes.push_back(overlap(
          model.classes()[c], rows_of_class(rows_in(model).support_rows(), own_classes->support_classes(), number),
          rows_of_class(rows_in(other).support_rows(), other_classes->support_classes(), number)));
    }
  }
  return result;
}

}  // namespace mercer
