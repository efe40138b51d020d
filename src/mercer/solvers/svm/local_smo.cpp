#include "mercer/solvers/svm/local_smo.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "mercer/base/simd.h"
#include "mercer/gram/tile_walk.h"
#include "mercer/solvers/svm/face_newton.h"

// Vectors of 32 bytes are passed between functions that are always inlined; the warning is about calls.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace mercer {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Curvatures below this part of the largest are taken as that.
constexpr double least_curvature = 1e-12;

// Four variables at a time; which four is fixed, so that ties fall alike on every CPU.
constexpr Index lanes = 4;
using Doubles = double __attribute__((vector_size(lanes * sizeof(double))));
using Floats = float __attribute__((vector_size(lanes * sizeof(float))));
using Places = std::int64_t __attribute__((vector_size(lanes * sizeof(double))));

MERCER_INLINE Doubles load(const double* from) {
  Doubles to;
  std::memcpy(&to, from, sizeof(to));
  return to;
}
MERCER_INLINE Doubles load(const float* from) {
  Floats to;
  std::memcpy(&to, from, sizeof(to));
  return __builtin_convertvector(to, Doubles);
}
MERCER_INLINE void store(const Doubles& from, double* to) { std::memcpy(to, &from, sizeof(from)); }
MERCER_INLINE Doubles all(double value) { return Doubles{value, value, value, value}; }

struct Found {
  double value;
  Index place;
};

// The smallest (sign = 1) or largest (sign = −1) lane; of equals the first place.
MERCER_INLINE Found best_lane(const Doubles& values, const Places& places) {
  Found best{values[0], static_cast<Index>(places[0])};
  for (int lane = 1; lane < lanes; ++lane) {
    const bool better = values[lane] < best.value || (values[lane] == best.value && places[lane] < best.place);
    best = better ? Found{values[lane], static_cast<Index>(places[lane])} : best;
  }
  return best;
}

// g += λ(k_i − k_j) on [begin, end), then the smallest g among the variables that can grow.
template <class T>
MERCER_INLINE Found update_body(double* g, const double* up, const T* ki, const T* kj, double step, Index begin,
                                Index end) {
  Doubles best = all(infinity);
  Places where = {begin, begin, begin, begin};
  Places here = {begin, begin + 1, begin + 2, begin + 3};
  const Doubles length = all(step);
  for (Index t = begin; t < end; t += lanes) {
    const Doubles moved = load(g + t) + length * (load(ki + t) - load(kj + t));
    store(moved, g + t);
    const Doubles value = moved + load(up + t);
    const Places smaller = value < best;
    best = smaller ? value : best;
    where = smaller ? here : where;
    here += lanes;
  }
  return best_lane(best, where);
}
MERCER_CLONES Found update(double* g, const double* up, const float* ki, const float* kj, double step, Index begin,
                           Index end) {
  return update_body(g, up, ki, kj, step, begin, end);
}
MERCER_CLONES Found update(double* g, const double* up, const double* ki, const double* kj, double step, Index begin,
                           Index end) {
  return update_body(g, up, ki, kj, step, begin, end);
}

struct FoundPartner {
  double gain;
  Index place;
  double largest;
};

// Among the variables of [begin, end) that can fall: the best second-order gain against i, and the largest gradient.
template <class T>
MERCER_INLINE FoundPartner partner_body(const double* g, const double* down, const double* curvature, const T* ki,
                                        double smallest, double curvature_i, double least, Index begin, Index end) {
  Doubles best = all(0);  // minus the gain
  Doubles largest = all(-infinity);
  Places where = {-1, -1, -1, -1};
  Places here = {begin, begin + 1, begin + 2, begin + 3};
  const Doubles zero = all(0);
  const Doubles floor = all(least);
  for (Index t = begin; t < end; t += lanes) {
    const Doubles value = load(g + t) + load(down + t);
    largest = value > largest ? value : largest;
    Doubles violation = value - smallest;
    violation = violation > zero ? violation : zero;
    Doubles bend = (curvature_i + load(curvature + t)) - 2.0 * load(ki + t);
    bend = bend > floor ? bend : floor;
    const Doubles gain = -(violation * violation) / bend;
    const Places better = gain < best;
    best = better ? gain : best;
    where = better ? here : where;
    here += lanes;
  }
  double most = largest[0];
  for (int lane = 1; lane < lanes; ++lane) {
    most = largest[lane] > most ? largest[lane] : most;
  }
  const Found found = best_lane(best, where);
  return {-found.value, found.place, most};
}
MERCER_CLONES FoundPartner partner(const double* g, const double* down, const double* curvature, const float* ki,
                                   double smallest, double curvature_i, double least, Index begin, Index end) {
  return partner_body(g, down, curvature, ki, smallest, curvature_i, least, begin, end);
}
MERCER_CLONES FoundPartner partner(const double* g, const double* down, const double* curvature, const double* ki,
                                   double smallest, double curvature_i, double least, Index begin, Index end) {
  return partner_body(g, down, curvature, ki, smallest, curvature_i, least, begin, end);
}

Index padded(Index count) {
  constexpr Index multiple = 8;
  return (count + multiple - 1) / multiple * multiple;
}

template <class V>
void ensure(Buffer<V>& buffer, Index size) {
  if (buffer.size() < size) {
    buffer = Buffer<V>();  // first: the two need not be there together
    buffer = Buffer<V>(size);
  }
}

}  // namespace

template <class T>
void LocalSmo<T>::reset(Index first_capacity, Index second_capacity, Kernel kernel) {
  second_begin_ = padded(first_capacity);
  size_ = second_begin_ + padded(second_capacity);
  ensure(kernel_, size_ * size_);
  if (kernel == Kernel::cleared) {
    std::fill_n(kernel_.data(), size_ * size_, T(0));
  } else {
    clear_padding({first_capacity, second_begin_});
    clear_padding({second_begin_ + second_capacity, size_});
  }
  for (Buffer<double>* buffer : {&gradient_, &up_, &down_, &curvature_, &coefficient_, &lower_, &upper_, &ridge_}) {
    ensure(*buffer, size_);
    std::fill_n(buffer->data(), size_, 0.0);
  }
  std::fill_n(up_.data(), size_, infinity);
  std::fill_n(down_.data(), size_, -infinity);
  occupied_.assign(size_, 0);
  for (int group = 0; group < 2; ++group) {
    std::vector<Index>& places = free_places_[group];
    places.clear();
    for (Index place = range(group).end; place > range(group).begin; --place) {
      places.push_back(place - 1);
    }
  }
}

template <class T>
void LocalSmo<T>::clear_padding(IndexRange places) {
  for (Index i = places.begin; i < places.end; ++i) {
    std::fill_n(kernel_.data() + i * size_, size_, T(0));
  }
  for (Index j = 0; j < size_; ++j) {
    std::fill_n(kernel_.data() + j * size_ + places.begin, places.size(), T(0));
  }
}

template <class T>
Index LocalSmo<T>::occupy(int group) {
  std::vector<Index>& places = free_places_[group];
  assert(!places.empty());
  const Index place = places.back();
  places.pop_back();
  occupied_[place] = 1;
  return place;
}

template <class T>
void LocalSmo<T>::release(Index place) {
  occupied_[place] = 0;
  up_.data()[place] = infinity;
  down_.data()[place] = -infinity;
  free_places_[place < second_begin_ ? 0 : 1].push_back(place);
}

template <class T>
void LocalSmo<T>::find_used() {
  for (int group = 0; group < 2; ++group) {
    IndexRange places = range(group);
    while (places.end > places.begin && occupied_[places.end - 1] == 0) {
      --places.end;
    }
    places.end = places.begin + padded(places.size());
    used_[group] = places;
  }
}

// The diagonal says how large kernel values are; where it is 0 (kernels that are positive only conditionally) all do.
template <class T>
void LocalSmo<T>::find_least_bend() {
  double largest = 0;
  for (int group = 0; group < 2; ++group) {
    for (Index t = used(group).begin; t < used(group).end; ++t) {
      largest = std::max(largest, std::abs(curvature_.data()[t]));
    }
  }
  for (Index entry = 0; largest == 0 && entry < size_ * size_; entry += size_) {
    for (Index t = 0; t < size_; ++t) {
      largest = std::max(largest, std::abs(static_cast<double>(kernel_.data()[entry + t])));
    }
  }
  least_bend_ = least_curvature * (largest > 0 ? largest : 1.0);
}

template <class T>
void LocalSmo<T>::set_variable(Index place, const Variable& variable) {
  gradient_.data()[place] = variable.gradient;
  lower_.data()[place] = variable.lower;
  upper_.data()[place] = variable.upper;
  ridge_.data()[place] = variable.ridge;
  curvature_.data()[place] = static_cast<double>(kernel()(place, place)) + variable.ridge;
  coefficient_.data()[place] = variable.coefficient;
  move(place, 0);
}

// Changes a coefficient and says in which directions it can still move.
template <class T>
void LocalSmo<T>::move(Index place, double change) {
  const double lower = lower_.data()[place];
  const double upper = upper_.data()[place];
  const double moved = std::clamp(coefficient_.data()[place] + change, lower, upper);
  coefficient_.data()[place] = moved;
  up_.data()[place] = moved < upper ? 0.0 : infinity;
  down_.data()[place] = moved > lower ? 0.0 : -infinity;
}

template <class T>
typename LocalSmo<T>::Pair LocalSmo<T>::choose(const std::array<Extreme, 2>& smallest, double& gap) const {
  Pair best;
  gap = 0;
  for (int group = 0; group < 2; ++group) {
    const Extreme& up = smallest[group];
    const IndexRange places = used(group);
    if (places.size() == 0 || !(up.value < infinity)) {
      continue;
    }
    const FoundPartner found =
        partner(gradient_.data(), down_.data(), curvature_.data(), kernel_.data() + up.place * size_, up.value,
                curvature_.data()[up.place], least_bend_, places.begin, places.end);
    gap = std::max(gap, found.largest - up.value);
    if (found.place >= 0 && found.gain > best.gain) {
      best = {up.place, found.place, found.gain};
    }
  }
  return best;
}

template <class T>
double LocalSmo<T>::step_length(const Pair& pair) const {
  const Index i = pair.up;
  const Index j = pair.down;
  const double bend = std::max(least_bend_, curvature_.data()[i] + curvature_.data()[j] -
                                                2 * static_cast<double>(kernel_.data()[i * size_ + j]));
  const double wanted = (gradient_.data()[j] - gradient_.data()[i]) / bend;
  return std::min({wanted, upper_.data()[i] - coefficient_.data()[i], coefficient_.data()[j] - lower_.data()[j]});
}

template <class T>
typename LocalSmo<T>::Result LocalSmo<T>::minimize(double tolerance, Index max_steps, const Run& run) {
  constexpr Index steps_between_polls = 4096;
  Result result;
  find_used();
  find_least_bend();
  std::array<Extreme, 2> smallest;
  // A step of length 0 only looks for the smallest gradients.
  Index i = 0;
  Index j = 0;
  double step = 0;
  while (true) {
    for (int group = 0; group < 2; ++group) {
      const IndexRange places = used(group);
      if (places.size() > 0) {
        const Found found = update(gradient_.data(), up_.data(), kernel_.data() + i * size_, kernel_.data() + j * size_,
                                   step, places.begin, places.end);
        smallest[group] = {found.value, found.place};
      }
    }
    const Pair pair = choose(smallest, result.gap);
    if (result.gap <= tolerance || pair.up < 0 || result.steps == max_steps) {
      return result;
    }
    if (++result.steps % steps_between_polls == 0) {
      run.check_stop();
    }
    i = pair.up;
    j = pair.down;
    step = step_length(pair);
    // Exactly onto the bound that cut the step: sums of roundings must not leave a variable beside it.
    const double to_upper = upper_.data()[i] - coefficient_.data()[i];
    const double to_lower = coefficient_.data()[j] - lower_.data()[j];
    move(i, step >= to_upper ? infinity : step);
    move(j, step >= to_lower ? -infinity : -step);
    gradient_.data()[i] += ridge_.data()[i] * step;
    gradient_.data()[j] -= ridge_.data()[j] * step;
  }
}

template <class T>
void LocalSmo<T>::newton_step(const Run& run) {
  constexpr std::size_t most_free = 2048;
  std::vector<Index> free;
  std::vector<FaceVariable> variables;
  std::vector<double> before;
  std::vector<const T*> rows;
  for (Index t = 0; t < size_; ++t) {
    if (up_.data()[t] == 0 && down_.data()[t] == 0) {
      if (ridge_.data()[t] != 0) {
        return;
      }
      free.push_back(t);
      before.push_back(coefficient_.data()[t]);
      rows.push_back(kernel_.data() + t * size_);
      variables.push_back({before.back() - lower_.data()[t], upper_.data()[t] - before.back(), gradient_.data()[t],
                           t < second_begin_ ? 0 : 1});
    }
  }
  const std::vector<FaceMove> moves = free.size() > most_free
                                          ? std::vector<FaceMove>()
                                          : newton_moves<T>({kernel_.data(), size_, size_}, free, 0.0, variables, run);
  if (moves.empty()) {
    return;
  }
  for (std::size_t a = 0; a < moves.size(); ++a) {
    move(free[a], moves[a].end == FaceEnd::upper   ? infinity
                  : moves[a].end == FaceEnd::lower ? -infinity
                                                   : moves[a].change);
  }
  restore_sums(free, before);
  std::vector<double> changes;
  for (std::size_t a = 0; a < free.size(); ++a) {
    changes.push_back(coefficient_.data()[free[a]] - before[a]);
  }
  std::vector<double> product(size_, 0.0);
  add_weighted_rows<T>(rows, changes, product, run);
  double rise = 0;
  for (std::size_t a = 0; a < free.size(); ++a) {
    rise += changes[a] * (variables[a].gradient + product[free[a]] / 2);
  }
  if (!(rise < 0)) {
    for (std::size_t a = 0; a < free.size(); ++a) {
      coefficient_.data()[free[a]] = before[a];
      move(free[a], 0);
    }
    return;
  }
  for (Index t = 0; t < size_; ++t) {
    gradient_.data()[t] += product[t];
  }
}

// On a badly conditioned face the moves of a group sum to 0 only roughly: what is missing is shared out by the room that
// its variables have.
template <class T>
void LocalSmo<T>::restore_sums(const std::vector<Index>& free, const std::vector<double>& before) {
  for (int pass = 0; pass < 8; ++pass) {
    for (int group = 0; group < 2; ++group) {
      const auto belongs = [&](Index t) { return (t < second_begin_ ? 0 : 1) == group; };
      double excess = 0;
      double room = 0;
      for (std::size_t a = 0; a < free.size(); ++a) {
        excess += belongs(free[a]) ? coefficient_.data()[free[a]] - before[a] : 0.0;
      }
      // A bound that is infinite is left alone, unless there is nothing else.
      const auto room_of = [&](Index t) {
        const double way =
            excess > 0 ? coefficient_.data()[t] - lower_.data()[t] : upper_.data()[t] - coefficient_.data()[t];
        return !belongs(t) ? 0.0 : std::min(way, std::abs(coefficient_.data()[t]) + std::abs(excess));
      };
      for (const Index t : free) {
        room += room_of(t);
      }
      if (excess == 0 || !(room > 0)) {
        continue;
      }
      const double share = std::min(1.0, std::abs(excess) / room);
      for (const Index t : free) {
        move(t, (excess > 0 ? -share : share) * room_of(t));
      }
    }
  }
}

template class LocalSmo<float>;
template class LocalSmo<double>;

}  // namespace mercer
