// The regularisation paths of a support vector classifier on training data: one for two classes, one for each pair of
// several (svc_path.h).
#pragma once

#include <string>
#include <vector>

#include "mercer/models/model.h"
#include "mercer/models/svm/svc.h"
#include "mercer/select/path/svc_path.h"

namespace mercer {

struct MachinePath {
  std::string machine;      ///< "a vs b"; the positive class where there are two
  std::vector<Index> rows;  ///< of the training samples
  SvcPath path;
};

struct SvcModelPath {
  Kernel kernel;  ///< with its widths resolved
  std::vector<MachinePath> machines;
};

/// Of the options class_weight, uncertain and memory_mb are used. Stores the kernel matrix of one machine at a time:
/// InvalidArgument where it does not fit. DataError as fit_svc.
SvcModelPath svc_model_path(const Kernel& kernel, const SvcOptions& options, const TrainingData& data,
                            const SvcPathOptions& path_options, const Run& run = {});

}  // namespace mercer
