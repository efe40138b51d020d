#include "mercer/expansion/reduced_set/clustering.h"

#include <algorithm>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/expansion/preimage_points.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

constexpr int lloyd_steps = 100;

double squared_gap(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    sum += (a[c] - b[c]) * (a[c] - b[c]);
  }
  return sum;
}

// Drawn with probability proportional to the squared distance from those drawn before (Arthur & Vassilvitskii 2007).
Matrix<double> spread_start(ConstMatrixView<double> x, Index size, const Run& run) {
  RandomStream random(run.seed(), 0x6b6d);
  Matrix<double> z(size, x.columns());
  std::vector<double> gaps(x.rows(), std::numeric_limits<double>::infinity());
  Index next = static_cast<Index>(random.below(static_cast<std::uint64_t>(x.rows())));
  for (Index k = 0; k < size; ++k) {
    std::ranges::copy(x.row(next), z.view().row_data(k));
    double total = 0;
    for (Index i = 0; i < x.rows(); ++i) {
      double& gap = gaps[i];
      gap = std::min(gap, squared_gap(x.row(i), z.view().row(k)));
      total += gap;
    }
    if (!(total > 0)) {
      return Matrix<double>::copy_of(z.view().row_block({0, k + 1}));
    }
    double level = random.uniform() * total;
    next = -1;
    for (Index i = 0; i < x.rows() && level >= 0; ++i) {
      level -= gaps[i];
      next = gaps[i] > 0 ? i : next;
    }
  }
  return z;
}

}  // namespace

Matrix<double> cluster_points(const ReductionTarget& target, Index size, const Run& run) {
  if (size < 0) {
    reject_argument("size", static_cast<double>(size), "0 or more");
  }
  const Matrix<double> x = points_of(target.centers());
  if (size == 0 || x.rows() == 0) {
    return {0, x.columns()};
  }
  Matrix<double> z = spread_start(x.view(), std::min(size, x.rows()), run);
  std::vector<Index> home(x.rows(), -1);
  for (int step = 0; step < lloyd_steps; ++step) {
    run.check_stop();
    bool moved = false;
    Matrix<double> sums = Matrix<double>::filled(z.rows(), z.columns(), 0.0);
    std::vector<double> counts(z.rows(), 0.0);
    for (Index i = 0; i < x.rows(); ++i) {
      Index best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (Index k = 0; k < z.rows(); ++k) {
        const double gap = squared_gap(x.view().row(i), z.view().row(k));
        if (gap < least) {
          least = gap;
          best = k;
        }
      }
      moved = moved || home[i] != best;
      home[i] = best;
      axpy(1.0, x.view().row(i), sums.view().row(best));
      counts[best] += 1;
    }
    for (Index k = 0; k < z.rows(); ++k) {
      // A cluster that lost all of its members stays where it is.
      for (Index c = 0; counts[k] > 0 && c < z.columns(); ++c) {
        z(k, c) = sums(k, c) / counts[k];
      }
    }
    if (!moved) {
      break;
    }
  }
  return z;
}

}  // namespace mercer
