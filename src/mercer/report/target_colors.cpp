#include "mercer/report/target_colors.h"

#include "mercer/report/predictions.h"

namespace mercer {

TargetColors target_colors(const ReportInput& input) {
  TargetColors colors;
  if (!input.targets || input.targets->outputs() == 0) {
    return colors;
  }
  const TargetColumn& column = input.targets->columns().front();
  const ClassLabels labels = input.targets->labels(0);
  // Measured numbers that happen to be few have one label per row or nearly so.
  const bool few = labels.levels.size() <= most_label_colors &&
                   (!column.is_numeric() || 2 * static_cast<Index>(labels.levels.size()) <= input.rows());
  if (!few && !column.is_numeric()) {
    return colors;
  }
  colors.target = column.name.empty() ? "target" : column.name;
  if (few) {
    colors.classes = labels.levels;
    colors.codes = labels.codes;
  } else {
    colors.values = column_of(input.targets->values(), 0);
  }
  return colors;
}

}  // namespace mercer
