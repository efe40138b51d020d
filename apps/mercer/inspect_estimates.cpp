#include "inspect_estimates.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "mercer/models/svm/support_machine.h"
#include "mercer/select/estimates/epsilon_margin.h"
#include "mercer/select/estimates/exact_leave_one_out.h"
#include "mercer/select/estimates/one_class_span.h"
#include "mercer/select/estimates/svc_estimates.h"
#include "mercer/select/estimates/svr_leave_one_out.h"
#include "model_input.h"

namespace mercer::program {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr const char* no_free = "every coefficient is at its bound, so that the offset is not unique";

Estimate number(std::string name, double value, std::string meaning) {
  return {std::move(name), value, readable(value), std::move(meaning)};
}

Estimate fraction(std::string name, Index count, Index rows, std::string meaning) {
  const double value = rows > 0 ? static_cast<double>(count) / static_cast<double>(rows) : unknown;
  return {std::move(name), value, fmt::format("{} of {} ({} %)", count, rows, readable(100 * value, 4)),
          std::move(meaning)};
}

Estimate counted_errors(std::string name, const LeaveOneOutCount* count, std::string meaning, std::string why_not) {
  if (count == nullptr) {
    return {std::move(name), unknown, "-", "not known: " + std::move(why_not)};
  }
  return fraction(std::move(name), count->errors, count->rows, std::move(meaning));
}

template <class T>
const T* pointer_to(const std::optional<T>& value) {
  return value ? &*value : nullptr;
}

std::string why_no_span(const MachineEstimates& machine) {
  return machine.free == 0 ? no_free : "too many free support vectors, or a kernel that is not positive definite";
}

constexpr const char* only_given_bounds =
    "a machine fitted with nu again has another rho, and this is about machines whose C is given";

std::string why_no_nu_rule(const MachineEstimates& machine) {
  return machine.free == 0 ? no_free
                           : "a class without free support vectors, too many of them, or a kernel that is not positive "
                             "definite";
}

constexpr const char* lagrange_meaning = "upper bound on leave-one-out errors: rows with 2 alpha R^2 + xi >= 1";
constexpr const char* rule_meaning = "estimate of leave-one-out errors, close as long as few rows change sides";
constexpr const char* nu_rule_meaning =
    "estimate of leave-one-out errors with rho following, close as long as few rows change sides";
constexpr const char* bound_meaning = "upper bound on leave-one-out errors: alpha S max(D, 1/sqrt C) >= 1";
constexpr const char* support_meaning =
    "upper bound on leave-one-out errors: a row that is no support vector is not missed";

constexpr const char* of_machines_with_a_constant =
    "the bound is of machines with a constant alone beside the kernel; the rule is known";

std::string why_no_rule(const MachineEstimates& machine) {
  return machine.held_sums == HeldSums::each_sign ? why_no_nu_rule(machine)
         : machine.is_semiparametric ? "the free support vectors do not determine the functions, or are too many"
                                     : why_no_span(machine);
}

std::string why_no_bound(const MachineEstimates& machine, std::string otherwise) {
  return machine.held_sums == HeldSums::each_sign ? only_given_bounds
         : machine.is_semiparametric              ? of_machines_with_a_constant
                                                  : std::move(otherwise);
}

void add_leave_one_out(const MachineEstimates& machine, std::vector<Estimate>& out) {
  const bool nu = machine.held_sums == HeldSums::each_sign;
  out.push_back(
      counted_errors("span rule", pointer_to(machine.rule), nu ? nu_rule_meaning : rule_meaning, why_no_rule(machine)));
  out.push_back(counted_errors("span bound", machine.span ? &machine.span->bound : nullptr, bound_meaning,
                               why_no_bound(machine, why_no_span(machine))));
  out.push_back(
      counted_errors("Lagrange bound", pointer_to(machine.lagrange), lagrange_meaning, why_no_bound(machine, no_free)));
  out.push_back(fraction("support vectors", machine.support_vectors, machine.rows, support_meaning));
  if (machine.xi_alpha) {
    out.push_back(fraction("xi-alpha error", machine.xi_alpha->count.errors, machine.rows,
                           "estimate of leave-one-out errors, on average too many: rows with alpha R^2 + xi >= 1"));
    out.push_back(number("xi-alpha recall", machine.xi_alpha->recall, "of the positive class, on average too low"));
    out.push_back(
        number("xi-alpha precision", machine.xi_alpha->precision, "of the positive class, on average too low"));
  }
}

Estimate bound(std::string name, const std::optional<double>& value, const std::string& meaning,
               const std::string& condition) {
  if (!value) {
    return {std::move(name), unknown, "-", "not known: " + condition};
  }
  return number(std::move(name), *value, meaning + (*value >= 1 ? "; vacuous here, as usual" : ""));
}

void add_geometry(const MachineEstimates& machine, double delta, std::vector<Estimate>& out) {
  const std::string sure = readable(100 * (1 - delta)) + " %";
  out.push_back(fraction("training errors", machine.training_errors, machine.rows, "rows on the wrong side"));
  if (machine.is_semiparametric) {
    return;
  }
  out.push_back(number("margin", machine.bounds.margin, "gamma = 1/|w|, in units of the kernel's feature space"));
  out.push_back(number("radius", std::sqrt(machine.squared_radius), "R of the smallest ball around the data there"));
  out.push_back(number("radius/margin", machine.bounds.radius_margin,
                       "R^2/gamma^2: the smaller the better; for choosing kernel parameters of a hard margin"));
  out.push_back(number("soft margin ratio", machine.bounds.soft_margin_ratio,
                       "(R^2 + slacks^2)/gamma^2: the test error is bounded by a constant times it over n; usually "
                       "vacuous"));
  out.push_back(bound("hard margin bound", machine.bounds.leave_one_out_errors,
                      "4R^2/gamma^2: upper bound on the number of leave-one-out errors (squared slacks: on the kernel "
                      "with 1/2C added to its diagonal)",
                      "there are slacks, or nu was given"));
  out.push_back(bound("compression bound", machine.bounds.compression,
                      "on the test error, " + sure + " sure, from the number of support vectors",
                      machine.training_errors > 0 ? "there are training errors" : "every row is a support vector"));
  out.push_back(bound("margin bound", machine.bounds.margin_bound,
                      "on the test error, " + sure + " sure, from margin and radius",
                      "there are margin errors, or too few rows for this margin (the bound is usually vacuous)"));
  out.push_back(number("kernel alignment", machine.alignment,
                       "centred, of kernel and labels: 0 none, 1 the kernel is the labels"));
}

void inspect_svc(const SvcModel& model, const TrainingData& data, double delta, double memory_mb, const Run& run,
                 Inspection& inspection) {
  const SvcEstimates estimates = svc_estimates(model, data, {.delta = delta, .memory_mb = memory_mb}, run);
  inspection.notes = estimates.notes;
  if (estimates.machines.size() == 1) {
    add_leave_one_out(estimates.machines.front(), inspection.estimates);
    add_geometry(estimates.machines.front(), delta, inspection.estimates);
    return;
  }
  const std::string why = "a machine has none, or the code does not allow it";
  inspection.estimates.push_back(
      counted_errors("span rule", pointer_to(estimates.span_rule),
                     "estimate: rows that some machine which knows their class would miss without them", why));
  inspection.estimates.push_back(
      counted_errors("span bound", pointer_to(estimates.span_bound), "upper bound on leave-one-out errors", why));
  inspection.estimates.push_back(
      counted_errors("Lagrange bound", pointer_to(estimates.lagrange), "upper bound on leave-one-out errors", why));
  inspection.estimates.push_back(
      fraction("support vectors", estimates.support_vectors, estimates.rows, support_meaning));
  inspection.machines = estimates.names;
  for (const MachineEstimates& machine : estimates.machines) {
    std::vector<Estimate>& own = inspection.machine_estimates.emplace_back();
    add_leave_one_out(machine, own);
    add_geometry(machine, delta, own);
  }
}

void inspect_one_class(const OneClassModel& model, const TrainingData& data, double allowance, const Run& run,
                       Inspection& inspection) {
  const std::optional<OneClassSpan> span = one_class_span(model, data, allowance, {}, run);
  const std::string excess = readable(allowance) + " rho";
  inspection.estimates.push_back(counted_errors(
      "span rule", span ? pointer_to(span->rule) : nullptr,
      "estimate: rows that would be outside by more than " + excess + " had they been left out",
      span ? "the other support vectors are too few to take over from a row that is left out" : no_free));
  inspection.estimates.push_back(
      counted_errors("span bound", span ? &span->bound : nullptr,
                     span && !span->rule ? "upper bound on them: rows whose swap with another one costs enough"
                                         : "upper bound on them: alpha S max(D/delta rho, 1/D) >= 1",
                     no_free));
  inspection.estimates.push_back(fraction("support vectors", static_cast<Index>(model.support_rows().size()),
                                          data.samples.size(),
                                          "upper bound on rows that would be outside had they been left out"));
}

void add_epsilon_margins(const SvrModel& model, const Run& run, Inspection& inspection) {
  const std::vector<double> margins = epsilon_margins(model, run);
  const std::vector<std::string> names = headings(model);
  for (std::size_t o = 0; o < margins.size() && model.tube_widths()[o] > 0 && std::isfinite(margins[o]); ++o) {
    inspection.estimates.push_back(number(
        margins.size() == 1 ? "epsilon margin" : "epsilon margin of " + names[o], margins[o],
        "two inputs whose predictions differ by 2 epsilon are at least so far apart in feature space (of a linear "
        "kernel: in the columns as the model sees them)"));
  }
}

void inspect_svr(const SvrModel& model, const TrainingData& data, const Run& run, Inspection& inspection) {
  add_epsilon_margins(model, run, inspection);
  if (!model.parts().is_usual()) {
    inspection.notes.push_back(
        "no leave-one-out errors: they are known without refitting of machines with slack beyond one tube of two "
        "sides, "
        "and this one has another; score it by folds");
    return;
  }
  const SvrLeaveOneOut estimate = svr_leave_one_out(model, data, run);
  if (!estimate.why_none.empty()) {
    inspection.notes.push_back("no leave-one-out errors: " + estimate.why_none);
    return;
  }
  const std::string meaning = "estimate without refitting, close as long as few rows enter or leave the tube";
  inspection.estimates.push_back(number("leave-one-out RMSE", estimate.rmse(), meaning));
  inspection.estimates.push_back(number("leave-one-out MAE", estimate.mae(), meaning));
}

Json estimates_as_json(const std::vector<Estimate>& estimates) {
  Json json = Json::object();
  for (const Estimate& estimate : estimates) {
    json[estimate.name] = {{"value", std::isfinite(estimate.value) ? Json(estimate.value) : Json(nullptr)},
                           {"meaning", estimate.meaning}};
  }
  return json;
}

// One column per estimate would be too wide: one line per machine with those that differ most between them.
std::string machine_table(const Inspection& inspection) {
  const std::vector<std::string> shown = {"span rule",     "span bound", "Lagrange bound",  "support vectors",
                                          "radius/margin", "margin",     "kernel alignment"};
  std::vector<std::string> headings = {"machine"};
  std::vector<Align> alignment = {Align::left};
  for (const std::string& name : shown) {
    headings.push_back(name);
    alignment.push_back(Align::right);
  }
  TextTable table(std::move(headings), std::move(alignment));
  for (std::size_t m = 0; m < inspection.machines.size(); ++m) {
    std::vector<std::string> cells = {inspection.machines[m]};
    for (const std::string& name : shown) {
      for (const Estimate& estimate : inspection.machine_estimates[m]) {
        if (estimate.name == name) {
          cells.push_back(readable(estimate.value, 4));
        }
      }
    }
    table.add(std::move(cells));
  }
  return table.text("  ");
}

}  // namespace

Inspection inspect_with_data(const FittedModel& model, const TrainingData& data, const InspectionOptions& options,
                             const Run& run) {
  Inspection inspection;
  const auto* const machine = offered<SupportMachine>(model);
  const bool has_mean_field = dynamic_cast<const SvrModel*>(&model) != nullptr ||
                              dynamic_cast<const SvcModel*>(&model) != nullptr;  // of any functions
  if (machine != nullptr && !has_mean_field && !machine->expansion().parametric_part().is_constant()) {
    inspection.notes.push_back(
        "nothing more is known of this model: estimates without refitting are for machines with a "
        "constant beside the kernel, this one has " +
        machine->expansion().parametric_part().text() + "; score it by folds");
    return inspection;
  }
  if (const auto* svc = dynamic_cast<const SvcModel*>(&model)) {
    inspect_svc(*svc, data, options.delta, options.memory_mb, run, inspection);
    return inspection;
  }
  const auto* const novelty = dynamic_cast<const OneClassModel*>(&model);
  if (novelty != nullptr && novelty->uses_labels()) {
    inspection.notes.push_back(
        "nothing more is known of this model: estimates without refitting are for one-class machines without known "
        "outliers "
        "and with the origin of the feature space; score it by folds");
    return inspection;
  }
  if (novelty != nullptr && novelty->report().measured(Fact::rho)) {
    inspect_one_class(*novelty, data, options.delta_rho, run, inspection);
    return inspection;
  }
  if (const auto* svr = dynamic_cast<const SvrModel*>(&model)) {
    inspect_svr(*svr, data, run, inspection);
    return inspection;
  }
  const ExactLeaveOneOut exact = exact_leave_one_out(model, data, run);
  for (const FitReport::Measure& measure : exact.measures) {
    inspection.estimates.push_back(
        number(measure.name, measure.value, "exact: what refitting without each row in turn would give"));
  }
  if (!exact.why_none.empty()) {
    inspection.notes.push_back("nothing more is known of this model: " + exact.why_none +
                               "; estimates without refitting are for svc, nusvc, oneclass, svr and nusvr");
  }
  return inspection;
}

Json as_json(const Inspection& inspection) {
  Json json;
  json["estimates"] = estimates_as_json(inspection.estimates);
  if (!inspection.machines.empty()) {
    json["machines"] = Json::object();
    for (std::size_t m = 0; m < inspection.machines.size(); ++m) {
      json["machines"][inspection.machines[m]] = estimates_as_json(inspection.machine_estimates[m]);
    }
  }
  json["notes"] = inspection.notes;
  return json;
}

std::string as_text(const Inspection& inspection) {
  std::string text;
  if (!inspection.estimates.empty()) {
    TextTable table({"without refitting", "value", "meaning"}, {Align::left, Align::right, Align::left});
    for (const Estimate& estimate : inspection.estimates) {
      table.add({estimate.name, estimate.text, estimate.meaning});
    }
    text += "\n" + table.text("  ");
  }
  if (!inspection.machines.empty()) {
    text += "\n" + machine_table(inspection);
  }
  for (const std::string& note : inspection.notes) {
    text += "\n" + note + "\n";
  }
  return text;
}

}  // namespace mercer::program
