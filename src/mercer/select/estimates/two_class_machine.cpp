#include "mercer/select/estimates/two_class_machine.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"

namespace mercer {

namespace {

// Coefficients come back from files and products with this much rounding.
constexpr double bound_slip = 1e-9;

}  // namespace

bool TwoClassMachine::is_bound(Index i) const {
  const auto at = static_cast<std::size_t>(i);
  return alpha[at] > 0 && alpha[at] >= bounds[at] * (1 - bound_slip);
}

std::vector<Index> TwoClassMachine::free_rows() const {
  std::vector<Index> rows;
  for (Index i = 0; i < size(); ++i) {
    if (is_support(i) && !is_bound(i)) {
      rows.push_back(i);
    }
  }
  return rows;
}

std::vector<Index> TwoClassMachine::bound_rows() const {
  std::vector<Index> rows;
  for (Index i = 0; i < size(); ++i) {
    if (is_bound(i)) {
      rows.push_back(i);
    }
  }
  return rows;
}

std::vector<double> TwoClassMachine::coefficients() const {
  std::vector<double> beta = alpha;
  for (std::size_t i = 0; i < beta.size(); ++i) {
    beta[i] *= signs[i];
  }
  return beta;
}

double TwoClassMachine::decision(Index i) const {
  const auto at = static_cast<std::size_t>(i);
  return ridge.empty() ? values[at] : values[at] - signs[at] * alpha[at] * ridge[at];
}

double TwoClassMachine::slack(Index i) const { return std::max(0.0, 1 - signs[i] * decision(i)); }

double TwoClassMachine::own_slack(Index i) const {
  const auto at = static_cast<std::size_t>(i);
  return std::max(0.0, 1 - signs[at] * values[at]);
}

double TwoClassMachine::squared_norm() const {
  double sum = 0;
  for (Index i = 0; i < size(); ++i) {
    sum += alpha[i] * signs[i] * decision(i);
  }
  return std::max(0.0, sum);
}

double TwoClassMachine::own_squared_norm() const {
  double sum = 0;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    sum += alpha[i] * signs[i] * values[i];
  }
  return std::max(0.0, sum);
}

Index TwoClassMachine::training_errors() const {
  Index count = 0;
  for (Index i = 0; i < size(); ++i) {
    count += signs[i] * decision(i) <= 0 ? 1 : 0;
  }
  return count;
}

void TwoClassMachine::validate() const {
  const std::size_t n = signs.size();
  if (bounds.size() != n || alpha.size() != n || values.size() != n || (!ridge.empty() && ridge.size() != n)) {
    throw InvalidArgument("two-class machine: " + std::to_string(n) + " signs, " + std::to_string(bounds.size()) +
                          " bounds, " + std::to_string(alpha.size()) + " coefficients and " +
                          std::to_string(values.size()) + " values: must be as many of each");
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (std::abs(signs[i]) != 1) {
      reject_argument("two-class machine: sign of row " + std::to_string(i), signs[i], "1 or -1");
    }
    if (!(alpha[i] >= 0) || !(alpha[i] <= bounds[i] * (1 + bound_slip))) {
      reject_argument("two-class machine: coefficient of row " + std::to_string(i), alpha[i],
                      "between 0 and its bound, " + std::to_string(bounds[i]));
    }
    if (!std::isfinite(values[i])) {
      reject_argument("two-class machine: value of row " + std::to_string(i), values[i], "finite");
    }
  }
}

TwoClassMachine two_class_machine(const SvmDual& dual, std::span<const double> signs, std::span<const double> bounds) {
  TwoClassMachine machine{.signs = {signs.begin(), signs.end()},
                          .bounds = {bounds.begin(), bounds.end()},
                          .alpha = {},
                          .values = dual.values,
                          .gap = dual.gap};
  for (std::size_t i = 0; i < signs.size(); ++i) {
    machine.alpha.push_back(std::max(0.0, signs[i] * dual.coefficients[i]));
  }
  for (double& value : machine.values) {
    value += dual.offset;
  }
  machine.validate();
  return machine;
}

}  // namespace mercer
