#include "mercer/select/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/median.h"
#include "mercer/select/sample_mean.h"

namespace mercer {

namespace {

constexpr double z = interval_quantile;
constexpr double unknown = unknown_value;

std::vector<double> squared_errors(std::span<const double> truth, std::span<const double> predicted) {
  require_same_length(truth.size(), predicted.size());
  std::vector<double> errors(truth.size());
  std::transform(truth.begin(), truth.end(), predicted.begin(), errors.begin(),
                 [](double y, double f) { return (y - f) * (y - f); });
  return errors;
}

std::vector<double> squared_deviations(std::span<const double> values) {
  const double mean = mean_of(values).value;
  std::vector<double> deviations(values.begin(), values.end());
  for (double& v : deviations) {
    v = (v - mean) * (v - mean);
  }
  return deviations;
}

Metric from_mean(std::string name, std::span<const double> losses, double baseline) {
  const Mean mean = mean_of(losses);
  return {std::move(name),
          mean.value,
          std::max(0.0, mean.value - z * mean.standard_error),
          mean.value + z * mean.standard_error,
          baseline,
          Better::lower};
}

}  // namespace

Metric root_mean_squared_error(std::span<const double> truth, std::span<const double> predicted) {
  const Mean mse = mean_of(squared_errors(truth, predicted));
  const double baseline = std::sqrt(mean_of(squared_deviations(truth)).value);
  const double value = std::sqrt(mse.value);
  const bool exact = mse.value == 0 && truth.size() > 1;
  const double factor = exact ? 1 : std::exp(z * mse.standard_error / (2 * mse.value));
  return {.name = "rmse",
          .value = value,
          .lower = value / factor,
          .upper = value * factor,
          .baseline = baseline,
          .better = Better::lower,
          .kind = MetricKind::root_mean_squared_error};
}

Metric mean_absolute_error(std::span<const double> truth, std::span<const double> predicted) {
  require_same_length(truth.size(), predicted.size());
  const double median = median_of({truth.begin(), truth.end()});
  std::vector<double> errors;
  double baseline = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    errors.push_back(std::abs(truth[i] - predicted[i]));
    baseline += std::abs(truth[i] - median);
  }
  return from_mean("mae", errors, baseline / static_cast<double>(truth.size()));
}

Metric r_squared(std::span<const double> truth, std::span<const double> predicted) {
  std::vector<double> influence = squared_errors(truth, predicted);
  const std::vector<double> deviations = squared_deviations(truth);
  const double errors = mean_of(influence).value;
  const double spread = mean_of(deviations).value;
  if (spread == 0) {
    return {"r2", unknown, unknown, unknown, 0, Better::higher};
  }
  const double ratio = errors / spread;
  for (std::size_t i = 0; i < influence.size(); ++i) {
    influence[i] = (influence[i] - ratio * deviations[i]) / spread;
  }
  const double half = z * mean_of(influence).standard_error;
  return {"r2", 1 - ratio, 1 - ratio - half, std::min(1.0, 1 - ratio + half), 0, Better::higher};
}

std::vector<Metric> regression_metrics(std::span<const double> truth, std::span<const double> predicted) {
  return {root_mean_squared_error(truth, predicted), mean_absolute_error(truth, predicted),
          r_squared(truth, predicted)};
}

ProportionInterval wilson_interval(Index successes, Index trials) {
  if (trials == 0) {
    return {unknown, unknown};
  }
  const auto n = static_cast<double>(trials);
  const double p = static_cast<double>(successes) / n;
  const double center = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  // At the ends of the scale the formula gives 0 or 1 but for rounding.
  return {successes == 0 ? 0 : center - half, successes == trials ? 1 : center + half};
}

Matrix<Index> confusion_matrix(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted,
                               Index classes) {
  require_one_each(truth.size(), predicted.size());
  Matrix<Index> counts = Matrix<Index>::filled(classes + 1, classes, 0);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (predicted[i] < 0 || predicted[i] >= classes || truth[i] < -1 || truth[i] >= classes) {
      throw InvalidArgument("class " + std::to_string(predicted[i]) + " predicted for class " +
                            std::to_string(truth[i]) + ": there are " + std::to_string(classes) + " classes");
    }
    ++counts(truth[i] < 0 ? classes : truth[i], predicted[i]);
  }
  return counts;
}

namespace {

Index row_total(const Matrix<Index>& confusion, Index row) {
  const auto counts = confusion.view().row(row);
  return std::accumulate(counts.begin(), counts.end(), Index{0});
}

}  // namespace

Metric accuracy(const Matrix<Index>& confusion) {
  Index right = 0;
  Index total = 0;
  Index largest = 0;
  for (Index c = 0; c < confusion.rows(); ++c) {
    const Index here = row_total(confusion, c);
    total += here;
    if (c < confusion.columns()) {
      right += confusion(c, c);
      largest = std::max(largest, here);
    }
  }
  const auto n = static_cast<double>(total);
  const ProportionInterval limits = wilson_interval(right, total);
  return {.name = "accuracy",
          .value = static_cast<double>(right) / n,
          .lower = limits.lower,
          .upper = limits.upper,
          .baseline = static_cast<double>(largest) / n,
          .better = Better::higher,
          .kind = MetricKind::accuracy};
}

Metric balanced_accuracy(const Matrix<Index>& confusion, Index unknown_classes) {
  double sum = 0;
  double below = 0;
  double above = 0;
  double occurring = 0;
  for (Index c = 0; c < confusion.columns(); ++c) {
    const Index here = row_total(confusion, c);
    if (here == 0) {
      continue;
    }
    const double recall = static_cast<double>(confusion(c, c)) / static_cast<double>(here);
    const ProportionInterval limits = wilson_interval(confusion(c, c), here);
    sum += recall;
    below += (recall - limits.lower) * (recall - limits.lower);
    above += (limits.upper - recall) * (limits.upper - recall);
    ++occurring;
  }
  // A constant answer is right on one of the classes that it can name. What cannot be named has a recall of 0 for sure.
  const double named = occurring > 0 ? 1 : 0;
  occurring += static_cast<double>(unknown_classes);
  if (occurring == 0) {
    return {"balanced accuracy", unknown, unknown, unknown, unknown, Better::higher};
  }
  const double value = sum / occurring;
  return {"balanced accuracy",
          value,
          std::max(0.0, value - std::sqrt(below) / occurring),
          std::min(1.0, value + std::sqrt(above) / occurring),
          named / occurring,
          Better::higher};
}

namespace {

// Variance of an estimated AUC whose true value is `area`, with both samples as large as their mean.
double hanley_mcneil_variance(double area, double positives, double negatives) {
  const double mean_size = (positives + negatives) / 2;
  return area * (1 - area) * (1 + (mean_size - 1) * ((1 - area) / (2 - area) + area / (1 + area))) /
         (positives * negatives);
}

// The end, towards `end` (0 or 1), of the areas that the estimate does not contradict.
double area_limit(double estimate, double end, double positives, double negatives) {
  double inside = estimate;
  double outside = end;
  for (int step = 0; step < 60; ++step) {
    const double area = (inside + outside) / 2;
    const bool compatible =
        std::abs(area - estimate) <= z * std::sqrt(hanley_mcneil_variance(area, positives, negatives));
    (compatible ? inside : outside) = area;
  }
  return inside;
}

}  // namespace

std::vector<double> second_class_scores(ConstMatrixView<double> probabilities, ConstMatrixView<double> decisions) {
  const ConstMatrixView<double>& scores = probabilities.columns() > 0 ? probabilities : decisions;
  std::vector<double> second;
  for (Index i = 0; i < scores.rows() && scores.columns() > 0; ++i) {
    second.push_back(scores(i, scores.columns() - 1));
  }
  return second;
}

Metric area_under_curve(std::span<const char> positive, std::span<const double> scores) {
  require_same_length(positive.size(), scores.size());
  if (std::any_of(scores.begin(), scores.end(), [](double s) { return std::isnan(s); })) {
    return {"auc", unknown, unknown, unknown, 0.5, Better::higher};
  }
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  double positives = 0;
  double negatives = 0;
  double below = 0;  // Σ over positives of the negatives that score lower, ties half
  for (std::size_t begin = 0; begin < order.size();) {
    double tied_positives = 0;
    double tied_negatives = 0;
    std::size_t end = begin;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end) {
      (positive[order[end]] != 0 ? tied_positives : tied_negatives) += 1;
    }
    below += tied_positives * (negatives + tied_negatives / 2);
    positives += tied_positives;
    negatives += tied_negatives;
    begin = end;
  }
  if (positives == 0 || negatives == 0) {
    return {"auc", unknown, unknown, unknown, 0.5, Better::higher};
  }
  const double area = below / (positives * negatives);
  return {"auc", area,          area_limit(area, 0, positives, negatives), area_limit(area, 1, positives, negatives),
          0.5,   Better::higher};
}

namespace {

std::vector<double> class_frequencies(std::span<const std::int32_t> truth, Index classes) {
  std::vector<double> frequencies(classes);
  for (const std::int32_t code : truth) {
    if (code >= classes) {
      throw InvalidArgument("class " + std::to_string(code) + ": there are probabilities for " +
                            std::to_string(classes) + " classes");
    }
    if (code >= 0) {
      frequencies[code] += 1.0 / static_cast<double>(truth.size());
    }
  }
  return frequencies;
}

}  // namespace

Metric log_loss(std::span<const std::int32_t> truth, ConstMatrixView<double> probabilities) {
  require_same_length(truth.size(), static_cast<std::size_t>(probabilities.rows()));
  constexpr double smallest = 1e-15;
  // The best constant shares what it has among the classes that it can name; on others it is as wrong as any.
  const std::vector<double> frequencies = class_frequencies(truth, probabilities.columns());
  const double named = std::accumulate(frequencies.begin(), frequencies.end(), 0.0);
  const auto strangers = static_cast<double>(std::ranges::count_if(truth, [](std::int32_t code) { return code < 0; }));
  double baseline = strangers > 0 ? -strangers / static_cast<double>(truth.size()) * std::log(smallest) : 0.0;
  for (const double frequency : frequencies) {
    baseline -= frequency > 0 ? frequency * std::log(frequency / named) : 0;
  }
  std::vector<double> losses;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double p = truth[i] < 0 ? 0 : probabilities(static_cast<Index>(i), truth[i]);
    losses.push_back(-std::log(p < smallest ? smallest : p));
  }
  return from_mean("log-loss", losses, baseline);
}

Metric brier_score(std::span<const std::int32_t> truth, ConstMatrixView<double> probabilities) {
  require_same_length(truth.size(), static_cast<std::size_t>(probabilities.rows()));
  const double factor = probabilities.columns() == 2 ? 0.5 : 1;
  // Of the constants q with sum 1 the best is q_c = f_c + (1 - sum f) / classes, where f are the frequencies of classes
  // that can be named: its loss is sum q² - 2 sum q f + sum f.
  const std::vector<double> frequencies = class_frequencies(truth, probabilities.columns());
  const double named = std::accumulate(frequencies.begin(), frequencies.end(), 0.0);
  double baseline = 0;
  for (const double frequency : frequencies) {
    const double constant = frequency + (1 - named) / static_cast<double>(frequencies.size());
    baseline += factor * (constant * constant - 2 * constant * frequency + frequency);
  }
  std::vector<double> losses;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    double loss = 0;
    for (Index c = 0; c < probabilities.columns(); ++c) {
      const double miss = probabilities(static_cast<Index>(i), c) - (truth[i] == c ? 1 : 0);
      loss += factor * miss * miss;
    }
    losses.push_back(loss);
  }
  return from_mean("brier", losses, baseline);
}

}  // namespace mercer
