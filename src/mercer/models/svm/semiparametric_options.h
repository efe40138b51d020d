// What stands beside the kernel of svr and svc, as options: functions of the samples, and what their coefficients cost.
#pragma once

#include <vector>

#include "mercer/models/option_table.h"
#include "mercer/models/parametric_option.h"

namespace mercer {

struct SemiparametricOptions {
  ParametricPart parametric = ParametricPart::constant;
  double parametric_l1 = 0;  ///< price of Σ|β_p| of the functions beside the constant, beside ½‖w‖²

  /// The constant and nothing else: what the usual solver expresses.
  bool is_usual() const { return parametric.is_constant(); }
  /// The functions that cost nothing.
  ParametricPart free_part() const { return parametric_l1 > 0 ? ParametricPart(ParametricPart::constant) : parametric; }
  /// InvalidArgument for a price of functions that are not there.
  void require_consistent(const char* model) const;

  /// The table's lines for these, for an options struct derived from this one.
  template <class Options>
  static std::vector<Option<Options>> table() {
    return {
        {"parametric", &Options::parametric, parametric_meaning},
        {"parametric_l1", &Options::parametric_l1,
         "price of the sum of the absolute coefficients of these functions, the constant's left out; 0: they are free",
         Constraint::nonnegative},
    };
  }
};

}  // namespace mercer
