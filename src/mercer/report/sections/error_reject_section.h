// The error-reject curve as a page shows it (select/error_reject.h).
#pragma once

#include "mercer/select/error_reject.h"

namespace mercer {

/// At most 200 points, both ends among them, evenly by the share rejected. A point that is left out was as good as its
/// neighbours: the curve between two that are kept is a straight line on the page.
ErrorRejectCurve thinned_curve(const ErrorRejectCurve& curve);

}  // namespace mercer
