// Kernels on samples that are made of parts (bags of vectors, decompositions of an object), built from an inner kernel k
// on the parts: sums of k over all pairs, best matches. The inner kernel sees the parts of all samples as one sample set
// of its own (a scope), so that its geometries are made once and its tiles are full ones, however few parts a sample has;
// its widths are resolved on the parts.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "mercer/kernels/nodes/composite_node.h"
#include "mercer/kernels/prepared.h"

namespace mercer {

/// Samples taken apart: sample i owns the parts offsets[i] … offsets[i+1]-1, offsets[0] = 0.
struct SplitSamples {
  Samples parts;
  std::vector<Index> offsets = {0};
  std::vector<double> coefficients = {};  ///< one per part where the kernel weighs them
};

class PartsNode : public TemplatedTile<PartsNode> {
 public:
  /// `scope` names the way of splitting: nodes with the same scope share what is computed on the parts.
  PartsNode(const KernelEntry& entry, ParameterList parameters, Kernel inner, std::string scope);

  bool has_costly_pairs() const override { return true; }
  std::shared_ptr<const KernelNode> resolved(const WeightedSamples& all, const Run& run) const override;
  void request(KernelPreparation& preparation) const override;
  void complete(KernelPreparation& preparation) const override;
  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override;
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override;
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override;
  bool has_input_derivatives() const override { return false; }

 protected:
  /// One sample set, split.
  struct Owners {
    const Prepared* parts = nullptr;  ///< for the inner kernel
    std::vector<Index> offsets;
    std::vector<double> coefficients;
    Run run;  ///< polled: a pair of samples with many parts takes long

    IndexRange of(Index i) const { return {offsets[i], offsets[i + 1]}; }
    IndexRange of_all(IndexRange range) const { return {offsets[range.begin], offsets[range.end]}; }
    double count(Index i) const { return static_cast<double>(of(i).size()); }
    /// The sample that owns this part.
    Index owner(Index part) const;
  };

  /// Checks the samples (InvalidArgument, DataError) and takes them apart.
  virtual SplitSamples split(const Samples& samples) const = 0;
  /// out(i, j) = k(x_{rows.begin+i}, y_{columns.begin+j}).
  virtual void values(const Owners& x, IndexRange rows, const Owners& y, IndexRange columns, Workspace& workspace,
                      Precision precision, MatrixView<double> out) const = 0;
  /// gradient += Σ_ij q_ij ∂k(x_i, y_j)/∂θ for the parameters of the inner kernel.
  virtual void add_gradient(const Owners& x, IndexRange rows, const Owners& y, IndexRange columns,
                            ConstMatrixView<double> q, Workspace& workspace, std::span<double> gradient) const = 0;

  /// Calls use(context, rows, columns) for blocks of at most 256 × 256 parts that cover the product of two ranges of
  /// parts; where blocks are cut does not depend on where the ranges begin.
  template <class T, class Use>
  static void for_each_block(const Owners& x, IndexRange rows, const Owners& y, IndexRange columns,
                             Workspace& workspace, Use use) {
    for (Index r = rows.begin; r < rows.end; r = next_cut(r)) {
      x.run.check_stop();
      const IndexRange row_block{r, std::min(next_cut(r), rows.end)};
      for (Index c = columns.begin; c < columns.end; c = next_cut(c)) {
        const IndexRange column_block{c, std::min(next_cut(c), columns.end)};
        TileContext<T> context(*x.parts, row_block, *y.parts, column_block, workspace);
        use(context, row_block, column_block);
      }
    }
  }

  /// Calls use(rows, columns, values) with the inner kernel's values, computed in this precision, block by block.
  template <class Use>
  void for_each_value_block(const Owners& x, IndexRange rows, const Owners& y, IndexRange columns, Workspace& workspace,
                            Precision precision, Use use) const {
    if (precision == Precision::single_precision) {
      use_value_blocks<float>(x, rows, y, columns, workspace, use);
    } else {
      use_value_blocks<double>(x, rows, y, columns, workspace, use);
    }
  }

 private:
  friend TemplatedTile;
  static Index next_cut(Index part) { return (part / tile_size + 1) * tile_size; }
  template <class T, class Use>
  void use_value_blocks(const Owners& x, IndexRange rows, const Owners& y, IndexRange columns, Workspace& workspace,
                        Use use) const {
    for_each_block<T>(x, rows, y, columns, workspace,
                      [&](TileContext<T>& context, IndexRange row_block, IndexRange column_block) {
                        ScratchMatrix<T> block = context.scratch();
                        child(0).tile(context, block.view());
                        use(row_block, column_block, ConstMatrixView<T>(block.view()));
                      });
  }
  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const;

  std::string scope_;
};

/// The only argument, or rbf(gamma=scale) where there is none.
Kernel point_kernel(const std::vector<Kernel>& children);

}  // namespace mercer
