// One rule for the names of outputs: what a name says is what is written. NAME.gz, NAME.bz2 and NAME.xz are compressed;
// the ending before that tells the format where there is a choice.
#pragma once

#include <string>

#include "file_roles.h"

namespace mercer::program {

enum class MatrixFormat { csv, npy };
/// .npy, compressed or not; CSV for any other name and for "-".
MatrixFormat matrix_format(const std::string& path);

/// UsageError where the name promises a format or a compression that is not written, and where a log has no file.
void require_fitting_name(const std::string& flag, const std::string& output, const std::string& path,
                          OutputContent content);

}  // namespace mercer::program
