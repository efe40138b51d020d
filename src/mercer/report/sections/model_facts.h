// What was fitted and what came out, each with its meaning in plain words: kernel parameters, options, solution.
#pragma once

#include "mercer/models/stored_model.h"
#include "mercer/report/report_data.h"
#include "mercer/report/sections/support_vectors.h"

namespace mercer {

ModelFacts model_facts(const StoredModel& stored, const std::optional<SupportVectors>& support,
                       const std::optional<GramSection>& gram);

/// Every parameter of every node of the expression, "rbf: gamma", in the order of the text.
std::vector<ReportFact> kernel_facts(const Kernel& kernel);

}  // namespace mercer
