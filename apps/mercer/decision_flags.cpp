#include "decision_flags.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/csv_tokenizer.h"
#include "mercer/data/files/input_stream.h"
#include "mercer/models/decision_texts.h"
#include "session.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

bool is_file(const std::string& costs) {
  std::error_code error;
  return costs.find('=') == std::string::npos || std::filesystem::exists(costs, error);
}

// The library of the command line takes "" for a value that is not there.
std::string empty_value(const std::string& value) { return value.empty() ? "the value is empty" : ""; }

std::vector<std::vector<std::string>> records_of(const std::string& path) {
  InputStream stream(path);
  constexpr std::size_t head = 1 << 16;
  CsvTokenizer tokenizer(stream, detect_separator(stream.peek(head)));
  std::vector<std::vector<std::string>> records;
  std::vector<std::string_view> fields;
  while (tokenizer.next(fields)) {
    std::vector<std::string>& record = records.emplace_back();
    for (const std::string_view field : fields) {
      record.emplace_back(trim(field));
    }
  }
  return records;
}

std::vector<double> costs_of(const std::string& costs, const std::vector<std::string>& classes) {
  if (!is_file(costs)) {
    return reading("--costs", [&] { return parse_costs(costs, classes); });
  }
  return naming_file(costs, [&] {
    try {
      return costs_of_table(records_of(costs), classes);
    } catch (const InvalidArgument& error) {
      throw DataError(error.what());
    }
  });
}

}  // namespace

void DecisionFlags::check() const {
  if (!positive.empty() && !false_positive_rate) {
    throw UsageError("--positive says which class --false-positive-rate is of; give both");
  }
  if (false_positive_rate && (!costs.empty() || !priors.empty())) {
    throw UsageError(
        "--false-positive-rate chooses the threshold by a rate, --costs and --priors by what mistakes cost: take one "
        "way");
  }
}

void DecisionFlags::read_by(FileRoles& files) const {
  if (!costs.empty() && is_file(costs)) {
    files.reads("the costs", costs);
  }
}

void add_cost_flags(CLI::App& command, DecisionFlags& flags, const std::string& group) {
  const std::string own = group.empty() ? "Decisions between classes" : group;
  command
      .add_option(
          "--costs", flags.costs,
          "what mistakes cost: 'a:b=5,b:a=1', a row of class a that is called b costs 5 (what is not named 1, a "
          "right answer 0), or a CSV file with a line per true class and a column per decision")
      ->type_name("COSTS")
      ->check(&empty_value)
      ->group(own);
  command
      .add_option("--priors", flags.priors,
                  "how frequent the classes are where answers are wanted: 'a=.01,b=.99', equal, or training (default)")
      ->type_name("PRIORS")
      ->check(&empty_value)
      ->group(own);
}

void add_rate_flags(CLI::App& command, DecisionFlags& flags) {
  const std::string own = "Decisions between classes";
  command
      .add_option(
          "--false-positive-rate", flags.false_positive_rate,
          "of two classes: at most this share of the rows that are not of the positive class is called positive; "
          "the threshold comes from folds (--folds)")
      ->type_name("RATE")
      ->check(&empty_value)
      ->group(own);
  command
      .add_option("--positive", flags.positive, "the positive class of --false-positive-rate (default: the second one)")
      ->type_name("CLASS")
      ->check(&empty_value)
      ->group(own);
}

DecisionRule cost_rule(const DecisionFlags& flags, const std::vector<std::string>& classes,
                       const DecisionRule& otherwise) {
  DecisionRule rule{.costs = otherwise.costs, .priors = otherwise.priors};
  if (!flags.costs.empty()) {
    rule.costs = costs_of(flags.costs, classes);
  }
  if (!flags.priors.empty()) {
    rule.priors = reading("--priors", [&] { return parse_priors(flags.priors, classes); });
  }
  const auto valid = [&] { return require_rule(rule, static_cast<Index>(classes.size())); };
  reading("", valid);
  return rule;
}

RateWanted wanted_rate(const DecisionFlags& flags, const std::vector<std::string>& classes) {
  if (classes.size() != 2) {
    throw UsageError(fmt::format(
        "--false-positive-rate is of two classes, there are {}: say what mistakes cost (--costs)", classes.size()));
  }
  const Index positive = flags.positive.empty()
                             ? 1
                             : reading("--positive", [&] { return class_named("positive", flags.positive, classes); });
  return {.rate = flags.false_positive_rate.value_or(0), .positive = positive};
}

void require_classes(const DecisionFlags& flags, const std::optional<double>& punt_error, Task task,
                     const std::string& model) {
  flags.check();
  if (punt_error && std::isnan(*punt_error)) {
    throw UsageError("--punt-error nan: must be a number between 0 and 1");
  }
  if ((flags.any() || punt_error) && task != Task::classification) {
    throw UsageError(fmt::format("{} is about decisions between classes; {} is a model of {}",
                                 punt_error                  ? "--punt-error"
                                 : flags.false_positive_rate ? "--false-positive-rate"
                                 : !flags.costs.empty()      ? "--costs"
                                                             : "--priors",
                                 model, to_string(task)));
  }
}

Json decision_as_json(const DecisionRule& rule, const std::vector<std::string>& classes) {
  Json json = Json::object();
  const auto count = static_cast<Index>(classes.size());
  for (Index j = 0; j < count && !rule.costs.empty(); ++j) {
    Json row = Json::array();
    for (Index k = 0; k < count; ++k) {
      row.push_back(rule.cost(j, k, count));
    }
    json["costs"].push_back(std::move(row));
  }
  if (!rule.priors.empty()) {
    json["priors"] = rule.priors;
  }
  if (rule.threshold) {
    // JSON has no infinite numbers.
    json["threshold"] = std::isfinite(*rule.threshold) ? Json(*rule.threshold) : Json(shortest(*rule.threshold));
  }
  if (rule.rate) {
    json["rate"] = rule.rate->rate;
    json["positive"] = classes[rule.rate->positive];
  }
  return json;
}

std::string answers_stay(const DecisionFlags& flags, const std::string& model) {
  return fmt::format("{} has no probabilities: its answers stay as they are{}", model,
                     flags.priors.empty() ? ", and are priced by --costs" : "");
}

void decide_by_flags(const DecisionFlags& flags, FittedModel& model) {
  if (flags.costs.empty() && flags.priors.empty()) {
    return;
  }
  require_classes(flags, {}, model.task(), model.name());
  const DecisionRule rule = cost_rule(flags, model.classes(), model.head().decision);
  reading("--costs, --priors", [&] { decide_by(model, rule); });
}

}  // namespace mercer::program
