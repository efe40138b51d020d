// Sets and bags of vectors as their kernels see them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "mercer/data/samples.h"

namespace mercer {

/// InvalidArgument, naming the kernel and what it compares ("sets of whole numbers"), unless the samples are that.
void require_object_kind(std::string_view kernel, const Samples& samples, SampleKind wanted, std::string_view what);

/// InvalidArgument, naming the kernel and what it takes, unless the samples are sets.
void require_sets(std::string_view kernel, const Samples& samples);

/// InvalidArgument unless the samples are bags of vectors; DataError naming bag and component where a number in them is
/// not finite. O(numbers in the bags).
void require_bags(std::string_view kernel, const Samples& samples);

/// The points of all bags as dense rows: a view, or a copy without the column `left_out`. Point p of bag i is row
/// offsets[i] − offsets[0] + p.
Samples bag_points(const BagRows& bags, std::optional<Index> left_out = std::nullopt);

/// offsets[i] − offsets[0] of the bags, one more than there are bags.
std::vector<Index> bag_offsets(const BagRows& bags);

}  // namespace mercer
