#include "mercer/report/sections/novelty_section.h"

#include <algorithm>

#include "mercer/report/sections/calibration.h"
#include "mercer/report/sections/classification_curves.h"

namespace mercer {

NoveltySection novelty_section(const Predictions& predictions) {
  constexpr Index bins = 50;
  NoveltySection section;
  const std::vector<double> values = column_of(predictions.decisions, 0);
  section.total = predictions.rows();
  section.flagged = std::ranges::count_if(values, [](double value) { return value < 0; });
  if (values.empty()) {
    return section;
  }
  const auto [least, largest] = std::ranges::minmax(values);
  section.edges = equal_bins(std::min(least, 0.0), std::max(largest, 0.0), bins);
  section.counts.assign(bins, 0);
  for (const double value : values) {
    ++section.counts[bin_of(section.edges, value)];
  }
  if (!predictions.normal.empty()) {
    section.roc = roc_curve(predictions.normal, values);
  }
  return section;
}

}  // namespace mercer
