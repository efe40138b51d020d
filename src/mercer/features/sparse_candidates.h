// The candidates of sparse kernel feature analysis (sparse_features.h) after some features were taken: the residual
// R = K − GGᵀ of their Gram matrix, which is never stored, and how each is expanded in the chosen samples.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/features/sparse_features.h"
#include "mercer/gram/gram.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// Σ_l p_l (z_l − mean)² for shares p of sum 1.
double variance_with_shares(std::span<const double> values, std::span<const double> shares);

class SparseCandidates {
 public:
  /// Shares are weights of sum 1. Everything given must outlive this.
  SparseCandidates(const Gram<double>& gram, std::span<const double> shares, const SparseFeatureOptions& options,
                   const Run& run);

  Index size() const { return gram_.size(); }
  Index taken() const { return static_cast<Index>(chosen_.size()); }
  std::span<const Index> chosen() const { return chosen_; }
  std::span<const double> shares() const { return shares_; }
  Index evaluations() const { return evaluations_; }

  /// Rows that may still be chosen: neither taken nor left out, with something of their own left.
  std::vector<Index> eligible() const;
  void leave_out(Index j) { out_[j] = 1; }
  /// R_jj, and the largest of all.
  double diagonal(Index j) const { return diagonal_[j]; }
  double largest_diagonal() const;
  /// The ℓ_p norm of the candidate's coefficients (1 unless normalized).
  double norm(Index j) const;
  /// What candidates are compared by: the variance of their outputs over norm².
  double score(Index j, double variance) const { return variance / (norm(j) * norm(j)); }

  /// out(a, b) = R(list[a], columns[b]); no columns: all of them.
  void rows(std::span<const Index> list, std::span<const Index> columns, MatrixView<double> out);
  /// out_j = Σ_l R_jl v_l: one product with K.
  void multiply(const Matrix<double>& v, Matrix<double>& out);
  void count_evaluations(Index count) { evaluations_ += count; }

  /// Makes candidate j the next feature, given its residual column, and takes its direction away from the others.
  /// Returns the new column of G; empty for removal, which takes nothing away. No where nothing is left of j.
  struct Taken {
    bool done = false;
    std::vector<double> direction;
  };
  Taken take(Index j, std::span<const double> column);

  /// Coefficients and norms of the features (SparseFeatures).
  void expand(SparseFeatures& features) const;

 private:
  bool projects() const { return options_.mode != SparseFeatureMode::removal; }
  void expand_others(Index j, std::span<const double> column);

  const Gram<double>& gram_;
  std::span<const double> shares_;
  const SparseFeatureOptions& options_;
  Run run_;
  std::vector<double> diagonal_;
  double floor_ = 0;       // diagonals up to it count as 0
  std::vector<char> out_;  // per row: taken or left out
  std::vector<Index> chosen_;
  std::vector<double> lengths_;  // ‖v‖ of the chosen, scaled
  Matrix<double> factor_;        // G
  Matrix<double> expansion_;     // per row: how much of every chosen sample was taken away (normalized)
  Index evaluations_ = 0;
};

/// The best of the listed candidates, by variances over a growing random part of the samples: those that are not the best
/// with probability options.confidence are given up on the way.
Index best_by_elimination(SparseCandidates& candidates, std::vector<Index> list, double confidence, const Run& run);

}  // namespace mercer
