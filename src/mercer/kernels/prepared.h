// Prepared: one sample set made ready for the tiles of one kernel. The samples are seen through *scopes* (all columns,
// a column subscript, a warp); each scope holds the geometries that its kernels share and slots with what single nodes
// computed once (row means of a centred kernel, say). Everything that depends on data (column means, kernel means)
// comes from the reference samples, so that training and test tiles agree.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/base/words.h"
#include "mercer/data/samples.h"
#include "mercer/kernels/geometry.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

/// In ascending order: the larger of two is the one that satisfies both.
enum class Precision { single_precision, double_precision };
constexpr auto words_of(Precision) {
  return std::array{Word{Precision::single_precision, "float"}, Word{Precision::double_precision, "double"}};
}

class Prepared {
 public:
  Prepared(Samples all, Precision precision);

  /// What a kernel without subscript sees in this scope: for vector kernels dense or sparse rows (default_columns).
  const Samples& samples() const { return samples_; }
  /// All of the scope's samples; subscripts choose from these.
  const Samples& all() const { return all_; }
  Index size() const { return samples_.size(); }
  Precision precision() const { return precision_; }

  /// Calls f(j) for the rows j in `range`, ascending, that are the sample with this row_id (of this set's origin).
  /// O(1) where row ids follow one another, O(log n) otherwise.
  template <class F>
  void for_rows_with_id(Index row_id, IndexRange range, F f) const {
    if (sorted_ids_.empty()) {
      const Index j = size() == 0 ? -1 : row_id - samples_.row_id(0);
      if (j >= range.begin && j < range.end) {
        f(j);
      }
      return;
    }
    for (auto at = std::lower_bound(sorted_ids_.begin(), sorted_ids_.end(), RowId{row_id, range.begin});
         at != sorted_ids_.end() && at->id == row_id && at->row < range.end; ++at) {
      f(at->row);
    }
  }
  /// Whether no sample stands here twice.
  bool has_distinct_rows() const { return distinct_rows_; }

  /// Why some of the samples lie off the domain of a node's definiteness, where its formula holds all the same; empty
  /// where none does.
  const std::string& off_domain() const;

  template <class T>
  const Geometry<T>& geometry(const GeometryKey& key) const;
  /// The rows in double precision of either kind of geometry: the norms that diagonals need.
  double squared_length(const GeometryKey& key, Index i) const;
  const Prepared& scope(std::string_view key) const;
  /// What `node` stored in complete(); the caller knows the type.
  template <class S>
  const S& slot(const KernelNode& node) const {
    return *static_cast<const S*>(find_slot(node));
  }

 private:
  friend class KernelPreparation;
  struct GeometrySlot {
    GeometryKey key;
    GeometryUse use;
    std::shared_ptr<const Geometry<float>> single;
    std::shared_ptr<const Geometry<double>> full;
  };
  struct Scope {
    std::string key;
    std::shared_ptr<Prepared> prepared;
  };
  struct NodeSlot {
    const KernelNode* node;
    std::shared_ptr<const void> content;
  };
  struct RowId {
    Index id;
    Index row;
    auto operator<=>(const RowId&) const = default;
  };
  const GeometrySlot& find_geometry(const GeometryKey& key) const;
  const void* find_slot(const KernelNode& node) const;

  Samples all_;
  Samples samples_;
  Precision precision_;
  std::vector<RowId> sorted_ids_;  // empty: row ids follow one another
  bool distinct_rows_ = true;
  std::vector<GeometrySlot> geometries_;
  std::vector<Scope> scopes_;
  std::vector<NodeSlot> slots_;
  std::string off_domain_;
};

/// The walk of a kernel's nodes over one sample set; nodes call it from request() and complete().
class KernelPreparation {
 public:
  KernelPreparation(std::shared_ptr<Prepared> target, std::shared_ptr<const Prepared> reference, const Run& run)
      : target_(std::move(target)), reference_(std::move(reference)), run_(run) {}

  Prepared& target() const { return *target_; }
  const std::shared_ptr<Prepared>& shared_target() const { return target_; }
  /// The training side; null while the training side itself is being prepared.
  const std::shared_ptr<const Prepared>& reference() const { return reference_; }
  const Run& run() const { return run_; }

  /// In request(): this node's tiles will use the geometry of these weights.
  void need_geometry(const GeometryKey& key, GeometryUse use) const;
  /// In request() and complete(): the preparation of the scope `key`; `view` makes its samples from all() at the
  /// first call.
  KernelPreparation enter(const std::string& key, const std::function<Samples(const Samples&)>& view) const;
  /// In complete(): keeps what the node computed.
  void keep(const KernelNode& node, std::shared_ptr<const void> content) const;

  /// In complete(): the samples are not where the node's definiteness holds; `why` names them and says what to do.
  void leave_domain(std::string why) const;

  /// Between request() and complete(): builds every geometry of every scope.
  void build_geometries() const;

 private:
  std::shared_ptr<Prepared> target_;
  std::shared_ptr<const Prepared> reference_;
  Run run_;
};

/// A kernel bound to a reference sample set: what Gram, CrossGram and Expansion evaluate. Immutable, shared by threads.
class PreparedKernel {
 public:
  /// Prepares `samples` as reference (training) side. Every width must be resolved (resolve_widths).
  PreparedKernel(Kernel kernel, const Samples& samples, Precision precision, const Run& run);

  const Kernel& kernel() const { return kernel_; }
  const Prepared& reference() const { return *reference_; }
  const std::shared_ptr<const Prepared>& shared_reference() const { return reference_; }
  Precision precision() const { return reference_->precision(); }

  /// Another sample set for the same kernel, with the reference's means.
  std::shared_ptr<const Prepared> prepare(const Samples& samples, const Run& run) const;

 private:
  Kernel kernel_;
  std::shared_ptr<const Prepared> reference_;
};

/// The precision of T, for template code.
template <class T>
constexpr Precision precision_of =
    sizeof(T) == sizeof(float) ? Precision::single_precision : Precision::double_precision;

}  // namespace mercer
