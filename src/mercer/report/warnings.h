// Plain warnings: what a careful reader of a report should be told before anything else.
#pragma once

#include <string>
#include <vector>

#include "mercer/report/report_input.h"

namespace mercer {

/// Sentences about the report as it stands (metrics, Gram matrix, baselines, fit): a solver that did not converge, nearly
/// all rows support vectors, K ≈ I or K ≈ constant, a parameter at its bound, equal rows with different targets, a model
/// that is worse than a constant, scores on the rows of the fit. O(n·d).
std::vector<std::string> report_warnings(const ReportInput& input, const Report& report);

/// How many rows equal another row in all columns but have another target. Numeric samples only; 0 for others.
Index contradicting_rows(const Samples& samples, const Targets& targets);

}  // namespace mercer
