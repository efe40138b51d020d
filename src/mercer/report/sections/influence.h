// The most influential training rows: those that move the model most, and may be mislabelled or misread.
//
//   ridge, gp (exact)    |f(x_i) − f^(−i)(x_i)|: how far the prediction of a row moves when it is left out, in closed form
//                        by the leave-one-out residuals r^(−i) = α_i / H_ii:  f − f^(−i) = r^(−i) − r
//   svc, nusvc           Σ_m |α_im| ξ_im: coefficient times the violation of the margin, over the machines. A row at its
//                        bound on the wrong side of the boundary is a likely wrong label
//   svr, nusvr           |α_i| (|y_i − f(x_i)| − ε)₊;   oneclass, svdd  |α_i| (−f(x_i))₊
//   others               |α_i| √k(x_i, x_i): the norm of what the row adds to the function
//
// References: Cook (1977); Rasmussen & Williams (2006), 5.4; Schölkopf & Smola (2002), 7.
#pragma once

#include <optional>

#include "mercer/report/report_input.h"
#include "mercer/report/sections/support_vectors.h"

namespace mercer {

inline constexpr Index influential_rows = 20;
/// Leave-one-out by an inverse: up to so many rows.
inline constexpr Index closed_form_rows = 3000;

/// At most influential_rows, the most influential first. Nothing where the training rows are not known or the model
/// keeps no coefficients of rows.
std::optional<InfluenceSection> influence_section(const ReportInput& input,
                                                  const std::optional<SupportVectors>& support, const Run& run);

}  // namespace mercer
