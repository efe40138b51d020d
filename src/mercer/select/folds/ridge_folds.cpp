#include "mercer/select/folds/ridge_folds.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/parallel.h"
#include "mercer/expansion/expansion.h"
#include "mercer/kernels/widths.h"
#include "mercer/linalg/product.h"
#include "mercer/models/parametric_basis.h"
#include "mercer/models/parametric_projection.h"
#include "mercer/models/required_definiteness.h"
#include "mercer/models/ridge/ridge.h"
#include "mercer/models/ridge/ridge_problem.h"
#include "mercer/models/ridge/ridge_spectrum.h"
#include "mercer/models/training_rows.h"
#include "mercer/select/folds/fold_parts.h"

namespace mercer {

namespace {

// From so many penalties on the eigendecomposition is the shorter way.
constexpr std::size_t fewest_penalties = 32;

class RidgeFolds final : public FoldEvaluator {
 public:
  RidgeFolds(const ModelEntry& model, TrainingData data, FoldNeeds needs)
      : data_(std::move(data)),
        needs_(needs),
        general_(model_fold_evaluator(model, data_, needs)),
        unwatched_(model_fold_evaluator(model, data_, needs)) {}

  void set_watch(FoldWatch watch) override {
    general_->set_watch(watch);
    FoldEvaluator::set_watch(std::move(watch));
  }

  void evaluate(std::span<const PointPath> paths, std::span<const Split> folds, std::span<const FoldUnit> units,
                const Done& done, const Run& run) const override {
    std::vector<FoldUnit> shared;
    std::vector<FoldUnit> others;
    for (const FoldUnit& unit : units) {
      (is_shared(paths[unit.path]) ? shared : others).push_back(unit);
    }
    parallel_for(run, static_cast<Index>(shared.size()), [&](Index u) {
      const FoldUnit unit = shared[u];
      std::vector<FoldPrediction> predictions = evaluate_unit(paths[unit.path], folds[unit.fold], run.quiet());
      for (std::size_t p = 0; p < predictions.size(); ++p) {
        point_done(unit);  // one factorisation gave them all
      }
      done(unit, std::move(predictions));
    });
    if (!others.empty()) {
      general_->evaluate(paths, folds, others, done, run);
    }
  }

 private:
  bool is_shared(const PointPath& path) const {
    if ((path.option != "lambda" && path.option != "mean_lambda") || path.values.size() < fewest_penalties ||
        needs_.log_density || needs_.quantiles || needs_.probabilities || !(path.values.front() > 0)) {
      return false;
    }
    try {
      const RidgeOptions options = read(path);
      return options.precision == Precision::double_precision && options.select == PenaltyChoice::none &&
             !options.lambda && !options.mean_lambda;
    } catch (const Error&) {
      return false;
    }
  }

  static RidgeOptions read(const PointPath& path) {
    RidgeOptions options;
    apply_settings<RidgeOptions>("ridge", ridge_option_table(), path.settings, options);
    options.validate();
    return options;
  }

  std::vector<FoldPrediction> evaluate_unit(const PointPath& path, const Split& split, const Run& run) const {
    const auto start = std::chrono::steady_clock::now();
    std::vector<FoldPrediction> predictions(path.values.size());
    try {
      predict(path, split, predictions, run);
    } catch (const Stopped&) {
      throw;
    } catch (const IoError&) {
      throw;
    } catch (const Error&) {
      // The spectrum may be out of reach (memory, eigenvalues below 0) where single fits are not.
      const FoldUnit unit{0, 0};
      std::vector<FoldPrediction> found;
      unwatched_->evaluate(
          std::span(&path, 1), std::span(&split, 1), std::span(&unit, 1),
          [&](FoldUnit, std::vector<FoldPrediction> result) { found = std::move(result); }, run);
      return found;
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (FoldPrediction& prediction : predictions) {
      prediction.seconds = seconds / static_cast<double>(predictions.size());
    }
    return predictions;
  }

  static RidgeProblem make_problem(const PointPath& path, const RidgeOptions& options, const TrainingData& training,
                                   const Run& run) {
    require_targets(training);
    const std::vector<Index> rows = weighted_rows(training, "ridge");
    RidgeProblem problem{.kernel = *path.kernel,
                         .samples = counted_samples(training.samples, rows),
                         .targets = training.targets.finite_values(rows),
                         .weights = weights_or_ones(training.weights, rows)};
    require_definite("ridge", *path.kernel, problem.samples, options.parametric, NormRemedies::ridge_options, run);
    problem.kernel = resolve_widths(*path.kernel, problem.samples, rows, training, run);
    problem.part = options.parametric;
    problem.memory_bytes = allowed_memory(options.memory_mb, whole_machine);
    return problem;
  }

  // Of all penalties, side by side: column l · outputs + o.
  static Matrix<double> coefficients(const RidgeSpectrum& spectrum, std::span<const double> lambdas, const Run& run) {
    const Index outputs = spectrum.outputs();
    const auto r = static_cast<Index>(spectrum.values.size());
    const auto columns = static_cast<Index>(lambdas.size()) * outputs;
    Matrix<double> shrunk(r, columns);
    for (Index j = 0; j < r; ++j) {
      for (Index c = 0; c < columns; ++c) {
        shrunk(j, c) = spectrum.coefficients(j, c % outputs) / (spectrum.values[j] + lambdas[c / outputs]);
      }
    }
    Matrix<double> alpha(spectrum.rows(), columns);
    parallel_gemm<double>(1.0, spectrum.vectors.view(), Transpose::no, shrunk.view(), Transpose::no, 0.0, alpha.view(),
                          run);
    for (Index i = 0; i < alpha.rows(); ++i) {
      const double root = std::sqrt(spectrum.weights[i]);
      for (Index c = 0; c < columns; ++c) {
        alpha(i, c) *= root;
      }
    }
    return alpha;
  }

  // y = Kα + λW⁻¹α + Tβ on the training rows: what α leaves is the parametric part.
  static Matrix<double> parametric(const RidgeProblem& problem, const Matrix<double>& alpha,
                                   std::span<const double> lambdas, const Run& run) {
    const ParametricBasis basis(problem.samples, problem.part);
    const Index outputs = problem.targets.columns();
    const Expansion kernel_part(problem.kernel, problem.samples, Matrix<double>::copy_of(alpha.view()),
                                ParametricPart::none, Matrix<double>(0, alpha.columns()), Precision::double_precision,
                                run);
    Matrix<double> rest(alpha.rows(), alpha.columns());
    kernel_part.evaluate(problem.samples, rest.view(), run);
    for (Index i = 0; i < rest.rows(); ++i) {
      const double weight = problem.weights[i];
      for (Index c = 0; c < rest.columns(); ++c) {
        const double lambda = lambdas[c / outputs];
        rest(i, c) = problem.targets(i, c % outputs) - rest(i, c) - lambda / weight * alpha(i, c);
      }
    }
    const Matrix<double> gamma = inner(basis.q(), rest.view());
    return basis.parametric_coefficients(gamma.view());
  }

  void predict(const PointPath& path, const Split& split, std::vector<FoldPrediction>& predictions,
               const Run& run) const {
    const RidgeOptions options = read(path);
    const RidgeProblem problem = make_problem(path, options, training_part(data_, split), run);
    if (primal_factor(problem, options.form)) {
      throw InvalidArgument("the primal is for single fits");
    }
    const double total = std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0);
    std::vector<double> lambdas = path.values;
    for (double& lambda : lambdas) {
      lambda *= path.option == "mean_lambda" ? total : 1.0;
    }
    FitReport report;
    PhaseTimer timer(report);
    const RidgeSpectrum spectrum = ridge_spectrum_dual(problem, timer, run);
    Matrix<double> alpha = coefficients(spectrum, lambdas, run);
    Matrix<double> beta = problem.part == ParametricPart::none ? Matrix<double>(0, alpha.columns())
                                                               : parametric(problem, alpha, lambdas, run);
    const Expansion expansion(problem.kernel, problem.samples, std::move(alpha), problem.part, std::move(beta),
                              Precision::double_precision, run);
    const Samples test = data_.samples.select(split.test);
    Matrix<double> values(test.size(), expansion.outputs());
    expansion.evaluate(test, values.view(), run);
    const Index outputs = problem.targets.columns();
    for (std::size_t l = 0; l < predictions.size(); ++l) {
      predictions[l].predictions = Matrix<double>::copy_of(
          std::as_const(values).view().block(0, static_cast<Index>(l) * outputs, values.rows(), outputs));
      predictions[l].support = problem.samples.size();
    }
  }

  TrainingData data_;
  FoldNeeds needs_;
  std::unique_ptr<FoldEvaluator> general_;
  std::unique_ptr<FoldEvaluator> unwatched_;  // for a part of a unit
};

}  // namespace

std::unique_ptr<FoldEvaluator> ridge_fold_evaluator(const ModelEntry& model, TrainingData data, FoldNeeds needs) {
  return std::make_unique<RidgeFolds>(model, std::move(data), needs);
}

}  // namespace mercer
