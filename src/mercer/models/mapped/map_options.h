// What models on explicit features share: which map, its options, how it is made, stored and reported on.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/features/feature_map.h"
#include "mercer/features/kitchen_sinks.h"
#include "mercer/features/landmarks.h"
#include "mercer/features/random_fourier.h"
#include "mercer/models/model.h"
#include "mercer/models/option_table.h"
#include "mercer/models/training_rows.h"

namespace mercer {

/// `automatic`: fourier where the kernel has a spectral density, sketch for poly, chi2 for additive_chi2 and
/// intersection, nystroem for all others.
enum class MapKind { automatic, fourier, nystroem, sinks, sketch, chi2 };
constexpr auto words_of(MapKind) {
  return std::array{Word{MapKind::automatic, "auto"},    Word{MapKind::fourier, "fourier"},
                    Word{MapKind::nystroem, "nystroem"}, Word{MapKind::sinks, "sinks"},
                    Word{MapKind::sketch, "sketch"},     Word{MapKind::chi2, "chi2"}};
}

struct MapOptions {
  Index size = 0;  ///< features; 0: √n ln n of n rows, from 100 to 2000
  FourierForm form = FourierForm::pairs;
  FrequencyDraws draws = FrequencyDraws::best;
  SinkFamily family = SinkFamily::cos;
  double bias = 1;
  Index steps = 2;
  double interval = 0;
  LandmarkRule landmarks = LandmarkRule::pivots;
  double tolerance = 1e-10;
  double memory_mb = 0;

  /// Throws InvalidArgument.
  void validate() const;
};

inline constexpr std::array<std::string_view, 10> map_option_names = {
    "size", "form", "draws", "family", "bias", "steps", "interval", "landmarks", "tolerance", "memory_mb"};

/// Rows of an option table, for the options of these names.
template <class Options>
std::vector<Option<Options>> map_option_rows(std::span<const std::string_view> names) {
  std::vector<Option<Options>> all = {
      {"size", &Options::size, "how many features; 0: √n ln n of n rows, at least 100 and at most 2000",
       Constraint::nonnegative},
      {"form", &Options::form, "fourier: pairs of cosine and sine, or cosines with random phases"},
      {"draws", &Options::draws,
       "frequencies: independent; orthogonal directions; halton, evenly spread; best: orthogonal where possible"},
      {"family", &Options::family, "sinks: the function of w·x + b"},
      {"bias", &Options::bias, "sinks: standard deviation of b (cos has uniform phases)", Constraint::nonnegative},
      {"steps", &Options::steps, "chi2: samples of the spectrum; every column becomes 2 steps - 1 features",
       Constraint::positive},
      {"interval", &Options::interval, "chi2: distance of these samples; 0: by their number", Constraint::nonnegative},
      {"landmarks", &Options::landmarks,
       "nystroem: pivots (randomly pivoted Cholesky), greedy (the largest rest each time), leverage (by ridge leverage "
       "scores), kmeans (means of clusters), uniform"},
      {"tolerance", &Options::tolerance, "nystroem: directions below this share of the largest eigenvalue are dropped",
       Limits::from_to_below(0, 1)},
      {"memory_mb", &Options::memory_mb, "what a fit may take beside the data; 0: half of the machine's memory",
       Constraint::nonnegative},
  };
  std::vector<Option<Options>> chosen;
  for (Option<Options>& row : all) {
    if (std::find(names.begin(), names.end(), row.name) != names.end()) {
      chosen.push_back(std::move(row));
    }
  }
  return chosen;
}

/// `own` with a choice of map before it and all options of maps after it.
template <class Options>
std::vector<Option<Options>> mapped_option_table(std::vector<Option<Options>> own) {
  own.insert(own.begin(),
             {"map", &Options::map, "auto: by the kernel, fourier where it has a spectrum; or one of the others"});
  const std::vector<Option<Options>> rows = map_option_rows<Options>(map_option_names);
  own.insert(own.end(), rows.begin(), rows.end());
  return own;
}

struct MadeMap {
  MapKind kind = MapKind::fourier;
  Kernel kernel;  ///< with its widths resolved
  std::shared_ptr<const FeatureMap> map = {};
  std::vector<Index> landmark_rows = {};  ///< of nystroem, where landmarks are rows
  std::vector<std::string> notes = {};
};

/// A map for the kernel on the rows that count. Random numbers come from run.seed().
MadeMap make_map(MapKind kind, const Kernel& kernel, const MapOptions& options, const WeightedSamples& all,
                 const Run& run);

/// Notes, the number of features, and where the map stands for the kernel its error on pairs of a few hundred rows.
void report_map(const MadeMap& made, const Samples& rows, FitReport& report, const Run& run);

/// The map among the parts of a model, under names that begin with "map.". DataError where there is no such map.
void map_fields(Fields& visit, MapKind kind, const Kernel& kernel, std::shared_ptr<const FeatureMap>& map);

}  // namespace mercer
