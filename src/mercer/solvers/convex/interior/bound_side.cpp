#include "mercer/solvers/convex/interior/bound_side.h"

#include <algorithm>

#include "mercer/linalg/blas.h"

namespace mercer {

void BoundSide::add(std::size_t variable, double distance) {
  at.push_back(variable);
  slack.push_back(distance);
  for (std::vector<double>* numbers : {&multiplier, &aim, &slack_step, &multiplier_step}) {
    numbers->push_back(0.0);
  }
}

void BoundSide::aim_at(double mean, double second_order) {
  for (std::size_t i = 0; i < at.size(); ++i) {
    aim[i] = mean - second_order * slack_step[i] * multiplier_step[i];
  }
}

void BoundSide::draw_in(double primal, double dual, double least, double most) {
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double product = (slack[i] + primal * slack_step[i]) * (multiplier[i] + dual * multiplier_step[i]);
    aim[i] += std::max(std::clamp(product, least, most) - product, -most);
  }
}

void BoundSide::step_along(std::span<const double> step) {
  for (std::size_t i = 0; i < at.size(); ++i) {
    slack_step[i] = sign * step[at[i]];
    multiplier_step[i] = (aim[i] - multiplier[i] * slack_step[i]) / slack[i] - multiplier[i];
  }
}

double BoundSide::products() const { return dot(slack, multiplier); }

}  // namespace mercer
