#include "mercer/models/features/pursuit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/features/projection_pursuit.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"
#include "mercer/models/features/feature_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"

namespace mercer {

namespace {

bool pursuit_whitens(const PursuitOptions& options) {
  switch (options.whiten) {
    case PursuitWhitening::yes:
      return true;
    case PursuitWhitening::no:
      return false;
    case PursuitWhitening::automatic:
      break;
  }
  return !is_convex(options.contrast);
}

ProjectionPursuitOptions climb_options(const PursuitOptions& options) {
  ProjectionPursuitOptions result;
  result.components = options.components;
  result.contrast = options.contrast;
  result.restarts = options.restarts;
  result.max_iterations = options.max_iterations;
  result.tolerance = options.tolerance;
  result.density_rows = options.density_rows;
  return result;
}

// Kernel PCA in the coordinates: the leading directions, scaled to variance 1 where whitened.
Matrix<double> principal_directions(const CenteredRows& centered, Index count, bool whiten, const Run& run) {
  const Matrix<double> covariance = cross_product(centered.rows.view(), run);
  const SymmetricEigen<double> eigen = symmetric_eigen(covariance.view(), run);
  const Index r = covariance.rows();
  const double largest = r > 0 ? eigen.values.back() : 0.0;
  Index kept = 0;
  while (kept < std::min(count, r) && eigen.values[r - 1 - kept] > 1e-10 * largest) {
    ++kept;
  }
  Matrix<double> directions(r, kept);
  for (Index c = 0; c < kept; ++c) {
    const double factor = whiten ? 1 / std::sqrt(eigen.values[r - 1 - c]) : 1.0;
    for (Index i = 0; i < r; ++i) {
      directions(i, c) = factor * eigen.vectors(i, r - 1 - c);
    }
  }
  return directions;
}

// (F − mean) D.
Matrix<double> pursuit_scores(const PivotCoordinates& coordinates, std::span<const double> mean,
                              const Matrix<double>& directions, const Run& run) {
  Matrix<double> centered = Matrix<double>::copy_of(coordinates.values.view());
  for (Index i = 0; i < centered.rows(); ++i) {
    axpy(-1.0, mean, centered.view().row(i));
  }
  Matrix<double> scores(centered.rows(), directions.columns());
  parallel_gemm<double>(1, std::as_const(centered).view(), Transpose::no, directions.view(), Transpose::no, 0,
                        scores.view(), run);
  return scores;
}

}  // namespace

void PursuitOptions::validate() const {
  check_options<PursuitOptions>("pursuit", pursuit_option_table(), *this);
  if (whiten == PursuitWhitening::no && !is_convex(contrast)) {
    throw InvalidArgument(
        "pursuit: contrast " + std::string(word_of(contrast)) +
        " compares values of variance 1, which whiten=no does not give: leave whiten at automatic, or "
        "take contrast fourth, square or logcosh");
  }
}

std::span<const Option<PursuitOptions>> pursuit_option_table() {
  static const std::array<Option<PursuitOptions>, 9> table{{
      {"components", &PursuitOptions::components, "how many directions", Constraint::positive},
      {"contrast", &PursuitOptions::contrast,
       "what makes values interesting: fourth (mean fourth power), square (variance: kernel PCA), logcosh; negentropy, "
       "entropy, fisher: how far from a normal distribution"},
      {"whiten", &PursuitOptions::whiten,
       "scale all kernel PCA coordinates to variance 1 first; automatic: for negentropy, entropy and fisher"},
      {"coordinates", &PursuitOptions::coordinates,
       "leading kernel PCA coordinates to search in; 0: 100, 20 where whitened", Constraint::nonnegative},
      {"restarts", &PursuitOptions::restarts, "starts per direction, of which the best counts", Constraint::positive},
      {"max_iterations", &PursuitOptions::max_iterations, "limit on steps per direction", Constraint::positive},
      {"tolerance", &PursuitOptions::tolerance, "a step of this length ends the climb", Limits::between(0, 1)},
      {"density_rows", &PursuitOptions::density_rows, "random rows that entropy and fisher look at, at most",
       Constraint::positive},
      {"rank", &PursuitOptions::rank,
       "training rows that the functions are built from, at most; 0: 1000, fewer beyond 20000 rows",
       Constraint::nonnegative},
  }};
  return table;
}

std::unique_ptr<FeatureModel> fit_pursuit(const Kernel& kernel, const PursuitOptions& options, const TrainingData& data,
                                          const Run& run) {
  options.validate();
  FitReport report;
  PhaseTimer timer(report);
  timer.start("kernel");
  const FeatureRows rows = feature_rows("pursuit", kernel, data, run, EqualRows::merged);
  const PivotCoordinates coordinates = feature_coordinates("pursuit", rows, options.rank, report, run);
  timer.start("kernel PCA");
  const bool whiten = pursuit_whitens(options);
  const CenteredRows centered = centered_rows(coordinates.values.view(), rows.weights);
  const Index most = options.coordinates > 0 ? options.coordinates : whiten ? 20 : 100;
  const Matrix<double> principal = principal_directions(centered, most, whiten, run);
  if (principal.columns() == 0) {
    throw DataError("pursuit: the samples are all alike to " + rows.kernel().spec());
  }
  timer.start("pursuit");
  const Matrix<double> scores = pursuit_scores(coordinates, centered.mean, principal, run);
  const ProjectionPursuit found = projection_pursuit(scores.view(), rows.weights, climb_options(options), run);
  timer.start("model");
  Matrix<double> directions(coordinates.rank(), found.directions.columns());
  parallel_gemm<double>(1, principal.view(), Transpose::no, found.directions.view(), Transpose::no, 0,
                        directions.view(), run);
  FeatureModel::Parts parts = projection_parts(rows, coordinates, centered.mean, std::as_const(directions).view(),
                                               whiten ? Directions::oblique : Directions::orthonormal, run);
  parts.value = ComponentValue::contrast;
  parts.values = found.contrasts;
  report.status = found.status;
  report.iterations = found.iterations;
  report.objective_name = "contrast of the first component";
  report.objective = found.contrasts.front();
  report.measures.push_back({"coordinates", static_cast<double>(principal.columns())});
  timer.stop();
  return std::make_unique<FeatureModel>(ModelHead{.name = "pursuit",
                                                  .requested_kernel = rows.requested_kernel,
                                                  .settings = settings_of(pursuit_option_table(), options),
                                                  .output_names = component_names(parts.expansion.outputs()),
                                                  .report = std::move(report)},
                                        std::move(parts));
}

const ModelEntry& pursuit_entry() {
  static const ModelEntry entry = make_entry<FeatureModel>(
      {.name = "pursuit",
       .aliases = {"projection-pursuit"},
       .summary = "kernel projection pursuit: functions whose values are far from normal, or heavy-tailed",
       .task = Task::features,
       .default_kernel = "rbf(gamma=scale)"},
      pursuit_option_table(), fit_pursuit);
  return entry;
}

}  // namespace mercer
