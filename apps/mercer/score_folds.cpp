#include "score_folds.h"

#include <fmt/format.h>

#include "fold_rows.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/models/stored_model.h"
#include "mercer/report/sections/fold_scores.h"
#include "score_output.h"
#include "session.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

struct Plan : TrainingPlan {
  FoldPlan folds;
};

Plan make_plan(const FoldScoreFlags& flags) {
  Plan plan{plan_training_at_values(flags), {}};
  if (!is_scored(plan.entry->task)) {
    throw UsageError(fmt::format("{} finds {}, which nothing says to be right or wrong", plan.entry->name,
                                 to_string(plan.entry->task)));
  }
  if (takes_degrees(flags)) {
    throw UsageError(
        "targets that say how sure a label is cannot be scored by folds: there are no true classes to "
        "compare with");
  }
  if (flags.margins) {
    throw UsageError("--margins are those of a fitted model: name the file of one, not " + plan.entry->name);
  }
  require_classes(flags.decisions, flags.punt_error, plan.entry->task, plan.entry->name);
  plan.folds = fold_plan(flags.folds, *plan.entry, plan.delays ? SampleOrder::kept : SampleOrder::shuffled);
  FileRoles files = training_files(flags);
  flags.decisions.read_by(files);
  files.prints("the scores");
  files.check();
  return plan;
}

struct Result {
  FoldScores scores;
  ScalingRule scaling;
};

// As a model of all rows would see them.
Samples coded_rows(const Plan& plan, const DataFile& file, Session& session) {
  SchemaCoding coded = fit_coding(coding_of(plan.coding, file.format), file.schema, {file.samples, file.weights});
  return Preparation{.schema = std::move(coded.schema), .coding = std::move(coded.coding)}.coded(file.samples,
                                                                                                 session.run());
}

DecisionRule decision_of(const FoldScoreFlags& flags, const TrainingData& rows) {
  return flags.decisions.any() ? cost_rule(flags.decisions, rows.targets.labels(0).levels) : DecisionRule();
}

Result compute(const FoldScoreFlags& flags, Plan& plan, Session& session) {
  load_prior(plan, flags, session);
  ReadOptions options = flags.read_options(plan);
  options.groups = flags.folds.groups;
  DataFile file = session.read(flags.file, options);
  require_groups(flags.folds, file, flags.file);
  embed_rows_of(plan, flags, file, session);
  leave_to_prior(plan, flags, file);
  require_usable(file, flags, *plan.entry);
  tell_about_targets(file, *plan.entry, session.console());
  know_columns(plan, flags, file);
  require_kernel(flags, plan, file.samples, naming_file(flags.file, [&] { return coded_rows(plan, file, session); }));
  session.bound_memory();
  return naming_file(flags.file, [&] {
    const FoldRows rows = counted_rows(file, *plan.entry, "score");
    const ScalingRule scaling = plan.scaling.value_or(usual_scaling(*plan.entry, plan.kernel, rows.data.samples));
    const FoldRecipe recipe{.entry = *plan.entry,
                            .kernel = plan.kernel,
                            .settings = plan.settings,
                            .schema = file.schema,
                            .coding = coding_of(plan.coding, file.format),
                            .scaling = scaling,
                            .prior = plan.prior,
                            .decision = decision_of(flags, rows.data),
                            .decisions = flags.decision_values()};
    const std::vector<Split> folds = folds_of(plan.folds, rows, session.run().seed());
    Result result{session.timed("folds", [&] { return score_by_folds(recipe, rows.data, folds, session.run()); }),
                  scaling};
    if (!recipe.decision.is_plain() && !result.scores.has_probabilities) {
      session.console().clear();
      session.console().note(answers_stay(flags.decisions, plan.entry->name));
    }
    return result;
  });
}

Json as_json(const Result& result, const FoldScoreFlags& flags, const Plan& plan, const Session& session) {
  Json settings = Json::object();
  for (const OptionSetting& setting : plan.settings) {
    settings[setting.name] = setting.value;
  }
  return {{"model", plan.entry->name},
          {"task", to_string(plan.entry->task)},
          {"kernel", plan.kernel ? Json(plan.kernel->spec()) : Json()},
          {"options", std::move(settings)},
          {"scaling", to_string(result.scaling)},
          {"data", flags.file},
          {"folds", {{"kind", to_string(plan.folds.kind)}, {"count", plan.folds.folds}}},
          {"n", result.scores.rows},
          {"level", 0.95},
          {"scores", scores_as_json(result.scores.pooled, result.scores.by_fold, flags.punt_error)},
          {"seconds", session.phases_as_json()},
          {"threads", session.run().threads()},
          {"seed", session.run().seed()}};
}

std::string as_text(const Result& result, const FoldScoreFlags& flags, const Plan& plan) {
  std::string text = fmt::format("{} by {} of {}, {} predicted by models of the others\n", plan.entry->name,
                                 describe(plan.folds), flags.file, counted(result.scores.rows, "row"));
  text += fmt::format("  kernel   {}\n", plan.kernel ? plan.kernel->spec() : "none");
  text += fmt::format("  scaling  {}, fitted within every fold\n", to_string(result.scaling));
  return text + scores_as_text(result.scores.pooled, plan.entry->task, result.scores.by_fold, flags.punt_error);
}

}  // namespace

void score_folds(const FoldScoreFlags& flags, Interruption& interruption) {
  Plan plan = make_plan(flags);
  Session session(flags.run, interruption);
  const Result result = compute(flags, plan, session);
  if (flags.run.json) {
    print_json(as_json(result, flags, plan, session));
  } else {
    print(as_text(result, flags, plan));
  }
}

}  // namespace mercer::program
