#include "mercer/solvers/svm/free_columns.h"

#include <algorithm>
#include <cmath>

#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

// A column whose projection is shorter than this, relatively, depends on the free ones.
constexpr double dependent_share = 1e-10;

}  // namespace

FreeColumns::FreeColumns(ConstMatrixView<double> features, std::span<const double> weights,
                         std::span<const double> factors, NetIntercept intercept) {
  const Index n = features.rows();
  for (Index i = 0; i < n; ++i) {
    roots_.push_back(weights.empty() ? 1.0 : std::sqrt(weights[i]));
  }
  if (intercept == NetIntercept::fitted) {
    append(roots_, -1);
  }
  for (std::size_t j = 0; j < factors.size(); ++j) {
    if (factors[j] == 0) {
      std::vector<double> column;
      for (Index i = 0; i < n; ++i) {
        column.push_back(root_weight(i) * features(i, static_cast<Index>(j)));
      }
      append(std::move(column), static_cast<Index>(j));
    }
  }
}

void FreeColumns::reduce(std::span<double> x, std::vector<double>* parts) const {
  // Once more: the first time leaves rounding of the size of what it took out.
  for (int time = 0; time < 2; ++time) {
    for (std::size_t p = 0; p < directions_.size(); ++p) {
      const double part = dot(directions_[p], x);
      axpy(-part, directions_[p], x);
      if (parts != nullptr) {
        (*parts)[p] += part;
      }
    }
  }
}

void FreeColumns::append(std::vector<double> column, Index feature) {
  const double before = nrm2(column);
  std::vector<double> parts(directions_.size(), 0.0);
  reduce(column, &parts);
  const double after = nrm2(column);
  if (!(after > dependent_share * before)) {
    return;
  }
  scale(1 / after, column);
  parts.push_back(after);
  directions_.push_back(std::move(column));
  triangle_.push_back(std::move(parts));
  sources_.push_back(feature);
}

void FreeColumns::project_column(ConstMatrixView<double> features, Index column, std::span<double> out) const {
  for (Index i = 0; i < features.rows(); ++i) {
    out[i] = root_weight(i) * features(i, column);
  }
  const double before = nrm2(out);
  reduce(out, nullptr);
  if (!(nrm2(out) > dependent_share * before)) {
    std::ranges::fill(out, 0.0);
  }
}

void FreeColumns::recover(ConstMatrixView<double> features, ConstMatrixView<double> targets,
                          MatrixView<double> coefficients, std::span<double> intercepts) const {
  for (Index o = 0; o < targets.columns(); ++o) {
    std::vector<double> rest;
    for (Index i = 0; i < features.rows(); ++i) {
      double value = targets(i, o);
      for (Index j = 0; j < features.columns(); ++j) {
        value -= coefficients(j, o) != 0 ? features(i, j) * coefficients(j, o) : 0.0;
      }
      rest.push_back(root_weight(i) * value);
    }
    std::vector<double> parts(directions_.size(), 0.0);
    reduce(rest, &parts);
    // Back substitution: column p of the free ones is Σ_q triangle[p][q] direction_q.
    for (std::size_t p = directions_.size(); p-- > 0;) {
      const double value = parts[p] / triangle_[p][p];
      for (std::size_t q = 0; q < p; ++q) {
        parts[q] -= value * triangle_[p][q];
      }
      if (sources_[p] < 0) {
        intercepts[o] = value;
      } else {
        coefficients(sources_[p], o) = value;
      }
    }
  }
}

}  // namespace mercer
