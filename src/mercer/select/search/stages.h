// Stages: choices of words (a scaling, weights of classes) are made first, one after the other, at a few points each; the
// ranges are then searched with the words that did best. So a choice of four costs a few points more, not four times as many.
//
//   stage s     every word of choice s at the same few places, those of earlier choices as chosen, those of later ones as usual.
//               Another word than the usual one is taken where its best score is better by more than half the standard error
//               of the usual one's best: differences between words, which see the same folds, vary less than the scores.
//   afterwards  the search of the ranges, without the points that are known already
//
// A place is a width of the kernel around what the kernel's own rule gives on the columns as they are scaled there (so that
// scalings are compared at their own widths), and an option from its simple side to its middle, where fits are cheap: three
// of each, nine places, where the search of the ranges has 72 points or more; three places from 24 points on; one below.
#pragma once

#include <memory>
#include <vector>

#include "mercer/select/search/search_strategy.h"

namespace mercer {

/// Per word of the scaling (one entry where it is not searched): the usual value of every axis that has one, NaN elsewhere;
/// empty where nothing is known.
using UsualValues = std::vector<std::vector<double>>;

/// Without the axes that are searched first, which stand last.
SearchSpace space_of_ranges(const SearchSpace& space);

/// Of a space with axes that are searched first; it must outlive the strategy.
std::unique_ptr<SearchStrategy> staged_strategy(const SearchSpace& space, const SearchOptions& resolved,
                                                Index training_rows, std::uint64_t seed, UsualValues usual);

}  // namespace mercer
