#include "stored_samples.h"

#include <fmt/format.h>

#include "mercer/base/text.h"

namespace mercer::program {

namespace {

// Readers call a target without a name "column 4": that is column 4 of the next file, too.
std::string reference_of(const std::string& name) {
  constexpr std::string_view prefix = "column ";
  const bool numbered = name.starts_with(prefix) && parse_integer(std::string_view(name).substr(prefix.size()));
  return numbered ? name.substr(prefix.size()) : name;
}

}  // namespace

std::vector<std::string> headings(const FittedModel& model) {
  std::vector<std::string> names = model.output_names();
  for (std::size_t o = 0; o < names.size(); ++o) {
    if (names[o].empty()) {
      names[o] = names.size() == 1 ? "prediction" : fmt::format("prediction {}", o);
    }
  }
  return names;
}

NewData read_for_model(const std::string& path, const DataFlags& flags, const StoredModel& stored, Presence targets,
                       Session& session) {
  ReadOptions options = flags.read_options();
  options.schema = stored.schema;
  options.targets_presence = targets;
  if (options.targets.empty() && options.targets_file.empty()) {
    for (const std::string& name : stored.model->output_names()) {
      if (!name.empty() && stored.model->task() != Task::novelty) {
        options.targets.push_back(reference_of(name));
      }
    }
  }
  if (stored.schema.kind == SampleKind::sparse) {
    options.columns = stored.schema.numeric_columns;
  }
  DataFile data = session.read(path, options);
  Samples samples = session.timed("scale", [&] { return stored.scaling.apply(data.samples, session.run()); });
  return {std::move(samples), std::move(data.targets)};
}

void add_new_data_flags(CLI::App& command, DataFlags& flags) {
  add_data_flags(command, flags);
  for (const char* name : {"--categorical", "--text", "--precision"}) {
    command.remove_option(command.get_option(name));
  }
}

}  // namespace mercer::program
