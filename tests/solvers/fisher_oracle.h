// Fisher discriminants from their definitions, in the way that no solver should compute them: scatter matrices formed,
// systems solved by LU.
#pragma once

#include <cmath>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/solvers/fisher/fisher.h"
#include "support/dense.h"

namespace mercer::testing {

using oracle::Dense;

inline Dense gaussian_gram(const Dense& x, double gamma) {
  Dense k(x.rows(), x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.rows(); ++j) {
      k(i, j) = std::exp(-gamma * (x.row(i) - x.row(j)).squared_norm());
    }
  }
  return k;
}

/// The five points of the worked example: x and classes.
inline Dense five_points() { return Dense(std::vector<double>{-2, -1, 0.5, 1, 3}); }
inline ClassRows five_classes() { return {{0, 0, 1, 1, 1}, std::vector<double>(5, 1.0)}; }

struct RandomClasses {
  Dense x;
  ClassRows rows;
};
/// Overlapping clouds, classes in turn.
inline RandomClasses random_classes(Index n, Index dimension, Index classes, bool weighted, std::uint64_t seed) {
  RandomStream random(seed, 3);
  Dense x(n, dimension);
  std::vector<std::int32_t> code;
  std::vector<double> weights;
  for (Index i = 0; i < n; ++i) {
    code.push_back(static_cast<std::int32_t>(i % classes));
    weights.push_back(weighted ? 0.2 + 2 * random.uniform() : 1.0);
    for (Index j = 0; j < dimension; ++j) {
      x(i, j) = random.normal() + (j == code.back() ? 1.5 : 0.0);
    }
  }
  return {x, ClassRows(code, weights)};
}

struct Scatters {
  Dense within;                    // N
  Dense between;                   // M
  std::vector<Dense> class_means;  // μ_q
};

inline Scatters scatters(const Dense& functions, const ClassRows& rows) {
  const Index r = functions.columns();
  Scatters result{Dense(r, r), Dense(r, r), {}};
  Dense mean(r, 1);
  for (Index q = 0; q < rows.class_count(); ++q) {
    result.class_means.emplace_back(r, 1);
  }
  for (Index i = 0; i < rows.size(); ++i) {
    Dense& of_class = result.class_means[rows.class_of(i)];
    of_class += rows.weight(i) / rows.total(rows.class_of(i)) * functions.row(i).transpose();
    mean += rows.weight(i) / rows.total() * functions.row(i).transpose();
  }
  for (Index i = 0; i < rows.size(); ++i) {
    const Dense off = functions.row(i).transpose() - result.class_means[rows.class_of(i)];
    result.within += rows.weight(i) * (off * off.transpose());
  }
  for (Index q = 0; q < rows.class_count(); ++q) {
    const Dense off = result.class_means[q] - mean;
    result.between += rows.total(q) * (off * off.transpose());
  }
  return result;
}

struct BinaryDiscriminant {
  Dense alpha;
  double offset = 0;
  double objective = 0;    // ½(‖ξ‖² + C α'Rα)
  Dense multipliers = {};  // of the two constraints, in the dual
};

/// α = 2d/(d'(μ_+ − μ_-)), d = (N + CR)⁻¹(μ_+ − μ_-), b = 1 − α'μ_+.
inline BinaryDiscriminant closed_form(const Dense& functions, const Dense& penalty, const ClassRows& rows, double c) {
  const Scatters s = scatters(functions, rows);
  const Dense contrast = s.class_means[1] - s.class_means[0];
  const Dense regularized = s.within + c * penalty;
  const Dense d = regularized.solve(contrast);
  BinaryDiscriminant result{.alpha = d * (2 / d.dot(contrast))};
  result.offset = 1 - result.alpha.dot(s.class_means[1]);
  result.objective = 0.5 * result.alpha.dot(regularized * result.alpha);
  return result;
}

/// The dual in two variables, (15.12)-(15.20), for R = 1 and weights 1.
inline BinaryDiscriminant dual_route(const Dense& k, const ClassRows& rows, double c) {
  const Index m = k.rows();
  Dense extended(m, m + 1, 1.0);
  extended.set_block(0, 1, k);
  Dense h = extended.transpose() * extended;
  for (Index i = 1; i <= m; ++i) {
    h(i, i) += c;
  }
  Dense y(m, 1);
  Dense sides(m, 2);
  for (Index i = 0; i < m; ++i) {
    y(i) = rows.class_of(i) == 1 ? 1 : -1;
    sides(i, rows.class_of(i)) = 1;
  }
  const Dense a = extended.transpose() * sides;
  const Dense right = extended.transpose() * y;
  const Dense ha = h.solve(a);
  const Dense hc = h.solve(right);
  Dense g = a.transpose() * hc;
  g(0) += rows.total(0);
  g(1) -= rows.total(1);
  const Dense form = a.transpose() * ha;
  const Dense multipliers = form.solve(g);
  const Dense solution = hc - ha * multipliers;
  return {.alpha = solution.block(1, 0, m, 1),
          .offset = solution(0),
          .objective = 0.5 * g.dot(multipliers) - 0.5 * right.dot(hc) + static_cast<double>(m) / 2,
          .multipliers = multipliers};
}

}  // namespace mercer::testing
