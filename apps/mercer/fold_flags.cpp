#include "fold_flags.h"

#include <fmt/format.h>

#include "mercer/base/text.h"
#include "training_file.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

Index fold_count(const std::string& text) {
  const auto count = parse_integer(text);
  if (!count || *count < 1) {
    throw UsageError(fmt::format("--folds {}: must be a whole number, or loo for leave-one-out", text));
  }
  return *count;
}

}  // namespace

FoldPlan fold_plan(const FoldFlags& flags, const ModelEntry& entry, SampleOrder usual) {
  const bool one_by_one = flags.folds == "loo";
  if ((one_by_one ? 1 : 0) + (flags.time_order ? 1 : 0) + (flags.groups.empty() ? 0 : 1) > 1) {
    throw UsageError("--folds loo, --time-order and --groups are three ways to cut rows into folds: take one of them");
  }
  FoldPlan plan;
  plan.repeats = flags.repeats;
  if (one_by_one) {
    plan.kind = FoldKind::leave_one_out;
    return plan;
  }
  plan.folds = fold_count(flags.folds);
  const bool in_order = flags.time_order || (usual == SampleOrder::kept && flags.groups.empty());
  plan.kind = in_order                                              ? FoldKind::time_ordered
              : !flags.groups.empty()                               ? FoldKind::grouped
              : entry.task == Task::regression || flags.no_stratify ? FoldKind::shuffled
                                                                    : FoldKind::stratified;
  if (plan.folds < 2 && plan.kind != FoldKind::time_ordered) {
    throw UsageError("--folds 1: two folds are needed at least, a row is predicted by a model of the others");
  }
  return plan;
}

void require_groups(const FoldFlags& flags, const DataFile& data, const std::string& file) {
  require_column("--groups", flags.groups, data.groups.codes.empty() ? ColumnFound::no : ColumnFound::yes, data, file);
}

void add_fold_flags(CLI::App& command, FoldFlags& flags) {
  const std::string group = "Folds";
  command.add_option("--folds", flags.folds, "number of folds, or loo for leave-one-out (default 5)")
      ->type_name("K")
      ->group(group);
  command
      .add_option(
          "--groups", flags.groups,
          "column of groups: rows of one group stay in one fold and, where the model is fitted with --set slack=group "
          "(svc, nusvc), share one slack; a row without a value is a group of its own")
      ->type_name("COL")
      ->group(group);
  command
      .add_flag("--time-order", flags.time_order,
                "rows are in the order of time: every fold is predicted from the rows before it (usual with --embed, "
                "whose rows overlap)")
      ->group(group);
  command.add_flag("--no-stratify", flags.no_stratify, "folds of classes without keeping their proportions")
      ->group(group);
}

}  // namespace mercer::program
