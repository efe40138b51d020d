// Default ranges of a search, one table for all models: what `mercer tune MODEL` walks through where nothing is said.
// C and gamma as Hsu, Chang & Lin (2003) advise for standardised data: C = 2^-5 … 2^15, gamma = 2^-15 … 2^3.
#pragma once

#include <span>
#include <string_view>

#include "mercer/base/index.h"

namespace mercer {

/// absolute: as written. target_deviations: multiples of the standard deviation of the targets.
enum class RangeUnit { absolute, target_deviations };

struct DefaultRange {
  std::string_view model;
  std::string_view option;
  std::string_view range;
  RangeUnit unit = RangeUnit::absolute;
  std::string_view unless = {};  ///< options, blank-separated, that leave nothing to search here
};

std::span<const DefaultRange> default_ranges();

/// The range of a kernel's width by the name of its parameter; empty: none.
std::string_view default_width_range(std::string_view parameter);

/// The option along which solutions of a model are followed from value to value; empty: none.
std::string_view path_option(std::string_view model);

}  // namespace mercer
