// ModelState: a model as plain data: settings (text) and named arrays. io/model_file turns it into a safetensors file
// and back; models only know this.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/data/files/data_file.h"
#include "mercer/data/label_kind.h"
#include "mercer/data/samples.h"
#include "mercer/data/scaling.h"
#include "mercer/data/schema.h"
#include "mercer/kernels/prepared.h"
#include "mercer/linalg/matrix.h"
#include "mercer/models/model.h"

namespace mercer {

class ModelState {
 public:
  std::string model;             ///< registry name
  std::string requested_kernel;  ///< as the user wrote it
  std::string kernel;            ///< with widths resolved
  std::vector<std::string> output_names;
  std::vector<std::string> classes;  ///< of classifiers, in the order of their numbers
  std::vector<OptionSetting> settings;
  FitReport report;
  std::map<std::string, Matrix<double>> arrays;  ///< coefficients, offsets, …
  std::map<std::string, Samples> samples;        ///< centres, …

  /// The parts by name; DataError where one is missing.
  const Matrix<double>& array(const std::string& name) const;
  const Samples& sample_set(const std::string& name) const;
  /// A copy of an array that must have this shape and hold finite numbers only; DataError otherwise.
  Matrix<double> finite_array(const std::string& name, Index rows, Index columns) const;
  std::vector<double> finite_column(const std::string& name, Index size) const;
  /// An array of `size` rows and one column that holds whole numbers in [0, limit); DataError otherwise.
  std::vector<Index> indices(const std::string& name, Index size, Index limit) const;
};

/// Larger numbers are not stored exactly as doubles.
inline constexpr Index max_stored_index = Index{1} << 53;

/// Whole numbers as an array of one column.
Matrix<double> index_column(const std::vector<Index>& values);
/// Numbers as an array of one column.
Matrix<double> number_column(std::span<const double> values);

/// The precision in which kernel values are computed, as the array "kernel_bits".
void keep_kernel_precision(ModelState& state, Precision precision);
/// The same read back: DataError where it is neither 32 nor 64, or missing and `otherwise` (what files of before meant) is
/// empty.
Precision kept_kernel_precision(const ModelState& state, std::optional<Precision> otherwise = {});

/// A fitted model with what surrounds it in a file: how raw data becomes its samples.
struct StoredModel {
  std::unique_ptr<FittedModel> model;
  Schema schema;    ///< columns of the training file
  Scaling scaling;  ///< replayed at prediction
  /// How labels of classes are read; nothing for models without classes, and where a file does not say (format 1).
  std::optional<LabelKind> label_kind = {};
  /// In which the numbers of the training file were read; new ones are read alike.
  StoredPrecision precision = StoredPrecision::float64;
  /// What a front keeps beside the model, by the front's name: nobody else looks at it.
  std::map<std::string, std::string> annotations = {};
};

}  // namespace mercer
