#include "mercer/solvers/convex/grouped_slack.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/text.h"
#include "mercer/solvers/convex/grouped_program.h"
#include "mercer/solvers/convex/offset_interval.h"

namespace mercer {

namespace {

constexpr Index rows_at_start = 600;
constexpr Index least_rows_added = 200;

bool is_fitted_to(const GroupedRows& rows, Index i) { return rows.groups[i] >= 0; }

void require_valid(const GroupedRows& rows, Index size) {
  if (static_cast<Index>(rows.signs.size()) != size || static_cast<Index>(rows.groups.size()) != size) {
    throw InvalidArgument("one slack per group: " + std::to_string(rows.signs.size()) + " signs and " +
                          std::to_string(rows.groups.size()) + " groups for " + std::to_string(size) + " samples");
  }
  for (const double bound : rows.bounds) {
    if (!(bound > 0 && std::isfinite(bound))) {
      throw InvalidArgument("one slack per group: a bound of " + shortest(bound) + ", must be positive and finite");
    }
  }
  bool positive = false;
  bool negative = false;
  for (Index i = 0; i < size; ++i) {
    if (rows.groups[i] >= static_cast<Index>(rows.bounds.size())) {
      throw InvalidArgument("one slack per group: group " + std::to_string(rows.groups[i]) + " of " +
                            std::to_string(rows.bounds.size()) + ", counted from 0");
    }
    positive = positive || (is_fitted_to(rows, i) && rows.signs[i] > 0);
    negative = negative || (is_fitted_to(rows, i) && rows.signs[i] < 0);
  }
  if (!positive || !negative) {
    throw InvalidArgument("a support vector classifier needs samples of both classes, all here are of one");
  }
}

// One row of every class that a group has, the first.
std::vector<Index> first_rows(const GroupedRows& rows) {
  std::vector<char> seen(2 * rows.bounds.size(), 0);
  std::vector<Index> list;
  for (Index i = 0; i < static_cast<Index>(rows.signs.size()); ++i) {
    if (!is_fitted_to(rows, i)) {
      continue;
    }
    char& found = seen[2 * static_cast<std::size_t>(rows.groups[i]) + (rows.signs[i] > 0 ? 1 : 0)];
    if (found == 0) {
      found = 1;
      list.push_back(i);
    }
  }
  return list;
}

// So many of them at even distances, of each class.
std::vector<Index> thinned(const std::vector<Index>& list, const GroupedRows& rows, Index wanted) {
  std::vector<Index> result;
  for (const double sign : {1.0, -1.0}) {
    std::vector<Index> own;
    std::ranges::copy_if(list, std::back_inserter(own), [&](Index i) { return rows.signs[i] == sign; });
    const auto size = static_cast<Index>(own.size());
    const Index taken = std::min(size, std::max<Index>(1, wanted / 2));
    for (Index k = 0; k < taken; ++k) {
      result.push_back(own[k * size / taken]);
    }
  }
  std::ranges::sort(result);
  return result;
}

class GroupedSolver {
 public:
  // `nu`: of its kind alone.
  GroupedSolver(const Gram<double>& gram, const GroupedRows& rows, const GroupedOptions& options,
                std::optional<double> nu, const Run& run)
      : gram_(gram), rows_(rows), options_(options), nu_(nu), run_(run) {
    const Index n = gram.size();
    std::vector<Index> counted;
    for (Index i = 0; i < n; ++i) {
      if (is_fitted_to(rows, i)) {
        counted.push_back(i);
      }
    }
    chosen_ = counted;
    if (static_cast<Index>(counted.size()) > rows_at_start) {
      chosen_ = first_rows(rows);
      // Of the ν kind every group must be able to serve.
      if (!nu && static_cast<Index>(chosen_.size()) > rows_at_start) {
        chosen_ = thinned(chosen_, rows, rows_at_start);
      }
    }
  }

  GroupedSolution solve() {
    while (true) {
      run_.check_stop();
      require_memory();
      solve_chosen();
      evaluate();
      ++solution_.rounds;
      if (!add_violators()) {
        break;
      }
    }
    if (!nu_) {
      settle_offset();
    }
    judge();
    return std::move(solution_);
  }

 private:
  void require_memory() const {
    const auto count = static_cast<double>(chosen_.size());
    const double bytes = 4 * count * count * sizeof(double);
    const double allowed = options_.memory_mb * bytes_per_megabyte;
    if (bytes > allowed) {
      throw InvalidArgument("one slack per group: " + std::to_string(chosen_.size()) +
                            " rows are needed in one programme, which takes " +
                            std::to_string(std::llround(bytes / bytes_per_megabyte)) + " MB, the fit may use " +
                            std::to_string(std::llround(options_.memory_mb)) +
                            " MB; try fewer rows, a larger memory_mb, or a slack of its own for every row");
    }
  }

  void solve_chosen() {
    const auto count = static_cast<Index>(chosen_.size());
    Matrix<double> gram(count, count);
    gram_.gather(chosen_, chosen_, gram.view(), run_);
    for (Index i = 0; i < count; ++i) {
      for (Index j = 0; j < i; ++j) {
        gram(j, i) = gram(i, j);
      }
    }
    std::vector<double> signs;
    std::vector<Index> groups;
    std::vector<double> bounds;
    std::vector<Index> number(rows_.bounds.size(), -1);
    for (const Index i : chosen_) {
      Index& g = number[rows_.groups[i]];
      if (g < 0) {
        g = static_cast<Index>(bounds.size());
        bounds.push_back(rows_.bounds[rows_.groups[i]]);
      }
      signs.push_back(rows_.signs[i]);
      groups.push_back(g);
    }
    GroupedProgram program(std::move(gram), std::move(signs), std::move(groups), std::move(bounds), run_);
    const double total = nu_.value_or(0) * std::accumulate(rows_.bounds.begin(), rows_.bounds.end(), 0.0);
    const GroupedJudgement found = nu_ ? program.solve_nu(total) : program.solve();
    solution_.rho = program.rho();
    solution_.iterations += program.iterations();
    solution_.offset = found.point.offset;  // beside the centred matrix
    const std::vector<bool> full = program.full_groups(found.point.alpha);
    full_.assign(rows_.bounds.size(), false);
    for (std::size_t g = 0; g < number.size(); ++g) {
      full_[g] = number[g] >= 0 && full[number[g]];
    }
    solution_.coefficients.assign(rows_.signs.size(), 0.0);
    for (Index k = 0; k < count; ++k) {
      solution_.coefficients[chosen_[k]] = rows_.signs[chosen_[k]] * found.point.alpha[k];
    }
  }

  // Kβ at all rows; the offset that belongs to it, and the slacks.
  void evaluate() {
    std::vector<Index> support;
    std::vector<double> coefficients;
    for (Index i = 0; i < gram_.size(); ++i) {
      if (solution_.coefficients[i] != 0) {
        support.push_back(i);
        coefficients.push_back(solution_.coefficients[i]);
      }
    }
    solution_.values.assign(rows_.signs.size(), 0.0);
    gram_.accumulate(support, coefficients, solution_.values, run_);
    double mean = 0;
    for (const Index i : chosen_) {
      mean += solution_.values[i] / static_cast<double>(chosen_.size());
    }
    solution_.offset -= mean;
    find_slacks();
  }

  // Where no row is on the margin any offset of an interval is as good: the middle, as of machines with a slack per row.
  void settle_offset() {
    double size = 1;
    for (const double value : solution_.values) {
      size = std::max(size, std::abs(value));
    }
    const OffsetInterval interval = cheapest_offsets(solution_.values, rows_.signs, rows_.groups, rows_.bounds);
    if (interval.is_open(size)) {
      solution_.offset = interval.middle();
      find_slacks();
    }
  }

  void find_slacks() {
    slacks_.assign(rows_.bounds.size(), 0.0);
    for (Index i = 0; i < gram_.size(); ++i) {
      if (is_fitted_to(rows_, i)) {
        slacks_[rows_.groups[i]] = std::max(slacks_[rows_.groups[i]], missing(i));
      }
    }
  }

  // 1 − y f.
  double missing(Index i) const { return 1 - rows_.signs[i] * (solution_.values[i] + solution_.offset); }

  // Rows that are not in the programme and, in their groups, worse than those that are: the worst join it.
  bool add_violators() {
    std::vector<double> known(rows_.bounds.size(), 0.0);
    std::vector<char> is_chosen(rows_.signs.size(), 0);
    for (const Index i : chosen_) {
      is_chosen[i] = 1;
      double& edge = known[rows_.groups[i]];
      edge = full_[rows_.groups[i]] ? std::max(edge, missing(i)) : edge;
    }
    std::vector<std::pair<double, Index>> worse;
    for (Index i = 0; i < gram_.size(); ++i) {
      if (is_fitted_to(rows_, i) && is_chosen[i] == 0) {
        const double beyond = missing(i) - known[rows_.groups[i]];
        if (beyond > std::min(1e-6, options_.tolerance / 2)) {
          worse.emplace_back(-beyond, i);
        }
      }
    }
    if (worse.empty()) {
      return false;
    }
    std::ranges::sort(worse);
    const std::size_t taken = std::min(worse.size(), std::max<std::size_t>(least_rows_added, chosen_.size() / 2));
    for (std::size_t k = 0; k < taken; ++k) {
      chosen_.push_back(worse[k].second);
    }
    std::ranges::sort(chosen_);
    return true;
  }

  // Everything about the solution from the solution alone.
  void judge() {
    double norm = 0;
    double sum = 0;
    double loss = 0;
    double unit = 0;
    for (std::size_t g = 0; g < slacks_.size(); ++g) {
      loss += rows_.bounds[g] / solution_.rho * slacks_[g];
      unit += rows_.bounds[g] / solution_.rho;
    }
    for (Index i = 0; i < gram_.size(); ++i) {
      if (!is_fitted_to(rows_, i)) {
        continue;
      }
      const Index g = rows_.groups[i];
      const double size = std::abs(solution_.coefficients[i]);
      norm += solution_.coefficients[i] * solution_.values[i];
      sum += size;
      const double allowed = full_[g] ? slacks_[g] : 0.0;
      solution_.violation =
          std::max({solution_.violation, missing(i) - allowed, size > 0 ? allowed - missing(i) : 0.0});
      solution_.bounded += size > 0 && full_[g] ? 1 : 0;
    }
    solution_.primal = norm / 2 + loss;
    solution_.dual = sum - norm / 2;
    const double scale = std::max(
        {std::abs(solution_.primal), std::abs(solution_.dual), 1e-6 * unit, std::numeric_limits<double>::min()});
    solution_.relative_gap = std::abs(solution_.primal - solution_.dual) / scale;
    if (!std::isfinite(solution_.primal) || !std::isfinite(solution_.dual)) {
      throw NumericalError("one slack per group: the interior point found no solution that is finite");
    }
    double missed = 0;
    if (nu_) {
      const double total = *nu_ * std::accumulate(rows_.bounds.begin(), rows_.bounds.end(), 0.0);
      missed = std::abs(sum * solution_.rho / total - 1);
    }
    const bool proved = std::max({solution_.relative_gap, solution_.violation, missed}) <= options_.tolerance;
    solution_.status = proved ? SolveStatus::converged : SolveStatus::stalled;
  }

  const Gram<double>& gram_;
  const GroupedRows& rows_;
  const GroupedOptions& options_;
  std::optional<double> nu_;
  const Run& run_;
  std::vector<Index> chosen_;
  std::vector<bool> full_;
  std::vector<double> slacks_;
  GroupedSolution solution_;
};

}  // namespace

GroupedSolution solve_grouped_svc(const Gram<double>& gram, const GroupedRows& rows, const GroupedOptions& options,
                                  const Run& run) {
  require_valid(rows, gram.size());
  return GroupedSolver(gram, rows, options, std::nullopt, run).solve();
}

// With S = Σ₊α = Σ₋α: S ≤ P + M, S ≤ N + M and 2S ≤ P + N + M for the weights of groups of one class or of both.
double largest_grouped_nu(const GroupedRows& rows) {
  std::vector<bool> has_first(rows.bounds.size(), false);
  std::vector<bool> has_second(rows.bounds.size(), false);
  for (std::size_t i = 0; i < rows.signs.size(); ++i) {
    if (rows.groups[i] >= 0) {
      (rows.signs[i] > 0 ? has_first : has_second)[rows.groups[i]] = true;
    }
  }
  double total = 0;
  double first = 0;
  double second = 0;
  for (std::size_t g = 0; g < rows.bounds.size(); ++g) {
    total += rows.bounds[g];
    first += has_first[g] ? rows.bounds[g] : 0.0;
    second += has_second[g] ? rows.bounds[g] : 0.0;
  }
  return std::min(1.0, 2 * std::min(first, second) / total);
}

GroupedSolution solve_grouped_nu_svc(const Gram<double>& gram, const GroupedRows& rows, double nu,
                                     const GroupedOptions& options, const Run& run) {
  require_valid(rows, gram.size());
  const double largest = largest_grouped_nu(rows);
  if (!(nu > 0) || nu > largest * (1 + 1e-12)) {
    throw InvalidArgument("nu = " + shortest(nu) + " is infeasible: " + shortest(largest) +
                          " is the largest for these groups, twice the weight of the groups that have the rarer class "
                          "over that of all, and 1 at most");
  }
  return GroupedSolver(gram, rows, options, std::min(nu, largest), run).solve();
}

}  // namespace mercer
