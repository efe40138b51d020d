// SearchSpace: what a search walks through. Ranges stand in the kernel ("rbf(gamma=2^-15..2^3)") and in the options of
// the model ("C=2^-5..2^15", "C=1|10|100", "slack=linear|squared").
//
// What the user leaves open is searched over the model's default ranges: every option with a range in its table that is not
// set, and every width of the kernel that is a word (gamma=scale). `gamma=scale!` keeps the rule.
//
// The scaling of the columns and, where classes are unbalanced, their weights are words of axes that stand last and are chosen
// first (stages.h).
//
// Positive ranges are walked in logarithms, others linearly; whole numbers stay whole numbers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/data/scaling.h"
#include "mercer/models/model.h"
#include "mercer/select/folds/fold_evaluator.h"

namespace mercer {

enum class AxisPlace { option, kernel, scaling };
constexpr auto words_of(AxisPlace) {
  return std::array{Word{AxisPlace::option, "option"}, Word{AxisPlace::kernel, "kernel"},
                    Word{AxisPlace::scaling, "scaling"}};
}
/// first: a choice of words that is made at a few points, before the ranges are searched (stages.h).
enum class AxisStage { first, ranges };
constexpr auto words_of(AxisStage) {
  return std::array{Word{AxisStage::first, "first"}, Word{AxisStage::ranges, "ranges"}};
}
enum class AxisScale { linear, logarithmic };
constexpr auto words_of(AxisScale) {
  return std::array{Word{AxisScale::linear, "linear"}, Word{AxisScale::logarithmic, "log"}};
}
enum class NumberKind { real, whole };
constexpr auto words_of(NumberKind) {
  return std::array{Word{NumberKind::real, "real"}, Word{NumberKind::whole, "whole"}};
}
/// Which end gives the simpler model: a smaller C, a larger lambda, a wider kernel.
enum class SimplerEnd { neither, lower, upper };
constexpr auto words_of(SimplerEnd) {
  return std::array{Word{SimplerEnd::neither, "neither"}, Word{SimplerEnd::lower, "lower"},
                    Word{SimplerEnd::upper, "upper"}};
}

/// One thing that is searched: a range, a list of numbers (`choices`, ascending), or a list of words (values are their
/// numbers from 0).
struct SearchAxis {
  std::string name;  ///< "C"; of a kernel "gamma", with its place where there are several: "0.gamma"
  AxisPlace place = AxisPlace::option;
  AxisScale scale = AxisScale::linear;
  NumberKind kind = NumberKind::real;
  SimplerEnd simpler = SimplerEnd::neither;
  AxisStage stage = AxisStage::ranges;
  double lower = 0;
  double upper = 0;
  std::vector<double> choices = {};
  std::vector<std::string> words = {};

  bool is_range() const { return choices.empty() && words.empty(); }
  /// The value at u in [0, 1], and back.
  double value_at(double u) const;
  double unit_of(double value) const;
  /// `points` values from end to end, fewer where whole numbers or a list give fewer; ascending, without repetition.
  std::vector<double> grid(Index points) const;
  /// As it stands in --set: a number in shortest form, or the word.
  std::string text(double value) const;
};

/// One value per axis.
using SearchPoint = std::vector<double>;

/// Points that one path covers: path.values[i] belongs to point number points[i].
struct PointGroup {
  PointPath path;
  std::vector<Index> points;
};

struct SearchSpace {
  const ModelEntry* model = nullptr;
  std::optional<Kernel> kernel = {};         ///< with its ranges; empty for models without
  std::optional<Kernel> usual_kernel = {};   ///< as it was given: with words where widths are searched by default
  std::vector<OptionSetting> settings = {};  ///< those that are not searched
  std::vector<SearchAxis> axes = {};         ///< options, parameters of the kernel, choices that are made first
  Index path_axis = -1;                      ///< the option along which solutions can be followed; -1: none

  std::optional<Kernel> kernel_at(const SearchPoint& point) const;
  std::vector<OptionSetting> settings_at(const SearchPoint& point) const;
  /// Nothing where the scaling is not searched.
  std::optional<ScalingRule> scaling_at(const SearchPoint& point) const;
  /// "C=10 gamma=0.5".
  std::string describe(const SearchPoint& point) const;
  /// Points that differ only in the path's option share a path; in the order of their first points.
  std::vector<PointGroup> group(std::span<const SearchPoint> points) const;
};

/// What of the data the usual ranges depend on.
struct SearchScale {
  double target_deviation = 1;  ///< which ranges in units of the targets are multiples of
  bool per_row = false;         ///< whether TrainingData::noise is given
};

/// A space without axes has one point. InvalidArgument for a range that cannot be read.
SearchSpace make_search_space(const ModelEntry& model, const std::optional<Kernel>& kernel,
                              std::span<const OptionSetting> settings, const SearchScale& scale = {});

/// The scaling becomes a choice among these, the usual one first.
void add_scalings(SearchSpace& space, std::span<const ScalingRule> rules);
/// Options that make up for rare classes, and are not set, become choices; the number of them.
Index add_class_weights(SearchSpace& space);

/// Of each axis of the ranges the value that the usual kernel has, its widths being resolved; NaN for all others.
std::vector<double> usual_values(const SearchSpace& space, const Kernel& resolved);

/// "2^-5..2^15" as an interval; empty where the text has no "..". InvalidArgument naming `what` for ends that are no
/// numbers or in the wrong order. Numbers may be written as powers: 2^-5, 1e-3, 10^2.
std::optional<Interval> parse_range(std::string_view what, std::string_view text);

}  // namespace mercer
