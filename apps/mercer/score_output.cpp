#include "score_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/text.h"
#include "mercer/select/error_reject.h"
#include "mercer/select/sample_mean.h"
#include "usage_error.h"

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

const ErrorRejectCurve& curve_of(const OutputScores& output) {
  if (!output.error_reject) {
    throw UsageError("--punt-error: the model has neither probabilities nor decision values that say how sure it is");
  }
  return *output.error_reject;
}

Json error_reject_as_json(const OutputScores& output, double target) {
  const ErrorRejectCurve& curve = curve_of(output);
  const PuntError punt = punt_error(curve, target);
  Json confidence = Json::array();
  for (const double value : curve.confidence) {
    confidence.push_back(number_or_null(value));
  }
  return {{"rejected", curve.rejected},
          {"error", curve.error},
          {"confidence", std::move(confidence)},
          {"punt",
           {{"target", punt.target},
            {"rejected", punt.rejected},
            {"error", punt.error},
            {"confidence", number_or_null(punt.confidence)}}}};
}

// The last point that rejects no more than a share.
std::size_t point_at(const ErrorRejectCurve& curve, double share) {
  return static_cast<std::size_t>(std::ranges::upper_bound(curve.rejected, share) - curve.rejected.begin()) - 1;
}

std::string error_reject_as_text(const OutputScores& output, double target) {
  const ErrorRejectCurve& curve = curve_of(output);
  const PuntError punt = punt_error(curve, target);
  TextTable table({"rejected", "error of the rest", "confidence from"}, {Align::right, Align::right, Align::right});
  std::size_t last = curve.rejected.size();
  for (const double share : {0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9}) {
    const std::size_t at = point_at(curve, share);
    if (at != last) {
      table.add({readable(curve.rejected[at]), readable(curve.error[at]), readable(curve.confidence[at])});
    }
    last = at;
  }
  const std::string reached =
      punt.rejected < 1 ? fmt::format("{} of the rows rejected, those of a confidence below {}; error {} on the rest",
                                      readable(punt.rejected), readable(punt.confidence), readable(punt.error))
                        : "reached by no row: the surest answers are wrong more often than that";
  return fmt::format("\nleast sure answers rejected first\n{}punt error for {}: {}\n", table.text("  "),
                     readable(target), reached);
}

}  // namespace

Json scores_as_json(const std::vector<OutputScores>& scores, const Folds& by_fold,
                    const std::optional<double>& punt_error) {
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
    if (punt_error) {
      targets.back()["error_reject"] = error_reject_as_json(output, *punt_error);
    }
  }
  return targets;
}

std::string scores_as_text(const std::vector<OutputScores>& scores, Task task, const Folds& by_fold,
                           const std::optional<double>& punt_error) {
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
    if (punt_error) {
      text += error_reject_as_text(output, *punt_error);
    }
  }
  return text;
}

}  // namespace mercer::program
