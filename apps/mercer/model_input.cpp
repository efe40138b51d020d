#include "model_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/numbered_column.h"
#include "mercer/kernels/column_uses.h"
#include "mercer/models/prior_columns.h"
#include "mercer/report/predictions.h"
#include "training_file.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

// Whether the training file had no line of names. Models of before called its inputs x0, x1 …
bool has_places_for_names(const Schema& schema) {
  const bool is_of_before =
      schema.file_names.empty() && !schema.columns.empty() && schema.columns.front().name.starts_with('x');
  return schema.file_columns > 0 || schema.columns.empty() || is_of_before;
}

// A target that is called after its number has that number in the next file, too. Any other name is a name.
void look_for_targets(const FittedModel& model, ReadOptions& options) {
  options.target_references = References::names;
  for (const std::string& name : model.output_names()) {
    if (const auto number = has_places_for_names(*options.schema) ? numbered_column(name) : std::nullopt) {
      options.target_references = References::names_and_numbers;
      options.targets.push_back(std::to_string(*number));
    } else if (!name.empty()) {
      options.targets.push_back(name);
    }
  }
}

}  // namespace

std::vector<std::string> headings(const FittedModel& model) { return output_headings(model); }

std::string lag_list(const Embedding& embedding) {
  const std::vector<std::string> lags = embedding.names();
  return fmt::format("{}  (--embed {})",
                     lags.size() < 4 ? join(lags, ", ") : fmt::format("{}, {}, ... {}", lags[0], lags[1], lags.back()),
                     to_string(embedding.delays));
}

Json embedding_as_json(const Embedding& embedding) {
  return {{"series", embedding.series.name}, {"lags", embedding.delays.lags}, {"delay", embedding.delays.delay}};
}

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

MissingRule usual_missing_rule(const StoredModel& stored) {
  const Coding& coding = stored.preparation.coding;
  if (!coding.is_fitted) {
    const bool takes_missing = stored.model->has_kernel() && column_uses(stored.model->kernel()).takes_missing;
    return takes_missing ? MissingRule::kernel : MissingRule::reject;
  }
  return coding.missing;
}

namespace {

// Whether what is asked for can be done with what the model knows of missing numbers.
bool can_be_done(MissingRule asked, MissingRule usual, const Coding& coding) {
  const bool has_indicators = std::ranges::any_of(coding.numbers, &NumberCoding::has_indicator);
  const bool has_medians = coding.is_fitted && usual != MissingRule::kernel;
  return asked == usual || asked == MissingRule::drop || asked == MissingRule::reject ||
         (asked == MissingRule::fill && has_medians && !has_indicators);
}

void require_possible(MissingRule asked, const StoredModel& stored) {
  const Coding& coding = stored.preparation.coding;
  const MissingRule usual = usual_missing_rule(stored);
  if (can_be_done(asked, usual, coding)) {
    return;
  }
  std::vector<std::string> possible;
  for (const Word<MissingRule>& rule : words_of(MissingRule{})) {
    if (can_be_done(rule.value, usual, coding)) {
      possible.emplace_back(rule.text);
    }
  }
  throw UsageError(
      fmt::format("--missing {}: the model was fitted {}, and what becomes of missing numbers is a part of it. "
                  "It takes {}; without the flag it does as at training. For another rule fit it again",
                  to_string(asked), fmt::format("with --missing {}", to_string(usual)), join(possible, ", ")));
}

// Values of the series may be missing, whatever becomes of other columns.
void read_series_of(const DataFlags& flags, const StoredModel& stored, MissingRule rule, ReadOptions& options) {
  const Embedding& embedding = *stored.preparation.embedding;
  if (!flags.targets.empty() || !flags.targets_file.empty()) {
    throw UsageError(
        fmt::format("--target: the model predicts the series '{}' from its own past, and looks for it by "
                    "that name",
                    embedding.series.name));
  }
  const std::vector<std::string> complete = options.complete;
  read_as_series(options);
  options.incomplete = {embedding.series.name};
  if (options.missing == MissingValues::reject && rule == MissingRule::reject) {
    options.missing = MissingValues::keep;
    options.complete = embedding.companions(stored.preparation.schema);
  } else {
    const std::vector<std::string> companions = embedding.companions(stored.preparation.schema);
    std::ranges::copy_if(complete, std::back_inserter(options.complete), [&](const std::string& name) {
      return std::ranges::find(companions, name) != companions.end();
    });
  }
}

// A model of a series takes the rows of its file with their past; without one, they are left out.
SeriesGaps embed_new_rows(DataFile& file, const StoredModel& stored, SeriesValue wanted, const std::string& path) {
  if (!stored.preparation.embedding) {
    return {};
  }
  return naming_file(path, [&] { return embed_file(file, *stored.preparation.embedding, wanted); });
}

void say_series_gaps(const SeriesGaps& gaps, Session& session) {
  if (gaps.beginning + gaps.missing > 0) {
    session.console().note(
        fmt::format("{} of the series without a complete past: {} at its beginning, {} for missing values",
                    counted(gaps.beginning + gaps.missing, "row"), gaps.beginning, gaps.missing));
  }
}

SeriesValue series_value(Presence targets) {
  return targets == Presence::ignored ? SeriesValue::any : SeriesValue::needed;
}

ReadOptions options_for_model(const DataFlags& flags, const StoredModel& stored, Presence targets) {
  if (const auto asked = flags.missing_rule()) {
    require_possible(*asked, stored);
  }
  const Kernel* const kernel = stored.model->has_kernel() ? &stored.model->kernel() : nullptr;
  const MissingRule rule = flags.missing_rule().value_or(usual_missing_rule(stored));
  ReadOptions options = flags.read_options(rule, kernel, NumbersOf::samples);
  options.unlabeled = rule == MissingRule::reject ? UnlabeledRows::reject : UnlabeledRows::left_out;
  options.read_like(stored.preparation);
  options.schema = file_schema(stored.preparation);
  options.label_kind = stored.label_kind;
  options.targets_presence = targets;
  if (stored.preparation.embedding) {
    read_series_of(flags, stored, rule, options);
  } else if (options.targets.empty() && options.targets_file.empty() && predicts_targets(stored.model->task())) {
    look_for_targets(*stored.model, options);
  }
  return options;
}

}  // namespace

namespace {

// What is unknown or filled is counted here, and said when all rows are read.
Samples prepared(const Samples& raw, const StoredModel& stored, CodingGaps& gaps, const Run& run) {
  const Preparation& preparation = stored.preparation;
  const Samples described = apply_schema(raw, preparation.schema, run);
  gaps.add(find_gaps(preparation.coding, described, preparation.schema));
  return preparation.apply(raw, run.quiet());
}

}  // namespace

NewData read_for_model(const std::string& path, const DataFlags& flags, const StoredModel& stored, Presence targets,
                       Session& session, const std::string& weights) {
  ReadOptions options = options_for_model(flags, stored, targets);
  options.weights = weights;
  DataFile data = session.read(path, options);
  say_series_gaps(embed_new_rows(data, stored, series_value(targets), path), session);
  CodingGaps gaps;
  Samples samples = session.timed("scale", [&] { return prepared(data.samples, stored, gaps, session.run()); });
  session.say_gaps(gaps);
  const Index file_rows = data.samples.size() + data.dropped_rows;
  return {.samples = std::move(samples),
          .targets = std::move(data.targets),
          .weights = std::move(data.weights),
          .kept_rows = std::move(data.kept_rows),
          .file_rows = file_rows};
}

DataFile read_series(const std::string& path, const DataFlags& flags, const StoredModel& stored, Session& session) {
  return session.read(path, options_for_model(flags, stored, Presence::ignored));
}

Index rows_per_block(const StoredModel& stored) {
  if (stored.preparation.embedding) {
    return std::numeric_limits<Index>::max();
  }
  constexpr Index numbers = Index{1} << 23;
  constexpr Index evaluated_at_a_time = 8192;
  const Index columns = std::max<Index>(1, input_columns(stored.preparation.schema));
  return evaluated_at_a_time * std::clamp<Index>(numbers / columns / evaluated_at_a_time, 1, 8);
}

NewRows::NewRows(const std::string& path, const DataFlags& flags, const StoredModel& stored, Presence targets,
                 Index most, Session& session)
    : path_(path), stored_(stored), session_(session), series_value_(series_value(targets)) {
  session_.timed("read", [&] {
    naming_file(path_, [&] {
      ReadOptions options = options_for_model(flags, stored, targets);
      // A prediction has an answer for every row, if an empty one.
      options.rows_left = targets == Presence::ignored ? RowsLeft::any : RowsLeft::some;
      batches_ = std::make_unique<DataBatches>(path_, std::move(options), most, session_.run());
    });
  });
}

std::optional<NewData> NewRows::next() {
  std::optional<DataFile> block =
      session_.timed("read", [&] { return naming_file(path_, [&] { return batches_->next(); }); });
  if (!block) {
    return std::nullopt;
  }
  dropped_ += block->dropped_rows - block->unlabeled_rows;
  unlabeled_ += block->unlabeled_rows;
  const Index file_rows = block->samples.size() + block->dropped_rows;
  series_gaps_ = embed_new_rows(*block, stored_, series_value_, path_);
  Samples samples = session_.timed("scale", [&] { return prepared(block->samples, stored_, gaps_, session_.run()); });
  return NewData{.samples = std::move(samples),
                 .targets = std::move(block->targets),
                 .weights = std::move(block->weights),
                 .kept_rows = std::move(block->kept_rows),
                 .file_rows = file_rows};
}

void NewRows::say_dropped() const {
  session_.say_dropped(dropped_);
  session_.say_unlabeled(unlabeled_);
  say_series_gaps(series_gaps_, session_);
  session_.say_gaps(gaps_);
}

void add_new_data_flags(CLI::App& command, DataFlags& flags) {
  add_data_flags(command, flags);
  for (const char* name : {"--columns", "--ignore", "--dates", "--categorical", "--text", "--sets", "--precision"}) {
    command.remove_option(command.get_option(name));
  }
}

}  // namespace mercer::program
