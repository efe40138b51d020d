// What one may say to a Gaussian process regression (gp.h), and what its words stand for.
#pragma once

#include <array>
#include <span>

#include "mercer/base/words.h"
#include "mercer/expansion/parametric_part.h"
#include "mercer/kernels/prepared.h"
#include "mercer/models/gp/gp_noise.h"
#include "mercer/models/gp/inference/exact.h"
#include "mercer/models/gp/inference/hyper_prior.h"
#include "mercer/models/option_table.h"

namespace mercer {

/// Of an observation, given the function.
enum class GpLikelihood { gaussian, student_t, huber, laplacian, poisson };
constexpr auto words_of(GpLikelihood) {
  return std::array{Word{GpLikelihood::gaussian, "gaussian"}, Word{GpLikelihood::student_t, "student_t"},
                    Word{GpLikelihood::huber, "huber"}, Word{GpLikelihood::laplacian, "laplacian"},
                    Word{GpLikelihood::poisson, "poisson"}};
}

/// posterior_mode: of Laplacian noise, by a quadratic programme (inference/laplacian_noise_map.h), without a distribution.
enum class GpInference { automatic, exact, laplace, expectation_propagation, posterior_mode };
constexpr auto words_of(GpInference) {
  return std::array{Word{GpInference::automatic, "automatic"}, Word{GpInference::exact, "exact"},
                    Word{GpInference::laplace, "laplace"}, Word{GpInference::expectation_propagation, "ep"},
                    Word{GpInference::posterior_mode, "map"}};
}

/// For Gaussian noise. variational, fitc, subset_of_regressors: on inducing points (inducing/inducing_system.h).
enum class GpMethod {
  automatic,
  exact,
  float_factor,
  conjugate_gradients,
  variational,
  fitc,
  subset_of_regressors,
  greedy
};
constexpr auto words_of(GpMethod) {
  return std::array{Word{GpMethod::automatic, "automatic"},      Word{GpMethod::exact, "exact"},
                    Word{GpMethod::float_factor, "float"},       Word{GpMethod::conjugate_gradients, "cg"},
                    Word{GpMethod::variational, "vfe"},          Word{GpMethod::fitc, "fitc"},
                    Word{GpMethod::subset_of_regressors, "sor"}, Word{GpMethod::greedy, "greedy"}};
}

struct GpOptions {
  GpLikelihood likelihood = GpLikelihood::gaussian;
  GpInference inference = GpInference::automatic;
  GpMethod method = GpMethod::automatic;
  Polynomials mean = Polynomials::none;
  GpNoise noise = {};
  double degrees_of_freedom = 4;
  double threshold = 0.5;
  bool optimize = true;
  GpObjective objective = GpObjective::evidence;
  Index restarts = 4;
  Index max_evaluations = 100;
  double tolerance = 1e-6;
  Index search_rows = 2000;
  HyperPriors priors = {};
  bool standardize = true;
  bool loo = false;
  Index inducing = 500;
  double gap = 0.025;
  Index rank = 0;
  Precision precision = Precision::double_precision;
  double memory_mb = 0;  ///< 0: the machine's memory

  /// Throws InvalidArgument for values that are not allowed and combinations that mean nothing.
  void validate() const;
};

std::span<const Option<GpOptions>> gp_option_table();

}  // namespace mercer
