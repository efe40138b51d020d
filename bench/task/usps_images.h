// The USPS digits as the tables of Schölkopf & Smola (2002) have them: 16 × 16 images in [−1, 1], smoothed with a
// Gaussian of width 0.75 pixels (the public files are not), background −1 beyond the border.
#pragma once

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "mercer/data/columns.h"
#include "mercer/data/files/data_file.h"
#include "mercer/linalg/matrix.h"

namespace mercer::bench {

struct UspsImages {
  Matrix<double> pixels;  ///< n × 256
  Targets labels;
};

inline std::filesystem::path usps_folder() {
  const char* given = std::getenv("MERCER_DATA");
  return (given != nullptr ? std::filesystem::path(given) : std::filesystem::path("../shared/data")) / "usps";
}

inline void smooth_images(Matrix<double>& pixels, double width) {
  constexpr Index side = 16;
  constexpr Index reach = 3;
  std::array<double, 2 * reach + 1> window{};
  double total = 0;
  for (Index k = -reach; k <= reach; ++k) {
    window[k + reach] = std::exp(-static_cast<double>(k * k) / (2 * width * width));
    total += window[k + reach];
  }
  const auto pass = [&](double* image, Index step, Index other) {
    std::array<double, side> line{};
    for (Index a = 0; a < side; ++a) {
      double* const start = image + a * other;
      for (Index b = 0; b < side; ++b) {
        double sum = 0;
        for (Index k = -reach; k <= reach; ++k) {
          const bool inside = b + k >= 0 && b + k < side;
          sum += window[k + reach] * (inside ? start[(b + k) * step] : -1.0);
        }
        line[b] = sum / total;
      }
      for (Index b = 0; b < side; ++b) {
        start[b * step] = line[b];
      }
    }
  };
  for (Index i = 0; i < pixels.rows(); ++i) {
    pass(pixels.view().row_data(i), 1, side);
    pass(pixels.view().row_data(i), side, 1);
  }
}

/// `name`: zip.train.csv.gz or zip.test.csv.gz. width 0: as in the file.
inline UspsImages read_usps(const std::string& name, double width) {
  DataFile file = read_data((usps_folder() / name).string(), {.targets = {"0"}, .header = Header::absent}, {});
  const Samples dense = to_dense<double>(default_columns(file.samples));
  const auto& rows = dense.as<DenseRows<double>>();
  Matrix<double> pixels(rows.rows, rows.columns);
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index j = 0; j < rows.columns; ++j) {
      pixels(i, j) = rows(i, j);
    }
  }
  if (width > 0) {
    smooth_images(pixels, width);
  }
  return {std::move(pixels), std::move(*file.targets)};
}

}  // namespace mercer::bench
