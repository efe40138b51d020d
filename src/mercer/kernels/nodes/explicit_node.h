// ExplicitNode: kernels that are inner products of explicit sparse features, k(x, y) = ⟨Φ(x), Φ(y)⟩: words, k-mers,
// subtrees, histograms. The author writes Φ for one sample; n samples then cost their total number of features once, and
// the Gram matrix is a sparse product (kernels/keyed_rows.h). Linear models take the features themselves
// (features/explicit_map.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/kernels/keyed_rows.h"
#include "mercer/kernels/nodes/composite_node.h"

namespace mercer {

/// One occurrence of a feature in a sample that is a sequence: bytes [begin, end). A feature's value is shared out among
/// its occurrences by their parts; these may have either sign.
struct FeaturePlace {
  std::uint64_t key = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  double part = 1;
};

class ExplicitNode : public TemplatedTile<ExplicitNode> {
 public:
  using TemplatedTile::TemplatedTile;

  Definiteness definiteness() const override { return Definiteness::positive(); }
  bool depends_on_reference() const override { return learns(); }
  void request(KernelPreparation& preparation) const override;
  void complete(KernelPreparation& preparation) const override;
  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override;
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override;
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override;
  bool has_input_derivatives() const override { return false; }
  bool computes_in_double() const override { return true; }

  /// Whether features depend on what learn() saw (document frequencies, say).
  virtual bool learns() const { return false; }
  /// What the features need to know of the training samples; null where learns() is false.
  virtual std::shared_ptr<const void> learn(const Samples& reference, const Run& run) const;

  /// Adds Φ(x_i) to `out`, in any order; equal keys are added up. Called from several threads. `learnt` is what learn()
  /// made of the training samples.
  virtual void append_features(const Samples& samples, Index i, const void* learned, FeatureList& out) const = 0;
  /// Throws InvalidArgument or DataError where the samples are not of a kind or form that this kernel takes.
  virtual void check(const Samples& samples) const = 0;
  /// A feature as a reader knows it ("ACG", "ACG@17"), found again in one of the samples that have it. Default: the key
  /// in hexadecimal digits.
  virtual std::string feature_name(const Samples& samples, Index i, std::uint64_t key) const;
  /// The names of several features of x_i, for nodes that find many at once sooner than each alone.
  virtual std::vector<std::string> feature_names(const Samples& samples, Index i,
                                                 std::span<const std::uint64_t> keys) const {
    std::vector<std::string> names;
    for (const std::uint64_t key : keys) {
      names.push_back(feature_name(samples, i, key));
    }
    return names;
  }
  /// Adds every occurrence of every feature of x_i, in any order: what weights are drawn along a sequence by. Nothing
  /// for features that stand at no place (of sets, graphs). `learnt` as for append_features().
  virtual void append_places(const Samples& /*samples*/, Index /*i*/, const void* /*learnt*/,
                             std::vector<FeaturePlace>& /*out*/) const {}

  /// What learn() made, as numbers by key, and back: models that keep no samples store this. Nodes that learn override
  /// both; the second throws DataError where the numbers cannot be right.
  virtual std::vector<KeyedFeature> learned_numbers(const void* /*learnt*/) const { return {}; }
  virtual std::shared_ptr<const void> learned_from(std::span<const KeyedFeature> /*numbers*/) const { return nullptr; }

 private:
  friend TemplatedTile;
  struct Features {
    std::shared_ptr<const void> learned;
    KeyedRows rows;
  };
  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const;
};

}  // namespace mercer
