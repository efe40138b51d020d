// The named lines at the head of a LIBSVM model file, read and checked against each other.
#pragma once

#include <string>
#include <string_view>

#include "mercer/models/libsvm/libsvm_model.h"

namespace mercer::detail {

struct LibsvmHeader {
  LibsvmModel model;  ///< all but coefficients and support vectors
  Index support_count = 0;
  std::string_view body;  ///< the text after the line "SV"
  Index body_line = 1;    ///< the number of its first line
};

/// DataError with file and line.
LibsvmHeader parse_libsvm_header(std::string_view text, const std::string& name);

}  // namespace mercer::detail
