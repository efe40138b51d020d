// How far is it to the k-th nearest point? A branch and bound search of a kd-tree.
#pragma once

#include <vector>

#include "mercer/base/run.h"
#include "mercer/smoothing/point_tree.h"

namespace mercer {

/// Per query the smallest radius that points of a weight of `count` at least lie within (weights count as copies);
/// infinite where all together have less. O(count + ln n) per query in few dimensions, O(n) in many.
std::vector<double> nearest_radii(const PointTree& tree, ConstMatrixView<double> queries, double count, const Run& run);

}  // namespace mercer
