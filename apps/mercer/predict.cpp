#include "predict.h"

#include <fmt/format.h>

#include "mercer/base/error.h"
#include "mercer/data/write_data.h"
#include "mercer/io/model_file.h"
#include "session.h"
#include "stored_samples.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

struct PredictFlags {
  RunFlags run;
  DataFlags data;
  std::string model;
  std::string file;
  std::string output = "-";
  bool decision = false;
  bool probabilities = false;
  bool deviations = false;
};

void require_supported(const PredictFlags& flags, const FittedModel& model) {
  const auto refuse = [&](const char* flag, const char* what) {
    throw UsageError(
        fmt::format("{}: {} is a model of {} and has no {}", flag, model.name(), to_string(model.task()), what));
  };
  if (flags.decision) {
    refuse("--decision", "decision values; its predictions are the values themselves");
  }
  if (flags.probabilities) {
    refuse("--proba", "class probabilities");
  }
  if (flags.deviations) {
    refuse("--std", "predictive standard deviations");
  }
}

void predict(const PredictFlags& flags, Interruption& interruption) {
  if (flags.model == "-" && flags.file == "-") {
    throw UsageError("the model and the data cannot both come from standard input");
  }
  require_writable(flags.output);
  Session session(flags.run, interruption);
  const StoredModel stored = session.timed("load", [&] { return load_model(flags.model, session.run()); });
  require_supported(flags, *stored.model);
  const NewData data = read_for_model(flags.file, flags.data, stored, Presence::optional, session);
  session.bound_memory();
  const Matrix<double> values = session.timed("predict", [&] {
    return naming_file(flags.file, [&] { return stored.model->predict(data.samples, session.run()); });
  });
  session.timed("write", [&] {
    session.write(flags.output, [&] { write_csv(flags.output, values.view(), headings(*stored.model)); });
  });
  if (flags.output == "-") {
    return;
  }
  if (flags.run.json) {
    print_json({{"model", flags.model},
                {"data", flags.file},
                {"n", values.rows()},
                {"columns", headings(*stored.model)},
                {"path", flags.output},
                {"seconds", session.phases_as_json()}});
  } else {
    session.console().note(fmt::format("{} for {} in {}: {}", counted(values.columns(), "prediction"),
                                       counted(values.rows(), "row"), readable_seconds(session.total_seconds()),
                                       flags.output));
  }
}

}  // namespace

Action add_predict(CLI::App& command) {
  const auto flags = std::make_shared<PredictFlags>();
  command.add_option("MODEL", flags->model, "the model file; - is standard input")->required();
  command
      .add_option("DATA", flags->file,
                  "new data, with the columns of the training data in any order; - is standard input")
      ->required();
  command.add_option("-o,--output", flags->output, "CSV file of predictions (default: standard output)")
      ->type_name("FILE");
  command.add_flag("--decision", flags->decision, "decision values, where the model has them");
  command.add_flag("--proba", flags->probabilities, "class probabilities, where the model has them");
  command.add_flag("--std", flags->deviations, "standard deviations, where the model has them");
  add_new_data_flags(command, flags->data);
  add_run_flags(command, flags->run);
  add_examples(command, {"mercer predict m.mercer new.csv -o out.csv", "mercer predict m.mercer new.csv | head",
                         "zcat new.csv.gz | mercer predict m.mercer - -o out.csv"});
  return [flags](Interruption& interruption) { predict(*flags, interruption); };
}

}  // namespace mercer::program
