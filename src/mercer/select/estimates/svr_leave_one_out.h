// Leave-one-out errors of support vector regression without refitting: y_l − f^l(x_l) = y_l − f(x_l) + (f(x_l) − f^l(x_l)),
// the change of support vectors by the mean field (mean_field.h), that of all other rows being 0. Exact for every row
// whose absence makes no other row enter or leave the edge of the tube; nusvr lets ε follow.
// Reference: Schölkopf & Smola (2002), 12.2.4; Chang & Lin, "Leave-one-out bounds for support vector regression" (2005).
#pragma once

#include <string>
#include <vector>

#include "mercer/models/svm/svr.h"

namespace mercer {

struct SvrLeaveOneOut {
  Matrix<double> residuals;   ///< counted rows × outputs, y − f^l(x_l); empty where there are none
  std::vector<Index> rows;    ///< the rows of the data that counted: those of positive weight
  std::string why_none = {};  ///< a sentence, where there are none

  double rmse() const;
  double mae() const;
};

/// data: what the model was fitted to, scaled as then. DataError where the coefficients are not optimal for it.
/// f³ operations and f² numbers for f free support vectors, at most max_free of them.
SvrLeaveOneOut svr_leave_one_out(const SvrModel& model, const TrainingData& data, const Run& run,
                                 Index max_free = 3000);

}  // namespace mercer
