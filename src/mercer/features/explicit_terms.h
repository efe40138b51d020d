// A kernel seen as a sum of explicit features: the walk over its expression that ExplicitMap is made of.
//
//   Φ_{k₁+k₂} = (Φ_{k₁}, Φ_{k₂})      Φ_{c k} = √c Φ_k      Φ_{normalize(k)} = Φ_k / ‖Φ_k‖      Φ_{k[S]}(x) = Φ_k(x_S)
//
// Leaves are kernels with an explicit sparse map (kernels/nodes/explicit_node.h), linear() on numeric columns,
// delta() and constant().
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/columns.h"
#include "mercer/kernels/kernel.h"
#include "mercer/kernels/nodes/explicit_node.h"

namespace mercer {

/// A leaf of the expression and the columns that it sees.
struct ExplicitLeaf {
  const KernelNode* node = nullptr;
  const ExplicitNode* explicit_node = nullptr;  ///< null for linear(), delta() and constant()
  std::vector<ColumnSelection> subscripts;      ///< outermost first
  std::string label;                            ///< what tells its features from those of other leaves; may be empty
  std::uint64_t tag = 0;                        ///< 0 where there is one leaf only: keys stay as they are
};

class ExplicitTerms {
 public:
  /// InvalidArgument, naming the part, where the kernel has a part without explicit features, or a negative factor.
  explicit ExplicitTerms(Kernel kernel);

  const Kernel& kernel() const { return kernel_; }
  const std::vector<ExplicitLeaf>& leaves() const { return leaves_; }

  /// What each leaf sees of the samples, checked: InvalidArgument or DataError where they are of another kind.
  std::vector<Samples> views(const Samples& samples) const;
  /// What each leaf learns of the training samples.
  std::vector<std::shared_ptr<const void>> learn(const std::vector<Samples>& views, const Run& run) const;

  /// Adds Φ(x_i), in any order. Thread-safe.
  void append_features(const std::vector<Samples>& views, const std::vector<std::shared_ptr<const void>>& learned,
                       Index i, FeatureList& out) const;

  /// Adds what one leaf alone makes of x_i, under its own keys, in any order.
  void leaf_features(const std::vector<Samples>& views, const std::vector<std::shared_ptr<const void>>& learned,
                     std::size_t leaf, Index i, FeatureList& out) const;

  /// The key of a leaf's feature among all.
  static std::uint64_t tagged(const ExplicitLeaf& leaf, std::uint64_t key);

 private:
  struct Walk;
  void collect(const Kernel& part, const std::vector<ColumnSelection>& subscripts);
  void append(const Kernel& part, Walk& walk, FeatureList& out) const;

  Kernel kernel_;
  std::vector<ExplicitLeaf> leaves_;  // in the order of the walk
};

}  // namespace mercer
