#include "inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "decision_flags.h"
#include "file_roles.h"
#include "inspect_estimates.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/io/model_file.h"
#include "mercer/models/prior_columns.h"
#include "mercer/models/svm/support_machine.h"
#include "model_input.h"
#include "parametric_listing.h"
#include "session.h"
#include "support_rows.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

struct InspectFlags {
  RunFlags run;
  DataFlags data;
  std::string model;
  std::string file;
  std::string weights;
  std::string overlap;
  double delta = 0.05;
  double delta_rho = 0.1;
};

Json machine_as_json(const MachineFacts& facts) {
  Json json = {{"rows", facts.rows},
               {"support_vectors", facts.support_vectors},
               {"free", facts.support_vectors - facts.bounded},
               {"bound", facts.bounded},
               {"offset", facts.offset},
               {"squared_norm", facts.squared_norm},
               {"margin", facts.squared_norm > 0 ? Json(1 / std::sqrt(facts.squared_norm)) : Json(nullptr)},
               {"slack", facts.slack},
               {"margin_errors", facts.margin_errors},
               {"primal", facts.primal},
               {"dual", facts.dual},
               {"kkt_gap", facts.kkt_gap}};
  if (facts.rho > 0) {
    json["rho"] = facts.rho;
    json["largest_nu"] = facts.largest_nu;
  }
  return json;
}

Json facts_as_json(const StoredModel& stored, const std::string& path) {
  const FittedModel& model = *stored.model;
  const FitReport& report = model.report();
  Json json;
  json["path"] = path;
  json["model"] = model.name();
  json["task"] = to_string(model.task());
  json["targets"] = headings(model);
  if (stored.preparation.embedding) {
    json["embedding"] = embedding_as_json(*stored.preparation.embedding);
  }
  if (!model.classes().empty()) {
    json["classes"] = model.classes();
  }
  if (model.has_kernel()) {
    json["kernel"] = model.kernel().spec();
    json["requested_kernel"] = model.head().requested_kernel;
  }
  json["options"] = Json::object();
  for (const OptionSetting& setting : model.head().settings) {
    json["options"][setting.name] = setting.value;
  }
  json["scaling"] = to_string(stored.preparation.scaling.rule);
  if (const PriorModel* prior = prior_model(stored.preparation)) {
    json["prior"] = prior->stored().model->name();
  }
  if (const DecisionRule& rule = model.head().decision; rule.is_given()) {
    json["decision"] = decision_as_json(rule, model.classes());
  }
  json["status"] = to_string(report.status);
  json["iterations"] = report.iterations;
  json["objective"] = {{"name", report.objective_name}, {"value", report.objective}};
  json["measures"] = Json::object();
  for (const FitReport::Measure& measure : report.measures) {
    json["measures"][measure.name] = measure.value;
  }
  json["fit_notes"] = report.note_texts();
  if (Json functions = functions_as_json(model); !functions.is_null()) {
    json["functions"] = std::move(functions);
  }
  if (const auto* machines = offered<ClassMachines>(model)) {
    const std::vector<std::string> names = model.decision_names();
    json["machine_facts"] = Json::object();
    for (std::size_t m = 0; m < names.size(); ++m) {
      json["machine_facts"][names[m]] = machine_as_json(machines->machine_facts()[m]);
    }
  }
  return json;
}

std::string machines_as_text(const FittedModel& model, const ClassMachines& machines) {
  std::vector<std::string> headings = {"machine", "rows",          "free",   "at bound", "|w|^2",  "margin 1/|w|",
                                       "slack",   "margin errors", "primal", "dual",     "KKT gap"};
  const bool nu =
      std::ranges::any_of(machines.machine_facts(), [](const MachineFacts& facts) { return facts.rho > 0; });
  if (nu) {
    headings.insert(headings.end(), {"rho", "largest nu"});
  }
  std::vector<Align> alignment(headings.size(), Align::right);
  alignment.front() = Align::left;
  TextTable table(std::move(headings), std::move(alignment));
  const std::vector<std::string> names = model.decision_names();
  for (std::size_t m = 0; m < names.size(); ++m) {
    const MachineFacts& facts = machines.machine_facts()[m];
    std::vector<std::string> cells = {
        names[m],
        readable(facts.rows, 12),
        readable(facts.support_vectors - facts.bounded, 12),
        readable(facts.bounded, 12),
        readable(facts.squared_norm),
        readable(facts.squared_norm > 0 ? 1 / std::sqrt(facts.squared_norm) : std::nan("")),
        readable(facts.slack),
        readable(facts.margin_errors, 12),
        readable(facts.primal),
        readable(facts.dual),
        readable(facts.kkt_gap, 3)};
    if (nu) {
      cells.insert(cells.end(), {readable(facts.rho), readable(facts.largest_nu)});
    }
    table.add(std::move(cells));
  }
  return "\n" + table.text("  ");
}

std::string facts_as_text(const StoredModel& stored, const std::string& path) {
  const FittedModel& model = *stored.model;
  const FitReport& report = model.report();
  std::string text = fmt::format("{}: {}, {}\n", path, model.name(), to_string(model.task()));
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<10}  {}\n", name, value);
  };
  if (predicts_targets(model.task())) {
    line("target", join(headings(model), ", "));
  }
  if (stored.preparation.embedding) {
    line("series", lag_list(*stored.preparation.embedding));
  }
  if (!model.classes().empty()) {
    line("classes", join(model.classes(), ", "));
  }
  if (model.has_kernel()) {
    const std::string kernel = model.kernel().spec();
    line("kernel", kernel);
    if (model.head().requested_kernel != kernel) {
      line("asked for", model.head().requested_kernel);
    }
  }
  std::vector<std::string> settings;
  for (const OptionSetting& setting : model.head().settings) {
    settings.push_back(setting.name + "=" + setting.value);
  }
  line("options", wrapped(join(settings, " "), 100, 14));
  line("scaling", to_string(stored.preparation.scaling.rule));
  if (const PriorModel* prior = prior_model(stored.preparation)) {
    line("added to", prior->stored().model->name());
  }
  if (const DecisionRule& rule = model.head().decision; rule.is_given()) {
    line("decides by", describe(rule, model.classes()));
  }
  line("status", fmt::format("{}{}{}", to_string(report.status),
                             report.iterations > 0 ? ", " + counted(report.iterations, "iteration") : "",
                             report.objective_name.empty()
                                 ? ""
                                 : fmt::format(", {} {}", report.objective_name, readable(report.objective, 6))));
  for (const FitReport::Measure& measure : report.measures) {
    text += fmt::format("  {}  {}\n", measure.name, readable(measure.value));
  }
  for (const std::string& note : report.notes) {
    line("note", note);
  }
  if (const auto* machines = offered<ClassMachines>(model)) {
    text += machines_as_text(model, *machines);
  }
  text += functions_as_text(model);
  return text;
}

Inspection inspect_file(const InspectFlags& flags, const StoredModel& stored, Session& session) {
  const Presence targets = predicts_targets(stored.model->task()) ? Presence::required : Presence::optional;
  NewData data = read_for_model(flags.file, flags.data, stored, targets, session, flags.weights);
  session.bound_memory();
  // Half of what there is may hold a kernel matrix; the rest is for the parts of it that the estimates copy.
  const double memory_mb = session.memory_mb() / 2;
  const TrainingData training{std::move(data.samples), data.targets ? *std::move(data.targets) : Targets(),
                              std::move(data.weights)};
  return session.timed("estimates", [&] {
    return naming_file(flags.file, [&] {
      return inspect_with_data(*stored.model, training,
                               {.delta = flags.delta, .delta_rho = flags.delta_rho, .memory_mb = memory_mb},
                               session.run());
    });
  });
}

void inspect(const InspectFlags& flags, Interruption& interruption) {
  if (!(flags.delta > 0 && flags.delta < 1)) {
    throw UsageError(fmt::format("--delta {}: must be between 0 and 1", flags.delta));
  }
  if (!(flags.delta_rho >= 0) || !std::isfinite(flags.delta_rho)) {
    throw UsageError(fmt::format("--delta-rho {}: must be 0 or more", flags.delta_rho));
  }
  FileRoles files;
  files.reads("the model", flags.model);
  files.reads_data(flags.file, flags.data);
  files.reads("the other model", flags.overlap);
  files.prints("what is found");
  files.check();
  Session session(flags.run, interruption);
  const StoredModel stored = session.timed("load", [&] { return load_model(flags.model, session.run()); });
  std::optional<Inspection> inspection;
  if (!flags.file.empty()) {
    inspection = inspect_file(flags, stored, session);
    session.console().clear();
  }
  std::optional<SupportOverlap> overlap;
  if (!flags.overlap.empty()) {
    const StoredModel other = session.timed("load", [&] { return load_model(flags.overlap, session.run()); });
    overlap = reading("--overlap " + flags.overlap, [&] { return support_overlap(*stored.model, *other.model); });
  }
  if (flags.run.json) {
    Json json = facts_as_json(stored, flags.model);
    if (overlap) {
      json["overlap"] = as_json(*overlap);
    }
    if (inspection) {
      json.update(as_json(*inspection));
    }
    json["seconds"] = session.phases_as_json();
    print_json(json);
    return;
  }
  std::string text = facts_as_text(stored, flags.model);
  if (overlap) {
    text += as_text(*overlap, flags.model, flags.overlap);
  }
  if (inspection) {
    text += as_text(*inspection);
  } else if (offered<ClassMachines>(*stored.model) != nullptr) {
    text += fmt::format("\nestimates of the test error need the training data: mercer inspect {} TRAIN\n", flags.model);
  }
  print(text);
}

}  // namespace

Action add_inspect(CLI::App& command) {
  const auto flags = std::make_shared<InspectFlags>();
  command.add_option("MODEL", flags->model, "the model file; - is standard input")->required();
  command.add_option(
      "TRAIN", flags->file,
      "the file that the model was fitted to: adds what can be said of its test error without refitting");
  command
      .add_option("--overlap", flags->overlap,
                  "another model that was fitted to the same rows: how many of its support vectors are this one's too")
      ->type_name("MODEL");
  command.add_option("--weights", flags->weights, "column of weights of the rows, as at the fit")->type_name("COL");
  command.add_option("--delta", flags->delta, "margin bounds hold with probability 1 - delta (default 0.05)")
      ->type_name("NUMBER");
  command
      .add_option("--delta-rho", flags->delta_rho,
                  "oneclass: a row that is left out counts where it is outside by more than this part of rho (default "
                  "0.1)")
      ->type_name("NUMBER");
  add_new_data_flags(command, flags->data);
  add_run_flags(command, flags->run);
  add_examples(command, {"mercer inspect m.mercer", "mercer inspect m.mercer train.csv",
                         "mercer inspect m.mercer train.csv --json"});
  return [flags](Interruption& interruption) { inspect(*flags, interruption); };
}

}  // namespace mercer::program
