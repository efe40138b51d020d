#include "mercer/models/gp/softmax/softmax_average.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "mercer/base/special_functions.h"
#include "mercer/base/vector_math.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

struct Lattice {
  Index points = 0;
  std::span<const int> generators;
};

constexpr std::array<int, 3> small_generators = {2, 273, 312};
constexpr std::array<int, 31> large_generators = {21,  278, 125, 179, 585, 694, 958, 837, 456, 470, 476,
                                                  703, 275, 163, 492, 540, 444, 211, 946, 572, 607, 527,
                                                  917, 505, 438, 473, 700, 831, 409, 898, 112};

Lattice lattice_for(Index dimensions) {
  return dimensions <= static_cast<Index>(small_generators.size()) ? Lattice{1021, small_generators}
                                                                   : Lattice{2039, large_generators};
}

// Coordinate j of point i runs through ½ + i·slope. Beyond the tables: irrational slopes.
double slope(const Lattice& lattice, Index j) {
  if (j < static_cast<Index>(lattice.generators.size())) {
    return static_cast<double>(lattice.generators[j]) / static_cast<double>(lattice.points);
  }
  return std::numbers::pi * std::sqrt(static_cast<double>(j) + 0.5);
}

// e^±300 and products of two of them are numbers; beyond, exponents are taken relative to the largest.
constexpr double largest_exponent = 300;

// The lower Cholesky factor of the covariance of f_c − f_reference over the other classes; takes singular ones.
void factor_differences(ConstMatrixView<double> covariance, Index reference, std::span<const Index> others,
                        Matrix<double>& root) {
  const auto size = static_cast<Index>(others.size());
  for (Index j = 0; j < size; ++j) {
    const Index b = others[j];
    double scale = 0;
    for (Index i = j; i < size; ++i) {
      const Index a = others[i];
      double rest =
          covariance(a, b) - covariance(a, reference) - covariance(b, reference) + covariance(reference, reference);
      if (i == j) {
        scale = std::abs(covariance(a, a)) + std::abs(covariance(reference, reference));
      }
      for (Index k = 0; k < j; ++k) {
        rest -= root(i, k) * root(j, k);
      }
      if (i == j) {
        root(j, j) = rest > 1e-14 * scale ? std::sqrt(rest) : 0.0;
      } else {
        root(i, j) = root(j, j) > 0 ? rest / root(j, j) : 0.0;
      }
    }
  }
}

// shifts = root · points, row by row over the points; gives the largest size of an entry.
double shift_points(const Matrix<double>& root, const Matrix<double>& points, Matrix<double>& shifts) {
  double largest = 0;
  for (Index c = 0; c < shifts.rows(); ++c) {
    double* const row = shifts.view().row_data(c);
    std::fill_n(row, points.columns(), 0.0);
    for (Index k = 0; k <= c; ++k) {
      const double* const z = points.view().row_data(k);
      const double weight = root(c, k);
      for (Index p = 0; p < points.columns(); ++p) {
        row[p] += weight * z[p];
      }
    }
    for (Index p = 0; p < points.columns(); ++p) {
      largest = std::max(largest, std::abs(row[p]));
    }
  }
  return largest;
}

// Σ_p factor_c e_cp / (1 + Σ_a factor_a e_ap), added to out; the reference class gets the rest.
void add_shares(const Matrix<double>& exponentials, std::span<const double> factors, std::span<const Index> others,
                std::span<double> shares, std::span<double> out) {
  std::fill(shares.begin(), shares.end(), 1.0);
  for (Index c = 0; c < exponentials.rows(); ++c) {
    const double* const row = exponentials.view().row_data(c);
    const double factor = factors[c];
    for (std::size_t p = 0; p < shares.size(); ++p) {
      shares[p] += factor * row[p];
    }
  }
  for (double& share : shares) {
    share = 1 / share;
  }
  for (Index c = 0; c < exponentials.rows(); ++c) {
    out[others[c]] += factors[c] * dot(exponentials.view().row(c), std::span<const double>(shares));
  }
}

// The softmax at one point, exponents relative to the largest, added to out.
void add_softmax(std::span<const double> value, std::span<double> out) {
  const double high = *std::ranges::max_element(value);
  double sum = 0;
  for (const double entry : value) {
    sum += std::exp(entry - high);
  }
  for (std::size_t c = 0; c < out.size(); ++c) {
    out[c] += std::exp(value[c] - high) / sum;
  }
}

// Shifts of any size.
void add_point_by_point(std::span<const double> mean, const Matrix<double>& shifts, std::span<const Index> others,
                        std::span<double> out) {
  for (Index p = 0; p < shifts.columns(); ++p) {
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> value(mean.begin(), mean.end());
      for (Index c = 0; c < shifts.rows(); ++c) {
        value[others[c]] += sign * shifts(c, p);
      }
      add_softmax(value, out);
    }
  }
}

}  // namespace

SoftmaxAverage::SoftmaxAverage(Index classes) : classes_(classes) {
  const Lattice lattice = lattice_for(classes - 1);
  points_ = Matrix<double>(classes - 1, (lattice.points - 1) / 2);
  for (Index c = 0; c < points_.rows(); ++c) {
    const double step = slope(lattice, c);
    for (Index i = 0; i < points_.columns(); ++i) {
      const double place = 0.5 + static_cast<double>(i + 1) * step;
      points_(c, i) = normal_quantile(std::clamp(place - std::floor(place), 1e-12, 1 - 1e-12));
    }
  }
}

void SoftmaxAverage::probabilities(std::span<const double> mean, ConstMatrixView<double> covariance,
                                   std::span<double> out, Workspace& workspace) const {
  const Index reference = std::ranges::max_element(mean) - mean.begin();
  const Index count = classes_ - 1;
  if (workspace.shifts.rows() != count || workspace.shifts.columns() != points_.columns()) {
    workspace = {.root = Matrix<double>::filled(count, count, 0.0),
                 .shifts = Matrix<double>(count, points_.columns()),
                 .mirrored = Matrix<double>(count, points_.columns()),
                 .shares = std::vector<double>(points_.columns()),
                 .factors = {},
                 .others = {}};
  }
  workspace.others.clear();
  workspace.factors.clear();
  for (Index c = 0; c < classes_; ++c) {
    if (c != reference) {
      workspace.others.push_back(c);
      workspace.factors.push_back(std::exp(mean[c] - mean[reference]));
    }
  }
  factor_differences(covariance, reference, workspace.others, workspace.root);
  std::ranges::fill(out, 0.0);
  add_softmax(mean, out);
  Matrix<double>& shifts = workspace.shifts;
  if (shift_points(workspace.root, points_, shifts) > largest_exponent) {
    add_point_by_point(mean, shifts, workspace.others, out);
  } else {
    const std::span<double> all(shifts.data(), static_cast<std::size_t>(count * points_.columns()));
    vector_exp(all, all);
    std::transform(all.begin(), all.end(), workspace.mirrored.data(), [](double value) { return 1 / value; });
    out[reference] = 0;
    add_shares(shifts, workspace.factors, workspace.others, workspace.shares, out);
    add_shares(workspace.mirrored, workspace.factors, workspace.others, workspace.shares, out);
    double others = 0;
    for (const Index c : workspace.others) {
      others += out[c];
    }
    out[reference] = static_cast<double>(2 * points_.columns() + 1) - others;
  }
  for (double& share : out) {
    share /= static_cast<double>(2 * points_.columns() + 1);
  }
}

}  // namespace mercer
