#include "mercer/models/gp/gp_options.h"

#include <array>

#include "mercer/base/error.h"

namespace mercer {

void GpOptions::validate() const {
  check_options<GpOptions>("gp", gp_option_table(), *this);
  const auto refuse = [](std::string_view option, auto value, std::string_view why) {
    throw InvalidArgument("gp: " + std::string(option) + " = " + std::string(word_of(value)) + ": " + std::string(why));
  };
  const bool gaussian = likelihood == GpLikelihood::gaussian;
  if (inference == GpInference::posterior_mode && likelihood != GpLikelihood::laplacian) {
    refuse("inference", inference, "is for likelihood = laplacian; the others have laplace or ep");
  }
  if (likelihood == GpLikelihood::laplacian && inference == GpInference::laplace) {
    throw InvalidArgument(
        "gp: likelihood = laplacian has a kink, which Laplace's approximation cannot take: use inference = ep or map");
  }
  if (gaussian && inference != GpInference::automatic && inference != GpInference::exact) {
    refuse("inference", inference, "Gaussian noise needs no approximation");
  }
  if (!gaussian) {
    if (inference == GpInference::exact) {
      refuse("inference", inference, "is for likelihood = gaussian only");
    }
    if (method != GpMethod::automatic) {
      refuse("method", method, "is for likelihood = gaussian only");
    }
    if (mean != ParametricPart::none) {
      refuse("mean", mean, "is for likelihood = gaussian; add constant() or linear() to the kernel instead");
    }
    if (loo || objective == GpObjective::leave_one_out) {
      throw InvalidArgument("gp: leave-one-out is for likelihood = gaussian");
    }
  }
  if ((loo || mean != ParametricPart::none) && method != GpMethod::automatic && method != GpMethod::exact) {
    if (loo) {
      throw InvalidArgument("gp: loo = yes: needs method = exact");
    }
    refuse("mean", mean, "needs method = exact");
  }
}

std::span<const Option<GpOptions>> gp_option_table() {
  using O = GpOptions;
  static const std::array<Option<O>, 21> table{{
      {"likelihood", &O::likelihood,
       "the noise: student_t, huber and laplacian resist outliers, poisson is for counts (of mean exp f)"},
      {"inference", &O::inference,
       "exact for Gaussian noise; otherwise Laplace's approximation, expectation propagation, or the mode alone"},
      {"method", &O::method,
       "for Gaussian noise: exact by Cholesky; float: its factor in single precision, refined; cg: conjugate gradients "
       "without a stored matrix; vfe, fitc, sor: inducing points; greedy: a basis grown until the gap; automatic: "
       "exact, float, cg or vfe, what the memory allows"},
      {"mean", &O::mean, "mean function of the numeric columns, integrated out under a flat prior"},
      {"noise", &O::noise,
       "variance of the noise in y (other likelihoods: its squared scale) as in a kernel: 0.1 to start from, 0.1! "
       "known, 0.1 in 0.01..1; learnt from a tenth of the variance of y unless given"},
      {"degrees_of_freedom", &O::degrees_of_freedom, "of student_t", Constraint::positive},
      {"threshold", &O::threshold, "of huber, in scales: where the loss becomes linear", Constraint::positive},
      {"optimize", &O::optimize, "learn the kernel's parameters and the noise; otherwise they are taken as given"},
      {"objective", &O::objective, "what learning maximises: the evidence, or the leave-one-out density"},
      {"restarts", &O::restarts, "further random starts of the search, run in parallel",
       Constraint::nonnegative_integer},
      {"max_evaluations", &O::max_evaluations, "of the objective, per start", Constraint::positive_integer},
      {"tolerance", &O::tolerance,
       "of the search: it ends where a step raises the objective by less, relative to 1 + its size",
       Constraint::nonnegative},
      {"search_rows", &O::search_rows,
       "learn from at most so many rows, drawn at random; the fit itself uses all. 0: learn from all",
       Constraint::nonnegative_integer},
      {"priors", &O::priors,
       "on unknowns, as in \"lengthscale: lognormal(0, 1); noise: gamma(2, 10)\", in standardised units"},
      {"standardize", &O::standardize,
       "bring targets to mean 0 and variance 1 before the fit; predictions are in their units"},
      {"loo", &O::loo, "compute the leave-one-out predictions (three times the work of the fit)"},
      {"inducing", &O::inducing, "how many inducing points, or the largest greedy basis", Constraint::positive_integer},
      {"gap", &O::gap, "of greedy: stop where the two bounds of the log posterior are this close, relatively",
       Constraint::positive},
      {"rank", &O::rank, "of the preconditioner of cg; 0: chosen", Constraint::nonnegative_integer},
      {"precision",
       &O::precision,
       "of the kernel values in predicted means",
       {Precision::double_precision, Precision::single_precision}},
      {"memory_mb", &O::memory_mb, "what the matrices may take; 0: the machine's memory", Constraint::nonnegative},
  }};
  return table;
}

}  // namespace mercer
