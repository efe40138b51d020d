// Leave-one-out errors in closed form, as a capability of models (models/capability.h): those of a fit that repeats the
// model's own with nothing chosen or learnt again.
#pragma once

#include <optional>
#include <vector>

#include "mercer/models/capability.h"

namespace mercer {

class ClosedFormLeaveOneOut : public Capability {
 public:
  /// Whether predictions of rows without them are known of this fit, where it is repeated with loo = yes.
  virtual bool knows_left_out_predictions() const = 0;
  /// Settings of the fit that repeats this one and reports "leave-one-out …"; nothing where this fit has no closed form.
  virtual std::optional<std::vector<OptionSetting>> leave_one_out_settings() const = 0;
  /// Whether the errors are those of the solution only where the solver converged. (A search for parameters may end where
  /// it likes: any parameters have their errors.)
  virtual bool leave_one_out_needs_convergence() const { return true; }
  /// ‖r‖ / ‖y‖ that an iteration may have left of the fit's equations; 0: solved directly.
  virtual double relative_residual() const { return 0; }
  /// n × outputs: every row's prediction without it, of a fit that was asked for it; nothing elsewhere.
  virtual std::optional<Matrix<double>> left_out_predictions(ConstMatrixView<double> truth) const = 0;
};

}  // namespace mercer
