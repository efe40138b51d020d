// The decision values of models/libsvm/libsvm_prediction.h.
#include "mercer/data/schema.h"
#include "mercer/kernels/sparse_products.h"
#include "mercer/models/libsvm/libsvm_prediction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "mercer/base/error.h"
#include "mercer/expansion/expansion.h"
#include "mercer/expansion/linear_weights.h"

namespace mercer {

namespace {

// Below this many multiplications double precision costs less than a tenth of a second.
constexpr double cheap_in_double = 1e9;
// A vote is checked in double where |f| is below so many roundings of Σ |c_s| |k(x, x_s)|; errors seen are below 1, and
// not random: they have a common sign where kernel values have.
constexpr double checked_roundings = 4;
constexpr Index batch_rows = 8192;

// Features that one side does not have are 0 there.
Samples as_wide_as_both(const Samples& samples, Index columns) {
  if (samples.kind() == SampleKind::sparse) {
    return widened(samples, columns);
  }
  if (samples.columns() == columns) {
    return samples;
  }
  throw InvalidArgument("LIBSVM models take sparse samples, or dense ones with " + std::to_string(columns) +
                        " columns; these have " + std::to_string(samples.columns()));
}

// Column of pair (i, j) among the k − 1 coefficients of a support vector of class `own`.
Index coefficient_column(Index own, Index other) { return other > own ? other - 1 : other; }

// Coefficients of class `own` added to the columns of its pairs: machine m takes column c of its vectors.
template <class Use>
void for_pairs_of_class(Index own, Index classes, const Use& use) {
  for (Index other = 0; other < classes; ++other) {
    if (other != own) {
      use(pair_position(std::min(own, other), std::max(own, other), classes), coefficient_column(own, other));
    }
  }
}

// Ranges of support vectors: one per class, a single one for models without classes.
std::vector<IndexRange> class_ranges(const LibsvmModel& model) {
  if (!is_classification(model.type)) {
    return {{0, model.support_count()}};
  }
  std::vector<IndexRange> ranges;
  Index begin = 0;
  for (const Index size : model.class_sizes) {
    ranges.push_back({begin, begin + size});
    begin += size;
  }
  return ranges;
}

// Support vectors × machines, 0 where a vector has no part in a machine.
Matrix<double> machine_coefficients(const LibsvmModel& model) {
  if (!is_classification(model.type)) {
    return Matrix<double>::copy_of(model.coefficients.view());
  }
  Matrix<double> result = Matrix<double>::filled(model.support_count(), model.machines(), 0.0);
  const auto ranges = class_ranges(model);
  for (Index own = 0; own < model.classes; ++own) {
    const IndexRange range = ranges[own];
    for_pairs_of_class(own, model.classes, [&](Index machine, Index column) {
      for (Index s = range.begin; s < range.end; ++s) {
        result(s, machine) = model.coefficients(s, column);
      }
    });
  }
  return result;
}

// f + ρ for batches of samples. With many classes most entries of the coefficients of all machines are 0: the classes
// are then evaluated one by one, k − 1 outputs each.
class Machines {
 public:
  Machines(const LibsvmModel& model, Index columns, Precision precision, const Run& run)
      : model_(model), precision_(precision), dense_(worth_densifying(model.support_vectors)) {
    const Kernel kernel = libsvm_kernel(model);
    Samples centers = as_wide_as_both(model.support_vectors, columns);
    // Dense rows are centred, so that data far from the origin keeps its digits in double.
    if (dense_) {
      centers = densified(centers);
    }
    if (model.machines() <= 2 * model.classes + columns / 2) {
      all_.push_back(Expansion(kernel, centers, machine_coefficients(model), ParametricPart::none, {}, precision, run));
      return;
    }
    for (const IndexRange range : class_ranges(model)) {
      all_.push_back(Expansion(kernel, centers.slice(range),
                               Matrix<double>::copy_of(model.coefficients.view().row_block(range)),
                               ParametricPart::none, {}, precision, run));
    }
  }

  void evaluate(const Samples& samples, MatrixView<double> out, const Run& run) const {
    if (!dense_) {
      evaluate_batch(samples, out, run);
      return;
    }
    for (Index b = 0; b < block_count(samples.size(), batch_rows); ++b) {
      const IndexRange range = block_range(samples.size(), batch_rows, b);
      evaluate_batch(densified(samples.slice(range)), out.row_block(range), run);
    }
  }

 private:
  Samples densified(const Samples& samples) const {
    return precision_ == Precision::single_precision ? to_dense<float>(samples) : to_dense<double>(samples);
  }

  void evaluate_batch(const Samples& samples, MatrixView<double> out, const Run& run) const {
    if (all_.size() == 1) {
      all_.front().evaluate(samples, out, run);
      return;
    }
    for (Index i = 0; i < out.rows(); ++i) {
      std::fill_n(out.row_data(i), out.columns(), 0.0);
    }
    Matrix<double> part(samples.size(), model_.classes - 1);
    for (Index own = 0; own < model_.classes; ++own) {
      all_[own].evaluate(samples, part.view(), run);
      for (Index i = 0; i < out.rows(); ++i) {
        for_pairs_of_class(own, model_.classes,
                           [&](Index machine, Index column) { out(i, machine) += part(i, column); });
      }
    }
  }

  const LibsvmModel& model_;
  Precision precision_;
  bool dense_;
  std::vector<Expansion> all_;
};

// Σ_s c_s x[serial_s]: the machines are linear in the row of kernel values.
void evaluate_precomputed(const LibsvmModel& model, const Samples& samples, MatrixView<double> out, const Run& run) {
  Index needed = 0;
  for (const Index serial : model.serial_numbers) {
    needed = std::max(needed, serial + 1);
  }
  if (samples.columns() < needed) {
    throw DataError("rows of a precomputed kernel need the values of " + std::to_string(needed - 1) +
                    " training samples, these end at " + std::to_string(samples.columns() - 1));
  }
  const Matrix<double> coefficients = machine_coefficients(model);
  Matrix<double> weights = Matrix<double>::filled(samples.columns(), model.machines(), 0.0);
  for (Index s = 0; s < coefficients.rows(); ++s) {
    for (Index m = 0; m < coefficients.columns(); ++m) {
      weights(model.serial_numbers[s], m) += coefficients(s, m);
    }
  }
  for (Index i = 0; i < out.rows(); ++i) {
    std::fill_n(out.row_data(i), out.columns(), 0.0);
  }
  add_linear_part(samples, weights.view(), out, run);
}

double largest_norm(const Samples& samples) {
  const auto of = [](const auto& rows) {
    double largest = 0;
    for (Index i = 0; i < rows.rows; ++i) {
      double sum = 0;
      for (std::int64_t at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at) {
        const auto value = static_cast<double>(rows.values[at]);
        sum += value * value;
      }
      largest = std::max(largest, sum);
    }
    return std::sqrt(largest);
  };
  if (const auto* rows = std::get_if<SparseRows<double>>(&samples.rows())) {
    return of(*rows);
  }
  if (const auto* rows = std::get_if<SparseRows<float>>(&samples.rows())) {
    return of(*rows);
  }
  return std::numeric_limits<double>::infinity();
}

// A bound on |k(x, x_s)|, and on how much an error of one rounding in x.x_s or |x − x_s|² changes it.
double kernel_size(const LibsvmModel& model, const Samples& samples) {
  const double x = largest_norm(samples);
  const double z = largest_norm(model.support_vectors);
  switch (model.kernel) {
    case LibsvmKernel::rbf:
      return 1 + model.gamma * (x * x + z * z) / 16;  // distant pairs have larger errors but smaller values
    case LibsvmKernel::sigmoid:
      return 1 + model.gamma * x * z;
    default:
      return std::pow(model.gamma * x * z + std::abs(model.coef0), model.degree) * model.degree;
  }
}

// Rows in which rounding in single precision could have turned the sign of a value.
std::vector<Index> doubtful_rows(const LibsvmModel& model, const Samples& samples, ConstMatrixView<double> decisions) {
  const Matrix<double> coefficients = machine_coefficients(model);
  std::vector<double> limits(model.machines());
  const double size = kernel_size(model, samples);
  for (Index m = 0; m < coefficients.columns(); ++m) {
    double sum = 0;
    for (Index s = 0; s < coefficients.rows(); ++s) {
      sum += std::abs(coefficients(s, m));
    }
    limits[m] = checked_roundings * static_cast<double>(std::numeric_limits<float>::epsilon()) * sum * size;
  }
  std::vector<Index> rows;
  for (Index i = 0; i < decisions.rows(); ++i) {
    const auto row = decisions.row(i);
    const bool sure = std::equal(row.begin(), row.end(), limits.begin(),
                                 [](double value, double limit) { return std::abs(value) > limit; });
    if (!sure) {
      rows.push_back(i);
    }
  }
  return rows;
}

void subtract_rho(const LibsvmModel& model, MatrixView<double> out) {
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index m = 0; m < out.columns(); ++m) {
      out(i, m) -= model.rho[m];
    }
  }
}

bool worth_single_precision(const LibsvmModel& model, const Samples& samples) {
  if (!is_classification(model.type) || model.kernel == LibsvmKernel::linear) {
    return false;
  }
  const auto columns = static_cast<double>(std::min<Index>(model.support_vectors.columns(), 1000));
  return static_cast<double>(samples.size()) * static_cast<double>(model.support_count()) * (columns + 20) >
         cheap_in_double;
}

}  // namespace

Matrix<double> libsvm_decision_values(const LibsvmModel& model, const Samples& samples, const Run& run,
                                      LibsvmPrecision precision) {
  require_consistent(model);
  Matrix<double> decisions = Matrix<double>::filled(samples.size(), model.machines(), 0.0);
  if (samples.size() == 0 || model.machines() == 0) {
    return decisions;
  }
  if (model.support_count() == 0) {
    subtract_rho(model, decisions.view());
    return decisions;
  }
  if (model.kernel == LibsvmKernel::precomputed) {
    evaluate_precomputed(model, samples, decisions.view(), run);
    subtract_rho(model, decisions.view());
    return decisions;
  }
  const Index columns = std::max(samples.columns(), model.support_vectors.columns());
  const Samples wide = as_wide_as_both(samples, columns);
  if (precision == LibsvmPrecision::automatic && worth_single_precision(model, samples)) {
    Machines(model, columns, Precision::single_precision, run).evaluate(wide, decisions.view(), run);
    subtract_rho(model, decisions.view());
    const std::vector<Index> doubtful = doubtful_rows(model, samples, decisions.view());
    if (doubtful.empty()) {
      return decisions;
    }
    Matrix<double> again(static_cast<Index>(doubtful.size()), model.machines());
    Machines(model, columns, Precision::double_precision, run).evaluate(wide.select(doubtful), again.view(), run);
    subtract_rho(model, again.view());
    for (std::size_t i = 0; i < doubtful.size(); ++i) {
      std::copy_n(again.view().row_data(static_cast<Index>(i)), again.columns(),
                  decisions.view().row_data(doubtful[i]));
    }
    return decisions;
  }
  Machines(model, columns, Precision::double_precision, run).evaluate(wide, decisions.view(), run);
  subtract_rho(model, decisions.view());
  return decisions;
}

}  // namespace mercer
