// Metrics: how good predictions are, each with a 95 % interval and the value that a trivial predictor reaches.
//
// Intervals are analytic and for large samples: no resampling, no seed, one pass. z = 1.96, n samples, se = the
// standard error of a mean.
//
//   RMSE               exp(ln RMSE ± z se(e²) / (2 MSE)): the delta method on ln MSE, so that limits stay positive
//   MAE                mean |e| ± z se
//   R²                 1 − Σe²/Σ(y−ȳ)²: the delta method for a ratio of means
//   accuracy           Wilson (1927)
//   balanced accuracy  Wilson's interval of every recall, combined as by Zou and Donner (2008)
//   AUC                score interval with the variance of Hanley and McNeil (1982): Newcombe (2006), method 5
//   log-loss, Brier    mean ± z se
//
// Baselines are the best constants on the very same samples: the mean (RMSE, R²), the median (MAE), the most frequent
// class (accuracy), the class frequencies (log-loss, Brier), a coin (AUC). A model must beat what it could not know.
// With a single sample, and where a spread cannot be computed, limits are NaN.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/data/targets.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// closer: the nearer to the level that it is named after, as coverage.
enum class Better { lower, higher, closer };
constexpr auto words_of(Better) {
  return std::array{Word{Better::lower, "lower"}, Word{Better::higher, "higher"}, Word{Better::closer, "closer"}};
}

/// What code asks for by kind; people go by the name.
enum class MetricKind {
  other,
  accuracy,
  root_mean_squared_error,
  predictive_log_loss,
  mean_log_density,
  share_at_density_zero
};

struct Metric {
  std::string name;  ///< "rmse", "balanced accuracy", …
  double value = 0;
  double lower = 0;  ///< of the 95 % interval; NaN: unknown
  double upper = 0;
  double baseline = 0;  ///< NaN: there is none
  Better better = Better::lower;
  MetricKind kind = MetricKind::other;
};

/// Root mean squared error, in the units of the target. All regression metrics: O(n); InvalidArgument where there are
/// no samples or the lengths differ; a NaN among the predictions gives NaN.
Metric root_mean_squared_error(std::span<const double> truth, std::span<const double> predicted);
Metric mean_absolute_error(std::span<const double> truth, std::span<const double> predicted);
/// NaN where the truth is constant.
Metric r_squared(std::span<const double> truth, std::span<const double> predicted);
/// The three of them.
std::vector<Metric> regression_metrics(std::span<const double> truth, std::span<const double> predicted);

/// Counts of samples by true class (rows) and predicted class (columns), for `classes` classes. A true code of -1 (a
/// label that the model does not know) is counted in the extra last row: there can be no right answer. Without samples
/// all counts are 0, and the fractions below NaN.
Matrix<Index> confusion_matrix(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted,
                               Index classes);
/// The fraction of right answers.
Metric accuracy(const Matrix<Index>& confusion);
/// The mean of the recalls of the classes that occur in the truth. `unknown_classes`: how many different labels stand in
/// the confusion's extra row; the model cannot answer with them, so that their recall is 0.
Metric balanced_accuracy(const Matrix<Index>& confusion, Index unknown_classes = 0);

/// What the AUC of two classes orders samples by: the probability of the second class where there are probabilities, its
/// decision value otherwise. Matrices without columns are what a model does not have; empty where it has neither.
std::vector<double> second_class_scores(ConstMatrixView<double> probabilities, ConstMatrixView<double> decisions);

/// Area under the ROC curve: the probability that a positive sample scores higher than a negative one, ties count
/// half. O(n ln n). NaN unless both kinds occur. `positive[i]` is 0 or 1.
Metric area_under_curve(std::span<const char> positive, std::span<const double> scores);

/// Mean of −ln p(true class), p being cut off at 1e-15; probabilities is n × classes. Unknown labels count as p = 0.
Metric log_loss(std::span<const std::int32_t> truth, ConstMatrixView<double> probabilities);
/// Mean of Σ_c (p_c − [c is the true class])², halved for two classes, so that it is the usual (p − y)² there.
Metric brier_score(std::span<const std::int32_t> truth, ConstMatrixView<double> probabilities);

/// Wilson's 95 % interval of a proportion.
struct ProportionInterval {
  double lower = 0;
  double upper = 0;
};
ProportionInterval wilson_interval(Index successes, Index trials);

}  // namespace mercer
