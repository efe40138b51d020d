// Options of kernel densities, and how samples become points: what `kde` and `kdec` share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/models/density/column_numbers.h"
#include "mercer/models/density/density_bandwidth.h"
#include "mercer/models/density/density_columns.h"
#include "mercer/models/model.h"
#include "mercer/models/option_table.h"
#include "mercer/smoothing/kernel_density.h"

namespace mercer {

struct KdeOptions {
  SmoothingShape shape = SmoothingShape::gaussian;
  DensityBandwidth bandwidth = BandwidthRule::silverman;
  BandwidthForm form = BandwidthForm::diagonal;  ///< of what a rule chooses
  double adaptive = 0;                           ///< sensitivity of per-point bandwidths; 0: none, 0.5: Abramson's
  ColumnNumbers lower;
  ColumnNumbers upper;
  ColumnNumbers period;
  SumMethod method = SumMethod::automatic;
  double relative_error = 1e-6;
  double absolute_error = 0;

  void validate() const;
};

std::span<const Option<KdeOptions>> kde_option_table();

/// n × numeric columns. DataError for samples that are not numbers, have no columns or hold values that are not finite.
Matrix<double> density_points(const Samples& samples, const char* model);

/// The rows that count: points and weights (empty where all are 1). DataError as weighted_rows().
struct DensityRows {
  Matrix<double> points;
  std::vector<double> weights;
};
DensityRows density_rows(const TrainingData& data, const char* model);

/// The density that the options ask for, over rows without the columns that are left out: lists of the options have
/// entries for these, too. `notes` and `report` get what there is to say.
KernelDensity fit_kernel_density(const KdeOptions& options, DensityRows rows, const LeftOutColumns& left_out,
                                 FitReport& report, const Run& run);

/// Positive numbers, one per point. A file has them even where all are 1 and the vector is empty.
void point_factors(Fields& visit, const std::string& name, std::vector<double>& factors, Index points);
/// The parts of a density, their names starting with `prefix`; loading makes it with the options of the model.
void density_fields(Fields& visit, const std::string& prefix, const KdeOptions& options, const LeftOutColumns& left_out,
                    KernelDensity& density);

}  // namespace mercer
