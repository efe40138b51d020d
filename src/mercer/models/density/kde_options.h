// Options of kernel densities, and how samples become points: what `kde` and `kdec` share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/models/density/density_columns.h"
#include "mercer/models/model.h"
#include "mercer/models/option_table.h"
#include "mercer/smoothing/kernel_density.h"

namespace mercer {

struct KdeOptions {
  std::string shape = "gaussian";
  std::string bandwidth = "silverman";  ///< a rule, a number, one per column ("0.5,2") or a matrix H ("4,1;1,9")
  std::string form = "diagonal";
  double adaptive = 0;  ///< sensitivity of per-point bandwidths; 0: none, 0.5: Abramson's
  std::string lower;    ///< one number per column, or one for all; "none" where there is no end
  std::string upper;
  std::string period;
  std::string method = "auto";
  double relative_error = 1e-6;
  double absolute_error = 0;

  /// The table's lines for these, for an options struct derived from this one.
  template <class Options>
  static std::vector<Option<Options>> table();
  void validate() const;
  /// Whether the bandwidth is chosen by a rule, and not given in numbers.
  bool has_rule() const;
};

template <class Options>
std::vector<Option<Options>> KdeOptions::table() {
  std::vector<std::string> shapes;
  for (const SmoothingShape shape : smoothing_shapes) {
    shapes.emplace_back(to_string(shape));
  }
  return {
      {"shape", &Options::shape, "the smoothing kernel", Constraint::any, shapes},
      {"bandwidth", &Options::bandwidth,
       "scott, silverman, normal (robust), likelihood or least_squares (cross-validated), isj (one column), a number, "
       "one number per column as in 0.5,2, or the matrix of squared widths by rows as in 4,1;1,9"},
      {"form",
       &Options::form,
       "what a rule gives: one width, one per column, or a full matrix",
       Constraint::any,
       {"scalar", "diagonal", "full"}},
      {"adaptive", &Options::adaptive,
       "wider kernels where points are rare: the power of the density that widths follow; 0: none, 0.5: Abramson",
       Constraint::nonnegative},
      {"lower", &Options::lower, "where the density ends, one number for all columns or one per column as in 0,none"},
      {"upper", &Options::upper, "the same for the other end"},
      {"period", &Options::period, "the length of columns that go around, as in none,360"},
      {"method",
       &Options::method,
       "how sums are computed; tree keeps the errors below",
       Constraint::any,
       {"auto", "exact", "tree"}},
      {"relative_error", &Options::relative_error, "what a density may be off by, of itself", Constraint::nonnegative},
      {"absolute_error", &Options::absolute_error, "the same in units of the density", Constraint::nonnegative},
  };
}

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

/// As arrays of a model file, their names starting with `prefix`.
void store_density(const KernelDensity& density, const std::string& prefix, ModelState& state);
KernelDensity stored_density(const ModelState& state, const std::string& prefix, const KdeOptions& options,
                             const LeftOutColumns& left_out);

}  // namespace mercer
