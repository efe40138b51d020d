// ModelHead: what every fitted model says of itself beside its numbers. A model file keeps it as it is.
#pragma once

#include <string>
#include <vector>

#include "mercer/models/decision_rule.h"
#include "mercer/models/fit_report.h"
#include "mercer/models/setting.h"

namespace mercer {

/// The model whose fit gave this one, where it is another: mklsvc learns a kernel and gives an svc.
struct ModelOrigin {
  std::string name = {};  ///< empty: the model itself
  std::vector<OptionSetting> settings = {};
};

struct ModelHead {
  std::string name = {};                     ///< as in the registry: "ridge"
  std::string requested_kernel = {};         ///< as the user wrote it; empty for models without kernel
  std::vector<OptionSetting> settings = {};  ///< the options, as the fit ended with them
  std::vector<std::string> output_names = {};
  std::vector<std::string> classes = {};  ///< of classifiers, in the order of their numbers
  FitReport report = {};
  ModelOrigin origin = {};
  /// Whether answers are what the model learned plus the offsets of the samples: those of a prior function (prior.h).
  bool adds_offsets = false;
  /// Of classifiers: how they decide, where that is not their own way (models/decisions.h), and the shares of the classes that
  /// their probabilities are of; empty: not known.
  DecisionRule decision = {};
  std::vector<double> class_shares = {};
};

}  // namespace mercer
