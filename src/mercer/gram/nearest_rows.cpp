#include "mercer/gram/nearest_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/data/equal_rows.h"
#include "mercer/gram/kernel_block.h"
#include "mercer/gram/kernel_distances.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/scratch_matrix.h"

namespace mercer {

namespace {

constexpr Index samples_at_once = 2048;
constexpr Index task_rows = 64;
// A few samples against many reference rows are spread over threads too.
constexpr Index shortest_stripe = 16384;
constexpr Index most_stripes = 16;

bool nearer(const NearRow& a, const NearRow& b) {
  return a.squared_distance != b.squared_distance ? a.squared_distance < b.squared_distance : a.row < b.row;
}

/// The nearest rows so far: a heap with the farthest on top, which leaves once the others weigh enough.
class NearestHeap {
 public:
  explicit NearestHeap(double wanted) : wanted_(wanted) {}

  /// Rows at this distance or farther cannot enter any more, unless their row is lower.
  double limit() const { return limit_; }

  void offer(const NearRow& row, double weight) {
    if (full_ && !nearer(row, rows_.front())) {
      return;
    }
    rows_.push_back(row);
    std::push_heap(rows_.begin(), rows_.end(), nearer);
    total_ += weight;
  }
  /// Drops the farthest row where the others suffice; weight_of gives the weight of a row.
  template <class WeightOf>
  void trim(WeightOf weight_of) {
    while (rows_.size() > 1) {
      const double rest = total_ - weight_of(rows_.front().row);
      if (rest < wanted_) {
        break;
      }
      std::pop_heap(rows_.begin(), rows_.end(), nearer);
      rows_.pop_back();
      total_ = rest;
    }
    full_ = total_ >= wanted_;
    limit_ = full_ ? rows_.front().squared_distance : std::numeric_limits<double>::infinity();
  }
  std::vector<NearRow>& rows() { return rows_; }

 private:
  double wanted_;
  double total_ = 0;
  bool full_ = false;
  double limit_ = std::numeric_limits<double>::infinity();
  std::vector<NearRow> rows_;
};

/// The reference rows without repetitions: distances to each are computed once and hold for all that equal it.
struct DistinctRows {
  std::shared_ptr<const Prepared> prepared;
  std::vector<std::vector<Index>> members;  ///< of the reference, ascending, per distinct row

  DistinctRows(const PreparedKernel& reference, const Run& run) : prepared(reference.shared_reference()) {
    const Index n = prepared->size();
    std::vector<Index> first(n);
    if (reference.kernel().node().depends_on_identity()) {
      std::iota(first.begin(), first.end(), Index{0});
    } else {
      first = first_equal_rows(prepared->all());
    }
    std::vector<Index> kept;
    std::vector<Index> position(first.size());
    for (Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (first[at] == i) {
        position[at] = static_cast<Index>(kept.size());
        kept.push_back(i);
        members.emplace_back();
      }
      members[position[first[at]]].push_back(i);
    }
    if (static_cast<Index>(kept.size()) < n) {
      prepared = reference.prepare(prepared->all().select(kept), run);
    }
  }
};

class NeighborSearch {
 public:
  NeighborSearch(const PreparedKernel& reference, std::span<const double> weights, double count, OwnRow own,
                 const Run& run)
      : reference_(reference),
        distinct_(reference, run),
        weights_(weights),
        count_(count),
        own_(own),
        diagonal_(distinct_.members.size()) {
    reference.kernel().node().diagonal(*distinct_.prepared, {0, distinct_.prepared->size()}, diagonal_);
  }

  /// Samples [first, first + batch.size()) of all.
  void search(const Samples& batch, Index first, std::span<std::vector<NearRow>> found, const Run& run) const;

 private:
  double weight(Index sample, Index row) const {
    const double all = weights_.empty() ? 1.0 : weights_[row];
    return own_ == OwnRow::leave_out && sample == row ? std::max(0.0, all - 1) : all;
  }
  void scan(const Prepared& rows, std::span<const double> own_diagonal, IndexRange range, IndexRange columns,
            Index first, std::span<NearestHeap> heaps, Workspace& workspace) const;
  std::vector<NearRow> merged(std::span<NearestHeap> stripes, Index sample) const;
  double squared_distance(const Prepared& rows, Index i, double own, Index j, double kernel_value) const;

  const PreparedKernel& reference_;
  DistinctRows distinct_;
  std::span<const double> weights_;
  double count_;
  OwnRow own_;
  std::vector<double> diagonal_;
};

// Where next to nothing is left of k(x, x) + k(z, z), only a comparison tells equal rows from near ones.
double NeighborSearch::squared_distance(const Prepared& rows, Index i, double own, Index j, double kernel_value) const {
  constexpr double rounding = 1e-11;
  const double sum = own + diagonal_[j];
  const double squared = sum - 2 * kernel_value;
  const bool doubtful = std::abs(squared) <= rounding * std::abs(sum);
  if (doubtful && !reference_.kernel().node().depends_on_identity() &&
      equal_rows(rows.all(), i, distinct_.prepared->all(), j)) {
    return 0;
  }
  return squared;
}

void NeighborSearch::scan(const Prepared& rows, std::span<const double> own_diagonal, IndexRange range,
                          IndexRange columns, Index first, std::span<NearestHeap> heaps, Workspace& workspace) const {
  const Index width = tile_width(range.size());
  ScratchMatrix<double> tile(workspace, range.size(), std::min(width, columns.size()));
  for (Index begin = columns.begin; begin < columns.end; begin += width) {
    const IndexRange part{begin, std::min(begin + width, columns.end)};
    const MatrixView<double> values = tile.view().block(0, 0, range.size(), part.size());
    fill_block(reference_.kernel(), rows, range, *distinct_.prepared, part, values, workspace);
    for (Index i = range.begin; i < range.end; ++i) {
      NearestHeap& heap = heaps[i - range.begin];
      const double* k = values.row_data(i - range.begin);
      const double own = own_diagonal[i];
      const Index sample = first + i;
      for (Index j = part.begin; j < part.end; ++j) {
        const double squared = squared_distance(rows, i, own, j, k[j - part.begin]);
        if (!(squared <= heap.limit())) {
          continue;
        }
        for (const Index row : distinct_.members[j]) {
          const double heaviness = weight(sample, row);
          if (heaviness > 0) {
            heap.offer({row, std::max(0.0, squared)}, heaviness);
            heap.trim([&](Index other) { return weight(sample, other); });
          }
        }
      }
    }
  }
}

std::vector<NearRow> NeighborSearch::merged(std::span<NearestHeap> stripes, Index sample) const {
  NearestHeap& all = stripes.front();
  for (NearestHeap& stripe : stripes.subspan(1)) {
    for (const NearRow& row : stripe.rows()) {
      all.offer(row, weight(sample, row.row));
      all.trim([&](Index other) { return weight(sample, other); });
    }
  }
  std::vector<NearRow> rows = std::move(all.rows());
  if (rows.empty() && !(reference_.reference().size() == 1 && own_ == OwnRow::leave_out)) {
    throw NumericalError("the kernel values of sample " + std::to_string(sample) +
                         " (counted from 0) are not numbers: it has no neighbors");
  }
  std::sort(rows.begin(), rows.end(), nearer);
  return rows;
}

void NeighborSearch::search(const Samples& batch, Index first, std::span<std::vector<NearRow>> found,
                            const Run& run) const {
  const Index n = distinct_.prepared->size();
  const Index stripes = std::clamp<Index>(block_count(n, shortest_stripe), 1, most_stripes);
  const Index stripe_rows = block_count(n, stripes);
  const std::shared_ptr<const Prepared> rows = reference_.prepare(batch, run);
  std::vector<double> own_diagonal(batch.size());
  reference_.kernel().node().diagonal(*rows, {0, batch.size()}, own_diagonal);

  std::vector<Workspace> workspaces(run.threads());
  std::vector<NearestHeap> heaps(batch.size() * stripes, NearestHeap(count_));
  const Index blocks = block_count(batch.size(), task_rows);
  parallel_for_workers(run, blocks * stripes, [&](Index task, int worker) {
    const IndexRange range = block_range(batch.size(), task_rows, task / stripes);
    const Index stripe = task % stripes;
    // The heaps of one stripe stand together.
    const auto at = static_cast<std::size_t>(stripe * batch.size() + range.begin);
    scan(*rows, own_diagonal, range, block_range(n, stripe_rows, stripe), first,
         std::span(heaps).subspan(at, static_cast<std::size_t>(range.size())), workspaces[worker]);
  });
  for (Index i = 0; i < batch.size(); ++i) {
    std::vector<NearestHeap> own;
    for (Index stripe = 0; stripe < stripes; ++stripe) {
      own.push_back(std::move(heaps[stripe * batch.size() + i]));
    }
    found[i] = merged(own, first + i);
  }
}

}  // namespace

std::vector<std::vector<NearRow>> nearest_rows(const PreparedKernel& reference, std::span<const double> weights,
                                               const Samples& samples, double count, OwnRow own, const Run& run) {
  require_precision<double>(reference);
  const Index n = reference.reference().size();
  if (!weights.empty() && static_cast<Index>(weights.size()) != n) {
    throw InvalidArgument(std::to_string(weights.size()) + " weights for " + std::to_string(n) + " reference rows");
  }
  if (!(count > 0)) {
    reject_argument("the number of neighbors", count, "positive");
  }
  std::vector<std::vector<NearRow>> found(samples.size());
  if (n == 0) {
    return found;
  }
  const NeighborSearch search(reference, weights, count, own, run);
  // A batch of no rows is prepared too: it is where columns that do not fit are refused.
  const Index batches = std::max<Index>(1, block_count(samples.size(), samples_at_once));
  for (Index b = 0; b < batches; ++b) {
    const IndexRange range = block_range(samples.size(), samples_at_once, b);
    search.search(
        samples.slice(range), range.begin,
        std::span(found).subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size())), run);
    if (batches > 1) {
      run.progress("neighbors", static_cast<double>(range.end), static_cast<double>(samples.size()));
    }
  }
  return found;
}

}  // namespace mercer
