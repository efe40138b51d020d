#include "mercer/solvers/svm/face_smo.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "mercer/base/simd.h"
#include "mercer/gram/tile_walk.h"
#include "mercer/solvers/svm/face_newton.h"

// Vectors of 32 bytes are passed between functions that are always inlined; the warning is about calls.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace mercer {

namespace {

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();
constexpr double least_curvature = 1e-12;  // of the largest K_ii

// Multiply-adds of a factorisation in the time of one element of a pair step.
constexpr double factor_rate = 15;
constexpr Index fewest_pair_steps = 16;
constexpr Index sooner = 2;  // where a Newton step is likely to pay

// Values of 32 bytes at a time; which share a vector is fixed, so that ties fall alike on every CPU.
template <class T>
struct Lanes;
template <>
struct Lanes<float> {
  using Values = float __attribute__((vector_size(32)));
  using Places = std::int32_t __attribute__((vector_size(32)));
  static constexpr Index count = 8;
};
template <>
struct Lanes<double> {
  using Values = double __attribute__((vector_size(32)));
  using Places = std::int64_t __attribute__((vector_size(32)));
  static constexpr Index count = 4;
};

template <class T>
MERCER_INLINE typename Lanes<T>::Values load(const T* from) {
  typename Lanes<T>::Values to;
  std::memcpy(&to, from, sizeof(to));
  return to;
}
template <class T>
MERCER_INLINE typename Lanes<T>::Values all(T value) {
  return value - typename Lanes<T>::Values{};
}
template <class T>
MERCER_INLINE typename Lanes<T>::Places first_places() {
  typename Lanes<T>::Places places{};
  for (Index lane = 0; lane < Lanes<T>::count; ++lane) {
    places[lane] = static_cast<std::remove_reference_t<decltype(places[0])>>(lane);
  }
  return places;
}

template <class T>
struct Found {
  T value;
  Index place;
};

// g += λ(k_i − k_j), then the smallest g among the variables that can grow.
template <class T>
MERCER_INLINE Found<T> update_body(T* g, const T* up, const T* ki, const T* kj, T step, Index end) {
  constexpr Index lanes = Lanes<T>::count;
  auto best = all(std::numeric_limits<T>::infinity());
  typename Lanes<T>::Places where{};
  auto here = first_places<T>();
  const auto length = all(step);
  for (Index t = 0; t < end; t += lanes) {
    const auto moved = load(g + t) + length * (load(ki + t) - load(kj + t));
    std::memcpy(g + t, &moved, sizeof(moved));
    const auto value = moved + load(up + t);
    const auto smaller = value < best;
    best = smaller ? value : best;
    where = smaller ? here : where;
    here += static_cast<std::int32_t>(lanes);
  }
  Found<T> found{best[0], static_cast<Index>(where[0])};
  for (Index lane = 1; lane < lanes; ++lane) {
    const bool better = best[lane] < found.value || (best[lane] == found.value && where[lane] < found.place);
    found = better ? Found<T>{best[lane], static_cast<Index>(where[lane])} : found;
  }
  return found;
}
MERCER_CLONES Found<float> update(float* g, const float* up, const float* ki, const float* kj, float step, Index end) {
  return update_body(g, up, ki, kj, step, end);
}
MERCER_CLONES Found<double> update(double* g, const double* up, const double* ki, const double* kj, double step,
                                   Index end) {
  return update_body(g, up, ki, kj, step, end);
}

template <class T>
struct Partner {
  Index place;
  T largest;
};

// Among the variables that can fall: the best second-order gain against i, v²/bend, and the largest gradient. Fractions
// are compared crosswise: division would take half of the time.
template <class T>
MERCER_INLINE Partner<T> partner_body(const T* g, const T* down, const T* curvature, const T* ki, T smallest,
                                      T curvature_i, T least, Index end) {
  constexpr Index lanes = Lanes<T>::count;
  auto best = all(T(0));
  auto best_bend = all(T(1));
  auto largest = all(-std::numeric_limits<T>::infinity());
  typename Lanes<T>::Places where = first_places<T>() * 0 - 1;
  auto here = first_places<T>();
  const auto zero = all(T(0));
  const auto floor = all(least);
  const auto two = all(T(2));
  const auto from = all(smallest);
  const auto own = all(curvature_i);
  for (Index t = 0; t < end; t += lanes) {
    const auto value = load(g + t) + load(down + t);
    largest = value > largest ? value : largest;
    auto violation = value - from;
    violation = violation > zero ? violation : zero;
    auto bend = (own + load(curvature + t)) - two * load(ki + t);
    bend = bend > floor ? bend : floor;
    const auto square = violation * violation;
    const auto better = square * best_bend > best * bend;
    best = better ? square : best;
    best_bend = better ? bend : best_bend;
    where = better ? here : where;
    here += static_cast<std::int32_t>(lanes);
  }
  Partner<T> found{-1, largest[0]};
  T gain = 0;
  for (Index lane = 0; lane < lanes; ++lane) {
    found.largest = largest[lane] > found.largest ? largest[lane] : found.largest;
    const T here_gain = best[lane] / best_bend[lane];
    if (where[lane] >= 0 && (here_gain > gain || (here_gain == gain && where[lane] < found.place))) {
      gain = here_gain;
      found.place = static_cast<Index>(where[lane]);
    }
  }
  return found;
}
MERCER_CLONES Partner<float> partner(const float* g, const float* down, const float* curvature, const float* ki,
                                     float smallest, float curvature_i, float least, Index end) {
  return partner_body(g, down, curvature, ki, smallest, curvature_i, least, end);
}
MERCER_CLONES Partner<double> partner(const double* g, const double* down, const double* curvature, const double* ki,
                                      double smallest, double curvature_i, double least, Index end) {
  return partner_body(g, down, curvature, ki, smallest, curvature_i, least, end);
}

template <class V>
void ensure(Buffer<V>& buffer, Index size) {
  if (buffer.size() < size) {
    buffer = Buffer<V>(size);
  }
}

}  // namespace

template <class T>
void FaceSmo<T>::reset(Index count, ConstMatrixView<T> kernel, double shift) {
  kernel_ = kernel;
  shift_ = shift;
  count_ = count;
  padded_ = (count + padding - 1) / padding * padding;
  for (Buffer<T>* buffer : {&gradient_, &up_, &down_, &curvature_}) {
    ensure(*buffer, padded_);
    std::fill_n(buffer->data(), padded_, T(0));
  }
  for (Buffer<double>* buffer : {&coefficient_, &lower_, &upper_}) {
    ensure(*buffer, padded_);
    std::fill_n(buffer->data(), padded_, 0.0);
  }
  std::fill_n(up_.data(), padded_, infinity<T>);
  std::fill_n(down_.data(), padded_, -infinity<T>);
}

template <class T>
void FaceSmo<T>::set(Index place, const Variable& variable) {
  gradient_.data()[place] = static_cast<T>(variable.gradient);
  lower_.data()[place] = variable.lower;
  upper_.data()[place] = variable.upper;
  curvature_.data()[place] = row(place)[place];
  coefficient_.data()[place] = variable.coefficient;
  move(place, 0);
}

template <class T>
void FaceSmo<T>::move(Index place, double change) {
  const double lower = lower_.data()[place];
  const double upper = upper_.data()[place];
  const double moved = std::clamp(coefficient_.data()[place] + change, lower, upper);
  coefficient_.data()[place] = moved;
  up_.data()[place] = moved < upper ? T(0) : infinity<T>;
  down_.data()[place] = moved > lower ? T(0) : -infinity<T>;
}

template <class T>
Index FaceSmo<T>::free_count() const {
  Index count = 0;
  for (Index t = 0; t < count_; ++t) {
    count += up_.data()[t] == 0 && down_.data()[t] == 0 ? 1 : 0;
  }
  return count;
}

template <class T>
Index FaceSmo<T>::pair_steps_worth_newton() const {
  const auto free = static_cast<double>(free_count());
  const double multiply_adds = free * free * free / 3 + 40 * free * free;
  return static_cast<Index>(multiply_adds / (factor_rate * static_cast<double>(padded_)) + free) + fewest_pair_steps;
}

template <class T>
typename FaceSmo<T>::Result FaceSmo<T>::minimize(double tolerance, Index max_steps, First first, const Run& run) {
  constexpr Index steps_between_polls = 4096;
  Result result;
  double least = 0;
  for (Index t = 0; t < count_; ++t) {
    least = std::max(least, least_curvature * std::abs(static_cast<double>(curvature_.data()[t])));
  }
  least = least > 0 ? least : least_curvature;
  Index until_newton = pair_steps_worth_newton() / (first == First::newton ? sooner : 1);
  Index i = 0;
  Index j = 0;
  double step = 0;
  while (true) {
    // A step of length 0 only looks for the smallest gradient.
    const Found<T> up = update(gradient_.data(), up_.data(), row(i), row(j), static_cast<T>(step), padded_);
    if (!(up.value < infinity<T>)) {
      return result;
    }
    const Partner<T> down = partner(gradient_.data(), down_.data(), curvature_.data(), row(up.place), up.value,
                                    curvature_.data()[up.place], static_cast<T>(least), padded_);
    result.gap = std::max(0.0, static_cast<double>(down.largest) - static_cast<double>(up.value));
    if (result.gap <= tolerance || down.place < 0 || result.steps >= max_steps) {
      return result;
    }
    if (until_newton-- <= 0) {
      ++result.newton_steps;
      newton_step(run);
      until_newton = pair_steps_worth_newton();
      step = 0;
      continue;
    }
    if (++result.steps % steps_between_polls == 0) {
      run.check_stop();
    }
    i = up.place;
    j = down.place;
    const double bend =
        std::max(least, static_cast<double>(curvature_.data()[i]) + static_cast<double>(curvature_.data()[j]) -
                            2 * static_cast<double>(row(i)[j]));
    const double to_upper = upper_.data()[i] - coefficient_.data()[i];
    const double to_lower = coefficient_.data()[j] - lower_.data()[j];
    const double slope = static_cast<double>(gradient_.data()[j]) - static_cast<double>(gradient_.data()[i]);
    step = std::min({slope / bend, to_upper, to_lower});
    // Exactly onto the bound that cut the step: sums of roundings must not leave a variable beside it.
    move(i, step >= to_upper ? infinity<double> : step);
    move(j, step >= to_lower ? -infinity<double> : -step);
  }
}

template <class T>
void FaceSmo<T>::newton_step(const Run& run) {
  std::vector<Index> free;
  std::vector<FaceVariable> variables;
  for (Index t = 0; t < count_; ++t) {
    if (up_.data()[t] == 0 && down_.data()[t] == 0) {
      free.push_back(t);
      variables.push_back({coefficient_.data()[t] - lower_.data()[t], upper_.data()[t] - coefficient_.data()[t],
                           static_cast<double>(gradient_.data()[t])});
    }
  }
  const std::vector<FaceMove> moves = newton_moves(kernel_, free, shift_, variables, run);
  if (moves.empty()) {
    return;
  }
  std::vector<const T*> rows;
  std::vector<double> before;
  std::vector<char> inside;
  for (std::size_t a = 0; a < moves.size(); ++a) {
    before.push_back(coefficient_.data()[free[a]]);
    inside.push_back(moves[a].end == FaceEnd::inside ? 1 : 0);
    move(free[a], moves[a].end == FaceEnd::upper   ? infinity<double>
                  : moves[a].end == FaceEnd::lower ? -infinity<double>
                                                   : moves[a].change);
    rows.push_back(row(free[a]));
  }
  restore_sum(free, before, inside);
  std::vector<double> changes;
  for (std::size_t a = 0; a < free.size(); ++a) {
    changes.push_back(coefficient_.data()[free[a]] - before[a]);
  }
  product_.assign(padded_, 0.0);
  add_weighted_rows<T>(rows, changes, product_, run);
  double rise = 0;
  for (std::size_t a = 0; a < free.size(); ++a) {
    rise += changes[a] * (variables[a].gradient + product_[free[a]] / 2);
  }
  if (!(rise < 0)) {
    // Rounding has eaten the gain: back to where it was.
    for (std::size_t a = 0; a < free.size(); ++a) {
      move(free[a], before[a] - coefficient_.data()[free[a]]);
    }
    return;
  }
  for (Index t = 0; t < padded_; ++t) {
    gradient_.data()[t] = static_cast<T>(static_cast<double>(gradient_.data()[t]) + product_[t]);
  }
}

// On a badly conditioned face the moves sum to 0 only roughly: what is missing is shared out among those inside.
template <class T>
void FaceSmo<T>::restore_sum(const std::vector<Index>& free, const std::vector<double>& before,
                             const std::vector<char>& inside) {
  for (int pass = 0; pass < 8; ++pass) {
    double excess = 0;
    double room = 0;
    for (std::size_t a = 0; a < free.size(); ++a) {
      excess += coefficient_.data()[free[a]] - before[a];
    }
    const auto room_of = [&](std::size_t a) {
      const Index t = free[a];
      return inside[a] == 0 && pass < 2 ? 0.0
             : excess > 0               ? coefficient_.data()[t] - lower_.data()[t]
                                        : upper_.data()[t] - coefficient_.data()[t];
    };
    for (std::size_t a = 0; a < free.size(); ++a) {
      room += room_of(a);
    }
    if (excess == 0 || !(room > 0)) {
      continue;
    }
    const double share = std::min(1.0, std::abs(excess) / room);
    for (std::size_t a = 0; a < free.size(); ++a) {
      move(free[a], (excess > 0 ? -share : share) * room_of(a));
    }
  }
}

template class FaceSmo<float>;
template class FaceSmo<double>;

}  // namespace mercer
