#include "mercer/report/sections/support_vectors.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/models/model_state.h"
#include "mercer/models/svm/support_machine.h"
#include "mercer/report/numeric_columns.h"

namespace mercer {

namespace {

SupportVectors parts_of(const Expansion& expansion, const std::vector<Index>& rows) {
  SupportVectors result;
  result.centres = expansion.centres();
  result.rows = rows;
  result.coefficients = Matrix<double>::copy_of(expansion.coefficients());
  result.states.assign(rows.size(), SupportState::free);
  return result;
}

void mark_bound_of_classes(const FittedModel& model, const ClassMachines& machines, const Run& run,
                           SupportVectors& result) {
  result.classes = machines.support_classes();
  const Matrix<double> values = model.decide(result.centres, run);
  for (Index m = 0; m < values.columns(); ++m) {
    std::vector<Index> own;
    for (Index i = 0; i < values.rows(); ++i) {
      if (result.coefficients(i, m) != 0) {
        own.push_back(i);
      }
    }
    const auto depth = [&](Index i) { return std::copysign(1.0, result.coefficients(i, m)) * values(i, m); };
    std::stable_sort(own.begin(), own.end(), [&](Index a, Index b) { return depth(a) < depth(b); });
    const double bounded = machines.machine_facts()[static_cast<std::size_t>(m)].bounded;
    for (std::size_t k = 0; k < own.size() && static_cast<double>(k) < bounded; ++k) {
      result.states[static_cast<std::size_t>(own[k])] = SupportState::bound;
    }
  }
}

void mark_outside_of_tube(const FittedModel& model, const Tube& tube, const Targets& targets, const Run& run,
                          SupportVectors& result) {
  const Matrix<double> truth = targets.values();
  const Matrix<double> values = model.predict(result.centres, run);
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    for (Index o = 0; o < values.columns(); ++o) {
      const double width = tube.tube_widths()[static_cast<std::size_t>(o)];
      const double error = std::abs(truth(result.rows[i], o) - values(static_cast<Index>(i), o));
      const double largest = std::abs(truth(result.rows[i], o)) + width;
      if (error > width + 1e-3 * largest) {
        result.states[i] = SupportState::bound;
      }
    }
  }
}

void mark_outside_of_boundary(const FittedModel& model, const Run& run, SupportVectors& result) {
  const Matrix<double> values = model.decide(result.centres, run);
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    result.states[i] = values(static_cast<Index>(i), 0) < 0 ? SupportState::bound : SupportState::free;
  }
}

// Smoothers and densities keep their rows as numbers, some with the columns divided.
std::optional<ModelCentres> stored_points(const ModelState& state) {
  const auto points = state.arrays.find("points");
  if (points == state.arrays.end()) {
    return std::nullopt;
  }
  Matrix<double> values = Matrix<double>::copy_of(points->second.view());
  if (const auto divisors = state.arrays.find("divisors"); divisors != state.arrays.end()) {
    for (Index i = 0; i < values.rows(); ++i) {
      for (Index j = 0; j < values.columns(); ++j) {
        values(i, j) *= divisors->second(j, 0);
      }
    }
  }
  ModelCentres result{{}, std::vector<Index>(static_cast<std::size_t>(values.rows())), false};
  std::iota(result.rows.begin(), result.rows.end(), Index{0});
  result.samples = make_dense(std::move(values));
  return result;
}

}  // namespace

std::optional<SupportVectors> support_vectors(const FittedModel& model, const Targets* training_targets,
                                              const Run& run) {
  const auto* const machine = offered<SupportMachine>(model);
  if (machine == nullptr) {
    return std::nullopt;
  }
  SupportVectors result = parts_of(machine->expansion(), machine->support_rows());
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

std::optional<ModelCentres> model_centres(const FittedModel& model) {
  const ModelState state = model.state();
  const auto centres = state.samples.find("centres");
  if (centres == state.samples.end()) {
    return stored_points(state);
  }
  ModelCentres result{centres->second, std::vector<Index>(static_cast<std::size_t>(centres->second.size())), false};
  std::iota(result.rows.begin(), result.rows.end(), Index{0});
  if (const auto rows = state.arrays.find("support_rows"); rows != state.arrays.end()) {
    result.named = true;
    for (std::size_t i = 0; i < result.rows.size(); ++i) {
      result.rows[i] = static_cast<Index>(rows->second(static_cast<Index>(i), 0));
    }
  }
  return result;
}

RowMatch match_training_rows(const FittedModel& model, const Samples& samples) {
  const std::optional<ModelCentres> centres = model_centres(model);
  if (!centres || centres->rows.empty()) {
    return RowMatch::unknown;
  }
  // Only support vectors say which rows they are; other centres may be weight vectors or inducing points.
  const RowMatch otherwise = centres->named ? RowMatch::different : RowMatch::unknown;
  if (*std::ranges::max_element(centres->rows) >= samples.size()) {
    return otherwise;
  }
  if (!model.has_kernel() && centres->samples.size() != samples.size()) {
    return RowMatch::unknown;
  }
  const Samples own = numeric_part(centres->samples);
  const Samples other = numeric_part(samples);
  if (own.columns() != other.columns()) {
    return otherwise;
  }
  for (std::size_t i = 0; i < centres->rows.size(); ++i) {
    for (Index j = 0; j < own.columns(); ++j) {
      if (static_cast<float>(numeric_value(own, static_cast<Index>(i), j)) !=
          static_cast<float>(numeric_value(other, centres->rows[i], j))) {
        return otherwise;
      }
    }
  }
  return own.columns() == 0 ? RowMatch::unknown : RowMatch::equal;
}

}  // namespace mercer
