// The table of models: adding one adds one line.
#include <algorithm>
#include <array>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/models/model.h"
#include "mercer/models/ridge.h"

namespace mercer {

std::string_view to_string(Task task) { return task == Task::regression ? "regression" : "classification"; }

std::span<const ModelEntry* const> model_registry() {
  static const std::array entries = {&ridge_entry()};
  return entries;
}

const ModelEntry& find_model(std::string_view name) {
  std::vector<std::string> known;
  for (const ModelEntry* entry : model_registry()) {
    if (entry->name == name || std::find(entry->aliases.begin(), entry->aliases.end(), name) != entry->aliases.end()) {
      return *entry;
    }
    known.push_back(entry->name);
    known.insert(known.end(), entry->aliases.begin(), entry->aliases.end());
  }
  throw InvalidArgument("there is no model '" + std::string(name) + "'." + did_you_mean(name, known) +
                        " The models are " + join(known, ", ") + ".");
}

}  // namespace mercer
