#include "mercer/report/sample_sections_json.h"

#include "mercer/report/report_json_parts.h"

namespace mercer::report_json_parts {

Json density_json(const DensitySection& section) {
  Json json = {{"how", section.how}};
  json["curves"] = list_of(section.curves, [](const DensityCurve& curve) {
    Json one = {{"column", curve.column}, {"x", numbers(curve.x)}, {"density", numbers(curve.density)}};
    add_if_any(one, "cumulative", curve.cumulative);
    one["edges"] = numbers(curve.edges);
    one["heights"] = numbers(curve.heights);
    one["rug"] = numbers(curve.rug);
    return one;
  });
  json["rows"] = {{"edges", numbers(section.edges)},
                  {"counts", section.counts},
                  {"zero", section.zero},
                  {"infinite", section.infinite}};
  add_thinned(json, section.thinned);
  return json;
}

Json features_json(const FeaturesSection& section) {
  Json json = {{"value_name", section.value_name}};
  json["components"] = list_of(section.components, [](const FeatureComponent& component) {
    return Json{{"name", component.name}, {"value", number(component.value)}, {"share", number(component.share)}};
  });
  if (!section.target.empty()) {
    json["target"] = section.target;
  }
  if (!section.classes.empty()) {
    json["classes"] = section.classes;
  }
  if (!section.points.x.empty()) {
    json["points"] = points_json(section.points);
  }
  if (section.histogram) {
    json["histogram"] = class_histogram_json(*section.histogram);
  }
  if (!section.maps.empty()) {
    json["maps"] = {{"axes", {section.axis_x, section.axis_y}},
                    {"x", numbers(section.map_x)},
                    {"y", numbers(section.map_y)},
                    {"values", list_of(section.maps,
                                       [](const ComponentMap& map) {
                                         return Json{{"name", map.name}, {"value", numbers(map.value)}};
                                       })},
                    {"points", points_json(section.map_points)}};
  }
  add_thinned(json, section.thinned);
  return json;
}

Json clusters_json(const ClustersSection& section) {
  Json json = {{"names", section.names}, {"sizes", section.sizes}};
  add_if_any(json, "spreads", section.spreads);
  if (!section.labels.empty()) {
    json["labels"] = {{"target", section.target}, {"names", section.labels}, {"counts", counts(section.by_label)}};
  }
  if (section.histogram) {
    json["column"] = section.column;
    json["histogram"] = class_histogram_json(*section.histogram);
  }
  return json;
}

}  // namespace mercer::report_json_parts
