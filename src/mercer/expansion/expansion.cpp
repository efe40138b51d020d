#include "mercer/expansion/expansion.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "mercer/expansion/linear_weights.h"
#include "mercer/expansion/parametric_functions.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/linalg/product.h"

namespace mercer {

namespace {

constexpr Index batch_rows = 8192;
// Weights of linear kernels are stored densely up to this many numbers, or as many as the centres store.
constexpr Index always_dense_weights = Index{1} << 24;

Index stored_numbers(const Samples& numeric) {
  if (const auto* rows = std::get_if<SparseRows<double>>(&numeric.rows())) {
    return rows->offsets[rows->rows] - rows->offsets[0];
  }
  if (const auto* rows = std::get_if<SparseRows<float>>(&numeric.rows())) {
    return rows->offsets[rows->rows] - rows->offsets[0];
  }
  return numeric.size() * numeric.columns();
}

void require_finite_coefficients(ConstMatrixView<double> values) {
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < values.columns(); ++j) {
      if (!std::isfinite(values(i, j))) {
        throw NumericalError("coefficient " + std::to_string(i) + " of output " + std::to_string(j) +
                             " (counted from 0) is not a finite number");
      }
    }
  }
}

std::string rows_text(Index rows, Index columns) { return std::to_string(rows) + " by " + std::to_string(columns); }

}  // namespace

struct Expansion::Content {
  Kernel kernel;
  Samples centers;
  Matrix<double> coefficients;
  ParametricPart part;
  Matrix<double> parametric;
  Precision precision;
  std::optional<Matrix<double>> weights = {};
  std::shared_ptr<const PreparedKernel> prepared = {};  // null: linear, or without centres

  void check() const;
  void prepare(const Run& run);
  /// Zeros, of the shape that the values have.
  void start(const Samples& samples, MatrixView<double> out) const;
  void add_kernel_part(const Samples& samples, MatrixView<double> out, const Run& run) const;
  template <class T>
  void add_batch(const Samples& batch, MatrixView<double> out, const Run& run) const;
  void add_parametric_part(const Samples& samples, MatrixView<double> out, const Run& run) const;
};

void Expansion::Content::check() const {
  if (!kernel.is_resolved()) {
    throw InvalidArgument("an expansion needs a kernel whose parameters are numbers, this one is " + kernel.spec());
  }
  if (coefficients.rows() != centers.size()) {
    throw InvalidArgument("coefficients of shape " + rows_text(coefficients.rows(), coefficients.columns()) + " for " +
                          std::to_string(centers.size()) + " centres: one row per centre is needed");
  }
  const Index expected = parametric_count(part, centers);
  if (parametric.rows() != expected || (expected > 0 && parametric.columns() != coefficients.columns())) {
    throw InvalidArgument("parametric coefficients of shape " + rows_text(parametric.rows(), parametric.columns()) +
                          ": " + rows_text(expected, coefficients.columns()) + " are needed");
  }
  require_finite_coefficients(coefficients.view());
  require_finite_coefficients(parametric.view());
}

void Expansion::Content::prepare(const Run& run) {
  if (centers.size() == 0 || coefficients.columns() == 0) {
    return;
  }
  if (const auto factor = linear_factor(kernel)) {
    const Samples numeric = default_columns(centers);
    const Index count = numeric.columns() * coefficients.columns();
    if (numeric.is_numeric() && count <= std::max(always_dense_weights, stored_numbers(numeric))) {
      require_finite(numeric);
      weights = mercer::linear_weights(*factor, centers, coefficients.view());
      require_finite_coefficients(weights->view());
      return;
    }
  }
  prepared = std::make_shared<const PreparedKernel>(kernel, centers, precision, run);
}

template <class T>
void Expansion::Content::add_batch(const Samples& batch, MatrixView<double> out, const Run& run) const {
  Matrix<double> product(batch.size(), coefficients.columns());
  CrossGram<T>(prepared, batch, run).multiply_in_double(coefficients.view(), product.view(), run);
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index o = 0; o < out.columns(); ++o) {
      out(i, o) += product(i, o);
    }
  }
}

void Expansion::Content::add_kernel_part(const Samples& samples, MatrixView<double> out, const Run& run) const {
  if (weights) {
    add_linear_part(default_columns(samples), weights->view(), out, run);
    return;
  }
  if (!prepared) {
    return;
  }
  const Index batches = std::max<Index>(1, block_count(samples.size(), batch_rows));
  for (Index b = 0; b < batches; ++b) {
    const IndexRange range = block_range(samples.size(), batch_rows, b);
    try {
      const Samples batch = samples.slice(range);
      if (precision == Precision::single_precision) {
        add_batch<float>(batch, out.row_block(range), run);
      } else {
        add_batch<double>(batch, out.row_block(range), run);
      }
    } catch (const DataError& error) {
      if (range.begin == 0) {
        throw;
      }
      require_finite(samples);  // says the row of the whole batch, where that is the trouble
      throw DataError("counting rows from row " + std::to_string(range.begin) + " as 0: " + error.what());
    }
    if (batches > 1) {
      run.progress("prediction", static_cast<double>(range.end), static_cast<double>(samples.size()));
    }
  }
}

void Expansion::Content::add_parametric_part(const Samples& samples, MatrixView<double> out, const Run& run) const {
  if (!part.is_none()) {
    ParametricFunctions(part, samples).add(parametric.view(), out, run);
  }
}

Expansion::Expansion(Kernel kernel, Samples centers, Matrix<double> coefficients, ParametricPart part,
                     Matrix<double> parametric, Precision precision, const Run& run) {
  auto content = std::make_shared<Content>(Content{std::move(kernel), std::move(centers), std::move(coefficients),
                                                   std::move(part), std::move(parametric), precision});
  content->check();
  content->prepare(run);
  content_ = std::move(content);
}

const Kernel& Expansion::kernel() const { return content_->kernel; }
const Samples& Expansion::centers() const { return content_->centers; }
ConstMatrixView<double> Expansion::coefficients() const { return std::as_const(content_->coefficients).view(); }
const ParametricPart& Expansion::parametric_part() const { return content_->part; }
ConstMatrixView<double> Expansion::parametric_coefficients() const {
  return std::as_const(content_->parametric).view();
}
Precision Expansion::precision() const { return content_->precision; }
Index Expansion::outputs() const { return content_->coefficients.columns(); }
const std::optional<Matrix<double>>& Expansion::linear_weights() const { return content_->weights; }

void Expansion::Content::start(const Samples& samples, MatrixView<double> out) const {
  const Index outputs = coefficients.columns();
  if (out.rows() != samples.size() || out.columns() != outputs) {
    throw InvalidArgument("values of shape " + rows_text(out.rows(), out.columns()) + " for " +
                          std::to_string(samples.size()) + " samples and " + std::to_string(outputs) + " outputs");
  }
  for (Index i = 0; i < out.rows(); ++i) {
    std::fill_n(out.row_data(i), out.columns(), 0.0);
  }
}

void Expansion::evaluate(const Samples& samples, MatrixView<double> out, const Run& run) const {
  content_->start(samples, out);
  content_->add_kernel_part(samples, out, run);
  content_->add_parametric_part(samples, out, run);
}

Matrix<double> Expansion::values(const Samples& samples, const Run& run) const {
  Matrix<double> result(samples.size(), outputs());
  evaluate(samples, result.view(), run);
  return result;
}

bool Expansion::sums_double_values() const { return precision() == Precision::double_precision && !linear_weights(); }

void Expansion::evaluate_from(const Samples& samples, ConstMatrixView<double> kernel_values, MatrixView<double> out,
                              const Run& run) const {
  content_->start(samples, out);
  if (kernel_values.rows() != samples.size() || kernel_values.columns() != centers().size()) {
    throw InvalidArgument("kernel values of shape " + rows_text(kernel_values.rows(), kernel_values.columns()) +
                          " for " + std::to_string(samples.size()) + " samples and " +
                          std::to_string(centers().size()) + " centres");
  }
  parallel_gemm<double>(1.0, kernel_values, Transpose::no, coefficients(), Transpose::no, 0.0, out, run);
  content_->add_parametric_part(samples, out, run);
}

Expansion Expansion::pruned(const Run& run) const {
  const ConstMatrixView<double> all = coefficients();
  std::vector<Index> kept;
  for (Index i = 0; i < all.rows(); ++i) {
    const auto row = all.row(i);
    if (std::any_of(row.begin(), row.end(), [](double value) { return value != 0; })) {
      kept.push_back(i);
    }
  }
  if (static_cast<Index>(kept.size()) == all.rows() || kernel().node().depends_on_reference()) {
    return *this;
  }
  Matrix<double> rows(static_cast<Index>(kept.size()), all.columns());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::copy_n(all.row_data(kept[i]), all.columns(), rows.view().row_data(static_cast<Index>(i)));
  }
  return Expansion(kernel(), centers().select(kept), std::move(rows), parametric_part(),
                   Matrix<double>::copy_of(parametric_coefficients()), precision(), run);
}

}  // namespace mercer
