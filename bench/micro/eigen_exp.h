// Eigen's array exp, compiled once for the baseline and once for AVX2 with FMA (EIGEN_EXP_VARIANT names the copy).
#pragma once

namespace mercer::bench {

void eigen_exp_baseline(const double* in, double* out, long size);
void eigen_exp_baseline(const float* in, float* out, long size);
void eigen_exp_avx2(const double* in, double* out, long size);
void eigen_exp_avx2(const float* in, float* out, long size);

}  // namespace mercer::bench
