#include "mercer/solvers/clusters/set_cover.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/convex_program.h"

namespace mercer {

namespace {

using Neighbors = std::vector<std::vector<Index>>;

void require_reflexive(const Neighbors& neighbors) {
  for (std::size_t j = 0; j < neighbors.size(); ++j) {
    if (!std::ranges::binary_search(neighbors[j], static_cast<Index>(j))) {
      throw InvalidArgument("row " + std::to_string(j) + " (counted from 0) does not cover itself");
    }
  }
}

// Without rows that others cover what they cover, the latest first.
std::vector<Index> pruned(const Neighbors& neighbors, std::vector<Index> cover) {
  std::vector<Index> covered_by(neighbors.size(), 0);
  for (const Index j : cover) {
    for (const Index i : neighbors[j]) {
      ++covered_by[i];
    }
  }
  for (std::size_t k = cover.size(); k-- > 0;) {
    const std::vector<Index>& own = neighbors[cover[k]];
    if (std::ranges::all_of(own, [&](Index i) { return covered_by[i] > 1; })) {
      for (const Index i : own) {
        --covered_by[i];
      }
      cover.erase(cover.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
  std::ranges::sort(cover);
  return cover;
}

// Σy for prices y scaled so that no row covers more than 1 of them.
double proved_bound(const Neighbors& neighbors, const std::vector<double>& prices) {
  double most = 0;
  for (const std::vector<Index>& own : neighbors) {
    double sum = 0;
    for (const Index i : own) {
      sum += prices[i];
    }
    most = std::max(most, sum);
  }
  return most > 0 ? std::accumulate(prices.begin(), prices.end(), 0.0) / most : 0.0;
}

SetCover greedy_cover(const Neighbors& neighbors, const Run& run) {
  const auto n = static_cast<Index>(neighbors.size());
  std::vector<char> covered(neighbors.size(), 0);
  std::vector<double> prices(neighbors.size(), 0.0);
  std::vector<Index> left(neighbors.size());
  std::set<std::pair<Index, Index>> queue;  // minus what a row would cover anew, the row
  for (Index j = 0; j < n; ++j) {
    left[j] = static_cast<Index>(neighbors[j].size());
    queue.insert({-left[j], j});
  }
  std::vector<Index> cover;
  for (Index open = n; open > 0;) {
    run.check_stop();
    const Index best = queue.begin()->second;
    const double price = 1 / static_cast<double>(left[best]);
    cover.push_back(best);
    for (const Index i : neighbors[best]) {
      if (covered[i] != 0) {
        continue;
      }
      covered[i] = 1;
      prices[i] = price;
      --open;
      for (const Index j : neighbors[i]) {
        queue.erase({-left[j], j});
        queue.insert({-(--left[j]), j});
      }
    }
  }
  return {.rows = pruned(neighbors, std::move(cover)), .bound = proved_bound(neighbors, prices)};
}

// a of the programme, and its multipliers as prices.
std::pair<std::vector<double>, std::vector<double>> programmed(const Neighbors& neighbors, const Run& run) {
  const auto n = static_cast<Index>(neighbors.size());
  Matrix<double> covers = Matrix<double>::filled(n, n, 0.0);
  for (Index j = 0; j < n; ++j) {
    for (const Index i : neighbors[j]) {
      covers(i, j) = 1;
    }
  }
  ConvexProgram program;
  program.linear.assign(neighbors.size(), 1.0);
  program.range = covers.view();
  program.range_lower.assign(neighbors.size(), 1.0);
  program.lower.assign(neighbors.size(), 0.0);
  ConvexSolution solution = solve_convex_program(program, {}, run);
  for (double& price : solution.point.range_multipliers) {
    price = std::max(price, 0.0);
  }
  return {std::move(solution.point.x), std::move(solution.point.range_multipliers)};
}

SetCover programmed_cover(const Neighbors& neighbors, const Run& run) {
  const auto [shares, prices] = programmed(neighbors, run);
  std::vector<Index> order(neighbors.size());
  std::iota(order.begin(), order.end(), Index{0});
  // What rounding tells apart is equal.
  const auto rounded = [&](Index j) { return -std::round(shares[j] * 1e6); };
  std::ranges::stable_sort(order, {}, rounded);
  std::vector<char> covered(neighbors.size(), 0);
  std::vector<Index> cover;
  for (const Index j : order) {
    if (std::ranges::all_of(neighbors[j], [&](Index i) { return covered[i] != 0; })) {
      continue;
    }
    cover.push_back(j);
    for (const Index i : neighbors[j]) {
      covered[i] = 1;
    }
  }
  return {.rows = pruned(neighbors, std::move(cover)), .bound = proved_bound(neighbors, prices)};
}

}  // namespace

SetCover cover_rows(const std::vector<std::vector<Index>>& neighbors, CoverProgram program, const Run& run) {
  require_reflexive(neighbors);
  SetCover greedy = greedy_cover(neighbors, run);
  if (program == CoverProgram::skip || greedy.rows.size() <= 1) {
    return greedy;
  }
  SetCover programmed = programmed_cover(neighbors, run);
  programmed.bound = std::max(programmed.bound, greedy.bound);
  if (greedy.rows.size() < programmed.rows.size()) {
    programmed.rows = std::move(greedy.rows);
  }
  return programmed;
}

}  // namespace mercer
