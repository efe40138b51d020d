// mercer svm-scale: LIBSVM's command of that name.
#pragma once

#include "libsvm_command.h"

namespace mercer::program {

void svm_scale(LibsvmArguments arguments, Interruption& interruption);

inline constexpr const char* svm_scale_usage =
    "Usage: svm-scale [options] data_filename\n"
    "options:\n"
    "-l lower : the smallest scaled value of a feature (default -1)\n"
    "-u upper : the largest scaled value of a feature (default +1)\n"
    "-y y_lower y_upper : scale the targets to these limits too (default: leave them)\n"
    "-s save_filename : write the limits of every feature to this file\n"
    "-r restore_filename : scale by the limits of this file\n";

}  // namespace mercer::program
