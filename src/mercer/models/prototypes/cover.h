// Kernel vector quantization by covering: as few of the samples as can be found, the code vectors, so that every sample lies
// within a radius R of one of them in the kernel's feature space (solvers/clusters/set_cover.h),
//
//   min Σ_j a_j   Σ_j a_j 1[‖Φ(x_i) − Φ(x_j)‖ ≤ R] ≥ 1,  a ≥ 0       code vectors: among the rows with a_j > 0
//
// made into a cover and pruned. A new sample belongs to the nearest code vector. R is given, or found: the least, by
// bisection, with which the greedy cover needs no more than so many code vectors.
// Reference: Schölkopf & Smola (2002), 8.6; Tipping & Schölkopf (2001), A kernel approach for vector quantization with
// guaranteed distortion bounds.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "mercer/base/words.h"
#include "mercer/models/model.h"
#include "mercer/models/prototypes/prototype_model.h"

namespace mercer {

enum class CoverMethod { automatic, program, greedy };
constexpr auto words_of(CoverMethod) {
  return std::array{Word{CoverMethod::automatic, "auto"}, Word{CoverMethod::program, "program"},
                    Word{CoverMethod::greedy, "greedy"}};
}

struct CoverOptions {
  std::optional<double> radius = {};  ///< R; none: found for `clusters`
  Index clusters = 8;                 ///< at most so many code vectors, where no radius is given
  CoverMethod method = CoverMethod::automatic;
  double memory_mb = 0;

  void validate() const;
};

std::span<const Option<CoverOptions>> cover_option_table();

/// Targets are not used; a weight is one of how often a row is there, and changes nothing but the kernel's widths.
std::unique_ptr<PrototypeModel> fit_cover(const Kernel& kernel, const CoverOptions& options, const TrainingData& data,
                                          const Run& run = {});

const ModelEntry& cover_entry();

}  // namespace mercer
