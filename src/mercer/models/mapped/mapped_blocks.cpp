#include "mercer/models/mapped/mapped_blocks.h"

#include <algorithm>
#include <utility>

#include "mercer/base/parallel.h"

namespace mercer {

namespace {

constexpr Index mapped_block_numbers = Index{1} << 22;
constexpr Index widening_rows = 128;

}  // namespace

Index mapped_block_rows(Index features) {
  return std::clamp<Index>(mapped_block_numbers / std::max<Index>(1, features), 128, 8192);
}

MappedBlocks::MappedBlocks(std::shared_ptr<const FeatureMap> map, Samples samples, double bytes, const Run& run)
    : map_(std::move(map)), samples_(std::move(samples)), block_(mapped_block_rows(map_->columns())) {
  const double needed = static_cast<double>(rows()) * static_cast<double>(features()) * sizeof(float);
  if (needed <= bytes) {
    kept_ = Matrix<float>(rows(), features());
    for (Index b = 0; b < count(); ++b) {
      run.check_stop();
      map_->transform(samples_.slice(range(b)), kept_.view().row_block(range(b)), run.quiet());
      run.progress("features", static_cast<double>(range(b).end), static_cast<double>(rows()));
    }
  } else {
    single_ = Matrix<float>(std::min(block_, rows()), features());
  }
  full_ = Matrix<double>(std::min(block_, rows()), features() + 1);
}

ConstMatrixView<double> MappedBlocks::load(Index b, const Run& run) {
  const IndexRange part = range(b);
  ConstMatrixView<float> source;
  if (is_kept()) {
    source = std::as_const(kept_).view().row_block(part);
  } else {
    run.check_stop();
    const MatrixView<float> block = single_.view().row_block({0, part.size()});
    map_->transform(samples_.slice(part), block, run.quiet());
    source = block;
  }
  const MatrixView<double> target = full_.view().row_block({0, part.size()});
  parallel_for(run, block_count(part.size(), widening_rows), [&](Index task) {
    const IndexRange rows_of_task = block_range(part.size(), widening_rows, task);
    for (Index i = rows_of_task.begin; i < rows_of_task.end; ++i) {
      std::copy_n(source.row_data(i), features(), target.row_data(i));
      target(i, features()) = 1;
    }
  });
  return target;
}

}  // namespace mercer
