// What an elastic net accepts.
#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/solvers/glm/elastic_net.h"

namespace mercer {

void ElasticNetProblem::validate() const {
  const Index n = features.rows();
  const Index m = features.columns();
  if (targets.rows() != n || targets.columns() < 1) {
    throw InvalidArgument("elastic net: targets of " + std::to_string(targets.rows()) + " by " +
                          std::to_string(targets.columns()) + " for features of " + std::to_string(n) + " rows");
  }
  if ((!weights.empty() && static_cast<Index>(weights.size()) != n) ||
      (!factors.empty() && static_cast<Index>(factors.size()) != m)) {
    throw InvalidArgument("elastic net: " + std::to_string(weights.size()) + " weights and " +
                          std::to_string(factors.size()) + " penalty factors for features of " + std::to_string(n) +
                          " by " + std::to_string(m));
  }
  for (const double w : weights) {
    if (!(w > 0 && std::isfinite(w))) {
      reject_argument("elastic net: a weight", w, "finite and positive");
    }
  }
  for (const double c : factors) {
    if (!(c >= 0 && std::isfinite(c))) {
      reject_argument("elastic net: a penalty factor", c, "finite and not negative");
    }
  }
  const auto finite = [](double x) { return std::isfinite(x); };
  for (Index i = 0; i < n; ++i) {
    if (!std::ranges::all_of(features.row(i), finite) || !std::ranges::all_of(targets.row(i), finite)) {
      throw NumericalError("elastic net: row " + std::to_string(i) +
                           " (counted from 0) has a feature or target that is not a finite number");
    }
  }
}

void ElasticNetPenalty::validate() const {
  if (!(l1 >= 0 && std::isfinite(l1))) {
    reject_argument("elastic net: l1", l1, "finite and not negative");
  }
  if (!(l2 >= 0 && std::isfinite(l2))) {
    reject_argument("elastic net: l2", l2, "finite and not negative");
  }
  if (l1 + l2 == 0) {
    throw InvalidArgument("elastic net: l1 and l2 are both 0: one of them must be positive");
  }
}

void ElasticNetOptions::validate() const {
  if (!(tolerance > 0 && tolerance < 1)) {
    reject_argument("elastic net: tolerance", tolerance, "between 0 and 1");
  }
  if (max_iterations < 1 || max_passes < 1) {
    reject_argument("elastic net: max_iterations or max_passes",
                    static_cast<double>(std::min(max_iterations, max_passes)), "1 or more");
  }
}

std::vector<double> penalty_sequence(double largest, double ratio, Index count) {
  std::vector<double> values;
  for (Index l = 0; l < count; ++l) {
    values.push_back(largest *
                     std::pow(ratio, count == 1 ? 0.0 : static_cast<double>(l) / static_cast<double>(count - 1)));
  }
  return values;
}

}  // namespace mercer
