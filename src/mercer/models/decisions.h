// Decision rules of models: which shares of the classes their probabilities are of, and which rules they can follow.
#pragma once

#include <memory>
#include <vector>

#include "mercer/models/capability.h"
#include "mercer/models/model.h"
#include "mercer/models/prior.h"

namespace mercer {

/// Probabilities by priors that the model states itself, whatever the rows: a capability.
class StatedPriors : public Capability {
 public:
  virtual std::vector<double> stated_priors() const = 0;
};

/// The model answers by this rule from now on, in place of the one that it had. InvalidArgument for a rule that is none of its
/// classes, or that needs probabilities, a threshold, or shares of the classes that are not there: it says what to do.
void decide_by(FittedModel& model, DecisionRule rule);

void keep_class_shares(FittedModel& model, std::vector<double> shares);

/// -1 where decision values of two classes are positive for the first one, which a code can say; otherwise 1.
double decision_direction(const FittedModel& model);

/// Whether a rule without a threshold needs one: of two classes with a decision value and without probabilities.
bool needs_threshold(const FittedModel& model, const DecisionRule& rule);

/// The fit of a classifier whose head says which shares of its classes its probabilities are of.
FitFunction fit_with_shares(Task task, SharesOf shares, FitFunction fit);

}  // namespace mercer
