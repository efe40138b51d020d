// Minimises a dense quadratic programme with a box and one sum, the working set of a path solver (box_path.h):
//
//   min ½ βᵀKβ + qᵀβ,   lower ≤ β ≤ upper,   Σβ constant                    g = Kβ + q
//
// Pair steps of second order (Fan, Chen & Lin, JMLR 6, 2005) find which variables rest at a bound; where they crawl
// along a face, all free variables move at once by a Newton step on it,
//
//   (K_FF + δI) d = −g_F − b 1,  1ᵀd = 0
//
// up to the first bound; that variable leaves the face, the direction is corrected for it, and so on (face_newton.h).
// A Newton step is taken when the pair steps since the last one have cost as much as it would, so that both together
// cost at most about twice the better of them. K may be known up to a constant, K = kernel + shift: the constant moves
// nothing, as Σβ does not change, but makes K_FF positive where kernel is only so beside it. Reference: Schölkopf &
// Smola (2002), 10.4-10.5.
#pragma once

#include <vector>

#include "mercer/base/buffer.h"
#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/view.h"

namespace mercer {

/// One thread. Gradients are of type T too: rounding errors of a solve are far below its tolerance, and whoever calls
/// keeps the exact ones.
template <class T>
class FaceSmo {
 public:
  /// Rows of a kernel must be readable, and hold finite numbers, up to this many numbers beyond the variables.
  static constexpr Index padding = 8;

  /// For `count` variables that cannot move until set() says more. `kernel`: at least count × count, rows readable as
  /// above; it must outlive the use.
  void reset(Index count, ConstMatrixView<T> kernel, double shift);

  struct Variable {
    double coefficient = 0;
    double lower = 0;
    double upper = 0;
    double gradient = 0;
  };
  void set(Index place, const Variable& variable);
  double coefficient(Index place) const { return coefficient_.data()[place]; }

  struct Result {
    Index steps = 0;
    Index newton_steps = 0;
    double gap = 0;  ///< max{g_j : β_j > lower} − min{g_i : β_i < upper}
  };
  enum class First { pairs, newton };
  /// Until the gap is at most `tolerance` or `max_steps` pair steps are done. Throws Stopped.
  Result minimize(double tolerance, Index max_steps, First first, const Run& run);

 private:
  void move(Index place, double change);
  Index free_count() const;
  Index pair_steps_worth_newton() const;
  void newton_step(const Run& run);
  void restore_sum(const std::vector<Index>& free, const std::vector<double>& before, const std::vector<char>& inside);
  const T* row(Index place) const { return kernel_.row_data(place); }

  ConstMatrixView<T> kernel_;
  double shift_ = 0;
  Index count_ = 0;
  Index padded_ = 0;
  Buffer<T> gradient_;
  Buffer<T> up_;    // 0 where β can grow, +∞ where not
  Buffer<T> down_;  // 0 where β can fall, −∞ where not
  Buffer<T> curvature_;
  Buffer<double> coefficient_;
  Buffer<double> lower_;
  Buffer<double> upper_;
  std::vector<double> product_;
};

}  // namespace mercer
