// BoxPath: the quadratic programme of a support vector machine on a stored kernel matrix, followed along its bound C:
//
//   min ½ βᵀKβ + qᵀβ,   C lower ≤ β ≤ C upper,   Σβ = 0
//
// C-SVC and ε-SVR (machine_box.h; box_qp.h has the same programme for matrices that are not stored). From one C to the
// next all coefficients, and with them Kβ, are scaled; then working sets of the free variables and the worst violators
// are solved (face_smo.h) and Kβ of all rows, those without variables included, is brought up to date. Rows whose bounds
// are 0 take no part in the fit but have their value: the rows of a validation fold are predicted on the way.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/linalg/view.h"
#include "mercer/solvers/svm/face_smo.h"
#include "mercer/solvers/svm/machine_box.h"

namespace mercer {

/// K = kernel + shift; rows readable as FaceSmo wants them.
template <class T>
struct StoredKernel {
  ConstMatrixView<T> values;  ///< n × n, symmetric
  double shift = 0;
};

template <class T>
class BoxPath {
 public:
  /// Bounds are per unit of C. The kernel's numbers must outlive this.
  BoxPath(const StoredKernel<T>& kernel, MachineBox problem, double tolerance, Index max_steps);

  /// Goes on to this C, larger than the last one. Throws Stopped.
  void advance(double c, const Run& run);
  /// The same in parts: begin() once, then go_on() until it is true. It is false after `most` pair steps in all since begin(),
  /// where there are more to make; values() and offset() are then those of the steps so far.
  void begin(double c, const Run& run);
  bool go_on(Index most, const Run& run);

  /// Per row: Σ of its variables, and Kβ. The offset is that of f = Kβ + offset.
  double coefficient(Index row) const;
  std::span<const double> values() const { return values_; }
  double offset() const { return offset_; }
  double gap() const { return gap_; }
  SolveStatus status() const { return status_; }
  Index steps() const { return steps_; }
  Index newton_steps() const { return newton_steps_; }
  Index rounds() const { return rounds_; }
  Index bounded() const;
  Index support() const;

 private:
  Index rows() const { return kernel_.values.rows(); }
  Index variables() const { return static_cast<Index>(beta_.size()); }
  Index row_of(Index t) const { return t < rows() ? t : t - rows(); }
  double lower(Index t) const { return c_ * problem_.lower[t]; }
  double upper(Index t) const { return c_ * problem_.upper[t]; }
  double gradient(Index t) const { return values_[row_of(t)] + problem_.linear[t]; }
  bool can_rise(Index t) const { return beta_[t] < upper(t); }
  bool can_fall(Index t) const { return beta_[t] > lower(t); }

  void start(double c, const Run& run);
  void scale(double c);
  struct Extremes {
    double smallest = 0;
    double largest = 0;
    double gap = 0;
  };
  Extremes extremes() const;
  std::vector<Index> choose_set(const Extremes& extremes) const;
  void gather(const std::vector<Index>& set);
  double at_bound_or_inside(Index t, double beta) const;
  bool solve_set(const Extremes& extremes, Index most_steps, const Run& run);
  void add_to_values(std::span<const Index> rows, std::span<const double> changes, const Run& run);
  void find_offset(const Extremes& extremes);

  StoredKernel<T> kernel_;
  MachineBox problem_;
  double tolerance_;
  Index max_steps_;
  double c_ = 0;
  bool started_ = false;
  bool is_done_ = false;  // with this C
  typename FaceSmo<T>::First first_ = FaceSmo<T>::First::pairs;
  std::vector<double> beta_;
  std::vector<double> values_;
  std::vector<Index> movable_;  // variables whose bounds are not 0
  FaceSmo<T> smo_;
  Buffer<T> gathered_;
  double offset_ = 0;
  double gap_ = 0;
  SolveStatus status_ = SolveStatus::converged;
  Index steps_ = 0;
  Index newton_steps_ = 0;
  Index rounds_ = 0;
};

}  // namespace mercer
