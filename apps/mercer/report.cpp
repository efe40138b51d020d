#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>

#include "file_roles.h"
#include "machine.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/atomic_file.h"
#include "mercer/io/model_file.h"
#include "mercer/report/data_hash.h"
#include "mercer/report/make_report.h"
#include "mercer/report/report_page.h"
#include "mercer/report/sections/support_vectors.h"
#include "mercer/report/sections/tuning_section.h"
#include "model_input.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

struct ReportFlags {
  RunFlags run;
  DataFlags data;
  std::string model;
  std::string file;
  std::string training;
  std::string tuning;
  std::string axes;
  std::string output;
  bool learning = false;
  bool no_learning = false;
};

// models/m.mercer gives m.html, in the current folder.
std::string default_output(const std::string& model) {
  if (model == "-") {
    throw UsageError("the model comes from standard input, so the report needs a name: -o NAME.html");
  }
  return std::filesystem::path(model).stem().string() + ".html";
}

std::string time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

TrainingData training_of(const NewData& data) {
  return {
      .samples = data.samples, .targets = data.targets.value_or(Targets()), .weights = {}, .noise = {}, .groups = {}};
}

// The rows of the fit: those of --train, or the data itself where the model's own rows are found in it.
void add_training(const ReportFlags& flags, const StoredModel& stored, const NewData& data, Presence targets,
                  ReportInput& input, Session& session) {
  if (!flags.training.empty()) {
    const std::string hash = file_hash(flags.training);
    const NewData training = read_for_model(flags.training, flags.data, stored, targets, session);
    input.training = training_of(training);
    input.part = !hash.empty() && hash == input.data_hash ? DataPart::training : DataPart::test;
  } else if (match_training_rows(*stored.model, data.samples) == RowMatch::equal) {
    input.training = training_of(data);
    input.part = DataPart::training;
  }
}

TuneRecord read_search(const std::string& path, const FittedModel& model) {
  TuneRecord record = read_tune_log(path);
  const bool fits = std::ranges::any_of(model_registry(), [&](const ModelEntry* entry) {
    return entry->name == record.table.header.model && fitted_name(*entry) == model.name();
  });
  if (!fits) {
    throw DataError({path}, fmt::format("is the log of a search over {}, and the model is {}",
                                        record.table.header.model, model.name()));
  }
  return record;
}

void print_summary(const WrittenReport& written, const ReportFlags& flags, const StoredModel& stored, Index rows,
                   const Session& session) {
  const Destination destination = written.path == "-" ? Destination::standard_error : Destination::standard_output;
  if (flags.run.json) {
    print_json({{"report", written.path},
                {"model", stored.model->name()},
                {"data", flags.file},
                {"n", rows},
                {"bytes", written.bytes},
                {"warnings", written.warnings},
                {"seconds", session.phases_as_json()},
                {"peak_memory_mb", peak_memory_mb()}},
               destination);
    return;
  }
  if (flags.run.quiet) {
    return;
  }
  std::string text =
      fmt::format("report of {} ({}) on {}, {}\n", flags.model, stored.model->name(), flags.file, counted(rows, "row"));
  for (const std::string& warning : written.warnings) {
    text += "  warning  " + wrapped(warning, 100, 11) + "\n";
  }
  text += fmt::format("  time     {}\n  report   {}, {}\n", readable_seconds(session.total_seconds()),
                      written.path == "-" ? "written to standard output" : written.path,
                      readable_bytes(static_cast<double>(written.bytes)));
  tell(text, destination);
}

void report(const ReportFlags& flags, Interruption& interruption) {
  if (flags.learning && flags.no_learning) {
    throw UsageError("--learning and --no-learning exclude each other");
  }
  const std::string output = flags.output.empty() ? default_output(flags.model) : flags.output;
  FileRoles roles;
  roles.reads("the model", flags.model);
  roles.reads_data(flags.file, flags.data);
  roles.reads("the training data", flags.training);
  roles.reads("the log of the search", flags.tuning);
  roles.writes("the report", "-o", output, OutputContent::page);
  if (flags.run.json) {
    roles.prints("the summary");
  }
  roles.check();
  Session session(flags.run, interruption);
  const StoredModel stored = session.timed("load", [&] { return load_model(flags.model, session.run()); });
  const Presence targets = predicts_targets(stored.model->task()) ? Presence::required : Presence::optional;
  const NewData data = read_for_model(flags.file, flags.data, stored, targets, session);
  known_targets(data, *stored.model, flags.file);
  ReportInput input;
  input.stored = &stored;
  input.samples = data.samples;
  input.targets = data.targets;
  input.file = flags.file == "-" ? "standard input" : flags.file;
  input.data_hash = file_hash(flags.file);
  input.learning = flags.learning      ? LearningCurve::wanted
                   : flags.no_learning ? LearningCurve::left_out
                                       : LearningCurve::automatic;
  for (const std::string& axis : split(flags.axes, ',')) {
    if (!trim(axis).empty()) {
      input.axes.emplace_back(trim(axis));
    }
  }
  add_training(flags, stored, data, targets, input, session);
  session.bound_memory();
  ReportFiles files{.path = output, .model_path = flags.model, .tuning = flags.tuning};
  for (const FitReport::Phase& phase : stored.model->report().phases) {
    files.earlier.push_back({"fit: " + phase.name, phase.seconds});
  }
  const WrittenReport written = write_report(input, files, session);
  print_summary(written, flags, stored, data.samples.size(), session);
}

}  // namespace

WrittenReport write_report(const ReportInput& input, const ReportFiles& files, Session& session) {
  std::optional<TuneRecord> search;
  if (!files.tuning.empty()) {
    search = read_search(files.tuning, input.model());
  }
  Report report = naming_file(input.file, [&] {
    return input.axes.empty() ? make_report(input, session.run())
                              : reading("--axes", [&] { return make_report(input, session.run()); });
  });
  if (search) {
    report.tuning = tuning_section(*search);
    if (!search->is_complete) {
      report.warnings.emplace_back(
          "The search that its log is of has not ended: means are over the folds that are there.");
    }
  }
  std::vector<FitReport::Phase> phases = files.earlier;
  phases.insert(phases.end(), session.phases().begin(), session.phases().end());
  session.add_phases(report.cost.phases);
  phases.insert(phases.end(), report.cost.phases.begin(), report.cost.phases.end());
  report.cost.phases = std::move(phases);
  report.cost.seconds = session.total_seconds();
  if (peak_memory_mb() > 0) {
    report.cost.peak_memory_mb = peak_memory_mb();
  }
  std::error_code error;
  if (std::filesystem::is_regular_file(files.model_path, error)) {
    report.cost.model_bytes = static_cast<Index>(std::filesystem::file_size(files.model_path));
    report.provenance.model_hash = file_hash(files.model_path);
  }
  report.provenance.command = command_text();
  report.provenance.created = time_now();
  const std::string page = report_page(report);
  session.timed("write", [&] {
    session.write(files.path, [&] {
      AtomicFile file(files.path);
      file.write(page);
      file.commit();
    });
  });
  return {files.path, static_cast<Index>(page.size()), report.warnings};
}

Action add_report(CLI::App& command) {
  const auto flags = std::make_shared<ReportFlags>();
  command.add_option("MODEL", flags->model, "the model file; - is standard input")->required();
  command
      .add_option("DATA", flags->file, "data, with known targets where the model predicts them; - is standard input")
      ->required();
  command
      .add_option("--train", flags->training,
                  "the file that the model was fitted to: for influential rows, learning curves and a linear baseline "
                  "(found out where it is DATA itself)")
      ->type_name("FILE");
  command.add_option("--tuning", flags->tuning, "the log of 'mercer tune', for its surface")->type_name("FILE");
  command
      .add_option(
          "--axes", flags->axes,
          "two columns for the decision regions or the density, by name or number; others are held at their medians "
          "(default: both of two columns, or a plane of the feature space)")
      ->type_name("A,B");
  command.add_flag("--learning", flags->learning,
                   "a learning curve whatever it takes (default: up to 2000 rows and half a minute)");
  command.add_flag("--no-learning", flags->no_learning, "no learning curve");
  command
      .add_option("-o,--output", flags->output,
                  "the page (default: the model's name with .html, in the current folder); - is standard output")
      ->type_name("FILE");
  add_new_data_flags(command, flags->data);
  add_run_flags(command, flags->run);
  add_examples(command, {"mercer report m.mercer test.csv -o report.html",
                         "mercer report m.mercer test.csv --train train.csv --axes age,bmi",
                         "mercer report m.mercer test.csv --tuning m.tune.jsonl", "",
                         "The page needs no network and no other file: open it in a browser, print it, send it."});
  return [flags](Interruption& interruption) { report(*flags, interruption); };
}

}  // namespace mercer::program
