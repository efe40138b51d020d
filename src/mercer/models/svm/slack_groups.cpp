#include "mercer/models/svm/slack_groups.h"

#include <algorithm>
#include <map>
#include <string>

#include "mercer/base/error.h"

namespace mercer {

std::vector<std::int32_t> groups_of_rows(const char* model, const TrainingData& data, std::span<const Index> rows) {
  if (data.groups.empty()) {
    throw InvalidArgument(std::string(model) +
                          ": slack = group needs the group of every row: give the column of groups (--groups, in "
                          "Python fit(X, y, groups=...)), or take slack = linear, where every row has a slack");
  }
  if (static_cast<Index>(data.groups.size()) != data.samples.size()) {
    throw DataError(std::string(model) + ": " + std::to_string(data.groups.size()) + " groups for " +
                    std::to_string(data.samples.size()) + " samples: there must be one per sample");
  }
  std::int32_t next = std::max<std::int32_t>(0, *std::ranges::max_element(data.groups) + 1);
  std::vector<std::int32_t> groups;
  for (const Index row : rows) {
    const std::int32_t group = data.groups[row];
    groups.push_back(group < 0 ? next++ : group);
  }
  return groups;
}

SlackGroups slack_groups(std::span<const std::int32_t> groups, std::span<const double> bounds) {
  SlackGroups result;
  std::map<std::int32_t, Index> numbers;
  std::vector<double> rows;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!(bounds[i] > 0)) {
      result.of_row.push_back(-1);
      continue;
    }
    const Index number = numbers.try_emplace(groups[i], static_cast<Index>(numbers.size())).first->second;
    if (number == static_cast<Index>(rows.size())) {
      rows.push_back(0);
      result.bounds.push_back(0);
    }
    result.of_row.push_back(number);
    rows[number] += 1;
    result.bounds[number] += bounds[i];
  }
  for (std::size_t g = 0; g < rows.size(); ++g) {
    result.bounds[g] /= rows[g];
  }
  return result;
}

}  // namespace mercer
