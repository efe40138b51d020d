#include "mercer/models/compress_support.h"

#include "mercer/base/error.h"
#include "mercer/expansion/expansion.h"

namespace mercer {

void require_same_form(const FittedModel& model, const Expansion& own, const Expansion& expansion) {
  if (!(own.kernel() == expansion.kernel()) || own.outputs() != expansion.outputs() ||
      own.parametric_part() != expansion.parametric_part()) {
    throw InvalidArgument(model.name() + ": " + std::to_string(expansion.outputs()) + " functions of " +
                          expansion.kernel().spec() + " cannot stand in for " + std::to_string(own.outputs()) + " of " +
                          own.kernel().spec());
  }
}

FitReport compressed_report(const FitReport& report, Index before, Index after) {
  FitReport result = report;
  result.change(Fact::support_vectors, static_cast<double>(after));
  result.notes.push_back("compressed: " + std::to_string(after) + " centres in place of " + std::to_string(before));
  return result;
}

}  // namespace mercer
