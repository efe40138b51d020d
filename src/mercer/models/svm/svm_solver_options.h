// SvmSolverOptions: what one may say to the solver of every support vector machine (svm_engine.h).
#pragma once

#include <vector>

#include "mercer/kernels/prepared.h"
#include "mercer/models/option_table.h"

namespace mercer {

/// Options that every machine solved by box_qp has.
struct SvmSolverOptions {
  double tolerance = 1e-3;  ///< of the KKT conditions
  Index max_steps = 0;      ///< 0: max(10⁷, 100 n)
  bool shrinking = true;
  Precision verify = Precision::single_precision;
  double memory_mb = 0;  ///< for kernel values; 0: half of the machine's memory

  /// The table's lines for these, for an options struct derived from this one.
  template <class Options>
  static std::vector<Option<Options>> table();
  /// Of the kernel values as the options ask for them: double where the tolerance or `verify` does. The data and the
  /// coefficients may ask for more.
  Precision precision() const;
};

template <class Options>
std::vector<Option<Options>> SvmSolverOptions::table() {
  return {
      {"tolerance", &Options::tolerance, "how far the KKT conditions may be violated (LIBSVM's -e)",
       Constraint::positive},
      {"max_steps", &Options::max_steps, "limit on pair steps; 0: max(10000000, 100 n)", Constraint::nonnegative},
      {"shrinking", &Options::shrinking, "leave out rows that rest at a bound; the result is the same"},
      {"verify", &Options::verify,
       "precision of the kernel values that the last check uses; float: double where rounding exceeds the tolerance"},
      {"memory_mb", &Options::memory_mb, "what kernel values may take; 0: half of the machine's memory",
       Constraint::nonnegative},
  };
}

}  // namespace mercer
