// Kernel projection pursuit (features/projection_pursuit.h) as a model: functions of norm 1 in feature space whose values
// on the sample are most interesting, in kernel PCA coordinates.
#pragma once

#include <array>
#include <memory>

#include "mercer/base/words.h"
#include "mercer/features/projection_contrast.h"
#include "mercer/models/features/feature_model.h"
#include "mercer/models/model.h"

namespace mercer {

/// Whether kernel PCA coordinates are scaled to variance 1 first; automatic: where the contrast compares shapes.
enum class PursuitWhitening { automatic, yes, no };
constexpr auto words_of(PursuitWhitening) {
  return std::array{Word{PursuitWhitening::automatic, "automatic"}, Word{PursuitWhitening::yes, "yes"},
                    Word{PursuitWhitening::no, "no"}};
}

struct PursuitOptions {
  Index components = 5;
  Contrast contrast = Contrast::fourth;
  PursuitWhitening whiten = PursuitWhitening::automatic;
  Index coordinates = 0;
  Index restarts = 10;
  Index max_iterations = 1000;
  double tolerance = 1e-7;
  Index density_rows = 500;
  Index rank = 0;

  void validate() const;
};

std::span<const Option<PursuitOptions>> pursuit_option_table();

/// n·rank kernel values, O(n·rank²) for the coordinates, O(n·coordinates·restarts) per step. Targets are not used.
/// InvalidArgument for a kernel that is not positive definite, DataError where samples do not vary.
std::unique_ptr<FeatureModel> fit_pursuit(const Kernel& kernel, const PursuitOptions& options, const TrainingData& data,
                                          const Run& run = {});

const ModelEntry& pursuit_entry();

}  // namespace mercer
