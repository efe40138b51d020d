#include "mercer/report/sections/classification_curves.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/select/sample_mean.h"

namespace mercer {

namespace {

constexpr std::size_t most_points = 200;

// Counts at every threshold, from the highest score down; the first entry is (0, 0).
struct Thresholds {
  std::vector<double> positives = {0};
  std::vector<double> negatives = {0};
};

Thresholds thresholds(std::span<const char> positive, std::span<const double> scores) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!std::isnan(scores[i])) {
      order.push_back(i);
    }
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  Thresholds result;
  double up = 0;
  double down = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    (positive[order[k]] != 0 ? up : down) += 1;
    if (k + 1 == order.size() || scores[order[k + 1]] != scores[order[k]]) {
      result.positives.push_back(up);
      result.negatives.push_back(down);
    }
  }
  return result;
}

// Points of a curve in the unit square: those that bend it, and of these every one that lies a step of `1/most_points`
// of the curve's length after the last one kept.
void thin(std::vector<double>& x, std::vector<double>& y) {
  if (x.size() <= most_points) {
    return;
  }
  double length = 0;
  for (std::size_t k = 1; k < x.size(); ++k) {
    length += std::hypot(x[k] - x[k - 1], y[k] - y[k - 1]);
  }
  const double step = length / static_cast<double>(most_points - 2);
  std::vector<double> kept_x = {x.front()};
  std::vector<double> kept_y = {y.front()};
  double since = 0;
  for (std::size_t k = 1; k < x.size(); ++k) {
    since += std::hypot(x[k] - x[k - 1], y[k] - y[k - 1]);
    if (since >= step || k + 1 == x.size()) {
      kept_x.push_back(x[k]);
      kept_y.push_back(y[k]);
      since = 0;
    }
  }
  x = std::move(kept_x);
  y = std::move(kept_y);
}

}  // namespace

RocCurve roc_curve(std::span<const char> positive, std::span<const double> scores) {
  const Thresholds at = thresholds(positive, scores);
  const double ups = at.positives.back();
  const double downs = at.negatives.back();
  RocCurve curve;
  if (ups == 0 || downs == 0) {
    curve.area = unknown_value;
    return curve;
  }
  for (std::size_t k = 0; k < at.positives.size(); ++k) {
    curve.true_positive_rate.push_back(at.positives[k] / ups);
    curve.false_positive_rate.push_back(at.negatives[k] / downs);
    if (k > 0) {
      curve.area += (at.negatives[k] - at.negatives[k - 1]) * (at.positives[k] + at.positives[k - 1]) / 2;
    }
  }
  curve.area /= ups * downs;
  thin(curve.false_positive_rate, curve.true_positive_rate);
  return curve;
}

PrecisionRecallCurve precision_recall_curve(std::span<const char> positive, std::span<const double> scores) {
  const Thresholds at = thresholds(positive, scores);
  const double ups = at.positives.back();
  PrecisionRecallCurve curve;
  if (ups == 0 || at.negatives.back() == 0) {
    curve.average = unknown_value;
    return curve;
  }
  for (std::size_t k = 1; k < at.positives.size(); ++k) {
    const double precision = at.positives[k] / (at.positives[k] + at.negatives[k]);
    curve.recall.push_back(at.positives[k] / ups);
    curve.precision.push_back(precision);
    curve.average += (at.positives[k] - at.positives[k - 1]) / ups * precision;
  }
  thin(curve.recall, curve.precision);
  return curve;
}

std::vector<ClassCurves> class_curves(const std::vector<std::string>& classes, const std::vector<std::int32_t>& truth,
                                      const Matrix<double>& scores, Index most) {
  std::vector<Index> counts(classes.size());
  for (const std::int32_t code : truth) {
    if (code >= 0) {
      ++counts[code];
    }
  }
  std::vector<Index> shown(classes.size());
  std::iota(shown.begin(), shown.end(), Index{0});
  if (classes.size() == 2) {
    shown = {1};
  } else if (static_cast<Index>(shown.size()) > most) {
    std::stable_sort(shown.begin(), shown.end(), [&](Index a, Index b) { return counts[a] > counts[b]; });
    shown.resize(most);
    std::sort(shown.begin(), shown.end());
  }
  std::vector<ClassCurves> curves;
  std::vector<char> positive(truth.size());
  std::vector<double> values(truth.size());
  for (const Index c : shown) {
    for (std::size_t i = 0; i < truth.size(); ++i) {
      positive[i] = truth[i] == c ? 1 : 0;
      values[i] = scores(static_cast<Index>(i), c);
    }
    RocCurve roc = roc_curve(positive, values);
    if (!std::isnan(roc.area)) {
      curves.push_back({classes[c], std::move(roc), precision_recall_curve(positive, values)});
    }
  }
  return curves;
}

}  // namespace mercer
