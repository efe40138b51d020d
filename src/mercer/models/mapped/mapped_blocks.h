// MappedBlocks: the features of many rows, block by block, for fits that pass over them: no n × q matrix unless it fits
// into the memory given. Values are float, so that a stored block and one computed anew are the same.
#pragma once

#include <memory>

#include "mercer/base/run.h"
#include "mercer/features/feature_map.h"

namespace mercer {

/// So many rows of q features make one block.
Index mapped_block_rows(Index features);

class MappedBlocks {
 public:
  /// Keeps all features where they take no more than `bytes`.
  MappedBlocks(std::shared_ptr<const FeatureMap> map, Samples samples, double bytes, const Run& run);

  Index rows() const { return samples_.size(); }
  Index features() const { return map_->columns(); }
  Index count() const { return block_count(rows(), block_); }
  IndexRange range(Index b) const { return block_range(rows(), block_, b); }
  bool is_kept() const { return kept_.rows() == rows(); }

  /// The features of block b and a last column of ones, as doubles; valid until the next call.
  ConstMatrixView<double> load(Index b, const Run& run);

 private:
  std::shared_ptr<const FeatureMap> map_;
  Samples samples_;
  Index block_;
  Matrix<float> kept_;
  Matrix<float> single_;
  Matrix<double> full_;
};

}  // namespace mercer
