#include "score.h"

#include <fmt/format.h>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/io/model_file.h"
#include "mercer/select/metrics.h"
#include "session.h"
#include "stored_samples.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

struct ScoreFlags {
  RunFlags run;
  DataFlags data;
  std::string model;
  std::string file;
};

struct OutputScores {
  std::string target;
  std::vector<Metric> metrics;
};

std::vector<double> column_of(const Matrix<double>& matrix, Index column) {
  std::vector<double> values;
  for (Index i = 0; i < matrix.rows(); ++i) {
    values.push_back(matrix(i, column));
  }
  return values;
}

std::vector<OutputScores> regression_scores(const StoredModel& stored, const NewData& data, const std::string& file,
                                            Session& session) {
  const std::vector<std::string> names = headings(*stored.model);
  const auto outputs = static_cast<Index>(names.size());
  if (!data.targets || data.targets->outputs() != outputs) {
    throw DataError({file}, fmt::format("{} of the model's targets found ({}); say where they are with --target",
                                        data.targets ? data.targets->outputs() : 0, join(names, ", ")));
  }
  const Matrix<double> truth = naming_file(file, [&] { return data.targets->values(); });
  session.bound_memory();
  const Matrix<double> predicted = session.timed(
      "predict", [&] { return naming_file(file, [&] { return stored.model->predict(data.samples, session.run()); }); });
  std::vector<OutputScores> scores;
  for (Index o = 0; o < outputs; ++o) {
    scores.push_back(
        {names[static_cast<std::size_t>(o)], regression_metrics(column_of(truth, o), column_of(predicted, o))});
  }
  return scores;
}

// NaN has no place in JSON: null.
Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json as_json(const std::vector<OutputScores>& scores, const ScoreFlags& flags, const StoredModel& stored, Index rows,
             const Session& session) {
  Json targets = Json::array();
  for (const OutputScores& output : scores) {
    Json metrics = Json::object();
    for (const Metric& metric : output.metrics) {
      metrics[metric.name] = {{"value", number_or_null(metric.value)},
                              {"lower", number_or_null(metric.lower)},
                              {"upper", number_or_null(metric.upper)},
                              {"baseline", number_or_null(metric.baseline)},
                              {"better", metric.better == Better::lower ? "lower" : "higher"}};
    }
    targets.push_back({{"target", output.target}, {"metrics", std::move(metrics)}});
  }
  return {{"model", stored.model->name()},
          {"task", to_string(stored.model->task())},
          {"kernel", stored.model->kernel().spec()},
          {"path", flags.model},
          {"data", flags.file},
          {"n", rows},
          {"level", 0.95},
          {"scores", std::move(targets)},
          {"seconds", session.phases_as_json()}};
}

std::string as_text(const std::vector<OutputScores>& scores, const ScoreFlags& flags, const StoredModel& stored,
                    Index rows) {
  std::string text =
      fmt::format("{} ({}) on {}, {}\n", flags.model, stored.model->name(), flags.file, counted(rows, "row"));
  TextTable table({"target", "metric", "value", "95 % interval", "baseline"},
                  {Align::left, Align::left, Align::right, Align::right, Align::right});
  for (const OutputScores& output : scores) {
    for (const Metric& metric : output.metrics) {
      const std::string interval =
          std::isnan(metric.lower) ? "-" : fmt::format("{} .. {}", readable(metric.lower), readable(metric.upper));
      table.add({output.target, metric.name, readable(metric.value), interval, readable(metric.baseline)});
    }
  }
  text += table.text("  ");
  text += "baseline: the best constant prediction on these rows (mean; median for mae)\n";
  return text;
}

void score(const ScoreFlags& flags, Interruption& interruption) {
  if (flags.model == "-" && flags.file == "-") {
    throw UsageError("the model and the data cannot both come from standard input");
  }
  Session session(flags.run, interruption);
  const StoredModel stored = session.timed("load", [&] { return load_model(flags.model, session.run()); });
  const NewData data = read_for_model(flags.file, flags.data, stored, Presence::required, session);
  const std::vector<OutputScores> scores = regression_scores(stored, data, flags.file, session);
  const Index rows = data.samples.size();
  if (flags.run.json) {
    print_json(as_json(scores, flags, stored, rows, session));
  } else {
    print(as_text(scores, flags, stored, rows));
  }
}

}  // namespace

Action add_score(CLI::App& command) {
  const auto flags = std::make_shared<ScoreFlags>();
  command.add_option("MODEL", flags->model, "the model file; - is standard input")->required();
  command.add_option("DATA", flags->file, "data with known targets; - is standard input")->required();
  add_new_data_flags(command, flags->data);
  add_run_flags(command, flags->run);
  add_examples(command, {"mercer score m.mercer test.csv", "mercer score m.mercer test.csv --json", "",
                         "Intervals are analytic, for large samples: delta method for rmse and r2, normal for mae."});
  return [flags](Interruption& interruption) { score(*flags, interruption); };
}

}  // namespace mercer::program
