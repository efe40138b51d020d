// The parts of a search's log as JSON, and back with every type and size checked.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/select/search/tune_log.h"

namespace mercer::tune_json {

using Json = nlohmann::ordered_json;

Json from_header(const TuneHeader& header);
Json from_unit(const TuneUnit& unit);
Json from_outer(const OuterScore& score);
Json from_result(const TuneTable& table, Choice choice, const std::optional<NestedEstimate>& nested);

/// All of them: DataError with the place where something is missing or of another type.
TuneHeader to_header(const Json& json, const FilePlace& place);
TuneUnit to_unit(const Json& json, const std::vector<SearchAxis>& axes, const FilePlace& place);
OuterScore to_outer(const Json& json, const std::vector<SearchAxis>& axes, const FilePlace& place);
/// The points with means and errors, best, chosen and choice; scores stay empty.
void read_result(const Json& json, TuneRecord& record, const FilePlace& place);

}  // namespace mercer::tune_json
