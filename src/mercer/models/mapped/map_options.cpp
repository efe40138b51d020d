#include "mercer/models/mapped/map_options.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/features/additive_chi2_map.h"
#include "mercer/features/linear_projection.h"
#include "mercer/features/map_error.h"
#include "mercer/features/nystroem_map.h"
#include "mercer/features/tensor_sketch.h"
#include "mercer/kernels/widths.h"
#include "mercer/models/fields.h"
#include "mercer/models/required_definiteness.h"
#include "mercer/models/training_rows.h"
#include "mercer/smoothing/fourier.h"

namespace mercer {

namespace {

constexpr Index error_samples = 200;

MapKind kind_for(const Kernel& kernel, const Samples& rows) {
  if (is_homogeneous(kernel)) {
    return MapKind::chi2;
  }
  if (polynomial_form(kernel)) {
    return MapKind::sketch;
  }
  return frequency_law(kernel, rows) ? MapKind::fourier : MapKind::nystroem;
}

Index feature_count(const MapOptions& options, Index rows) {
  const auto n = static_cast<double>(rows);
  return options.size > 0 ? options.size
                          : static_cast<Index>(std::clamp(std::ceil(std::sqrt(n) * std::log(n)), 100.0, 2000.0));
}

bool has_negative(const Samples& samples) {
  constexpr Index batch = 1024;
  const Samples numeric = numeric_columns(samples, -1, "chi2map");
  for (Index b = 0; b < block_count(numeric.size(), batch); ++b) {
    const Matrix<double> rows = dense_rows<double>(numeric, block_range(numeric.size(), batch, b));
    if (std::any_of(rows.data(), rows.data() + rows.rows() * rows.columns(), [](double x) { return x < 0; })) {
      return true;
    }
  }
  return false;
}

// Null for `automatic`.
std::shared_ptr<const FeatureMap> map_of_parts(MapKind kind, const MapParts& parts, const Kernel& kernel,
                                               const Run& run) {
  switch (kind) {
    case MapKind::fourier:
      return FourierMap::from_parts(parts);
    case MapKind::sinks:
      return KitchenSinks::from_parts(parts);
    case MapKind::sketch:
      return TensorSketch::from_parts(parts);
    case MapKind::chi2:
      return AdditiveChi2Map::from_parts(parts);
    case MapKind::nystroem:
      return NystroemMap::from_parts(parts, kernel, run);
    case MapKind::automatic:
      break;
  }
  return nullptr;
}

}  // namespace

void MapOptions::validate() const {
  static const std::vector<Option<MapOptions>> table = map_option_rows<MapOptions>(map_option_names);
  check_options<MapOptions>("map", table, *this);
}

MadeMap make_map(MapKind kind, const Kernel& kernel, const MapOptions& options, const WeightedSamples& all,
                 const Run& run) {
  options.validate();
  const Samples& rows = all.samples;
  require_finite(rows);  // names the row of the data; later there are blocks
  MadeMap made{.kind = kind, .kernel = resolve_widths(kernel, all, run)};
  if (kind == MapKind::automatic) {
    made.kind = kind_for(made.kernel, rows);
  }
  const Index size = feature_count(options, rows.size());
  switch (made.kind) {
    case MapKind::automatic:
    case MapKind::fourier:
      made.map =
          fourier_map(made.kernel, rows, {.size = size, .form = options.form, .draws = options.draws}, run.seed());
      break;
    case MapKind::sinks:
      made.map = kitchen_sinks(made.kernel, rows,
                               {.size = size, .family = options.family, .draws = options.draws, .bias = options.bias},
                               run.seed());
      break;
    case MapKind::sketch:
      // Fourier transforms of a prime length would take its square.
      made.map = tensor_sketch(made.kernel, rows, options.size > 0 ? size : fast_fourier_size(size), run.seed());
      break;
    case MapKind::chi2:
      made.map = additive_chi2_map(made.kernel, rows, options.steps, options.interval);
      break;
    case MapKind::nystroem: {
      refuse_conditional("nystroem", made.kernel);
      Landmarks landmarks = choose_landmarks(
          made.kernel, all,
          {.count = size, .rule = options.landmarks, .memory = 0.5 * allowed_memory(options.memory_mb)}, run);
      made.notes = std::move(landmarks.notes);
      const WhitenedLandmarks whitened = nystroem_map(made.kernel, landmarks.samples, options.tolerance, run);
      if (whitened.negative > 0) {
        made.notes.push_back(std::to_string(whitened.negative) + " negative eigenvalues of the landmarks were dropped");
      }
      made.map = whitened.map;
      made.landmark_rows = std::move(landmarks.rows);
      break;
    }
  }
  return made;
}

void report_map(const MadeMap& made, const Samples& rows, FitReport& report, const Run& run) {
  report.notes.insert(report.notes.end(), made.notes.begin(), made.notes.end());
  report.measures.push_back({"features", static_cast<double>(made.map->columns())});
  if (const auto* nystroem = dynamic_cast<const NystroemMap*>(made.map.get())) {
    report.measures.push_back({"landmarks", static_cast<double>(nystroem->landmarks().size())});
  }
  if (const auto* sinks = dynamic_cast<const KitchenSinks*>(made.map.get());
      sinks != nullptr && sinks->family() != SinkFamily::cos) {
    return;
  }
  if (made.kind == MapKind::sinks && frequency_law(made.kernel, rows)->amplitude != 1) {
    return;
  }
  if (made.kind == MapKind::chi2 && has_negative(rows)) {
    report.notes.emplace_back("there are values below 0, for which the features are those of sign(xy) k(|x|, |y|)");
    return;
  }
  const MapError error = estimate_map_error(made.kernel, *made.map, rows, error_samples, run);
  report.measure(Fact::kernel_error, error.rms);
  report.measures.push_back({"kernel error (largest)", error.largest});
}

void map_fields(Fields& visit, MapKind kind, const Kernel& kernel, std::shared_ptr<const FeatureMap>& map) {
  MapParts parts = visit.loading() ? MapParts() : map->parts();
  visit.group("map.", parts.arrays, parts.samples);
  if (visit.loading()) {
    map = map_of_parts(kind, parts, kernel, visit.run());
  }
  visit.require(map != nullptr, "no word of which map it has");
}

}  // namespace mercer
