#include "mercer/models/relevance/relevance_functions.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_block.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/product.h"
#include "mercer/models/fields.h"

namespace mercer {

namespace {

// Kernel values that a batch holds at a time.
constexpr Index relevance_batch_values = Index{1} << 22;

Matrix<double> side_by_side(const std::vector<Matrix<double>>& parts, Index rows, Index columns) {
  Matrix<double> all(rows, columns);
  Index begin = 0;
  for (const Matrix<double>& part : parts) {
    for (Index i = 0; i < rows; ++i) {
      std::ranges::copy(part.view().row(i), all.view().row_data(i) + begin);
    }
    begin += part.columns();
  }
  return all;
}

std::vector<Matrix<double>> apart(const Matrix<double>& all, const std::vector<Index>& sizes) {
  std::vector<Matrix<double>> parts;
  Index begin = 0;
  for (const Index size : sizes) {
    parts.push_back(Matrix<double>::copy_of(all.view().block(0, begin, all.rows(), size)));
    begin += size;
  }
  return parts;
}

}  // namespace

RelevanceFunctions::RelevanceFunctions(Expansion mean, std::vector<Index> rows, std::vector<Matrix<double>> roots,
                                       const Run& run)
    : mean_(std::move(mean)),
      rows_(std::move(rows)),
      roots_(std::make_shared<const std::vector<Matrix<double>>>(std::move(roots))) {
  const Index centers = mean_.centers().size();
  bool fits = static_cast<Index>(rows_.size()) == centers && mean_.parametric_part() == ParametricPart::constant &&
              (roots_->empty() || static_cast<Index>(roots_->size()) == mean_.outputs());
  for (const Matrix<double>& root : *roots_) {
    fits = fits && root.rows() == centers + 1;
  }
  if (!fits) {
    throw InvalidArgument("relevance vectors: rows or covariances that are not those of " + std::to_string(centers) +
                          " centres and " + std::to_string(mean_.outputs()) + " functions with an offset");
  }
  if (has_variances()) {
    kernel_ = std::make_shared<const PreparedKernel>(mean_.kernel(), mean_.centers(), Precision::double_precision,
                                                     run.quiet());
  }
}

Matrix<double> RelevanceFunctions::kernel_values(const Samples& samples, const Run& run) const {
  const auto prepared = kernel_->prepare(samples, run.quiet());
  Matrix<double> k(samples.size(), kernel_->reference().size());
  evaluate_block<double>(kernel_->kernel(), *prepared, kernel_->reference(), k.view(), run);
  return k;
}

Matrix<double> RelevanceFunctions::deviations(const Samples& samples, Index output, const Run& run) const {
  return deviations_from(kernel_values(samples, run).view(), output, run);
}

Matrix<double> RelevanceFunctions::deviations_from(ConstMatrixView<double> k, Index output, const Run& run) const {
  const ConstMatrixView<double> root = (*roots_)[output].view();
  const Index centers = root.rows() - 1;
  Matrix<double> result(k.rows(), root.columns());
  for (Index i = 0; i < k.rows(); ++i) {
    std::copy_n(root.row_data(centers), root.columns(), result.view().row_data(i));
  }
  parallel_gemm<double>(1.0, k, Transpose::no, root.block(0, 0, centers, root.columns()), Transpose::no, 1.0,
                        result.view(), run);
  return result;
}

PredictiveMoments RelevanceFunctions::moments(const Samples& samples, const Run& run) const {
  const Index n = samples.size();
  const Index step = std::max<Index>(256, relevance_batch_values / (mean_.centers().size() + 1));
  PredictiveMoments result{Matrix<double>(n, mean_.outputs()), Matrix<double>(n, mean_.outputs())};
  const bool shares = mean_.sums_double_values();
  if (!shares) {
    mean_.evaluate(samples, result.mean.view(), run);
  }
  for (Index b = 0; b < block_count(n, step); ++b) {
    const IndexRange range = block_range(n, step, b);
    const Samples part = samples.slice(range);
    const Matrix<double> k = kernel_values(part, run);
    if (shares) {
      mean_.evaluate_from(part, k.view(), result.mean.view().row_block(range), run);
    }
    for (Index o = 0; o < mean_.outputs(); ++o) {
      const Matrix<double> rest = deviations_from(k.view(), o, run);
      for (Index i = 0; i < rest.rows(); ++i) {
        const std::span<const double> row = rest.view().row(i);
        result.variance(range.begin + i, o) = dot(row, row);
      }
    }
    run.check_stop();
  }
  return result;
}

void RelevanceFunctions::fields(Fields& visit, Index outputs) {
  visit.expansion(mean_, {.outputs = outputs});
  const Index centers = mean_.centers().size();
  visit.indices("support_rows", rows_, centers, any_index);
  // The roots side by side, behind the number of columns of each.
  std::vector<Index> sizes;
  for (const Matrix<double>& root : *roots_) {
    sizes.push_back(root.columns());
  }
  visit.indices("covariance_sizes", sizes, any_count, centers + 2);
  visit.require(
      sizes.empty() || static_cast<Index>(sizes.size()) == outputs,
      "covariances of " + std::to_string(sizes.size()) + " functions, where there are " + std::to_string(outputs));
  const Index total = std::accumulate(sizes.begin(), sizes.end(), Index{0});
  Matrix<double> all = side_by_side(*roots_, centers + 1, total);
  visit.matrix("covariance_roots", all, {centers + 1, total});
  if (visit.loading()) {
    *this = RelevanceFunctions(std::move(mean_), std::move(rows_), apart(all, sizes), visit.run());
  }
}

RelevanceFunctions relevance_functions(const Kernel& kernel, const Samples& samples, const RelevanceBasis& basis,
                                       const std::vector<Index>& numbers, const std::vector<RelevanceFit>& fits,
                                       const std::vector<double>& scales, const std::vector<double>& offsets,
                                       const Run& run) {
  const Index n = samples.size();
  const auto outputs = static_cast<Index>(fits.size());
  std::vector<Index> place(n, kernel.node().depends_on_reference() ? 0 : -1);
  for (const RelevanceFit& fit : fits) {
    for (const Index column : fit.columns) {
      if (!basis.is_constant(column)) {
        place[basis.row_of(column)] = 0;
      }
    }
  }
  std::vector<Index> chosen;
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i) {
    if (place[i] >= 0) {
      place[i] = static_cast<Index>(chosen.size());
      chosen.push_back(i);
      rows.push_back(numbers[i]);
    }
  }
  const auto centers = static_cast<Index>(chosen.size());
  auto coefficients = Matrix<double>::filled(centers, outputs, 0.0);
  Matrix<double> parametric(1, outputs);
  std::vector<Matrix<double>> roots;
  for (Index o = 0; o < outputs; ++o) {
    const RelevanceFit& fit = fits[o];
    const double scale = scales[o];
    parametric(0, o) = offsets[o];
    auto root = Matrix<double>::filled(centers + 1, fit.root.columns(), 0.0);
    for (std::size_t a = 0; a < fit.columns.size(); ++a) {
      const bool is_constant = basis.is_constant(fit.columns[a]);
      const Index at = is_constant ? centers : place[basis.row_of(fit.columns[a])];
      (is_constant ? parametric(0, o) : coefficients(at, o)) += scale * fit.weights[a];
      for (Index j = 0; j < fit.root.columns(); ++j) {
        root(at, j) = scale * fit.root(static_cast<Index>(a), j);
      }
    }
    roots.push_back(std::move(root));
  }
  Expansion mean(kernel, samples.select(chosen), std::move(coefficients), ParametricPart::constant,
                 std::move(parametric), Precision::double_precision, run);
  return {std::move(mean), std::move(rows), std::move(roots), run};
}

}  // namespace mercer
