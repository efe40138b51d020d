// mapridge: ridge regression on explicit features of a kernel, in one pass over the rows,
//
//   min_{W, b}  Σ_i w_i ‖y_i − Wᵀz(x_i) − b‖² + λ‖W‖²
//
// with z from a feature map (map_options.h): kernel ridge regression (K + λ1, the same λ) with z(x)·z(x') in place of k.
// Only the q × q normal equations are kept, summed in double, block by block. Where λ is not given, it is chosen from one
// eigendecomposition: by generalised cross-validation, n RSS/(n − df)², or by the leave-one-out error, which takes a
// second pass. References: Rahimi & Recht (2007); Golub, Heath & Wahba (1979).
#pragma once

#include <memory>
#include <optional>

#include "mercer/models/mapped/mapped_model.h"
#include "mercer/models/ridge/penalty_choice.h"

namespace mercer {

struct MapRidgeOptions : MapOptions {
  MapKind map = MapKind::automatic;
  std::optional<double> lambda;
  PenaltyChoice select = PenaltyChoice::generalized_cross_validation;
  bool intercept = true;
  void validate() const;
};

std::span<const Option<MapRidgeOptions>> mapridge_option_table();

/// Several targets share the map and λ. A weight w is the row w times (the leave-one-out error leaves the row out with
/// all of its weight). Cost: n q² + 9 q³ operations where λ is chosen, n q² + q³/3 where it is given; memory 3 q² numbers
/// and blocks. DataError for targets that are not finite numbers.
std::unique_ptr<MappedModel> fit_mapridge(const Kernel& kernel, const MapRidgeOptions& options,
                                          const TrainingData& data, const Run& run = {});

const ModelEntry& mapridge_entry();

}  // namespace mercer
