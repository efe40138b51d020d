// Novelty: how the values that decide are spread, how many rows lie outside, and how well they tell two labels apart.
#pragma once

#include "mercer/report/predictions.h"

#include "mercer/report/report_data.h"

namespace mercer {

/// Values below 0 are outside.
NoveltySection novelty_section(const Predictions& predictions);

}  // namespace mercer
