// make_report: all sections of a report, from a model and data with known answers.
#pragma once

#include "mercer/report/report_input.h"

namespace mercer {

/// A section that fails (a kernel that cannot be evaluated on such a plane, a refit without enough rows) is left out and
/// a warning says why; an unusable axis is an error (InvalidArgument), as are targets that do not fit the model
/// (DataError). `cost` holds the seconds of the sections, `provenance` all but the command, the time and the hash of the
/// model file, which the caller knows. Cost: predictions on the data, O(m³) for m ≤ 1000 rows, and the refits of
/// learning_curve.h and influence.h.
Report make_report(const ReportInput& input, const Run& run);

}  // namespace mercer
