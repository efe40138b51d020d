// mercer svm-predict: LIBSVM's command of that name.
#pragma once

#include "libsvm_command.h"

namespace mercer::program {

void svm_predict(LibsvmArguments arguments, Interruption& interruption);

inline constexpr const char* svm_predict_usage =
    "Usage: svm-predict [options] test_file model_file output_file\n"
    "options:\n"
    "-b probability_estimates : 1 writes probabilities too, for models trained with -b 1 (default 0)\n"
    "-q : quiet, no result lines\n";

}  // namespace mercer::program
