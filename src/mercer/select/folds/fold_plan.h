// FoldPlan: how cross-validation cuts rows into training and validation parts.
//
//   shuffled       K parts of equal size, drawn at random
//   stratified     the same with every class in proportion
//   grouped        rows of one group (a patient, a document) stay on one side
//   time_ordered   rows are in the order of time: K + 1 consecutive blocks, block f + 1 is predicted from blocks 0 … f
//   leave_one_out  every row once
//
// Splits depend on the plan, the rows and the seed alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/data/split.h"

namespace mercer {

enum class FoldKind { shuffled, stratified, grouped, time_ordered, leave_one_out };
constexpr auto words_of(FoldKind) {
  return std::array{Word{FoldKind::shuffled, "shuffled"}, Word{FoldKind::stratified, "stratified"},
                    Word{FoldKind::grouped, "grouped"}, Word{FoldKind::time_ordered, "time-ordered"},
                    Word{FoldKind::leave_one_out, "leave-one-out"}};
}
constexpr std::string_view to_string(FoldKind kind) { return word_of(kind); }

struct FoldPlan {
  FoldKind kind = FoldKind::shuffled;
  Index folds = 5;    ///< nothing to say for leave_one_out
  Index repeats = 1;  ///< with other random splits; 1 for time_ordered and leave_one_out
  bool operator==(const FoldPlan&) const = default;
};

/// "5 stratified folds", "5 folds, 3 times", "leave-one-out".
std::string describe(const FoldPlan& plan);

/// The splits, those of one repetition side by side. `classes` is read for stratified plans, `groups` for grouped ones:
/// one code per row. InvalidArgument where the plan does not fit: too many folds, too few groups, repetitions of a plan
/// that has nothing random. O(folds · repeats · n) numbers; n² for leave_one_out.
std::vector<Split> make_folds(const FoldPlan& plan, Index rows, std::span<const std::int32_t> classes,
                              std::span<const std::int32_t> groups, std::uint64_t seed);

/// The split with about `fraction` (in (0, 1]) of its training rows, every class in proportion (`classes` may be empty),
/// at least one of each class that occurs; the rows of a smaller fraction are among those of a larger one. Validation
/// rows stay.
Split thinned(const Split& split, double fraction, std::span<const std::int32_t> classes, std::uint64_t seed);

}  // namespace mercer
