#include "mercer/select/estimates/epsilon_margin.h"

#include <cmath>
#include <limits>

namespace mercer {

std::vector<double> epsilon_margins(const SvrModel& model, const Run& run) {
  const std::vector<double>& widths = model.tube_widths();
  std::vector<double> margins = squared_norm(model.expansion(), run);
  for (std::size_t o = 0; o < margins.size(); ++o) {
    margins[o] = margins[o] > 0 ? 2 * widths[o] / std::sqrt(margins[o]) : std::numeric_limits<double>::infinity();
  }
  return margins;
}

}  // namespace mercer
