#include "mercer/models/prototypes/cover.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/models/merged_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/prototypes/expansion_parts.h"
#include "mercer/models/prototypes/training_gram.h"
#include "mercer/solvers/clusters/set_cover.h"

namespace mercer {

namespace {

// The linear programme of so many rows takes about a second, and grows with the third power.
constexpr Index programmed_rows = 500;
constexpr int bisections = 40;

class RowDistances {
 public:
  RowDistances(const DistanceRows& counted, double memory_mb, const Run& run)
      : gram_(training_distances(counted.kernel, counted.samples, DistancePower::plain, memory_mb, run)) {}

  Index size() const { return gram_->size(); }

  /// Rows at most `radius` away, ascending, of every row.
  std::vector<std::vector<Index>> neighbors(double radius, const Run& run) const {
    constexpr double rounding = 1e-12;
    std::vector<std::vector<Index>> result(size());
    for_rows(run, [&](Index i, std::span<const double> distances) {
      for (Index j = 0; j < size(); ++j) {
        if (j == i || distances[j] <= radius * (1 + rounding)) {
          result[i].push_back(j);
        }
      }
    });
    // Rounding of one side of the matrix must not be seen by the other.
    for (Index i = 0; i < size(); ++i) {
      std::erase_if(result[i], [&](Index j) { return !std::ranges::binary_search(result[j], i); });
    }
    return result;
  }

  /// From every row to the nearest of the chosen ones.
  std::vector<double> to_nearest(const std::vector<Index>& chosen, const Run& run) const {
    std::vector<double> result(size());
    for_rows(run, [&](Index i, std::span<const double> distances) {
      result[i] = std::numeric_limits<double>::infinity();
      for (const Index j : chosen) {
        result[i] = std::min(result[i], distances[j]);
      }
    });
    return result;
  }

  double largest(const Run& run) const {
    std::vector<double> of_rows(size());
    for_rows(run, [&](Index i, std::span<const double> distances) { of_rows[i] = std::ranges::max(distances); });
    return std::ranges::max(of_rows);
  }

 private:
  template <class Use>
  void for_rows(const Run& run, Use use) const {
    parallel_for(run, size(), [&](Index i) {
      std::vector<double> distances(size());
      gram_->row(i, distances);
      use(i, std::span<const double>(distances));
    });
  }

  std::shared_ptr<const Gram<double>> gram_;
};

// The least radius, to a part in 10¹², whose greedy cover has no more than the wanted number of rows.
double radius_for(const RowDistances& distances, Index wanted, const Run& run) {
  const auto suffices = [&](double radius) {
    const SetCover cover = cover_rows(distances.neighbors(radius, run), CoverProgram::skip, run);
    return static_cast<Index>(cover.rows.size()) <= wanted;
  };
  if (suffices(0)) {
    return 0;
  }
  double low = 0;
  double high = distances.largest(run);
  for (int k = 0; k < bisections; ++k) {
    const double middle = (low + high) / 2;
    (suffices(middle) ? high : low) = middle;
  }
  return high;
}

CoverProgram program_for(CoverMethod method, Index rows) {
  const bool solve = method == CoverMethod::program || (method == CoverMethod::automatic && rows <= programmed_rows);
  return solve ? CoverProgram::solve : CoverProgram::skip;
}

}  // namespace

void CoverOptions::validate() const { check_options<CoverOptions>("cover", cover_option_table(), *this); }

std::span<const Option<CoverOptions>> cover_option_table() {
  static const std::vector<Option<CoverOptions>> table = {
      {"radius", &CoverOptions::radius,
       "every row lies at most so far from a code vector, in feature space; not given: as small as `clusters` allow",
       Constraint::nonnegative},
      {"clusters", &CoverOptions::clusters, "how many code vectors at most, where no radius is given",
       Constraint::positive},
      {"method", &CoverOptions::method,
       "program: by the linear programme, or greedy where that cover is smaller; greedy alone; auto: program up to 500 "
       "rows"},
      {"memory_mb", &CoverOptions::memory_mb,
       "distances are stored up to this size, and evaluated at every pass beyond; 0: half of the machine's memory",
       Constraint::nonnegative},
  };
  return table;
}

std::unique_ptr<PrototypeModel> fit_cover(const Kernel& kernel, const CoverOptions& options, const TrainingData& given,
                                          const Run& run) {
  options.validate();
  const MergedRows merged = merged_rows("cover", &kernel, given);
  FitReport report;
  PhaseTimer timer(report);
  timer.start("kernel");
  const DistanceRows counted = distance_rows("cover", kernel, merged.data, run);
  const RowDistances distances(counted, options.memory_mb, run);
  timer.start("solve");
  const double radius = options.radius ? *options.radius : radius_for(distances, options.clusters, run);
  const CoverProgram program = program_for(options.method, distances.size());
  const SetCover cover = cover_rows(distances.neighbors(radius, run), program, run);
  timer.start("model");
  std::vector<Index> rows;
  for (const Index number : cover.rows) {
    rows.push_back(counted.rows[number]);
  }
  Expansion points = row_points(counted.kernel, counted.samples.select(cover.rows), run);
  timer.stop();
  constexpr double rounding = 1e-6;
  report.objective_name = "code vectors";
  report.objective = static_cast<double>(cover.rows.size());
  report.measures = {
      {"code vectors", static_cast<double>(cover.rows.size())},
      {"no cover has fewer than", std::ceil(cover.bound - rounding)},
      {program == CoverProgram::solve ? "bound of the linear programme" : "bound of the greedy prices", cover.bound},
      {Fact::radius, radius},
      {"largest distance to a code vector", std::ranges::max(distances.to_nearest(cover.rows, run))}};
  return std::make_unique<PrototypeModel>(
      ModelHead{.name = "cover",
                .requested_kernel = kernel.spec(),
                .settings = settings_of(cover_option_table(), options),
                .output_names = {"cluster"},
                .report = std::move(report)},
      PrototypeModel::Parts{
          .kind = PointKind::medoids, .points = std::move(points), .point_rows = merged.given(std::move(rows))});
}

namespace {

PrototypeModel::Parts no_code_vectors() { return {.kind = PointKind::medoids}; }

}  // namespace

const ModelEntry& cover_entry() {
  static const ModelEntry entry = make_entry<PrototypeModel>(
      {.name = "cover",
       .aliases = {"kernel-vq"},
       .summary = "vector quantization by covering: few samples, so that every one is within a radius of one of them",
       .task = Task::clustering,
       .default_kernel = "linear()"},
      cover_option_table(), fit_cover, no_code_vectors);
  return entry;
}

}  // namespace mercer
