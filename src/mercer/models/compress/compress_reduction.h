// The functions of a model, written by fewer centres: one set for all of them, or one for each.
#pragma once

#include "mercer/expansion/expansion.h"
#include "mercer/models/compress/compress.h"

namespace mercer {

struct ReducedFunctions {
  Samples centers;
  Matrix<double> coefficients;  ///< centres × outputs
};

/// Whether the method makes points up instead of choosing among the centres.
bool makes_points(CompressMethod method);

/// `report.method` says how; norms, errors and the course of the refinement are written to `report`. Where outputs have
/// units of their own (regression) each counts relative to its norm; the machines of a classifier count as they are.
ReducedFunctions reduce_together(const FittedModel& model, const Expansion& f, const CompressOptions& options,
                                 CompressReport& report, const Run& run);

/// `options.size` centres for every output, outputs in parallel. Centres that several outputs chose stand once.
ReducedFunctions reduce_apart(const Expansion& f, const CompressOptions& options, CompressReport& report,
                              const Run& run);

}  // namespace mercer
