#include "score.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "file_roles.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/io/model_file.h"
#include "mercer/report/sections/model_scores.h"
#include "model_input.h"
#include "session.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

struct ScoreFlags {
  RunFlags run;
  DataFlags data;
  std::string model;
  std::string file;
};

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
    headings.push_back(output.classes[c]);
    alignment.push_back(Align::right);
  }
  TextTable table(std::move(headings), std::move(alignment));
  for (Index i = 0; i < output.confusion.rows(); ++i) {
    std::vector<std::string> cells = {i < k ? output.classes[i] : "(others)"};
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
          {"kernel", stored.model->has_kernel() ? Json(stored.model->kernel().spec()) : Json()},
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

// Labels that no model says the kind of (of novelty, and of files of format 1) are what all rows together look like.
Index rows_at_once(const StoredModel& stored) {
  const bool knows_labels = stored.model->task() == Task::regression || stored.label_kind;
  return knows_labels ? rows_per_block(stored) : std::numeric_limits<Index>::max();
}

void score(const ScoreFlags& flags, Interruption& interruption) {
  FileRoles files;
  files.reads("the model", flags.model);
  files.reads_data(flags.file, flags.data);
  files.prints("the scores");
  files.check();
  Session session(flags.run, interruption);
  const StoredModel stored = session.timed("load", [&] { return load_model(flags.model, session.run()); });
  require_scored(*stored.model);
  const Presence targets = predicts_targets(stored.model->task()) ? Presence::required : Presence::optional;
  NewRows data(flags.file, flags.data, stored, targets, rows_at_once(stored), session);
  session.bound_memory();
  std::vector<Predictions> blocks;
  data.for_each([&](const NewData& block) {
    const Targets* const known = known_targets(block, *stored.model, flags.file);
    blocks.push_back(session.timed("predict", [&] {
      return predict_all(*stored.model, block.samples, known, coverage_limits(), session.run(),
                         DecisionValues::for_metrics);
    }));
  });
  const std::vector<OutputScores> scores = session.timed("score", [&] {
    return naming_file(flags.file, [&] { return model_scores(*stored.model, joined(std::move(blocks))); });
  });
  const Index rows = data.rows();
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
