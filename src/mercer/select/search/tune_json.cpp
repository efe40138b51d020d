#include "mercer/select/search/tune_json.h"
#include "mercer/base/words.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer::tune_json {

namespace {

[[noreturn]] void damaged(const FilePlace& place, const std::string& what) {
  throw DataError(place, "damaged log of a search: " + what);
}

const Json& member(const Json& json, const char* name, const FilePlace& place) {
  if (!json.is_object() || !json.contains(name)) {
    damaged(place, "'" + std::string(name) + "' is missing");
  }
  return json.at(name);
}

std::string text(const Json& json, const char* name, const FilePlace& place) {
  const Json& value = member(json, name, place);
  if (!value.is_string()) {
    damaged(place, "'" + std::string(name) + "' is not a text");
  }
  return value.get<std::string>();
}

Index whole(const Json& value, const char* name, const FilePlace& place, Index lowest, Index highest) {
  if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<std::uint64_t>() > (1ULL << 62)) ||
      value.get<Index>() < lowest || value.get<Index>() > highest) {
    damaged(place, "'" + std::string(name) + "' is not a whole number from " + std::to_string(lowest) + " to " +
                       std::to_string(highest));
  }
  return value.get<Index>();
}

constexpr Index largest_count = Index{1} << 40;

Index whole(const Json& json, const char* name, const FilePlace& place) {
  return whole(member(json, name, place), name, place, 0, largest_count);
}

double number(const Json& value, const char* name, const FilePlace& place) {
  if (!value.is_number()) {
    damaged(place, "'" + std::string(name) + "' is not a number");
  }
  const double result = value.get<double>();
  if (!std::isfinite(result)) {
    damaged(place, "'" + std::string(name) + "' is not finite");
  }
  return result;
}

Json or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json or_nulls(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) {
    json.push_back(or_null(value));
  }
  return json;
}

double number_or_nan(const Json& value, const char* name, const FilePlace& place) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : number(value, name, place);
}

const Json& array(const Json& json, const char* name, const FilePlace& place) {
  const Json& value = member(json, name, place);
  if (!value.is_array()) {
    damaged(place, "'" + std::string(name) + "' is not a list");
  }
  return value;
}

std::vector<double> numbers_or_nan(const Json& json, const char* name, const FilePlace& place) {
  std::vector<double> values;
  for (const Json& value : array(json, name, place)) {
    values.push_back(number_or_nan(value, name, place));
  }
  return values;
}

SearchPoint to_point(const Json& json, std::size_t axes, const FilePlace& place) {
  if (!json.is_array() || json.size() != axes) {
    damaged(place, "a point has not one value per axis");
  }
  SearchPoint point;
  for (const Json& value : json) {
    point.push_back(number(value, "points", place));
  }
  return point;
}

std::vector<SearchPoint> to_points(const Json& json, const char* name, std::size_t axes, const FilePlace& place) {
  std::vector<SearchPoint> points;
  for (const Json& value : array(json, name, place)) {
    points.push_back(to_point(value, axes, place));
  }
  return points;
}

template <HasWords Enum>
Enum value_of(const Json& json, const char* name, const FilePlace& place) {
  const std::string found = text(json, name, place);
  if (const auto value = find_word<Enum>(found)) {
    return *value;
  }
  damaged(place, "'" + std::string(name) + "' is '" + found + "'");
}

Json from_axis(const SearchAxis& axis) {
  Json json = {{"name", axis.name}, {"in", word_of(axis.place)}, {"simpler", word_of(axis.simpler)}};
  if (axis.stage != AxisStage::ranges) {
    json["stage"] = word_of(axis.stage);
  }
  if (!axis.words.empty()) {
    json["words"] = axis.words;
    return json;
  }
  json["numbers"] = word_of(axis.kind);
  json["scale"] = word_of(axis.scale);
  json["lower"] = axis.lower;
  json["upper"] = axis.upper;
  if (!axis.choices.empty()) {
    json["choices"] = axis.choices;
  }
  return json;
}

SearchAxis to_axis(const Json& json, const FilePlace& place) {
  SearchAxis axis;
  axis.name = text(json, "name", place);
  axis.place = value_of<AxisPlace>(json, "in", place);
  axis.simpler = value_of<SimplerEnd>(json, "simpler", place);
  if (json.contains("stage")) {
    axis.stage = value_of<AxisStage>(json, "stage", place);
  }
  if (json.contains("words")) {
    for (const Json& word : array(json, "words", place)) {
      if (!word.is_string()) {
        damaged(place, "'words' are not texts");
      }
      axis.words.push_back(word.get<std::string>());
    }
    if (axis.words.empty()) {
      damaged(place, "an axis has no values");
    }
    return axis;
  }
  axis.kind = value_of<NumberKind>(json, "numbers", place);
  axis.scale = value_of<AxisScale>(json, "scale", place);
  axis.lower = number(member(json, "lower", place), "lower", place);
  axis.upper = number(member(json, "upper", place), "upper", place);
  if (json.contains("choices")) {
    for (const Json& value : array(json, "choices", place)) {
      axis.choices.push_back(number(value, "choices", place));
    }
  }
  const bool ordered = axis.choices.empty() ? axis.lower < axis.upper : axis.lower <= axis.upper;
  if (!ordered || (axis.scale == AxisScale::logarithmic && !(axis.lower > 0))) {
    damaged(place, "the range of '" + axis.name + "' is none");
  }
  return axis;
}

Json from_fold(const OuterFold& fold) { return Json::array({fold.number, fold.count}); }

OuterFold to_fold(const Json& json, const FilePlace& place) {
  const Json& pair = array(json, "outer", place);
  if (pair.size() != 2) {
    damaged(place, "'outer' is not a fold and their number");
  }
  const Index count = whole(pair[1], "outer", place, 1, largest_count);
  return {whole(pair[0], "outer", place, 0, count - 1), count};
}

// Values of words are their numbers, and are used as such.
void require_words(const std::vector<SearchAxis>& axes, const std::vector<SearchPoint>& points,
                   const FilePlace& place) {
  for (const SearchPoint& point : points) {
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const auto count = static_cast<double>(axes[a].words.size());
      if (count > 0 && !(point[a] >= 0 && point[a] < count && point[a] == std::floor(point[a]))) {
        damaged(place, "a value of '" + axes[a].name + "' is none of its words");
      }
    }
  }
}

}  // namespace

Json from_header(const TuneHeader& header) {
  Json settings = Json::object();
  for (const OptionSetting& setting : header.settings) {
    settings[setting.name] = setting.value;
  }
  Json axes = Json::array();
  for (const SearchAxis& axis : header.axes) {
    axes.push_back(from_axis(axis));
  }
  return {{"mercer_tune", 1},
          {"version", header.version},
          {"model", header.model},
          {"kernel", header.kernel},
          {"settings", std::move(settings)},
          {"axes", std::move(axes)},
          {"search", word_of(header.search.kind)},
          {"grid", header.search.grid},
          {"points", header.search.points},
          {"folds",
           {{"kind", word_of(header.folds.kind)}, {"count", header.folds.folds}, {"repeats", header.folds.repeats}}},
          {"metric", header.metric},
          {"better", word_of(header.better)},
          {"scaling", header.scaling},
          {"scaled", header.scaled},
          {"seed", header.seed},
          {"rows", header.rows},
          {"columns", header.columns},
          {"data", header.data}};
}

TuneHeader to_header(const Json& json, const FilePlace& place) {
  if (!json.is_object() || !json.contains("mercer_tune")) {
    throw DataError(place, "this is not the log of a search by mercer tune");
  }
  if (json.at("mercer_tune") != 1) {
    throw DataError(place, "this log was written by a newer version of mercer");
  }
  TuneHeader header;
  header.version = text(json, "version", place);
  header.model = text(json, "model", place);
  header.kernel = text(json, "kernel", place);
  const Json& settings = member(json, "settings", place);
  if (!settings.is_object()) {
    damaged(place, "'settings' is not an object");
  }
  for (const auto& [name, value] : settings.items()) {
    header.settings.push_back({name, text(settings, name.c_str(), place)});
  }
  for (const Json& axis : array(json, "axes", place)) {
    header.axes.push_back(to_axis(axis, place));
  }
  header.search.kind = value_of<SearchKind>(json, "search", place);
  header.search.grid = whole(json, "grid", place);
  header.search.points = whole(json, "points", place);
  const Json& folds = member(json, "folds", place);
  header.folds.kind = value_of<FoldKind>(folds, "kind", place);
  header.folds.folds = whole(folds, "count", place);
  header.folds.repeats = whole(folds, "repeats", place);
  header.metric = text(json, "metric", place);
  header.better = value_of<Better>(json, "better", place);
  header.scaling = text(json, "scaling", place);
  header.scaled = text(json, "scaled", place);
  const Json& seed = member(json, "seed", place);
  if (!seed.is_number_unsigned()) {
    damaged(place, "'seed' is not a whole number");
  }
  header.seed = seed.get<std::uint64_t>();
  header.rows = whole(json, "rows", place);
  header.columns = whole(json, "columns", place);
  header.data = text(json, "data", place);
  return header;
}

Json from_unit(const TuneUnit& unit) {
  Json json = Json::object();
  if (unit.outer != OuterFold{}) {
    json["outer"] = from_fold(unit.outer);
  }
  json["round"] = unit.round;
  json["fold"] = unit.fold;
  if (unit.fraction != 1) {
    json["fraction"] = unit.fraction;
  }
  json["points"] = unit.points;
  json["scores"] = or_nulls(unit.scores);
  if (unit.given_up > 0) {
    json["given_up"] = unit.given_up;
  }
  json["seconds"] = or_null(unit.seconds);
  return json;
}

TuneUnit to_unit(const Json& json, const std::vector<SearchAxis>& axes, const FilePlace& place) {
  TuneUnit unit;
  unit.outer = json.contains("outer") ? to_fold(json, place) : OuterFold{};
  unit.round = whole(json, "round", place);
  unit.fold = whole(json, "fold", place);
  unit.fraction = json.contains("fraction") ? number(json.at("fraction"), "fraction", place) : 1;
  unit.points = to_points(json, "points", axes.size(), place);
  require_words(axes, unit.points, place);
  unit.scores = numbers_or_nan(json, "scores", place);
  unit.seconds = number_or_nan(member(json, "seconds", place), "seconds", place);
  if (json.contains("given_up")) {
    unit.given_up = whole(json.at("given_up"), "given_up", place, 0, static_cast<Index>(unit.points.size()));
  }
  if (unit.scores.size() != unit.points.size()) {
    damaged(place, "there are " + std::to_string(unit.scores.size()) + " scores for " +
                       std::to_string(unit.points.size()) + " points");
  }
  return unit;
}

Json from_outer(const OuterScore& score) {
  return {{"outer", from_fold(score.outer)}, {"score", or_null(score.score)}, {"chosen", score.chosen}};
}

OuterScore to_outer(const Json& json, const std::vector<SearchAxis>& axes, const FilePlace& place) {
  OuterScore score{to_fold(json, place), number_or_nan(member(json, "score", place), "score", place),
                   to_point(member(json, "chosen", place), axes.size(), place)};
  require_words(axes, {score.chosen}, place);
  return score;
}

Json from_result(const TuneTable& table, Choice choice, const std::optional<NestedEstimate>& nested) {
  Json points = Json::array();
  Json fractions = Json::array();
  Json means = Json::array();
  Json errors = Json::array();
  for (const TunePoint& point : table.points) {
    points.push_back(point.values);
    fractions.push_back(point.fraction);
    means.push_back(or_null(point.mean));
    errors.push_back(or_null(point.error));
  }
  Json result = {{"choose", word_of(choice)},        {"best", table.best},
                 {"chosen", table.chosen},           {"points", std::move(points)},
                 {"fraction", std::move(fractions)}, {"mean", std::move(means)},
                 {"error", std::move(errors)}};
  if (nested) {
    result["nested"] = {
        {"folds", nested->folds.size()}, {"mean", or_null(nested->mean)}, {"error", or_null(nested->error)}};
  }
  Json json = Json::object();
  json["result"] = std::move(result);
  return json;
}

void read_result(const Json& json, TuneRecord& record, const FilePlace& place) {
  const Json& result = member(json, "result", place);
  TuneTable& table = record.table;
  const std::size_t axes = table.header.axes.size();
  const std::vector<SearchPoint> points = to_points(result, "points", axes, place);
  const std::vector<double> fractions = numbers_or_nan(result, "fraction", place);
  const std::vector<double> means = numbers_or_nan(result, "mean", place);
  const std::vector<double> errors = numbers_or_nan(result, "error", place);
  if (fractions.size() != points.size() || means.size() != points.size() || errors.size() != points.size()) {
    damaged(place, "the lists of the result differ in length");
  }
  require_words(table.header.axes, points, place);
  table.points.clear();
  for (std::size_t p = 0; p < points.size(); ++p) {
    table.points.push_back({points[p], fractions[p], {}, means[p], errors[p]});
  }
  const auto last = static_cast<Index>(points.size()) - 1;
  table.best = whole(member(result, "best", place), "best", place, -1, last);
  table.chosen = whole(member(result, "chosen", place), "chosen", place, -1, last);
  record.choice = value_of<Choice>(result, "choose", place);
  record.nested.reset();
  if (result.contains("nested")) {
    const Json& nested = result.at("nested");
    constexpr Index most_folds = 1'000'000;
    const Index count = whole(member(nested, "folds", place), "folds", place, 0, most_folds);
    record.nested = NestedEstimate{{},
                                   number_or_nan(member(nested, "mean", place), "mean", place),
                                   number_or_nan(member(nested, "error", place), "error", place)};
    // The scores themselves stand in lines of their own.
    for (Index f = 0; f < count; ++f) {
      record.nested->folds.push_back({{f, count}, 0, {}});
    }
  }
}

}  // namespace mercer::tune_json
