// The arithmetic of a tile: squared distances between one query and a row of points whose coordinates stand in arrays of
// their own, and sums in a fixed order. Vectorised for the machine at hand (base/simd.h).
#pragma once

#include "mercer/base/index.h"

namespace mercer {

/// out = Σ_j (x_j − q_j)² for `count` points; coordinate j of point i is x[j · stride + i]. dimension ≥ 1.
void squared_distances(const double* x, Index stride, const double* q, Index dimension, double* out, Index count);
/// The same with the largest (x_j − q_j)² in place of their sum.
void largest_squares(const double* x, Index stride, const double* q, Index dimension, double* out, Index count);
/// s /= scale².
void divide_by_squares(double* s, const double* scales, Index count);

/// Whether a squared distance from norms and a product has kept too few digits: an error of about 1e-10.
inline bool has_lost_digits(double norms, double squared) { return norms > 1e5 * (squared > 1 ? squared : 1); }
/// s, which holds −2xq, becomes ‖x‖² + ‖q‖² − 2xq, not below 0. Returns whether any has lost its digits.
bool squared_from_products(double* s, const double* norms, double norm, Index count);

/// Σ x, and Σ w x, in eight running sums.
double lane_sum(const double* x, Index count);
double weighted_lane_sum(const double* x, const double* w, Index count);
/// Σ w v (w null: all 1), and v becomes v².
double sum_and_square(double* v, const double* w, Index count);

}  // namespace mercer
