#include "model_input.h"

#include <fmt/format.h>

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/numbered_column.h"
#include "mercer/kernels/column_uses.h"
#include "mercer/report/predictions.h"
#include "training_file.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

// A target that is called after its number has that number in the next file, too. Any other name is a name.
void look_for_targets(const FittedModel& model, ReadOptions& options) {
  options.target_references = References::names;
  for (const std::string& name : model.output_names()) {
    if (const auto number = numbered_column(name)) {
      options.target_references = References::names_and_numbers;
      options.targets.push_back(std::to_string(*number));
    } else if (!name.empty()) {
      options.targets.push_back(name);
    }
  }
}

}  // namespace

std::vector<std::string> headings(const FittedModel& model) { return output_headings(model); }

void require_scored(const FittedModel& model) {
  if (!is_scored(model.task())) {
    throw UsageError(fmt::format("{} finds {}, which nothing says to be right or wrong: mercer predict writes them",
                                 model.name(), to_string(model.task())));
  }
}

const Targets* known_targets(const NewData& data, const FittedModel& model, const std::string& file) {
  const std::vector<std::string> names = headings(model);
  const Index found = data.targets ? data.targets->outputs() : 0;
  if (predicts_targets(model.task()) && found != static_cast<Index>(names.size())) {
    throw DataError({file}, fmt::format("{} of the model's targets found ({}); say where they are with --target", found,
                                        join(names, ", ")));
  }
  return data.targets ? &*data.targets : nullptr;
}

namespace {

// What was filled when the model was fitted is filled again; that rows are left out must be said each time.
MissingRule usual_missing_rule(const StoredModel& stored) {
  const Coding& coding = stored.preparation.coding;
  if (!coding.is_fitted) {
    const bool takes_missing = stored.model->has_kernel() && column_uses(stored.model->kernel()).takes_missing;
    return takes_missing ? MissingRule::kernel : MissingRule::reject;
  }
  return coding.missing == MissingRule::drop ? MissingRule::reject : coding.missing;
}

ReadOptions options_for_model(const DataFlags& flags, const StoredModel& stored, Presence targets) {
  const Kernel* const kernel = stored.model->has_kernel() ? &stored.model->kernel() : nullptr;
  ReadOptions options = flags.read_options(flags.missing_rule().value_or(usual_missing_rule(stored)), kernel);
  options.read_like(stored.preparation);
  options.label_kind = stored.label_kind;
  options.targets_presence = targets;
  if (options.targets.empty() && options.targets_file.empty() && predicts_targets(stored.model->task())) {
    look_for_targets(*stored.model, options);
  }
  return options;
}

}  // namespace

NewData read_for_model(const std::string& path, const DataFlags& flags, const StoredModel& stored, Presence targets,
                       Session& session, const std::string& weights) {
  ReadOptions options = options_for_model(flags, stored, targets);
  options.weights = weights;
  DataFile data = session.read(path, options);
  Samples samples = session.timed("scale", [&] { return stored.preparation.apply(data.samples, session.run()); });
  return {std::move(samples), std::move(data.targets), std::move(data.weights)};
}

Index rows_per_block(const StoredModel& stored) {
  constexpr Index numbers = Index{1} << 23;
  constexpr Index evaluated_at_a_time = 8192;
  const Index columns = std::max<Index>(1, input_columns(stored.preparation.schema));
  return evaluated_at_a_time * std::clamp<Index>(numbers / columns / evaluated_at_a_time, 1, 8);
}

NewRows::NewRows(const std::string& path, const DataFlags& flags, const StoredModel& stored, Presence targets,
                 Index most, Session& session)
    : path_(path), stored_(stored), session_(session) {
  session_.timed("read", [&] {
    naming_file(path_, [&] {
      batches_ = std::make_unique<DataBatches>(path_, options_for_model(flags, stored, targets), most, session_.run());
    });
  });
}

std::optional<NewData> NewRows::next() {
  std::optional<DataFile> block =
      session_.timed("read", [&] { return naming_file(path_, [&] { return batches_->next(); }); });
  if (!block) {
    return std::nullopt;
  }
  dropped_ += block->dropped_rows;
  Samples samples = session_.timed("scale", [&] { return stored_.preparation.apply(block->samples, session_.run()); });
  return NewData{std::move(samples), std::move(block->targets), std::move(block->weights)};
}

void NewRows::say_dropped() const { session_.say_dropped(dropped_); }

void add_new_data_flags(CLI::App& command, DataFlags& flags) {
  add_data_flags(command, flags);
  for (const char* name : {"--categorical", "--text", "--sets", "--precision"}) {
    command.remove_option(command.get_option(name));
  }
}

}  // namespace mercer::program
