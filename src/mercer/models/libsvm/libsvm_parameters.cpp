// The check of svm-train's parameters; see models/libsvm/libsvm_training.h. Training itself is elsewhere.
#include <algorithm>
#include <map>

#include "mercer/models/libsvm/libsvm_training.h"

namespace mercer {

namespace {

// ν-SVC on classes of n_i and n_j samples has a solution for ν ≤ 2 min(n_i, n_j) / (n_i + n_j) only.
bool nu_is_feasible(double nu, std::span<const double> labels) {
  std::map<int, double> counts;
  for (const double label : labels) {
    ++counts[static_cast<int>(label)];
  }
  for (auto i = counts.begin(); i != counts.end(); ++i) {
    for (auto j = std::next(i); j != counts.end(); ++j) {
      if (nu * (i->second + j->second) / 2 > std::min(i->second, j->second)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

// Conditions are written so that NaN fails them.
std::string libsvm_parameter_error(const LibsvmParameters& parameters, std::span<const double> labels) {
  using enum LibsvmType;
  const LibsvmType type = parameters.type;
  const bool uses_gamma = parameters.kernel == LibsvmKernel::polynomial || parameters.kernel == LibsvmKernel::rbf ||
                          parameters.kernel == LibsvmKernel::sigmoid;
  if (uses_gamma && !(parameters.gamma >= 0)) {
    return "gamma < 0";
  }
  if (parameters.kernel == LibsvmKernel::polynomial && parameters.degree < 0) {
    return "degree of polynomial kernel < 0";
  }
  if (!(parameters.memory_mb > 0)) {
    return "cache_size <= 0";
  }
  if (!(parameters.tolerance > 0)) {
    return "eps <= 0";
  }
  if ((type == c_svc || type == epsilon_svr || type == nu_svr) && !(parameters.cost > 0)) {
    return "C <= 0";
  }
  if ((type == nu_svc || type == one_class || type == nu_svr) && !(parameters.nu > 0 && parameters.nu <= 1)) {
    return "nu <= 0 or nu > 1";
  }
  if (type == epsilon_svr && !(parameters.epsilon >= 0)) {
    return "p < 0";
  }
  if (type == nu_svc && !nu_is_feasible(parameters.nu, labels)) {
    return "specified nu is infeasible";
  }
  return {};
}

}  // namespace mercer
