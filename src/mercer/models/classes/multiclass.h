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

/// All classes in one problem.
constexpr bool is_joint(Multiclass way) {
  return way == Multiclass::weston_watkins || way == Multiclass::crammer_singer;
}

/// Machines of their own for pairs of classes, or for one class against the rest.
constexpr bool is_pairs_or_rest(Multiclass way) { return !is_joint(way) && way != Multiclass::code; }

}  // namespace mercer
