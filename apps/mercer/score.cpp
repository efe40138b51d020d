#include "score.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>

#include "file_roles.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/io/model_file.h"
#include "mercer/report/sections/model_scores.h"
#include "model_input.h"
#include "score_folds.h"
#include "score_margins.h"
#include "score_output.h"
#include "session.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

using ScoreFlags = FoldScoreFlags;

Json as_json(const std::vector<OutputScores>& scores, const ScoreFlags& flags, const StoredModel& stored, Index rows,
             const Session& session) {
  const DecisionRule& rule = stored.model->head().decision;
  Json json = {{"model", stored.model->name()},
               {"task", to_string(stored.model->task())},
               {"kernel", stored.model->has_kernel() ? Json(stored.model->kernel().spec()) : Json()},
               {"path", flags.model},
               {"data", flags.file},
               {"n", rows},
               {"level", 0.95},
               {"scores", scores_as_json(scores, {}, flags.punt_error)},
               {"seconds", session.phases_as_json()}};
  if (rule.is_given()) {
    json["decision"] = decision_as_json(rule, stored.model->classes());
  }
  return json;
}

std::string as_text(const std::vector<OutputScores>& scores, const ScoreFlags& flags, const StoredModel& stored,
                    Index rows) {
  const DecisionRule& rule = stored.model->head().decision;
  const std::string decides =
      rule.is_given() ? fmt::format("  decides by  {}\n", describe(rule, stored.model->classes())) : "";
  return fmt::format("{} ({}) on {}, {}\n", flags.model, stored.model->name(), flags.file, counted(rows, "row")) +
         decides + scores_as_text(scores, stored.model->task(), {}, flags.punt_error);
}

// Labels that no model says the kind of (of novelty, and of files of format 1) are what all rows together look like.
Index rows_at_once(const StoredModel& stored) {
  const bool knows_labels = stored.model->task() == Task::regression || stored.label_kind;
  return knows_labels ? rows_per_block(stored) : std::numeric_limits<Index>::max();
}

// A model that is stored says all that a fit would have to be told: what is left are flags for new rows.
void require_no_fitting_flags(const ScoreFlags& flags, const CLI::App& command) {
  CLI::App for_new_rows;
  DataFlags data;
  RunFlags run;
  add_new_data_flags(for_new_rows, data);
  add_run_flags(for_new_rows, run);
  for_new_rows.add_flag("--margins");
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const bool decides = name == "--costs" || name == "--priors" || name == "--punt-error";
    if (option->count() > 0 && !decides && name.starts_with("-") && for_new_rows.get_option_no_throw(name) == nullptr) {
      throw UsageError(
          fmt::format("{}: {} is read as the file of a fitted model, which is scored as it is. To fit models by "
                      "folds name one of 'mercer models'",
                      name, flags.model));
    }
  }
}

// A file is meant where there is one of that name, and by what looks like the name of a file. UsageError for a name that is
// neither.
bool names_a_model(const std::string& text) {
  std::error_code error;
  if (text.find_first_of("-./") == 0 || std::filesystem::exists(text, error)) {
    return false;
  }
  if (look_up_model(text) == nullptr && text.find_first_of("./") == std::string::npos) {
    reading("there is no file '" + text + "', and as a model", [&] { return &find_model(text); });
  }
  return look_up_model(text) != nullptr;
}

// Answers of a model that cannot decide by costs stay as they are, and are priced.
DecisionRule decide_or_price(const DecisionFlags& flags, FittedModel& model, Console& console) {
  if (!flags.any()) {
    return model.head().decision;
  }
  const DecisionRule rule = cost_rule(flags, model.classes(), model.head().decision);
  if (model.has_probabilities() || rule.is_plain()) {
    decide_by_flags(flags, model);
  } else {
    console.note(answers_stay(flags, model.name()));
  }
  return rule;
}

void score_file(const ScoreFlags& flags, Interruption& interruption) {
  FileRoles files;
  files.reads("the model", flags.model);
  files.reads_data(flags.file, flags.data);
  flags.decisions.read_by(files);
  files.prints("the scores");
  files.check();
  Session session(flags.run, interruption);
  const StoredModel stored = session.timed("load", [&] { return load_model(flags.model, session.run()); });
  require_scored(*stored.model);
  require_classes(flags.decisions, flags.punt_error, stored.model->task(), stored.model->name());
  const DecisionRule priced_by = decide_or_price(flags.decisions, *stored.model, session.console());
  const Presence targets = predicts_targets(stored.model->task()) ? Presence::required : Presence::optional;
  NewRows data(flags.file, flags.data, stored, targets, rows_at_once(stored), session);
  session.bound_memory();
  std::vector<Predictions> blocks;
  std::vector<MachineMargins> margins;
  Index seen = 0;
  data.for_each([&](const NewData& block) {
    const Targets* const known = known_targets(block, *stored.model, flags.file);
    if (flags.margins) {
      session.timed("margins", [&] {
        reading("--margins", [&] { add_margins(stored, block.samples, known, seen, margins, session.run()); });
      });
      seen += block.samples.size();
    }
    blocks.push_back(session.timed("predict", [&] {
      return predict_all(*stored.model, block.samples, known, coverage_limits(), session.run(),
                         flags.decision_values());
    }));
  });
  const std::vector<OutputScores> scores = session.timed("score", [&] {
    const PredictorFacts predictor{.task = stored.model->task(),
                                   .outputs = output_headings(*stored.model),
                                   .classes = stored.model->classes(),
                                   .decision = priced_by};
    return naming_file(flags.file, [&] { return model_scores(predictor, joined(std::move(blocks))); });
  });
  const Index rows = data.rows();
  if (flags.run.json) {
    Json json = as_json(scores, flags, stored, rows, session);
    if (flags.margins) {
      json["margins"] = margins_as_json(margins);
    }
    print_json(json);
  } else {
    print(as_text(scores, flags, stored, rows) + (flags.margins ? margins_as_text(margins) : ""));
  }
}

}  // namespace

Action add_score(CLI::App& command) {
  const auto flags = std::make_shared<ScoreFlags>();
  command
      .add_option(
          "MODEL", flags->model,
          "the file of a fitted model (- is standard input), or the name of a model (see 'mercer models'), which is "
          "then fitted by folds")
      ->required();
  command.add_option("DATA", flags->file, "data with known targets; - is standard input")->required();
  command.add_flag("--margins", flags->margins,
                   "of a fitted classifier: the geometric margins y f(x)/|w| of the rows, their least and their mean, "
                   "per machine; and least |f|, which w and b are divided by in canonical form");
  const std::string fitting = "Fitting by folds (MODEL is a name)";
  command.add_option("-k,--kernel", flags->kernel, "the kernel (default: the model's)")
      ->type_name("SPEC")
      ->group(fitting);
  command.add_option("-s,--set", flags->settings, "an option of the model, see 'mercer models NAME'")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group(fitting);
  command
      .add_option("--scale", flags->scale,
                  "none, standard, deviation, maxabs, robust or minmax:-1,1, fitted within every fold (default as "
                  "'mercer fit')")
      ->type_name("RULE")
      ->group(fitting);
  command.add_option("--weights", flags->weights, "column of weights of the rows: they count in the fits")
      ->type_name("COL")
      ->group(fitting);
  command.add_option("--noise", flags->noise, "column of known noise variances of the targets")
      ->type_name("COL")
      ->group(fitting);
  add_embed_flag(command, *flags);
  command.get_option("--embed")->group(fitting);
  add_prior_flag(command, *flags, fitting);
  add_tube_flag(command, *flags, fitting);
  add_fold_flags(command, flags->folds);
  add_cost_flags(command, flags->decisions);
  command
      .add_option(
          "--punt-error", flags->punt_error,
          "of classes: the least share of rows to decline, least sure first, for an error of at most this on the "
          "others; prints the error-reject curve too")
      ->type_name("ERROR")
      ->check(CLI::Range(0.0, 1.0))
      ->group("Decisions between classes");
  add_data_flags(command, flags->data);
  add_run_flags(command, flags->run);
  add_examples(command,
               {"mercer score m.mercer test.csv", "mercer score m.mercer test.csv --json",
                "mercer score m.mercer test.csv --costs \"ill:well=20\" --punt-error 0.01",
                "mercer score svc data.csv --target label --folds 5      models of 4/5 of the rows, on the rest", "",
                "Intervals are analytic, for large samples: delta method for rmse and r2, normal for mae."});
  return [flags, app = &command](Interruption& interruption) {
    if (names_a_model(flags->model)) {
      score_folds(*flags, interruption);
    } else {
      require_no_fitting_flags(*flags, *app);
      score_file(*flags, interruption);
    }
  };
}

}  // namespace mercer::program
