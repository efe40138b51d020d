// One path on one fold of a support vector machine: its machines on the stored kernel matrix of all tuning rows, solved
// value by value, and the predictions of the validation rows (svm_folds.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mercer/models/svm/svc.h"
#include "mercer/models/svm/svr.h"
#include "mercer/select/folds/fold_evaluator.h"
#include "mercer/solvers/svm/box_path.h"

namespace mercer {

/// The options of a point, where the shared evaluator can solve it.
struct SvmPoint {
  std::optional<SvcOptions> svc = {};
  std::optional<SvrOptions> svr = {};

  const SvmSolverOptions& solver() const {
    return svc ? static_cast<const SvmSolverOptions&>(*svc) : static_cast<const SvmSolverOptions&>(*svr);
  }
};

/// Of the path's value `value`. Throws InvalidArgument for settings that cannot be read; nothing where the general
/// evaluator is to do it.
std::optional<SvmPoint> read_svm_point(Task task, const PointPath& path, double value);

/// FoldWatch for one unit; is_worth_more is asked after every 20 pair steps per row and machine.
struct UnitWatch {
  std::function<void()> point_done;
  std::function<bool(const FoldPrediction&)> is_worth_more;  ///< empty: always
};

/// Throws Stopped, and the errors that a fit of these rows throws.
template <class T>
std::vector<FoldPrediction> evaluate_svm_unit(Task task, const TrainingData& data, const PointPath& path,
                                              const Split& split, FoldNeeds needs, const StoredKernel<T>& kernel,
                                              const UnitWatch& watch, const Run& run);

}  // namespace mercer
