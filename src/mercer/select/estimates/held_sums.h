// Which sums of coefficients a support vector machine holds. They decide what other rows can take over when one is left
// out, and each has a multiplier that changes with it.
//
//   none        no offset: the coefficients are free of one another
//   all         Σβ = 0 (or = 1 of one class): an offset b (or ρ)                        C-SVC, ε-SVR, one-class
//   each_sign   Σ₊β and Σ₋β apart: b and the margin ρ of ν-SVC, or the width ε of ν-SVR
#pragma once

namespace mercer {

enum class HeldSums { none, all, each_sign };

}  // namespace mercer
