#include "mercer/solvers/svm/box_path.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/gram/tile_walk.h"

namespace mercer {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double inner_accuracy = 0.1;  // a working set is solved to this part of the gap at its start
constexpr Index smallest_set = 256;
constexpr Index largest_set = 8192;
// A set of more than this part of the rows takes the whole stored matrix in place of a copy.
constexpr double large_part = 0.75;

struct Candidate {
  double value;  // the smaller, the worse the violation
  Index variable;
};

bool comes_before(const Candidate& a, const Candidate& b) {
  return a.value != b.value ? a.value < b.value : a.variable < b.variable;
}

void keep_worst(std::vector<Candidate>& candidates, Index count) {
  if (static_cast<Index>(candidates.size()) > count) {
    std::nth_element(candidates.begin(), candidates.begin() + count, candidates.end(), comes_before);
    candidates.resize(count);
  }
}

}  // namespace

template <class T>
BoxPath<T>::BoxPath(const StoredKernel<T>& kernel, MachineBox problem, double tolerance, Index max_steps)
    : kernel_(kernel),
      problem_(std::move(problem)),
      tolerance_(tolerance),
      max_steps_(max_steps > 0 ? max_steps : std::max<Index>(10'000'000, 100 * kernel.values.rows())),
      beta_(problem_.linear.size(), 0.0),
      values_(static_cast<std::size_t>(kernel.values.rows()), 0.0) {
  for (Index t = 0; t < variables(); ++t) {
    if (problem_.lower[t] < problem_.upper[t]) {
      movable_.push_back(t);
    }
  }
}

template <class T>
double BoxPath<T>::coefficient(Index row) const {
  double sum = beta_[row];
  for (Index t = row + rows(); t < variables(); t += rows()) {
    sum += beta_[t];
  }
  return sum;
}

template <class T>
Index BoxPath<T>::bounded() const {
  return std::count_if(movable_.begin(), movable_.end(), [&](Index t) {
    const double beta = beta_[t];
    return beta != 0 && (beta == lower(t) || beta == upper(t));
  });
}

template <class T>
Index BoxPath<T>::support() const {
  Index count = 0;
  for (Index row = 0; row < rows(); ++row) {
    count += coefficient(row) != 0 ? 1 : 0;
  }
  return count;
}

template <class T>
void BoxPath<T>::add_to_values(std::span<const Index> list, std::span<const double> changes, const Run& run) {
  std::vector<const T*> sources(list.size());
  std::transform(list.begin(), list.end(), sources.begin(), [&](Index row) { return kernel_.values.row_data(row); });
  add_weighted_rows<T>(sources, changes, values_, run);
}

// Everything at its bound, the heavier side in proportion: for a small C that is nearly the solution. Where the
// objective along that ray has its minimum before C, nothing is.
template <class T>
void BoxPath<T>::start(double c, const Run& run) {
  c_ = c;
  double positive = 0;
  double negative = 0;
  for (const Index t : movable_) {
    positive += problem_.upper[t];
    negative -= problem_.lower[t];
  }
  if (!(positive > 0) || !(negative > 0) || variables() != rows()) {
    return;
  }
  std::vector<double> changes;
  double linear = 0;
  for (const Index t : movable_) {
    const auto at = static_cast<std::size_t>(t);
    const double beta = problem_.upper[at] > 0 ? (positive > negative ? upper(t) * (negative / positive) : upper(t))
                                               : (negative > positive ? lower(t) * (positive / negative) : lower(t));
    beta_[at] = beta;
    changes.push_back(beta);
    linear += beta * problem_.linear[at];
  }
  add_to_values(movable_, changes, run);
  double quadratic = 0;
  for (const Index t : movable_) {
    quadratic += beta_[t] * values_[t];
  }
  if (linear + quadratic > 0) {
    std::fill(beta_.begin(), beta_.end(), 0.0);
    std::fill(values_.begin(), values_.end(), 0.0);
  }
}

template <class T>
void BoxPath<T>::scale(double c) {
  const double ratio = c / c_;
  std::vector<char> at_upper(movable_.size());
  for (std::size_t a = 0; a < movable_.size(); ++a) {
    const Index t = movable_[a];
    const double beta = beta_[t];
    at_upper[a] = beta == upper(t) ? 1 : beta == lower(t) ? 2 : 0;
  }
  c_ = c;
  // Exactly at the new bound what was at the old one: C times the ratio is C only up to rounding.
  for (std::size_t a = 0; a < movable_.size(); ++a) {
    const Index t = movable_[a];
    double& beta = beta_[t];
    beta = at_upper[a] == 1 ? upper(t) : at_upper[a] == 2 ? lower(t) : std::clamp(beta * ratio, lower(t), upper(t));
  }
  for (double& value : values_) {
    value *= ratio;
  }
}

template <class T>
typename BoxPath<T>::Extremes BoxPath<T>::extremes() const {
  Extremes result{.smallest = infinity, .largest = -infinity, .gap = 0};
  for (const Index t : movable_) {
    const double value = gradient(t);
    if (value < result.smallest && can_rise(t)) {
      result.smallest = value;
    }
    if (value > result.largest && can_fall(t)) {
      result.largest = value;
    }
  }
  if (std::isfinite(result.smallest) && std::isfinite(result.largest)) {
    result.gap = std::max(0.0, result.largest - result.smallest);
  }
  return result;
}

// All free variables and, of those that violate the conditions, the worst.
template <class T>
std::vector<Index> BoxPath<T>::choose_set(const Extremes& extremes) const {
  std::vector<Candidate> rising;
  std::vector<Candidate> falling;
  std::vector<Candidate> free;
  const double middle = (extremes.smallest + extremes.largest) / 2;
  for (const Index t : movable_) {
    const double value = gradient(t);
    const bool rises = can_rise(t);
    const bool falls = can_fall(t);
    if (rises && falls) {
      free.push_back({-std::abs(value - middle), t});
    } else if (rises && value < extremes.largest) {
      rising.push_back({value, t});
    } else if (falls && value > extremes.smallest) {
      falling.push_back({-value, t});
    }
  }
  const Index free_room = largest_set / 2;
  keep_worst(free, free_room);
  const auto kept = static_cast<Index>(free.size());
  const Index size = std::clamp(kept + kept / 4 + smallest_set, smallest_set, largest_set);
  keep_worst(rising, (size - kept) / 2);
  keep_worst(falling, (size - kept) / 2);
  std::vector<Index> set;
  for (const std::vector<Candidate>* part : {&free, &rising, &falling}) {
    for (const Candidate& candidate : *part) {
      set.push_back(candidate.variable);
    }
  }
  std::sort(set.begin(), set.end());
  return set;
}

template <class T>
void BoxPath<T>::gather(const std::vector<Index>& set) {
  const auto size = static_cast<Index>(set.size());
  const Index stride = (size + FaceSmo<T>::padding) / FaceSmo<T>::padding * FaceSmo<T>::padding;
  if (gathered_.size() < size * stride) {
    gathered_ = Buffer<T>(size * stride + size * stride / 2);
  }
  std::vector<Index> columns(set.size());
  std::transform(set.begin(), set.end(), columns.begin(), [&](Index t) { return row_of(t); });
  for (Index a = 0; a < size; ++a) {
    const T* const from = kernel_.values.row_data(columns[a]);
    T* const to = gathered_.data() + a * stride;
    for (Index b = 0; b < size; ++b) {
      to[b] = from[columns[b]];
    }
    std::fill(to + size, to + stride, T(0));
  }
  smo_.reset(size, ConstMatrixView<T>(gathered_.data(), size, size, stride), kernel_.shift);
}

// What is left of a sum of roundings beside a bound would count as free, and decide the offset alone.
template <class T>
double BoxPath<T>::at_bound_or_inside(Index t, double beta) const {
  const double margin = 1e-12 * (upper(t) - lower(t));
  return beta - lower(t) <= margin ? lower(t) : upper(t) - beta <= margin ? upper(t) : beta;
}

// False: no variable moved.
template <class T>
bool BoxPath<T>::solve_set(const Extremes& extremes, Index most_steps, const Run& run) {
  std::vector<Index> set = choose_set(extremes);
  const bool whole =
      variables() == rows() && static_cast<double>(set.size()) > large_part * static_cast<double>(rows());
  if (whole) {
    set = movable_;
    smo_.reset(rows(), kernel_.values, kernel_.shift);
  } else {
    gather(set);
  }
  const auto place = [&](std::size_t a) { return whole ? set[a] : static_cast<Index>(a); };
  // Only differences of gradients count: near 0 they lose least to rounding.
  const double level = (extremes.smallest + extremes.largest) / 2;
  for (std::size_t a = 0; a < set.size(); ++a) {
    const Index t = set[a];
    smo_.set(place(a), {beta_[t], lower(t), upper(t), gradient(t) - level});
  }
  const double accuracy =
      std::max(whole ? tolerance_ * 0.9 : tolerance_ / 2, whole ? 0.0 : inner_accuracy * extremes.gap);
  const auto inner = smo_.minimize(accuracy, most_steps - steps_, first_, run);
  steps_ += inner.steps;
  newton_steps_ += inner.newton_steps;
  ++rounds_;
  std::vector<Index> moved;
  std::vector<double> changes;
  for (std::size_t a = 0; a < set.size(); ++a) {
    double& beta = beta_[set[a]];
    const double found = at_bound_or_inside(set[a], smo_.coefficient(place(a)));
    if (found != beta) {
      moved.push_back(row_of(set[a]));
      changes.push_back(found - beta);
      beta = found;
    }
  }
  add_to_values(moved, changes, run);
  return !moved.empty();
}

template <class T>
void BoxPath<T>::find_offset(const Extremes& extremes) {
  double sum = 0;
  Index count = 0;
  for (const Index t : movable_) {
    if (can_rise(t) && can_fall(t)) {
      sum += gradient(t);
      ++count;
    }
  }
  if (count > 0) {
    offset_ = -sum / static_cast<double>(count);
  } else if (std::isinf(extremes.smallest) || std::isinf(extremes.largest)) {
    offset_ =
        std::isinf(extremes.smallest) ? (std::isinf(extremes.largest) ? 0.0 : -extremes.largest) : -extremes.smallest;
  } else {
    offset_ = -(extremes.smallest + extremes.largest) / 2;
  }
}

template <class T>
void BoxPath<T>::advance(double c, const Run& run) {
  begin(c, run);
  go_on(max_steps_, run);
}

template <class T>
void BoxPath<T>::begin(double c, const Run& run) {
  // With no variable at its bound the solution is that of every larger bound.
  is_done_ = started_ && status_ == SolveStatus::converged && bounded() == 0;
  if (is_done_) {
    c_ = c;
    return;
  }
  first_ = started_ ? FaceSmo<T>::First::newton : FaceSmo<T>::First::pairs;
  if (started_) {
    scale(c);
  } else {
    start(c, run);
    started_ = true;
  }
  steps_ = 0;
  newton_steps_ = 0;
  rounds_ = 0;
  status_ = SolveStatus::converged;
}

template <class T>
bool BoxPath<T>::go_on(Index most, const Run& run) {
  if (is_done_) {
    return true;
  }
  const Index limit = std::min(most, max_steps_);
  Extremes found = extremes();
  while (found.gap > tolerance_ && steps_ < limit) {
    run.check_stop();
    if (!solve_set(found, limit, run)) {
      status_ = SolveStatus::stalled;
      break;
    }
    first_ = FaceSmo<T>::First::pairs;
    found = extremes();
  }
  gap_ = found.gap;
  find_offset(found);
  is_done_ = found.gap <= tolerance_ || status_ == SolveStatus::stalled || steps_ >= max_steps_;
  if (is_done_ && found.gap > tolerance_ && status_ != SolveStatus::stalled) {
    status_ = SolveStatus::iteration_limit;
  }
  return is_done_;
}

template class BoxPath<float>;
template class BoxPath<double>;

}  // namespace mercer
