#include "mercer/report/sections/support_vectors.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/models/gp/function_covariance.h"
#include "mercer/models/prior.h"
#include "mercer/models/smoothing/training_points.h"
#include "mercer/models/support_rows.h"
#include "mercer/models/svm/support_machine.h"
#include "mercer/report/numeric_columns.h"

namespace mercer {

namespace {

SupportVectors free_vectors(const Expansion& expansion, const std::vector<Index>& rows) {
  SupportVectors result;
  result.centers = expansion.centers();
  result.rows = rows;
  result.coefficients = Matrix<double>::copy_of(expansion.coefficients());
  result.states.assign(rows.size(), SupportState::free);
  return result;
}

void mark_bound_of_classes(const FittedModel& model, const ClassMachines& machines, const Run& run,
                           SupportVectors& result) {
  result.classes = machines.support_classes();
  const Matrix<double> values = model.decide(result.centers, run);
  for (Index m = 0; m < values.columns(); ++m) {
    std::vector<Index> own;
    for (Index i = 0; i < values.rows(); ++i) {
      if (result.coefficients(i, m) != 0) {
        own.push_back(i);
      }
    }
    const auto depth = [&](Index i) { return std::copysign(1.0, result.coefficients(i, m)) * values(i, m); };
    std::stable_sort(own.begin(), own.end(), [&](Index a, Index b) { return depth(a) < depth(b); });
    const double bounded = machines.machine_facts()[m].bounded;
    for (std::size_t k = 0; k < own.size() && static_cast<double>(k) < bounded; ++k) {
      result.states[own[k]] = SupportState::bound;
    }
  }
}

void mark_outside_of_tube(const FittedModel& model, const Tube& tube, const Targets& targets, const Run& run,
                          SupportVectors& result) {
  const Matrix<double> truth = targets.values();
  const Matrix<double> values = model.predict(with_zero_offsets(result.centers, truth.columns()), run);
  const Matrix<double> widths = tube.support_widths();
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    for (Index o = 0; o < values.columns(); ++o) {
      const double width = widths(static_cast<Index>(i), o);
      const double error = std::abs(truth(result.rows[i], o) - values(static_cast<Index>(i), o));
      const double largest = std::abs(truth(result.rows[i], o)) + width;
      if (error > width + 1e-3 * largest) {
        result.states[i] = SupportState::bound;
      }
    }
  }
}

void mark_outside_of_boundary(const FittedModel& model, const Run& run, SupportVectors& result) {
  const Matrix<double> values = model.decide(result.centers, run);
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const auto k = static_cast<Index>(i);
    result.states[i] = values(k, machine_of(result, k)) < 0 ? SupportState::bound : SupportState::free;
  }
}

ModelCenters first_rows(Samples samples) {
  std::vector<Index> rows(samples.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  return {std::move(samples), std::move(rows), false};
}

}  // namespace

Index machine_of(const SupportVectors& support, Index k) {
  Index machine = 0;
  for (Index m = 1; m < support.coefficients.columns(); ++m) {
    machine = std::abs(support.coefficients(k, m)) > std::abs(support.coefficients(k, machine)) ? m : machine;
  }
  return machine;
}

std::optional<SupportVectors> support_vectors(const FittedModel& model, const Targets* training_targets,
                                              const Run& run) {
  const auto* const machine = offered<SupportMachine>(model);
  if (machine == nullptr) {
    return std::nullopt;
  }
  SupportVectors result = free_vectors(machine->expansion(), machine->support_rows());
  if (const auto* classes = offered<ClassMachines>(model)) {
    mark_bound_of_classes(model, *classes, run, result);
  } else if (const auto* tube = offered<Tube>(model)) {
    if (training_targets != nullptr) {
      mark_outside_of_tube(model, *tube, *training_targets, run, result);
    }
  } else {
    mark_outside_of_boundary(model, run, result);
  }
  return result;
}

const Expansion* kernel_functions(const FittedModel& model) {
  if (const auto* const latent = offered<LatentMean>(model)) {
    return &latent->latent_mean();
  }
  const auto* const machine = offered<SupportMachine>(model);
  return machine != nullptr ? &machine->expansion() : model.expansion_form();
}

std::optional<ModelCenters> model_centers(const FittedModel& model) {
  if (const auto* windows = offered<TrainingPoints>(model)) {
    return first_rows(make_dense(windows->training_points()));
  }
  const Expansion* const functions = kernel_functions(model);
  if (functions == nullptr) {
    return std::nullopt;
  }
  if (const auto* support = offered<SupportRows>(model)) {
    return ModelCenters{functions->centers(), support->support_rows(), true};
  }
  return first_rows(functions->centers());
}

RowMatch match_training_rows(const FittedModel& model, const Samples& samples) {
  const std::optional<ModelCenters> centers = model_centers(model);
  if (!centers || centers->rows.empty()) {
    return RowMatch::unknown;
  }
  // Only support vectors say which rows they are; other centres may be weight vectors or inducing points.
  const RowMatch otherwise = centers->named ? RowMatch::different : RowMatch::unknown;
  if (*std::ranges::max_element(centers->rows) >= samples.size()) {
    return otherwise;
  }
  if (!model.has_kernel() && centers->samples.size() != samples.size()) {
    return RowMatch::unknown;
  }
  const Samples own = numeric_part(centers->samples);
  const Samples other = numeric_part(samples);
  if (own.columns() != other.columns()) {
    return otherwise;
  }
  for (std::size_t i = 0; i < centers->rows.size(); ++i) {
    for (Index j = 0; j < own.columns(); ++j) {
      if (static_cast<float>(numeric_value(own, static_cast<Index>(i), j)) !=
          static_cast<float>(numeric_value(other, centers->rows[i], j))) {
        return otherwise;
      }
    }
  }
  return own.columns() == 0 ? RowMatch::unknown : RowMatch::equal;
}

}  // namespace mercer
