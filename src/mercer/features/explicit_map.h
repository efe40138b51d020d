// ExplicitMap: the explicit sparse features of a kernel (words, k-mers, subtrees …) as numbered columns, so that linear
// models learn in time and memory that grow with the number of features in the samples, not with all pairs of rows:
//
//   k(x, y) = Φ(x)·Φ(y),      row i of the sparse matrix = Φ(x_i)
//
// The dictionary feature → column is learnt from the training samples; columns are ordered by the number of training
// rows that have the feature, most frequent first (the hot part of a weight vector then fits a cache), ties by key.
// Features that training never saw have no column and are dropped at prediction, after normalize() has counted them.
// A map holds keys and what kernels learnt (document frequencies), no samples.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/features/explicit_terms.h"
#include "mercer/kernels/key_index.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// A map as plain data, as a file keeps it.
struct ExplicitMapParts {
  std::vector<std::uint64_t> keys;                 ///< by column
  std::vector<std::vector<KeyedFeature>> learned;  ///< per leaf of the kernel; empty for those that learn nothing
};

/// What features at every place of a sequence add to w·Φ(x).
struct SequenceProfile {
  std::string column;     ///< the column of a table that the sequence stands in; may be empty
  std::string sequence;   ///< itself
  Matrix<double> values;  ///< bytes of the sequence × functions
};

class ExplicitMap {
 public:
  /// Resolves what the kernel leaves to the data, then learns dictionary and document frequencies in one pass over the
  /// samples. Throws as ExplicitTerms does, Stopped.
  static ExplicitMap learn(const Kernel& kernel, const WeightedSamples& all, const Run& run);
  /// From a file: DataError where the parts are no map of this kernel.
  ExplicitMap(const Kernel& kernel, ExplicitMapParts parts);

  /// With every parameter resolved.
  const Kernel& kernel() const { return terms_.kernel(); }
  Index columns() const { return static_cast<Index>(keys_.size()); }
  /// Features of all training samples together: what features() will make of them. 0 for maps from a file.
  std::int64_t training_features() const { return training_features_; }

  /// Sparse rows of type T = float or double, with the identity of the samples. 8 or 12 bytes per feature, and blocks
  /// of rows on the way. The same bits for any number of threads.
  template <class T>
  Samples features(const Samples& samples, const Run& run) const;

  /// A map with some of the columns, in this order; features of the others are dropped like unknown ones.
  ExplicitMap keeping(std::span<const Index> columns) const;

  /// What features are called ("ACG", "ACG@17", a word; "column:word" where the kernel has several parts,
  /// "column:kernel:word" where several of them see that column), each found again in one of the samples: training
  /// samples that features() made `rows` of. Hexadecimal for those in none.
  std::vector<std::string> names(std::span<const Index> columns, const Samples& samples, const Samples& rows,
                                 const Run& run) const;

  /// Where in sample i the value Σ_j w_jf Φ_j(x_i) of each function f comes from: every feature's part is shared out
  /// among its occurrences (evenly, but where the kernel says what each adds) and evenly among their places. Sums over all profiles and places give Wᵀ Φ(x_i), but for features
  /// without a place. One profile per string column that the kernel sees, all 0 where the sequence has no features, in
  /// the order of the kernel. w: columns × functions.
  std::vector<SequenceProfile> profile(const Samples& samples, Index i, ConstMatrixView<double> weights) const;

  ExplicitMapParts parts() const;

 private:
  ExplicitMap(ExplicitTerms terms, std::vector<std::shared_ptr<const void>> learned, std::vector<std::uint64_t> keys,
              Index training_rows, std::int64_t training_features);

  ExplicitTerms terms_;
  std::vector<std::shared_ptr<const void>> learned_;
  std::vector<std::uint64_t> keys_;
  KeyIndex index_;
  Index training_rows_ = 0;
  std::int64_t training_features_ = 0;
};

}  // namespace mercer
