// The sections of tasks without right and wrong answers, as the page reads them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "mercer/report/report_data.h"

namespace mercer::report_json_parts {

nlohmann::ordered_json density_json(const DensitySection& section);
nlohmann::ordered_json features_json(const FeaturesSection& section);
nlohmann::ordered_json clusters_json(const ClustersSection& section);

}  // namespace mercer::report_json_parts
