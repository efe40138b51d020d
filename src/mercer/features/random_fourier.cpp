#include "mercer/features/random_fourier.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/vector_math.h"
#include "mercer/data/columns.h"
#include "mercer/features/low_discrepancy.h"
#include "mercer/features/orthogonal_frequencies.h"

namespace mercer {

namespace {

constexpr std::uint64_t frequency_stream = 0x72666600ULL;
constexpr std::uint64_t phase_stream = 0x72666601ULL;
constexpr std::uint64_t shape_stream = 0x72666602ULL;

}  // namespace

Matrix<double> draw_frequencies(const FrequencyLaw& law, Index columns, Index count, FrequencyDraws draws,
                                std::uint64_t seed) {
  if (draws == FrequencyDraws::best) {
    draws = law.shape ? FrequencyDraws::orthogonal : FrequencyDraws::independent;
  }
  if (draws != FrequencyDraws::independent && !law.shape) {
    throw InvalidArgument(
        "this kernel's frequencies can only be drawn independently: orthogonal and evenly spread ones are known for "
        "kernels of Euclidean distances and for laplacian. Use draws=independent or draws=best");
  }
  RandomStream random(seed, frequency_stream);
  Matrix<double> rows;
  if (draws == FrequencyDraws::orthogonal) {
    rows = orthogonal_normals(random, count, std::max<Index>(1, columns));
  } else if (draws == FrequencyDraws::halton) {
    rows = halton_normals(seed, count, columns);
  } else {
    rows = Matrix<double>(count, columns);
  }
  RandomStream shaping(seed, shape_stream);
  Matrix<double> frequencies(columns, count);
  std::vector<double> frequency(columns);
  for (Index i = 0; i < count; ++i) {
    if (draws == FrequencyDraws::independent) {
      law.draw(random, frequency);
    } else {
      std::copy_n(rows.view().row_data(i), columns, frequency.begin());
      law.shape(shaping, frequency);
    }
    for (Index j = 0; j < columns; ++j) {
      frequencies(j, i) = frequency[j];
    }
  }
  return frequencies;
}

std::vector<double> draw_phases(Index count, std::uint64_t seed) {
  RandomStream random(seed, phase_stream);
  std::vector<double> phases;
  for (Index i = 0; i < count; ++i) {
    phases.push_back(2 * std::numbers::pi * random.uniform());
  }
  return phases;
}

FrequencyLaw require_frequency_law(const Kernel& kernel, const Samples& samples, const char* map) {
  numeric_columns(samples, -1, map);
  std::optional<FrequencyLaw> law = frequency_law(kernel, samples);
  if (!law) {
    throw InvalidArgument(std::string(map) + ": the kernel " + kernel.spec() +
                          " has no spectral density to draw frequencies from. rbf, matern, exponential, cauchy, rq, "
                          "laplacian, spectral_mixture and their sums and products have one; nystroem takes any "
                          "positive definite kernel");
  }
  return std::move(*law);
}

FourierMap::FourierMap(Matrix<double> frequencies, std::vector<double> phases, double amplitude)
    : projection_(std::move(frequencies)), phases_(std::move(phases)), amplitude_(amplitude) {
  if (!phases_.empty() && static_cast<Index>(phases_.size()) != projection_.outputs()) {
    throw InvalidArgument("a Fourier map with " + std::to_string(phases_.size()) + " phases for " +
                          std::to_string(projection_.outputs()) + " frequencies");
  }
  if (!(amplitude >= 0) || !std::isfinite(amplitude)) {
    reject_argument("amplitude", amplitude, "0 or more, and finite");
  }
}

std::shared_ptr<const FourierMap> FourierMap::from_parts(const MapParts& parts) {
  const Matrix<double>& stored = parts.array("frequencies");
  const Index count = stored.columns();
  const Index phases = parts.array("phases").columns() == 0 ? 0 : count;
  const Matrix<double> shifts = parts.finite("phases", 1, phases);
  const double amplitude = parts.finite("amplitude", 1, 1)(0, 0);
  if (count < 1 || amplitude < 0) {
    throw DataError("a stored Fourier map without frequencies, or with a negative amplitude");
  }
  return std::make_shared<const FourierMap>(parts.finite("frequencies", stored.rows(), count),
                                            std::vector<double>(shifts.data(), shifts.data() + phases), amplitude);
}

template <class T>
void FourierMap::fill(const Samples& samples, MatrixView<T> out, const Run& run) const {
  const Index count = projection_.outputs();
  const T factor = static_cast<T>(std::sqrt(2 * amplitude_ / static_cast<double>(columns())));
  const std::vector<T> shifts(phases_.begin(), phases_.end());
  projection_.for_blocks<T>(
      samples, "fourier", ProjectionUse::angles,
      [&](IndexRange range, MatrixView<T> angles) {
        for (Index i = 0; i < range.size(); ++i) {
          const std::span<T> angle = angles.row(i);
          const std::span<T> target = out.row(range.begin + i);
          if (shifts.empty()) {
            vector_sin(angle, target.subspan(static_cast<std::size_t>(count)));
          }
          for (std::size_t c = 0; c < shifts.size(); ++c) {
            angle[c] += shifts[c];
          }
          vector_cos(angle, target.first(static_cast<std::size_t>(count)));
          for (T& value : target) {
            value *= factor;
          }
        }
      },
      run);
}

void FourierMap::transform(const Samples& samples, MatrixView<double> out, const Run& run) const {
  fill(samples, out, run);
}
void FourierMap::transform(const Samples& samples, MatrixView<float> out, const Run& run) const {
  fill(samples, out, run);
}

MapParts FourierMap::parts() const {
  MapParts parts;
  parts.arrays.emplace("frequencies", Matrix<double>::copy_of(frequencies().view()));
  Matrix<double> shifts(1, static_cast<Index>(phases_.size()));
  std::copy(phases_.begin(), phases_.end(), shifts.data());
  parts.arrays.emplace("phases", std::move(shifts));
  parts.arrays.emplace("amplitude", Matrix<double>::filled(1, 1, amplitude_));
  return parts;
}

std::shared_ptr<const FourierMap> fourier_map(const Kernel& kernel, const Samples& samples,
                                              const FourierOptions& options, std::uint64_t seed) {
  if (options.size < 1) {
    reject_argument("size", static_cast<double>(options.size), "1 or more");
  }
  const FrequencyLaw law = require_frequency_law(kernel, samples, "fourier");
  const bool pairs = options.form == FourierForm::pairs;
  const Index count = pairs ? (options.size + 1) / 2 : options.size;
  Matrix<double> frequencies = draw_frequencies(law, default_columns(samples).columns(), count, options.draws, seed);
  return std::make_shared<const FourierMap>(std::move(frequencies),
                                            pairs ? std::vector<double>{} : draw_phases(count, seed), law.amplitude);
}

}  // namespace mercer
