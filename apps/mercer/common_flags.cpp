#include "common_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "usage_error.h"

namespace mercer::program {

void add_run_flags(CLI::App& command, RunFlags& flags) {
  const std::string group = "Running";
  command.add_option("--threads", flags.threads, "threads; 0: one per core. Results do not depend on it")
      ->type_name("N")
      ->check(CLI::Range(0, 4096))
      ->group(group);
  command.add_option("--seed", flags.seed, "seed of everything random (default 0)")->type_name("N")->group(group);
  command
      .add_option("--memory", flags.memory_mb,
                  "memory to allocate beyond the data, in MB (default: what the machine has free)")
      ->type_name("MB")
      ->check(CLI::PositiveNumber)
      ->group(group);
  command.add_flag("--json", flags.json, "print the result as one JSON object")->group(group);
  command.add_flag("-q,--quiet", flags.quiet, "no messages, no progress bar; errors only")->group(group);
  command.add_flag("-v,--verbose", flags.verbose, "more messages")->group(group);
}

namespace {

// Where the targets stand, and how the file is written.
void add_file_flags(CLI::App& command, DataFlags& flags, const std::string& group) {
  command
      .add_option(
          "-t,--target", flags.targets,
          "column to predict, by name or number from 0 (-1 is the last); several by commas or by repeating "
          "the flag. A key of JSON lines or of FASTA headers (label=1). LIBSVM files, graph sets and folders of "
          "texts carry their own")
      ->type_name("COL")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--targets-file", flags.targets_file, "a file of one column that holds the targets (idx, .npy, CSV)")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--format", flags.format,
                  "auto, csv, libsvm, npy, idx, fasta, jsonl, graphs (a TU graph set), texts (a folder or tar archive "
                  "with one folder per class) or lines (one text per line) (default auto: by content and extension)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"auto", "csv", "libsvm", "npy", "idx", "fasta", "jsonl", "graphs", "texts", "lines"}))
      ->group(group);
  auto* const header = command.add_flag("--header", flags.header, "the first line of a CSV file holds names");
  auto* const no_header = command.add_flag("--no-header", flags.no_header, "it does not (default: found out)");
  header->group(group)->excludes(no_header);
  no_header->group(group);
  command.add_option("--separator", flags.separator, "of CSV fields: one character, tab or space (default: found out)")
      ->type_name("CHAR")
      ->group(group);
}

}  // namespace

void add_data_flags(CLI::App& command, DataFlags& flags) {
  const std::string group = "Reading data";
  add_file_flags(command, flags, group);
  std::vector<std::string> rules = all_words<MissingRule>();
  rules.emplace_back("auto");
  command
      .add_option("--missing", flags.missing,
                  "missing numbers: indicator (their column's median, and a column that says so; the default), fill "
                  "(the median alone), drop (leave their rows out), reject, kernel (left to if_present())")
      ->type_name("RULE")
      ->check(CLI::IsMember(rules))
      ->group(group);
  command
      .add_option(
          "--columns", flags.columns,
          "the columns of a table that are inputs, as for every flag by name, number or range: age,3,bmi:rooms,0:4 "
          "(default: all that serve no other purpose)")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  command.add_option("--ignore", flags.ignored, "columns of a table that are left out; may be repeated")
      ->type_name("COL")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option(
          "--dates", flags.dates,
          "numbers (days since 1970; the default), or parts: also the day of the year, of the week and the hour "
          "of dates, as columns when_yearday, when_weekday, when_hour")
      ->type_name("NAME")
      ->check(CLI::IsMember({"numbers", "parts"}))
      ->group(group);
  command.add_option("--categorical", flags.categorical, "columns that hold categories whatever they look like")
      ->type_name("COL")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  command.add_option("--text", flags.text, "columns that hold texts whatever they look like")
      ->type_name("COL")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--sets", flags.sets, "columns whose fields are sets, with members separated by ; or |: \"red;blue\"")
      ->type_name("COL")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  command.add_option("--precision", flags.precision, "of numbers and kernel values: double (default) or float")
      ->type_name("NAME")
      ->check(CLI::IsMember({"double", "float"}))
      ->group(group);
}

namespace {

FileFormat parse_format(const std::string& name) {
  for (const FileFormat format :
       {FileFormat::csv, FileFormat::libsvm, FileFormat::npy, FileFormat::idx, FileFormat::fasta,
        FileFormat::json_lines, FileFormat::graphs, FileFormat::texts, FileFormat::lines}) {
    if (name == to_string(format)) {
      return format;
    }
  }
  return FileFormat::automatic;
}

char parse_separator(const std::string& text) {
  if (text.empty() || text == "auto") {
    return 0;
  }
  if (text == "tab" || text == "\\t") {
    return '\t';
  }
  if (text == "space") {
    return ' ';
  }
  if (text.size() != 1) {
    throw UsageError(fmt::format("--separator {}: must be one character, 'tab' or 'space'", text));
  }
  return text.front();
}

void read_for_kernel(ReadOptions& options, const Kernel& kernel, MissingRule missing, NumbersOf numbers) {
  const ColumnUses uses = column_uses(kernel, numbers);
  for (const std::string& column : uses.text) {
    if (std::find(options.categorical.begin(), options.categorical.end(), column) == options.categorical.end()) {
      options.text.push_back(column);
    }
  }
  options.sets.insert(options.sets.end(), uses.sets.begin(), uses.sets.end());
  options.categorical_words = uses.categories;
  options.needed = uses.named;
  // What is missing in columns that no part of the kernel sees does not matter.
  const bool has_unseen = !uses.named.empty() && options.missing == MissingValues::reject;
  if (missing == MissingRule::kernel || has_unseen) {
    options.missing = MissingValues::keep;
    options.complete = missing == MissingRule::reject ? uses.named : uses.complete;
  }
}

MissingValues reading_of(MissingRule rule) {
  switch (rule) {
    case MissingRule::drop:
      return MissingValues::drop;
    case MissingRule::indicator:
    case MissingRule::fill:
    case MissingRule::kernel:
      return MissingValues::keep;
    case MissingRule::reject:
      break;
  }
  return MissingValues::reject;
}

}  // namespace

StoredPrecision DataFlags::stored_precision() const {
  return precision == "float" ? StoredPrecision::float32 : StoredPrecision::float64;
}

std::optional<MissingRule> DataFlags::missing_rule() const { return find_word<MissingRule>(missing); }

ReadOptions DataFlags::read_options(MissingRule rule, const Kernel* kernel, NumbersOf numbers) const {
  ReadOptions options;
  options.format = parse_format(format);
  options.precision = stored_precision();
  options.targets = targets;
  options.targets_file = targets_file;
  options.header = header ? Header::present : no_header ? Header::absent : Header::automatic;
  options.separator = parse_separator(separator);
  options.missing = reading_of(rule);
  options.categorical = categorical;
  options.text = text;
  options.sets = sets;
  options.inputs = columns;
  options.ignored = ignored;
  options.dates = dates == "parts" ? Dates::parts : Dates::numbers;
  options.place_names = PlaceNames::given;
  if (kernel != nullptr) {
    read_for_kernel(options, *kernel, rule, numbers);
  }
  return options;
}

namespace {

/// What stands in a file of a long value.
std::string text_of_file(const std::string& path) {
  constexpr std::streamsize most = 1 << 20;
  std::ifstream file(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(most) + 1, '\0');
  file.read(text.data(), most + 1);
  if (!file.is_open() || file.bad()) {
    throw IoError(path + ": cannot be read, as --set NAME=@FILE asks for");
  }
  if (file.gcount() > most) {
    throw IoError(path + ": is larger than 1 MB, too long for the value of an option");
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace

OptionSetting parse_setting(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError(fmt::format("--set {}: must be name=value, as in --set lambda=0.1", text));
  }
  OptionSetting setting{std::string(trim(text.substr(0, equals))), std::string(trim(text.substr(equals + 1)))};
  if (setting.value.size() > 1 && setting.value.front() == '@') {
    setting.value = text_of_file(setting.value.substr(1));
  }
  return setting;
}

std::vector<OptionSetting> parse_settings(const std::string& model, std::span<const OptionDescription> options,
                                          std::span<const std::string> texts) {
  std::vector<std::string> names;
  for (const OptionDescription& option : options) {
    names.push_back(option.name);
  }
  std::vector<OptionSetting> settings;
  for (const std::string& text : texts) {
    OptionSetting setting = parse_setting(text);
    if (std::find(names.begin(), names.end(), setting.name) == names.end()) {
      throw UsageError(fmt::format("--set {}: {} has no option '{}'.{} Its options: {}.", text, model, setting.name,
                                   did_you_mean(setting.name, names), names.empty() ? "none" : join(names, ", ")));
    }
    settings.push_back(std::move(setting));
  }
  return settings;
}

}  // namespace mercer::program
