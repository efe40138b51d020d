// How two-class machines, or one problem of all classes, answer for more than two classes.
#pragma once

#include <array>

#include "mercer/base/words.h"

namespace mercer {

enum class Multiclass { one_vs_one, one_vs_rest, graph, code, weston_watkins, crammer_singer };
constexpr auto words_of(Multiclass) {
  return std::array{Word{Multiclass::one_vs_one, "ovo"},    Word{Multiclass::one_vs_rest, "ovr"},
                    Word{Multiclass::graph, "dag"},         Word{Multiclass::code, "code"},
                    Word{Multiclass::weston_watkins, "ww"}, Word{Multiclass::crammer_singer, "cs"}};
}

/// How the values of machines that form a code become a class: as is usual (hinge of words that are given or drawn, the largest
/// value of one against the rest), by a loss, or by the word of fewest wrong signs.
enum class CodeDecoding { usual, hinge, linear, hamming };
constexpr auto words_of(CodeDecoding) {
  return std::array{Word{CodeDecoding::usual, "auto"}, Word{CodeDecoding::hinge, "hinge"},
                    Word{CodeDecoding::linear, "linear"}, Word{CodeDecoding::hamming, "hamming"}};
}

/// Whether machines form a code that can be decoded in more than one way.
constexpr bool is_code(Multiclass way) { return way == Multiclass::code || way == Multiclass::one_vs_rest; }

/// All classes in one problem.
constexpr bool is_joint(Multiclass way) {
  return way == Multiclass::weston_watkins || way == Multiclass::crammer_singer;
}

/// Machines of their own for pairs of classes, or for one class against the rest.
constexpr bool is_pairs_or_rest(Multiclass way) { return !is_joint(way) && way != Multiclass::code; }

}  // namespace mercer
