#include "mercer/kernels/string/local_alignment_sum.h"

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace mercer {

namespace {

// Far enough from the largest number for one more row.
template <class Real>
Real crowded() {
  return std::ldexp(Real(1), std::numeric_limits<Real>::max_exponent / 2);
}

template <class Real>
struct AlignmentRow {
  explicit AlignmentRow(std::size_t size) : ending(size), left_gap(size), both_gaps(size) {}
  std::vector<Real> ending;     // M
  std::vector<Real> left_gap;   // X
  std::vector<Real> both_gaps;  // Y

  void scale(Real factor) {
    for (std::size_t j = 0; j < ending.size(); ++j) {
      ending[j] *= factor;
      left_gap[j] *= factor;
      both_gaps[j] *= factor;
    }
  }
};

// One row of the recursion; returns Σ_j M(i, j). Index 0 is the empty beginning of y.
template <class Real>
Real next_alignment_row(const AlignmentRow<Real>& above, std::span<const double> e, GapFactors gaps, Real one,
                        AlignmentRow<Real>& row) {
  const Real opening = static_cast<Real>(gaps.opening);
  const Real extension = static_cast<Real>(gaps.extension);
  Real total = 0;
  for (std::size_t j = 1; j < row.ending.size(); ++j) {
    const Real before = one + above.left_gap[j - 1] + above.both_gaps[j - 1] + above.ending[j - 1];
    row.ending[j] = static_cast<Real>(e[j - 1]) * before;
    row.left_gap[j] = opening * above.ending[j] + extension * above.left_gap[j];
    row.both_gaps[j] = opening * (row.ending[j - 1] + row.left_gap[j - 1]) + extension * row.both_gaps[j - 1];
    total += row.ending[j];
  }
  return total;
}

// ln K, or nothing where the numbers of Real do not suffice and it may not scale.
enum class Overflow { give_up, scale };
template <class Real>
std::optional<double> log_sum(Index rows, Index columns,
                              const std::function<void(Index i, std::span<double> e)>& profile, GapFactors gaps,
                              Overflow overflow, const Run& run) {
  const auto size = static_cast<std::size_t>(columns) + 1;
  AlignmentRow<Real> above(size);
  AlignmentRow<Real> row(size);
  std::vector<double> e(columns);
  Real one = 1;
  Real total = 1;
  double log_scale = 0;
  constexpr Index cells_per_poll = 1'000'000;
  Index since_poll = 0;
  for (Index i = 0; i < rows; ++i) {
    since_poll += columns;
    if (since_poll > cells_per_poll) {
      run.check_stop();
      since_poll = 0;
    }
    profile(i, e);
    total += next_alignment_row<Real>(above, e, gaps, one, row);
    std::swap(above, row);
    if (!(total < crowded<Real>())) {
      if (overflow == Overflow::give_up) {
        return std::nullopt;
      }
      const Real factor = 1 / total;
      log_scale += static_cast<double>(std::log(total));
      above.scale(factor);
      one *= factor;
      total = 1;
    }
  }
  return static_cast<double>(std::log(total)) + log_scale;
}

}  // namespace

double log_local_alignments(Index rows, Index columns, const std::function<void(Index i, std::span<double> e)>& profile,
                            GapFactors gaps, const Run& run) {
  if (const auto log = log_sum<double>(rows, columns, profile, gaps, Overflow::give_up, run)) {
    return *log;
  }
  return *log_sum<long double>(rows, columns, profile, gaps, Overflow::scale, run);
}

}  // namespace mercer
