#include "mercer/models/model_entry.h"

#include <string>

namespace mercer {

void require_head(const ModelHead& head, Task task) {
  const std::size_t classes = head.classes.size();
  const std::size_t outputs = head.output_names.size();
  // Of samples that are all alike there are no features.
  const bool any_outputs = task == Task::features;
  const bool many_outputs = task == Task::regression;
  const bool classes_fit = task == Task::classification ? classes >= 2 : classes == 0;
  const bool outputs_fit = any_outputs || outputs == 1 || (many_outputs && outputs > 1);
  if (!classes_fit || !outputs_fit) {
    throw DataError("a stored " + head.name + " model with " + std::to_string(classes) + " classes and " +
                    std::to_string(outputs) + " outputs: " + std::string(to_string(task)) + " has " +
                    (task == Task::classification ? "two classes at least" : "no classes") + " and " +
                    (any_outputs    ? "any number of outputs"
                     : many_outputs ? "one output at least"
                                    : "one output"));
  }
}

}  // namespace mercer
