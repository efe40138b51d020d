// What a search chooses beside the ranges, and what it says about what it found.
#pragma once

#include <vector>

#include "mercer/select/search/tune_search.h"

namespace mercer {

/// Adds axes for the scaling and the weights of classes where TuneChoices::usual wants them, and notes where it does not.
void add_usual_choices(TunePlan& plan, const TuneData& data);

/// The rules that the plan's space has, or the plan's own.
std::vector<ScalingRule> searched_scalings(const TunePlan& plan);

/// Notes about the chosen point: a kernel that is linear on these rows, a score that is no better than a constant's.
void add_findings(const TunePlan& plan, const TuneData& data, TuneResult& result, const Run& run);

}  // namespace mercer
