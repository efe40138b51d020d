#include "mercer/models/discriminant/kfd_select.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/gram/kernel_gram.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

namespace {

// √w_i (values_ij − weighted mean_j).
Matrix<double> weighted_and_centered(ConstMatrixView<double> values, std::span<const double> weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> mean(values.columns(), 0.0);
  for (Index i = 0; i < values.rows(); ++i) {
    axpy(weights[i] / total, values.row(i), std::span(mean));
  }
  auto result = Matrix<double>::copy_of(values);
  for (Index i = 0; i < values.rows(); ++i) {
    axpy(-1.0, std::span<const double>(mean), result.view().row(i));
    scale(std::sqrt(weights[i]), result.view().row(i));
  }
  return result;
}

}  // namespace

RidgeSpectrum spectrum_of_functions(ConstMatrixView<double> functions, const RidgeProblem& problem, const Run& run) {
  const Index n = functions.rows();
  const Index r = functions.columns();
  const Matrix<double> centered = weighted_and_centered(functions, problem.weights);
  Matrix<double> scatter(r, r);
  parallel_syrk<double>(1.0, centered.view(), Transpose::yes, 0.0, scatter.view(), run);
  run.check_stop();
  const SymmetricEigen<double> eigen = symmetric_eigen(scatter.view(), run);
  const double largest = std::max(eigen.values.back(), 0.0);
  // Directions at the level of rounding have no u_j; their residual is part of the rest.
  const double floor = static_cast<double>(r) * std::numeric_limits<double>::epsilon() * largest;
  const auto first =
      static_cast<Index>(std::ranges::upper_bound(eigen.values, std::max(floor, std::numeric_limits<double>::min())) -
                         eigen.values.begin());
  RidgeSpectrum spectrum;
  spectrum.values.assign(eigen.values.begin() + first, eigen.values.end());
  spectrum.scale = largest > 0 ? largest : 1.0;
  spectrum.weights = problem.weights;
  spectrum.vectors = Matrix<double>(n, r - first);
  parallel_gemm<double>(1.0, centered.view(), Transpose::no, eigen.vectors.view().block(0, first, r, r - first),
                        Transpose::no, 0.0, spectrum.vectors.view(), run);
  const double total = std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0);
  for (Index i = 0; i < n; ++i) {
    const std::span<double> row = spectrum.vectors.view().row(i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      row[j] /= std::sqrt(spectrum.values[j]);
    }
    const double used = dot(std::span<const double>(row), std::span<const double>(row)) + problem.weights[i] / total;
    spectrum.rest.push_back(std::max(1 - used, 0.0));
    spectrum.rest_trace += spectrum.rest.back();
  }
  spectrum.rest_targets = weighted_and_centered(problem.targets.view(), problem.weights);
  spectrum.coefficients = Matrix<double>(r - first, problem.targets.columns());
  parallel_gemm<double>(1.0, spectrum.vectors.view(), Transpose::yes, spectrum.rest_targets.view(), Transpose::no, 0.0,
                        spectrum.coefficients.view(), run);
  parallel_gemm<double>(-1.0, spectrum.vectors.view(), Transpose::no, spectrum.coefficients.view(), Transpose::no, 1.0,
                        spectrum.rest_targets.view(), run);
  return spectrum;
}

double choose_discriminant_penalty(const RidgeProblem& problem, const KfdOptions& options, FitReport& report,
                                   const Run& run) {
  PhaseTimer timer(report);
  const bool norm = options.penalty == FisherPenalty::norm;
  SelectionRows selection =
      selection_rows(problem, norm ? RidgeForm::automatic : RidgeForm::dual, options.select_rows, run);
  RidgeSpectrum spectrum;
  if (!norm) {
    // The squared coefficients of one function fall as rows are added, its squared errors rise.
    selection.factor *= selection.factor;
  }
  if (norm) {
    spectrum = selection_spectrum(selection.problem, RidgeForm::automatic, timer, run);
  } else {
    timer.start("kernel matrix");
    const RidgeProblem& part = selection.problem;
    const PreparedKernel prepared(part.kernel, part.samples, Precision::double_precision, run);
    Matrix<double> k(part.samples.size(), part.samples.size());
    evaluate_gram<double>(prepared, Triangle::both, k.view(), run);
    for (Index i = 0; i < k.rows(); ++i) {
      for (Index j = 0; j < k.columns(); ++j) {
        k(i, j) *= std::sqrt(part.weights[j]);
      }
    }
    timer.start("spectrum");
    spectrum = spectrum_of_functions(k.view(), part, run);
  }
  timer.start("path");
  const RidgePath path = path_of(spectrum, penalty_path(spectrum), run);
  timer.stop();
  report_choice(selection, path, path.best_loo, "leave-one-out", report);
  return path.points[path.best_loo].lambda * selection.factor;
}

}  // namespace mercer
