#include "score_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/text.h"
#include "mercer/select/sample_mean.h"

namespace mercer::program {

namespace {

using Folds = std::vector<std::vector<OutputScores>>;

Json confusion_as_json(const OutputScores& output) {
  Json rows = Json::array();
  for (Index i = 0; i < output.confusion.rows(); ++i) {
    Json row = Json::array();
    for (Index j = 0; j < output.confusion.columns(); ++j) {
      row.push_back(output.confusion(i, j));
    }
    rows.push_back(std::move(row));
  }
  return {{"classes", output.classes}, {"counts", std::move(rows)}};
}

std::string confusion_as_text(const OutputScores& output) {
  const auto k = static_cast<Index>(output.classes.size());
  std::vector<std::string> headings = {"true class"};
  std::vector<Align> alignment = {Align::left};
  for (Index c = 0; c < output.confusion.columns(); ++c) {
    headings.push_back(output.classes[c]);
    alignment.push_back(Align::right);
  }
  TextTable table(std::move(headings), std::move(alignment));
  for (Index i = 0; i < output.confusion.rows(); ++i) {
    std::vector<std::string> cells = {i < k ? output.classes[i] : "(others)"};
    Index total = 0;
    for (Index j = 0; j < output.confusion.columns(); ++j) {
      const Index count = output.confusion(i, j);
      total += count;
      cells.push_back(count == 0 ? "." : std::to_string(count));
    }
    if (i < k || total > 0) {
      table.add(std::move(cells));
    }
  }
  return "\npredicted as\n" + table.text("  ");
}

const char* to_word(Better better) {
  switch (better) {
    case Better::lower:
      return "lower";
    case Better::higher:
      return "higher";
    case Better::closer:
      break;
  }
  return "closer to its level";
}

// NaN has no place in JSON: null.
Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// Of the metric of this name; folds may lack one (no answer was declined there) or not know its value.
std::vector<double> values_by_fold(const Folds& by_fold, std::size_t output, const std::string& metric) {
  std::vector<double> values;
  for (const std::vector<OutputScores>& fold : by_fold) {
    const auto& metrics = fold[output].metrics;
    const auto found = std::ranges::find(metrics, metric, &Metric::name);
    values.push_back(found == metrics.end() ? unknown_value : found->value);
  }
  return values;
}

std::string spread_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) {
    return "-";
  }
  const Mean mean = mean_of(values);
  return std::isnan(mean.standard_error)
             ? readable(mean.value)
             : fmt::format("{} ± {}", readable(mean.value), readable(mean.standard_error, 2));
}

}  // namespace

Json scores_as_json(const std::vector<OutputScores>& scores, const Folds& by_fold) {
  Json targets = Json::array();
  for (std::size_t o = 0; o < scores.size(); ++o) {
    const OutputScores& output = scores[o];
    Json metrics = Json::object();
    for (const Metric& metric : output.metrics) {
      metrics[metric.name] = {{"value", number_or_null(metric.value)},
                              {"lower", number_or_null(metric.lower)},
                              {"upper", number_or_null(metric.upper)},
                              {"baseline", number_or_null(metric.baseline)},
                              {"better", to_word(metric.better)}};
      if (!by_fold.empty()) {
        Json values = Json::array();
        for (const double value : values_by_fold(by_fold, o, metric.name)) {
          values.push_back(number_or_null(value));
        }
        metrics[metric.name]["folds"] = std::move(values);
      }
    }
    targets.push_back({{"target", output.target}, {"metrics", std::move(metrics)}});
    if (!output.classes.empty()) {
      targets.back()["confusion"] = confusion_as_json(output);
    }
  }
  return targets;
}

std::string scores_as_text(const std::vector<OutputScores>& scores, Task task, const Folds& by_fold) {
  std::vector<std::string> headings = {"target", "metric", "value", "95 % interval", "baseline"};
  std::vector<Align> alignment = {Align::left, Align::left, Align::right, Align::right, Align::right};
  if (!by_fold.empty()) {
    headings.emplace_back("mean of the folds");
    alignment.push_back(Align::right);
  }
  TextTable table(std::move(headings), std::move(alignment));
  for (std::size_t o = 0; o < scores.size(); ++o) {
    for (const Metric& metric : scores[o].metrics) {
      const std::string interval =
          std::isnan(metric.lower) ? "-" : fmt::format("{} .. {}", readable(metric.lower), readable(metric.upper));
      std::vector<std::string> cells = {scores[o].target, metric.name, readable(metric.value), interval,
                                        readable(metric.baseline)};
      if (!by_fold.empty()) {
        cells.push_back(spread_of(values_by_fold(by_fold, o, metric.name)));
      }
      table.add(std::move(cells));
    }
  }
  std::string text = table.text("  ");
  text += task == Task::regression
              ? "baseline: the best constant prediction on these rows (mean; median for mae)\n"
              : "baseline: the best constant answer on these rows (the most frequent class; their frequencies)\n";
  const bool has_distribution = std::ranges::any_of(scores, [](const OutputScores& output) {
    return std::ranges::find(output.metrics, MetricKind::predictive_log_loss, &Metric::kind) != output.metrics.end();
  });
  if (has_distribution) {
    text +=
        "nlpd: mean of -ln p(y), lower is better; msll: nlpd less that of the baseline, below 0 is better; their "
        "baseline\nand that of coverage: the normal distribution with mean and variance of these targets\n";
  }
  for (const OutputScores& output : scores) {
    if (!output.classes.empty()) {
      text += confusion_as_text(output);
    }
  }
  return text;
}

}  // namespace mercer::program
