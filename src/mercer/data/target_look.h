// What the numbers of a target look like: classes or a quantity. Nobody can know, but some columns can hardly be meant as
// what a model takes them for.
#pragma once

#include "mercer/data/targets.h"

namespace mercer {

enum class TargetLook {
  labels,         ///< words
  two_numbers,    ///< two whole numbers, as classes are coded: 0 and 1, -1 and 1
  whole_numbers,  ///< few of them, or none that is rare: classes, counts, marks
  counts,         ///< more than 20 different whole numbers, and one of them in fewer than three rows
  few_fractions,  ///< some are not whole, but the same ones come again and again
  continuous,  ///< some are not whole, and there are more than 30 different ones, or more than 5 of about one row each
};

struct TargetSummary {
  TargetLook look = TargetLook::labels;
  Index different = 0;  ///< numbers, or labels
};

/// O(n ln n). What is not finite is passed over. Labels that are all dates, or numbers with commas, are looked at as numbers.
TargetSummary look_at(const TargetColumn& target);

}  // namespace mercer
