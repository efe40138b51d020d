#include "mercer/models/decision_texts.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/label_kind.h"

namespace mercer {

namespace {

std::optional<Index> find_class(std::string_view label, const std::vector<std::string>& classes) {
  const std::string text = label_text(std::string(trim(label)), label_kind_of(classes));
  const auto found = std::ranges::find(classes, text);
  return found == classes.end() ? std::nullopt : std::optional<Index>(found - classes.begin());
}

double price_of(std::string_view option, std::string_view text, std::string_view item) {
  const std::optional<double> number = parse_double(trim(text));
  if (!number || !(*number >= 0) || !std::isfinite(*number)) {
    throw InvalidArgument(std::string(option) + ": '" + std::string(item) + "' has no finite number of 0 or more");
  }
  return *number;
}

struct Item {
  std::string label;
  double number = 0;
};

// "label=number": a label may hold = as well, the last one counts.
Item read_item(std::string_view option, const std::string& item, const char* form) {
  const std::size_t sign = item.rfind('=');
  if (sign == std::string::npos) {
    throw InvalidArgument(std::string(option) + ": '" + item + "' is not " + form);
  }
  return {item.substr(0, sign), price_of(option, std::string_view(item).substr(sign + 1), item)};
}

// The parts between commas; a label may hold commas itself, so that an item ends where it has its number.
std::vector<std::string> items_of(std::string_view text) {
  std::vector<std::string> items;
  std::string open;
  for (const std::string& part : split(text, ',')) {
    open += (open.empty() ? "" : ",") + part;
    if (part.find('=') != std::string::npos) {
      items.push_back(std::move(open));
      open.clear();
    }
  }
  if (!open.empty() || items.empty()) {
    items.push_back(open);
  }
  return items;
}

struct Pair {
  Index truth = 0;
  Index decision = 0;
};

// Labels may hold colons: the pair is the cut whose sides both are classes.
Pair pair_named(const std::string& label, const std::vector<std::string>& classes) {
  for (std::size_t colon = label.find(':'); colon != std::string::npos; colon = label.find(':', colon + 1)) {
    const auto truth = find_class(std::string_view(label).substr(0, colon), classes);
    const auto decision = find_class(std::string_view(label).substr(colon + 1), classes);
    if (truth && decision) {
      return {*truth, *decision};
    }
  }
  const std::size_t colon = label.find(':');
  if (colon == std::string::npos) {
    throw InvalidArgument("costs: '" + label + "' is not true class:decision, as in a:b=5");
  }
  const std::string truth = label.substr(0, colon);
  class_named("costs", find_class(truth, classes) ? label.substr(colon + 1) : truth, classes);
  throw InvalidArgument("costs: '" + label + "' names no two classes");
}

std::vector<double> plain_costs(Index classes) {
  std::vector<double> costs(static_cast<std::size_t>(classes * classes), 1.0);
  for (Index c = 0; c < classes; ++c) {
    costs[c * classes + c] = 0;
  }
  return costs;
}

std::vector<Index> heads_of(const std::vector<std::string>& head, const std::vector<std::string>& classes) {
  std::vector<Index> columns;
  for (std::size_t c = 1; c < head.size(); ++c) {
    columns.push_back(class_named("costs", head[c], classes));
  }
  std::vector<Index> sorted = columns;
  std::ranges::sort(sorted);
  if (sorted.size() != classes.size() || std::ranges::adjacent_find(sorted) != sorted.end()) {
    throw InvalidArgument(
        "costs: the head of the table must name every class once, behind the column of true classes: " +
        join(classes, ", "));
  }
  return columns;
}

}  // namespace

Index class_named(std::string_view option, std::string_view label, const std::vector<std::string>& classes) {
  if (const auto found = find_class(label, classes)) {
    return *found;
  }
  throw InvalidArgument(std::string(option) + ": there is no class '" + std::string(label) + "'." +
                        did_you_mean(label, classes) + " The classes are " + join(classes, ", "));
}

std::vector<double> parse_costs(std::string_view text, const std::vector<std::string>& classes) {
  const auto count = static_cast<Index>(classes.size());
  std::vector<double> costs = plain_costs(count);
  std::vector<char> given(costs.size(), 0);
  for (const std::string& item : items_of(text)) {
    const Item entry = read_item("costs", item, "true class:decision=number, as in a:b=5");
    const Pair pair = pair_named(entry.label, classes);
    const Index at = pair.truth * count + pair.decision;
    if (given[at] != 0) {
      throw InvalidArgument("costs: '" + entry.label + "' is given twice");
    }
    given[at] = 1;
    costs[at] = entry.number;
  }
  return costs;
}

std::vector<double> costs_of_table(const std::vector<std::vector<std::string>>& records,
                                   const std::vector<std::string>& classes) {
  if (records.empty()) {
    throw InvalidArgument("costs: the table is empty");
  }
  const auto count = static_cast<Index>(classes.size());
  const std::vector<Index> columns = heads_of(records.front(), classes);
  std::vector<double> costs(static_cast<std::size_t>(count * count), 0.0);
  std::vector<char> given(classes.size(), 0);
  for (std::size_t line = 1; line < records.size(); ++line) {
    const std::vector<std::string>& record = records[line];
    const Index truth = class_named("costs", record.front(), classes);
    if (record.size() != columns.size() + 1 || given[truth] != 0) {
      throw InvalidArgument("costs: the class '" + record.front() + "' must have one line of " + std::to_string(count) +
                            " numbers");
    }
    given[truth] = 1;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      costs[truth * count + columns[c]] = price_of("costs", record[c + 1], record[c + 1]);
    }
  }
  if (const auto missing = std::ranges::find(given, 0); missing != given.end()) {
    throw InvalidArgument("costs: the table has no line of the class '" + classes[missing - given.begin()] + "'");
  }
  return costs;
}

std::vector<double> parse_priors(std::string_view text, const std::vector<std::string>& classes) {
  if (text == "training") {
    return {};
  }
  if (text == "equal") {
    return std::vector<double>(classes.size(), 1.0 / static_cast<double>(classes.size()));
  }
  std::vector<double> priors(classes.size(), -1.0);
  for (const std::string& item : items_of(text)) {
    const Item entry = read_item("priors", item, "class=probability, nor 'equal' or 'training'");
    double& prior = priors[class_named("priors", entry.label, classes)];
    if (prior >= 0) {
      throw InvalidArgument("priors: the class '" + entry.label + "' is given twice");
    }
    prior = entry.number;
  }
  if (const auto missing = std::ranges::find(priors, -1.0); missing != priors.end()) {
    throw InvalidArgument("priors: there is none of the class '" + classes[missing - priors.begin()] +
                          "'; every class has one, and they sum to 1");
  }
  return priors;
}

}  // namespace mercer
