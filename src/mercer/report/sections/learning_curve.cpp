#include "mercer/report/sections/learning_curve.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/data/split.h"
#include "mercer/report/refit.h"
#include "mercer/report/sections/baselines.h"
#include "mercer/select/sample_mean.h"

namespace mercer {

namespace {

constexpr std::array fractions = {0.1, 0.2, 0.35, 0.5, 0.75, 1.0};
constexpr Index automatic_rows = 2000;
constexpr double automatic_seconds = 30;
constexpr Index curve_folds = 3;
constexpr std::uint64_t order_stream = 0x6c6561726e;

// Rows in random order, and rows to validate on.
struct Part {
  TrainingData pool;
  Samples samples;
  Targets targets;
};

TrainingData shuffled(const TrainingData& data, const std::vector<Index>& rows, std::uint64_t seed) {
  RandomStream random(seed, order_stream);
  std::vector<Index> order = rows;
  shuffle(random, order);
  return select_training(data, order);
}

std::vector<Part> curve_parts_of(const ReportInput& input, const Run& run) {
  std::vector<Part> parts;
  if (input.training && input.part == DataPart::test) {
    std::vector<Index> all(input.training->samples.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = static_cast<Index>(i);
    }
    parts.push_back({shuffled(*input.training, all, run.seed()), input.samples, *input.targets});
    return parts;
  }
  const TrainingData own = input.training ? *input.training : TrainingData{input.samples, *input.targets};
  const bool classes = input.model().task() == Task::classification;
  const Folds cut = classes ? stratified_k_fold(own.targets.labels(0).codes, curve_folds, run.seed())
                            : k_fold(own.samples.size(), curve_folds, run.seed());
  for (Index f = 0; f < curve_folds; ++f) {
    const Split split = cut.split(f);
    parts.push_back(
        {shuffled(own, split.train, run.seed()), own.samples.select(split.test), own.targets.select(split.test)});
  }
  return parts;
}

// The metric of a refitted model, whose classes may be fewer than the reported model's.
double metric_on(const FittedModel& model, const Samples& samples, const Targets& targets, const Run& run) {
  Predictions predictions;
  predictions.values = model.predict(samples, run);
  if (model.task() == Task::classification) {
    predictions.classes = targets.labels(0, model.classes()).codes;
  } else {
    predictions.truth = targets.values();
  }
  return main_metric(model.task(), predictions, 0);
}

struct Step {
  Index rows = 0;
  std::vector<double> train;
  std::vector<double> validation;
};

Step step_at(const ReportInput& input, const std::vector<Part>& parts, double fraction, const Run& run) {
  Step step;
  for (const Part& part : parts) {
    const auto size = static_cast<Index>(std::round(fraction * static_cast<double>(part.pool.samples.size())));
    std::vector<Index> rows(size);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = static_cast<Index>(i);
    }
    const TrainingData data = select_training(part.pool, rows);
    const auto model = refit(input.model(), data, run);
    step.rows = std::max(step.rows, size);
    step.train.push_back(metric_on(*model, data.samples, data.targets, run));
    step.validation.push_back(metric_on(*model, part.samples, part.targets, run));
  }
  return step;
}

}  // namespace

std::optional<LearningSection> learning_section(const ReportInput& input, const Run& run) {
  const Index rows = input.training ? input.training->samples.size() : input.rows();
  const bool automatic = input.learning == LearningCurve::automatic;
  if (input.model().task() == Task::novelty || input.learning == LearningCurve::left_out || rows < 2 * curve_folds ||
      input.rows() == 0 || (automatic && rows > automatic_rows)) {
    return std::nullopt;
  }
  const std::vector<Part> parts = curve_parts_of(input, run);
  const auto start = std::chrono::steady_clock::now();
  LearningSection section{.metric = main_metric_name(input.model().task()),
                          .rows = {},
                          .train = {},
                          .validation = {},
                          .validation_error = {}};
  for (const double fraction : fractions) {
    run.check_stop();
    try {
      const Step step = step_at(input, parts, fraction, run.quiet());
      if (!section.rows.empty() && step.rows == section.rows.back()) {
        continue;
      }
      section.rows.push_back(step.rows);
      section.train.push_back(mean_of(step.train).value);
      const Mean validation = mean_of(step.validation);
      section.validation.push_back(validation.value);
      if (parts.size() > 1) {
        section.validation_error.push_back(validation.standard_error);
      }
    } catch (const Stopped&) {
      throw;
    } catch (const Error&) {
      continue;  // too few rows for a fit (one class only, say): the curve begins later
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (automatic && seconds > automatic_seconds) {
      break;
    }
  }
  return section.rows.size() < 2 ? std::nullopt : std::optional(std::move(section));
}

}  // namespace mercer
