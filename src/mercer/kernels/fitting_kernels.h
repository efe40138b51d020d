// Which kernels to try on a kind of samples, for messages that refuse another one.
#pragma once

#include <string_view>

#include "mercer/data/samples.h"

namespace mercer {

/// Such as "spectrum(k=3) for sequences, tfidf() for texts".
inline std::string_view fitting_kernels(SampleKind kind) {
  switch (kind) {
    case SampleKind::strings:
      return "spectrum(k=3) for sequences, tfidf() for texts";
    case SampleKind::sets:
      return "jaccard()";
    case SampleKind::bags:
      return "mean_map()";
    case SampleKind::graphs:
      return "weisfeiler_lehman()";
    case SampleKind::categories:
      return "delta()";
    case SampleKind::table:
      return "one with a subscript for the columns, such as rbf()[age, bmi]";
    case SampleKind::dense:
    case SampleKind::sparse:
      break;
  }
  return "rbf()";
}

}  // namespace mercer
