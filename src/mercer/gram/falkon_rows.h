// FalkonRows: the tall matrix K_nM of kernel values between n samples and M landmarks, with a column of ones beside it
// where there is an offset, as the solvers of solvers/falkon use it: products Kᵀ f(K v) in one pass.
//
// The matrix is stored in single precision where it fits the memory that is given for it; otherwise its tiles are
// evaluated again in every pass. Passes in double precision always evaluate: they are the few that decide how accurate
// a solution is. Rows are prepared by chunks, so that the memory beyond the data does not grow with n.
#pragma once

#include <memory>
#include <span>

#include "mercer/base/run.h"
#include "mercer/gram/tile_walk.h"
#include "mercer/kernels/prepared.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

enum class FalkonOffset { none, constant };

class FalkonRows {
 public:
  /// The kernel's widths must be numbers. Where n · (M + 1) floats are at most `storage_bytes`, they are evaluated here
  /// and kept. `samples` must outlive this where it is a view.
  FalkonRows(const Kernel& kernel, Samples samples, const Samples& landmarks, FalkonOffset offset, double storage_bytes,
             const Run& run);

  Index rows() const { return samples_.size(); }
  Index landmarks() const { return landmarks_; }
  /// Landmarks, and one more with an offset.
  Index columns() const { return landmarks_ + (offset_ == FalkonOffset::constant ? 1 : 0); }
  FalkonOffset offset() const { return offset_; }
  bool is_stored() const { return stored_.rows() > 0; }
  double stored_bytes() const { return sizeof(float) * static_cast<double>(rows()) * static_cast<double>(columns()); }

  /// out = Kᵀ f(K v), v and out columns() × c. Kernel values, v and f(K v) are rounded to `precision`; sums are in
  /// double. About n M (d + 2c) multiply-adds, or 2 n M c where the matrix is stored.
  void multiply(ConstMatrixView<double> v, const RowMap& map, MatrixView<double> out, Precision precision,
                const Run& run) const;

  /// The lower triangle of K_MM, in double precision.
  void landmark_gram(MatrixView<double> out, const Run& run) const;

  /// Kernel values of the listed rows with the landmarks, M × rows, in double precision.
  void transposed_rows(std::span<const Index> list, MatrixView<double> out, const Run& run) const;

  /// What the passes need beyond the matrix itself: prepared chunks, stripes of the threads, private sums.
  static double working_bytes(Index data_columns, Index landmarks, Index outputs, int threads);

 private:
  template <class T>
  void multiply_in(ConstMatrixView<double> v, const RowMap& map, MatrixView<double> out, const Run& run) const;
  template <class T>
  const std::shared_ptr<const PreparedKernel>& kernel() const;
  void store(const Run& run);

  Samples samples_;
  FalkonOffset offset_;
  Index landmarks_;
  std::shared_ptr<const PreparedKernel> single_;
  std::shared_ptr<const PreparedKernel> full_;
  Matrix<float> stored_;
};

}  // namespace mercer
