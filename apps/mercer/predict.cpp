#include "predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>

#include "decision_flags.h"
#include "distribution_columns.h"
#include "file_roles.h"
#include "json_table.h"
#include "mercer/base/error.h"
#include "mercer/data/files/csv_writer.h"
#include "mercer/io/model_file.h"
#include "mercer/models/density/density_units.h"
#include "mercer/models/series_forecast.h"
#include "mercer/models/svm/support_machine.h"
#include "model_input.h"
#include "session.h"
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
  bool reconstruction = false;
  std::optional<Index> forecast;
  bool tube = false;
  DistributionFlags distribution;
  DecisionFlags decisions;
};

void require_supported(const PredictFlags& flags, const FittedModel& model) {
  const auto refuse = [&](const char* flag, const std::string& what) {
    throw UsageError(
        fmt::format("{}: {} is a model of {} and has no {}", flag, model.name(), to_string(model.task()), what));
  };
  if (flags.distribution.any() && (flags.decision || flags.probabilities)) {
    throw UsageError("--std, --interval, --quantiles and --samples do not go with --decision and --proba");
  }
  if (flags.reconstruction && (flags.decision || flags.probabilities || flags.distribution.any())) {
    throw UsageError("--reconstruct writes samples, not predictions: it goes with none of the flags for these");
  }
  if (flags.reconstruction && !model.has_reconstruction()) {
    refuse("--reconstruct", "way back from features to numeric columns");
  }
  if (flags.decision && model.decision_names().empty()) {
    refuse("--decision", model.has_probabilities() ? "decision values; it decides by its probabilities (--proba)"
                                                   : "decision values; its predictions are the values themselves");
  }
  if (flags.probabilities && !model.has_probabilities()) {
    const std::string setting(model.setting_for_probabilities());
    refuse("--proba", setting.empty() ? "class probabilities" : "class probabilities: fit it with --set " + setting);
  }
  if (flags.tube && (flags.decision || flags.probabilities || flags.distribution.any() || flags.reconstruction)) {
    throw UsageError("--tube goes with predictions alone, not with --decision, --proba, --std and their like");
  }
  const auto* const tube = offered<Tube>(model);
  if (flags.tube && tube == nullptr) {
    refuse("--tube", "tube within which errors cost nothing (svr and nusvr have)");
  }
  if (flags.tube && !tube->has_width_function()) {
    throw UsageError(
        fmt::format("--tube: every training row of this {} had a width of its own (--tube COL of fit); new "
                    "rows have none",
                    model.name()));
  }
  require_distribution(flags.distribution, model);
}

// What is written: numbers, after the labels where there are classes.
struct Predictions {
  std::vector<std::string> labels;
  Matrix<double> numbers;
  std::vector<std::string> names;
  std::vector<char> answered = {};  // of each row; empty: all are
};

std::vector<std::string> class_labels(const FittedModel& model, const Matrix<double>& codes) {
  const std::vector<std::string>& classes = model.classes();
  std::vector<std::string> labels;
  for (Index i = 0; i < codes.rows(); ++i) {
    const double code = codes(i, 0);
    labels.push_back(code < 0 ? "undecided" : classes[static_cast<Index>(code)]);
  }
  return labels;
}

// Samples without what the model's features leave out, as the columns of the file.
Predictions reconstructions(const StoredModel& stored, const Samples& samples, const Run& run) {
  Predictions result;
  result.numbers = stored.model->reconstruct(samples, run);
  stored.preparation.scaling.undo(result.numbers.view());
  result.names = stored.preparation.numeric_names();
  return result;
}

Matrix<double> side_by_side(Index rows, const std::vector<const Matrix<double>*>& parts) {
  Index columns = 0;
  for (const Matrix<double>* part : parts) {
    columns += part->columns();
  }
  Matrix<double> result(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    double* out = result.view().row_data(i);
    for (const Matrix<double>* part : parts) {
      out = std::ranges::copy(part->view().row(i), out).out;
    }
  }
  return result;
}

Matrix<double> stacked(const std::vector<Matrix<double>>& blocks) {
  Index rows = 0;
  for (const Matrix<double>& block : blocks) {
    rows += block.rows();
  }
  Matrix<double> result(rows, blocks.empty() ? 0 : blocks.front().columns());
  double* out = result.data();
  for (const Matrix<double>& block : blocks) {
    out = std::copy_n(block.data(), block.rows() * block.columns(), out);
  }
  return result;
}

Predictions evaluate(const PredictFlags& flags, const StoredModel& stored, const Samples& samples, const Run& run) {
  const FittedModel& model = *stored.model;
  if (flags.reconstruction) {
    return reconstructions(stored, samples, run);
  }
  Predictions result;
  result.names = headings(model);
  if (flags.distribution.any()) {
    DistributionColumns columns = distribution_columns(flags.distribution, model, result.names, samples, run);
    return {{}, std::move(columns.numbers), std::move(columns.names)};
  }
  const bool has_labels = model.task() == Task::classification;
  // Decision values of features, clusters and novelty stand alone; beside labels they stand under their own names.
  const bool shows_values = !has_labels && !flags.decision;
  const Answers answers = stored.answer_prepared(
      samples,
      {.predictions = has_labels || shows_values, .decisions = flags.decision, .probabilities = flags.probabilities},
      run);
  if (has_labels) {
    result.labels = class_labels(model, answers.predictions);
  } else if (!shows_values) {
    result.names.clear();
  }
  const auto add_names = [&](const std::vector<std::string>& names, const char* function) {
    for (const std::string& name : names) {
      result.names.push_back(has_labels ? fmt::format("{}({})", function, name) : name);
    }
  };
  if (flags.probabilities) {
    add_names(model.classes(), "P");
  }
  if (flags.decision) {
    add_names(model.decision_names(), "f");
  }
  std::vector<const Matrix<double>*> parts;
  if (shows_values) {
    parts.push_back(&answers.predictions);
  }
  if (flags.probabilities) {
    parts.push_back(&answers.probabilities);
  }
  if (flags.decision) {
    parts.push_back(&answers.decisions);
  }
  Matrix<double> widths;
  if (flags.tube) {
    widths = offered<Tube>(model)->widths_at(samples);
    parts.push_back(&widths);
    for (const std::string& name : headings(model)) {
      result.names.push_back(fmt::format("tube({})", name));
    }
  }
  result.numbers = side_by_side(samples.size(), parts);
  return result;
}

// With a row for every row of the file: empty ones for those that were left out.
Predictions with_left_out_rows(Predictions block, const std::vector<Index>& kept, Index rows) {
  if (block.numbers.rows() == rows) {
    return block;
  }
  const bool has_labels = static_cast<Index>(block.names.size()) > block.numbers.columns();
  Predictions all{.labels = std::vector<std::string>(has_labels ? rows : 0),
                  .numbers = Matrix<double>(rows, block.numbers.columns()),
                  .names = std::move(block.names),
                  .answered = std::vector<char>(rows, 0)};
  std::fill_n(all.numbers.data(), rows * all.numbers.columns(), std::numeric_limits<double>::quiet_NaN());
  for (Index i = 0; i < block.numbers.rows(); ++i) {
    const Index row = kept[i];
    all.answered[row] = 1;
    std::ranges::copy(block.numbers.view().row(i), all.numbers.view().row_data(row));
    if (has_labels) {
      all.labels[row] = std::move(block.labels[i]);
    }
  }
  return all;
}

// Joint draws are of all rows at once.
Index rows_at_once(const PredictFlags& flags, const StoredModel& stored) {
  return flags.distribution.samples ? std::numeric_limits<Index>::max() : rows_per_block(stored);
}

// Calls take(predictions) for one block of rows after the other.
template <class Take>
void predict_rows(const PredictFlags& flags, const StoredModel& stored, Session& session, Take take) {
  NewRows rows(flags.file, flags.data, stored, Presence::ignored, rows_at_once(flags, stored), session);
  session.bound_memory();
  rows.for_each([&](const NewData& block) {
    take(with_left_out_rows(
        session.timed("predict", [&] { return evaluate(flags, stored, block.samples, session.run()); }),
        block.kept_rows, block.file_rows));
  });
}

// The values behind the last one, or the distribution of the first of them.
Predictions forecast(const PredictFlags& flags, const StoredModel& stored, const DataFile& series, const Run& run) {
  if (usual_missing_rule(stored) != MissingRule::kernel) {
    require_known_categories(stored, series, *flags.forecast);
  }
  if (flags.distribution.any()) {
    const Samples row = next_series_row(stored, series.samples, series.kept_rows);
    return evaluate(flags, stored, stored.preparation.apply(row, run), run);
  }
  const std::vector<double> values = forecast_series(stored, series.samples, series.kept_rows, *flags.forecast, run);
  Matrix<double> numbers(static_cast<Index>(values.size()), 1);
  std::ranges::copy(values, numbers.data());
  return {.labels = {}, .numbers = std::move(numbers), .names = headings(*stored.model)};
}

void require_forecast(const PredictFlags& flags, const StoredModel& stored) {
  if (!flags.forecast) {
    return;
  }
  if (!stored.preparation.embedding) {
    throw UsageError(
        fmt::format("--forecast: the {} model is none of a series: fit it with --embed N,TAU", stored.model->name()));
  }
  if (flags.distribution.any() && *flags.forecast > 1) {
    throw UsageError(
        "--forecast: --std, --interval, --quantiles and --samples are of the next value alone (--forecast 1); those "
        "behind it depend on values that are not known, and have another distribution");
  }
}

// Calls take(predictions) for all that is answered, block by block.
template <class Take>
void answer(const PredictFlags& flags, const StoredModel& stored, Session& session, Take take) {
  if (!flags.forecast) {
    predict_rows(flags, stored, session, take);
    return;
  }
  const DataFile series = read_series(flags.file, flags.data, stored, session);
  session.bound_memory();
  take(naming_file(flags.file, [&] {
    return session.timed("predict", [&] { return forecast(flags, stored, series, session.run()); });
  }));
}

void print_predictions(const PredictFlags& flags, const StoredModel& stored, Json json, Session& session) {
  std::vector<std::string> labels;
  std::vector<Matrix<double>> blocks;
  Index rows = 0;
  answer(flags, stored, session, [&](Predictions block) {
    rows += block.numbers.rows();
    std::ranges::move(block.labels, std::back_inserter(labels));
    blocks.push_back(std::move(block.numbers));
    json["columns"] = std::move(block.names);
  });
  json["n"] = rows;
  json["seconds"] = session.phases_as_json();
  print_json_table(json, labels, stacked(blocks).view());
}

void write_predictions(const PredictFlags& flags, const StoredModel& stored, Json json, Session& session) {
  std::optional<CsvWriter> writer;
  Index rows = 0;
  std::size_t columns = 0;
  answer(flags, stored, session, [&](const Predictions& block) {
    session.timed("write", [&] {
      if (!writer) {
        writer.emplace(flags.output, block.names, session.run());
        columns = block.names.size();
        json["columns"] = block.names;
      }
      writer->add(block.labels, block.numbers.view(), block.answered);
    });
    rows += block.numbers.rows();
  });
  session.timed("write", [&] { session.write(flags.output, [&] { writer->commit(); }); });
  if (flags.output == "-") {
    return;
  }
  if (flags.run.json) {
    json["n"] = rows;
    json["path"] = flags.output;
    json["seconds"] = session.phases_as_json();
    print_json(json);
  } else {
    session.console().note(fmt::format("{} for {} in {}: {}", counted(static_cast<Index>(columns), "column"),
                                       counted(rows, "row"), readable_seconds(session.total_seconds()), flags.output));
  }
}

void predict(const PredictFlags& flags, Interruption& interruption) {
  require_sensible(flags.distribution);
  FileRoles files;
  files.reads("the model", flags.model);
  files.reads_data(flags.file, flags.data);
  flags.decisions.read_by(files);
  files.writes("the table", "-o", flags.output, OutputContent::table);
  if (flags.run.json) {
    files.prints("the summary");
  }
  files.check();
  Session session(flags.run, interruption);
  const StoredModel stored = session.timed("load", [&] { return load_model(flags.model, session.run()); });
  require_supported(flags, *stored.model);
  decide_by_flags(flags.decisions, *stored.model);
  require_forecast(flags, stored);
  Json json = {{"model", flags.model}, {"data", flags.file}, {"n", 0}, {"columns", Json::array()}};
  if (flags.distribution.any()) {
    json["distribution"] = as_json(flags.distribution, *stored.model);
  }
  const bool prints_table = flags.run.json && flags.output == "-";
  (prints_table ? print_predictions : write_predictions)(flags, stored, std::move(json), session);
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
  command.add_flag("--tube", flags->tube,
                   "half the width of the tube at every row, in units of the target (svr, nusvr)");
  command.add_flag("--reconstruct", flags->reconstruction,
                   "samples without what the features leave out, where the model has a way back (kpca)");
  command
      .add_option(
          "--forecast", flags->forecast,
          "go on with the series of the file for H values, each a part of the past of the next (models that were "
          "fitted with --embed)")
      ->type_name("H")
      ->check(CLI::Range(1, 1'000'000));
  add_cost_flags(command, flags->decisions);
  add_distribution_flags(command, flags->distribution);
  add_new_data_flags(command, flags->data);
  add_run_flags(command, flags->run);
  add_examples(command, {"mercer predict m.mercer new.csv -o out.csv", "mercer predict m.mercer new.csv | head",
                         "zcat new.csv.gz | mercer predict m.mercer - -o out.csv",
                         "mercer predict gp.mercer new.csv --std --interval 0.95",
                         "mercer predict kqr.mercer new.csv --quantiles 0.05,0.5,0.95",
                         "mercer predict gp.mercer new.csv --samples 5 --seed 1",
                         "mercer predict series.mercer series.csv --forecast 24",
                         "mercer predict kpca.mercer noisy.csv --reconstruct -o clean.csv"});
  return [flags](Interruption& interruption) { predict(*flags, interruption); };
}

}  // namespace mercer::program
