#include "mercer/report/sections/tuning_section.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "mercer/select/sample_mean.h"

namespace mercer {

namespace {

std::vector<double> distinct_values(const std::vector<const TunePoint*>& points, std::size_t axis) {
  std::vector<double> values;
  for (const TunePoint* point : points) {
    values.push_back(point->values[axis]);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

TuningAxis axis_of(const SearchAxis& axis, std::vector<double> values) {
  return {axis.name, std::move(values), axis.scale == AxisScale::logarithmic};
}

// Where words were chosen first (stages.h) the surface is that of the words that the ranges were searched with, which the last
// point has. Axes of words stand last.
std::vector<const TunePoint*> of_last_words(const std::vector<const TunePoint*>& points, std::size_t ranges) {
  std::vector<const TunePoint*> result;
  const auto words = [&](const TunePoint& point) { return std::span(point.values).subspan(ranges); };
  std::ranges::copy_if(points, std::back_inserter(result), [&](const TunePoint* point) {
    return std::ranges::equal(words(*point), words(*points.back()));
  });
  return result;
}

// Cells without a point are NaN.
void add_surface(std::vector<SearchAxis> axes, std::vector<const TunePoint*> points, TuningSection& section) {
  std::erase_if(axes, [](const SearchAxis& axis) { return axis.stage == AxisStage::first; });
  if (!points.empty()) {
    points = of_last_words(points, axes.size());
  }
  const bool numeric = std::ranges::all_of(axes, [](const SearchAxis& axis) { return axis.words.empty(); });
  if (axes.empty() || axes.size() > 2 || !numeric) {
    return;
  }
  const std::vector<double> x = distinct_values(points, 0);
  const std::vector<double> y = axes.size() == 2 ? distinct_values(points, 1) : std::vector<double>{0};
  if (x.size() * y.size() != points.size()) {
    return;
  }
  section.x = axis_of(axes[0], x);
  if (axes.size() == 2) {
    section.y = axis_of(axes[1], y);
  }
  const auto rows = static_cast<Index>(y.size());
  const auto columns = static_cast<Index>(x.size());
  section.mean = Matrix<double>::filled(rows, columns, unknown_value);
  section.error = Matrix<double>::filled(rows, columns, unknown_value);
  for (const TunePoint* point : points) {
    const Index column = std::ranges::lower_bound(x, point->values[0]) - x.begin();
    const Index row = axes.size() == 2 ? std::ranges::lower_bound(y, point->values[1]) - y.begin() : 0;
    section.mean(row, column) = point->mean;
    section.error(row, column) = point->error;
  }
}

}  // namespace

std::optional<TuningSection> tuning_section(const TuneRecord& record) {
  const TuneTable& table = record.table;
  if (table.best < 0 || table.chosen < 0) {
    return std::nullopt;
  }
  TuningSection section;
  section.metric = table.header.metric;
  section.better = table.header.better;
  std::vector<const TunePoint*> whole;
  for (std::size_t p = 0; p < table.points.size(); ++p) {
    const TunePoint& point = table.points[p];
    if (point.fraction < 1) {
      continue;
    }
    if (static_cast<Index>(p) == table.best) {
      section.best = static_cast<Index>(whole.size());
    }
    if (static_cast<Index>(p) == table.chosen) {
      section.chosen = static_cast<Index>(whole.size());
    }
    whole.push_back(&point);
    TuningPoint& shown = section.points.emplace_back();
    for (std::size_t a = 0; a < table.header.axes.size(); ++a) {
      const SearchAxis& axis = table.header.axes[a];
      shown.parameters.emplace_back(axis.name, axis.text(point.values[a]));
    }
    shown.mean = point.mean;
    shown.error = point.error;
  }
  add_surface(table.header.axes, whole, section);
  return section;
}

}  // namespace mercer
