// What the sections of a report are written with: numbers of six digits, lists, points.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mercer/report/report_data.h"

namespace mercer::report_json_parts {

using Json = nlohmann::ordered_json;

// Six digits are more than a screen shows, and keep the file small.
inline Json number(double value) {
  if (!std::isfinite(value)) {
    return nullptr;
  }
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 6).ptr;
  double rounded = value;
  std::from_chars(text.data(), end, rounded);
  constexpr double exact = 9007199254740992.0;
  if (rounded == std::floor(rounded) && std::abs(rounded) < exact) {
    return static_cast<std::int64_t>(rounded);
  }
  return rounded;
}

inline Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) {
    list.push_back(number(value));
  }
  return list;
}

template <class T, class Write>
Json rows_of(const Matrix<T>& matrix, Write write) {
  Json rows = Json::array();
  for (Index i = 0; i < matrix.rows(); ++i) {
    Json row = Json::array();
    for (Index j = 0; j < matrix.columns(); ++j) {
      row.push_back(write(matrix(i, j)));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

inline Json numbers(const Matrix<double>& matrix) { return rows_of(matrix, number); }
inline Json counts(const Matrix<Index>& matrix) {
  return rows_of(matrix, [](Index value) { return Json(value); });
}

template <class T, class Write>
Json list_of(const std::vector<T>& items, Write write) {
  Json list = Json::array();
  for (const T& item : items) {
    list.push_back(write(item));
  }
  return list;
}

inline void add_thinned(Json& json, const std::optional<Thinned>& thinned) {
  if (thinned) {
    json["thinned"] = {{"shown", thinned->shown}, {"of", thinned->of}};
  }
}

inline void add_if_any(Json& json, const char* name, const std::vector<double>& values) {
  if (!values.empty()) {
    json[name] = numbers(values);
  }
}

inline Json points_json(const RegionPoints& region) {
  Json points = {{"x", numbers(region.x)}, {"y", numbers(region.y)}};
  if (!region.classes.empty()) {
    points["class"] = region.classes;
  }
  add_if_any(points, "value", region.values);
  add_if_any(points, "residual", region.residuals);
  if (!region.support.empty()) {
    points["support"] = list_of(region.support, [](SupportState state) { return Json(static_cast<int>(state)); });
  }
  return points;
}

inline Json class_histogram_json(const MarginHistogram& histogram) {
  return {{"edges", numbers(histogram.edges)}, {"counts", histogram.counts}, {"classes", histogram.classes}};
}

}  // namespace mercer::report_json_parts
