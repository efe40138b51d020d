#include "mercer/solvers/clusters/kmeans_restarts.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/gram/low_rank.h"
#include "mercer/linalg/product.h"
#include "mercer/solvers/clusters/distance_seeding.h"

namespace mercer {

namespace {

constexpr Index kmeans_moved_rows = 256;
constexpr Index kmeans_task_rows = 1024;
// Differences of squared distances below this fraction of the largest k(x, x) are rounding.
constexpr double kmeans_rounding = 1e-13;

}  // namespace

KmeansRun::KmeansRun(const Gram<double>& gram, std::span<const double> weights, const KernelKmeansOptions& options,
                     const Run& run)
    : gram_(gram),
      options_(options),
      run_(run),
      n_(gram.size()),
      k_(std::min(options.clusters, gram.size())),
      is_factored_(dynamic_cast<const LowRankGram<double>*>(&gram) != nullptr) {
  weights_.assign(weights.begin(), weights.end());
  weights_.resize(n_, 1.0);
  diagonal_.resize(n_);
  gram.diagonal(diagonal_);
  for (Index i = 0; i < n_; ++i) {
    trace_ += weight(i) * diagonal_[i];
    largest_ = std::max(largest_, std::abs(diagonal_[i]));
  }
}

KmeansRestart KmeansRun::start(Index number) const {
  KmeansRestart restart;
  if (!options_.start.empty()) {
    restart.now.assignment = options_.start;
    return restart;
  }
  const DistancesOfRows distances = [this](std::span<const Index> list, MatrixView<double> out) {
    gram_.rows(list, out, run_);
    for (Index a = 0; a < out.rows(); ++a) {
      const double own = diagonal_[list[a]];
      for (Index j = 0; j < n_; ++j) {
        out(a, j) = std::max(0.0, own + diagonal_[j] - 2 * out(a, j));
      }
    }
  };
  RandomStream random(run_.seed(), static_cast<std::uint64_t>(number) + 0x6b6d65616e73);
  const DistanceSeeds seeds = seed_by_distance(distances, weights_, k_, kmeans_rounding * largest_, random);
  restart.now.assignment = seeds.nearest;
  return restart;
}

void KmeansRun::measure(KmeansRestart& restart) const {
  KmeansPartition& now = restart.now;
  const Matrix<double>& sums = restart.sums;
  now.cluster_weights.assign(k_, 0.0);
  now.squared_norms.assign(k_, 0.0);
  for (Index i = 0; i < n_; ++i) {
    const auto c = static_cast<std::size_t>(now.assignment[i]);
    now.cluster_weights[c] += weight(i);
    now.squared_norms[c] += weight(i) * sums(i, static_cast<Index>(c));
  }
  double explained = 0;
  for (std::size_t c = 0; c < now.cluster_weights.size(); ++c) {
    const double total = now.cluster_weights[c];
    if (total > 0) {
      explained += now.squared_norms[c] / total;
      now.squared_norms[c] /= total * total;
    }
  }
  const double objective = trace_ - explained;
  if (!std::isfinite(objective)) {
    throw NumericalError("k-means: kernel values that are not finite numbers");
  }
  restart.objectives.push_back(objective);
}

void KmeansRun::check_end(KmeansRestart& restart) const {
  const std::size_t steps = restart.objectives.size();
  if (steps > 1) {
    const double was = restart.objectives[steps - 2];
    const double fell = was - restart.objectives[steps - 1];
    if (fell < -kmeans_rounding * std::max(std::abs(was), std::abs(trace_))) {
      // Only an indefinite kernel gets here: its squared distances to means are none.
      restart.now = restart.before;
      restart.objectives.pop_back();
      restart.end(SolveStatus::stalled);
      return;
    }
    if (options_.tolerance > 0 && fell <= options_.tolerance * std::abs(was)) {
      restart.end(SolveStatus::converged);
      return;
    }
  }
  if (static_cast<Index>(steps) >= options_.max_iterations) {
    restart.end(SolveStatus::iteration_limit);
  }
}

// A cluster without samples takes the one that costs most: that sample then costs nothing. How many were filled.
Index KmeansRun::fill_empty(std::vector<double>& costs, std::vector<Index>& assignment) const {
  std::vector<Index> counts(k_, 0);
  for (const Index c : assignment) {
    ++counts[c];
  }
  Index filled = 0;
  for (Index empty = 0; empty < k_; ++empty) {
    if (counts[empty] > 0) {
      continue;
    }
    std::size_t worst = costs.size();
    double most = kmeans_rounding * largest_;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (costs[i] > most && counts[assignment[i]] > 1) {
        most = costs[i];
        worst = i;
      }
    }
    if (worst == costs.size()) {
      break;
    }
    --counts[assignment[worst]];
    assignment[worst] = empty;
    counts[empty] = 1;
    costs[worst] = 0;
    ++filled;
  }
  return filled;
}

void KmeansRun::move(KmeansRestart& restart) const {
  restart.before = restart.now;
  const Matrix<double>& sums = restart.sums;
  const KmeansPartition& old = restart.before;
  std::vector<Index>& assignment = restart.now.assignment;
  std::vector<double> costs(n_);
  std::vector<char> moved(block_count(n_, kmeans_task_rows), 0);
  parallel_for(run_, static_cast<Index>(moved.size()), [&](Index b) {
    const IndexRange range = block_range(n_, kmeans_task_rows, b);
    for (Index i = range.begin; i < range.end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const auto squared = [&](Index c) {
        const auto cluster = static_cast<std::size_t>(c);
        return old.squared_norms[cluster] - 2 * sums(i, c) / old.cluster_weights[cluster];
      };
      Index best = old.assignment[at];
      // A sample moves for more than rounding only, or equal means would pass it to and fro.
      double least = squared(best) - kmeans_rounding * largest_;
      for (Index c = 0; c < k_; ++c) {
        if (old.cluster_weights[c] > 0 && squared(c) < least) {
          least = squared(c);
          best = c;
        }
      }
      if (best != old.assignment[at]) {
        assignment[at] = best;
        moved[b] = 1;
      }
      costs[at] = weight(i) * (diagonal_[at] + squared(best));
    }
  });
  const Index filled = fill_empty(costs, assignment);
  restart.reseeded += filled;
  if (filled == 0 && std::find(moved.begin(), moved.end(), 1) == moved.end()) {
    restart.end(SolveStatus::converged);
  }
}

// The rows that changed their cluster in any of the restarts.
std::vector<Index> KmeansRun::moved_rows(std::span<KmeansRestart* const> active) const {
  std::vector<Index> rows;
  for (Index i = 0; i < n_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (std::any_of(active.begin(), active.end(), [&](const KmeansRestart* restart) {
          return restart->before.assignment[at] != restart->now.assignment[at];
        })) {
      rows.push_back(i);
    }
  }
  return rows;
}

void KmeansRun::multiply_all(std::span<KmeansRestart* const> active) const {
  const auto columns = static_cast<Index>(active.size()) * k_;
  Matrix<double> indicators = Matrix<double>::filled(n_, columns, 0.0);
  for (std::size_t r = 0; r < active.size(); ++r) {
    for (Index i = 0; i < n_; ++i) {
      indicators(i, static_cast<Index>(r) * k_ + active[r]->now.assignment[i]) = weight(i);
    }
  }
  Matrix<double> sums(n_, columns);
  gram_.multiply(std::as_const(indicators).view(), sums.view(), run_);
  for (std::size_t r = 0; r < active.size(); ++r) {
    active[r]->sums = Matrix<double>::copy_of(std::as_const(sums).view().block(0, static_cast<Index>(r) * k_, n_, k_));
  }
}

// Only the rows of K that belong to samples which moved: late steps cost little.
void KmeansRun::multiply_moved(std::span<KmeansRestart* const> active, std::span<const Index> moved) const {
  const auto columns = static_cast<Index>(active.size()) * k_;
  Matrix<double> changes = Matrix<double>::filled(n_, columns, 0.0);
  Matrix<double> rows(std::min<Index>(kmeans_moved_rows, static_cast<Index>(moved.size())), n_);
  for (std::size_t begin = 0; begin < moved.size(); begin += kmeans_moved_rows) {
    run_.check_stop();
    const auto list = moved.subspan(begin, std::min<std::size_t>(kmeans_moved_rows, moved.size() - begin));
    const auto count = static_cast<Index>(list.size());
    const MatrixView<double> part = rows.view().row_block({0, count});
    gram_.rows(list, part, run_);
    Matrix<double> signs = Matrix<double>::filled(count, columns, 0.0);
    for (std::size_t r = 0; r < active.size(); ++r) {
      for (Index a = 0; a < count; ++a) {
        const auto at = static_cast<std::size_t>(list[a]);
        const Index first = static_cast<Index>(r) * k_;
        signs(a, first + active[r]->now.assignment[at]) += weights_[at];
        signs(a, first + active[r]->before.assignment[at]) -= weights_[at];
      }
    }
    parallel_gemm<double>(1.0, part, Transpose::yes, std::as_const(signs).view(), Transpose::no, 1.0, changes.view(),
                          run_);
  }
  for (std::size_t r = 0; r < active.size(); ++r) {
    for (Index i = 0; i < n_; ++i) {
      for (Index c = 0; c < k_; ++c) {
        active[r]->sums(i, c) += changes(i, static_cast<Index>(r) * k_ + c);
      }
    }
  }
}

bool KmeansRun::step(std::span<KmeansRestart> restarts) const {
  std::vector<KmeansRestart*> active;
  for (KmeansRestart& restart : restarts) {
    if (restart.active) {
      active.push_back(&restart);
    }
  }
  if (active.empty()) {
    return false;
  }
  const bool first = active.front()->objectives.empty();
  const std::vector<Index> moved = first || is_factored_ ? std::vector<Index>{} : moved_rows(active);
  // A product with all of K uses its symmetry; rows by themselves do not.
  if (first || is_factored_ || 3 * static_cast<Index>(moved.size()) > n_) {
    multiply_all(active);
  } else {
    multiply_moved(active, moved);
  }
  for (KmeansRestart* restart : active) {
    measure(*restart);
    check_end(*restart);
    if (restart->active) {
      move(*restart);
    }
  }
  return true;
}

}  // namespace mercer
