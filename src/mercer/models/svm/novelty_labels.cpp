#include "mercer/models/svm/novelty_labels.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

constexpr std::int32_t no_class = -1;

// The number of the class; no_class where no label is given.
std::int32_t class_of_label(const std::string& model, const char* option, const std::string& label,
                            std::span<const std::string> levels) {
  if (label.empty()) {
    return no_class;
  }
  const auto found = std::ranges::find(levels, label);
  if (found == levels.end()) {
    throw InvalidArgument(model + ": " + option + " = " + label + " is no label of the rows that count." +
                          did_you_mean(label, levels) + " They are " + join(levels, ", "));
  }
  return static_cast<std::int32_t>(found - levels.begin());
}

void require_labels(const std::string& model, const NoveltyLabels& labels, const TrainingData& data) {
  const bool outliers = !labels.outlier.empty();
  if (data.targets.outputs() == 0) {
    throw InvalidArgument(model + ": " + (outliers ? "outlier = " + labels.outlier : "origin = " + labels.origin) +
                          " names a label, and the rows have none: say which column holds them (--target, y)");
  }
  if (outliers && labels.outlier == labels.origin) {
    throw InvalidArgument(model + ": outlier and origin are both " + labels.outlier +
                          ": a row is an outlier, or one of those whose mean is the origin");
  }
}

}  // namespace

NoveltyRows novelty_rows(const char* model, const NoveltyLabels& labels, const TrainingData& data) {
  if (!labels.are_given()) {
    return {.rows = weighted_rows(data, model)};
  }
  require_labels(model, labels, data);
  const LabeledRows labeled = read_labels(model, data, LabelReading::classes, {}, OneClass::allow);
  const std::int32_t outlier = class_of_label(model, "outlier", labels.outlier, labeled.levels);
  const std::int32_t origin = class_of_label(model, "origin", labels.origin, labeled.levels);
  NoveltyRows result;
  for (std::size_t i = 0; i < labeled.rows.size(); ++i) {
    if (labeled.classes[i] == origin) {
      result.origin.push_back(labeled.rows[i]);
      result.shares.push_back(labeled.weights[i]);
    } else {
      result.rows.push_back(labeled.rows[i]);
      result.signs.push_back(labeled.classes[i] == outlier ? -1.0 : 1.0);
    }
  }
  if (std::ranges::find(result.signs, 1.0) == result.signs.end()) {
    throw DataError(std::string(model) + ": all rows that count are " +
                    (result.rows.empty() ? "those of the origin" : "outliers") + "; one row of the class is needed");
  }
  if (outlier == no_class) {
    result.signs.clear();
  }
  const double total = std::accumulate(result.shares.begin(), result.shares.end(), 0.0);
  for (double& share : result.shares) {
    share /= total;
  }
  return result;
}

}  // namespace mercer
