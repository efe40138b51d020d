#include "training_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/columns.h"
#include "mercer/data/constant_columns.h"
#include "mercer/data/files/output_encoder.h"
#include "mercer/data/files/series_rows.h"
#include "mercer/data/files/table_layout.h"
#include "mercer/data/notation.h"
#include "mercer/data/target_look.h"
#include "mercer/io/model_file.h"
#include "mercer/kernels/column_uses.h"
#include "mercer/kernels/fitting_kernels.h"
#include "mercer/models/prior.h"
#include "mercer/models/prior_columns.h"
#include "mercer/models/stored_model.h"
#include "parametric_columns.h"
#include "session.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

template <class Wanted>
std::string names_of(Wanted wanted) {
  std::vector<std::string> names;
  for (const ModelEntry* entry : model_registry()) {
    if (wanted(*entry)) {
      names.push_back(entry->name);
    }
  }
  return join(names, ", ");
}

std::string column_list(const Schema& schema) {
  if (schema.columns.empty()) {
    return fmt::format("numbers 0 to {}", schema.numeric_columns - 1);
  }
  std::vector<std::string> names;
  for (const SchemaColumn& column : schema.columns) {
    if (names.size() == 20) {
      names.emplace_back("...");
      break;
    }
    names.push_back(column.name);
  }
  return join(names, ", ");
}

// --precision and --memory as options of models that have such, unless they are set.
void pass_on_flags(const ModelEntry& entry, const RunFlags& run, const DataFlags& data,
                   std::vector<OptionSetting>& settings) {
  const auto pass_on = [&](const char* name, const std::string& value) {
    const bool exists = std::any_of(entry.options.begin(), entry.options.end(),
                                    [&](const OptionDescription& option) { return option.name == name; });
    const bool is_set = std::any_of(settings.begin(), settings.end(),
                                    [&](const OptionSetting& setting) { return setting.name == name; });
    if (exists && !is_set) {
      settings.push_back({name, value});
    }
  };
  if (data.precision != "double") {
    pass_on("precision", data.precision);
  }
  if (run.memory_mb > 0) {
    pass_on("memory_mb", shortest(run.memory_mb));
  }
}

void require_noise_is_used(const TrainingFlags& flags, const ModelEntry& entry) {
  const auto models_with = [](NoiseMeaning meaning) {
    return names_of([=](const ModelEntry& other) { return other.noise == meaning; });
  };
  if (!flags.noise.empty() && entry.noise != NoiseMeaning::variance) {
    throw UsageError(
        fmt::format("--noise: {} makes no use of known noise variances. Models that do: {}. --weights "
                    "gives rows another importance",
                    entry.name, models_with(NoiseMeaning::variance)));
  }
  if (!flags.tube.empty() && entry.noise != NoiseMeaning::tube_width) {
    throw UsageError(fmt::format("--tube: {} makes no use of widths of a tube per row. Models that do: {}", entry.name,
                                 models_with(NoiseMeaning::tube_width)));
  }
}

void require_prior_is_taken(const std::string& prior, const ModelEntry& entry) {
  if (!prior.empty() && !entry.takes_prior) {
    throw UsageError(fmt::format("--prior: {} cannot begin with a function that is known. Models that can: {}",
                                 entry.name, names_of([](const ModelEntry& other) { return other.takes_prior; })));
  }
}

void require_missing_are_taken(const TrainingFlags& flags, const TrainingPlan& plan) {
  if (flags.data.missing_rule() != MissingRule::kernel || (plan.kernel && column_uses(*plan.kernel).takes_missing)) {
    return;
  }
  throw UsageError(
      plan.kernel ? fmt::format("--missing kernel: no part of {0} takes missing values; if_present({0}) does",
                                plan.kernel->spec())
                  : fmt::format("--missing kernel: {} has no kernel that could take missing values", plan.entry->name));
}

// What a user may name as target, or do where nothing can be named.
std::string target_advice(const DataFile& data) {
  switch (data.format) {
    case FileFormat::fasta:
      return "--target KEY finds KEY=value in the headers, and id is their first word; or give a file of labels with "
             "--targets-file";
    case FileFormat::graphs:
      return "there is no file of graph labels beside the edges; give one with --targets-file";
    case FileFormat::texts:
      return "the texts do not stand in folders of classes; give a file of labels with --targets-file";
    case FileFormat::lines:
      return "give a file of labels, one per line, with --targets-file";
    default:
      return "Name it with --target; the columns are " + column_list(data.schema);
  }
}

bool are_dates(const std::vector<std::string>& texts) {
  NotationFinder finder(NotationFinder::Wanted::dates, NotationFinder::DecimalComma::impossible);
  for (const std::string& text : texts) {
    finder.add(text);
  }
  const NotationFinder::Finding found = finder.find();
  return found.notation != Notation::plain || found.doubt == NotationFinder::Finding::Doubt::day_or_month;
}

void require_numbers(const TargetColumn& column, const ModelEntry& entry, const std::string& file) {
  if (column.is_numeric()) {
    return;
  }
  const std::vector<std::string>& levels = column.labels.levels;
  const std::vector<std::string> shown(
      levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, levels.size())));
  if (are_dates(levels)) {
    throw DataError({file},
                    fmt::format("target '{}' holds dates or times ({}{}), and {} predicts numbers: write them as "
                                "such, days since some day for example",
                                column.name, join(shown, ", "), levels.size() > 3 ? ", ..." : "", entry.name));
  }
  throw DataError(
      {file},
      fmt::format("target '{}' holds class labels ({}{}), and {} predicts numbers. Its like for "
                  "classes is {}. Models that classify: {}",
                  column.name, join(shown, ", "), levels.size() > 3 ? ", ..." : "", entry.name, entry.counterpart,
                  names_of([](const ModelEntry& other) { return other.task == Task::classification; })));
}

void require_classes(const TargetColumn& column, const ModelEntry& entry, const std::string& file) {
  const TargetSummary summary = look_at(column);
  if (summary.look == TargetLook::continuous) {
    throw DataError({file},
                    fmt::format("target '{}' holds {} different numbers with fractions: a quantity, and {} tells "
                                "classes apart. Its like for quantities is {}. If every number is a class, write "
                                "them as words",
                                column.name, summary.different, entry.name, entry.counterpart));
  }
}

void require_usable_targets(const DataFile& data, const TrainingFlags& flags, const ModelEntry& entry) {
  if (!uses_targets(entry)) {
    return;
  }
  if (!data.targets) {
    throw UsageError(fmt::format("{}: which column is to be predicted? {}", flags.file, target_advice(data)));
  }
  for (const TargetColumn& column : data.targets->columns()) {
    if (entry.task == Task::regression) {
      require_numbers(column, entry, flags.file);
    } else if (entry.task == Task::classification && !takes_degrees(flags)) {
      require_classes(column, entry, flags.file);
    }
  }
}

// A sum with one term per column, for the first few.
std::string column_kernels(const Table& table) {
  std::vector<std::string> terms;
  for (const Table::Column& column : table.others()) {
    const std::string_view advice = fitting_kernels(column.values.kind());
    terms.push_back(std::string(advice.substr(0, advice.find(' '))) +
                    to_string(ColumnSelection{{ColumnName{column.name}}}));
    if (terms.size() == 3) {
      break;
    }
  }
  return join(terms, " + ");
}

std::string described(const Samples& samples, const Samples& seen) {
  return seen.is_numeric() ? counted(samples.columns(), "column") + " and no numbers"
                           : std::string(to_string(seen.kind()));
}

}  // namespace

bool takes_degrees(const TrainingFlags& flags) {
  return std::ranges::any_of(flags.settings, [](const std::string& text) {
    const OptionSetting setting = parse_setting(text);
    return setting.name == "uncertain" && setting.value != "no";
  });
}

namespace {

// By their names in a file.
std::vector<std::string> columns_of_prior(const TrainingPlan& plan) {
  std::vector<std::string> names;
  if (const auto* prior = dynamic_cast<const PriorModel*>(plan.prior.get())) {
    for (const SchemaColumn& column : file_schema(prior->stored().preparation).columns) {
      names.push_back(column.part == DatePart::none ? column.name : column.dates);
    }
  }
  return names;
}

// Whatever the kernel and the flags leave out.
void read_for_prior(ReadOptions& options, const TrainingPlan& plan) {
  const std::vector<std::string> names = columns_of_prior(plan);
  for (std::vector<std::string>* const chosen : {&options.inputs, &options.needed}) {
    if (!chosen->empty()) {
      chosen->insert(chosen->end(), names.begin(), names.end());
    }
  }
  std::erase_if(options.ignored,
                [&](const std::string& column) { return std::ranges::find(names, column) != names.end(); });
}

}  // namespace

ReadOptions TrainingFlags::read_options(const TrainingPlan& plan) const {
  const std::optional<Kernel> seeing = plan.seeing();
  ReadOptions options = data.read_options(plan.coding.missing, seeing ? &*seeing : nullptr);
  options.weights = weights;
  options.noise = tube.empty() ? noise : tube;  // no model takes both
  if (!tube.empty()) {
    options.noise_meaning = "width of the tube";
  }
  options.unlabeled = plan.coding.missing == MissingRule::reject ? UnlabeledRows::reject : UnlabeledRows::left_out;
  if (!uses_targets(*plan.entry)) {
    options.targets_presence = Presence::optional;
  }
  read_for_prior(options, plan);
  if (plan.delays) {
    if (!options.inputs.empty()) {
      options.inputs.push_back(data.targets.front());
    }
    read_as_series(options);
  }
  return options;
}

namespace {

std::optional<Delays> delays_of(const TrainingFlags& flags, const ModelEntry& entry) {
  if (flags.embed.empty()) {
    return std::nullopt;
  }
  if (entry.task != Task::regression) {
    throw UsageError(fmt::format("--embed makes rows for models that predict numbers, and {} is a model of {}",
                                 entry.name, to_string(entry.task)));
  }
  if (flags.data.targets.size() != 1 || !flags.data.targets_file.empty()) {
    throw UsageError("--embed: name the column that is the series with --target, one column of the file");
  }
  return reading("--embed", [&] { return parse_delays(flags.embed); });
}

}  // namespace

void add_embed_flag(CLI::App& command, TrainingFlags& flags) {
  command
      .add_option(
          "--embed", flags.embed,
          "the target is a time series, its rows in the order of time: it is predicted from its own N values that "
          "lie TAU, 2 TAU, ... N TAU rows back, columns y(t-TAU) ..., beside the other columns at t. The model keeps "
          "it: predict and score take the series itself")
      ->type_name("N,TAU")
      ->check(CLI::Validator(
          [](const std::string& text) { return text.empty() ? "two whole numbers N,TAU are expected" : ""; }, ""));
}

void embed_rows_of(TrainingPlan& plan, const TrainingFlags& flags, DataFile& data, Session& session) {
  if (!plan.delays) {
    return;
  }
  const Index all = data.samples.size();
  const SeriesGaps gaps = naming_file(flags.file, [&] {
    plan.embedding = find_embedding(data, flags.data.targets.front(), *plan.delays);
    const SeriesGaps left_out = embed_file(data, *plan.embedding, SeriesValue::needed);
    if (data.samples.size() == 0) {
      EmbeddedRows none;
      none.beginning = left_out.beginning;
      none.missing = left_out.missing;
      none.require_some(*plan.delays);
    }
    return left_out;
  });
  session.console().note(fmt::format(
      "series {}: {} of {} looking back {}{}", plan.embedding->series.name, data.samples.size(), counted(all, "row"),
      counted(plan.delays->reach(), "row"),
      gaps.missing > 0
          ? fmt::format("; {} with a missing value, now or in the past, left out", counted(gaps.missing, "row"))
          : ""));
}

TrainingPlan plan_training(const TrainingFlags& flags) {
  const ModelEntry& entry = reading("", [&]() -> const ModelEntry& { return find_model(flags.model); });
  require_noise_is_used(flags, entry);
  require_prior_is_taken(flags.prior, entry);
  TrainingPlan plan{&entry, reading("--kernel", [&] { return kernel_for(entry, flags.kernel); }), {}, {}, {}, {}};
  plan.settings = parse_settings(entry.name, entry.options, flags.settings);
  const auto sets_epsilon = [](const OptionSetting& setting) { return setting.name == "epsilon"; };
  if (!flags.tube.empty() && std::ranges::any_of(plan.settings, sets_epsilon)) {
    throw UsageError("--tube gives every row a width of its own, and epsilon is one for all: leave out one of them");
  }
  plan.delays = delays_of(flags, entry);
  pass_on_flags(entry, flags.run, flags.data, plan.settings);
  if (flags.scale != "auto") {
    plan.scaling = reading("--scale", [&] { return parse_scaling(flags.scale); });
  }
  require_missing_are_taken(flags, plan);
  if (flags.scale == "auto" && need_units(plan.settings)) {
    plan.scaling = ScalingRule{};
  }
  plan.coding = usual_coding(entry, plan.seeing(), flags.data.missing_rule());
  return plan;
}

TrainingPlan plan_training_at_values(const TrainingFlags& flags) {
  TrainingPlan plan = plan_training(flags);
  reading("", [&] { plan.entry->check(plan.settings); });
  return plan;
}

namespace {

std::vector<std::string> inputs_of(const DataFile& data) {
  std::vector<std::string> inputs;
  for (const SchemaColumn& column : data.schema.columns) {
    inputs.push_back(column.name);
  }
  return inputs;
}

std::vector<std::string> targets_of(const DataFile& data) {
  std::vector<std::string> targets;
  if (data.targets) {
    for (const TargetColumn& column : data.targets->columns()) {
      targets.push_back(column.name);
    }
  }
  return targets;
}

}  // namespace

std::optional<Kernel> TrainingPlan::seeing() const {
  return kernel ? std::optional(seeing_functions(*kernel, settings)) : std::nullopt;
}

namespace {

void require_prior_of_targets(const TrainingPlan& plan, const TrainingFlags& flags, const DataFile& data) {
  const auto* const prior = dynamic_cast<const PriorModel*>(plan.prior.get());
  if (prior == nullptr || !data.targets) {
    return;
  }
  const std::vector<std::string> outputs = prior->stored().model->output_names();
  if (static_cast<Index>(outputs.size()) != data.targets->outputs()) {
    throw UsageError(
        fmt::format("--prior {}: it predicts {} ({}), and there {}: it must be of the same targets", flags.prior,
                    counted(static_cast<Index>(outputs.size()), "target"), join(outputs, ", "),
                    data.targets->outputs() == 1 ? std::string("is 1 target")
                                                 : fmt::format("are {} targets", data.targets->outputs())));
  }
}

}  // namespace

void leave_to_prior(const TrainingPlan& plan, const TrainingFlags& flags, DataFile& data) {
  require_prior_of_targets(plan, flags, data);
  const DataFlags& chosen = flags.data;
  if (data.schema.columns.empty() || (chosen.columns.empty() && chosen.ignored.empty())) {
    return;
  }
  const auto is_among = [&](const std::vector<std::string>& references, const std::string& name) {
    return std::ranges::any_of(references, [&](const std::string& reference) {
      const std::vector<std::size_t> found = find_columns(reference, data.columns);
      return std::ranges::any_of(found, [&](std::size_t c) { return data.columns[c] == name; });
    });
  };
  for (const std::string& name : columns_of_prior(plan)) {
    const bool is_input = (chosen.columns.empty() || is_among(chosen.columns, name)) && !is_among(chosen.ignored, name);
    const bool is_in_file = std::ranges::find(data.columns, name) != data.columns.end();
    if (is_input || !is_in_file) {
      continue;
    }
    std::erase_if(data.schema.columns,
                  [&](const SchemaColumn& column) { return column.name == name || column.dates == name; });
  }
  data.schema.numeric_columns = std::ranges::count(data.schema.columns, ColumnKind::numeric, &SchemaColumn::kind);
}

Kernel kernel_for_file(const Kernel& kernel, const DataFile& data) {
  if (data.columns.empty()) {
    return kernel;
  }
  return reading("--kernel", [&] {
    Kernel named = with_named_columns(kernel, data.columns, inputs_of(data), targets_of(data));
    require_numbers_for_vectors(named, data.schema);
    return named;
  });
}

void know_columns(TrainingPlan& plan, const TrainingFlags& flags, const DataFile& data) {
  if (!data.columns.empty()) {
    reading("--set parametric",
            [&] { name_parametric_columns(plan.settings, data.columns, inputs_of(data), targets_of(data)); });
  }
  if (plan.kernel) {
    plan.kernel = kernel_for_file(*plan.kernel, data);
    plan.coding = usual_coding(*plan.entry, plan.seeing(), flags.data.missing_rule());
  }
}

namespace {

// if_present() leaves columns as they are, so that a kernel on vectors without a subscript sees the numbers alone.
void tell_about_unseen_categories(const TrainingPlan& plan, const Schema& schema, Console& console) {
  const ColumnUses uses = plan.kernel ? column_uses(*plan.kernel) : ColumnUses{};
  if (!uses.takes_missing || !uses.vectors_by_default || uses.others_by_default) {
    return;
  }
  std::vector<std::string> unseen;
  for (const SchemaColumn& column : schema.columns) {
    if (column.kind == ColumnKind::categorical &&
        std::ranges::find(uses.subscripted, column.name) == uses.subscripted.end()) {
      unseen.push_back(column.name);
    }
  }
  if (!unseen.empty()) {
    console.note(fmt::format("{} sees numbers alone, and not the categories of {}; + if_present(delta()) would",
                             plan.kernel->spec(), join(unseen, ", ")));
  }
}

}  // namespace

CodingRule coding_of(const CodingRule& rule, FileFormat format) {
  return format == FileFormat::csv || format == FileFormat::json_lines ? rule : CodingRule{};
}

void add_empty_columns(Coding& coding, const DataFile& data) {
  for (const std::string& column : data.empty_columns) {
    coding.left_out.push_back({column, LeftOutReason::empty});
  }
}

void require_kernel(const TrainingFlags& flags, const TrainingPlan& plan, const Samples& raw, const Samples& prepared) {
  const Samples vectors = default_columns(prepared);
  const bool has_vectors = prepared.is_numeric() || (vectors.is_numeric() && vectors.columns() > 0);
  if (!plan.kernel || !flags.kernel.empty() || has_vectors) {
    return;
  }
  const Samples seen = default_columns(raw);
  throw UsageError(
      fmt::format("{} holds {}, and the usual kernel of {}, {}, takes vectors. Choose another one with -k: {}",
                  flags.file, described(raw, seen), plan.entry->name, plan.entry->default_kernel,
                  seen.is_numeric() ? column_kernels(raw.table()) : std::string(fitting_kernels(seen.kind()))));
}

PreparedTraining prepare_training(const TrainingFlags& flags, const TrainingPlan& plan, DataFile data,
                                  Session& session) {
  return session.timed("scale", [&] {
    const ScalingRule rule = plan.scaling.value_or(usual_scaling(*plan.entry, plan.kernel, data.samples));
    Preparation preparation = naming_file(flags.file, [&] {
      return reading("--scale", [&] {
        return fit_preparation(data.schema, coding_of(plan.coding, data.format), rule, {data.samples, data.weights},
                               flags.data.stored_precision());
      });
    });
    preparation.embedding = plan.embedding;
    add_empty_columns(preparation.coding, data);
    preparation.prior = plan.prior;
    tell_about_unseen_categories(plan, data.schema, session.console());
    if (const std::string said = said_of_constants(preparation, data.samples); !said.empty()) {
      session.run().warn(flags.file + ": " + said);
    }
    Samples samples = preparation.apply(data.samples, session.run());
    require_kernel(flags, plan, data.samples, samples);
    return PreparedTraining{std::move(preparation),
                            {std::move(samples), data.targets ? *std::move(data.targets) : Targets(),
                             std::move(data.weights), std::move(data.noise), std::move(data.groups.codes)}};
  });
}

namespace {

// A prior function of a series looks back: the rows of the new fit must look as far back, at the same steps.
void require_lags_of_prior(const TrainingPlan& plan, const TrainingFlags& flags, const Preparation& prior) {
  if (!prior.embedding) {
    return;
  }
  const Delays& wanted = prior.embedding->delays;
  const bool has_lags = plan.delays && wanted.delay % plan.delays->delay == 0 && wanted.reach() <= plan.delays->reach();
  if (!has_lags) {
    throw UsageError(fmt::format(
        "--prior {0}: it predicts a series from its past, with --embed {1}, and rows of this "
        "{2} do not hold that past: give --embed {1}",
        flags.prior, to_string(wanted), plan.delays ? "--embed " + to_string(*plan.delays) : std::string("fit")));
  }
}

}  // namespace

void load_prior(TrainingPlan& plan, const TrainingFlags& flags, Session& session) {
  if (flags.prior.empty()) {
    return;
  }
  StoredModel stored = session.timed("load", [&] { return load_model(flags.prior, session.run()); });
  require_lags_of_prior(plan, flags, stored.preparation);
  plan.prior = reading("--prior " + flags.prior, [&] { return std::make_shared<const PriorModel>(std::move(stored)); });
}

void add_prior_flag(CLI::App& command, TrainingFlags& flags, const std::string& group) {
  CLI::Option* const option = command.add_option("--prior", flags.prior,
                                                 "a model file whose function is known before the fit: what is learned "
                                                 "is added to it, and the distance to it is what "
                                                 "the penalty prices. It goes into the model file");
  option->type_name("MODEL");
  if (!group.empty()) {
    option->group(group);
  }
}

void add_tube_flag(CLI::App& command, TrainingFlags& flags, const std::string& group) {
  CLI::Option* const option =
      command.add_option("--tube", flags.tube,
                         "column of the error of every row that costs nothing, in units of the target, for models that "
                         "have tubes per row (svr)");
  option->type_name("COL");
  if (!group.empty()) {
    option->group(group);
  }
}

std::string model_output(const TrainingFlags& flags) {
  return flags.output.empty() ? default_model_name(flags.file) : flags.output;
}

FileRoles training_files(const TrainingFlags& flags) {
  FileRoles files;
  files.reads_data(flags.file, flags.data);
  files.reads("the prior function", flags.prior);
  return files;
}

std::string default_model_name(const std::string& input) {
  if (input == "-") {
    throw UsageError("data comes from standard input, so the model needs a name: -o NAME.mercer");
  }
  std::filesystem::path name = std::filesystem::path(input).filename();
  if (name.empty()) {
    name = std::filesystem::path(input).parent_path().filename();  // a folder written with a slash behind it
  }
  name = without_compression(name.string());
  return name.stem().string() + ".mercer";
}

void require_column(const char* flag, const std::string& column, ColumnFound found, const DataFile& data,
                    const std::string& file) {
  if (!column.empty() && found == ColumnFound::no && data.samples.size() > 0) {
    throw UsageError(fmt::format("{} {}: {} is read as {}, and only CSV, JSON lines and FASTA files have such a column",
                                 flag, column, file, to_string(data.format)));
  }
}

void require_usable(const DataFile& data, const TrainingFlags& flags, const ModelEntry& entry) {
  const auto found = [](const std::vector<double>& values) {
    return values.empty() ? ColumnFound::no : ColumnFound::yes;
  };
  require_column("--weights", flags.weights, found(data.weights), data, flags.file);
  require_column("--noise", flags.noise, found(data.noise), data, flags.file);
  require_column("--tube", flags.tube, found(data.noise), data, flags.file);
  require_usable_targets(data, flags, entry);
}

void tell_about_targets(const DataFile& data, const ModelEntry& entry, Console& console) {
  if (!predicts_targets(entry.task) || !data.targets) {
    return;
  }
  for (const TargetColumn& column : data.targets->columns()) {
    const TargetSummary summary = look_at(column);
    if (entry.task == Task::classification && summary.look == TargetLook::counts) {
      console.note(
          fmt::format("target '{}' holds {} different whole numbers, some of them in one or two rows: {} takes each "
                      "for a class. If they are a quantity, take {}",
                      column.name, summary.different, entry.name, entry.counterpart));
    }
    if (entry.task == Task::regression && summary.look == TargetLook::two_numbers) {
      console.note(
          fmt::format("target '{}' holds two numbers alone: {} takes them for a quantity. If they are classes, "
                      "take {}",
                      column.name, entry.name, entry.counterpart));
    }
  }
}

Index input_columns(const Schema& schema) {
  const bool is_numeric =
      schema.kind == SampleKind::dense || schema.kind == SampleKind::sparse || schema.kind == SampleKind::table;
  if (!is_numeric) {
    return 1;
  }
  return schema.columns.empty() ? schema.numeric_columns : static_cast<Index>(schema.columns.size());
}

}  // namespace mercer::program
