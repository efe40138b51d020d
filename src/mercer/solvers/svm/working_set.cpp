#include "mercer/solvers/svm/working_set.h"

#include <algorithm>

namespace mercer {

namespace {

struct Candidate {
  double value;  // the smaller, the worse the violation
  Index variable;
};

bool comes_before(const Candidate& a, const Candidate& b) {
  return a.value != b.value ? a.value < b.value : a.variable < b.variable;
}

// The variables at the two ends of the gradient, per group.
struct Violators {
  std::vector<Candidate> rising;
  std::vector<Candidate> falling;
};

std::vector<Violators> find_violators(const BoxQpState& state, std::span<const Index> active_rows,
                                      const BoxQpState::Extremes& extremes) {
  std::vector<Violators> violators(state.groups());
  for (Index block = 0; block < state.variables(); block += state.rows()) {
    for (const Index row : active_rows) {
      const Index t = block + row;
      const auto g = static_cast<std::size_t>(state.group(t));
      const double value = state.gradient(t);
      if (value < extremes.largest[g] && state.can_rise(t)) {
        violators[g].rising.push_back({value, t});
      }
      if (value > extremes.smallest[g] && state.can_fall(t)) {
        violators[g].falling.push_back({-value, t});
      }
    }
  }
  return violators;
}

class Selection {
 public:
  Selection(Index variables, Index size) : taken_(static_cast<std::size_t>(variables), 0), size_(size) {}

  void take_worst(std::vector<Candidate>& candidates, Index count) {
    const auto kept = std::min(candidates.size(), static_cast<std::size_t>(count));
    const auto middle = candidates.begin() + static_cast<std::ptrdiff_t>(kept);
    if (kept < candidates.size()) {
      std::nth_element(candidates.begin(), middle, candidates.end(), comes_before);
    }
    std::for_each(candidates.begin(), middle, [&](const Candidate& candidate) { take(candidate.variable); });
  }
  void take(Index t) {
    if (static_cast<Index>(chosen_.size()) < size_ && taken_[t] == 0) {
      taken_[t] = 1;
      chosen_.push_back(t);
    }
  }
  std::vector<Index> sorted() && {
    std::sort(chosen_.begin(), chosen_.end());
    return std::move(chosen_);
  }

 private:
  std::vector<char> taken_;
  std::vector<Index> chosen_;
  Index size_;
};

}  // namespace

std::vector<Index> choose_working_set(const BoxQpState& state, std::span<const Index> active_rows,
                                      const BoxQpState::Extremes& extremes, std::span<const Index> retained,
                                      Index size) {
  const Index to_violators = std::max(size / 2, size - static_cast<Index>(retained.size()));
  const Index per_side = std::max<Index>(1, to_violators / (2 * static_cast<Index>(state.groups())));
  Selection selection(state.variables(), size);
  for (Violators& violators : find_violators(state, active_rows, extremes)) {
    selection.take_worst(violators.rising, per_side);
    selection.take_worst(violators.falling, per_side);
  }
  for (const Index t : retained) {
    selection.take(t);
  }
  return std::move(selection).sorted();
}

}  // namespace mercer
