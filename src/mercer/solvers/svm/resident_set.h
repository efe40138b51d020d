// ResidentSet: the working set of a decomposition solver with its kernel matrix in cache. Variables that stay from one
// round to the next keep their places, so that only kernel values of newcomers are fetched.
#pragma once

#include <span>
#include <vector>

#include "mercer/solvers/svm/active_gram.h"
#include "mercer/solvers/svm/box_qp_state.h"
#include "mercer/solvers/svm/local_smo.h"

namespace mercer {

template <class T>
class ResidentSet {
 public:
  /// Makes the listed variables the set; kernel values of newcomers come from `gram`, everything else from `state`.
  void assign(std::span<const Index> variables, const BoxQpState& state, ActiveGram<T>& gram, const Run& run);

  /// Makes all variables the set, with all of the kernel matrix.
  void assign_all(const BoxQpState& state, const ActiveGram<T>& gram);
  /// values[row] = Σ_t β_t K(row_of(t), row), sums in double; only after assign_all().
  void recompute(const BoxQpState& state, std::span<double> values, const Run& run);

  LocalSmo<T>& smo() { return smo_; }
  std::span<const Index> variables() const { return variables_; }
  double coefficient(Index t) const { return smo_.coefficient(place(t)); }

 private:
  Index place(Index t) const { return place_of_[t]; }
  void make_room(std::span<const Index> variables, const BoxQpState& state);
  void load_variables(const BoxQpState& state);
  void fetch(const std::vector<Index>& newcomers, const BoxQpState& state, ActiveGram<T>& gram, const Run& run);

  LocalSmo<T> smo_;
  std::vector<Index> variables_;
  std::vector<Index> place_of_;  // per variable; −1: not in the set
};

}  // namespace mercer
