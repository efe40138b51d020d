#include "mercer/models/svm/machine_classes.h"

#include <cmath>
#include <vector>

#include "mercer/models/classes/decision_class.h"

namespace mercer {

namespace {

constexpr Index undecided = -1;

// The answer where its score leads every other by the margin, none elsewhere. The answer of a graph need not have the
// most votes, so that its lead may be negative.
Index if_leading(Index answer, std::span<const double> scores, double margin) {
  for (std::size_t c = 0; margin > 0 && c < scores.size(); ++c) {
    if (static_cast<Index>(c) != answer && scores[answer] - scores[c] < margin) {
      return undecided;
    }
  }
  return answer;
}

}  // namespace

Matrix<double> classes_of_machines(const ClassCode& code, const ClassifierOptions& options,
                                   ConstMatrixView<double> values) {
  Matrix<double> predicted(values.rows(), 1);
  std::vector<double> scores(code.classes());
  for (Index i = 0; i < values.rows(); ++i) {
    const std::span<const double> row = values.row(i);
    Index answer = undecided;
    if (code.classes() == 2 && code.machines() == 1) {
      // A code that was given may have its positive side on the first class.
      const double value = code(0, 1) * row[0] - options.threshold;
      answer = std::abs(value) < options.reject ? undecided : class_of_value(value);
    } else {
      answer = code.decode(row);
      if (options.reject > 0) {
        code.scores(row, scores);
        answer = if_leading(answer, scores, options.reject);
      }
    }
    predicted(i, 0) = static_cast<double>(answer);
  }
  return predicted;
}

Matrix<double> most_probable_classes(const ClassifierOptions& options, ConstMatrixView<double> probabilities) {
  Matrix<double> predicted(probabilities.rows(), 1);
  for (Index i = 0; i < probabilities.rows(); ++i) {
    const std::span<const double> row = probabilities.row(i);
    predicted(i, 0) = static_cast<double>(if_leading(class_of_values(row), row, options.reject));
  }
  return predicted;
}

}  // namespace mercer
