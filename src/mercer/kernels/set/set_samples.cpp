#include "mercer/kernels/set/set_samples.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "mercer/base/error.h"

namespace mercer {

void require_object_kind(std::string_view kernel, const Samples& samples, SampleKind wanted, std::string_view what) {
  if (samples.kind() != wanted) {
    throw InvalidArgument(std::string(kernel) + " compares " + std::string(what) + "; these samples are of kind '" +
                          std::string(to_string(samples.kind())) +
                          "'. Where they are a column of a table, name it: " + std::string(kernel) + "()[column]");
  }
}

void require_sets(std::string_view kernel, const Samples& samples) {
  require_object_kind(kernel, samples, SampleKind::sets, "sets of whole numbers");
}

void require_bags(std::string_view kernel, const Samples& samples) {
  require_object_kind(kernel, samples, SampleKind::bags, "bags of vectors");
  const auto& bags = samples.as<BagRows>();
  for (Index i = 0; i < bags.rows; ++i) {
    for (Index p = bags.offsets[i]; p < bags.offsets[i + 1]; ++p) {
      for (Index c = 0; c < bags.points.columns; ++c) {
        if (!std::isfinite(bags.points(p, c))) {
          throw DataError(std::string(kernel) + ": bag " + std::to_string(i) + ", vector " +
                          std::to_string(p - bags.offsets[i]) + ", component " + std::to_string(c) +
                          " is not finite: drop or replace such vectors");
        }
      }
    }
  }
}

Samples bag_points(const BagRows& bags, std::optional<Index> left_out) {
  DenseRows<double> points = bags.points;
  const Index first = bags.rows == 0 ? 0 : bags.offsets[0];
  const Index count = bags.rows == 0 ? 0 : bags.offsets[bags.rows] - first;
  points.data = count == 0 ? points.data : points.data + first * points.row_stride;
  points.rows = count;
  if (!left_out) {
    return Samples(points);
  }
  std::vector<double> kept;
  for (Index p = 0; p < count; ++p) {
    for (Index c = 0; c < points.columns; ++c) {
      if (c != *left_out) {
        kept.push_back(points(p, c));
      }
    }
  }
  return make_dense(std::move(kept), count, points.columns == 0 ? 0 : points.columns - 1);
}

std::vector<Index> bag_offsets(const BagRows& bags) {
  std::vector<Index> offsets = {0};
  for (Index i = 0; i < bags.rows; ++i) {
    offsets.push_back(bags.offsets[i + 1] - bags.offsets[0]);
  }
  return offsets;
}

}  // namespace mercer
