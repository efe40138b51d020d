#include "mercer/report/report_page.h"

#include "mercer/base/error.h"
#include "mercer/report/report_json.h"

namespace mercer {

namespace {

constexpr std::string_view opening = "<script type=\"application/json\" id=\"report-data\">";
constexpr std::string_view closing = "</script>";

}  // namespace

std::string fill_template(std::string_view page, std::string_view json) {
  const std::size_t at = page.find(opening);
  const std::size_t begin = at + opening.size();
  const std::size_t end = at == std::string_view::npos ? at : page.find(closing, begin);
  if (end == std::string_view::npos) {
    throw InvalidArgument("the template of the report has no place for data: " + std::string(opening) + "{}" +
                          std::string(closing));
  }
  std::string filled;
  filled.reserve(page.size() + json.size() + 1024);
  filled += page.substr(0, begin);
  for (const char c : json) {
    if (c == '<') {
      filled += "\\u003c";
    } else {
      filled += c;
    }
  }
  filled += page.substr(end);
  return filled;
}

std::string report_page(const Report& report) { return fill_template(report_template(), report_json(report)); }

}  // namespace mercer
