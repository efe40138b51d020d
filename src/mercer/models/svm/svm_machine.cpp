#include "mercer/models/svm/svm_machine.h"

#include <algorithm>
#include <cmath>

#include "mercer/models/svm/slack_groups.h"
#include "mercer/solvers/convex/grouped_slack.h"
#include "mercer/solvers/svm/svm_dual.h"

namespace mercer {

std::vector<double> MachineFacts::as_numbers() const {
  return {support_vectors, bounded, offset,  squared_norm, slack, margin_errors,
          primal,          dual,    kkt_gap, rows,         rho,   largest_nu};
}

MachineFacts MachineFacts::from_numbers(std::span<const double> numbers) {
  MachineFacts facts;
  facts.support_vectors = numbers[0];
  facts.bounded = numbers[1];
  facts.offset = numbers[2];
  facts.squared_norm = numbers[3];
  facts.slack = numbers[4];
  facts.margin_errors = numbers[5];
  facts.primal = numbers[6];
  facts.dual = numbers[7];
  facts.kkt_gap = numbers[8];
  facts.rows = numbers[9];
  if (numbers.size() == static_cast<std::size_t>(count)) {
    facts.rho = numbers[10];
    facts.largest_nu = numbers[11];
  }
  return facts;
}

namespace {

// Slacks, what they cost and the largest ν of rows that share them.
void share_slacks(const SvmDual& dual, std::span<const double> signs, const SlackGroups& groups, Slack slack,
                  MachineFacts& facts) {
  std::vector<double> slacks(groups.bounds.size(), 0.0);
  double size = 0;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    if (groups.of_row[i] >= 0) {
      double& largest = slacks[groups.of_row[i]];
      largest = std::max(largest, 1 - signs[i] * (dual.values[i] + dual.offset));
      size += std::abs(dual.coefficients[i]);
    }
  }
  facts.slack = 0;
  facts.primal = facts.squared_norm / 2 - (slack == Slack::nu ? size : 0.0);
  for (std::size_t g = 0; g < slacks.size(); ++g) {
    facts.slack += slacks[g];
    facts.primal += groups.bounds[g] / dual.margin * slacks[g];
  }
  if (slack == Slack::nu) {
    facts.largest_nu = largest_grouped_nu({signs, groups.of_row, groups.bounds});
  }
}

}  // namespace

MachineFacts machine_facts(const SvmDual& dual, std::span<const double> signs, std::span<const double> bounds,
                           Slack slack, std::span<const std::int32_t> groups) {
  MachineFacts facts;
  double loss = 0;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    const double beta = dual.coefficients[i];
    const double xi = std::max(0.0, 1 - signs[i] * (dual.values[i] + dual.offset));
    facts.support_vectors += beta != 0 ? 1 : 0;
    facts.squared_norm += beta * dual.values[i];
    facts.slack += xi;
    loss -= slack == Slack::nu ? std::abs(beta) : 0;               // Σ|β| = ν Σw / ρ
    facts.margin_errors += xi > std::max(dual.gap, 1e-9) ? 1 : 0;  // of values of size 1
    if (std::isfinite(bounds[i]) && bounds[i] > 0) {
      loss += bounds[i] / dual.margin * (slack == Slack::squared ? xi * xi : xi);
    }
  }
  facts.rows = static_cast<double>(signs.size());
  facts.bounded = static_cast<double>(dual.bounded);
  facts.offset = dual.offset;
  facts.primal = facts.squared_norm / 2 + loss;
  facts.dual = -dual.objective;
  facts.kkt_gap = dual.gap;
  if (slack == Slack::nu) {
    facts.rho = dual.margin;
    facts.largest_nu = largest_nu(signs, bounds);
  }
  if (!groups.empty()) {
    share_slacks(dual, signs, slack_groups(groups, bounds), slack, facts);
  }
  return facts;
}

}  // namespace mercer
