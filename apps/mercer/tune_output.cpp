#include "tune_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/text.h"

namespace mercer::program {

namespace {

constexpr std::size_t shown_points = 10;

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string value_text(const SearchAxis& axis, double value) {
  return axis.words.empty() ? readable(value) : axis.text(value);
}

std::string point_text(const TuneTable& table, const TunePoint& point) {
  std::vector<std::string> parts;
  for (std::size_t a = 0; a < point.values.size(); ++a) {
    parts.push_back(table.header.axes[a].name + "=" + value_text(table.header.axes[a], point.values[a]));
  }
  return join(parts, " ");
}

std::string score_text(double mean, double error) {
  return std::isnan(error) ? readable(mean) : fmt::format("{} ± {}", readable(mean), readable(error, 2));
}

// The range moved on by half its length beyond the end, as it would be written; empty where it cannot simply grow.
std::string wider_range(const SearchAxis& axis, bool is_upper) {
  if (axis.scale != AxisScale::logarithmic || axis.name == "nu") {
    return "";
  }
  const double half = std::round((std::log2(axis.upper) - std::log2(axis.lower)) / 2);
  ParameterValue value;
  value.search = is_upper ? Interval{axis.lower, axis.upper * std::exp2(half)}
                          : Interval{axis.lower * std::exp2(-half), axis.upper};
  const std::string range = axis.name.substr(axis.name.rfind('.') + 1) + "=" + to_string(value);
  return axis.place == AxisPlace::option ? " (--set " + range + ")" : " (" + range + " in the kernel)";
}

Json point_as_json(const TuneTable& table, const TunePoint& point) {
  Json parameters = Json::object();
  for (std::size_t a = 0; a < point.values.size(); ++a) {
    const SearchAxis& axis = table.header.axes[a];
    parameters[axis.name] = axis.words.empty() ? Json(point.values[a]) : Json(axis.text(point.values[a]));
  }
  Json scores = Json::array();
  for (const double score : point.scores) {
    scores.push_back(number_or_null(score));
  }
  return {{"parameters", std::move(parameters)},
          {"row_fraction", point.fraction},
          {"mean", number_or_null(point.mean)},
          {"error", number_or_null(point.error)},
          {"scores", std::move(scores)}};
}

std::string best_points(const TuneTable& table) {
  std::vector<std::string> headings;
  std::vector<Align> alignment;
  for (const SearchAxis& axis : table.header.axes) {
    headings.push_back(axis.name);
    alignment.push_back(Align::right);
  }
  const bool some_thinned =
      std::any_of(table.points.begin(), table.points.end(), [](const TunePoint& point) { return point.fraction < 1; });
  headings.insert(headings.end(), {table.header.metric, "s.e."});
  alignment.insert(alignment.end(), {Align::right, Align::right});
  if (some_thinned) {
    headings.emplace_back("rows");
    alignment.push_back(Align::right);
  }
  headings.emplace_back("");
  alignment.push_back(Align::left);
  TextTable text(std::move(headings), std::move(alignment));
  std::vector<Index> order = ranked_points(table);
  const auto chosen = std::find(order.begin(), order.end(), table.chosen);
  const bool chosen_is_far = chosen - order.begin() >= static_cast<std::ptrdiff_t>(shown_points);
  order.resize(std::min(order.size(), shown_points));
  if (chosen_is_far) {
    order.push_back(table.chosen);
  }
  for (const Index p : order) {
    const TunePoint& point = table.points[p];
    std::vector<std::string> cells;
    for (std::size_t a = 0; a < point.values.size(); ++a) {
      cells.push_back(value_text(table.header.axes[a], point.values[a]));
    }
    cells.push_back(readable(point.mean));
    cells.push_back(readable(point.error, 2));
    if (some_thinned) {
      cells.push_back(fmt::format("{:.0f} %", 100 * point.fraction));
    }
    cells.emplace_back(p == table.chosen ? (p == table.best ? "best" : "chosen") : p == table.best ? "best" : "");
    text.add(std::move(cells));
  }
  return text.text("  ");
}

}  // namespace

std::vector<std::string> tuning_notes(const TuneResult& result) {
  const TuneTable& table = result.table;
  std::vector<std::string> notes = result.notes;
  const TunePoint& chosen = table.points[table.chosen];
  for (const RangeEnd& end : range_ends(table)) {
    const SearchAxis& axis = table.header.axes[end.axis];
    notes.push_back(fmt::format("{}={} is at the {} end of its range: better values may lie beyond{}", axis.name,
                                value_text(axis, chosen.values[end.axis]), end.is_upper ? "upper" : "lower",
                                wider_range(axis, end.is_upper)));
  }
  const auto given_up = std::ranges::count_if(table.points, &TunePoint::given_up);
  if (given_up > 0) {
    notes.push_back(fmt::format("{} given up: below the baseline after many steps of the solver",
                                counted(static_cast<Index>(given_up), "point was", "points were")));
  }
  const auto failed = std::ranges::count_if(
      table.points, [](const TunePoint& point) { return std::isnan(point.mean) && !point.given_up; });
  if (failed > 0) {
    notes.push_back(fmt::format("{} of {} could not be fitted on every fold", failed,
                                counted(static_cast<Index>(table.points.size()), "point")));
  }
  return notes;
}

std::string tuning_as_text(const TuneResult& result, Choice choice) {
  const TuneTable& table = result.table;
  std::string text =
      fmt::format("{} tuned on {}: {} by {} search, {}, {}\n", table.header.model, counted(table.header.rows, "row"),
                  counted(static_cast<Index>(table.points.size()), "point"), to_string(table.header.search.kind),
                  describe(table.header.folds), table.header.metric);
  if (!table.header.axes.empty()) {
    text += best_points(table);
  }
  const TunePoint& best = table.points[table.best];
  const TunePoint& chosen = table.points[table.chosen];
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<10}  {}\n", name, value);
  };
  const std::string where = table.header.axes.empty() ? "" : point_text(table, best) + ": ";
  line("best", fmt::format("{}{} {}", where, table.header.metric, score_text(best.mean, best.error)));
  if (!std::isnan(result.baseline)) {
    line("baseline", fmt::format("{} {}, of the best constant answer", table.header.metric, readable(result.baseline)));
  }
  if (choice == Choice::one_standard_error) {
    line("chosen", fmt::format("{}: {} {}, {}", point_text(table, chosen), table.header.metric,
                               score_text(chosen.mean, chosen.error),
                               table.chosen == table.best ? "nothing simpler is within one standard error"
                                                          : "the simplest within one standard error"));
  }
  if (result.nested) {
    line("nested", fmt::format("{} {} over {}: what to expect of models tuned this way on new rows",
                               table.header.metric, score_text(result.nested->mean, result.nested->error),
                               counted(static_cast<Index>(result.nested->folds.size()), "outer fold")));
  }
  for (const std::string& note : tuning_notes(result)) {
    line("note", note);
  }
  return text;
}

Json tuning_as_json(const TuneResult& result, Choice choice) {
  const TuneTable& table = result.table;
  const TuneHeader& header = table.header;
  Json axes = Json::array();
  for (const SearchAxis& axis : header.axes) {
    Json json = {{"name", axis.name}, {"in", word_of(axis.place)}};
    if (axis.words.empty()) {
      json["lower"] = axis.lower;
      json["upper"] = axis.upper;
      json["scale"] = axis.scale == AxisScale::linear ? "linear" : "log";
    } else {
      json["words"] = axis.words;
    }
    axes.push_back(std::move(json));
  }
  Json points = Json::array();
  for (const TunePoint& point : table.points) {
    points.push_back(point_as_json(table, point));
  }
  Json json = {
      {"metric", header.metric},
      {"better", header.better == Better::higher ? "higher" : "lower"},
      {"search", to_string(header.search.kind)},
      {"folds",
       {{"kind", to_string(header.folds.kind)}, {"count", header.folds.folds}, {"repeats", header.folds.repeats}}},
      {"baseline", number_or_null(result.baseline)},
      {"axes", std::move(axes)},
      {"points", std::move(points)},
      {"best", table.best},
      {"chosen", table.chosen},
      {"choose", to_string(choice)}};
  if (result.nested) {
    Json folds = Json::array();
    for (const OuterScore& fold : result.nested->folds) {
      folds.push_back(number_or_null(fold.score));
    }
    json["nested"] = {{"mean", number_or_null(result.nested->mean)},
                      {"error", number_or_null(result.nested->error)},
                      {"scores", std::move(folds)}};
  }
  return json;
}

}  // namespace mercer::program
