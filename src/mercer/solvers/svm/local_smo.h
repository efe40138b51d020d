// Sequential minimal optimisation on a small dense problem that stays in cache:
//
//   min ½ βᵀ(K + diag(ridge))β + qᵀβ,   lower ≤ β ≤ upper,   Σ β constant within each of one or two groups
//
// Every step moves one pair of a group, β_i += λ, β_j −= λ. With the gradient g = (K + diag(ridge))β + q, i is the
// variable that can grow with the smallest g, j the one that can fall with the largest second-order gain
//
//   (g_j − g_i)² / (K_ii + K_jj − 2K_ij),      λ = (g_j − g_i)/(K_ii + K_jj − 2K_ij), cut at the bounds.
//
// Curvatures that are not positive (indefinite kernels, equal samples) are raised to 1e-12 of the largest K_ii, so that
// the step goes to a bound. The gap of a group is max{g_j : β_j > lower} − min{g_i : β_i < upper}: the KKT violation.
// References: Fan, Chen & Lin, JMLR 6 (2005); Schölkopf & Smola (2002), 10.5. Gradients are sums in double over kernel
// values of type T.
#pragma once

#include <array>
#include <vector>

#include "mercer/base/buffer.h"
#include "mercer/base/index.h"
#include "mercer/base/run.h"
#include "mercer/linalg/view.h"

namespace mercer {

/// Every group has a region of places; a place that nobody uses holds a variable that cannot move. Variables may come
/// and go between two calls of minimise(): kernel values of those that stay are kept.
template <class T>
class LocalSmo {
 public:
  /// Room for so many variables in each group (0 for the second: there is only one); empties all places. Kernel values
  /// are 0 then, or undefined but for the padding, where the caller will write all others.
  enum class Kernel { cleared, written_by_caller };
  void reset(Index first_capacity, Index second_capacity, Kernel kernel = Kernel::cleared);

  Index capacity(int group) const { return range(group).size(); }
  /// A free place of the group; there must be one.
  Index occupy(int group);
  void release(Index place);

  /// K between places. The caller writes both halves for the places in use.
  MatrixView<T> kernel() { return {kernel_.data(), size_, size_}; }

  struct Variable {
    double coefficient = 0;
    double lower = 0;
    double upper = 0;
    double gradient = 0;
    double ridge = 0;
  };
  /// After kernel() holds the diagonal.
  void set_variable(Index place, const Variable& variable);
  double coefficient(Index place) const { return coefficient_.data()[place]; }
  double gradient(Index place) const { return gradient_.data()[place]; }

  struct Result {
    Index steps = 0;
    double gap = 0;  ///< before the next step
  };
  /// Steps until the gap is at most `tolerance` or `max_steps` are done. Throws Stopped.
  Result minimize(double tolerance, Index max_steps, const Run& run);

  /// Where pairs get on slowly: a Newton step on all free variables at once (face_newton.h), if there are not too many
  /// and no ridges; nothing happens where rounding eats its gain.
  void newton_step(const Run& run);

 private:
  struct Extreme {
    double value = 0;
    Index place = 0;
  };
  struct Pair {
    Index up = -1;
    Index down = -1;
    double gain = 0;
  };
  IndexRange range(int group) const {
    return group == 0 ? IndexRange{0, second_begin_} : IndexRange{second_begin_, size_};
  }
  // The part of the group's region up to the last place in use, in whole vectors.
  IndexRange used(int group) const { return used_[group]; }
  void find_used();
  void find_least_bend();
  void clear_padding(IndexRange places);
  Pair choose(const std::array<Extreme, 2>& smallest, double& gap) const;
  double step_length(const Pair& pair) const;
  void move(Index place, double change);
  void restore_sums(const std::vector<Index>& free, const std::vector<double>& before);

  Index size_ = 0;
  Index second_begin_ = 0;
  std::array<std::vector<Index>, 2> free_places_;  // descending: the lowest is taken first
  std::array<IndexRange, 2> used_{};
  std::vector<char> occupied_;
  double least_bend_ = 0;  // curvatures of pairs below it are raised to it
  Buffer<T> kernel_;
  Buffer<double> gradient_;
  Buffer<double> up_;    // 0 where β can grow, +∞ where not
  Buffer<double> down_;  // 0 where β can fall, −∞ where not
  Buffer<double> curvature_;
  Buffer<double> coefficient_;
  Buffer<double> lower_;
  Buffer<double> upper_;
  Buffer<double> ridge_;
};

}  // namespace mercer
