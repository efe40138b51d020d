#include "mercer/models/required_definiteness.h"

#include <string>

#include "mercer/base/error.h"
#include "mercer/kernels/definiteness_on.h"

namespace mercer {

namespace {

// from_cpd moves the origin of feature space to a point: ½(k(x,y) − k(x,z) − k(z,y) + k(z,z)), positive for order 1.
std::string positive_instead(const Kernel& kernel, int order) {
  return (order == 1 ? "Use from_cpd(" + kernel.spec() +
                           "), which has the same distances up to a factor and is positive definite, or "
                     : std::string("Use ")) +
         "a positive definite kernel such as rbf, matern or poly";
}

std::string missing_part(const Kernel& kernel, int order, NormRemedies remedies) {
  if (remedies == NormRemedies::none) {
    return ": the fit has no unpenalised " +
           (order == 1 ? std::string("constant") : "polynomials of degree " + std::to_string(order - 1)) +
           " beside it. " + positive_instead(kernel, order);
  }
  return ": the fit needs unpenalised " + (order == 1 ? "constants: set intercept=yes"
                                           : order == 2
                                               ? "linear functions: set linear_part=yes"
                                               : "polynomials of degree " + std::to_string(order - 1) +
                                                     ", which it does not have. Use a kernel of order 2 or less");
}

}  // namespace

void require_definite(const char* model, const Kernel& kernel, const Samples& samples, ParametricPart part,
                      NormRemedies remedies, const Run& run) {
  const Definiteness definiteness = definiteness_on(kernel, samples, run);
  const int covered = part == ParametricPart::linear ? 2 : part == ParametricPart::constant ? 1 : 0;
  if (definiteness.is_conditional_up_to(covered)) {
    return;
  }
  const std::string subject = std::string(model) + ": the kernel " + kernel.spec() + " is " + to_string(definiteness);
  if (definiteness.kind == DefinitenessKind::indefinite) {
    throw InvalidArgument(
        subject +
        ": its matrix K can have negative eigenvalues, then K + lambda I is not positive definite and "
        "||f||^2 is no norm. Use a positive definite kernel such as rbf, matern or poly" +
        (remedies == NormRemedies::ridge_options ? ", or set indefinite=solve" : ""));
  }
  throw InvalidArgument(subject + missing_part(kernel, definiteness.order, remedies));
}

void refuse_conditional(const char* model, const Kernel& kernel) {
  const Definiteness definiteness = kernel.definiteness();
  if (definiteness.kind == DefinitenessKind::conditional) {
    throw InvalidArgument(std::string(model) + ": the kernel " + kernel.spec() + " is " + to_string(definiteness) +
                          ": its values are inner products about another origin only. " +
                          positive_instead(kernel, definiteness.order));
  }
}

}  // namespace mercer
