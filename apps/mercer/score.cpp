#include "score.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/io/model_file.h"
#include "mercer/select/distribution_metrics.h"
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
  std::vector<std::string> classes = {};  // of the confusion matrix
  Matrix<Index> confusion = {};           // true classes × predicted ones; a last row for labels unknown to the model
};

std::vector<double> column_of(const Matrix<double>& matrix, Index column) {
  std::vector<double> values;
  for (Index i = 0; i < matrix.rows(); ++i) {
    values.push_back(matrix(i, column));
  }
  return values;
}

// Levels of the central intervals whose coverage is scored.
constexpr std::array coverage_levels = {0.5, 0.9, 0.95};

void add_distribution_scores(const FittedModel& model, const NewData& data, const Matrix<double>& truth,
                             const Matrix<double>& predicted, std::vector<OutputScores>& scores, const Run& run) {
  const Matrix<double> densities = model.log_density(data.samples, truth.view(), run);
  std::vector<double> levels;
  for (const double level : coverage_levels) {
    levels.push_back((1 - level) / 2);
    levels.push_back((1 + level) / 2);
  }
  const Matrix<double> limits = model.quantiles(data.samples, levels, PredictionOf::observation, run);
  const auto per_output = static_cast<Index>(levels.size());
  for (Index o = 0; o < truth.columns(); ++o) {
    std::vector<Metric>& metrics = scores[static_cast<std::size_t>(o)].metrics;
    const std::vector<double> y = column_of(truth, o);
    const std::vector<double> density = column_of(densities, o);
    metrics.push_back(standardized_mean_squared_error(y, column_of(predicted, o)));
    metrics.push_back(mean_standardized_log_loss(y, density));
    metrics.push_back(negative_log_predictive_density(y, density));
    for (std::size_t l = 0; l < coverage_levels.size(); ++l) {
      const Index column = o * per_output + 2 * static_cast<Index>(l);
      metrics.push_back(coverage(y, column_of(limits, column), column_of(limits, column + 1), coverage_levels[l]));
    }
  }
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
  if (stored.model->has_distribution()) {
    session.timed("distribution", [&] {
      naming_file(file, [&] {
        add_distribution_scores(*stored.model, data, truth, predicted, scores, session.run());
        return 0;
      });
      return 0;
    });
  }
  return scores;
}

std::vector<OutputScores> class_scores(const StoredModel& stored, const NewData& data, const std::string& file,
                                       Session& session) {
  const FittedModel& model = *stored.model;
  if (!data.targets || data.targets->outputs() != 1) {
    throw DataError({file}, fmt::format("the true classes ({}) are not found; say where they are with --target",
                                        join(headings(model), ", ")));
  }
  OutputScores scores{.target = headings(model).front(), .metrics = {}, .classes = model.classes(), .confusion = {}};
  const std::vector<std::int32_t> truth = data.targets->labels(0, scores.classes).codes;
  session.bound_memory();
  session.timed("predict", [&] {
    naming_file(file, [&] {
      const Matrix<double> predicted = model.predict(data.samples, session.run());
      // Rows without an answer count neither way; how many there are is said beside.
      std::vector<std::int32_t> codes;
      std::vector<std::int32_t> answered;
      for (Index i = 0; i < predicted.rows(); ++i) {
        if (predicted(i, 0) >= 0) {
          codes.push_back(static_cast<std::int32_t>(predicted(i, 0)));
          answered.push_back(truth[static_cast<std::size_t>(i)]);
        }
      }
      scores.confusion = confusion_matrix(answered, codes, static_cast<Index>(scores.classes.size()));
      scores.metrics = {accuracy(scores.confusion), balanced_accuracy(scores.confusion)};
      const Index undecided = predicted.rows() - static_cast<Index>(codes.size());
      if (undecided > 0) {
        const Limits limits = wilson_interval(undecided, predicted.rows());
        scores.metrics.push_back({.name = "undecided",
                                  .value = static_cast<double>(undecided) / static_cast<double>(predicted.rows()),
                                  .lower = limits.lower,
                                  .upper = limits.upper,
                                  .baseline = std::numeric_limits<double>::quiet_NaN(),
                                  .better = Better::lower});
      }
      if (scores.classes.size() == 2) {
        const Matrix<double> decisions = model.has_probabilities() ? model.probabilities(data.samples, session.run())
                                                                   : model.decide(data.samples, session.run());
        std::vector<char> positive;
        for (const std::int32_t code : truth) {
          positive.push_back(code == 1 ? 1 : 0);
        }
        scores.metrics.push_back(area_under_curve(positive, column_of(decisions, decisions.columns() - 1)));
      }
      if (model.has_probabilities()) {
        const Matrix<double> probabilities = model.probabilities(data.samples, session.run());
        scores.metrics.push_back(log_loss(truth, probabilities.view()));
        scores.metrics.push_back(brier_score(truth, probabilities.view()));
      }
      return 0;
    });
    return 0;
  });
  std::vector<OutputScores> all;
  all.push_back(std::move(scores));
  return all;
}

// The fraction of rows outside, and, where there are two kinds of labels, how well the values tell them apart: the
// larger label (or 1 against -1) is the normal one.
std::vector<OutputScores> novelty_scores(const StoredModel& stored, const NewData& data, const std::string& file,
                                         Session& session) {
  const FittedModel& model = *stored.model;
  session.bound_memory();
  const Matrix<double> values = session.timed(
      "predict", [&] { return naming_file(file, [&] { return model.decide(data.samples, session.run()); }); });
  Index outside = 0;
  for (Index i = 0; i < values.rows(); ++i) {
    outside += values(i, 0) < 0 ? 1 : 0;
  }
  const double n = static_cast<double>(std::max<Index>(values.rows(), 1));
  const Limits limits = wilson_interval(outside, values.rows());
  OutputScores scores{.target = "inside", .metrics = {}, .classes = {}, .confusion = {}};
  scores.metrics.push_back({.name = "fraction outside",
                            .value = static_cast<double>(outside) / n,
                            .lower = limits.lower,
                            .upper = limits.upper,
                            .baseline = std::numeric_limits<double>::quiet_NaN(),
                            .better = Better::lower});
  if (data.targets && data.targets->outputs() == 1) {
    const ClassLabels labels = data.targets->labels(0);
    if (labels.levels.size() == 2) {
      std::vector<char> positive;
      for (const std::int32_t code : labels.codes) {
        positive.push_back(code == 1 ? 1 : 0);
      }
      scores.target = "normal: " + labels.levels[1];
      scores.metrics.push_back(area_under_curve(positive, column_of(values, 0)));
    }
  }
  std::vector<OutputScores> all;
  all.push_back(std::move(scores));
  return all;
}

std::vector<OutputScores> scores_of(const StoredModel& stored, const NewData& data, const std::string& file,
                                    Session& session) {
  switch (stored.model->task()) {
    case Task::classification:
      return class_scores(stored, data, file, session);
    case Task::novelty:
      return novelty_scores(stored, data, file, session);
    case Task::regression:
      break;
  }
  return regression_scores(stored, data, file, session);
}

Json confusion_as_json(const OutputScores& output) {
  Json rows = Json::array();
  for (Index i = 0; i < output.confusion.rows(); ++i) {
    Json row = Json::array();
    for (Index j = 0; j < output.confusion.columns(); ++j) {
      row.push_back(output.confusion(i, j));
    }
    rows.push_back(std::move(row));
  }
  return {{"classes", output.classes}, {"counts", std::move(rows)}};
}

std::string confusion_as_text(const OutputScores& output) {
  const auto k = static_cast<Index>(output.classes.size());
  std::vector<std::string> headings = {"true class"};
  std::vector<Align> alignment = {Align::left};
  for (Index c = 0; c < output.confusion.columns(); ++c) {
    headings.push_back(output.classes[static_cast<std::size_t>(c)]);
    alignment.push_back(Align::right);
  }
  TextTable table(std::move(headings), std::move(alignment));
  for (Index i = 0; i < output.confusion.rows(); ++i) {
    std::vector<std::string> cells = {i < k ? output.classes[static_cast<std::size_t>(i)] : "(others)"};
    Index total = 0;
    for (Index j = 0; j < output.confusion.columns(); ++j) {
      const Index count = output.confusion(i, j);
      total += count;
      cells.push_back(count == 0 ? "." : std::to_string(count));
    }
    if (i < k || total > 0) {
      table.add(std::move(cells));
    }
  }
  return "\npredicted as\n" + table.text("  ");
}

const char* to_word(Better better) {
  switch (better) {
    case Better::lower:
      return "lower";
    case Better::higher:
      return "higher";
    case Better::closer:
      break;
  }
  return "closer to its level";
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
                              {"better", to_word(metric.better)}};
    }
    targets.push_back({{"target", output.target}, {"metrics", std::move(metrics)}});
    if (!output.classes.empty()) {
      targets.back()["confusion"] = confusion_as_json(output);
    }
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
  text += stored.model->task() == Task::regression
              ? "baseline: the best constant prediction on these rows (mean; median for mae)\n"
              : "baseline: the best constant answer on these rows (the most frequent class; their frequencies)\n";
  if (stored.model->has_distribution()) {
    text +=
        "nlpd: mean of -ln p(y), lower is better; msll: nlpd less that of the baseline, below 0 is better; their "
        "baseline\nand that of coverage: the normal distribution with mean and variance of these targets\n";
  }
  for (const OutputScores& output : scores) {
    if (!output.classes.empty()) {
      text += confusion_as_text(output);
    }
  }
  return text;
}

void score(const ScoreFlags& flags, Interruption& interruption) {
  if (flags.model == "-" && flags.file == "-") {
    throw UsageError("the model and the data cannot both come from standard input");
  }
  Session session(flags.run, interruption);
  const StoredModel stored = session.timed("load", [&] { return load_model(flags.model, session.run()); });
  const Presence targets = stored.model->task() == Task::novelty ? Presence::optional : Presence::required;
  const NewData data = read_for_model(flags.file, flags.data, stored, targets, session);
  const std::vector<OutputScores> scores = scores_of(stored, data, flags.file, session);
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
