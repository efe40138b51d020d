#include "mercer/models/gp/inference/gp_data.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/models/parametric_basis.h"

namespace mercer {

namespace {

// ln|HᵀWH|.
double weighted_basis_determinant(const GpData& data) {
  Matrix<double> scaled = Matrix<double>::copy_of(data.basis.view());
  for (Index i = 0; i < scaled.rows(); ++i) {
    scale(data.weight(i), scaled.view().row(i));
  }
  auto product = Matrix<double>::filled(scaled.columns(), scaled.columns(), 0.0);
  gemm(1.0, data.basis.view(), Transpose::yes, scaled.view(), Transpose::no, 0.0, product.view());
  cholesky<double>(product.view(), {});
  return log_determinant(std::as_const(product).view());
}

}  // namespace

double GpData::total_weight() const {
  return weights.empty() ? static_cast<double>(targets.rows()) : std::accumulate(weights.begin(), weights.end(), 0.0);
}

std::vector<double> GpData::row_noise(double learned) const {
  std::vector<double> result(targets.rows(), learned);
  for (std::size_t i = 0; i < noise.size(); ++i) {
    result[i] += noise[i];
  }
  return result;
}

std::vector<double> GpData::noise_diagonal(double learned) const {
  std::vector<double> diagonal = row_noise(learned);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    diagonal[i] /= weights[i];
  }
  return diagonal;
}

double GpData::noise_slope(std::span<const double> diagonal_slopes) const {
  double sum = 0;
  for (std::size_t i = 0; i < diagonal_slopes.size(); ++i) {
    sum += diagonal_slopes[i] / (weights.empty() ? 1.0 : weights[i]);
  }
  return sum;
}

GpData::CopyTerms GpData::copy_terms(double learned) const {
  CopyTerms terms;
  if (weights.empty()) {
    return terms;
  }
  const std::vector<double> variances = row_noise(learned);
  for (std::size_t i = 0; i < variances.size(); ++i) {
    const double s = variances[i];
    if (s > 0) {
      terms.value -= 0.5 * ((weights[i] - 1) * std::log(2 * std::numbers::pi * s) + std::log(weights[i]));
      terms.slope -= 0.5 * (weights[i] - 1) / s;
    }
  }
  if (basis.columns() > 0) {
    terms.value += 0.5 * weighted_basis_determinant(*this);
  }
  return terms;
}

GpData select(const GpData& data, std::span<const Index> list, const ParametricPart& part) {
  GpData part_data{.samples = data.samples.select(list),
                   .targets = Matrix<double>(static_cast<Index>(list.size()), data.targets.columns()),
                   .noise = {},
                   .weights = {},
                   .basis = {}};
  for (std::size_t k = 0; k < list.size(); ++k) {
    const auto i = static_cast<std::size_t>(list[k]);
    std::copy_n(data.targets.view().row_data(list[k]), data.targets.columns(),
                part_data.targets.view().row_data(static_cast<Index>(k)));
    if (!data.noise.empty()) {
      part_data.noise.push_back(data.noise[i]);
    }
    if (!data.weights.empty()) {
      part_data.weights.push_back(data.weights[i]);
    }
  }
  part_data.basis = Matrix<double>::copy_of(ParametricBasis(part_data.samples, part).q());
  return part_data;
}

}  // namespace mercer
