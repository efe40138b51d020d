// What the options of the kernel machines on prototypes (l1vm, l2vm) have in common: rows of their tables, checks, and the
// way back from a model file.
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/models/kernel_machine/kernel_machine.h"
#include "mercer/models/kernel_machine/machine_problem.h"
#include "mercer/models/kernel_machine/machine_prototypes.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/model_state.h"

namespace mercer {

template <class Options>
Option<Options> machine_lambda_option() {
  return {"lambda", &Options::lambda,
          "penalty, beside the sum of the losses of all rows; chosen by select where it is not given",
          Constraint::positive};
}

/// prototypes, count, intercept.
template <class Options>
std::vector<Option<Options>> machine_prototype_options() {
  return {
      {"prototypes",
       &Options::prototypes,
       "data: the rows, or count of them at random; kmeans: rows nearest to the means of kernel k-means; pivoted: rows "
       "that a pivoted Cholesky factor chooses; grid: equal steps over up to three columns",
       Constraint::any,
       {"data", "kmeans", "pivoted", "grid"}},
      {"count", &Options::count, "how many prototypes; 0: all rows, 100 for kmeans, pivoted and grid",
       Constraint::nonnegative},
      {"intercept", &Options::intercept, "an offset that is not penalized"}};
}

template <class Options>
Option<Options> machine_response_option() {
  return {"response",
          &Options::response,
          "gaussian: least squares; poisson: counts, whose rate is exp(f)",
          Constraint::any,
          {"gaussian", "poisson"}};
}

template <class Options>
Option<Options> machine_class_weight_option() {
  return {"class_weight", &Options::class_weight,
          "balanced (the rarer the class, the heavier), or label:weight,label:weight"};
}

template <class Options>
void validate_machine(const Options& options, const std::string& model) {
  if (options.lambda && !(*options.lambda > 0 && std::isfinite(*options.lambda))) {
    reject_argument(model + ": lambda", *options.lambda, "finite and positive");
  }
  if (options.folds < 2) {
    reject_argument(model + ": folds", static_cast<double>(options.folds), "2 or more");
  }
  if (options.select_rows < 0) {
    reject_argument(model + ": select_rows", static_cast<double>(options.select_rows), "1 or more, or 0 for all");
  }
  PrototypeChoice{options.prototypes, options.count, options.given}.validate(model.c_str());
}

/// The stored type of an entry whose machine has these options.
template <class Options, const ModelEntry& (*Entry)(), std::span<const Option<Options>> (*Table)()>
struct StoredMachine {
  static std::unique_ptr<FittedModel> from_state(const ModelState& state, const Run& run) {
    Options options;
    apply_settings<Options>(Entry().name, Table(), state.settings, options);
    options.validate(Entry().name.c_str());
    const GlmFamily of_numbers = options.response == "poisson" ? GlmFamily::poisson : GlmFamily::gaussian;
    return KernelMachine::from_state(
        state,
        Entry().task == Task::classification ? class_response(static_cast<Index>(state.classes.size())) : of_numbers,
        run);
  }
};

}  // namespace mercer
