#include "mercer/models/libsvm/libsvm_model.h"

#include <cmath>
#include <numeric>
#include <string>

#include "mercer/base/error.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/registry.h"

namespace mercer {

std::string_view to_string(LibsvmType type) {
  constexpr std::string_view names[] = {"c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr"};
  return names[static_cast<int>(type)];
}

std::string_view to_string(LibsvmKernel kernel) {
  constexpr std::string_view names[] = {"linear", "polynomial", "rbf", "sigmoid", "precomputed"};
  return names[static_cast<int>(kernel)];
}

namespace {

void require_size(const char* what, std::size_t found, Index expected) {
  if (static_cast<Index>(found) != expected) {
    throw InvalidArgument("a LIBSVM model with " + std::to_string(found) + " numbers for " + what + ": " +
                          std::to_string(expected) + " are needed");
  }
}

}  // namespace

void require_consistent(const LibsvmModel& model) {
  const bool classifies = is_classification(model.type);
  if (model.classes < 1 || (!classifies && model.classes != 2)) {
    reject_argument("classes", static_cast<double>(model.classes), "1 or more, and 2 unless the model classifies");
  }
  require_size("rho", model.rho.size(), model.machines());
  require_size("label", model.labels.size(), classifies ? model.classes : 0);
  require_size("nr_sv", model.class_sizes.size(), classifies ? model.classes : 0);
  const Index with = model.has_probabilities ? 1 : 0;
  const bool one_class = model.type == LibsvmType::one_class;
  require_size("probA", model.probability_a.size(), one_class ? 0 : with * model.machines());
  require_size("probB", model.probability_b.size(), classifies ? with * model.machines() : 0);
  require_size("prob_density_marks", model.density_marks.size(), one_class ? with * 10 : 0);
  require_size("the coefficients of a support vector", static_cast<std::size_t>(model.coefficients.columns()),
               model.classes - 1);
  if (classifies) {
    const Index sum = std::accumulate(model.class_sizes.begin(), model.class_sizes.end(), Index{0});
    require_size("the support vectors of all classes", static_cast<std::size_t>(sum), model.support_count());
  }
  if (model.kernel == LibsvmKernel::precomputed) {
    require_size("serial numbers", model.serial_numbers.size(), model.support_count());
  } else {
    require_size("support vectors", static_cast<std::size_t>(model.support_vectors.size()), model.support_count());
  }
}

namespace {

Kernel constant(double value) { return value * make_kernel("constant", {{"value", ParameterValue::number(1)}}); }

}  // namespace

Kernel libsvm_kernel(LibsvmKernel kernel, int degree, double gamma, double coef0) {
  const auto number = [](double value) { return ParameterValue::number(value); };
  switch (kernel) {
    case LibsvmKernel::linear:
      return make_kernel("linear");
    case LibsvmKernel::polynomial:
      if (gamma == 0 || degree == 0) {
        return constant(std::pow(coef0, degree));
      }
      return make_kernel("poly", {{"degree", number(degree)}, {"gamma", number(gamma)}, {"coef0", number(coef0)}});
    case LibsvmKernel::rbf:
      return gamma == 0 ? constant(1) : make_kernel("rbf", {{"gamma", number(gamma)}});
    case LibsvmKernel::sigmoid:
      return gamma == 0 ? constant(std::tanh(coef0))
                        : make_kernel("sigmoid", {{"gamma", number(gamma)}, {"coef0", number(coef0)}});
    case LibsvmKernel::precomputed:
      break;
  }
  throw InvalidArgument("a precomputed kernel has no formula: its values stand in the samples");
}

}  // namespace mercer
