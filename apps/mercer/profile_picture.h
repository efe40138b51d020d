// A profile along a sequence as an SVG picture: one bar per place, one panel per function with a scale of its own.
#pragma once

#include <string>
#include <vector>

#include "mercer/linalg/view.h"

namespace mercer::program {

/// `values`: places × functions. Letters stand under the bars where there are 150 places at most. IoError where the file
/// cannot be written.
void write_profile_picture(const std::string& path, const std::vector<std::string>& characters,
                           ConstMatrixView<double> values, const std::vector<std::string>& functions);

}  // namespace mercer::program
