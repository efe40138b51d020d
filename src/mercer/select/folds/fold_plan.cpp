#include "mercer/select/folds/fold_plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random.h"

namespace mercer {

namespace {

bool has_randomness(FoldKind kind) { return kind != FoldKind::time_ordered && kind != FoldKind::leave_one_out; }

void require_codes(std::span<const std::int32_t> codes, Index rows, const char* what) {
  if (static_cast<Index>(codes.size()) != rows) {
    throw InvalidArgument("folds need one " + std::string(what) + " per row: there are " +
                          std::to_string(codes.size()) + " for " + std::to_string(rows) + " rows");
  }
}

std::vector<Split> time_ordered_folds(Index rows, Index folds) {
  if (folds < 1 || folds >= rows) {
    reject_argument("folds", std::to_string(folds),
                    "from 1 to " + std::to_string(rows - 1) + " for " + std::to_string(rows) + " rows in time order");
  }
  const Folds blocks = k_fold(rows, folds + 1, 0, SampleOrder::kept);
  std::vector<Split> splits;
  for (Index f = 0; f < folds; ++f) {
    Split split;
    for (Index i = 0; i < rows; ++i) {
      const Index block = blocks.number[i];
      if (block <= f) {
        split.train.push_back(i);
      } else if (block == f + 1) {
        split.test.push_back(i);
      }
    }
    splits.push_back(std::move(split));
  }
  return splits;
}

// The first repetition has the seed itself, so that it is what a plan without repetitions has.
std::uint64_t seed_of_repeat(std::uint64_t seed, Index repeat) {
  constexpr std::uint64_t stream = 0x666f6c6473;
  return repeat == 0 ? seed : RandomStream(seed, stream).at(static_cast<std::uint64_t>(repeat));
}

Folds random_folds(const FoldPlan& plan, Index rows, std::span<const std::int32_t> classes,
                   std::span<const std::int32_t> groups, std::uint64_t seed) {
  switch (plan.kind) {
    case FoldKind::stratified:
      require_codes(classes, rows, "class");
      return stratified_k_fold(classes, plan.folds, seed);
    case FoldKind::grouped:
      require_codes(groups, rows, "group");
      return group_k_fold(groups, plan.folds, seed);
    case FoldKind::leave_one_out:
      return leave_one_out(rows);
    case FoldKind::shuffled:
    case FoldKind::time_ordered:
      break;
  }
  return k_fold(rows, plan.folds, seed);
}

}  // namespace

std::string describe(const FoldPlan& plan) {
  if (plan.kind == FoldKind::leave_one_out) {
    return "leave-one-out";
  }
  std::string text = std::to_string(plan.folds);
  if (plan.kind != FoldKind::shuffled) {
    text += " " + std::string(to_string(plan.kind));
  }
  text += plan.folds == 1 ? " fold" : " folds";
  return plan.repeats == 1 ? text : text + ", " + std::to_string(plan.repeats) + " times";
}

std::vector<Split> make_folds(const FoldPlan& plan, Index rows, std::span<const std::int32_t> classes,
                              std::span<const std::int32_t> groups, std::uint64_t seed) {
  if (plan.repeats < 1 || (plan.repeats > 1 && !has_randomness(plan.kind))) {
    reject_argument(
        "repeats", std::to_string(plan.repeats),
        has_randomness(plan.kind) ? "1 or more" : "1: " + describe(plan) + " has nothing random to be repeated");
  }
  if (plan.kind == FoldKind::time_ordered) {
    return time_ordered_folds(rows, plan.folds);
  }
  std::vector<Split> splits;
  for (Index r = 0; r < plan.repeats; ++r) {
    const Folds folds = random_folds(plan, rows, classes, groups, seed_of_repeat(seed, r));
    for (Index f = 0; f < folds.count; ++f) {
      splits.push_back(folds.split(f));
    }
  }
  return splits;
}

Split thinned(const Split& split, double fraction, std::span<const std::int32_t> classes, std::uint64_t seed) {
  if (!(fraction > 0 && fraction <= 1)) {
    reject_argument("fraction of the rows", fraction, "above 0 and at most 1");
  }
  std::map<std::int32_t, std::vector<Index>> members;
  for (const Index row : split.train) {
    members[classes.empty() ? 0 : classes[row]].push_back(row);
  }
  Split result;
  result.test = split.test;
  for (auto& [code, rows] : members) {
    RandomStream random(seed, static_cast<std::uint64_t>(static_cast<std::int64_t>(code) + 1));
    shuffle(random, rows);
    const auto kept = static_cast<std::ptrdiff_t>(std::ceil(fraction * static_cast<double>(rows.size())));
    result.train.insert(result.train.end(), rows.begin(), rows.begin() + kept);
  }
  std::sort(result.train.begin(), result.train.end());
  return result;
}

}  // namespace mercer
