// What `mercer tune` prints: the best points, the choice, and what to try next.
#pragma once

#include <string>
#include <vector>

#include "mercer/select/search/tune.h"
#include "output.h"

namespace mercer::program {

/// Advice, one sentence each: ranges whose end was chosen, points that could not be fitted.
std::vector<std::string> tuning_notes(const TuneResult& result);

/// Heading, best points, choice, nested estimate, notes; everything but files and time.
std::string tuning_as_text(const TuneResult& result, Choice choice);

/// The same with all points.
Json tuning_as_json(const TuneResult& result, Choice choice);

}  // namespace mercer::program
