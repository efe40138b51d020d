// Prior functions: a model that regularizes the distance to a function f₀ that was known before,
//
//   min_f  Σ_i loss(y_i, f(x_i)) + ½‖f − f₀‖²,    f = f₀ + g:  g fits the targets less f₀(x_i),
//
// so that far from the rows f falls back to f₀, not to 0 (Schölkopf and Smola, Learning with Kernels, 2002, remark 4.4 and
// problem 4.7). f₀ is any model of quantities; it sees raw rows, by its own preparation, and stands in the preparation of the model
// that begins with it. What it says of the rows are their offsets (Samples::offsets): a fit takes them from the targets, an
// answer adds them.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "mercer/data/preparation.h"
#include "mercer/models/model.h"
#include "mercer/models/stored_model.h"

namespace mercer {

/// A stored model as the function that is known before a fit.
class PriorModel final : public KnownFunction {
 public:
  /// InvalidArgument for a model that predicts no quantities.
  explicit PriorModel(StoredModel stored);

  Matrix<double> values(const Samples& rows, const Run& run) const override;
  const StoredModel& stored() const { return stored_; }

 private:
  StoredModel stored_;
};

/// What is left of the targets when the offsets of the samples are taken from them; offsets of 0 in their place, so that a
/// model of the rest answers with g alone. The data themselves where there are no offsets. InvalidArgument where there are
/// not as many offsets as targets.
TrainingData beyond_offsets(const TrainingData& data);
/// The same samples with offsets of 0: a model with a prior answers with g alone.
Samples with_zero_offsets(const Samples& samples, Index outputs);

using FitFunction = std::function<std::unique_ptr<FittedModel>(const std::optional<Kernel>& kernel,
                                                               std::span<const OptionSetting> settings,
                                                               const TrainingData& data, const Run& run)>;

/// The fit of a model that fits what offsets leave of the targets and adds them to its answers; as it is where samples have
/// none. InvalidArgument for samples with offsets where the model cannot (`takes_prior`).
FitFunction fit_beyond_offsets(const std::string& model, bool takes_prior, FitFunction fit);

}  // namespace mercer
