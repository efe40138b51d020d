#include "mercer/smoothing/tile_sums.h"

#include "mercer/base/simd.h"

namespace mercer {

namespace {

// The order of sums is fixed, and the compiler may keep the lanes in vector registers.
constexpr int sum_lanes = 8;

MERCER_INLINE double folded_lanes(const double* lanes) {
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

}  // namespace

// Four coordinates at a time, so that sums are stored and read again less often; the first pass takes what is left over.
MERCER_CLONES void squared_distances(const double* x, Index stride, const double* q, Index dimension, double* out,
                                     Index count) {
  const Index first = (dimension - 1) % 4 + 1;
  const double* a = x;
  const double* b = first > 1 ? a + stride : a;
  const double* c = first > 2 ? b + stride : a;
  const double* d = first > 3 ? c + stride : a;
  const double qa = q[0];
  const double qb = first > 1 ? q[1] : 0;
  const double qc = first > 2 ? q[2] : 0;
  const double qd = first > 3 ? q[3] : 0;
  if (first == 1) {
    for (Index i = 0; i < count; ++i) {
      out[i] = (a[i] - qa) * (a[i] - qa);
    }
  } else if (first == 2) {
    for (Index i = 0; i < count; ++i) {
      out[i] = (a[i] - qa) * (a[i] - qa) + (b[i] - qb) * (b[i] - qb);
    }
  } else if (first == 3) {
    for (Index i = 0; i < count; ++i) {
      out[i] = (a[i] - qa) * (a[i] - qa) + (b[i] - qb) * (b[i] - qb) + (c[i] - qc) * (c[i] - qc);
    }
  } else {
    for (Index i = 0; i < count; ++i) {
      out[i] = ((a[i] - qa) * (a[i] - qa) + (b[i] - qb) * (b[i] - qb)) +
               ((c[i] - qc) * (c[i] - qc) + (d[i] - qd) * (d[i] - qd));
    }
  }
  for (Index j = first; j < dimension; j += 4) {
    const double* e = x + j * stride;
    const double* f = e + stride;
    const double* g = f + stride;
    const double* h = g + stride;
    const double qe = q[j];
    const double qf = q[j + 1];
    const double qg = q[j + 2];
    const double qh = q[j + 3];
    for (Index i = 0; i < count; ++i) {
      out[i] += ((e[i] - qe) * (e[i] - qe) + (f[i] - qf) * (f[i] - qf)) +
                ((g[i] - qg) * (g[i] - qg) + (h[i] - qh) * (h[i] - qh));
    }
  }
}

MERCER_CLONES void largest_squares(const double* x, Index stride, const double* q, Index dimension, double* out,
                                   Index count) {
  for (Index j = 0; j < dimension; ++j) {
    const double* a = x + j * stride;
    const double qa = q[j];
    for (Index i = 0; i < count; ++i) {
      const double square = (a[i] - qa) * (a[i] - qa);
      out[i] = j > 0 && out[i] > square ? out[i] : square;
    }
  }
}

MERCER_CLONES void divide_by_squares(double* s, const double* scales, Index count) {
  for (Index i = 0; i < count; ++i) {
    s[i] /= scales[i] * scales[i];
  }
}

MERCER_CLONES double lane_sum(const double* x, Index count) {
  double lanes[sum_lanes] = {};
  Index i = 0;
  for (; i + sum_lanes <= count; i += sum_lanes) {
    for (int l = 0; l < sum_lanes; ++l) {
      lanes[l] += x[i + l];
    }
  }
  for (; i < count; ++i) {
    lanes[0] += x[i];
  }
  return folded_lanes(lanes);
}
MERCER_CLONES double weighted_lane_sum(const double* x, const double* w, Index count) {
  double lanes[sum_lanes] = {};
  Index i = 0;
  for (; i + sum_lanes <= count; i += sum_lanes) {
    for (int l = 0; l < sum_lanes; ++l) {
      lanes[l] += x[i + l] * w[i + l];
    }
  }
  for (; i < count; ++i) {
    lanes[0] += x[i] * w[i];
  }
  return folded_lanes(lanes);
}

MERCER_CLONES bool squared_from_products(double* s, const double* norms, double norm, Index count) {
  double lost = 0;
  for (Index i = 0; i < count; ++i) {
    const double both = norms[i] + norm;
    const double squared = s[i] + both > 0 ? s[i] + both : 0;
    lost = has_lost_digits(both, squared) ? 1 : lost;
    s[i] = squared;
  }
  return lost > 0;
}

MERCER_CLONES double sum_and_square(double* v, const double* w, Index count) {
  double lanes[sum_lanes] = {};
  Index i = 0;
  for (; i + sum_lanes <= count; i += sum_lanes) {
    for (int l = 0; l < sum_lanes; ++l) {
      lanes[l] += w != nullptr ? v[i + l] * w[i + l] : v[i + l];
    }
    for (int l = 0; l < sum_lanes; ++l) {
      v[i + l] *= v[i + l];
    }
  }
  for (; i < count; ++i) {
    lanes[0] += w != nullptr ? v[i] * w[i] : v[i];
    v[i] *= v[i];
  }
  return folded_lanes(lanes);
}

}  // namespace mercer
