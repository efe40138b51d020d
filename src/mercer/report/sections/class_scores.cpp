#include "mercer/report/sections/class_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/models/classes/coded_classes.h"
#include "mercer/models/classes/decision_class.h"
#include "mercer/select/sample_mean.h"

namespace mercer {

namespace {

const ClassCode* code_of(const FittedModel& model) {
  const auto* const coded = offered<CodedClasses>(model);
  return coded == nullptr ? nullptr : &coded->code();
}

Matrix<double> decoded(const ClassCode& code, const Matrix<double>& decisions) {
  Matrix<double> scores(decisions.rows(), code.classes());
  for (Index i = 0; i < decisions.rows(); ++i) {
    code.scores(decisions.view().row(i), scores.view().row(i));
    for (Index c = 0; c < code.classes() && code.decoding() != Decoding::largest; ++c) {
      double sum = 0;
      for (Index m = 0; m < code.machines(); ++m) {
        sum += code(m, c) * decisions(i, m);
      }
      scores(i, c) += sum / (3 * (std::abs(sum) + 1));
    }
  }
  return scores;
}

// Of the machines that know the true class: the one against the predicted class, or the closest.
double duel(const ClassCode& code, std::span<const double> values, Index own, Index predicted) {
  double closest = std::numeric_limits<double>::infinity();
  for (Index m = 0; m < code.machines(); ++m) {
    const double value = code(m, own) * values[m];
    if (code(m, own) == 0) {
      continue;
    }
    if (predicted >= 0 && predicted != own && code(m, predicted) != 0) {
      return value;
    }
    closest = std::min(closest, value);
  }
  return closest;
}

double largest_other(std::span<const double> scores, Index own) {
  double other = -std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < scores.size(); ++c) {
    other = static_cast<Index>(c) == own ? other : std::max(other, scores[c]);
  }
  return other;
}

}  // namespace

Matrix<double> scores_by_class(const FittedModel& model, const Predictions& predictions) {
  const auto classes = static_cast<Index>(model.classes().size());
  const Matrix<double>& decisions = predictions.decisions;
  const ClassCode* const code = code_of(model);
  if (decisions.columns() == 1 && classes == 2) {
    const double sign = code != nullptr ? (*code)(0, 1) : 1.0;
    Matrix<double> scores(decisions.rows(), 2);
    for (Index i = 0; i < decisions.rows(); ++i) {
      scores(i, 0) = -sign * decisions(i, 0);
      scores(i, 1) = sign * decisions(i, 0);
    }
    return scores;
  }
  if (code != nullptr && decisions.columns() == code->machines()) {
    return decoded(*code, decisions);
  }
  const bool direct = decisions.columns() == classes;
  return Matrix<double>::copy_of(direct ? decisions.view() : predictions.probabilities.view());
}

std::vector<Index> classes_by_decision(const FittedModel& model, const Matrix<double>& decisions) {
  const ClassCode* const code = code_of(model);
  std::vector<Index> classes;
  for (Index i = 0; i < decisions.rows(); ++i) {
    const std::span<const double> row = decisions.view().row(i);
    classes.push_back(code != nullptr ? code->decode(row) : class_of_values(row));
  }
  return classes;
}

std::vector<double> class_margins(const FittedModel& model, const Predictions& predictions,
                                  const Matrix<double>& scores) {
  const ClassCode* const code = code_of(model);
  const bool pairs = code != nullptr && scores.columns() > 2 &&
                     (code->decoding() == Decoding::votes || code->decoding() == Decoding::graph);
  std::vector<double> margins;
  for (Index i = 0; i < scores.rows(); ++i) {
    const std::int32_t own = predictions.classes[i];
    if (own < 0) {
      margins.push_back(unknown_value);
    } else if (scores.columns() == 2) {
      margins.push_back((scores(i, own) - scores(i, 1 - own)) / 2);
    } else if (pairs) {
      margins.push_back(
          duel(*code, predictions.decisions.view().row(i), own, static_cast<Index>(predictions.values(i, 0))));
    } else {
      margins.push_back(scores(i, own) - largest_other(scores.view().row(i), own));
    }
  }
  return margins;
}

}  // namespace mercer
