// The continuous unknowns of a Gaussian process: the kernel's parameters, then those of the likelihood. Positive ones are
// searched on a logarithmic scale, inside bounds that the data suggest unless the spec states them
// (`lengthscale=1 in 0.1..10`); fixed ones (`lengthscale=1!`) stay as they are.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/kernels/kernel.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/models/fit_report.h"
#include "mercer/models/gp/inference/hyper_prior.h"

namespace mercer {

struct HyperParameter {
  std::string name;  ///< "lengthscale[1]", "noise"
  double value = 1;  ///< where the search starts
  double lower = 0;
  double upper = 0;
  bool logarithmic = true;
  bool fixed = false;
  std::optional<HyperPrior> prior = {};
  /// Above 0, of a length scale ℓ: it is searched by −½ ln(1 + (fading_from/ℓ)²), which is ln ℓ far below fading_from.
  /// Beyond it the evidence is nearly linear in 1/ℓ², and so is this: to leave the column out is one step of less
  /// than 1, which on the logarithmic scale is at infinity.
  double fading_from = 0;
};

/// The kernel's continuous parameters in the order of scale_parameters(), with bounds: those of the spec, or four
/// decades around the start (six upwards for length scales). Parameters that are 0 or infinite are fixed: they switch something off.
std::vector<HyperParameter> kernel_hyperparameters(const Kernel& kernel);

/// Every unknown whose name is that of a prior, or ends in it with or without its index, gets that prior. InvalidArgument
/// where a name is no unknown's.
void set_priors(const HyperPriors& priors, std::span<HyperParameter> parameters);

/// What is maximised, and its derivatives by the parameters themselves (not their logarithms), one per parameter,
/// those of fixed ones are not read. -infinity with any gradient says that there is no value here.
struct EvidenceValue {
  double value = 0;
  std::vector<double> gradient;
};
using EvidenceFunction = std::function<EvidenceValue(std::span<const double> values, const Run& run)>;

/// Σ ln p(θ) over the parameters that are searched and have a prior.
double log_prior(std::span<const HyperParameter> parameters, std::span<const double> values);

/// trusted: dense BFGS within a trust region, the fewest evaluations to the nearest maximum. long_first: limited-memory BFGS,
/// whose line searches reach far in the first steps and so pass lesser maxima, of which the evidence of classifications
/// has several (iris, one class against the rest, from one start: ln p = −10.90 rather than −11.20).
enum class EvidenceSteps { trusted, long_first };

struct EvidenceSearchOptions {
  Index restarts = 0;           ///< further starts, drawn log-uniformly around the first, run in parallel
  Index max_evaluations = 200;  ///< per start
  double tolerance = 1e-6;      ///< relative improvement per step at which a start ends
  /// −∂² of the objective in the coordinates of the search, over the parameters that are not fixed, positive definite
  /// (evidence_curvature()); empty: learnt on the way.
  ConstMatrixView<double> curvature = {};
  EvidenceSteps steps = EvidenceSteps::trusted;
};

struct EvidenceSearchResult {
  SolveStatus status = SolveStatus::converged;
  std::vector<double> values;
  double value = 0;  ///< the objective with the priors
  Index evaluations = 0;
  /// Where the starts ended, best first, those of the same value once: another objective may prefer another of them.
  std::vector<std::vector<double>> ends;
  std::vector<Note> notes;  ///< bound_notes() of the values
};

/// One sentence for every kind of bound that a parameter is at: what that means and what to do.
std::vector<Note> bound_notes(std::span<const HyperParameter> parameters, std::span<const double> values);

/// Bounded quasi-Newton from every start; the best end wins (the first of equals, so that threads do not matter).
EvidenceSearchResult maximize_evidence(const EvidenceFunction& evidence, std::span<const HyperParameter> parameters,
                                       const EvidenceSearchOptions& options, const Run& run);

/// −∂² of evidence and priors at the parameters' values, in the coordinates of the search, over those that are not fixed,
/// from differences of gradients: one evaluation per parameter and one more, run in parallel. Eigenvalues are
/// replaced by their absolute values, at least 0.1 (in units of ln p), so that it is positive definite.
Matrix<double> evidence_curvature(const EvidenceFunction& evidence, std::span<const HyperParameter> parameters,
                                  const Run& run);

}  // namespace mercer
