// The report as one HTML page that needs nothing else: the page's template (web/, compiled into the library) with the
// data of a report in it.
#pragma once

#include <string>
#include <string_view>

#include "mercer/report/report_data.h"

namespace mercer {

/// The built page without data, as web/dist/report.html has it.
std::string_view report_template();

/// The template with the JSON between the tags of its element `report-data`. Every `<` of the JSON is escaped, so that
/// no text of a data file can end that element. InvalidArgument where the template lacks the place for it.
std::string fill_template(std::string_view page, std::string_view json);

/// fill_template(report_template(), report_json(report)).
std::string report_page(const Report& report);

}  // namespace mercer
