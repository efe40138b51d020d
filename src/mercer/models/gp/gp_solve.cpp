#include "mercer/models/gp/gp_solve.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/models/gp/gp_parts.h"
#include "mercer/models/gp/inducing/inducing.h"
#include "mercer/models/gp/inference/expectation_propagation.h"
#include "mercer/models/gp/inference/laplace.h"
#include "mercer/models/gp/inference/laplacian_noise_map.h"
#include "mercer/models/gp/iterative/iterative.h"
#include "mercer/models/gp/iterative/iterative_reduction.h"
#include "mercer/models/parametric_basis.h"
#include "mercer/solvers/fisher/sparse_greedy.h"

namespace mercer {

namespace {

std::vector<TriangularReduction::Term> copied(std::span<const TriangularReduction::Term> terms) {
  std::vector<TriangularReduction::Term> result;
  for (const TriangularReduction::Term& term : terms) {
    result.push_back({Matrix<double>::copy_of(term.factor.view()), term.scale, term.sign});
  }
  return result;
}

class Solver {
 public:
  Solver(const GpSearchSpace& space, std::span<const double> values, const GpData& data, const Run& run)
      : options_(space.options),
        kernel_(space.kernel_at(values)),
        noise_(space.noise(values)),
        likelihood_(space.likelihood(values)),
        data_(data),
        run_(run),
        prepared_(std::make_shared<const PreparedKernel>(kernel_, data.samples, Precision::double_precision, run)) {
    solution_.parts.covariance.kind = covariance_kind(options_);
  }

  GpSolution solve() && {
    if (options_.likelihood == GpLikelihood::gaussian) {
      solve_with_gaussian_noise();
    } else if (options_.inference == GpInference::posterior_mode) {
      solve_map();
    } else {
      solve_approximately();
    }
    return std::move(solution_);
  }

 private:
  void solve_with_gaussian_noise() {
    switch (options_.method) {
      case GpMethod::exact:
        solve_exactly();
        break;
      case GpMethod::float_factor:
      case GpMethod::conjugate_gradients:
        solve_iteratively();
        break;
      case GpMethod::greedy:
        solve_greedily();
        break;
      case GpMethod::automatic:
      case GpMethod::variational:
      case GpMethod::fitc:
      case GpMethod::subset_of_regressors:
        solve_with_inducing_points();
        break;
    }
  }

  Expansion expansion(Samples centers, Matrix<double> coefficients, Matrix<double> parametric) const {
    return Expansion(kernel_, std::move(centers), std::move(coefficients), options_.mean, std::move(parametric),
                     options_.precision, run_);
  }
  Expansion expansion(Samples centers, std::span<const double> coefficients) const {
    const ConstMatrixView<double> column(coefficients.data(), centers.size(), 1);
    return expansion(std::move(centers), Matrix<double>::copy_of(column), {});
  }

  void solve_exactly() {
    ExactSolution exact = solve_exact(*prepared_, data_, noise_, run_);
    solution_.log_evidence = exact.log_evidence;
    if (exact.factor.jitter > 0) {
      solution_.notes.emplace_back(
          "jitter: " + shortest(exact.factor.relative_jitter) +
              " of the mean variance was added to the diagonal, because rows are repeated or nearly "
              "so for this kernel; a larger noise makes it unnecessary",
          NoteKind::jitter_added);
    }
    const ParametricBasis basis(data_.samples, options_.mean);
    Matrix<double> parametric(0, 0);
    if (exact.u.columns() > 0) {
      parametric = basis.parametric_coefficients(exact.gamma.view());
      auto identity = Matrix<double>::filled(exact.u.columns(), exact.u.columns(), 0.0);
      for (Index j = 0; j < identity.rows(); ++j) {
        identity(j, j) = 1;
      }
      solution_.parts.uncertainty = {.u = Matrix<double>::copy_of(exact.u.view()),
                                     .basis = basis.parametric_coefficients(identity.view()),
                                     .factor = Matrix<double>::copy_of(exact.schur_factor.view())};
    }
    solution_.parts.covariance.diagonal = data_.noise_diagonal(noise_);
    solution_.parts.covariance.jitter = exact.factor.jitter;
    solution_.parts.mean = expansion(data_.samples, Matrix<double>::copy_of(exact.alpha.view()), std::move(parametric));
    if (options_.loo) {
      // The inverse takes the place of the factor, which is made again should a variance be asked for.
      solution_.parts.loo = leave_one_out(exact, data_, noise_, run_);
    } else {
      std::vector<TriangularReduction::Term> terms;
      terms.push_back({.factor = std::move(exact.factor.factor)});
      solution_.parts.reduction = std::make_shared<const TriangularReduction>(std::move(terms));
    }
  }

  void solve_iteratively() {
    const bool single = options_.method == GpMethod::float_factor;
    solution_.parts.covariance.diagonal = data_.noise_diagonal(noise_);
    solution_.parts.covariance.rank = options_.rank;
    const auto system = std::make_shared<const IterativeSystem>(
        std::make_shared<const KernelGram<double>>(prepared_), solution_.parts.covariance.diagonal,
        IterativeOptions{.preconditioner = single ? SystemPreconditioner::float_factor : SystemPreconditioner::low_rank,
                         .rank = options_.rank},
        run_);
    auto alpha = Matrix<double>::filled(data_.targets.rows(), data_.targets.columns(), 0.0);
    const IterativeSolution result = system->solve(data_.targets.view(), alpha.view(), run_);
    run_.check_stop();
    solution_.status = result.status;
    const EvidenceInterval evidence = system->log_evidence(data_.targets.view(), alpha.view(), run_);
    solution_.log_evidence =
        evidence.value + static_cast<double>(data_.targets.columns()) * data_.copy_terms(noise_).value;
    solution_.notes.push_back("conjugate gradients: " + std::to_string(result.iterations) +
                              " products with the kernel matrix, relative residual " + shortest(result.residual));
    if (single && system->float_factor().rows() == 0) {
      solution_.parts.covariance.kind = CovarianceKind::iterative;
    }
    if (single && !system->has_exact_determinant()) {
      solution_.notes.push_back(
          "the kernel is so large against the noise that a factor in single precision does not see the noise: it "
          "served "
          "as a preconditioner only; evidence and variances come from low rank and iteration, as with method = cg");
    }
    if (evidence.standard_error > 0) {
      solution_.notes.push_back("the log evidence is an estimate with a standard error of " +
                                shortest(evidence.standard_error) + ", and lies between " +
                                shortest(evidence.value - evidence.lower) + " below the value given and " +
                                shortest(evidence.upper - evidence.value) + " above it");
    } else if (!system->has_exact_determinant()) {
      solution_.notes.push_back("the log evidence lies between the value given and " +
                                shortest(evidence.upper - evidence.lower) + " above it");
    }
    solution_.parts.mean = expansion(data_.samples, std::move(alpha), {});
    solution_.parts.reduction = iterative_variances(system);
  }

  void solve_with_inducing_points() {
    const Index count = std::min(options_.inducing, data_.samples.size());
    const Samples inducing =
        data_.samples.select(choose_inducing(KernelGram<double>(prepared_), count, PivotRule::random, run_));
    InducingPosterior posterior = inducing_posterior({.kernel = kernel_,
                                                      .samples = data_.samples,
                                                      .inducing = inducing,
                                                      .targets = data_.targets.view(),
                                                      .noise = data_.row_noise(noise_),
                                                      .method = inducing_method(options_),
                                                      .weights = data_.weights},
                                                     run_);
    solution_.log_evidence = posterior.log_evidence;
    solution_.notes.push_back(std::to_string(inducing.size()) + " inducing points leave " +
                              shortest(posterior.trace_error / static_cast<double>(data_.samples.size())) +
                              " of the prior variance unexplained, on average over the rows");
    solution_.parts.covariance.terms = copied(posterior.reduction->terms());
    solution_.parts.mean = expansion(inducing, std::move(posterior.coefficients), {});
    solution_.parts.reduction = posterior.reduction;
  }

  void solve_greedily();
  void solve_approximately();
  void note_doubts(const ExpectationPropagation& found);
  void solve_map();

  Matrix<double> kernel_matrix() const {
    Matrix<double> k(data_.samples.size(), data_.samples.size());
    evaluate_gram<double>(*prepared_, Triangle::lower, k.view(), run_);
    return k;
  }
  std::span<const double> y() const { return {data_.targets.data(), static_cast<std::size_t>(data_.targets.rows())}; }

  GpOptions options_;
  Kernel kernel_;
  double noise_;
  LikelihoodPtr likelihood_;
  const GpData& data_;
  const Run& run_;
  std::shared_ptr<const PreparedKernel> prepared_;
  GpSolution solution_;
};

// The mean on one greedy basis, the variance on the other: an upper bound of the exact one (S5 of the two bounds).
void Solver::solve_greedily() {
  if (data_.targets.columns() != 1 || !data_.noise.empty() || !data_.weights.empty()) {
    throw InvalidArgument("gp: method = greedy takes one target and one noise for all rows, without weights");
  }
  SparseGreedyResult greedy = sparse_greedy(KernelGram<double>(prepared_), y(), noise_,
                                            {.gap = options_.gap, .max_size = options_.inducing}, run_);
  run_.check_stop();
  solution_.status = greedy.status;
  solution_.log_evidence = greedy.last().q;
  solution_.notes.push_back("greedy basis: " + std::to_string(greedy.posterior.basis.size()) + " rows for the mean, " +
                            std::to_string(greedy.bound.basis.size()) +
                            " for the error bars; the bounds of the log posterior are " + shortest(greedy.last().gap) +
                            " apart, relatively");
  solution_.parts.mean = expansion(data_.samples.select(greedy.posterior.basis), greedy.posterior.coefficients);
  solution_.parts.covariance.terms.push_back({.factor = Matrix<double>::copy_of(greedy.bound.factor.view())});
  solution_.parts.variance_centers = data_.samples.select(greedy.bound.basis);
}

void Solver::solve_map() {
  const LaplacianNoiseMap map =
      laplacian_noise_map(kernel_matrix().view(), {.y = y(), .weights = data_.weights}, noise_, {}, run_);
  solution_.status = map.status;
  solution_.log_evidence = map.log_posterior;
  solution_.parts.mean = expansion(data_.samples, map.alpha);
}

void Solver::note_doubts(const ExpectationPropagation& found) {
  if (found.status != SolveStatus::converged) {
    solution_.notes.push_back("expectation propagation did not come to moments that agree (" +
                              std::string(to_string(found.status)) +
                              "): evidence and variances are rough; try inference = laplace, or more noise");
  }
  if (found.widened > 0) {
    solution_.notes.push_back(
        "at " + std::to_string(found.widened) + " of " + std::to_string(data_.targets.rows()) +
        " rows the function varies more than under the prior: observations contradict each other, "
        "the posterior has several modes, and one normal distribution describes it badly");
  }
}

void Solver::solve_approximately() {
  const Matrix<double> k = kernel_matrix();
  LatentApproximation result;
  if (options_.inference == GpInference::expectation_propagation) {
    ExpectationPropagation found =
        expectation_propagation(k.view(), y(), *likelihood_, {}, {.goal = ApproximationGoal::posterior}, run_);
    note_doubts(found);
    result = std::move(static_cast<LatentApproximation&>(found));
  } else {
    result = laplace(k.view(), {.y = y(), .weights = data_.weights}, *likelihood_, {},
                     {.goal = ApproximationGoal::posterior}, run_);
    if (result.is_flat) {
      solution_.notes.emplace_back(
          "the posterior hardly curves at its mode in some direction: Laplace's approximation is far wider than the "
          "posterior, and its evidence too high; try inference = ep, more noise, or likelihood = huber");
    }
  }
  solution_.status = result.status;
  solution_.log_evidence = result.log_evidence;
  solution_.parts.covariance.diagonal = result.precision;
  solution_.parts.mean = expansion(data_.samples, result.alpha);
  solution_.parts.reduction = result.reduction;
}

}  // namespace

GpSolution solve_gp(const GpSearchSpace& space, std::span<const double> values, const GpData& data, const Run& run) {
  return Solver(space, values, data, run).solve();
}

}  // namespace mercer
