// mercer report: one HTML page about a model and data; `fit --report` writes the same.
#pragma once

#include "mercer/report/report_input.h"
#include "session.h"
#include "subcommand.h"

namespace mercer::program {

Action add_report(CLI::App& command);

struct WrittenReport {
  std::string path;
  Index bytes = 0;
  std::vector<std::string> warnings;
};

struct ReportFiles {
  std::string path;                            ///< of the page; "-" is standard output
  std::string model_path = {};                 ///< for its size and hash
  std::string tuning = {};                     ///< the log of a search
  std::vector<FitReport::Phase> earlier = {};  ///< what the fit took, where this session did not see it
};

/// Makes the report and writes its page.
WrittenReport write_report(const ReportInput& input, const ReportFiles& files, Session& session);

}  // namespace mercer::program
