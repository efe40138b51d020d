// A report as the JSON that the page reads: sections that are empty are left out, numbers have six significant digits,
// numbers that are not finite are null. docs/report.md lists the members.
#pragma once

#include <string>

#include "mercer/report/report_data.h"

namespace mercer {

std::string report_json(const Report& report);

}  // namespace mercer
