// Compiled with -mavx2 -mfma.
#define EIGEN_EXP_VARIANT eigen_exp_avx2
#include "eigen_exp.inc"
