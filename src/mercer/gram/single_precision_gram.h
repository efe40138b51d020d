// SinglePrecisionGram: a matrix whose products are made in single precision, although everything else about it is double:
// for iterations that refine what such products give. Where memory allows, the tiles on and below the diagonal are kept,
// in half of the memory of all (2n² bytes), so that a product costs one pass over them; otherwise they are evaluated again.
#pragma once

#include <memory>

#include "mercer/base/buffer.h"
#include "mercer/gram/gram.h"

namespace mercer {

class SinglePrecisionGram final : public Gram<double> {
 public:
  enum class Storage { none, packed };

  /// `exact` and `single` are the same matrix in two precisions. Evaluates n²/2 entries where they are kept.
  SinglePrecisionGram(std::shared_ptr<const Gram<double>> exact, std::shared_ptr<const Gram<float>> single,
                      Storage storage, const Run& run);

  /// Bytes that the tiles of n rows take.
  static double packed_bytes(Index n);

  Index size() const override { return exact_->size(); }
  /// Entries, rows and the diagonal are those of the exact matrix.
  void fill(IndexRange rows, IndexRange columns, MatrixView<double> out, Workspace& workspace) const override {
    exact_->fill(rows, columns, out, workspace);
  }
  void diagonal(std::span<double> out) const override { exact_->diagonal(out); }
  /// v and the result are rounded to single precision; sums over tiles are in double. Relative error about 1e-7 |K||v|.
  void multiply(ConstMatrixView<double> v, MatrixView<double> out, const Run& run) const override;
  double work_per_entry() const override { return exact_->work_per_entry(); }

 protected:
  void fill_rows(std::span<const Index> list, MatrixView<double> out, const Run& run) const override {
    exact_->rows(list, out, run);
  }
  void fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<double> out,
                     const Run& run) const override {
    exact_->gather(rows, columns, out, run);
  }

 private:
  const float* tile_data(Index block_row, Index block_column) const;

  std::shared_ptr<const Gram<double>> exact_;
  std::shared_ptr<const Gram<float>> single_;
  Buffer<float> tiles_;
};

}  // namespace mercer
