// By what a penalty is chosen that is not given.
#pragma once

#include <array>

#include "mercer/base/words.h"

namespace mercer {

/// The mean squared leave-one-out error, the share of rows that leave-one-out values decide wrongly, or generalised
/// cross-validation, or the corner of the L-curve (ridge_lcurve.h).
enum class PenaltyChoice { none, leave_one_out, leave_one_out_errors, generalized_cross_validation, l_curve };
constexpr auto words_of(PenaltyChoice) {
  return std::array{Word{PenaltyChoice::none, "none"}, Word{PenaltyChoice::leave_one_out, "loo"},
                    Word{PenaltyChoice::leave_one_out_errors, "errors"},
                    Word{PenaltyChoice::generalized_cross_validation, "gcv"}, Word{PenaltyChoice::l_curve, "lcurve"}};
}

}  // namespace mercer
