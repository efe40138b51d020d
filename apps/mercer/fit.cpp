#include "fit.h"

#include <fmt/format.h>

#include "fit_decision.h"
#include "machine.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/io/model_file.h"
#include "mercer/models/prior.h"
#include "mercer/report/data_hash.h"
#include "model_input.h"
#include "report.h"
#include "session.h"
#include "support_rows.h"
#include "training_file.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

struct FitFlags : TrainingFlags {
  std::string report;
  std::string rows_of;
  FitDecisionFlags decisions;
};

struct Plan : TrainingPlan {
  std::string output;
};

// Groups that a fit would pass over are a mistake, as are other columns that are asked for in vain.
void require_groups_are_used(const FitFlags& flags, const Plan& plan) {
  if (flags.decisions.folds.groups.empty() || flags.decisions.any()) {
    return;
  }
  const ModelEntry& entry = *plan.entry;
  if (!entry.takes_groups) {
    throw UsageError(fmt::format(
        "--groups: a fit of {} makes no use of groups of rows. Models that do: svc and nusvc with --set slack=group. "
        "'mercer tune' and 'mercer score' keep the rows of a group in one fold, of any model, and so does a threshold "
        "that --costs, --priors or --false-positive-rate ask for",
        entry.name));
  }
  if (!reading("", [&] { return entry.takes_groups(plan.settings); })) {
    throw UsageError(fmt::format(
        "--groups: a fit of {} makes use of groups of rows with --set slack=group alone, where each has one slack",
        entry.name));
  }
}

Plan make_plan(const FitFlags& flags) {
  Plan plan{plan_training_at_values(flags), model_output(flags)};
  check(flags.decisions, *plan.entry);
  require_groups_are_used(flags, plan);
  FileRoles files = training_files(flags);
  files.reads("the model whose support vectors are the rows", flags.rows_of);
  flags.decisions.read_by(files);
  files.writes_model(plan.output, flags.replacing);
  files.writes("the report", "--report", flags.report, OutputContent::page);
  if (flags.run.json) {
    files.prints("the summary");
  }
  files.check();
  return plan;
}

struct Result {
  StoredModel stored;
  Index rows = 0;
  Index columns = 0;
  std::vector<std::string> outputs = {};
  TrainingData training = {};  // what the model was fitted to, scaled
};

Json as_json(const Coding& coding, const Schema& schema) {
  Json missing = Json::object();
  for (std::size_t j = 0; j < coding.numbers.size(); ++j) {
    if (coding.numbers[j].missing > 0) {
      missing[schema.columns.empty() ? std::to_string(j) : schema.columns[j].name] = coding.numbers[j].missing;
    }
  }
  Json categories = Json::array();
  for (const CategoryCoding& category : coding.categories) {
    categories.push_back(category.column);
    if (category.missing > 0) {
      missing[category.column] = category.missing;
    }
  }
  Json left_out = Json::object();
  for (const LeftOutColumn& column : coding.left_out) {
    left_out[column.column] = to_string(column.reason);
  }
  return {{"missing", to_string(coding.missing)}, {"numbers", schema.numeric_columns},
          {"categories", std::move(categories)},  {"indicators", coding.indicators()},
          {"missing_values", std::move(missing)}, {"left_out", std::move(left_out)}};
}

Json as_json(const Result& result, const Plan& plan, const std::string& report_path, const Session& session) {
  const FitReport& report = result.stored.model->report();
  Json settings = Json::object();
  for (const OptionSetting& setting : result.stored.model->head().settings) {
    settings[setting.name] = setting.value;
  }
  Json json;
  json["model"] = plan.entry->name;
  json["task"] = to_string(result.stored.model->task());
  if (plan.kernel) {
    json["kernel"] = result.stored.model->kernel().spec();
    json["requested_kernel"] = plan.kernel->spec();
  }
  json["options"] = std::move(settings);
  json["scaling"] = to_string(result.stored.preparation.scaling.rule);
  if (const Coding& coding = result.stored.preparation.coding; coding.is_fitted) {
    json["coding"] = as_json(coding, result.stored.preparation.schema);
  }
  if (plan.embedding) {
    json["embedding"] = embedding_as_json(*plan.embedding);
  }
  json["n"] = result.rows;
  json["d"] = result.columns;
  json["targets"] = result.outputs;
  json["outputs"] = result.outputs.size();
  if (plan.entry->task == Task::classification) {
    json["classes"] = result.stored.model->classes();
  }
  if (const DecisionRule& rule = result.stored.model->head().decision; rule.is_given()) {
    json["decision"] = decision_as_json(rule, result.stored.model->classes());
  }
  json["status"] = to_string(report.status);
  json["iterations"] = report.iterations;
  json["objective"] = {{"name", report.objective_name}, {"value", report.objective}};
  for (const FitReport::Measure& measure : report.measures) {
    json["measures"][measure.name] = measure.value;
  }
  json["seconds"] = session.phases_as_json();
  json["peak_memory_mb"] = peak_memory_mb();
  json["threads"] = session.run().threads();
  json["seed"] = session.run().seed();
  json["path"] = plan.output;
  if (const auto* prior = dynamic_cast<const PriorModel*>(plan.prior.get())) {
    json["prior"] = prior->stored().model->name();
  }
  if (!report_path.empty()) {
    json["report"] = report_path;
  }
  json["notes"] = report.note_texts();
  return json;
}

// Those that are not as the table of options has them.
std::vector<std::string> notable_settings(std::span<const OptionSetting> settings, const ModelEntry& entry) {
  std::vector<std::string> texts;
  for (const OptionSetting& setting : settings) {
    const bool usual = std::any_of(entry.options.begin(), entry.options.end(), [&](const OptionDescription& option) {
      return option.name == setting.name && option.default_value == setting.value;
    });
    if (!usual) {
      texts.push_back(setting.name + "=" + setting.value);
    }
  }
  return texts;
}

std::string class_list(const std::vector<std::string>& classes) {
  constexpr std::size_t shown = 12;
  const std::vector<std::string> first(classes.begin(),
                                       classes.begin() + static_cast<std::ptrdiff_t>(std::min(shown, classes.size())));
  return fmt::format("{} ({}{})", classes.size(), join(first, ", "), classes.size() > shown ? ", ..." : "");
}

std::string as_text(const Result& result, const Plan& plan, const std::string& report_path, const Session& session) {
  const FitReport& report = result.stored.model->report();
  std::string text =
      fmt::format("{} fitted to {}, {}, {}\n", plan.entry->name, counted(result.rows, "row"),
                  counted(result.columns, "column"), counted(static_cast<Index>(result.outputs.size()), "output"));
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<10}  {}\n", name, value);
  };
  if (predicts_targets(plan.entry->task)) {
    line("target", join(result.outputs, ", "));
  }
  if (plan.embedding) {
    line("series", lag_list(*plan.embedding));
  }
  if (plan.entry->task == Task::classification) {
    line("classes", class_list(result.stored.model->classes()));
  }
  if (const DecisionRule& rule = result.stored.model->head().decision; rule.is_given()) {
    line("decides by", describe(rule, result.stored.model->classes()));
  }
  if (plan.kernel) {
    line("kernel", result.stored.model->kernel().spec());
  }
  // The model may be stored as one of another kind (mklsvc as svc), whose options these are.
  const std::vector<std::string> settings =
      notable_settings(result.stored.model->head().settings, find_model(result.stored.model->name()));
  if (!settings.empty()) {
    line("options", join(settings, " "));
  }
  const Preparation& preparation = result.stored.preparation;
  if (const auto* prior = dynamic_cast<const PriorModel*>(preparation.prior.get())) {
    line("added to", prior->stored().model->name());
  }
  if (preparation.coding.is_fitted) {
    line("columns", describe(preparation.schema, preparation.coding));
  }
  line("scaling", to_string(preparation.scaling.rule));
  std::string status(to_string(report.status));
  if (report.iterations > 0) {
    status += ", " + counted(report.iterations, "iteration");
  }
  if (!report.objective_name.empty()) {
    status += fmt::format(", {} {}", report.objective_name, readable(report.objective, 4));
  }
  line("status", status);
  for (const FitReport::Measure& measure : report.measures) {
    text += fmt::format("  {}  {}\n", measure.name, readable(measure.value));
  }
  std::vector<std::string> phases;
  for (const FitReport::Phase& phase : session.phases()) {
    if (phase.seconds >= 0.0005) {
      phases.push_back(fmt::format("{} {}", phase.name, readable_seconds(phase.seconds)));
    }
  }
  line("time", readable_seconds(session.total_seconds()) + (phases.empty() ? "" : " (" + join(phases, ", ") + ")"));
  line("memory", fmt::format("{} at most", readable_bytes(peak_memory_mb() * 1024 * 1024)));
  for (const std::string& note : report.notes) {
    line("note", note);
  }
  line("model", plan.output == "-" ? "written to standard output" : plan.output);
  if (!report_path.empty()) {
    line("report", report_path == "-" ? "written to standard output" : report_path);
  }
  return text;
}

Result fit_model(const FitFlags& flags, Plan& plan, Session& session) {
  load_prior(plan, flags, session);
  ReadOptions options = flags.read_options(plan);
  options.groups = flags.decisions.folds.groups;
  DataFile data = session.read(flags.file, options);
  require_groups(flags.decisions.folds, data, flags.file);
  embed_rows_of(plan, flags, data, session);
  if (!flags.rows_of.empty()) {
    keep_support_rows(data, flags.rows_of, flags.file, session);
  }
  leave_to_prior(plan, flags, data);
  require_usable(data, flags, *plan.entry);
  tell_about_targets(data, *plan.entry, session.console());
  know_columns(plan, flags, data);
  Result result;
  result.rows = data.samples.size();
  result.columns = input_columns(data.schema);
  std::optional<DecisionRows> rows;
  if (flags.decisions.any()) {
    rows = DecisionRows{counted_rows(data, *plan.entry, "fit"), data.schema, coding_of(plan.coding, data.format)};
  }
  PreparedTraining prepared = prepare_training(flags, plan, std::move(data), session);
  session.bound_memory();
  result.training = std::move(prepared.training);
  result.stored = naming_file(flags.file, [&] {
    return fit_stored_model(*plan.entry, plan.kernel, plan.settings, result.training, std::move(prepared.preparation),
                            session.run());
  });
  if (rows) {
    naming_file(flags.file, [&] { decide_by_folds(flags.decisions, plan, *rows, result.stored, session); });
  }
  session.console().clear();
  session.add_phases(result.stored.model->report().phases);
  result.outputs = headings(*result.stored.model);
  return result;
}

// The page about the training rows themselves: with its warning that they are.
void write_fit_report(const FitFlags& flags, const Plan& plan, const Result& result, Session& session) {
  ReportInput input;
  input.stored = &result.stored;
  input.samples = result.training.samples;
  if (result.training.targets.outputs() > 0) {
    input.targets = result.training.targets;
  }
  input.training = result.training;
  input.part = DataPart::training;
  input.file = flags.file == "-" ? "standard input" : flags.file;
  input.data_hash = file_hash(flags.file);
  write_report(input, {.path = flags.report, .model_path = plan.output}, session);
}

void fit(const FitFlags& flags, Interruption& interruption) {
  Plan plan = make_plan(flags);
  Session session(flags.run, interruption);
  const Result result = fit_model(flags, plan, session);
  session.timed("write", [&] { session.write(plan.output, [&] { save_model(plan.output, result.stored); }); });
  if (!flags.report.empty()) {
    write_fit_report(flags, plan, result, session);
  }
  const Destination destination =
      plan.output == "-" || flags.report == "-" ? Destination::standard_error : Destination::standard_output;
  if (flags.run.json) {
    print_json(as_json(result, plan, flags.report, session), destination);
  } else if (!flags.run.quiet) {
    tell(as_text(result, plan, flags.report, session), destination);
  }
}

}  // namespace

Action add_fit(CLI::App& command) {
  const auto flags = std::make_shared<FitFlags>();
  command.add_option("MODEL", flags->model, "the model's name, see 'mercer models'")->required();
  command
      .add_option(
          "DATA", flags->file,
          "training data: CSV, LIBSVM, .npy, idx, FASTA or JSON lines, may be compressed; a folder of texts or graphs; "
          "- is standard input")
      ->required();
  command.add_option("-k,--kernel", flags->kernel, "the kernel, see 'mercer kernels' (default: the model's)")
      ->type_name("SPEC");
  command.add_option("-s,--set", flags->settings, "an option of the model, see 'mercer models MODEL'")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      .add_option(
          "--scale", flags->scale,
          "none, standard, deviation, maxabs, robust or minmax:-1,1 (default: standard for dense data, maxabs for "
          "sparse, none for densities). The model keeps it and repeats it at prediction")
      ->type_name("RULE");
  command.add_option("--weights", flags->weights, "column of weights of the rows")->type_name("COL");
  command
      .add_option("--noise", flags->noise,
                  "column of known noise variances of the targets, for models that use them (gp)")
      ->type_name("COL");
  add_prior_flag(command, *flags);
  add_tube_flag(command, *flags);
  command
      .add_option("--rows-of", flags->rows_of,
                  "a model that was fitted to the same file: fit to its support vectors alone, as if the file held no "
                  "other rows")
      ->type_name("MODEL");
  command
      .add_option("-o,--output", flags->output,
                  "the model file (default: the data's name with .mercer, in the current folder); - is standard "
                  "output")
      ->type_name("FILE");
  command
      .add_option("--report", flags->report,
                  "also write a page about the model on its training data, see 'mercer report'; - is standard output")
      ->type_name("FILE");
  add_fit_decision_flags(command, flags->decisions);
  add_embed_flag(command, *flags);
  add_force_flag(command, flags->replacing);
  add_data_flags(command, flags->data);
  add_run_flags(command, flags->run);
  add_examples(command,
               {"mercer fit svc train.csv --target label --kernel \"rbf(gamma=scale)\" --set C=10 -o m.mercer",
                "mercer fit ridge train.csv --target price --kernel \"rbf(gamma=scale)\" --set lambda=0.1 -o m.mercer",
                "mercer fit ridge train.csv -t price -k \"matern(nu=1.5)[age, bmi] + linear()\" --json",
                "mercer fit ridge data.svm                    LIBSVM text: the label is the target",
                "mercer fit ridge data.npy --target -1        the last column is the target",
                "mercer fit svr series.csv --target y --embed 12,1      y by its last 12 values",
                "mercer fit ridge train-images.gz --targets-file train-labels.gz",
                "mercer fit svc train.csv -t label --costs \"ill:well=20\"     decisions by what mistakes cost",
                "mercer fit svc train.csv -t label --false-positive-rate 0.01 --positive ill",
                "zcat train.csv.gz | mercer fit ridge - -t price -o m.mercer"});
  return [flags](Interruption& interruption) { fit(*flags, interruption); };
}

}  // namespace mercer::program
