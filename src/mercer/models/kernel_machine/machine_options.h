// What the options of the kernel machines on prototypes (l1vm, l2vm) have in common: rows of their tables, and the
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

/// What a file does not say of a regression: its response is an option.
template <class Options>
KernelMachine::Parts regression_machine_parts(const Options& options) {
  return {.response = options.response};
}

}  // namespace mercer
