#include "tune.h"

#include <fmt/format.h>

#include <filesystem>

#include "fold_flags.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/io/model_file.h"
#include "mercer/select/search/tune.h"
#include "model_input.h"
#include "session.h"
#include "training_file.h"
#include "tune_output.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

struct TuneFlags : TrainingFlags {
  bool scale_within_folds = false;
  FoldFlags folds;
  std::string search = "auto";
  Index grid = 0;
  Index points = 0;
  std::string metric;
  std::string choose = "best";
  Index nested = 0;
  std::string log;
  std::string resume;
};

struct Plan : TrainingPlan {
  TuneOptions options;
  std::string output;
};

// The log stands beside the model: m.mercer and m.tune.jsonl.
std::string log_name(const TuneFlags& flags, const std::string& output) {
  if (!flags.resume.empty() && !flags.log.empty() && flags.resume != flags.log) {
    throw UsageError("--resume goes on with the log that it names: leave --log away");
  }
  if (!flags.resume.empty() || !flags.log.empty()) {
    return flags.resume.empty() ? flags.log : flags.resume;
  }
  if (output == "-" && flags.file == "-") {
    throw UsageError("data and model go through standard input and output, so the log needs a name: --log FILE");
  }
  std::filesystem::path path = output == "-" ? default_model_name(flags.file) : output;
  path.replace_extension(".tune.jsonl");
  return path.string();
}

Plan make_plan(const TuneFlags& flags) {
  Plan plan{plan_training(flags), {}, {}};
  const ModelEntry& entry = *plan.entry;
  if (!is_scored(entry.task)) {
    throw UsageError(fmt::format("{} finds {}, which nothing says to be right or wrong: tune the model that uses them",
                                 entry.name, to_string(entry.task)));
  }
  TuneOptions& options = plan.options;
  options.folds = fold_plan(flags.folds, entry, plan.delays ? SampleOrder::kept : SampleOrder::shuffled);
  options.search.kind = reading("--search", [&] { return parse_search_kind(flags.search); });
  options.search.grid = flags.grid;
  options.search.points = flags.points;
  // Mistakes in ranges are said before a large file is read.
  reading("", [&] {
    return options.search.resolved(
        make_search_space(entry, plan.kernel, plan.settings, {.per_row = !flags.tube.empty()}));
  });
  if (!flags.metric.empty()) {
    reading("--metric", [&] { return find_fold_metric(flags.metric, entry); });
  }
  options.metric = flags.metric;
  options.choice = reading("", [&] { return parse_choice(flags.choose); });
  options.scaling = plan.scaling;
  options.choices = TuneChoices::usual;
  options.scale_fit = flags.scale_within_folds ? ScaleFit::within_folds : ScaleFit::once;
  options.nested = flags.nested;
  plan.output = model_output(flags);
  options.log = log_name(flags, plan.output);
  options.log_start = flags.resume.empty() ? LogStart::continue_or_set_aside : LogStart::must_continue;
  FileRoles files = training_files(flags);
  files.writes_model(plan.output, flags.replacing);
  files.writes("the log", flags.resume.empty() ? "--log" : "--resume", options.log, OutputContent::log);
  if (flags.run.json) {
    files.prints("the summary");
  }
  files.check();
  return plan;
}

struct Result {
  TuneResult tuning;
  StoredModel stored;
  Index rows = 0;
  Index columns = 0;
};

DataFile read_file(const TuneFlags& flags, Plan& plan, Session& session) {
  ReadOptions options = flags.read_options(plan);
  options.groups = flags.folds.groups;
  DataFile data = session.read(flags.file, options);
  require_groups(flags.folds, data, flags.file);
  embed_rows_of(plan, flags, data, session);
  leave_to_prior(plan, flags, data);
  require_usable(data, flags, *plan.entry);
  tell_about_targets(data, *plan.entry, session.console());
  if (plan.entry->task == Task::novelty && !data.targets) {
    throw UsageError(
        fmt::format("{}: {} is tuned by how well it tells normal rows from others: name the column that "
                    "says which is which with --target (the larger of its two labels is the normal one)",
                    flags.file, plan.entry->name));
  }
  return data;
}

// The search can be gone on with whenever it ends: the user is told where it is kept when it begins, for a program that
// is killed says nothing.
void tell_about(const TuneLog& log, const std::string& path, Console& console) {
  if (!log.set_aside().empty()) {
    console.note(fmt::format("{} held another search and is now {}", path, log.set_aside()));
  }
  if (log.units_found() > 0) {
    console.note(fmt::format("going on with the search in {}: {} done before", path,
                             counted(log.units_found(), "unit of work", "units of work")));
  } else {
    console.note(fmt::format("the search is kept in {}: if it is interrupted, the same command goes on from it", path));
  }
}

TuneResult search(const Plan& plan, const TuneData& data, const std::string& file, Session& session) {
  TuneOptions options = plan.options;
  options.started = [&](const TuneLog& log) { tell_about(log, options.log, session.console()); };
  try {
    return session.timed("search", [&] {
      return naming_file(file,
                         [&] { return tune(*plan.entry, plan.kernel, plan.settings, data, options, session.run()); });
    });
  } catch (const Stopped&) {
    session.console().note(fmt::format("what is done is in {}: the same command goes on from there", options.log));
    throw;
  }
}

Result tune_model(const TuneFlags& flags, Plan plan, Session& session) {
  load_prior(plan, flags, session);
  DataFile file = read_file(flags, plan, session);
  know_columns(plan, flags, file);
  Result result{};
  result.rows = file.samples.size();
  result.columns = input_columns(file.schema);
  SchemaCoding coded = naming_file(flags.file, [&] {
    return fit_coding(coding_of(plan.coding, file.format), file.schema, {file.samples, file.weights});
  });
  Preparation preparation{.schema = std::move(coded.schema),
                          .coding = std::move(coded.coding),
                          .precision = flags.data.stored_precision(),
                          .embedding = plan.embedding,
                          .prior = plan.prior};
  add_empty_columns(preparation.coding, file);
  Samples prepared = preparation.coded(file.samples, session.run());
  require_kernel(flags, plan, file.samples, prepared);
  file.samples = std::move(prepared);
  session.bound_memory();
  TuneData data{{std::move(file.samples), file.targets ? *std::move(file.targets) : Targets(), std::move(file.weights),
                 std::move(file.noise), plan.entry->takes_groups ? file.groups.codes : std::vector<std::int32_t>()},
                std::move(file.groups.codes)};
  result.tuning = search(plan, data, flags.file, session);
  preparation.scaling = result.tuning.scaling;
  data.data.samples =
      session.timed("scale", [&] { return preparation.scaling.apply(data.data.samples, session.run()); });
  result.stored = session.timed("fit", [&] {
    return naming_file(flags.file, [&] {
      return fit_stored_model(*plan.entry, result.tuning.kernel, result.tuning.settings, data.data,
                              std::move(preparation), session.run());
    });
  });
  return result;
}

Json as_json(const Result& result, const Plan& plan, const Session& session) {
  Json settings = Json::object();
  for (const OptionSetting& setting : result.stored.model->head().settings) {
    settings[setting.name] = setting.value;
  }
  Json json;
  json["model"] = plan.entry->name;
  json["task"] = to_string(plan.entry->task);
  if (plan.kernel) {
    json["kernel"] = result.stored.model->kernel().spec();
    json["searched_kernel"] = result.tuning.table.header.kernel;
  }
  json["options"] = std::move(settings);
  json["scaling"] = to_string(result.stored.preparation.scaling.rule);
  json["scaled"] = result.tuning.table.header.scaled;
  json["n"] = result.rows;
  json["d"] = result.columns;
  json.update(tuning_as_json(result.tuning, plan.options.choice));
  json["status"] = to_string(result.stored.model->report().status);
  json["seconds"] = session.phases_as_json();
  json["threads"] = session.run().threads();
  json["seed"] = session.run().seed();
  json["log"] = plan.options.log;
  json["path"] = plan.output;
  json["notes"] = tuning_notes(result.tuning);
  return json;
}

std::string as_text(const Result& result, const Plan& plan, const Session& session) {
  std::string text = tuning_as_text(result.tuning, plan.options.choice);
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<10}  {}\n", name, value);
  };
  if (const Preparation& preparation = result.stored.preparation; preparation.coding.is_fitted) {
    line("columns", describe(preparation.schema, preparation.coding));
  }
  line("scaling", fmt::format("{}, fitted {}", to_string(result.stored.preparation.scaling.rule),
                              result.tuning.table.header.scaled == "once" ? "once on all rows" : "within every fold"));
  line("fit", fmt::format("{} on all rows, {}", plan.kernel ? result.stored.model->kernel().spec() : plan.entry->name,
                          to_string(result.stored.model->report().status)));
  line("time", readable_seconds(session.total_seconds()));
  line("log", plan.options.log);
  line("model", plan.output == "-" ? "written to standard output" : plan.output);
  return text;
}

void run_tune(const TuneFlags& flags, Interruption& interruption) {
  const Plan plan = make_plan(flags);
  Session session(flags.run, interruption);
  const Result result = tune_model(flags, plan, session);
  session.timed("write", [&] { session.write(plan.output, [&] { save_model(plan.output, result.stored); }); });
  const Destination destination = plan.output == "-" ? Destination::standard_error : Destination::standard_output;
  if (flags.run.json) {
    print_json(as_json(result, plan, session), destination);
  } else if (!flags.run.quiet) {
    tell(as_text(result, plan, session), destination);
  }
}

void add_repeating_flags(CLI::App& command, TuneFlags& flags) {
  const std::string group = "Folds";
  command.add_option("--repeats", flags.folds.repeats, "repeat with other random folds (default 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->group(group);
  command
      .add_option("--nested", flags.nested,
                  "also estimate the error on new rows: repeat the whole search inside K outer folds")
      ->type_name("K")
      ->check(CLI::Range(2, 1000))
      ->group(group);
}

void add_search_flags(CLI::App& command, TuneFlags& flags) {
  const std::string group = "Searching";
  command
      .add_option("--search", flags.search,
                  "grid, random, halving or bayes (default: grid for one or two ranges, bayes beyond)")
      ->type_name("NAME")
      ->group(group);
  command.add_option("--grid", flags.grid, "points per range of the grid (default 10; 5 for three ranges)")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->group(group);
  command
      .add_option("--points", flags.points,
                  "points of random (default 60), halving (81) and bayes (20 and 15 more per range)")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->group(group);
  command
      .add_option("--metric", flags.metric,
                  "accuracy, balanced-accuracy, f1, auc, log-loss, brier; rmse, mae, r2, nlpd (default: accuracy, "
                  "balanced where the rarest class has under 20 % of the rows; rmse)")
      ->type_name("NAME")
      ->group(group);
  command
      .add_option("--choose", flags.choose,
                  "best, or 1se: the simplest point within one standard error of the best (default best)")
      ->type_name("RULE")
      ->group(group);
  command.add_option("--log", flags.log, "log of the search (default: the model's name with .tune.jsonl)")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--resume", flags.resume, "go on with this log; it must be of the same search")
      ->type_name("LOG")
      ->group(group);
}

}  // namespace

Action add_tune(CLI::App& command) {
  const auto flags = std::make_shared<TuneFlags>();
  command.add_option("MODEL", flags->model, "the model's name, see 'mercer models'")->required();
  command.add_option("DATA", flags->file, "training data, as for 'mercer fit'; - is standard input")->required();
  command
      .add_option("-k,--kernel", flags->kernel,
                  "the kernel, with ranges as in \"rbf(gamma=2^-15..2^3)\" (default: the model's); widths that are "
                  "words are searched, gamma=scale! keeps one")
      ->type_name("SPEC");
  command
      .add_option("-s,--set", flags->settings,
                  "an option of the model: a value, a range C=2^-5..2^15 or a list C=1|10|100")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      .add_option(
          "--scale", flags->scale,
          "none, standard, deviation, maxabs, robust or minmax:-1,1 (default: chosen by a few points each among "
          "standard, none, minmax and robust, of sparse data maxabs and none)")
      ->type_name("RULE");
  command.add_flag("--scale-within-folds", flags->scale_within_folds,
                   "fit the scaling on the training rows of every fold, not once on all rows (slower)");
  command.add_option("--weights", flags->weights, "column of weights of the rows")->type_name("COL");
  command.add_option("--noise", flags->noise, "column of known noise variances of the targets")->type_name("COL");
  add_prior_flag(command, *flags);
  add_tube_flag(command, *flags);
  command
      .add_option("-o,--output", flags->output,
                  "the model, fitted to all rows with the chosen values (default: the data's name with .mercer)")
      ->type_name("FILE");
  add_embed_flag(command, *flags);
  add_force_flag(command, flags->replacing);
  add_fold_flags(command, flags->folds);
  add_repeating_flags(command, *flags);
  add_search_flags(command, *flags);
  add_data_flags(command, flags->data);
  add_run_flags(command, flags->run);
  add_examples(
      command,
      {"mercer tune svc train.csv --target label               C and gamma, 10 x 10 points, 5 folds",
       "mercer tune svc train.csv -t label -k \"rbf(gamma=2^-9..2)\" -s C=1..1000 --grid 5",
       "mercer tune svr train.csv -t price --search bayes --points 40 --metric mae",
       "mercer tune svc train.csv -t label --groups patient --choose 1se --nested 5",
       "mercer tune ridge train.csv -t price --time-order --resume train.tune.jsonl", "",
       "What is not set is searched over its default range, and where nothing is left to search the model is scored by",
       "folds and fitted. The model is written with the chosen values; the",
       "log holds every point on every fold ('mercer report --tuning LOG' draws it)."});
  return [flags](Interruption& interruption) { run_tune(*flags, interruption); };
}

}  // namespace mercer::program
