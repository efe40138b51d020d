// Groups of rows that share one slack, as a support vector classifier's options and data say them, and as its solver
// (solvers/convex/grouped_slack.h) wants them. A group's price C_g is C times the mean weight of its rows, weights of classes
// included: those of weight 0 are no rows, a group of one row has its C_i, and a group whose rows all weigh w counts
// as w groups.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/index.h"
#include "mercer/models/model.h"

namespace mercer {

/// The group of each of these rows of the data; one without a group (a code below 0) is a group of its own.
/// InvalidArgument where the data have none, DataError where they are not one per sample.
std::vector<std::int32_t> groups_of_rows(const char* model, const TrainingData& data, std::span<const Index> rows);

struct SlackGroups {
  std::vector<Index> of_row;   ///< −1: a row of bound 0
  std::vector<double> bounds;  ///< C_g, or w_g of the ν kind
};
/// bounds: per row.
SlackGroups slack_groups(std::span<const std::int32_t> groups, std::span<const double> bounds);

}  // namespace mercer
