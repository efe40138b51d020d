#include "mercer/models/likelihoods/likelihood.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/models/likelihoods/tilted_quadrature.h"

namespace mercer {

namespace {

// Below it N(m, v) is a point for every likelihood that numbers of double precision can describe.
constexpr double least_variance = 1e-280;

}  // namespace

LikelihoodPtr Likelihood::with_parameters(std::span<const double> values) const {
  throw InvalidArgument("the likelihood " + std::string(name()) + " has no parameters, " +
                        std::to_string(values.size()) + " values were given");
}

void Likelihood::parameter_slopes(double /*y*/, double /*f*/, std::span<ParameterSlope> /*out*/) const {}

TiltedMoments Likelihood::tilted(double y, double mean, double variance) const {
  if (variance < least_variance) {
    const LogDensity density = log_density(y, mean);
    return {density.value, density.first, density.second};
  }
  return tilted_moments({[&](double f) { return log_density(y, f); }, mean, variance, landmarks(y), analytic_width()});
}

void Likelihood::tilted_slopes(double y, double mean, double variance, std::span<double> out) const {
  if (out.empty()) {
    return;
  }
  std::vector<ParameterSlope> slopes(out.size());
  if (variance < least_variance) {
    parameter_slopes(y, mean, slopes);
    for (std::size_t p = 0; p < out.size(); ++p) {
      out[p] = slopes[p].value;
    }
    return;
  }
  const TiltedAverages averages =
      tilted_averages({[&](double f) { return log_density(y, f); }, mean, variance, landmarks(y), analytic_width()},
                      out.size(), [&](const TiltedPoint& point, std::span<double> at) {
                        parameter_slopes(y, point.f, slopes);
                        for (std::size_t p = 0; p < at.size(); ++p) {
                          at[p] = slopes[p].value;
                        }
                      });
  std::copy(averages.averages.begin(), averages.averages.end(), out.begin());
}

double Likelihood::observation_cumulative(double y, double mean, double variance) const {
  if (variance < least_variance) {
    return cumulative(y, mean);
  }
  return tilted_averages({[](double) { return LogDensity{}; }, mean, variance, landmarks(y), analytic_width()}, 1,
                         [&](const TiltedPoint& point, std::span<double> out) { out[0] = cumulative(y, point.f); })
      .averages[0];
}

}  // namespace mercer
