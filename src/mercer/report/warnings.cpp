#include "mercer/report/warnings.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/text.h"
#include "mercer/report/numeric_columns.h"

namespace mercer {

namespace {

constexpr double nearly_identity = 0.01;
constexpr double nearly_constant = 0.99;
constexpr double nearly_all = 0.95;

std::string percent(double share) { return shortest(std::round(1000 * share) / 10) + " %"; }

void warn_of_fit(const ReportInput& input, std::vector<std::string>& warnings) {
  const FitReport& fit = input.model().report();
  if (fit.status != SolveStatus::converged) {
    warnings.push_back("The solver did not converge (" + std::string(to_string(fit.status)) + " after " +
                       std::to_string(fit.iterations) +
                       " iterations): scale the columns, lower C, or allow more iterations.");
  }
  if (const auto share = fit.measured(Fact::support_fraction); share && *share > nearly_all) {
    warnings.push_back("Nearly all training rows (" + percent(*share) +
                       ") are support vectors: the kernel may be too narrow, or the penalty too weak, to generalise.");
  }
  for (const Note& note : fit.notes) {
    if (note.kind == NoteKind::limit_reached) {
      warnings.push_back("A parameter ended at the edge of its range: " + note.text + ".");
    }
  }
}

void warn_of_gram(const Report& report, std::vector<std::string>& warnings) {
  if (!report.gram || report.gram->values.rows() < 3) {
    return;
  }
  const double mean = report.gram->mean_off_diagonal;
  if (mean < nearly_identity) {
    warnings.push_back(
        "The Gram matrix is nearly the identity (mean off-diagonal similarity " +
        shortest(std::round(mean * 1e5) / 1e5) +
        "): every row is like itself alone. The kernel is too narrow for these data; try a smaller gamma "
        "or a larger length scale.");
  } else if (mean > nearly_constant) {
    warnings.push_back(
        "The Gram matrix is nearly constant: all rows look alike to the kernel. Try a larger gamma, a smaller length "
        "scale, or another scaling of the columns.");
  }
}

void warn_of_duplicates(const ReportInput& input, std::vector<std::string>& warnings) {
  const TrainingData* const training = input.training_rows();
  const Samples& samples = training != nullptr ? training->samples : input.samples;
  const Targets none;
  const Targets& targets = training != nullptr ? training->targets : input.targets ? *input.targets : none;
  if (!predicts_targets(input.model().task()) || targets.outputs() == 0) {
    return;
  }
  const Index count = contradicting_rows(samples, targets);
  if (count > 0) {
    warnings.push_back(std::to_string(count) + " of " + std::to_string(samples.size()) +
                       " rows equal another row but have a different target: " +
                       (input.model().task() == Task::regression
                            ? "repeated measurements, which no function passes through."
                            : "no model can answer all of them right."));
  }
}

void warn_of_scores(const ReportInput& input, const Report& report, std::vector<std::string>& warnings) {
  for (const ReportMetric& entry : report.metrics) {
    const Metric& metric = entry.metric;
    const bool main = metric.kind == MetricKind::accuracy || metric.kind == MetricKind::root_mean_squared_error;
    const bool worse =
        metric.better == Better::higher ? metric.value < metric.baseline : metric.value > metric.baseline;
    if (metric.kind == MetricKind::mean_log_density && metric.upper < metric.baseline) {
      warnings.push_back("One normal distribution fits these rows better: mean log-density " +
                         shortest(std::round(metric.value * 1e4) / 1e4) + " against " +
                         shortest(std::round(metric.baseline * 1e4) / 1e4) + ".");
    }
    if (metric.kind == MetricKind::share_at_density_zero) {
      warnings.push_back(percent(metric.value) +
                         " of the rows are impossible to the model: its density is 0 there, so that the mean of ln p "
                         "over all rows is minus infinity. Wider bins or a kernel without end would help.");
    }
    if (main && worse) {
      warnings.push_back("The model is worse than a constant answer on these rows: " + metric.name + " " +
                         shortest(std::round(metric.value * 1e4) / 1e4) + " against " +
                         shortest(std::round(metric.baseline * 1e4) / 1e4) + ".");
    }
  }
  const bool judged = is_scored(input.model().task()) || input.model().task() == Task::density;
  if (input.part == DataPart::training && judged) {
    warnings.push_back(
        "These rows are the ones that the model was fitted to: its scores here are better than on new data. Use rows "
        "that it has not seen to judge it.");
  }
}

}  // namespace

Index contradicting_rows(const Samples& samples, const Targets& targets) {
  const Samples numeric = numeric_part(samples);
  const bool alone = samples.is_numeric() || (samples.kind() == SampleKind::table && samples.table().others().empty());
  if (numeric.columns() == 0 || !alone || targets.outputs() == 0) {
    return 0;
  }
  const std::vector<std::int32_t> codes = targets.labels(0).codes;
  std::vector<Index> order(samples.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto compare = [&](Index a, Index b) {
    for (Index j = 0; j < numeric.columns(); ++j) {
      const double x = numeric_value(numeric, a, j);
      const double y = numeric_value(numeric, b, j);
      if (x != y) {
        return x < y ? -1 : 1;
      }
    }
    return 0;
  };
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return compare(a, b) < 0; });
  Index count = 0;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    bool differ = false;
    while (end < order.size() && compare(order[begin], order[end]) == 0) {
      differ = differ || codes[order[end]] != codes[order[begin]];
      ++end;
    }
    count += differ ? static_cast<Index>(end - begin) : 0;
    begin = end;
  }
  return count;
}

std::vector<std::string> report_warnings(const ReportInput& input, const Report& report) {
  std::vector<std::string> warnings;
  warn_of_scores(input, report, warnings);
  warn_of_fit(input, warnings);
  warn_of_gram(report, warnings);
  warn_of_duplicates(input, warnings);
  return warnings;
}

}  // namespace mercer
