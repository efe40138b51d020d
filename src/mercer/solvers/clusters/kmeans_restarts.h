// The restarts of kernel k-means, step by step and side by side: what kernel_kmeans() runs.
#pragma once

#include <span>
#include <vector>

#include "mercer/linalg/matrix.h"
#include "mercer/solvers/clusters/kernel_kmeans.h"

namespace mercer {

/// An assignment with what one product tells about it.
struct KmeansPartition {
  std::vector<Index> assignment;
  std::vector<double> cluster_weights;
  std::vector<double> squared_norms;
};

struct KmeansRestart {
  KmeansPartition now;
  KmeansPartition before;  // one step ago
  Matrix<double> sums;     // Σ_{j∈c} w_j K_ij, n × k; of `before` until the next product
  std::vector<double> objectives;
  Index reseeded = 0;
  SolveStatus status = SolveStatus::iteration_limit;
  bool active = true;

  double objective() const { return objectives.back(); }
  void end(SolveStatus how) {
    status = how;
    active = false;
  }
};

class KmeansRun {
 public:
  KmeansRun(const Gram<double>& gram, std::span<const double> weights, const KernelKmeansOptions& options,
            const Run& run);

  /// A start by k-means++, or the given one.
  KmeansRestart start(Index restart) const;
  /// One product for all: objectives of the present assignments, and the next ones. False where no restart is active
  /// any more.
  bool step(std::span<KmeansRestart> restarts) const;

 private:
  double weight(Index i) const { return weights_[i]; }
  std::vector<Index> moved_rows(std::span<KmeansRestart* const> active) const;
  void multiply_all(std::span<KmeansRestart* const> active) const;
  void multiply_moved(std::span<KmeansRestart* const> active, std::span<const Index> moved) const;
  void measure(KmeansRestart& restart) const;
  void check_end(KmeansRestart& restart) const;
  void move(KmeansRestart& restart) const;
  Index fill_empty(std::vector<double>& costs, std::vector<Index>& assignment) const;

  const Gram<double>& gram_;
  const KernelKmeansOptions& options_;
  const Run& run_;
  Index n_;
  Index k_;
  bool is_factored_;  // products cost less than rows
  std::vector<double> weights_;
  std::vector<double> diagonal_;
  double trace_ = 0;
  double largest_ = 0;
};

}  // namespace mercer
