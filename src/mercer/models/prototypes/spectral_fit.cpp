// fit_spectral: degrees, leading eigenvectors, k-means on the unit sphere, Nyström coefficients.
#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/text.h"
#include "mercer/gram/low_rank.h"
#include "mercer/linalg/symmetric_eigen.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/prototypes/expansion_parts.h"
#include "mercer/models/prototypes/spectral.h"
#include "mercer/models/prototypes/training_gram.h"
#include "mercer/solvers/clusters/kernel_kmeans.h"

namespace mercer {

namespace {

constexpr Index degree_rows = 64;
constexpr Index degree_columns = 1024;
constexpr Index affinity_direct_rows = 500;
// Eigenvectors below this fraction of the largest eigenvalue, 1, are noise that Nyström's formula would magnify.
constexpr double least_affinity_eigenvalue = 1e-9;

// D_ii = Σ_j w_j K_ij. Looks at every entry on the way.
std::vector<double> affinity_degrees(const Gram<double>& gram, const DistanceRows& counted, const Run& run) {
  const Index n = gram.size();
  std::vector<double> diagonal(n);
  gram.diagonal(diagonal);
  const double least_value = -1e-12 * *std::max_element(diagonal.begin(), diagonal.end());
  std::vector<double> degrees(n, 0.0);
  std::vector<Workspace> workspaces(run.threads());
  parallel_for_workers(run, block_count(n, degree_rows), [&](Index b, int worker) {
    const IndexRange rows = block_range(n, degree_rows, b);
    Matrix<double> values(rows.size(), degree_columns);
    for (Index begin = 0; begin < n; begin += degree_columns) {
      const IndexRange columns{begin, std::min(begin + degree_columns, n)};
      const MatrixView<double> part = values.view().block(0, 0, rows.size(), columns.size());
      gram.fill(rows, columns, part, workspaces[worker]);
      for (Index i = rows.begin; i < rows.end; ++i) {
        for (Index j = columns.begin; j < columns.end; ++j) {
          const double value = part(i - rows.begin, j - columns.begin);
          if (!(value >= least_value)) {
            throw DataError("spectral: the kernel value between rows " + std::to_string(counted.rows[i]) + " and " +
                            std::to_string(counted.rows[j]) + " (counted from 0) is " + shortest(value) +
                            ": kernel values are weights of a graph and must not be negative. Use a kernel such as "
                            "rbf, laplacian or exponential");
          }
          degrees[i] += counted.weights[j] * value;
        }
      }
    }
  });
  return degrees;
}

struct AffinityEigen {
  std::vector<double> values;  // descending
  Matrix<double> vectors;      // n × values
  SolveStatus status = SolveStatus::converged;
  Index products = 0;
};

AffinityEigen eigen_by_lapack(const Gram<double>& gram, const std::vector<double>& scale, Index count, const Run& run) {
  const Index n = gram.size();
  Matrix<double> matrix(n, n);
  gram.tile({0, n}, {0, n}, matrix.view());
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      matrix(i, j) *= scale[i] * scale[j];
    }
  }
  const SymmetricEigen<double> all = symmetric_eigen(matrix.view(), run);
  AffinityEigen result;
  result.vectors = Matrix<double>(n, count);
  for (Index c = 0; c < count; ++c) {
    result.values.push_back(all.values[n - 1 - c]);
    for (Index i = 0; i < n; ++i) {
      result.vectors(i, c) = all.vectors(i, n - 1 - c);
    }
  }
  return result;
}

AffinityEigen leading_affinity(const Gram<double>& gram, const std::vector<double>& scale, Index count,
                               double tolerance, const Run& run) {
  const Index n = gram.size();
  if (n <= affinity_direct_rows) {
    return eigen_by_lapack(gram, scale, count, run);
  }
  Index products = 0;
  const BlockOperator<double> affinity = [&](ConstMatrixView<double> x, MatrixView<double> y) {
    Matrix<double> scaled(n, x.columns());
    for (Index i = 0; i < n; ++i) {
      for (Index c = 0; c < x.columns(); ++c) {
        scaled(i, c) = scale[i] * x(i, c);
      }
    }
    gram.multiply(std::as_const(scaled).view(), y, run);
    for (Index i = 0; i < n; ++i) {
      for (Index c = 0; c < x.columns(); ++c) {
        y(i, c) *= scale[i];
      }
    }
    run.progress("eigenvectors", static_cast<double>(++products), 0);
  };
  LeadingEigen<double> leading = leading_eigenpairs<double>(affinity, n, count, {.tolerance = tolerance}, run);
  run.check_stop();
  return {std::move(leading.values), std::move(leading.vectors), leading.status, leading.products};
}

// Rows of norm 1 of the first `coordinates` vectors, each divided by √w.
Matrix<double> sphere_rows(const AffinityEigen& eigen, Index coordinates, std::span<const double> weights) {
  Matrix<double> rows(eigen.vectors.rows(), coordinates);
  for (Index i = 0; i < rows.rows(); ++i) {
    double sum = 0;
    for (Index c = 0; c < coordinates; ++c) {
      rows(i, c) = eigen.vectors(i, c) / std::sqrt(weights[i]);
      sum += rows(i, c) * rows(i, c);
    }
    for (Index c = 0; c < coordinates && sum > 0; ++c) {
      rows(i, c) /= std::sqrt(sum);
    }
  }
  return rows;
}

Matrix<double> cluster_means(const Matrix<double>& rows, const KernelKmeansSolution& clusters,
                             std::span<const double> weights) {
  Matrix<double> means = Matrix<double>::filled(clusters.clusters, rows.columns(), 0.0);
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Index c = clusters.assignment[at];
    const double share = weights[at] / clusters.cluster_weights[c];
    for (Index j = 0; j < rows.columns(); ++j) {
      means(c, j) += share * rows(i, j);
    }
  }
  return means;
}

// √w_i v_ic / (λ_c √D_ii): Nyström's formula without the factor that goes with the norm.
Matrix<double> nystrom_coefficients(const AffinityEigen& eigen, Index coordinates, std::span<const double> scale) {
  Matrix<double> coefficients(eigen.vectors.rows(), coordinates);
  for (Index i = 0; i < coefficients.rows(); ++i) {
    for (Index c = 0; c < coordinates; ++c) {
      coefficients(i, c) = scale[i] * eigen.vectors(i, c) / eigen.values[c];
    }
  }
  return coefficients;
}

void report_spectrum(const SpectralOptions& options, const AffinityEigen& eigen, const KernelKmeansSolution& clusters,
                     FitReport& report) {
  report.status = eigen.status != SolveStatus::converged ? eigen.status : clusters.status;
  report.iterations = eigen.products;
  report.objective_name = "inertia on the sphere";
  report.objective = clusters.objective;
  report.measures = {{"clusters", static_cast<double>(clusters.clusters)}};
  for (std::size_t c = 0; c < eigen.values.size(); ++c) {
    report.measures.push_back({"eigenvalue " + std::to_string(c + 1), eigen.values[c]});
  }
  if (clusters.clusters < options.clusters) {
    report.notes.push_back(std::to_string(clusters.clusters) + " clusters instead of " +
                           std::to_string(options.clusters) + ": there are no more distinct samples");
  }
}

}  // namespace

std::unique_ptr<SpectralModel> fit_spectral(const Kernel& kernel, const SpectralOptions& options,
                                            const TrainingData& data, const Run& run) {
  options.validate();
  FitReport report;
  PhaseTimer timer(report);
  timer.start("kernel");
  const DistanceRows counted = distance_rows("spectral", kernel, data, run);
  const auto gram = training_gram(counted.kernel, counted.samples, options.memory_mb, run);
  const Index n = gram->size();
  const std::vector<double> degrees = affinity_degrees(*gram, counted, run);
  std::vector<double> scale;
  for (std::size_t i = 0; i < degrees.size(); ++i) {
    scale.push_back(degrees[i] > 0 ? std::sqrt(counted.weights[i] / degrees[i]) : 0.0);
  }
  timer.start("eigenvectors");
  const Index wanted = std::min(options.components > 0 ? options.components : options.clusters, n);
  // One more than there are coordinates: the gap after the last says whether their number is right.
  const AffinityEigen eigen = leading_affinity(*gram, scale, std::min(wanted + 1, n), options.tolerance, run);
  Index coordinates = 0;
  while (coordinates < wanted && eigen.values[coordinates] > least_affinity_eigenvalue) {
    ++coordinates;
  }
  if (coordinates == 0) {
    throw NumericalError("spectral: all kernel values are 0: the graph has no edges");
  }
  timer.start("clusters");
  const Matrix<double> rows = sphere_rows(eigen, coordinates, counted.weights);
  const LowRankGram<double> sphere(Matrix<double>::copy_of(rows.view()));
  const KernelKmeansSolution clusters = kernel_kmeans(
      sphere, counted.weights,
      {.clusters = options.clusters, .restarts = options.restarts, .max_iterations = options.max_iterations}, run);
  timer.start("model");
  Expansion expansion =
      compact_expansion(counted.kernel, counted.samples, nystrom_coefficients(eigen, coordinates, scale),
                        std::vector<double>(coordinates, 0.0), run);
  timer.stop();
  report_spectrum(options, eigen, clusters, report);
  return std::make_unique<SpectralModel>(
      ModelHead{.name = "spectral",
                .requested_kernel = kernel.spec(),
                .settings = settings_of(spectral_option_table(), options),
                .output_names = {"cluster"},
                .report = std::move(report)},
      SpectralModel::Parts{
          .coordinates = std::move(expansion),
          .means = cluster_means(rows, clusters, counted.weights),
          .eigenvalues = {eigen.values.begin(), eigen.values.begin() + static_cast<std::ptrdiff_t>(coordinates)}});
}

}  // namespace mercer
