#include "mercer/solvers/svm/reduced_hulls.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

double least_hull_bound(std::span<const double> signs, std::span<const double> weights) {
  double positive = 0;
  double negative = 0;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    (signs[i] > 0 ? positive : negative) += weights[i];
  }
  return 1 / std::min(positive, negative);
}

double nu_of_hull_bound(std::span<const double> weights, double mu) {
  return 2 / (mu * std::accumulate(weights.begin(), weights.end(), 0.0));
}

void require_hull_bound(std::span<const double> signs, std::span<const double> weights, double mu) {
  if (!(mu > 0 && std::isfinite(mu))) {
    reject_argument("bound of a sample in its hull", mu, "finite and positive");
  }
  const double least = least_hull_bound(signs, weights);
  if (mu < least * (1 - 1e-12)) {
    throw InvalidArgument("no sample may count for more than " + shortest(mu) +
                          " in its hull, and those of the lighter class come to less than 1 then: the bound must be " +
                          shortest(least) + " at least, 1 over the weight of that class");
  }
}

template <class T>
ReducedHulls solve_reduced_hulls(const Gram<T>& gram, std::span<const double> signs, std::span<const double> weights,
                                 double mu, const BoxQpOptions& options, const Run& run) {
  if (signs.size() != weights.size()) {
    throw InvalidArgument(std::to_string(weights.size()) + " weights for " + std::to_string(signs.size()) + " signs");
  }
  require_hull_bound(signs, weights, mu);
  // Rounding of 1/(1/Σw) must not make the least μ infeasible.
  const double nu = std::min(nu_of_hull_bound(weights, mu), largest_nu(signs, weights));
  const SvmDual dual = solve_undivided_nu_svc(gram, signs, nu, weights, options, run);
  const double scale = 2 / (nu * std::accumulate(weights.begin(), weights.end(), 0.0));
  ReducedHulls hulls{.status = dual.status, .shares = {}, .coefficients = {}};
  double along_positive = 0;  // ⟨v, p₊⟩
  double along_negative = 0;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    hulls.shares.push_back(scale * std::abs(dual.coefficients[i]));
    (signs[i] > 0 ? along_positive : along_negative) += hulls.shares.back() * scale * dual.values[i];
  }
  const double squared = along_positive - along_negative;
  if (!(squared > scale * std::max(dual.accuracy, dual.gap))) {
    throw NumericalError("the reduced hulls meet: the squared distance of their nearest points is " +
                         shortest(squared) +
                         ", which is 0 within the accuracy of the kernel values. A smaller bound "
                         "than " +
                         shortest(mu) + " draws them in, down to " + shortest(least_hull_bound(signs, weights)));
  }
  hulls.distance = std::sqrt(squared);
  const double unit = 2 * scale / squared;  // from β of ν-SVC to β of w
  for (const double beta : dual.coefficients) {
    hulls.coefficients.push_back(unit * beta);
  }
  hulls.offset = -(along_positive + along_negative) / squared;
  hulls.margin_offset = unit * dual.offset;
  hulls.margin = unit * dual.margin;
  hulls.gap = unit * dual.gap;
  return hulls;
}

template ReducedHulls solve_reduced_hulls(const Gram<float>&, std::span<const double>, std::span<const double>, double,
                                          const BoxQpOptions&, const Run&);
template ReducedHulls solve_reduced_hulls(const Gram<double>&, std::span<const double>, std::span<const double>, double,
                                          const BoxQpOptions&, const Run&);

}  // namespace mercer
