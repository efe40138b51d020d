#include "mercer/report/sections/gram_picture.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/linalg/symmetric_eigen.h"
#include "mercer/report/sections/gram_sample.h"
#include "mercer/report/thinning.h"
#include "mercer/select/sample_mean.h"

namespace mercer {

namespace {

struct Ordering {
  std::vector<Index> rows;
  std::string order;
  std::vector<GramGroup> groups;
};

Ordering by_class(const ReportInput& input, const Targets& targets, std::vector<Index> rows) {
  const std::vector<std::string> names = input.model().classes();
  const ClassLabels labels = names.empty() ? targets.labels(0) : targets.labels(0, names);
  const auto code = [&](Index i) { return labels.codes[i]; };
  std::stable_sort(rows.begin(), rows.end(), [&](Index a, Index b) { return code(a) < code(b); });
  Ordering result{std::move(rows), "sorted by class", {}};
  for (std::size_t k = 0; k < result.rows.size(); ++k) {
    const std::int32_t own = code(result.rows[k]);
    if (k == 0 || own != code(result.rows[k - 1])) {
      const std::string name = own < 0 ? "(others)" : labels.levels[own];
      result.groups.push_back({name, static_cast<Index>(k), 0});
    }
    result.groups.back().end = static_cast<Index>(k) + 1;
  }
  return result;
}

Ordering by_target(const Targets& targets, std::vector<Index> rows) {
  const Matrix<double> values = targets.values();
  std::stable_sort(rows.begin(), rows.end(), [&](Index a, Index b) { return values(a, 0) < values(b, 0); });
  return {std::move(rows), "sorted by target, the smallest first", {}};
}

Ordering ordering(const ReportInput& input, const Targets* targets, std::vector<Index> rows) {
  const bool usable = targets != nullptr && targets->outputs() > 0;
  if (usable && input.model().task() == Task::classification) {
    return by_class(input, *targets, std::move(rows));
  }
  if (usable && input.model().task() == Task::regression) {
    return by_target(*targets, std::move(rows));
  }
  if (usable && targets->labels(0).levels.size() <= 20) {
    return by_class(input, *targets, std::move(rows));
  }
  return {std::move(rows), "in the order of the data", {}};
}

double normalized_off_diagonal(const Matrix<double>& gram) {
  double sum = 0;
  double count = 0;
  for (Index i = 0; i < gram.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      const double scale = std::sqrt(gram(i, i) * gram(j, j));
      if (scale > 0) {
        sum += std::abs(gram(i, j)) / scale;
        count += 1;
      }
    }
  }
  return count > 0 ? sum / count : unknown_value;
}

}  // namespace

double effective_rank(std::span<const double> eigenvalues) {
  double total = 0;
  for (const double value : eigenvalues) {
    total += std::max(value, 0.0);
  }
  if (!(total > 0)) {
    return unknown_value;
  }
  double entropy = 0;
  for (const double value : eigenvalues) {
    if (value > 0) {
      entropy -= value / total * std::log(value / total);
    }
  }
  return std::exp(entropy);
}

double condition_number(std::span<const double> eigenvalues) {
  if (eigenvalues.empty()) {
    return unknown_value;
  }
  const auto [least, largest] = std::ranges::minmax(eigenvalues);
  const double rounding =
      static_cast<double>(eigenvalues.size()) * std::numeric_limits<double>::epsilon() * std::abs(largest);
  return least > rounding ? largest / least : unknown_value;
}

std::optional<GramSection> gram_section(const ReportInput& input, const Run& run) {
  const TrainingData* const training = input.training_rows();
  const Samples& samples = training != nullptr ? training->samples : input.samples;
  const Targets* const targets = training != nullptr ? &training->targets : input.targets ? &*input.targets : nullptr;
  if (samples.size() < 2 || !input.model().has_kernel()) {
    return std::nullopt;
  }
  const Kernel& kernel = input.model().kernel();
  const Ordering order = ordering(input, targets, shown_rows(samples.size(), gram_picture_rows, run.seed()));
  GramSection section;
  section.values = gram_of(kernel, samples.select(order.rows), run);
  section.order = order.order;
  section.groups = order.groups;
  section.thinned = thinned_note(static_cast<Index>(order.rows.size()), samples.size());
  section.mean_off_diagonal = normalized_off_diagonal(section.values);
  const std::vector<Index> rows = shown_rows(samples.size(), gram_spectrum_rows, run.seed());
  section.spectrum = symmetric_eigenvalues(gram_of(kernel, samples.select(rows), run).view(), run);
  std::reverse(section.spectrum.begin(), section.spectrum.end());
  section.condition = condition_number(section.spectrum);
  section.effective_rank = effective_rank(section.spectrum);
  return section;
}

}  // namespace mercer
