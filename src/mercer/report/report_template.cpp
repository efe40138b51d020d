// The built page, compiled in: MERCER_REPORT_TEMPLATE is the path of web/dist/report.html (src/mercer/CMakeLists.txt). The
// assembler takes the file as it is, so that no tool and no copy of it is needed.
#include "mercer/report/report_page.h"

__asm__(
    ".pushsection .rodata, \"a\", @progbits\n"
    ".global mercer_report_template_begin\n"
    ".hidden mercer_report_template_begin\n"
    "mercer_report_template_begin:\n"
    ".incbin \"" MERCER_REPORT_TEMPLATE
    "\"\n"
    ".global mercer_report_template_end\n"
    ".hidden mercer_report_template_end\n"
    "mercer_report_template_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the names that the assembler gives them
extern const char mercer_report_template_begin;
extern const char mercer_report_template_end;
// NOLINTEND(readability-identifier-naming)
}

namespace mercer {

std::string_view report_template() {
  const char* const begin = &mercer_report_template_begin;
  return {begin, static_cast<std::size_t>(&mercer_report_template_end - begin)};
}

}  // namespace mercer
