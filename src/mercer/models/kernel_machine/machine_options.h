// What the options of the kernel machines on prototypes (l1vm, l2vm) have in common: rows of their tables, checks, and the
// way back from a model file.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

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
      {"prototypes", &Options::prototypes,
       "data: the rows, or count of them at random; kmeans: rows nearest to the means of kernel k-means; pivoted: rows "
       "that a pivoted Cholesky factor chooses; grid: equal steps over up to three columns"},
      {"count", &Options::count, "how many prototypes; 0: all rows, 100 for kmeans, pivoted and grid",
       Constraint::nonnegative},
      {"intercept", &Options::intercept, "an offset that is not penalized"}};
}

template <class Options>
Option<Options> machine_response_option() {
  return {"response",
          &Options::response,
          "gaussian: least squares; poisson: counts, whose rate is exp(f)",
          {GlmFamily::gaussian, GlmFamily::poisson}};
}

template <class Options>
Option<Options> machine_class_weight_option() {
  return {"class_weight", &Options::class_weight,
          "balanced (the rarer the class, the heavier), or label:weight,label:weight"};
}

/// The stored type of an entry whose machine has these options.
template <class Options, const ModelEntry& (*Entry)(), std::span<const Option<Options>> (*Table)()>
struct StoredMachine {
  static std::unique_ptr<FittedModel> from_state(const ModelState& state, const Run& run) {
    Options options;
    apply_settings<Options>(Entry().name, Table(), state.settings, options);
    options.validate(Entry().name.c_str(), Table());
    return KernelMachine::from_state(state,
                                     Entry().task == Task::classification
                                         ? class_response(static_cast<Index>(state.classes.size()))
                                         : options.response,
                                     run);
  }
};

}  // namespace mercer
