#include "mercer/report/sections/loss_section.h"

#include <algorithm>
#include <cmath>

#include "mercer/models/fitted_loss.h"

namespace mercer {

namespace {

constexpr int loss_points = 241;

/// A little farther than the residuals of the data go.
double reach_of(const RegressionSection* regression) {
  double largest = 0;
  if (regression != nullptr && !regression->outputs.empty()) {
    const OutputResiduals& output = regression->outputs.front();
    for (std::size_t i = 0; i < output.truth.size(); ++i) {
      const double residual = std::abs(output.predicted[i] - output.truth[i]);
      largest = std::isfinite(residual) ? std::max(largest, residual) : largest;
    }
  }
  return largest > 0 ? 1.1 * largest : 3.0;
}

}  // namespace

std::optional<LossSection> loss_section(const FittedModel& model, const RegressionSection* regression) {
  const auto* const fitted = offered<FittedLoss>(model);
  if (fitted == nullptr) {
    return std::nullopt;
  }
  const LossEntry& entry = loss_entry(fitted->loss_kind());
  const LossPointer loss = fitted->loss(0);
  LossSection section{.name = std::string(word_of(entry.kind)),
                      .argument = entry.argument == LossArgument::residual ? "residual" : "margin",
                      .output = model.output_names().empty() ? "" : model.output_names().front(),
                      .formula = entry.formula,
                      .influence_formula = entry.influence,
                      .density_formula = entry.density,
                      .note = entry.note};
  const double reach = entry.argument == LossArgument::residual ? reach_of(regression) : 3.0;
  for (int i = 0; i < loss_points; ++i) {
    const double x = reach * (2.0 * i / (loss_points - 1) - 1);
    section.x.push_back(x);
    section.loss.push_back(loss->value(x));
    section.influence.push_back(loss->influence(x));
    if (const std::optional<double> density = loss->density(x)) {
      section.density.push_back(*density);
    }
  }
  return section;
}

}  // namespace mercer
