#include "mercer/report/report_json.h"

#include "mercer/report/report_json_parts.h"
#include "mercer/report/sample_sections_json.h"

namespace mercer {

namespace report_json_parts {

namespace {

const char* word(Better better) {
  return better == Better::lower ? "lower" : better == Better::higher ? "higher" : "closer";
}

Json model_json(const ModelFacts& model) {
  Json json;
  json["name"] = model.name;
  json["task"] = to_string(model.task);
  json["summary"] = model.summary;
  json["kernel"] = model.kernel;
  if (!model.requested_kernel.empty()) {
    json["requested_kernel"] = model.requested_kernel;
  }
  json["kernel_facts"] = list_of(model.kernel_facts, [](const ReportFact& fact) {
    return Json{{"name", fact.name}, {"value", fact.value}, {"meaning", fact.meaning}};
  });
  json["options"] = list_of(model.options, [](const ReportOption& option) {
    return Json{
        {"name", option.name}, {"value", option.value}, {"meaning", option.meaning}, {"is_default", option.is_default}};
  });
  json["scaling"] = model.scaling;
  if (!model.classes.empty()) {
    json["classes"] = model.classes;
  }
  json["outputs"] = model.outputs;
  json["solution"] = list_of(model.solution, [](const SolutionFact& fact) {
    return Json{{"name", fact.name},
                {"value", fact.text.empty() ? number(fact.value) : Json(fact.text)},
                {"meaning", fact.meaning}};
  });
  return json;
}

Json data_json(const DataFacts& data) {
  Json json = {{"file", data.file},
               {"rows", data.rows},
               {"columns", data.columns},
               {"part", data.part == DataPart::training ? "training" : "test"},
               {"hash", data.hash}};
  if (data.train_rows) {
    json["train_rows"] = *data.train_rows;
  }
  if (!data.names.empty()) {
    json["names"] = data.names;
  }
  return json;
}

Json metric_json(const ReportMetric& entry) {
  return {{"name", entry.metric.name},
          {"value", number(entry.metric.value)},
          {"lower", number(entry.metric.lower)},
          {"upper", number(entry.metric.upper)},
          {"baseline", number(entry.metric.baseline)},
          {"better", word(entry.metric.better)},
          {"meaning", entry.meaning}};
}

Json roc_json(const RocCurve& roc) {
  return {
      {"fpr", numbers(roc.false_positive_rate)}, {"tpr", numbers(roc.true_positive_rate)}, {"auc", number(roc.area)}};
}

Json classification_json(const ClassificationSection& section) {
  Json json;
  json["confusion"] = {{"classes", section.classes}, {"counts", counts(section.confusion)}};
  json["curves"] = list_of(section.curves, [](const ClassCurves& curve) {
    return Json{{"class", curve.name},
                {"roc", roc_json(curve.roc)},
                {"pr",
                 {{"recall", numbers(curve.precision_recall.recall)},
                  {"precision", numbers(curve.precision_recall.precision)},
                  {"average", number(curve.precision_recall.average)}}}};
  });
  if (!section.calibration.empty()) {
    json["calibration"] = list_of(section.calibration, [](const Calibration& curve) {
      return Json{{"class", curve.name},
                  {"predicted", numbers(curve.predicted)},
                  {"observed", numbers(curve.observed)},
                  {"count", curve.count}};
    });
  }
  if (section.margins) {
    json["margins"] = class_histogram_json(*section.margins);
  }
  if (section.error_reject) {
    const ErrorRejectCurve& curve = *section.error_reject;
    json["error_reject"] = {{"rejected", numbers(curve.rejected)},
                            {"error", numbers(curve.error)},
                            {"confidence", numbers(curve.confidence)}};
  }
  return json;
}

Json regression_json(const RegressionSection& section) {
  Json json;
  json["outputs"] = list_of(section.outputs, [](const OutputResiduals& output) {
    Json one = {{"name", output.name}, {"truth", numbers(output.truth)}, {"predicted", numbers(output.predicted)}};
    if (!output.lower.empty()) {
      one["lower"] = numbers(output.lower);
      one["upper"] = numbers(output.upper);
      one["level"] = output.level;
    }
    return one;
  });
  if (section.coverage) {
    json["coverage"] = {{"nominal", numbers(section.coverage->nominal)},
                        {"observed", numbers(section.coverage->observed)}};
  }
  if (section.below) {
    json["below"] = {{"levels", numbers(section.below->levels)}, {"observed", numbers(section.below->observed)}};
  }
  if (section.curve) {
    const FittedCurve& curve = *section.curve;
    json["curve"] = {{"column", curve.column}, {"x", numbers(curve.x)}, {"mean", numbers(curve.mean)}};
    add_if_any(json["curve"], "lower", curve.lower);
    add_if_any(json["curve"], "upper", curve.upper);
    add_if_any(json["curve"], "mean_lower", curve.mean_lower);
    add_if_any(json["curve"], "mean_upper", curve.mean_upper);
    add_if_any(json["curve"], "tube_lower", curve.tube_lower);
    add_if_any(json["curve"], "tube_upper", curve.tube_upper);
    if (!curve.levels.empty()) {
      json["curve"]["levels"] = numbers(curve.levels);
      json["curve"]["quantiles"] =
          list_of(curve.quantiles, [](const std::vector<double>& values) { return numbers(values); });
    }
    json["curve"]["data_x"] = numbers(curve.data_x);
    json["curve"]["data_y"] = numbers(curve.data_y);
  }
  add_thinned(json, section.thinned);
  return json;
}

Json novelty_json(const NoveltySection& section) {
  Json json = {{"scores", {{"edges", numbers(section.edges)}, {"counts", section.counts}}},
               {"threshold", number(section.threshold)},
               {"flagged", section.flagged},
               {"total", section.total}};
  if (section.roc) {
    json["roc"] = roc_json(*section.roc);
  }
  return json;
}

Json regions_json(const RegionsSection& section) {
  Json json = {{"axes", {section.axis_x, section.axis_y}},
               {"how", section.how},
               {"x", numbers(section.x)},
               {"y", numbers(section.y)},
               {"value", numbers(section.value)},
               {"label", counts(section.label)}};
  if (!section.classes.empty()) {
    json["classes"] = section.classes;
  }
  json["points"] = points_json(section.points);
  if (section.cells) {
    json["cells"] = true;
  }
  if (!section.levels.empty()) {
    json["levels"] = list_of(section.levels, [](const DensityLevel& level) {
      return Json{{"share", level.share}, {"level", number(level.level)}};
    });
  }
  add_thinned(json, section.thinned);
  return json;
}

Json gram_json(const GramSection& section) {
  Json json = {{"size", section.values.rows()}, {"values", numbers(section.values)}, {"order", section.order}};
  json["groups"] = list_of(section.groups, [](const GramGroup& group) {
    return Json{{"name", group.name}, {"begin", group.begin}, {"end", group.end}};
  });
  json["spectrum"] = numbers(section.spectrum);
  json["condition"] = number(section.condition);
  json["effective_rank"] = number(section.effective_rank);
  add_thinned(json, section.thinned);
  return json;
}

Json axis_json(const TuningAxis& axis) {
  return {{"name", axis.name}, {"values", numbers(axis.values)}, {"log", axis.logarithmic}};
}

// A number where the text is one.
Json parameter_json(const std::string& text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = result.ec == std::errc() && result.ptr == text.data() + text.size();
  return whole && std::isfinite(value) ? number(value) : Json(text);
}

Json tuning_json(const TuningSection& section) {
  Json json = {{"metric", section.metric}, {"better", word(section.better)}};
  if (section.x) {
    json["x"] = axis_json(*section.x);
  }
  if (section.y) {
    json["y"] = axis_json(*section.y);
  }
  json["mean"] = numbers(section.mean);
  json["error"] = numbers(section.error);
  json["points"] = list_of(section.points, [](const TuningPoint& point) {
    Json parameters = Json::object();
    for (const auto& [name, value] : point.parameters) {
      parameters[name] = parameter_json(value);
    }
    return Json{{"parameters", std::move(parameters)}, {"mean", number(point.mean)}, {"error", number(point.error)}};
  });
  json["best"] = section.best;
  json["chosen"] = section.chosen;
  return json;
}

Json loss_json(const LossSection& section) {
  Json json = {{"name", section.name},
               {"of", section.argument},
               {"output", section.output},
               {"formula", section.formula},
               {"influence_formula", section.influence_formula},
               {"density_formula", section.density_formula},
               {"note", section.note},
               {"x", numbers(section.x)},
               {"loss", numbers(section.loss)},
               {"influence", numbers(section.influence)}};
  add_if_any(json, "density", section.density);
  return json;
}

Json learning_json(const LearningSection& section) {
  Json json = {{"metric", section.metric},
               {"rows", section.rows},
               {"train", numbers(section.train)},
               {"validation", numbers(section.validation)}};
  add_if_any(json, "validation_error", section.validation_error);
  return json;
}

Json influence_json(const InfluenceSection& section) {
  return {{"how", section.how}, {"points", list_of(section.points, [](const InfluencePoint& point) {
                                   return Json{{"row", point.row},
                                               {"label", point.label},
                                               {"predicted", point.predicted},
                                               {"influence", number(point.influence)},
                                               {"note", point.note}};
                                 })}};
}

Json relevance_json(const RelevanceSection& section) {
  return {{"how", section.how}, {"columns", list_of(section.columns, [](const ColumnRelevance& column) {
                                   Json json = {{"name", column.name}, {"relevance", number(column.relevance)}};
                                   if (column.lengthscale) {
                                     json["lengthscale"] = number(*column.lengthscale);
                                   }
                                   return json;
                                 })}};
}

Json cost_json(const CostFacts& cost) {
  Json json;
  json["phases"] = list_of(cost.phases, [](const FitReport::Phase& phase) {
    return Json{{"name", phase.name}, {"seconds", number(phase.seconds)}};
  });
  json["seconds"] = number(cost.seconds);
  json["peak_memory_mb"] = cost.peak_memory_mb ? number(*cost.peak_memory_mb) : Json(nullptr);
  if (cost.model_bytes) {
    json["model_bytes"] = *cost.model_bytes;
  }
  return json;
}

Json provenance_json(const Provenance& provenance) {
  Json json = {{"spec", provenance.spec}};
  if (!provenance.command.empty()) {
    json["command"] = provenance.command;
  }
  json["seed"] = provenance.seed;
  json["version"] = provenance.version;
  json["created"] = provenance.created;
  json["data_hash"] = provenance.data_hash;
  if (!provenance.model_hash.empty()) {
    json["model_hash"] = provenance.model_hash;
  }
  return json;
}

template <class Section, class Write>
void add(Json& json, const char* name, const std::optional<Section>& section, Write write) {
  if (section) {
    json[name] = write(*section);
  }
}

}  // namespace

}  // namespace report_json_parts

std::string report_json(const Report& report) {
  using namespace report_json_parts;  // NOLINT(google-build-using-namespace): of this function alone
  Json json;
  json["title"] = report.title;
  json["model"] = model_json(report.model);
  json["data"] = data_json(report.data);
  json["warnings"] = report.warnings;
  json["metrics"] = list_of(report.metrics, metric_json);
  json["baselines"] = list_of(report.baselines, [](const BaselineFact& fact) {
    return Json{{"name", fact.name}, {"metric", fact.metric}, {"value", number(fact.value)}, {"meaning", fact.meaning}};
  });
  add(json, "classification", report.classification, classification_json);
  add(json, "regression", report.regression, regression_json);
  add(json, "novelty", report.novelty, novelty_json);
  add(json, "density", report.density, density_json);
  add(json, "features", report.features, features_json);
  add(json, "clusters", report.clusters, clusters_json);
  add(json, "regions", report.regions, regions_json);
  add(json, "gram", report.gram, gram_json);
  add(json, "tuning", report.tuning, tuning_json);
  add(json, "loss", report.loss, loss_json);
  add(json, "learning", report.learning, learning_json);
  add(json, "influence", report.influence, influence_json);
  add(json, "relevance", report.relevance, relevance_json);
  json["cost"] = cost_json(report.cost);
  json["provenance"] = provenance_json(report.provenance);
  // Names in a data file may hold any bytes; what is no UTF-8 is shown as the replacement character.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace mercer
